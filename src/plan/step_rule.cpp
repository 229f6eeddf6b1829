#include "plan/step_rule.hpp"

#include <algorithm>

namespace sluice::detail {

std::vector<std::int64_t> StepRule::durations(const AxisPattern& pattern) const {
  std::vector<std::int64_t> result(static_cast<std::size_t>(steps()), 0);
  for (std::int64_t p = 0; p < pattern.from().processes; ++p) {
    for (const AxisMessage& message : pattern.sends(pattern.from().absolute(p))) {
      std::int64_t& duration = result[static_cast<std::size_t>(step_of(p, pattern.to().relative(message.peer)))];
      duration = std::max(duration, message.count);
    }
  }
  return result;
}

std::int64_t whole_slices(const AxisPattern& pattern) {
  return pattern.extent() % pattern.slice() == 0 ? pattern.extent() / pattern.slice() : 0;
}

}  // namespace sluice::detail
