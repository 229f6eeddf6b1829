#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "run/mpi/collective/reduction_choice.hpp"
#include "run/mpi/engine/tree_executor.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/kept_plan.hpp"
#include "run/mpi/runtime/trial_state.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi::detail {

/// What reductions of elements and of objects have in common.
class ReductionJob : public Job {
 public:
  [[nodiscard]] const ReductionSummary& summary() const { return summary_; }
  [[nodiscard]] Overlap overlap() const;

 protected:
  ReductionJob(std::shared_ptr<Context> context, std::int64_t number, ReductionOptions options, int root);

  /// Whether the first execution measures costs, and then plans.
  [[nodiscard]] bool measures(const ReducedData& data) const {
    return options.measure || (data.objects && options.platform.has_value());
  }
  /// The choice for these costs, from the cache of plans if all ranks have it there. On all ranks.
  [[nodiscard]] std::shared_ptr<const ReductionChoice> choose(const ReducedData& data, const ReductionCosts& costs,
                                                              bool parts_known);
  /// Throws InputError if there can be no plan. The arguments of a plan that this rank keeps have been checked already.
  /// `own`: as in compare().
  void check(const Arguments& own, const ReducedData& data);
  /// Compares the arguments, and whether all ranks have their plan. Each rank keeps its plan by its `own`: the
  /// arguments and what cannot be compared. `failure`: of this rank's arguments.
  void compare(const Arguments& arguments, const Arguments& own, const std::exception_ptr& failure);
  /// For later jobs, with a trial that has not begun.
  void remember(std::shared_ptr<const ReductionChoice> choice);
  /// What earlier jobs have left, or this one leaves for later ones.
  [[nodiscard]] const KeptPlan& kept() const { return kept_; }
  /// Notes what was chosen, and what was measured of it and of MPI_Ireduce, if that was tried.
  void describe(const ReductionChoice& choice, const WayTimes& measured = {});
  void make_executor(std::shared_ptr<Data> data, const OwnPart& part, const TreeExecutor::Limits& limits);
  [[nodiscard]] bool is_root() const { return channel.rank() == root; }

  [[nodiscard]] bool may_sleep() const override { return true; }
  void abandon() noexcept override {
    if (executor) executor->abandon();
  }

  ReductionOptions options;
  int root;
  std::shared_ptr<const ReductionChoice> planned;  ///< from the cache
  std::optional<TreeExecutor> executor;

 private:
  ReductionSummary summary_;
  std::optional<PlannedTree> checked_;
  std::string key_;
  KeptPlan kept_;
};

}  // namespace sluice::mpi::detail
