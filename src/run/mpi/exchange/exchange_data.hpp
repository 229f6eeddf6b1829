#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/lists.hpp"
#include "run/mpi/engine/data.hpp"
#include "run/mpi/engine/list_gate.hpp"
#include "run/mpi/exchange/exchange_part.hpp"
#include "run/mpi/exchange/typed_buffers.hpp"
#include "sluice/run/mpi/exchange.hpp"

namespace sluice::mpi::detail {

/// The bytes of an exchange: they lie in the user's messages, and in memory that the rank holds for others. A message
/// of the part is a part of one of the user's messages. With local phases it may have bytes of several, from several
/// places.
class ExchangeData final : public Data, public ListedMessages {
 public:
  /// `typed`: null, or memory that messages lie in.
  ExchangeData(const std::vector<MessageSize>& sends, const std::vector<MessageSize>& receives,
               const ExchangePart& part, int rank, std::shared_ptr<const TypedBuffers> typed);

  /// For the next execution: the place of each of the user's messages.
  void use(std::vector<const std::byte*> sources, std::vector<std::byte*> targets);
  /// Mode list: no message of the part is known yet.
  void clear() { pieces_ = {}; }
  void sending(std::int64_t number) override { add({0, static_cast<std::size_t>(number), 0}); }
  void receiving(int from, std::int64_t /*bytes*/) override { add({0, receive_at_.at(from), 0}); }

  const std::byte* outgoing(std::size_t end, std::int64_t begin, std::int64_t bytes) override;
  void pack(std::size_t end, std::int64_t begin, std::int64_t bytes, std::byte* to) override;
  std::byte* incoming(std::size_t end, std::int64_t begin, std::int64_t bytes) override;
  void unpack(std::size_t end, std::int64_t begin, std::int64_t bytes, const std::byte* from) override;
  /// Copies what the rank has for itself.
  bool work() override;
  [[nodiscard]] std::int64_t held_bytes() const override { return held_bytes_; }

 private:
  static constexpr std::size_t kHeld = static_cast<std::size_t>(-1);
  struct Piece {
    std::int64_t begin = 0;   ///< in the message of the part
    std::size_t message = 0;  ///< of the user's list, or kHeld
    std::int64_t offset = 0;
  };

  void add(const Piece& piece) {
    pieces_.add();
    pieces_.push(piece);
  }
  /// Calls `visit(piece, bytes of it to pass over, bytes)` for the pieces that hold the bytes from `offset` on of a
  /// message.
  template <class Visit>
  void visit(std::size_t end, std::int64_t offset, std::int64_t bytes, Visit&& visit) const;
  [[nodiscard]] const std::byte* source(const Piece& piece) const;
  [[nodiscard]] std::byte* target(const Piece& piece) const;

  sluice::detail::Lists<Piece> pieces_;  ///< by end
  std::map<int, std::size_t> receive_at_;
  std::int64_t held_bytes_;
  std::unique_ptr<std::byte[]> held_;
  std::shared_ptr<const TypedBuffers> typed_;
  std::size_t own_from_ = 0;
  std::size_t own_to_ = 0;
  std::int64_t own_bytes_ = 0;
  std::int64_t moved_ = 0;
  std::vector<const std::byte*> sources_;
  std::vector<std::byte*> targets_;
};

}  // namespace sluice::mpi::detail
