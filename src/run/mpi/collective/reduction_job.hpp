#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>

#include "run/mpi/collective/reduction_choice.hpp"
#include "run/mpi/engine/engine.hpp"
#include "run/mpi/engine/ready_carrier.hpp"
#include "run/mpi/runtime/kept_plan.hpp"
#include "run/mpi/runtime/trial_state.hpp"
#include "run/mpi/ways/planned_job.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi::detail {

/// What reductions of elements and of objects have in common.
class ReductionJob : public PlannedJob<ReductionChoice> {
 public:
  [[nodiscard]] const ReductionSummary& summary() const { return summary_; }
  [[nodiscard]] Overlap overlap() const;

 protected:
  ReductionJob(std::shared_ptr<Context> context, std::int64_t number, ReductionOptions options, int root);

  /// Whether the first execution measures costs, and then plans.
  [[nodiscard]] bool measures(const ReducedData& data) const {
    return options.measure || (data.objects && options.platform.has_value());
  }
  /// Throws InputError if there can be no plan. The arguments of a plan that this rank keeps have been checked already.
  /// `own`: as in compare().
  void check(const Arguments& own, const ReducedData& data);
  /// Compares the arguments, and finds the plan if all ranks keep it. Each rank keeps its plan by its `own`: the
  /// arguments and what cannot be compared. `failure`: of this rank's arguments.
  void compare(const Arguments& arguments, const Arguments& own, const std::exception_ptr& failure);
  /// Plans for these costs, unless compare() has found a plan. On all ranks.
  void choose(const ReducedData& data, const ReductionCosts& costs, bool parts_known);
  /// What earlier jobs have left, or this one leaves for later ones.
  [[nodiscard]] const KeptPlan& kept() const { return kept_; }
  /// Notes what was chosen, and what was measured of it and of MPI_Ireduce, if that was tried.
  void describe(const ReductionChoice& choice, const WayTimes& measured = {});
  /// The plan goes by messages of MPI. `use()`: tells `data` where an execution's elements or object are.
  void set_engine(std::shared_ptr<Data> data, const OwnPart& part, const ReadyCarrier::Limits& limits,
                  std::function<void()> use);
  [[nodiscard]] bool is_root() const { return channel.rank() == root; }
  [[nodiscard]] bool may_sleep() const override { return true; }

  ReductionOptions options;
  int root;

 private:
  ReductionSummary summary_;
  std::optional<PlannedTree> checked_;
  KeptPlan kept_;
};

}  // namespace sluice::mpi::detail
