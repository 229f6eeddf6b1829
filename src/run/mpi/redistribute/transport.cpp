#include "run/mpi/redistribute/transport.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace sluice::mpi::detail {
namespace {

/// The most bytes that the rank moves within itself between two looks at the network.
constexpr std::int64_t kMovedAtOnceBytes = 256 << 10;

/// The rank's own process in the other grid, if it sends itself something.
std::vector<Rank> own_message(const Participation& part) {
  if (part.sender < 0 || part.receiver < 0) return {};
  if (part.problem.count(Rank(part.sender), Rank(part.receiver)) == 0) return {};
  return {Rank(part.receiver)};
}

/// Calls visit(piece, begin, end) for the pieces of a message that have any of its bytes offset .. offset + bytes - 1:
/// the bytes from `begin` to `end` of the piece.
template <class Visit>
void for_each_piece(std::span<const OwnMessages::Piece> pieces, std::int64_t offset, std::int64_t bytes,
                    Visit&& visit) {
  for (const OwnMessages::Piece& piece : pieces) {
    const std::int64_t begin = std::max<std::int64_t>(offset - piece.begin, 0);
    const std::int64_t end = std::min(offset + bytes - piece.begin, piece.bytes);
    if (begin < end) visit(piece, begin, end);
  }
}

/// The piece that has all of these bytes; null if there is none.
const OwnMessages::Piece* piece_of(std::span<const OwnMessages::Piece> pieces, std::int64_t offset,
                                   std::int64_t bytes) {
  for (const OwnMessages::Piece& piece : pieces) {
    if (piece.begin <= offset && offset + bytes <= piece.begin + piece.bytes) return &piece;
  }
  return nullptr;
}

/// The messages of `copies` that share rows of the array on that side, if RowsTogether suits them and the array does
/// not stay in the cache. `moving`, unless null: also what the rank sends itself.
std::vector<ArrayCopies::Together> rows_together(RowsTogether::Side side, const MessageCopies& copies,
                                                 const MessageCopies* moving) {
  struct Rows {
    ArrayCopies::Together which;
    std::vector<CopyRows> messages;
  };
  if (!copies.passes_cache()) return {};
  std::map<std::int64_t, Rows> by_first_row;  // other rows begin elsewhere in the array
  const auto add = [&](const CopyRows& rows) -> Rows& {
    const CopyAxis::Cursor first = rows.slow->seek(0);
    Rows& same =
        by_first_row[side == RowsTogether::Side::kSource ? rows.slow->from_at(first) : rows.slow->to_at(first)];
    same.messages.push_back(rows);
    return same;
  };
  for (std::size_t m = 0; m < copies.size(); ++m) {
    if (const std::optional<CopyRows> rows = copies.rows(m)) add(*rows).which.messages.push_back(m);
  }
  if (moving != nullptr && moving->size() > 0) {
    if (const std::optional<CopyRows> rows = moving->rows(0)) add(*rows).which.moving = true;
  }
  std::vector<ArrayCopies::Together> result;
  for (auto& [first, rows] : by_first_row)
    if (RowsTogether::suits(side, rows.messages)) result.push_back(std::move(rows.which));
  return result;
}

/// The rows of the messages of a list; rows of `moving` come last.
std::vector<CopyRows> rows_of(const ArrayCopies::Together& list, const MessageCopies& copies,
                              const MessageCopies& moving) {
  std::vector<CopyRows> rows;
  for (const std::size_t message : list.messages) rows.push_back(copies.rows(message).value());
  if (list.moving) rows.push_back(moving.rows(0).value());
  return rows;
}

/// The ends of whole messages of a single array, by its copies.
std::vector<std::vector<std::size_t>> ends_of_copies(std::span<const ArrayCopies::Together> lists,
                                                     const OwnSteps& steps, bool sends) {
  const OwnMessages& own = sends ? steps.sends : steps.receives;
  std::vector<std::size_t> end_of(own.messages.size());
  for (const std::uint32_t end : ends_of(steps.part, sends)) {
    const auto message = static_cast<std::size_t>(steps.part.ranges[end].front().store);
    if (steps.part.ends[end].count != own.messages[message].bytes) return {};
    end_of[own.pieces_of(message).front().copy] = end;
  }
  std::vector<std::vector<std::size_t>> result;
  for (const ArrayCopies::Together& list : lists) {
    result.emplace_back();
    for (const std::size_t copy : list.messages) result.back().push_back(end_of[copy]);
  }
  return result;
}

}  // namespace

ArrayCopies::ArrayCopies(const Participation& part, const OwnSteps& own, std::size_t array)
    : packing(part, CopyKind::kPack, own.sends.processes[array]),
      unpacking(part, CopyKind::kUnpack, own.receives.processes[array]),
      moving(part, CopyKind::kMove, own_message(part)),
      passing_on(part, CopyKind::kPassOn, own.sends.passed_on),
      unpacked_together(rows_together(RowsTogether::Side::kTarget, unpacking, &moving)),
      packed_together(rows_together(RowsTogether::Side::kSource, packing,
                                    std::ranges::any_of(unpacked_together, &Together::moving) ? nullptr : &moving)) {}

ArrayTransport::ArrayTransport(const ArrayCopies& copies, std::int64_t element_size, const ElementCombine& combine)
    : copies_(&copies), element_size_(element_size), combine_(&combine) {
  if (copies.moving.size() > 0) {
    move_ = copies.moving[0];
    to_move_ = move_.bytes();
  }
  if (combine) return;
  packed_ = copies.packed_together;
  unpacked_ = copies.unpacked_together;
  for (const ArrayCopies::Together& list : packed_) {
    splits_.emplace_back(rows_of(list, copies.packing, copies.moving));
    room_.reserve(std::max(room_.capacity(), list.messages.size() + 1));
  }
  for (const ArrayCopies::Together& list : unpacked_) {
    assemblies_.emplace_back(rows_of(list, copies.unpacking, copies.moving));
    arrived_.reserve(std::max(arrived_.capacity(), list.messages.size() + 1));
  }
}

void ArrayTransport::begin(const void* source, void* target) {
  source_ = static_cast<const std::byte*>(source);
  target_ = static_cast<std::byte*>(target);
  moved_ = 0;
}

void ArrayTransport::begin_together() {
  for (RowSplit& each : splits_) each.begin();
  for (RowAssembly& each : assemblies_) each.begin();
  const auto moves = [](std::span<const ArrayCopies::Together> lists) {
    return std::ranges::any_of(lists, &ArrayCopies::Together::moving);
  };
  if (moves(packed_) || moves(unpacked_)) moved_ = to_move_;
}

void ArrayTransport::pack_together(std::size_t list, std::span<MessageRoom> room) {
  room_.assign(room.begin(), room.end());
  if (packed_[list].moving) room_.push_back({target_, 0, to_move_});
  RowSplit& split = splits_[list];
  split.advance(room_, source_);
  for (std::size_t i = 0; i < room.size(); ++i) room[i].bytes = split.copied(i) - room[i].offset;
}

void ArrayTransport::unpack_together(std::size_t list, std::span<MessagePart> arrived) {
  arrived_.assign(arrived.begin(), arrived.end());
  if (unpacked_[list].moving) arrived_.push_back({source_, 0, to_move_});
  RowAssembly& assembly = assemblies_[list];
  assembly.advance(arrived_, target_);
  for (std::size_t i = 0; i < arrived.size(); ++i) arrived[i].bytes = assembly.copied(i) - arrived[i].offset;
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

Transfers::Transfers(Transport& transport, const OwnSteps& own) : transport_(transport) {
  places_.reserve(own.part.ends.size());
  for (std::size_t i = 0; i < own.part.ends.size(); ++i) {
    const OwnPart::Range& range = own.part.ranges[i].front();
    places_.push_back({static_cast<std::size_t>(range.store), range.begin});
  }
  const ArrayTransport* const array = transport.only_array();
  if (array == nullptr) return;
  sent_together_ = ends_of_copies(array->packed_together(), own, /*sends=*/true);
  received_together_ = ends_of_copies(array->unpacked_together(), own, /*sends=*/false);
}

}  // namespace sluice::mpi::detail
