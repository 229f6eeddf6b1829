#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "run/mpi/engine/step_protocol.hpp"
#include "schedule/own_part.hpp"

namespace sluice::mpi::detail {

using sluice::detail::OwnPart;

/// Which ends of a part still wait for others in the present execution, for the executors of all its lanes.
class EndWaits {
 public:
  /// `part` must last as long as this object. Its messages are not empty.
  explicit EndWaits(const OwnPart& part) : part_(part), waiting_(waiting_of(part)) {}

  void begin() {
    missing_bytes_.clear();
    missing_.clear();
    for (std::size_t i = 0; i < part_.ends.size(); ++i) {
      missing_bytes_.push_back(part_.ends[i].count);
      missing_.push_back(part_.after_of(i).size());
    }
  }
  /// Bytes of that end's message have come.
  void received(std::uint32_t end, std::int64_t bytes) {
    missing_bytes_[end] -= bytes;
    if (missing_bytes_[end] > 0) return;
    for (const std::uint32_t each : waiting_[end]) --missing_[each];
  }
  [[nodiscard]] bool waits(std::uint32_t end) const { return missing_[end] > 0; }

 private:
  const OwnPart& part_;
  sluice::detail::Lists<std::uint32_t> waiting_;  ///< by end: the ends that wait for it
  std::vector<std::int64_t> missing_bytes_;       ///< by end
  std::vector<std::size_t> missing_;              ///< by end: how many ends it waits for
};

/// Beside another protocol: sends of data that the rank itself receives wait until the data is there.
///
/// What a send waits for comes by the same executor if an array has several copies. It comes by another executor beside
/// it, of another lane, if pieces take a detour through neighbours (local phases).
///
/// No deadlock: a send waits for receives of lower steps only, or for receives of an executor whose messages can all
/// end without this send.
class PassOnProtocol final : public StepProtocol {
 public:
  /// `waits`: of `part`, whose `lane` the executor carries out.
  PassOnProtocol(std::unique_ptr<StepProtocol> beside, std::shared_ptr<EndWaits> waits, const OwnPart& part,
                 std::uint8_t lane)
      : beside_(std::move(beside)),
        waits_(std::move(waits)),
        sends_(ends_of(part, /*sends=*/true, lane)),
        receives_(ends_of(part, /*sends=*/false, lane)) {}

  [[nodiscard]] bool grows() const override { return beside_->grows(); }
  [[nodiscard]] bool synchronous() const override { return beside_->synchronous(); }
  /// All executors of a part begin before any of them advances.
  void begin(StepExecutor& executor) override {
    waits_->begin();
    beside_->begin(executor);
  }
  bool progress(StepExecutor& executor) override { return beside_->progress(executor); }
  bool may_start(std::size_t send) override { return !waits_->waits(sends_[send]) && beside_->may_start(send); }
  void sent(std::size_t send, std::int64_t bytes) override { beside_->sent(send, bytes); }
  void received(std::size_t receive, std::int64_t bytes) override {
    waits_->received(receives_[receive], bytes);
    beside_->received(receive, bytes);
  }
  bool finish() override { return beside_->finish(); }

 private:
  std::unique_ptr<StepProtocol> beside_;
  std::shared_ptr<EndWaits> waits_;
  std::vector<std::uint32_t> sends_;     ///< ends
  std::vector<std::uint32_t> receives_;  ///< ends
};

}  // namespace sluice::mpi::detail
