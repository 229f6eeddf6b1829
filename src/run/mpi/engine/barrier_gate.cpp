#include "run/mpi/engine/barrier_gate.hpp"

#include <utility>

namespace sluice::mpi::detail {

BarrierGate::BarrierGate(Channel& channel, const OwnPart& part, std::int64_t steps)
    : channel_(channel),
      part_(part),
      sends_{ends_of(part, /*sends=*/true)},
      receives_{ends_of(part, /*sends=*/false)},
      steps_(steps),
      fence_(channel) {}

void BarrierGate::begin(Side& side) const {
  side.missing.clear();
  for (const std::uint32_t end : side.ends) side.missing.push_back(part_.ends[end].count);
  side.front = 0;
}

bool BarrierGate::done(Side& side, std::int64_t step) const {
  while (side.front < side.ends.size() && side.missing[side.front] == 0) ++side.front;
  return side.front == side.ends.size() || part_.ends[side.ends[side.front]].step > step;
}

void BarrierGate::begin(OrderedCarrier& /*carrier*/) {
  begin(sends_);
  begin(receives_);
  step_ = 0;
  entered_ = -1;
  if (std::exchange(has_run_, true)) fence_.enter();
}

bool BarrierGate::progress(OrderedCarrier& /*carrier*/) {
  while (const auto message = channel_.poll()) fence_.take(message->control);
  if (entered_ < step_) {
    if (!fence_.open()) return false;
    entered_ = step_;
    return true;
  }
  if (step_ + 1 >= steps_ || !done(sends_, step_) || !done(receives_, step_)) return false;
  fence_.enter();
  ++step_;
  return true;
}

bool BarrierGate::finish() { return entered_ == step_ && step_ + 1 >= steps_; }

}  // namespace sluice::mpi::detail
