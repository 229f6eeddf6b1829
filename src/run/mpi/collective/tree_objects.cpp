#include "run/mpi/collective/tree_objects.hpp"

#include <algorithm>
#include <utility>

namespace sluice::mpi::detail {

TreeObjects::TreeObjects(ObjectOperation operation, OwnPart part, int rank)
    : operation_(std::move(operation)),
      part_(std::move(part)),
      received_(part_.ends.size()),
      joined_(part_, rank, /*segments=*/1) {}

void TreeObjects::use(std::span<const std::byte> own) {
  own_ = own;
  is_own_ = true;
  combined_.clear();
  joined_.reset();
}

void TreeObjects::take(Bytes& result) {
  if (is_own_) {
    result.assign(own_.begin(), own_.end());
  } else {
    result.swap(combined_);  // the next execution has use for the room
  }
}

std::span<const std::byte> TreeObjects::combined() const { return is_own_ ? own_ : std::span(combined_); }

void TreeObjects::expect(std::size_t end, std::int64_t count) {
  {
    const std::scoped_lock lock(mutex_);
    joined_.join(end, 0);
  }
  received_[end].resize(static_cast<std::size_t>(count));
}

std::byte* TreeObjects::incoming(std::size_t end, std::int64_t begin, std::int64_t /*count*/) {
  return received_[end].data() + begin;
}

bool TreeObjects::welcome(std::size_t end) {
  const std::scoped_lock lock(mutex_);
  return joined_.adjoins(end, 0);
}

void TreeObjects::arrived(std::size_t end, const Look& /*look*/) {
  const Bytes object = std::exchange(received_[end], {});
  next_.clear();
  if (part_.ranges[end].front().lower) {
    operation_.combine(object, combined(), next_);
  } else {
    operation_.combine(combined(), object, next_);
  }
  const std::size_t held = next_.capacity() + combined_.capacity() + object.size();
  held_bytes_ = std::max(held_bytes_, static_cast<std::int64_t>(held));
  combined_.swap(next_);
  is_own_ = false;
}

std::int64_t TreeObjects::sent_count(std::size_t /*end*/) { return std::ssize(combined()); }

const std::byte* TreeObjects::outgoing(std::size_t /*end*/, std::int64_t begin, std::int64_t /*count*/) {
  return combined().data() + begin;
}

}  // namespace sluice::mpi::detail
