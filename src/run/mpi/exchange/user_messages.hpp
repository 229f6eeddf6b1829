#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "run/mpi/engine/protocol_list.hpp"
#include "run/mpi/engine/step_executor.hpp"
#include "run/mpi/exchange/exchange_part.hpp"
#include "sluice/run/mpi/exchange.hpp"

namespace sluice::mpi::detail {

/// The messages of an exchange between the user's two buffers, for the executor. For an exchange with local phases they
/// serve RoutedData, which knows where the bytes of its transfers lie.
class UserMessages final : public Data, public ListedMessages {
 public:
  UserMessages(const std::vector<MessageSize>& sends, const std::vector<MessageSize>& receives,
               const ExchangePart& part, int rank);

  /// The number of the message to a rank, and of the message from it.
  [[nodiscard]] std::size_t send_to(int peer) const { return send_at_.at(peer); }
  [[nodiscard]] std::size_t receive_from(int peer) const { return receive_at_.at(peer); }
  /// The place of a message in the present execution.
  [[nodiscard]] const std::byte* source(std::size_t message) const { return sources_[message]; }
  [[nodiscard]] std::byte* target(std::size_t message) const { return targets_[message]; }

  /// For the next execution: the place of each message.
  void use(std::vector<const std::byte*> sources, std::vector<std::byte*> targets);
  /// Mode list: no transfer is known yet.
  void clear() { places_.clear(); }

  const std::byte* outgoing(std::size_t end, std::int64_t begin, std::int64_t bytes) override;
  std::byte* incoming(std::size_t end, std::int64_t begin, std::int64_t bytes) override;
  bool work() override;

  void sending(std::int64_t number) override { places_.push_back({static_cast<std::size_t>(number), 0}); }
  void receiving(int from, std::int64_t /*bytes*/) override { places_.push_back({receive_at_.at(from), 0}); }

 private:
  /// A transfer of this rank: the message of the user's list, and its place in that message.
  struct Place {
    std::size_t message = 0;
    std::int64_t offset = 0;
  };

  std::vector<Place> places_;  ///< by end
  std::map<int, std::size_t> send_at_;
  std::map<int, std::size_t> receive_at_;
  std::size_t own_from_ = 0;
  std::size_t own_to_ = 0;
  std::int64_t own_bytes_ = 0;
  std::int64_t moved_ = 0;
  std::vector<const std::byte*> sources_;
  std::vector<std::byte*> targets_;
};

/// Messages of any datatype. Those that lie in a row travel from where they lie; others are packed into a buffer,
/// whole.
class TypedBuffers {
 public:
  /// Throws InputError for a bad one.
  TypedBuffers(const std::vector<TypedMessage>& sends, const std::vector<TypedMessage>& receives);

  [[nodiscard]] std::vector<MessageSize> sizes_of_sends() const { return sizes(sends_); }
  [[nodiscard]] std::vector<MessageSize> sizes_of_receives() const { return sizes(receives_); }

  /// The memory that each non-empty message is sent from, packed if necessary; all packed if `copy`.
  [[nodiscard]] std::vector<const std::byte*> sources(const std::byte* buffer, bool copy);
  /// The memory that each message arrives in.
  [[nodiscard]] std::vector<std::byte*> targets(std::byte* buffer);
  /// Afterwards: unpacks what came to a buffer.
  void unpack();
  [[nodiscard]] std::int64_t buffer_bytes() const { return buffer_bytes_; }

 private:
  struct Message {
    TypedMessage user;
    std::int64_t bytes = 0;
    std::int64_t extent = 0;  ///< of an element
    std::int64_t lower = 0;   ///< from `offset` to the first byte, if it lies in a row
    bool in_a_row = true;
    std::unique_ptr<std::byte[]> buffer;
  };

  static std::vector<Message> checked(const std::vector<TypedMessage>& messages, const char* where);
  static std::vector<MessageSize> sizes(const std::vector<Message>& messages);
  std::byte* buffer_of(Message& message);

  std::vector<Message> sends_;
  std::vector<Message> receives_;
  std::byte* target_ = nullptr;
  std::int64_t buffer_bytes_ = 0;
};

}  // namespace sluice::mpi::detail
