#pragma once

#include "run/mpi/control_channel.hpp"
#include "run/mpi/steps/step_protocol.hpp"

namespace sluice::mpi::detail {

/// Mode `local` with an ear for ranks that give up.
class LocalProtocol final : public StepProtocol {
 public:
  explicit LocalProtocol(ControlChannel& channel) : channel_(channel) {}

  bool progress(StepExecutor& /*executor*/) override {
    // Such news can wait; the data should not wait for looking.
    if (++looks_ % 64 == 0) (void)channel_.poll();
    return false;
  }

 private:
  ControlChannel& channel_;
  unsigned looks_ = 0;
};

}  // namespace sluice::mpi::detail
