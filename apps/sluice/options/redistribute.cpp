#include "apps/sluice/options/redistribute.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/options/values.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

void RedistributeOptions::add_to(CLI::App& verb, const std::string& shape_help) {
  verb.add_option("--from", from,
                  "source layout (needed), GRID:BLOCK: 16:3, or 4x4:64x64 in two dimensions. Cuts may replace a block: "
                  "4:0,10,35,100, with the owners of the blocks: @2,0,1. @FILE reads the layout from a file")
      ->option_text("LAYOUT");
  verb.add_option("--to", to, "target layout (needed), likewise")->option_text("LAYOUT");
  verb.add_option("--shape", shape, shape_help)->option_text("N[xM..]");
  offer(verb.add_option(
            "--part", part,
            "move a triangle, or trapezoid, of a matrix: upper or lower, on that side of the diagonal. The diagonal "
            "begins at the top left corner. If upper has more rows than columns, or lower fewer, it ends at the "
            "bottom right corner, as in p?trmr2d of ScaLAPACK"),
        {"upper", "lower"})
      ->option_text("PART");
  verb.add_flag("--unit-diagonal", unit_diagonal, "leave the diagonal of the part out");
  verb.add_flag("--transpose", transpose,
                "element (i, j) of the source becomes element (j, i) of the target; --to is the layout of the target");
  verb.add_option("--element-bytes", element_bytes, "set the size of an element")->option_text("BYTES [8]");
  verb.add_option("--setup", setup, "set-up cost of a step in elements: total = transmission + ALPHA * steps")
      ->option_text("ALPHA [1]");
  verb.add_option("--time-limit", time_limit, "end the search of auto and exact at this time")->option_text("SECONDS");
}

void RedistributeOptions::add_roles_to(CLI::App& verb) {
  verb.add_flag("--same-processes", same_processes,
                "process i of the source grid is process i of the target grid; what it sends itself is a copy, and "
                "needs no step");
  verb.add_flag("--relabel", relabel,
                "as --same-processes, but order the processes of the target grid so that most data stays");
}

void RedistributeOptions::add_replicas_to(CLI::App& verb) {
  verb.add_option(
          "--from-replicas", from_replicas,
          "number of copies of the source array, each on P processes of its own: process p of copy a is a P + p")
      ->option_text("R [1]");
  verb.add_option("--to-replicas", to_replicas, "number of copies of the target array, each on Q processes of its own")
      ->option_text("S [1]");
}

void RedistributeOptions::add_batch_to(CLI::App& verb) {
  verb.add_option("--arrays", arrays, "move N such arrays at once, and merge their messages; --setup is in bytes")
      ->option_text("N");
  verb.add_option("--batch", batch,
                  "move the arrays of a file (sluice.arrays/1) at once, of any layouts, shapes and sizes of elements; "
                  "replaces the options of one array; - reads standard input")
      ->option_text("FILE");
}

namespace {

/// The copies of either array, if several were asked for.
std::optional<ReplicatedProblem> replicated(const RedistributeOptions& options, const RedistributionProblem& problem,
                                            RedistributionInput& input) {
  constexpr std::int64_t kMostReplicas = std::int64_t{1} << 20;
  const auto count = [](const std::string& text, const char* option) {
    return text.empty() ? 1 : parse_count(text, option, 1, kMostReplicas);
  };
  input.from_replicas = count(options.from_replicas, "--from-replicas");
  input.to_replicas = count(options.to_replicas, "--to-replicas");
  if (!input.has_replicas()) return std::nullopt;
  if (options.relabel)
    throw InputError("--relabel", "cannot be used with --from-replicas or --to-replicas", "one copy of each array");
  ReplicatedProblem result(problem, input.from_replicas, input.to_replicas);
  if (!options.same_processes) return result;
  std::vector<Rank> same;
  for (std::int64_t p = 0; p < result.senders(); ++p) {
    same.emplace_back(p);
    input.roles.push_back(p);
  }
  return result.with_roles(same);
}

/// The roles asked for; empty where no process is in both grids.
std::optional<TargetRoles> roles_of(const RedistributeOptions& options, const RedistributionProblem& problem) {
  if (!options.same_processes && !options.relabel) return std::nullopt;
  const char* const option = options.relabel ? "--relabel" : "--same-processes";
  if (options.same_processes && options.relabel)
    throw InputError(option, "cannot be used with --same-processes", "one of the two");
  const std::int64_t processes = std::max(problem.from().processes(), problem.to().processes());
  if (processes > kMostListedMessages || count_messages(problem, kMostListedMessages) > kMostListedMessages)
    throw InputError(option, fmt::format("more than {} processes or messages", kMostListedMessages),
                     fmt::format("fewer, or the plan without {}", option));
  if (options.relabel) return assign_target_roles(problem);
  TargetRoles same;
  for (std::int64_t p = 0; p < processes; ++p) same.role_of_process.emplace_back(p);
  for (const Message& copy : problem.with_roles(same.role_of_process).copies()) same.kept += copy.size;
  same.kept_before = same.kept;
  return same;
}

}  // namespace

void add_effort_option(CLI::App& verb, std::string& effort) {
  static_assert(kEffortOfASecond == 5 * kDefaultEffort);
  verb.add_option("--effort", effort,
                  "how long auto and exact search: 1 is 0.2 s at most. The work is counted, so every machine gets the "
                  "same plan")
      ->option_text("N [1]");
}

std::int64_t parse_effort(const std::string& effort) {
  if (effort.empty()) return kDefaultEffort;
  return multiple_of_default_effort(parse_positive_number(effort, "--effort"), "--effort");
}

double parse_time_limit(const std::string& time_limit) {
  return time_limit.empty() ? std::numeric_limits<double>::infinity() : parse_seconds(time_limit, "--time-limit");
}

RedistributeTask read(const RedistributeOptions& options) {
  constexpr auto kLayout = "GRID:BLOCK, such as 16:3 or 4x4:64x64, or @FILE";
  if (options.from.empty()) throw InputError("--from", "no layout", kLayout);
  if (options.to.empty()) throw InputError("--to", "no layout", kLayout);
  Layout from = read_layout(options.from, "--from");
  Layout to = read_layout(options.to, "--to");
  std::vector<std::int64_t> shape;
  if (!options.shape.empty()) shape = parse_shape(options.shape, "--shape");
  constexpr std::int64_t kLargestElement = std::int64_t{1} << 40;
  const std::int64_t element_bytes = parse_count(options.element_bytes, "--element-bytes", 1, kLargestElement);
  const double setup = parse_setup(options.setup);
  const double time_limit_s = parse_time_limit(options.time_limit);
  RedistributionProblem problem = make_problem(from, to, shape, {"--from", "--to", "--shape"}, options.transpose);
  checked::multiply(problem.size(), element_bytes, "number of bytes");
  if (shape.empty()) {
    for (const AxisPattern& axis : problem.axes()) shape.push_back(axis.extent());
  }
  // What stands in a file is said in full, so that a schedule can be judged without it.
  const auto said = [](const std::string& typed, const Layout& layout) {
    return typed.starts_with('@') ? to_string(layout) : typed;
  };
  RedistributionInput input{said(options.from, from), said(options.to, to), options.shape};
  input.transpose = options.transpose;
  const MatrixPart part = part_of_side(options.part, options.unit_diagonal, {"--part", "--unit-diagonal"});
  if (part != MatrixPart::kWhole) {
    if (from.dimensions() != 2)
      throw InputError("--part", fmt::format("an array of {}", count_text(from.dimensions(), "dimension")),
                       "a matrix, which has 2");
    problem = problem.with_part(part, options.unit_diagonal);
    input.part = part_text(problem.part(), problem.unit_diagonal());
  }
  std::optional<ReplicatedProblem> copies = replicated(options, problem, input);
  std::optional<TargetRoles> roles = copies ? std::nullopt : roles_of(options, problem);
  if (roles) {
    problem = problem.with_roles(roles->role_of_process);
    for (const Rank role : roles->role_of_process) input.roles.push_back(role.value);
  }
  return {std::move(from), std::move(to),    std::move(shape),   element_bytes,    setup,
          time_limit_s,    std::move(input), std::move(problem), std::move(roles), std::move(copies)};
}

std::string RedistributeTask::title() const {
  const auto copies = [](std::int64_t count) { return count == 1 ? "" : fmt::format("{} x ", count); };
  return fmt::format("redistribute {}{} -> {}{}: {}{} {} of {}{} ({}), {}, {}", copies(input.from_replicas),
                     layout_text(input.from), copies(input.to_replicas), layout_text(input.to),
                     input.shape.empty() && !problem.is_irregular() ? "one slice of " : "", fmt::join(shape, "x"),
                     problem.size() == 1 ? "element" : "elements", count_text(element_bytes, "byte"),
                     fmt::format("{}{}", input.part.empty() ? "" : fmt::format(", {} part", input.part),
                                 input.transpose ? ", transposed" : ""),
                     bytes_text(problem.size() * element_bytes),
                     count_text(input.from_replicas * problem.from().processes(), "sender"),
                     count_text(input.to_replicas * problem.to().processes(), "receiver"));
}

std::string kept_line(const TargetRoles& roles, std::int64_t size, const char* unit) {
  const auto amount = [&](std::int64_t part) {
    const double share = size > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(size) : 100.0;
    return fmt::format("{} {}, {:.1f} %", part, unit, share);
  };
  std::string text = fmt::format("stays where it is, in no step: {}", amount(roles.kept));
  if (roles.kept != roles.kept_before)
    text += fmt::format("; with every process in the role of its number: {}", amount(roles.kept_before));
  return text;
}

std::string RedistributeTask::kept_text() const {
  return roles ? kept_line(*roles, problem.size(), "elements") + '\n' : "";
}

}  // namespace sluice::command
