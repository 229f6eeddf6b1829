#include "run/mpi/redistribute/transport.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

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

/// The messages that fill the same rows between them, where a RowAssembly suits them and what is written does not stay
/// in the cache.
std::vector<ArrayCopies::Together> rows_together(const MessageCopies& unpacking, const MessageCopies& moving) {
  struct Rows {
    ArrayCopies::Together which;
    std::vector<CopyRows> messages;
  };
  if (!unpacking.streams()) return {};
  std::map<std::int64_t, Rows> by_first_row;  // other rows begin elsewhere in the target
  const auto add = [&](const CopyRows& rows) -> Rows& {
    Rows& same = by_first_row[rows.slow->to_at(rows.slow->seek(0))];
    same.messages.push_back(rows);
    return same;
  };
  for (std::size_t m = 0; m < unpacking.size(); ++m) {
    if (const std::optional<CopyRows> rows = unpacking.rows(m)) add(*rows).which.messages.push_back(m);
  }
  if (moving.size() > 0) {
    if (const std::optional<CopyRows> rows = moving.rows(0)) add(*rows).which.moving = true;
  }
  std::vector<ArrayCopies::Together> result;
  for (auto& [first, rows] : by_first_row)
    if (RowAssembly::suits(rows.messages)) result.push_back(std::move(rows.which));
  return result;
}

}  // namespace

ArrayCopies::ArrayCopies(const Participation& part, const OwnSteps& own, std::size_t array)
    : packing(part, CopyKind::kPack, own.sends.processes[array]),
      unpacking(part, CopyKind::kUnpack, own.receives.processes[array]),
      moving(part, CopyKind::kMove, own_message(part)),
      passing_on(part, CopyKind::kPassOn, own.sends.passed_on),
      together(rows_together(unpacking, moving)) {}

ArrayTransport::ArrayTransport(const ArrayCopies& copies, std::int64_t element_size, const ElementCombine& combine)
    : copies_(&copies), element_size_(element_size), combine_(&combine) {
  if (copies.moving.size() > 0) {
    move_ = copies.moving[0];
    to_move_ = move_.bytes();
  }
  if (combine) return;
  for (const ArrayCopies::Together& each : copies.together) {
    std::vector<CopyRows> rows;
    for (const std::size_t message : each.messages) rows.push_back(copies.unpacking.rows(message).value());
    if (each.moving) rows.push_back(copies.moving.rows(0).value());
    assemblies_.emplace_back(rows);
    arrived_.reserve(std::max(arrived_.capacity(), rows.size()));
  }
}

void ArrayTransport::begin(const void* source, void* target) {
  source_ = static_cast<const std::byte*>(source);
  target_ = static_cast<std::byte*>(target);
  moved_ = 0;
}

std::vector<std::vector<std::size_t>> ArrayTransport::together() const {
  std::vector<std::vector<std::size_t>> result;
  for (std::size_t list = 0; list < assemblies_.size(); ++list) result.push_back(copies_->together[list].messages);
  return result;
}

void ArrayTransport::begin_together() {
  for (std::size_t list = 0; list < assemblies_.size(); ++list) {
    assemblies_[list].begin();
    if (copies_->together[list].moving) moved_ = to_move_;
  }
}

void ArrayTransport::unpack_together(std::size_t list, std::span<MessagePart> arrived) {
  arrived_.assign(arrived.begin(), arrived.end());
  if (copies_->together[list].moving) arrived_.push_back({source_, 0, to_move_});
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

std::vector<std::vector<std::size_t>> Transport::together() const {
  if (arrays_.size() != 1) return {};
  std::vector<std::vector<std::size_t>> result = arrays_.front().together();
  for (std::vector<std::size_t>& list : result) {
    for (std::size_t& each : list) {
      const std::size_t copy = each;
      each = 0;
      while (own_.receives.pieces_of(each).front().copy != copy) ++each;
    }
  }
  return result;
}

void Transport::begin_together() {
  if (arrays_.size() == 1) arrays_.front().begin_together();
}

void Transport::unpack_together(std::size_t list, std::span<MessagePart> arrived) {
  arrays_.front().unpack_together(list, arrived);
}

bool Transport::work() {
  if (working_ == arrays_.size()) return false;
  if (!arrays_[working_].work()) ++working_;
  return working_ < arrays_.size();
}

Transfers::Transfers(Transport& transport, const OwnSteps& own)
    : transport_(transport), sends_(own.sends.transfers), receives_(own.receives.transfers) {
  const bool whole = std::ranges::all_of(receives_, [&](const OwnMessages::Transfer& each) {
    return each.bytes == own.receives.messages[each.message].bytes;
  });
  if (!whole) return;
  together_ = transport.together();
  std::vector<std::size_t> number_of(own.receives.messages.size());
  for (std::size_t i = 0; i < receives_.size(); ++i) number_of[receives_[i].message] = i;
  for (std::vector<std::size_t>& list : together_)
    for (std::size_t& each : list) each = number_of[each];
}

}  // namespace sluice::mpi::detail
