#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/mpi/engine/fence.hpp"
#include "run/mpi/engine/gate.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "schedule/own_part.hpp"

namespace sluice::mpi::detail {

using sluice::detail::OwnPart;

/// Mode `barrier`: a barrier of all ranks between two steps, and synchronous sends.
///
/// Guarantee: no transfer of a step starts before all transfers of the step before it have ended.
/// Cost: a barrier per step, and in every step all ranks wait for its longest transfer.
/// Source: Cohen, Jeannot, Padoy, Wagner, "Messages Scheduling for Parallel Data Redistribution between Clusters",
/// section 8.3. Here messages travel in pieces, as in all modes; the barrier does not keep the rank from advancing
/// them.
class BarrierGate final : public Gate {
 public:
  /// For lane 0 of `part`, which must last as long as this object. `steps`: of the plan, the same on all ranks.
  BarrierGate(Channel& channel, const OwnPart& part, std::int64_t steps);

  [[nodiscard]] bool synchronous() const override { return true; }
  void begin(OrderedCarrier& carrier) override;
  bool progress(OrderedCarrier& carrier) override;
  bool may_start(std::size_t send) override { return entered_ == step_ && part_.ends[sends_.ends[send]].step == step_; }
  void sent(std::size_t send, std::int64_t bytes) override { sends_.missing[send] -= bytes; }
  void received(std::size_t receive, std::int64_t bytes) override { receives_.missing[receive] -= bytes; }
  bool finish() override;

 private:
  struct Side {
    std::vector<std::uint32_t> ends;
    std::vector<std::int64_t> missing = {};  ///< bytes of each
    std::size_t front = 0;                   ///< the first that has not ended
  };

  void begin(Side& side) const;
  /// Whether all messages of the steps up to `step` have ended.
  [[nodiscard]] bool done(Side& side, std::int64_t step) const;

  Channel& channel_;
  const OwnPart& part_;
  Side sends_;
  Side receives_;
  std::int64_t steps_;
  std::int64_t step_ = 0;      ///< the present one
  std::int64_t entered_ = -1;  ///< the last one whose start this rank has seen
  Fence fence_;
  bool has_run_ = false;
};

}  // namespace sluice::mpi::detail
