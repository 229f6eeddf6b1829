#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sluice/input/axis_pattern.hpp"
#include "sluice/input/block_cyclic.hpp"
#include "sluice/input/traffic.hpp"

namespace sluice {

/// The problem `redistribute`: Y[to_start + i] = X[from_start + i] for all i of a box, X and Y block-cyclic arrays of
/// the same number of dimensions. What moves from one process to another is the product of what moves in each
/// dimension.
class RedistributionProblem {
 public:
  /// The whole array, which must have the same shape on both sides. Throws InputError.
  RedistributionProblem(const Distribution& from, const Distribution& to);
  /// The box of `extent` that starts at `from_start` in X and at `to_start` in Y (ScaLAPACK's IA, JA, IB, JB, counted
  /// from 0), one number a dimension. Throws InputError when it does not fit, or counts are beyond int64.
  RedistributionProblem(const Distribution& from, const Distribution& to, std::span<const std::int64_t> from_start,
                        std::span<const std::int64_t> to_start, std::span<const std::int64_t> extent);

  [[nodiscard]] const Distribution& from() const { return from_; }
  [[nodiscard]] const Distribution& to() const { return to_; }
  [[nodiscard]] std::size_t dimensions() const { return axes_.size(); }
  [[nodiscard]] const AxisPattern& axis(std::size_t dimension) const { return axes_[dimension]; }
  [[nodiscard]] std::span<const AxisPattern> axes() const { return axes_; }
  /// Number of elements that move (those that stay where they are included).
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// Number of elements from process `sender` of the source grid to process `receiver` of the target grid.
  [[nodiscard]] std::int64_t count(Rank sender, Rank receiver) const;
  /// The messages of one process of the source grid, none of them empty, in increasing order of receiver.
  [[nodiscard]] std::vector<Message> sends(Rank sender) const;
  /// The messages to one process of the target grid, none of them empty, in increasing order of sender.
  [[nodiscard]] std::vector<Message> receives(Rank receiver) const;
  /// Every message that is not empty, by sender, then receiver.
  [[nodiscard]] Traffic traffic() const;

 private:
  Distribution from_;
  Distribution to_;
  std::vector<AxisPattern> axes_;
  std::int64_t size_ = 1;
};

/// One slice of the layouts, after which the pattern repeats: the array of lcm(P r, Q s) elements in each dimension.
/// Throws InputError for layouts of different dimensions or slices beyond int64.
[[nodiscard]] RedistributionProblem one_slice(const Layout& from, const Layout& to);

}  // namespace sluice
