#include "run/mpi/exchange/exchange_data.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "schedule/own_part.hpp"

namespace sluice::mpi::detail {
namespace {

/// The most bytes that a rank copies to itself between two looks at the network.
constexpr std::int64_t kMoveBytes = 256 << 10;

}  // namespace

ExchangeData::ExchangeData(const std::vector<MessageSize>& sends, const std::vector<MessageSize>& receives,
                           const ExchangePart& part, int rank, std::shared_ptr<const TypedBuffers> typed)
    : held_bytes_(part.routed.held_bytes),
      held_(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(held_bytes_))),
      typed_(std::move(typed)) {
  std::map<int, std::size_t> send_at;
  for (std::size_t i = 0; i < sends.size(); ++i) send_at[sends[i].peer] = i;
  for (std::size_t i = 0; i < receives.size(); ++i) receive_at_[receives[i].peer] = i;
  for (std::size_t i = 0; i < part.own.ends.size(); ++i) {
    const OwnPart::Own& end = part.own.ends[i];
    const std::map<int, std::size_t>& at = end.sends ? send_at : receive_at_;
    pieces_.add();
    std::int64_t begin = 0;
    for (const OwnPart::Range& range : part.own.ranges[i]) {
      const std::int32_t of = part.routed.is ? range.store : end.peer;
      pieces_.push({begin, of == ExchangePart::kHeld ? kHeld : at.at(of), range.begin});
      begin += range.count;
    }
  }
  const auto own = send_at.find(rank);
  if (part.routed.moves_own && own != send_at.end() && sends[own->second].bytes > 0) {
    own_bytes_ = sends[own->second].bytes;
    own_from_ = own->second;
    own_to_ = receive_at_.at(rank);
  }
}

void ExchangeData::use(std::vector<const std::byte*> sources, std::vector<std::byte*> targets) {
  sources_ = std::move(sources);
  targets_ = std::move(targets);
  moved_ = 0;
}

template <class Visit>
void ExchangeData::visit(std::size_t end, std::int64_t offset, std::int64_t bytes, Visit&& visit) const {
  const std::span<const Piece> pieces = pieces_[end];
  auto piece = std::ranges::upper_bound(pieces, offset, {}, &Piece::begin) - 1;
  for (const std::int64_t last = offset + bytes; offset < last; ++piece) {
    const std::int64_t until = piece + 1 == pieces.end() ? last : std::min(last, (piece + 1)->begin);
    visit(*piece, offset - piece->begin, until - offset);
    offset = until;
  }
}

const std::byte* ExchangeData::source(const Piece& piece) const {
  return (piece.message == kHeld ? held_.get() : sources_[piece.message]) + piece.offset;
}

std::byte* ExchangeData::target(const Piece& piece) const {
  return (piece.message == kHeld ? held_.get() : targets_[piece.message]) + piece.offset;
}

const std::byte* ExchangeData::outgoing(std::size_t end, std::int64_t begin, std::int64_t bytes) {
  const std::byte* found = nullptr;
  visit(end, begin, bytes, [&](const Piece& piece, std::int64_t skip, std::int64_t size) {
    if (size == bytes) found = source(piece) + skip;
  });
  return found;
}

void ExchangeData::pack(std::size_t end, std::int64_t begin, std::int64_t bytes, std::byte* to) {
  visit(end, begin, bytes, [&](const Piece& piece, std::int64_t skip, std::int64_t size) {
    std::memcpy(to, source(piece) + skip, static_cast<std::size_t>(size));
    to += size;
  });
}

std::byte* ExchangeData::incoming(std::size_t end, std::int64_t begin, std::int64_t bytes) {
  std::byte* found = nullptr;
  visit(end, begin, bytes, [&](const Piece& piece, std::int64_t skip, std::int64_t size) {
    if (size == bytes) found = target(piece) + skip;
  });
  return found;
}

void ExchangeData::unpack(std::size_t end, std::int64_t begin, std::int64_t bytes, const std::byte* from) {
  visit(end, begin, bytes, [&](const Piece& piece, std::int64_t skip, std::int64_t size) {
    std::memcpy(target(piece) + skip, from, static_cast<std::size_t>(size));
    from += size;
  });
}

bool ExchangeData::work() {
  const std::int64_t bytes = std::min(kMoveBytes, own_bytes_ - moved_);
  if (bytes > 0) {
    std::memcpy(targets_[own_to_] + moved_, sources_[own_from_] + moved_, static_cast<std::size_t>(bytes));
    moved_ += bytes;
  }
  return moved_ < own_bytes_;
}

}  // namespace sluice::mpi::detail
