#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "run/mpi/steps/step_protocol.hpp"

namespace sluice::mpi::detail {

/// Beside another protocol: sends of what the rank itself receives wait until it is there.
///
/// No deadlock: a send waits for receives of lower steps only.
class PassOnProtocol final : public StepProtocol {
 public:
  /// `receives_before`: of each send, how many receives of the list, from its beginning, it waits for.
  /// `receive_bytes`: of each receive, above 0.
  PassOnProtocol(std::unique_ptr<StepProtocol> beside, std::vector<std::size_t> receives_before,
                 std::vector<std::int64_t> receive_bytes);

  [[nodiscard]] bool grows() const override { return beside_->grows(); }
  [[nodiscard]] bool synchronous() const override { return beside_->synchronous(); }
  void begin(StepExecutor& executor) override;
  bool progress(StepExecutor& executor) override { return beside_->progress(executor); }
  bool may_start(std::size_t send) override { return receives_before_[send] <= there_ && beside_->may_start(send); }
  void sent(std::size_t send, std::int64_t bytes) override { beside_->sent(send, bytes); }
  void received(std::size_t receive, std::int64_t bytes) override;
  bool finish() override { return beside_->finish(); }

 private:
  std::unique_ptr<StepProtocol> beside_;
  std::vector<std::size_t> receives_before_;
  std::vector<std::int64_t> receive_bytes_;
  std::vector<std::int64_t> missing_;  ///< bytes of each receive, in the present execution
  std::size_t there_ = 0;              ///< so many of the list have come
};

}  // namespace sluice::mpi::detail
