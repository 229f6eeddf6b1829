#include "apps/sluice/options/batch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/files.hpp"
#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/schedule/arrays_file.hpp"
#include "sluice/schedule/layout_check.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {
namespace {

constexpr std::int64_t kMostArrays = 10'000;

/// As many arrays as --arrays says, all as the other options say.
std::vector<ArrayInput> equal_arrays(const RedistributeOptions& options) {
  const std::int64_t count = parse_count(options.arrays, "--arrays", 1, kMostArrays);
  RedistributeOptions of_one = options;
  of_one.same_processes = false;
  of_one.relabel = false;
  const RedistributeTask one = read(of_one);
  const RedistributionInput& input = one.input;
  return std::vector<ArrayInput>(
      static_cast<std::size_t>(count),
      ArrayInput{input.from, input.to, input.shape, input.part, input.transpose, one.element_bytes});
}

std::vector<ArrayInput> arrays_of_file(const RedistributeOptions& options) {
  const RedistributeOptions usual;
  for (const auto& [option, given] :
       {std::pair("--arrays", !options.arrays.empty()), std::pair("--from", !options.from.empty()),
        std::pair("--to", !options.to.empty()), std::pair("--shape", !options.shape.empty()),
        std::pair("--part", !options.part.empty()), std::pair("--unit-diagonal", options.unit_diagonal),
        std::pair("--transpose", options.transpose),
        std::pair("--element-bytes", options.element_bytes != usual.element_bytes)}) {
    if (given)
      throw InputError(option, "cannot be used with --batch", "--batch alone: its file says this of each array");
  }
  std::vector<ArrayInput> arrays = read_arrays(options.batch);
  if (static_cast<std::int64_t>(arrays.size()) > kMostArrays)
    throw InputError("--batch", count_text(arrays.size(), "array"), fmt::format("at most {}", kMostArrays));
  // What stands in other files is said in full, so that a schedule can be judged without them.
  for (ArrayInput& array : arrays) {
    for (std::string* layout : {&array.from, &array.to})
      if (layout->starts_with('@')) *layout = to_string(read_layout(*layout, options.batch));
  }
  return arrays;
}

}  // namespace

BatchTask read_batch(const RedistributeOptions& options) {
  if (options.relabel && options.same_processes)
    throw InputError("--relabel", "cannot be used with --same-processes", "one of the two");
  if (!options.from_replicas.empty() || !options.to_replicas.empty())
    throw InputError(options.from_replicas.empty() ? "--to-replicas" : "--from-replicas",
                     "cannot be used with several arrays", "one array");
  std::vector<ArrayInput> inputs = options.batch.empty() ? equal_arrays(options) : arrays_of_file(options);
  std::vector<BatchArray> arrays;
  for (std::size_t a = 0; a < inputs.size(); ++a) {
    if (options.batch.empty() && a > 0) {
      arrays.push_back(arrays.front());
      continue;
    }
    const std::string where = options.batch.empty() ? "--" : fmt::format("{}: arrays[{}].", options.batch, a);
    arrays.push_back({problem_of(inputs[a], where), inputs[a].element_bytes, {}, {}});
  }
  BatchTask task{std::move(inputs), BatchProblem(std::move(arrays), options.same_processes), parse_setup(options.setup),
                 parse_time_limit(options.time_limit)};
  if (!options.relabel) return task;
  if (std::max(task.problem.senders(), task.problem.receivers()) > kMostListedMessages ||
      task.problem.count_messages(kMostListedMessages) > kMostListedMessages)
    throw InputError("--relabel", fmt::format("more than {} processes or messages", kMostListedMessages),
                     "fewer, or the plan without --relabel");
  task.roles = assign_target_roles(task.problem);
  task.problem = task.problem.with_roles(task.roles->role_of_process);
  return task;
}

std::vector<std::string> array_lines(const std::vector<ArrayInput>& arrays) {
  std::vector<std::string> lines;
  for (std::size_t a = 0, next = 0; a < arrays.size(); a = next) {
    const ArrayInput& array = arrays[a];
    while (next < arrays.size() && arrays[next] == array) ++next;
    lines.push_back(fmt::format(
        "{}{} -> {}: {}, {} per element{}{}", next - a > 1 ? fmt::format("{} x ", next - a) : "",
        layout_text(array.from), layout_text(array.to), array.shape.empty() ? "one slice" : array.shape,
        count_text(array.element_bytes, "byte"), array.part.empty() ? "" : fmt::format(", {} part", array.part),
        array.transpose ? ", transposed" : ""));
  }
  return lines;
}

std::string BatchTask::title() const {
  return fmt::format("redistribute {} at once ({}), {}, {}\n  {}{}",
                     count_text(static_cast<std::int64_t>(arrays.size()), "array"), bytes_text(problem.size_bytes()),
                     count_text(problem.senders(), "sender"), count_text(problem.receivers(), "receiver"),
                     fmt::join(array_lines(arrays), "\n  "),
                     roles ? '\n' + kept_line(*roles, problem.size_bytes(), "bytes") : "");
}

RedistributionInput BatchTask::input() const {
  RedistributionInput result;
  result.arrays = arrays;
  if (roles) {
    for (const Rank role : roles->role_of_process) result.roles.push_back(role.value);
  } else if (problem.has_roles()) {
    for (std::int64_t p = 0; p < problem.senders(); ++p) result.roles.push_back(p);
  }
  return result;
}

BatchOptions batch_options(const BatchTask& task, const std::string& algorithm, std::int64_t effort,
                           const TimeLimit& limit) {
  BatchOptions options;
  options.algorithm = algorithm;
  options.setup = task.setup;
  options.effort = effort;
  options.time_limit_s = task.time_limit_s;
  options.stop = limit.stop();
  return options;
}

}  // namespace sluice::command
