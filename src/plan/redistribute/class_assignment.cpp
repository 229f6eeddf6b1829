#include "plan/redistribute/class_assignment.hpp"

#include <algorithm>
#include <cstddef>

#include "sluice/checked.hpp"

namespace sluice::detail {

std::int64_t ClassAssignment::transmission() const {
  std::int64_t sum = 0;
  for (std::size_t t = 0; t < steps.size(); ++t)
    sum = checked::add(sum, checked::multiply(durations[t], steps[t], "transmission"), "transmission");
  return sum;
}

void ClassAssignment::drop_idle_steps(const MessageClasses& of) {
  for (std::size_t t = 0; t < steps.size(); ++t) {
    std::vector<std::int64_t> at_left(static_cast<std::size_t>(of.lefts), 0);
    std::vector<std::int64_t> at_right(static_cast<std::size_t>(of.rights), 0);
    steps[t] = 0;
    for (std::size_t c = 0; c < of.classes.size(); ++c) {
      std::int64_t& left = at_left[static_cast<std::size_t>(of.classes[c].left)] += messages[c][t];
      std::int64_t& right = at_right[static_cast<std::size_t>(of.classes[c].right)] += messages[c][t];
      steps[t] = std::max(
          {steps[t], (left + of.left_copies - 1) / of.left_copies, (right + of.right_copies - 1) / of.right_copies});
    }
  }
}

}  // namespace sluice::detail
