#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "run/mpi/engine/step_protocol.hpp"

namespace sluice::mpi::detail {

/// How much of an executor's receives has come in the present execution.
class Arrivals {
 public:
  /// `bytes`: of each receive, above 0.
  explicit Arrivals(std::vector<std::int64_t> bytes) : bytes_(std::move(bytes)) {}

  void begin() {
    missing_ = bytes_;
    there_ = 0;
  }
  void received(std::size_t receive, std::int64_t bytes) {
    missing_[receive] -= bytes;
    while (there_ < missing_.size() && missing_[there_] == 0) ++there_;
  }
  /// How many receives of the list, from its beginning, have come whole.
  [[nodiscard]] std::size_t there() const { return there_; }

 private:
  std::vector<std::int64_t> bytes_;
  std::vector<std::int64_t> missing_;
  std::size_t there_ = 0;
};

/// Beside another protocol: sends of data that the rank itself receives wait until the data is there.
///
/// What a send waits for comes by the same executor if an array has several copies. It comes by another executor beside
/// it if pieces take a detour through neighbours (local phases).
///
/// No deadlock: a send waits for receives of lower steps only, or for receives of an executor whose messages can all
/// end without this send.
class PassOnProtocol final : public StepProtocol {
 public:
  /// `receives_before`: for each send, how many receives of `awaited`, from their beginning, it waits for. `own`: the
  /// executor's; may be `awaited`.
  PassOnProtocol(std::unique_ptr<StepProtocol> beside, std::vector<std::size_t> receives_before,
                 std::shared_ptr<const Arrivals> awaited, std::shared_ptr<Arrivals> own)
      : beside_(std::move(beside)),
        receives_before_(std::move(receives_before)),
        awaited_(std::move(awaited)),
        own_(std::move(own)) {}

  [[nodiscard]] bool grows() const override { return beside_->grows(); }
  [[nodiscard]] bool synchronous() const override { return beside_->synchronous(); }
  void begin(StepExecutor& executor) override {
    own_->begin();
    beside_->begin(executor);
  }
  bool progress(StepExecutor& executor) override { return beside_->progress(executor); }
  bool may_start(std::size_t send) override {
    return receives_before_[send] <= awaited_->there() && beside_->may_start(send);
  }
  void sent(std::size_t send, std::int64_t bytes) override { beside_->sent(send, bytes); }
  void received(std::size_t receive, std::int64_t bytes) override {
    own_->received(receive, bytes);
    beside_->received(receive, bytes);
  }
  bool finish() override { return beside_->finish(); }

 private:
  std::unique_ptr<StepProtocol> beside_;
  std::vector<std::size_t> receives_before_;
  std::shared_ptr<const Arrivals> awaited_;
  std::shared_ptr<Arrivals> own_;
};

}  // namespace sluice::mpi::detail
