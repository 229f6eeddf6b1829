#include "plan/redistribute/combined_steps.hpp"

#include <algorithm>
#include <utility>

#include "sluice/checked.hpp"

namespace sluice::detail {

CombinedSteps::CombinedSteps(std::vector<AxisSteps> axes) : axes_(std::move(axes)) {
  std::int64_t single_receivers = 1, single_senders = 1;
  for (const AxisSteps& axis : axes_) {
    std::int64_t& positions = axis.fold.single_receivers ? single_receivers : single_senders;
    positions = checked::multiply(positions, axis.fold.group, "number of steps");
    steps_ = checked::multiply(steps_, axis.steps / axis.fold.group, "number of steps");
  }
  diagonals_ = std::max(single_receivers, single_senders);
  steps_ = checked::multiply(steps_, diagonals_, "number of steps");
}

std::int64_t CombinedSteps::step_of(std::span<const std::int64_t> axis_steps) const {
  std::int64_t groups = 0, x = 0, y = 0;
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    const std::int64_t group = axes_[d].fold.group;
    groups = groups * (axes_[d].steps / group) + axis_steps[d] / group;
    std::int64_t& position = axes_[d].fold.single_receivers ? x : y;
    position = position * group + axis_steps[d] % group;
  }
  return groups * diagonals_ + (x + y) % diagonals_;
}

double CombinedSteps::pricing_work() const {
  if (diagonals_ == 1) return 0;
  double tuples = 1;
  for (const AxisSteps& axis : axes_) tuples *= static_cast<double>(axis.steps);
  return tuples;
}

std::int64_t CombinedSteps::transmission(std::span<const std::vector<std::int64_t>> durations) const {
  if (steps_ == 0) return 0;
  const auto total = [](const std::vector<std::int64_t>& values) {
    std::int64_t sum = 0;
    for (const std::int64_t value : values) sum = checked::add(sum, value, "transmission");
    return sum;
  };
  if (diagonals_ == 1) {
    std::int64_t product = 1;
    for (const auto& of_axis : durations) product = checked::multiply(product, total(of_axis), "transmission");
    return product;
  }
  std::vector<std::int64_t> longest(static_cast<std::size_t>(steps_), 0);
  std::vector<std::int64_t> at(axes_.size(), 0);
  while (true) {
    std::int64_t duration = 1;
    for (std::size_t d = 0; d < at.size(); ++d) {
      duration = checked::multiply(duration, durations[d][static_cast<std::size_t>(at[d])], "transmission");
    }
    std::int64_t& step = longest[static_cast<std::size_t>(step_of(at))];
    step = std::max(step, duration);
    std::size_t d = 0;
    while (d < at.size() && ++at[d] == axes_[d].steps) at[d++] = 0;
    if (d == at.size()) return total(longest);
  }
}

std::int64_t CombinedSteps::transmission_at_most(std::span<const std::vector<std::int64_t>> durations) const {
  std::int64_t product = diagonals_;
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    const auto group = static_cast<std::size_t>(axes_[d].fold.group);
    std::int64_t sum = 0;
    for (std::size_t first = 0; first < durations[d].size(); first += group) {
      const auto begin = durations[d].begin() + static_cast<std::ptrdiff_t>(first);
      const std::size_t length = std::min(group, durations[d].size() - first);
      sum = checked::add(sum, *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(length)), "transmission");
    }
    product = checked::multiply(product, sum, "transmission");
  }
  return product;
}

}  // namespace sluice::detail
