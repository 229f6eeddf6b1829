#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/step_rule.hpp"

namespace sluice::detail {

/// The steps of an array of several dimensions from the steps of each: decides which steps run as one.
///
/// Problem: the pairs of steps (s1, s2) of the messages of two dimensions are steps again, NS1 * NS2 of them. That is
/// more than needed if the busiest process is a sender in one dimension and a receiver in another. 4x2 -> 2x4 has 4
/// steps in each dimension, so 16, but no process has more than 8 messages.
/// Method: let dimensions be folded (see Fold) with groups of size a. Take a tuple of groups (t1, ..., td). In it a
/// sender has at most one message in each dimension with single senders. In each dimension with single receivers it has
/// one for each position x inside the group. Let X be the tuple of positions of the dimensions with single receivers,
/// and A the product of their a. Let Y be the tuple of positions of the dimensions with single senders, and B the
/// product of their a. A sender's messages differ in X and share Y, a receiver's differ in Y and share X. So (X + Y)
/// mod max(A, B) tells apart the messages of any process.
/// Guarantee: step ((t1, ..., td), (X + Y) mod max(A, B)) is one-port. The number of steps is the product of the NS_d /
/// a_d times max(A, B). It is optimal if the larger degree of every dimension is a multiple of the smaller one. Without
/// folds it is the plain product, optimal if the busiest side is the same in all dimensions; TC is then the product of
/// the TC_d.
/// Complexity: O(d) a message. Nothing of the size of the product is stored.
/// Source: ours.
class CombinedSteps {
 public:
  struct AxisSteps {
    std::int64_t steps = 1;
    Fold fold;
  };
  /// Throws InputError when the steps are beyond int64.
  explicit CombinedSteps(std::vector<AxisSteps> axes);

  [[nodiscard]] std::int64_t steps() const { return steps_; }
  /// The step of the message that is in step axis_steps[d] of each dimension d.
  [[nodiscard]] std::int64_t step_of(std::span<const std::int64_t> axis_steps) const;
  /// The number of tuples of steps that transmission() considers: none without folds, otherwise the product of the
  /// steps of all dimensions.
  [[nodiscard]] double pricing_work() const;
  /// TC: the sum over the steps of their largest message, from the durations of the steps of each dimension.
  /// Throws InputError when it is beyond int64. O(steps of the dimensions + pricing_work()).
  [[nodiscard]] std::int64_t transmission(std::span<const std::vector<std::int64_t>> durations) const;

  /// No less than transmission(), and equal to it if the steps of a group last equally long. O(steps of the
  /// dimensions).
  [[nodiscard]] std::int64_t transmission_at_most(std::span<const std::vector<std::int64_t>> durations) const;

 private:
  std::vector<AxisSteps> axes_;
  std::int64_t diagonals_ = 1;  ///< max(A, B)
  std::int64_t steps_ = 1;
};

}  // namespace sluice::detail
