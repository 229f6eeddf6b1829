#include "run/mpi/engine/fence.hpp"

#include <bit>

namespace sluice::mpi::detail {

Fence::Fence(Channel& channel, std::int64_t kind)
    : channel_(channel),
      kind_(kind),
      rounds_(std::bit_width(static_cast<unsigned>(channel.size() - 1))),
      round_(rounds_) {
  for (std::vector<int>& come : come_) come.assign(static_cast<std::size_t>(rounds_), 0);
}

void Fence::enter() {
  ++entered_;
  round_ = 0;
  if (rounds_ > 0) channel_.send((channel_.rank() + 1) % channel_.size(), {kind_, 0, 0, 0, entered_});
}

bool Fence::open() {
  std::vector<int>& come = come_[static_cast<std::size_t>(entered_ % 2)];
  while (round_ < rounds_ && come[static_cast<std::size_t>(round_)] > 0) {
    --come[static_cast<std::size_t>(round_)];
    if (++round_ == rounds_) break;
    channel_.send((channel_.rank() + (1 << round_)) % channel_.size(), {kind_, round_, 0, 0, entered_});
  }
  return round_ == rounds_;
}

void Fence::take(const Control& control) {
  ++come_[static_cast<std::size_t>(control.execution % 2)][static_cast<std::size_t>(control.number)];
}

}  // namespace sluice::mpi::detail
