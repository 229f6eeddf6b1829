#pragma once

#include <cstdint>
#include <vector>

#include "sluice/input/replicated_problem.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice::detail {

/// The place of each copy of the target in the chains, separately for each process of its grid.
///
/// The last of a chain forwards nothing. So processes that are also senders, and whose port is the source's, stand
/// last: with H chains there is room for H of every process of the target grid. Then no process has two duties in a
/// step, and nobody waits for what such a process has already. Other copies stand by their numbers.
class ChainOrder {
 public:
  explicit ChainOrder(const ReplicatedProblem& problem);

  /// The problem with places in the chains instead of numbers of copies.
  [[nodiscard]] const ReplicatedProblem& problem() const { return problem_; }
  /// The fewest chains such that every process that also sends is the last of a chain.
  [[nodiscard]] std::int64_t least_heads() const { return least_heads_; }
  /// Turns places back into numbers of copies.
  void number(std::vector<Transfer>& transfers) const;

 private:
  ReplicatedProblem problem_;
  std::int64_t least_heads_ = 1;
  std::vector<std::int64_t> receiver_at_;  ///< by place; empty: each at its own number
};

}  // namespace sluice::detail
