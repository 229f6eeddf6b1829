#include "sluice/schedule/layout_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sluice/error.hpp"
#include "sluice/input/block_cyclic.hpp"
#include "sluice/input/redistribution_problem.hpp"

namespace sluice {

namespace {

/// Rebuilding the traffic goes through all processes: a file may claim any number of them.
constexpr std::int64_t kMostProcesses = std::int64_t{1} << 26;

}  // namespace

LayoutMessages messages_of_layouts(const ScheduleFile& file, const std::string& name) {
  const StepSchedule& schedule = file.schedule;
  const std::string where = name + ": input.";
  const Layout from = parse_layout(schedule.input->from, where + "from");
  const Layout to = parse_layout(schedule.input->to, where + "to");
  std::vector<std::int64_t> shape;
  if (!schedule.input->shape.empty()) shape = parse_shape(schedule.input->shape, where + "shape");
  RedistributionProblem problem =
      make_problem(from, to, shape, where + "to", where + "shape", schedule.input->transpose);
  if (!schedule.input->part.empty()) {
    const auto [part, unit_diagonal] = parse_part(schedule.input->part, where + "part");
    if (problem.dimensions() != 2)
      throw InputError(where + "part", fmt::format("an array of {} dimensions", problem.dimensions()),
                       "a matrix, which has 2");
    problem = problem.with_part(part, unit_diagonal);
  }
  if (std::max(problem.from().processes(), problem.to().processes()) > kMostProcesses) {
    throw InputError(where + (problem.from().processes() > kMostProcesses ? "from" : "to"), "more processes",
                     fmt::format("at most {} to be checked", kMostProcesses));
  }
  std::int64_t transfers = 0;
  for (const Step& step : schedule.steps) transfers += static_cast<std::int64_t>(step.transfers.size());
  transfers += static_cast<std::int64_t>(schedule.copies.size());
  // Every message takes a transfer. Where there are far too few, do not let the input say how much memory this takes.
  constexpr std::int64_t kListed = std::int64_t{1} << 20;
  // Of the messages of the whole matrix a good share has something of a part.
  const std::int64_t most = std::max((problem.has_part() ? 8 : 1) * transfers, kListed);
  if (count_messages(problem, most) > most) {
    std::vector<Violation> violations = validate(file);
    violations.push_back({-1, -1, fmt::format("the layouts make more messages than the {} transfers", transfers)});
    return {std::nullopt, std::move(violations)};
  }
  return {problem.traffic(), {}};
}

std::vector<Violation> validate_with_layouts(const ScheduleFile& file, const std::string& name) {
  if (!file.schedule.input) return validate(file);
  LayoutMessages messages = messages_of_layouts(file, name);
  if (!messages.traffic) return std::move(messages.violations);
  return validate(file, *messages.traffic);
}

}  // namespace sluice
