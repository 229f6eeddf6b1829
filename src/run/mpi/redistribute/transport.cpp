#include "run/mpi/redistribute/transport.hpp"

#include <algorithm>

namespace sluice::mpi::detail {
namespace {

/// What the rank moves within itself between two looks at the network.
constexpr std::int64_t kMovedAtOnceBytes = 256 << 10;

/// The rank's own process in the other grid, if it sends itself something.
std::vector<Rank> own_message(const Participation& part) {
  if (part.sender < 0 || part.receiver < 0) return {};
  if (part.problem.count(Rank(part.sender), Rank(part.receiver)) == 0) return {};
  return {Rank(part.receiver)};
}

/// Calls visit(piece, begin, end) for the pieces of a message that have any of its bytes offset .. offset + bytes - 1:
/// those from `begin` to `end` of the piece.
template <class Visit>
void for_each_piece(std::span<const OwnMessages::Piece> pieces, std::int64_t offset, std::int64_t bytes,
                    Visit&& visit) {
  for (const OwnMessages::Piece& piece : pieces) {
    const std::int64_t begin = std::max<std::int64_t>(offset - piece.begin, 0);
    const std::int64_t end = std::min(offset + bytes - piece.begin, piece.bytes);
    if (begin < end) visit(piece, begin, end);
  }
}

/// The piece that has all of these bytes; null where there is none.
const OwnMessages::Piece* piece_of(std::span<const OwnMessages::Piece> pieces, std::int64_t offset,
                                   std::int64_t bytes) {
  for (const OwnMessages::Piece& piece : pieces) {
    if (piece.begin <= offset && offset + bytes <= piece.begin + piece.bytes) return &piece;
  }
  return nullptr;
}

}  // namespace

ArrayCopies::ArrayCopies(const Participation& part, const OwnSteps& own, std::size_t array)
    : packing(part, CopyKind::kPack, own.sends.processes[array]),
      unpacking(part, CopyKind::kUnpack, own.receives.processes[array]),
      moving(part, CopyKind::kMove, own_message(part)),
      passing_on(part, CopyKind::kPassOn, own.sends.passed_on) {}

ArrayTransport::ArrayTransport(const ArrayCopies& copies, std::int64_t element_size, const ElementCombine& combine)
    : copies_(&copies), element_size_(element_size), combine_(&combine) {
  if (copies.moving.size() == 0) return;
  move_ = copies.moving[0];
  to_move_ = move_.bytes();
}

void ArrayTransport::begin(const void* source, void* target) {
  source_ = static_cast<const std::byte*>(source);
  target_ = static_cast<std::byte*>(target);
  moved_ = 0;
}

bool ArrayTransport::work() {
  const std::int64_t most = std::max<std::int64_t>(1, kMovedAtOnceBytes / element_size_) * element_size_;
  const std::int64_t end = std::min(moved_ + most, to_move_);
  put(move_, moved_, end, source_, 0);
  moved_ = end;
  return moved_ < to_move_;
}

void ArrayTransport::put(const BoxCopy& message, std::int64_t begin, std::int64_t end, const std::byte* from,
                         std::int64_t from_origin) const {
  if (*combine_) {
    message.combine(begin, end, from, from_origin, target_, 0, element_size_, *combine_);
  } else {
    message.copy(begin, end, from, from_origin, target_, 0);
  }
}

void Transport::begin(std::span<const void* const> sources, std::span<void* const> targets) {
  for (std::size_t a = 0; a < arrays_.size(); ++a) arrays_[a].begin(sources[a], targets[a]);
  working_ = 0;
}

const std::byte* Transport::outgoing(std::size_t message, std::int64_t offset, std::int64_t bytes) const {
  const OwnMessages::Piece* const piece = piece_of(own_.sends.pieces_of(message), offset, bytes);
  return piece == nullptr ? nullptr : arrays_[piece->array].outgoing(piece->copy, offset - piece->begin, bytes);
}

void Transport::pack(std::size_t message, std::int64_t offset, std::int64_t bytes, std::byte* buffer) const {
  for_each_piece(own_.sends.pieces_of(message), offset, bytes,
                 [&](const OwnMessages::Piece& piece, std::int64_t begin, std::int64_t end) {
                   arrays_[piece.array].pack(piece.copy, begin, end - begin, buffer + (piece.begin + begin - offset));
                 });
}

std::byte* Transport::incoming(std::size_t message, std::int64_t offset, std::int64_t bytes) const {
  const OwnMessages::Piece* const piece = piece_of(own_.receives.pieces_of(message), offset, bytes);
  return piece == nullptr ? nullptr : arrays_[piece->array].incoming(piece->copy, offset - piece->begin, bytes);
}

void Transport::unpack(std::size_t message, std::int64_t offset, std::int64_t bytes, const std::byte* buffer) const {
  for_each_piece(own_.receives.pieces_of(message), offset, bytes,
                 [&](const OwnMessages::Piece& piece, std::int64_t begin, std::int64_t end) {
                   arrays_[piece.array].unpack(piece.copy, begin, end - begin, buffer + (piece.begin + begin - offset));
                 });
}

bool Transport::work() {
  if (working_ == arrays_.size()) return false;
  if (!arrays_[working_].work()) ++working_;
  return working_ < arrays_.size();
}

}  // namespace sluice::mpi::detail
