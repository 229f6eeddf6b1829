#include "run/mpi/collective/program_data.hpp"

#include <algorithm>
#include <utility>

#include "run/mpi/runtime/copy_bytes.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// Ranges of bytes as ranges of elements.
std::vector<ByteRange> in_elements(std::vector<ByteRange> ranges, std::int64_t element_bytes) {
  for (ByteRange& range : ranges) range = {range.offset / element_bytes, range.bytes / element_bytes};
  return ranges;
}

}  // namespace

bool ProgramData::may_be_in_place(const Program& shape, std::int64_t rank) {
  switch (shape.problem) {
    case Collective::kAllgather:
    case Collective::kAllreduce:
      return true;
    case Collective::kBroadcast:
    case Collective::kGather:
    case Collective::kReduce:
      return rank == shape.root;
    default:
      return false;
  }
}

ProgramData::ProgramData(const ElementOperation& operation, const Program& shape, std::int64_t rank,
                         const OwnPart& part)
    : ElementData(operation), ends_(part.ends), commutative_(shape.commutative) {
  const std::vector<ByteRange> start = in_elements(ranges_at_start(shape, rank), shape.element_bytes);
  for (const ByteRange& range : start) own_count_ += range.bytes;
  if (!start.empty()) own_begin_ = start.front().offset;
  const bool collects = shape.problem == Collective::kGather || shape.problem == Collective::kAllgather;
  moves_own_ = collects && !std::ranges::all_of(ends_, &OwnPart::Own::sends);
  find_homes(shape, rank, part);
  place_messages(part, may_be_in_place(shape, rank));
  buffers_.assign(ends_.size(), nullptr);
  if (held_count_ > 0) held_ = allocate(held_count_);
  std::int64_t moved = 0;
  for (const OwnPart::Own& end : ends_)
    if (!end.sends && !end.combines()) moved += end.count;
  streams_ = dense() && outgrows_cache(moved * extent());
}

void ProgramData::find_homes(const Program& shape, std::int64_t rank, const OwnPart& part) {
  sluice::detail::RangeMap<char> held;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (ends_[i].sends) continue;
    for (const OwnPart::Range& range : part.ranges[i]) held.assign(range.begin, range.begin + range.count, 0);
  }
  if (moves_own_ && own_count_ > 0) held.assign(own_begin_, own_begin_ + own_count_, 0);
  std::int64_t at = 0;
  for (const ByteRange& range : in_elements(ranges_at_end(shape, rank), shape.element_bytes)) {
    homes_.assign(range.offset, range.end(), {Place::kResult, at - range.offset});
    held.erase(range.offset, range.end());
    at += range.bytes;
  }
  const std::int64_t all = array_bytes(shape) / shape.element_bytes;
  (void)held.visit(0, all, [&](std::int64_t begin, std::int64_t end, char) {
    homes_.assign(begin, end, {Place::kHeld, held_count_ - begin});
    held_count_ += end - begin;
  });
}

void ProgramData::add(Message& message, const Piece& piece) {
  if (!message.empty()) {
    Piece& last = message.back();
    const bool alike = last.place == piece.place && last.first == piece.first && last.lower == piece.lower &&
                       last.own_turn == piece.own_turn;
    const bool uses_own = piece.first || piece.own_turn != OwnPart::OwnTurn::kWithMessage;
    if (alike && last.at + last.count == piece.at && (!uses_own || last.own + last.count == piece.own)) {
      last.count += piece.count;
      return;
    }
  }
  message.push_back(piece);
}

void ProgramData::place_messages(const OwnPart& part, bool in_place) {
  sluice::detail::RangeMap<char> here;  // what the rank has: 0: its own elements where they were, 1: in its home
  const std::int64_t own_end = own_begin_ + own_count_;
  if (own_count_ > 0) here.assign(own_begin_, own_end, moves_own_ ? 1 : 0);
  /// use(begin, end, from there to where it lies).
  const auto for_homes = [&](std::int64_t begin, std::int64_t end, auto use) {
    const bool whole = homes_.visit(begin, end, use);
    SLUICE_ASSERT(whole, "elements without a place");
  };
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const OwnPart::Own& own = ends_[i];
    Message message;
    for (const OwnPart::Range& range : part.ranges[i]) {
      const std::int64_t last = range.begin + range.count;
      if (!own.sends && !own.combines()) {
        for_homes(range.begin, last, [&](std::int64_t begin, std::int64_t end, const Home& home) {
          add(message, {home.place, begin + home.shift, 0, end - begin, false, false});
        });
        continue;
      }
      const bool whole = here.visit(range.begin, last, [&](std::int64_t begin, std::int64_t end, char moved) {
        if (own.sends && moved == 0) {
          add(message, {Place::kOwn, begin - own_begin_, 0, end - begin, false, false});
          return;
        }
        for_homes(begin, end, [&](std::int64_t from, std::int64_t to, const Home& home) {
          add(message,
              {home.place, from + home.shift, from - own_begin_, to - from, moved == 0, range.lower, range.own_turn});
        });
      });
      SLUICE_ASSERT(whole, "a message of elements that the rank does not have");
    }
    messages_.push_back(std::move(message));
    if (own.sends) continue;
    for (const OwnPart::Range& range : part.ranges[i]) here.assign(range.begin, range.begin + range.count, 1);
    const bool buffered = !direct(i) || (own.combines() && in_place);
    if (buffered) longest_buffered_ = std::max(longest_buffered_, own.count);
  }
  // Own elements to move to their homes: those that nothing is received over or, if moves_own_, all.
  (void)here.visit(own_begin_, own_end, [&](std::int64_t from, std::int64_t to, char moved) {
    (void)homes_.visit(from, to, [&](std::int64_t begin, std::int64_t end, const Home& home) {
      const bool alone = moved == 0 || moves_own_;
      if (alone) add(own_moves_, {home.place, begin + home.shift, begin - own_begin_, end - begin, true, false});
    });
  });
  if (own_count_ > 0 && in_place)
    (void)homes_.visit(own_begin_, own_begin_ + 1, [&](std::int64_t begin, std::int64_t, const Home& home) {
      own_in_result_ = begin + home.shift;
    });
}

void ProgramData::use(const void* own, void* result) {
  result_ = static_cast<std::byte*>(result);
  own_in_place_ = own == MPI_IN_PLACE;
  // Never written through: pieces of this place are not.
  own_ = own_in_place_ ? result_ + own_in_result_ * extent() : static_cast<std::byte*>(const_cast<void*>(own));
  if (moves_own_) move_own();
}

void ProgramData::move_own() {
  if (own_in_place_) return;
  for (const Piece& piece : own_moves_) copy(own_ + piece.own * extent(), in(piece), piece.count);
}

void ProgramData::finish() {
  if (!moves_own_) move_own();
}

std::byte* ProgramData::base(Place place) const {
  switch (place) {
    case Place::kOwn:
      return own_;
    case Place::kResult:
      return result_;
    case Place::kHeld:
      break;
  }
  return held_;
}

bool ProgramData::direct(std::size_t end) const {
  const Message& message = messages_[end];
  if (message.size() != 1) return false;
  if (!ends_[end].combines()) return true;
  const Piece& piece = message.front();
  return piece.first && (piece.own_turn == OwnPart::OwnTurn::kLater || (!piece.lower && !own_in_place_));
}

std::byte* ProgramData::take(std::int64_t count) {
  const std::scoped_lock lock(mutex_);
  const auto fits = free_buffers_.lower_bound(count);
  if (fits == free_buffers_.end()) {
    std::byte* const fresh = allocate(count);
    sizes_.emplace(fresh, count);
    return fresh;
  }
  std::byte* const buffer = fits->second;
  free_buffers_.erase(fits);
  return buffer;
}

void ProgramData::give_back(std::byte* buffer) {
  const std::scoped_lock lock(mutex_);
  free_buffers_.emplace(sizes_.at(buffer), buffer);
}

const std::byte* ProgramData::outgoing(std::size_t end, std::int64_t begin, std::int64_t count) {
  const Message& message = messages_[end];
  if (message.size() == 1) return in(message.front());
  buffers_[end] = take(count);
  pack(end, begin, count, buffers_[end]);
  return buffers_[end];
}

void ProgramData::sent(std::size_t end) {
  if (buffers_[end] != nullptr) give_back(std::exchange(buffers_[end], nullptr));
}

std::byte* ProgramData::incoming(std::size_t end, std::int64_t /*begin*/, std::int64_t count) {
  if (direct(end)) return in(messages_[end].front());
  return buffers_[end] = take(count);
}

void ProgramData::arrived(std::size_t end, const Look& look) {
  const Message& message = messages_[end];
  if (direct(end)) {
    const Piece& piece = message.front();
    const bool combines = ends_[end].combines() && piece.own_turn != OwnPart::OwnTurn::kLater;
    if (combines) apply(own_ + piece.own * extent(), in(piece), piece.count, look);
    return;
  }
  std::byte* from = buffers_[end];
  for (const Piece& piece : message) {
    if (ends_[end].combines()) {
      combine(piece, from, from, look);
    } else {
      copy(from, in(piece), piece.count);
    }
    from += piece.count * extent();
  }
  give_back(std::exchange(buffers_[end], nullptr));
}

void ProgramData::combine(const Piece& piece, const std::byte* other, std::byte* scratch, const Look& look) {
  std::byte* const here = in(piece);
  const std::byte* const own = own_ + piece.own * extent();
  if (piece.first && piece.own_turn == OwnPart::OwnTurn::kLater) {
    copy(other, here, piece.count);
    return;
  }
  // MPI_Reduce_local(a, b) writes a op b to b.
  if (piece.first && !own_in_place_) {
    copy(piece.lower ? own : other, here, piece.count);
    apply(piece.lower ? other : own, here, piece.count, look);
  } else if (piece.lower || commutative_) {
    apply(other, here, piece.count, look);
  } else {
    std::byte* const joined = scratch != nullptr ? scratch : take(piece.count);
    if (scratch == nullptr) copy(other, joined, piece.count);
    apply(here, joined, piece.count, look);
    copy(joined, here, piece.count);
    if (scratch == nullptr) give_back(joined);
  }
  if (piece.own_turn == OwnPart::OwnTurn::kWithMessage) return;
  Piece as_message = piece;
  as_message.first = false;
  as_message.lower = piece.own_turn == OwnPart::OwnTurn::kAfterAsLower;
  as_message.own_turn = OwnPart::OwnTurn::kWithMessage;
  combine(as_message, own, nullptr, look);
}

template <class Use>
void ProgramData::for_part(const Message& message, std::int64_t begin, std::int64_t count, Use use) {
  const std::int64_t end = begin + count;
  std::int64_t at = 0;
  for (const Piece& whole : message) {
    const std::int64_t from = std::max(begin, at), to = std::min(end, at + whole.count);
    if (from < to) {
      Piece piece = whole;
      piece.at += from - at;
      piece.own += from - at;
      piece.count = to - from;
      use(piece, from - begin);
    }
    at += whole.count;
    if (at >= end) break;
  }
}

void ProgramData::pack(std::size_t end, std::int64_t begin, std::int64_t count, std::byte* to) {
  for_part(messages_[end], begin, count,
           [&](const Piece& piece, std::int64_t before) { copy(in(piece), to + before * extent(), piece.count); });
}

void ProgramData::unpack(std::size_t end, std::int64_t begin, std::int64_t count, const std::byte* from) {
  for_part(messages_[end], begin, count, [&](const Piece& piece, std::int64_t before) {
    const std::byte* const part = from + before * extent();
    if (ends_[end].combines()) {
      combine(piece, part, nullptr, {});
    } else {
      put(part, in(piece), piece.count);
    }
  });
  if (streams_) end_streaming();
}

void ProgramData::put(const std::byte* from, std::byte* to, std::int64_t count) const {
  streams_ ? stream_bytes(to, from, count * extent()) : copy(from, to, count);
}

}  // namespace sluice::mpi::detail
