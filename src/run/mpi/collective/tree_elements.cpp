#include "run/mpi/collective/tree_elements.hpp"

#include <algorithm>
#include <utility>

namespace sluice::mpi::detail {

TreeElements::TreeElements(const ElementOperation& operation, ReductionPart part)
    : ElementData(operation),
      part_(std::move(part)),
      combined_(static_cast<std::size_t>(part_.segments)),
      received_(part_.receives.size()),
      result_is_free_(static_cast<std::size_t>(part_.segments), 0),
      joined_(part_) {}

std::int64_t TreeElements::first(std::int64_t segment) const {
  // The first parts are the larger ones, by one element.
  const std::int64_t each = all() / part_.segments;
  return segment * each + std::min(segment, all() % part_.segments);
}

void TreeElements::use(const void* own, void* result) {
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

void TreeElements::finish() {
  if (result_ == nullptr) return;
  for (std::int64_t s = 0; s < part_.segments; ++s) {
    const Place place = combined_[static_cast<std::size_t>(s)];
    if (place.kind == Kind::kResult) continue;
    copy(place.at, in_result(s), count(s));
    release(place, s);
  }
}

std::byte* TreeElements::in_result(std::int64_t segment) const { return result_ + first(segment) * extent(); }

TreeElements::Place TreeElements::obtain(std::int64_t segment) {
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

void TreeElements::release(const Place& place, std::int64_t segment) {
  const std::scoped_lock lock(mutex_);
  if (place.kind == Kind::kBuffer) free_buffers_.push_back(place.at);
  if (place.kind == Kind::kResult) result_is_free_[static_cast<std::size_t>(segment)] = 1;
}

std::byte* TreeElements::incoming(std::size_t receive, std::int64_t /*count*/, std::int64_t /*note*/) {
  received_[receive] = obtain(part_.receives[receive].segment);
  const std::scoped_lock lock(mutex_);
  joined_.join(receive);
  return received_[receive].at;
}

bool TreeElements::welcome(std::size_t receive) {
  const std::scoped_lock lock(mutex_);
  return joined_.adjoins(receive);
}

void TreeElements::arrived(std::size_t receive, const std::function<void()>& look) {
  const PartReceive& what = part_.receives[receive];
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

TreeMessage TreeElements::outgoing(std::size_t send) {
  return {combined_[static_cast<std::size_t>(part_.sends[send].segment)].at, 0, 0};
}

void TreeElements::sent(std::size_t send) {
  release(combined_[static_cast<std::size_t>(part_.sends[send].segment)], part_.sends[send].segment);
}

}  // namespace sluice::mpi::detail
