#include "run/mpi/reduce/reduction_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// What an operation is applied to between two looks at the network.
constexpr std::int64_t kBytesBetweenLooks = 256 << 10;
constexpr std::int64_t kMostElements = std::numeric_limits<int>::max();
/// The note of an object; that of an error is the rank it comes from.
constexpr std::int64_t kGood = -1;

}  // namespace

// ---- JoinedRanks

void JoinedRanks::reset() { runs_.assign(static_cast<std::size_t>(part_.segments), {0, part_.rank, part_.rank + 1}); }

bool JoinedRanks::adjoins(std::size_t receive) const {
  const CombinedPart& part = part_.receives[receive];
  const CombinedPart& run = runs_[static_cast<std::size_t>(part.segment)];
  return part_.commutative || part.end == run.begin || part.begin == run.end;
}

void JoinedRanks::join(std::size_t receive) {
  if (part_.commutative) return;
  SLUICE_ASSERT(adjoins(receive), fmt::format("receive {} of rank {} does not adjoin", receive, part_.rank));
  const CombinedPart& part = part_.receives[receive];
  CombinedPart& run = runs_[static_cast<std::size_t>(part.segment)];
  run.begin = std::min(run.begin, part.begin);
  run.end = std::max(run.end, part.end);
}

// ---- ElementData

ElementData::ElementData(const ElementOperation& operation)
    : count_(operation.count), type_(operation.type), op_(operation.op), layout_(operation.type) {
  int size = 0;
  SLUICE_MPI(MPI_Type_size(operation.type, &size));
  size_ = std::max(size, 1);
}

std::byte* ElementData::allocate(std::int64_t count) {
  const std::int64_t bytes = layout_.bytes(count);
  buffers_.push_back(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes)));
  held_bytes_ += bytes;
  return buffers_.back().get() - layout_.true_lower;
}

void ElementData::copy(const std::byte* from, std::byte* to, std::int64_t count) const {
  if (size_ == extent() && layout_.true_extent == extent() && layout_.true_lower == 0) {
    if (count > 0) std::memcpy(to, from, static_cast<std::size_t>(count * extent()));
    return;
  }
  // Only what belongs to the type: what lies between is not ours.
  for (std::int64_t at = 0; at < count; at += kMostElements) {
    const auto part = static_cast<int>(std::min(kMostElements, count - at));
    SLUICE_MPI(MPI_Sendrecv(from + at * extent(), part, type_, 0, 0, to + at * extent(), part, type_, 0, 0,
                            MPI_COMM_SELF, MPI_STATUS_IGNORE));
  }
}

void ElementData::apply(const std::byte* in, std::byte* inout, std::int64_t count,
                        const std::function<void()>& look) const {
  const std::int64_t most = look ? std::max<std::int64_t>(1, kBytesBetweenLooks / size_) : kMostElements;
  for (std::int64_t at = 0; at < count; at += most) {
    if (at > 0 && look) look();
    SLUICE_MPI(MPI_Reduce_local(in + at * extent(), inout + at * extent(), static_cast<int>(std::min(most, count - at)),
                                type_, op_));
  }
}

// ---- ElementReduction

ElementReduction::ElementReduction(const ElementOperation& operation, const ReductionPart& part)
    : ElementData(operation),
      part_(part),
      combined_(static_cast<std::size_t>(part.segments)),
      received_(part.receives.size()),
      result_is_free_(static_cast<std::size_t>(part.segments), 0),
      joined_(part) {}

std::int64_t ElementReduction::first(std::int64_t segment) const {
  // The first parts are the larger ones, by one element.
  const std::int64_t each = all() / part_.segments;
  return segment * each + std::min(segment, all() % part_.segments);
}

void ElementReduction::use(const void* own, void* result) {
  const bool root = part_.sends.empty();
  const bool in_place = root && own == MPI_IN_PLACE;
  own_ = in_place ? nullptr : static_cast<const std::byte*>(own);
  result_ = root ? static_cast<std::byte*>(result) : nullptr;
  joined_.reset();
  for (std::int64_t s = 0; s < part_.segments; ++s) {
    const auto i = static_cast<std::size_t>(s);
    // Never written through: places of this kind are not.
    combined_[i] = in_place ? Place{Kind::kResult, in_result(s)}
                            : Place{Kind::kOwn, const_cast<std::byte*>(own_) + first(s) * extent()};
    result_is_free_[i] = root && !in_place ? 1 : 0;
  }
}

void ElementReduction::finish() {
  if (result_ == nullptr) return;
  for (std::int64_t s = 0; s < part_.segments; ++s) {
    const Place place = combined_[static_cast<std::size_t>(s)];
    if (place.kind == Kind::kResult) continue;
    copy(place.at, in_result(s), count(s));
    release(place, s);
  }
}

std::byte* ElementReduction::in_result(std::int64_t segment) const { return result_ + first(segment) * extent(); }

ElementReduction::Place ElementReduction::obtain(std::int64_t segment) {
  const std::scoped_lock lock(mutex_);
  if (char& is_free = result_is_free_[static_cast<std::size_t>(segment)]; is_free != 0) {
    is_free = 0;
    return {Kind::kResult, in_result(segment)};
  }
  if (free_buffers_.empty()) free_buffers_.push_back(allocate(count(0)));
  std::byte* const at = free_buffers_.back();
  free_buffers_.pop_back();
  return {Kind::kBuffer, at};
}

void ElementReduction::release(const Place& place, std::int64_t segment) {
  const std::scoped_lock lock(mutex_);
  if (place.kind == Kind::kBuffer) free_buffers_.push_back(place.at);
  if (place.kind == Kind::kResult) result_is_free_[static_cast<std::size_t>(segment)] = 1;
}

std::byte* ElementReduction::incoming(std::size_t receive, std::int64_t /*count*/, std::int64_t /*note*/) {
  received_[receive] = obtain(part_.receives[receive].segment);
  const std::scoped_lock lock(mutex_);
  joined_.join(receive);
  return received_[receive].at;
}

bool ElementReduction::welcome(std::size_t receive) {
  const std::scoped_lock lock(mutex_);
  return joined_.adjoins(receive);
}

void ElementReduction::arrived(std::size_t receive, const std::function<void()>& look) {
  const CombinedPart& what = part_.receives[receive];
  const Place other = received_[receive];
  Place& combined = combined_[static_cast<std::size_t>(what.segment)];
  const std::int64_t elements = count(what.segment);
  const bool other_first = what.begin < part_.rank;
  // MPI_Reduce_local(a, b) writes a op b to b.
  if (!part_.commutative && other_first && combined.kind == Kind::kOwn) {
    const Place own = combined;
    combined = obtain(what.segment);
    copy(own.at, combined.at, elements);
  }
  const bool into_other = part_.commutative ? combined.kind == Kind::kOwn : !other_first;
  if (into_other) {
    apply(combined.at, other.at, elements, look);
    release(combined, what.segment);
    combined = other;
  } else {
    apply(other.at, combined.at, elements, look);
    release(other, what.segment);
  }
}

TreeMessage ElementReduction::outgoing(std::size_t send) {
  return {combined_[static_cast<std::size_t>(part_.sends[send])].at, 0, 0};
}

void ElementReduction::sent(std::size_t send) {
  release(combined_[static_cast<std::size_t>(part_.sends[send])], part_.sends[send]);
}

// ---- PieceReduction

void PieceReduction::Room::include(std::int64_t from, std::int64_t to) {
  const bool empty = begin == end;
  begin = empty ? from : std::min(begin, from);
  end = empty ? to : std::max(end, to);
}

std::vector<PieceReduction::Part> PieceReduction::parts_of(std::int64_t begin, std::int64_t end,
                                                           std::size_t receives) const {
  std::vector<Part> parts{{begin, end, true}};
  for (std::size_t i = 0; i < receives; ++i) {
    const PieceReceive& receive = program_.receives[i];
    if (!receive.combine || receive.begin >= end || begin >= receive.end) continue;
    std::vector<Part> cut;
    for (const Part& part : parts) {
      const std::int64_t from = std::clamp(receive.begin, part.begin, part.end);
      const std::int64_t to = std::clamp(receive.end, part.begin, part.end);
      if (!part.first || from == to) {
        cut.push_back(part);
        continue;
      }
      if (part.begin < from) cut.push_back({part.begin, from, true});
      cut.push_back({from, to, false});
      if (to < part.end) cut.push_back({to, part.end, true});
    }
    parts = std::move(cut);
  }
  return parts;
}

bool PieceReduction::has_gathered(std::size_t receives, std::int64_t begin, std::int64_t end) const {
  return std::any_of(
      program_.receives.begin(), program_.receives.begin() + static_cast<std::ptrdiff_t>(receives),
      [&](const PieceReceive& receive) { return !receive.combine && receive.begin < end && begin < receive.end; });
}

PieceReduction::PieceReduction(const ElementOperation& operation, PieceProgram program, bool root)
    : ElementData(operation), program_(std::move(program)), root_(root), received_(program_.receives.size(), nullptr) {
  for (std::size_t i = 0; i < program_.receives.size(); ++i) {
    const PieceReceive& receive = program_.receives[i];
    (receive.combine ? combined_ : gathered_).include(receive.begin, receive.end);
    if (!receive.combine) gathers_ = true;
    parts_.push_back(receive.combine ? parts_of(receive.begin, receive.end, i) : std::vector<Part>());
  }
  for (std::size_t i = 0; i < program_.receives.size(); ++i) {
    const PieceReceive& receive = program_.receives[i];
    const bool may_be_in_place = root_ && !gathers_;
    if (receive.combine && (may_be_in_place || !direct(i))) longest_ = std::max(longest_, receive.end - receive.begin);
  }
  for (const PieceSend& send : program_.sends) {
    std::vector<Part> parts = parts_of(send.begin, send.end, send.after);
    std::erase_if(parts, [](const Part& part) { return !part.first; });
    const bool untouched = parts.size() == 1 && parts.front().begin == send.begin && parts.front().end == send.end;
    sources_.push_back(has_gathered(send.after, send.begin, send.end) ? Source::kGathered
                       : untouched                                    ? Source::kOwn
                                                                      : Source::kCombined);
    if (sources_.back() == Source::kCombined) combined_.include(send.begin, send.end);
    alone_.push_back(std::move(parts));
  }
  if (root_ && !gathers_) {
    combined_ = {0, all(), nullptr};
    return;
  }
  combined_.at = allocate(combined_.end - combined_.begin);
  if (root_) {
    gathered_ = {0, all(), nullptr};
  } else if (gathers_) {
    gathered_.include(program_.begin, program_.end);
    gathered_.at = allocate(gathered_.end - gathered_.begin);
  }
}

std::vector<std::size_t> PieceReduction::awaited(std::size_t send) const {
  const PieceSend& what = program_.sends[send];
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < what.after; ++i) {
    const PieceReceive& receive = program_.receives[i];
    if (receive.begin < what.end && what.begin < receive.end) result.push_back(i);
  }
  return result;
}

void PieceReduction::use(const void* own, void* result) {
  own_ = static_cast<const std::byte*>(own);
  if (!root_) return;
  (gathers_ ? gathered_ : combined_).at = static_cast<std::byte*>(result);
  own_in_place_ = !gathers_ && own == MPI_IN_PLACE;
  if (!gathers_ || own != MPI_IN_PLACE) return;
  if (kept_own_ == nullptr) kept_own_ = allocate(all());
  copy(gathered_.at, kept_own_, all());
  own_ = kept_own_;
}

void PieceReduction::add_share() {
  const std::int64_t count = program_.end - program_.begin;
  const bool alone = combined_.begin == combined_.end;
  if (count == 0) return;
  copy(alone ? in_own(program_.begin) : in(combined_, program_.begin), in(gathered_, program_.begin), count);
}

void PieceReduction::finish() {
  if (!root_) return;
  if (gathers_) {
    add_share();
  } else if (program_.receives.empty() && !own_in_place_) {
    copy(own_, combined_.at, all());
  }
}

std::byte* PieceReduction::incoming(std::size_t receive, std::int64_t /*count*/, std::int64_t /*note*/) {
  const PieceReceive& what = program_.receives[receive];
  if (!what.combine) return in(gathered_, what.begin);
  if (direct(receive)) return in(combined_, what.begin);
  const std::scoped_lock lock(mutex_);
  if (free_buffers_.empty()) free_buffers_.push_back(allocate(longest_));
  received_[receive] = free_buffers_.back();
  free_buffers_.pop_back();
  return received_[receive];
}

void PieceReduction::arrived(std::size_t receive, const std::function<void()>& look) {
  const PieceReceive& what = program_.receives[receive];
  if (!what.combine) return;
  if (direct(receive)) {
    apply(in_own(what.begin), in(combined_, what.begin), what.end - what.begin, look);
    return;
  }
  for (const Part& part : parts_[receive]) {
    const std::byte* other = received_[receive] + (part.begin - what.begin) * extent();
    const std::int64_t count = part.end - part.begin;
    if (part.first && !own_in_place_) {
      copy(other, in(combined_, part.begin), count);
      other = in_own(part.begin);
    }
    apply(other, in(combined_, part.begin), count, look);
  }
  const std::scoped_lock lock(mutex_);
  free_buffers_.push_back(received_[receive]);
}

TreeMessage PieceReduction::outgoing(std::size_t send) {
  const std::int64_t begin = program_.sends[send].begin;
  switch (sources_[send]) {
    case Source::kOwn:
      return {in_own(begin), 0, 0};
    case Source::kCombined:
      for (const Part& part : alone_[send]) copy(in_own(part.begin), in(combined_, part.begin), part.end - part.begin);
      return {in(combined_, begin), 0, 0};
    case Source::kGathered:
      add_share();
      break;
  }
  return {in(gathered_, begin), 0, 0};
}

// ---- ObjectReduction

ObjectReduction::ObjectReduction(ObjectOperation operation, const ReductionPart& part)
    : operation_(std::move(operation)), part_(part), received_(part.receives.size()), joined_(part) {}

void ObjectReduction::use(std::span<const std::byte> own) {
  own_ = own;
  is_own_ = true;
  combined_.clear();
  failure_ = {};
  joined_.reset();
}

void ObjectReduction::take(Bytes& result) {
  if (is_own_) {
    result.assign(own_.begin(), own_.end());
  } else {
    result.swap(combined_);  // the next execution has use for the room
  }
}

std::span<const std::byte> ObjectReduction::combined() const { return is_own_ ? own_ : std::span(combined_); }

std::byte* ObjectReduction::incoming(std::size_t receive, std::int64_t count, std::int64_t note) {
  {
    const std::scoped_lock lock(mutex_);
    joined_.join(receive);
  }
  Received& received = received_[receive];
  received.note = note;
  received.bytes.resize(static_cast<std::size_t>(count));
  return received.bytes.data();
}

bool ObjectReduction::welcome(std::size_t receive) {
  const std::scoped_lock lock(mutex_);
  return joined_.adjoins(receive);
}

void ObjectReduction::arrived(std::size_t receive, const std::function<void()>& /*look*/) {
  Received& received = received_[receive];
  const Bytes bytes = std::exchange(received.bytes, {});
  if (failure_.rank >= 0) return;
  if (received.note != kGood) {
    failure_ = {static_cast<int>(received.note), {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, nullptr};
    return;
  }
  try {
    combine(receive, bytes);
  } catch (const std::exception& error) {
    failure_ = {part_.rank, error.what(), std::current_exception()};
  } catch (...) {
    failure_ = {part_.rank, "an unknown error", std::current_exception()};
  }
}

void ObjectReduction::combine(std::size_t receive, std::span<const std::byte> object) {
  next_.clear();
  if (part_.receives[receive].begin < part_.rank) {
    operation_.combine(object, combined(), next_);
  } else {
    operation_.combine(combined(), object, next_);
  }
  const std::size_t held = next_.capacity() + combined_.capacity() + object.size();
  held_bytes_ = std::max(held_bytes_, static_cast<std::int64_t>(held));
  combined_.swap(next_);
  is_own_ = false;
}

TreeMessage ObjectReduction::outgoing(std::size_t /*send*/) {
  if (failure_.rank >= 0) {
    return {reinterpret_cast<const std::byte*>(failure_.text.data()), static_cast<std::int64_t>(failure_.text.size()),
            failure_.rank};
  }
  return {combined().data(), static_cast<std::int64_t>(combined().size()), kGood};
}

}  // namespace sluice::mpi::detail
