#include "plan/step_rule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

constexpr double kMostCheckedMessages = 1e8;  // some seconds

}  // namespace

std::vector<std::int64_t> StepRule::durations(const AxisPattern& pattern) const {
  const CommunicationGrid grid = paper_grid(pattern);
  const double messages = static_cast<double>(grid.max_messages_of_sender()) * static_cast<double>(grid.senders());
  if (messages > kMostCheckedMessages && static_cast<double>(pattern.extent()) > kMostCheckedMessages) {
    throw InputError("cost", fmt::format("up to {:.3g} messages to look at, one by one", messages),
                     fmt::format("at most {:.0e}; classes, stepwise, greedy and coloring know the cost of whole slices",
                                 kMostCheckedMessages));
  }
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
