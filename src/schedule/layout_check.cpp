#include "sluice/schedule/layout_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sluice/error.hpp"
#include "sluice/input/batch_problem.hpp"
#include "sluice/input/block_cyclic.hpp"
#include "sluice/input/redistribution_problem.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {

namespace {

/// Rebuilding the traffic goes through all processes: a file may claim any number of them.
constexpr std::int64_t kMostProcesses = std::int64_t{1} << 26;
/// The most messages of a batch, before they are merged.
constexpr std::int64_t kMostMergedMessages = std::int64_t{1} << 24;

void check_processes(const RedistributionProblem& problem, const std::string& where) {
  if (std::max(problem.from().processes(), problem.to().processes()) <= kMostProcesses) return;
  throw InputError(where + (problem.from().processes() > kMostProcesses ? "from" : "to"), "more processes",
                   fmt::format("at most {} to be checked", kMostProcesses));
}

std::int64_t count_transfers(const StepSchedule& schedule) {
  auto transfers = static_cast<std::int64_t>(schedule.copies.size());
  for (const Step& step : schedule.steps) transfers += static_cast<std::int64_t>(step.transfers.size());
  return transfers;
}

/// The messages of all arrays, each worked out for itself, and merged.
LayoutMessages messages_of_batch(const ScheduleFile& file, const std::string& name) {
  const std::vector<ArrayInput>& inputs = file.schedule.input->arrays;
  std::vector<BatchArray> arrays;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string where = fmt::format("{}: input.arrays[{}].", name, i);
    arrays.push_back({problem_of(inputs[i], where), inputs[i].element_bytes, {}, {}});
    check_processes(arrays.back().problem, where);
  }
  const BatchProblem batch(std::move(arrays));
  const std::int64_t most =
      std::max(count_transfers(file.schedule) * static_cast<std::int64_t>(inputs.size()) * 8, kMostMergedMessages);
  if (batch.count_messages(most) > most) {
    std::vector<Violation> violations = validate(file);
    violations.push_back({-1, -1, "the arrays make far more messages than there are transfers"});
    return {std::nullopt, std::move(violations)};
  }
  return {batch.traffic(), {}};
}

}  // namespace

RedistributionProblem problem_of(const ArrayInput& input, const std::string& where) {
  const Layout from = parse_layout(input.from, where + "from");
  const Layout to = parse_layout(input.to, where + "to");
  std::vector<std::int64_t> shape;
  if (!input.shape.empty()) shape = parse_shape(input.shape, where + "shape");
  RedistributionProblem problem =
      make_problem(from, to, shape, {where + "from", where + "to", where + "shape"}, input.transpose);
  if (input.part.empty()) return problem;
  const auto [part, unit_diagonal] = parse_part(input.part, where + "part");
  if (problem.dimensions() != 2)
    throw InputError(where + "part", fmt::format("an array of {}", count_text(problem.dimensions(), "dimension")),
                     "a matrix, which has 2");
  return problem.with_part(part, unit_diagonal);
}

LayoutMessages messages_of_layouts(const ScheduleFile& file, const std::string& name) {
  const StepSchedule& schedule = file.schedule;
  if (!schedule.input->arrays.empty()) return messages_of_batch(file, name);
  const std::string where = name + ": input.";
  const RedistributionInput& input = *schedule.input;
  const RedistributionProblem problem =
      problem_of({input.from, input.to, input.shape, input.part, input.transpose, 1}, where);
  check_processes(problem, where);
  const std::int64_t transfers = count_transfers(schedule);
  // Every message takes a transfer. If there are far too few transfers, the input must not decide how much memory this
  // takes.
  constexpr std::int64_t kListed = std::int64_t{1} << 20;
  // A good share of the messages of the whole matrix has something of a part.
  const std::int64_t most = std::max((problem.has_part() ? 8 : 1) * transfers, kListed);
  if (count_messages(problem, most) > most) {
    std::vector<Violation> violations = validate(file);
    violations.push_back(
        {-1, -1, fmt::format("the layouts make more messages than the {}", count_text(transfers, "transfer"))});
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
