#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sluice/run/mpi/exchange.hpp"

namespace sluice::mpi::detail {

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
