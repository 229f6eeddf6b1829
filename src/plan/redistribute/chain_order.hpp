#pragma once

#include <cstdint>
#include <vector>

#include "sluice/input/replicated_problem.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice::detail {

/// Which copy of the target stands where in the chains, each process of its grid for itself.
///
/// The last of a chain passes nothing on. So processes that are senders, too, and whose port is the source's, stand
/// last: with H chains there is room for H of every process of the target grid. Nobody then has two duties in a step,
/// and what such a process has already nobody waits for. Other copies stand by their numbers.
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
