#include "run/mpi/collective/tree_objects.hpp"

#include <algorithm>
#include <utility>

namespace sluice::mpi::detail {

TreeObjects::TreeObjects(ObjectOperation operation, ReductionPart part)
    : operation_(std::move(operation)), part_(std::move(part)), received_(part_.receives.size()), joined_(part_) {}

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

std::byte* TreeObjects::incoming(std::size_t receive, std::int64_t count, std::int64_t /*note*/) {
  {
    const std::scoped_lock lock(mutex_);
    joined_.join(receive);
  }
  received_[receive].resize(static_cast<std::size_t>(count));
  return received_[receive].data();
}

bool TreeObjects::welcome(std::size_t receive) {
  const std::scoped_lock lock(mutex_);
  return joined_.adjoins(receive);
}

void TreeObjects::arrived(std::size_t receive, const std::function<void()>& /*look*/) {
  const Bytes object = std::exchange(received_[receive], {});
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

TreeMessage TreeObjects::outgoing(std::size_t /*send*/) {
  return {combined().data(), static_cast<std::int64_t>(combined().size()), 0};
}

}  // namespace sluice::mpi::detail
