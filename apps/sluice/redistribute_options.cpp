#include "redistribute_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "option_values.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

void RedistributeOptions::add_to(CLI::App& verb, const std::string& shape_help) {
  verb.add_option("--from", from, "source layout (needed), GRID:BLOCK: 16:3, or 4x4:64x64 in two dimensions")
      ->option_text("LAYOUT");
  verb.add_option("--to", to, "target layout (needed)")->option_text("LAYOUT");
  verb.add_option("--shape", shape, shape_help)->option_text("N[xM..]");
  verb.add_option("--element-bytes", element_bytes, "size of an element")->option_text("BYTES [8]");
  verb.add_option("--setup", setup, "price of a step in elements: total = transmission + ALPHA * steps")
      ->option_text("ALPHA [1]");
  verb.add_option("--time-limit", time_limit, "most time of planners of exchange that need it")
      ->option_text("SECONDS [1]");
}

void add_effort_option(CLI::App& verb, std::string& effort) {
  verb.add_option("--effort", effort, "most work that exact and auto search with, counted, not timed; 50,000: a second")
      ->option_text(fmt::format("N [{}]", kCustomaryEffort));
}

std::int64_t parse_effort(const std::string& effort) {
  constexpr std::int64_t kMostEffort = std::int64_t{1} << 50;
  return effort.empty() ? kCustomaryEffort : parse_count(effort, "--effort", 0, kMostEffort);
}

RedistributeTask read(const RedistributeOptions& options) {
  constexpr auto kLayout = "GRID:BLOCK, such as 16:3 or 4x4:64x64";
  if (options.from.empty()) throw InputError("--from", "no layout", kLayout);
  if (options.to.empty()) throw InputError("--to", "no layout", kLayout);
  Layout from = parse_layout(options.from, "--from");
  Layout to = parse_layout(options.to, "--to");
  std::vector<std::int64_t> shape;
  if (!options.shape.empty()) shape = parse_shape(options.shape, "--shape");
  constexpr std::int64_t kLargestElement = std::int64_t{1} << 40;
  const std::int64_t element_bytes = parse_count(options.element_bytes, "--element-bytes", 1, kLargestElement);
  const double setup = parse_number(options.setup, "--setup");
  const double time_limit_s = parse_number(options.time_limit, "--time-limit");
  RedistributionProblem problem = make_problem(from, to, shape, "--to", "--shape");
  checked::multiply(problem.size(), element_bytes, "number of bytes");
  if (shape.empty()) {
    for (const AxisPattern& axis : problem.axes()) shape.push_back(axis.extent());
  }
  return {std::move(from),
          std::move(to),
          std::move(shape),
          element_bytes,
          setup,
          time_limit_s,
          {options.from, options.to, options.shape},
          std::move(problem)};
}

std::string RedistributeTask::title() const {
  return fmt::format("redistribute {} -> {}: {}{} elements of {} {} ({}), {} senders, {} receivers", input.from,
                     input.to, input.shape.empty() ? "one slice of " : "", fmt::join(shape, "x"), element_bytes,
                     element_bytes == 1 ? "byte" : "bytes", bytes_text(problem.size() * element_bytes),
                     problem.from().processes(), problem.to().processes());
}

RedistributionProblem make_problem(const Layout& from, const Layout& to, const std::vector<std::int64_t>& shape,
                                   const std::string& where_to, const std::string& where_shape) {
  if (to.dimensions() != from.dimensions()) {
    throw InputError(where_to, fmt::format("'{}' of {} dimensions", to_string(to), to.dimensions()),
                     fmt::format("{} dimensions, as the source layout {} has", from.dimensions(), to_string(from)));
  }
  if (shape.empty()) return one_slice(from, to);
  if (shape.size() != from.dimensions()) {
    throw InputError(where_shape, fmt::format("{} dimensions", shape.size()),
                     fmt::format("{}, as the layouts have", from.dimensions()));
  }
  return {Distribution(from, shape, {}, where_shape), Distribution(to, shape, {}, where_shape)};
}

std::int64_t count_messages(const RedistributionProblem& problem, std::int64_t limit) {
  // A message is one message in each dimension. Dimensions without any come first: all the others count for nothing
  // then.
  for (const AxisPattern& axis : problem.axes())
    if (axis.extent() == 0) return 0;
  std::int64_t result = 1;
  for (const AxisPattern& axis : problem.axes()) {
    std::int64_t messages = 0;
    for (std::int64_t p = 0; p < axis.from().processes; ++p) {
      messages += static_cast<std::int64_t>(axis.sends(Coordinate(p)).size());
      if (messages > limit / result) return limit + 1;
    }
    result *= messages;
  }
  return result;
}

}  // namespace sluice::command
