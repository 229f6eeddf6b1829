#include "run/mpi/engine/protocol_barrier.hpp"

#include <utility>

namespace sluice::mpi::detail {

BarrierProtocol::BarrierProtocol(Channel& channel, std::vector<SteppedMessage> sends,
                                 std::vector<SteppedMessage> receives, std::int64_t steps)
    : channel_(channel),
      sends_{std::move(sends), {}, 0},
      receives_{std::move(receives), {}, 0},
      steps_(steps),
      fence_(channel) {}

void BarrierProtocol::Side::begin() {
  missing.clear();
  for (const SteppedMessage& message : messages) missing.push_back(message.bytes);
  front = 0;
}

bool BarrierProtocol::Side::done(std::int64_t step) {
  while (front < messages.size() && missing[front] == 0) ++front;
  return front == messages.size() || messages[front].step > step;
}

void BarrierProtocol::begin(StepExecutor& /*executor*/) {
  sends_.begin();
  receives_.begin();
  step_ = 0;
  entered_ = -1;
  if (std::exchange(has_run_, true)) fence_.enter();
}

bool BarrierProtocol::progress(StepExecutor& /*executor*/) {
  while (const auto message = channel_.poll()) fence_.take(message->control);
  if (entered_ < step_) {
    if (!fence_.open()) return false;
    entered_ = step_;
    return true;
  }
  if (step_ + 1 >= steps_ || !sends_.done(step_) || !receives_.done(step_)) return false;
  fence_.enter();
  ++step_;
  return true;
}

bool BarrierProtocol::finish() { return entered_ == step_ && step_ + 1 >= steps_; }

}  // namespace sluice::mpi::detail
