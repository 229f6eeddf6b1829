#include "run/mpi/collective/tree_elements.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sluice::mpi::detail {

TreeElements::TreeElements(const ElementOperation& operation, OwnPart part, int rank)
    : ElementData(operation),
      part_(std::move(part)),
      is_root_(std::ranges::none_of(part_.ends, &OwnPart::Own::sends)),
      commutative_(part_.runs.empty()),
      segments_(segments_of(part_, all())),
      received_(part_.ends.size()),
      joined_(part_, rank, segments_.size()) {
  for (const Segment& segment : segments_) longest_ = std::max(longest_, segment.count);
  for (std::size_t i = 0; i < part_.ends.size(); ++i) {
    const auto segment = std::ranges::lower_bound(segments_, part_.ranges[i].front().begin, {}, &Segment::first);
    segment_of_.push_back(static_cast<std::size_t>(segment - segments_.begin()));
  }
}

std::vector<TreeElements::Segment> TreeElements::segments_of(const OwnPart& part, std::int64_t count) {
  if (part.ends.empty()) return {{0, count}};
  std::vector<Segment> segments;
  for (std::size_t i = 0; i < part.ends.size(); ++i)
    segments.push_back({part.ranges[i].front().begin, part.ranges[i].front().count});
  std::ranges::sort(segments, {}, &Segment::first);
  const auto same = [](const Segment& a, const Segment& b) { return a.first == b.first; };
  segments.erase(std::unique(segments.begin(), segments.end(), same), segments.end());
  return segments;
}

void TreeElements::use(const void* own, void* result) {
  const bool in_place = is_root_ && own == MPI_IN_PLACE;
  own_ = in_place ? nullptr : static_cast<const std::byte*>(own);
  result_ = is_root_ ? static_cast<std::byte*>(result) : nullptr;
  joined_.reset();
  for (Segment& segment : segments_) {
    // Never written through: places of this kind are not.
    segment.combined = in_place ? Place{Kind::kResult, in_result(segment)}
                                : Place{Kind::kOwn, const_cast<std::byte*>(own_) + segment.first * extent()};
    segment.result_is_free = is_root_ && !in_place;
  }
}

void TreeElements::finish() {
  if (result_ == nullptr) return;
  for (Segment& segment : segments_) {
    const Place place = segment.combined;
    if (place.kind == Kind::kResult) continue;
    copy(place.at, in_result(segment), segment.count);
    release(place, segment);
  }
}

TreeElements::Place TreeElements::obtain(Segment& segment) {
  const std::scoped_lock lock(mutex_);
  if (std::exchange(segment.result_is_free, false)) return {Kind::kResult, in_result(segment)};
  if (free_buffers_.empty()) free_buffers_.push_back(allocate(longest_));
  std::byte* const at = free_buffers_.back();
  free_buffers_.pop_back();
  return {Kind::kBuffer, at};
}

void TreeElements::release(const Place& place, Segment& segment) {
  const std::scoped_lock lock(mutex_);
  if (place.kind == Kind::kBuffer) free_buffers_.push_back(place.at);
  if (place.kind == Kind::kResult) segment.result_is_free = true;
}

std::byte* TreeElements::incoming(std::size_t end, std::int64_t /*begin*/, std::int64_t /*count*/) {
  received_[end] = obtain(segment_of(end));
  const std::scoped_lock lock(mutex_);
  joined_.join(end, segment_of_[end]);
  return received_[end].at;
}

bool TreeElements::welcome(std::size_t end) {
  const std::scoped_lock lock(mutex_);
  return joined_.adjoins(end, segment_of_[end]);
}

void TreeElements::arrived(std::size_t end, const Look& look) {
  Segment& segment = segment_of(end);
  const Place other = received_[end];
  Place& combined = segment.combined;
  const bool other_first = part_.ranges[end].front().lower;
  // MPI_Reduce_local(a, b) writes a op b to b.
  if (!commutative_ && other_first && combined.kind == Kind::kOwn) {
    const Place own = combined;
    combined = obtain(segment);
    copy(own.at, combined.at, segment.count);
  }
  const bool into_other = commutative_ ? combined.kind == Kind::kOwn : !other_first;
  if (into_other) {
    apply(combined.at, other.at, segment.count, look);
    release(combined, segment);
    combined = other;
  } else {
    apply(other.at, combined.at, segment.count, look);
    release(other, segment);
  }
}

const std::byte* TreeElements::outgoing(std::size_t end, std::int64_t /*begin*/, std::int64_t /*count*/) {
  return segment_of(end).combined.at;
}

void TreeElements::sent(std::size_t end) { release(segment_of(end).combined, segment_of(end)); }

}  // namespace sluice::mpi::detail
