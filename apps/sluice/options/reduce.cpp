#include "apps/sluice/options/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "apps/sluice/options/broadcast.hpp"
#include "apps/sluice/options/values.hpp"
#include "sluice/error.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/read_file.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

constexpr std::int64_t kMostCount = std::numeric_limits<std::int64_t>::max();

/// Reads one number per line, as many as there are machines; or, where `may_be_rows`, as many lines of as many numbers.
std::vector<double> read_numbers(const std::string& path, std::int64_t machines, const char* what, bool may_be_rows) {
  const std::string expected = fmt::format("{}, one per machine", machines);
  std::vector<double> numbers;
  std::int64_t lines = 0;
  std::int64_t in_a_line = 1;
  for (const auto& [where, line] : read_input_lines(path, what)) {
    if (lines == machines) throw InputError(shown_path(path), fmt::format("more {}", what), expected);
    const std::vector<std::string> parts = may_be_rows ? parse_list(line) : std::vector{line};
    if (++lines == 1 && std::cmp_equal(parts.size(), machines)) in_a_line = machines;
    if (std::cmp_not_equal(parts.size(), in_a_line))
      throw InputError(where, count_text(parts.size(), "number"),
                       in_a_line == 1 && may_be_rows ? fmt::format("1, or {} in every line", machines)
                                                     : fmt::format("{}, as in the lines before", in_a_line));
    for (const std::string& part : parts) {
      const std::size_t begin = part.find_first_not_of(" \t");
      if (begin == part.npos) throw InputError(where, "nothing", "a number");
      numbers.push_back(parse_number(part.substr(begin, part.find_last_not_of(" \t") + 1 - begin), where));
    }
  }
  if (lines != machines)
    throw InputError(shown_path(path), fmt::format("{} {}", lines, in_a_line > 1 ? "rows" : what), expected);
  return numbers;
}

/// Calls `plan`, whose errors name fields of a problem, and names the options they come from instead.
template <class Plan>
auto with_options_named(Plan&& plan) {
  try {
    return plan();
  } catch (const InputError& error) {
    std::string option = error.where();
    if (option.find(' ') != option.npos || option.find('[') != option.npos) throw;
    std::replace(option.begin(), option.end(), '_', '-');
    throw InputError("--" + option, error.found(), error.expected());
  }
}

}  // namespace

void ReduceInput::add_to(CLI::App& verb) {
  verb.add_option("--machines", machines, "how many machines hold an element each (needed)")->option_text("N");
  verb.add_option("--transfer", transfer, "d, the time it takes to send an element (needed)")->option_text("D");
  verb.add_option("--compute", compute, "c, the time it takes to combine two (needed)")->option_text("C");
  verb.add_option("--transfer-costs", transfer_costs,
                  "instead of --transfer: d of each sender, or of each link; - reads standard input")
      ->option_text("FILE");
  verb.add_option("--compute-costs", compute_costs, "instead of --compute: c of each machine; - reads standard input")
      ->option_text("FILE");
  verb.add_option("--max-transfers", max_transfers, "most transfers at once")->option_text("K");
  verb.add_option("--max-reducers", max_reducers, "most machines that combine; the others only send")->option_text("K");
  verb.add_option("--root", root, "the machine that gets the result; any: the plan chooses")->option_text("R|any [0]");
  verb.add_flag("--non-commutative", non_commutative, "combine in the order of the machines");
  verb.add_option("--arrivals", arrivals,
                  "the time from which each machine takes part, 0 unless given; - reads standard input")
      ->option_text("FILE");
  verb.add_option("--segments", segments, "parts an element is cut into; auto: the plan chooses")
      ->option_text("S|auto [1]");
  verb.add_option("--max-segments", max_segments, "most parts for auto")->option_text("S [256]");
  verb.add_option("--transfer-overhead", transfer_overhead, "the part of D that every segment takes")
      ->option_text("T [0]");
  verb.add_option("--compute-overhead", compute_overhead, "the part of C that every segment takes")
      ->option_text("T [0]");
  verb.add_option("--arity", arity, "children of a machine in algorithm k-ary")->option_text("K [4]");
  verb.add_option("--effort", effort, "search N times as long as usual, if a plan is searched for")
      ->option_text("N [1]");
  verb.add_option("--time-limit", time_limit, "accepted as for other problems; plans of reduce take less than a second")
      ->option_text("SECONDS [1]");
}

void ReduceInput::add_platform_to(CLI::App& verb, const std::string& also) {
  verb.add_option("--platform", platform_file,
                  "instead of --machines and --transfer: a platform file, d of each link for elements of --size")
      ->option_text("FILE");
  network.add_to(verb, platform_file);
  verb.add_option("--size", size, fmt::format("with --platform{}: the bytes that each rank has", also))
      ->option_text("BYTES");
}

namespace {

/// What --platform makes of it.
void read_platform_of(const ReduceInput& options, ReduceTask& task) {
  for (const auto& [name, text] : {std::pair{"--machines", &options.machines},
                                   {"--transfer", &options.transfer},
                                   {"--transfer-costs", &options.transfer_costs}})
    if (!text->empty()) throw InputError(name, "cannot be used with --platform", "one of the two");
  if (options.size.empty()) throw InputError("--size", "nothing", "the bytes of an element, for --platform");
  const Platform platform = read_platform_option(options.platform_file);
  task.problem.machines = platform.ranks;
  task.problem.transfer_costs = transfer_costs_over(platform, parse_bytes(options.size, "--size"));
  task.transfer_costs_file = shown_path(options.platform_file);
}

}  // namespace

ReduceTask read(const ReduceInput& options) {
  const auto needed = [](const std::string& text, const char* option, const char* what) -> const std::string& {
    if (text.empty()) throw InputError(option, "nothing", what);
    return text;
  };
  ReduceTask task;
  ReduceProblem& problem = task.problem;
  constexpr std::int64_t kMostMachines = std::int64_t{1} << 62;
  const bool over_platform = !options.platform_file.empty();
  if (over_platform)
    read_platform_of(options, task);
  else
    problem.machines =
        parse_count(needed(options.machines, "--machines", "the number of machines"), "--machines", 1, kMostMachines);
  const auto cost = [&](const std::string& of_all, const char* option, const std::string& file, const char* file_option,
                        const char* what) {
    if (!of_all.empty() && !file.empty())
      throw InputError(file_option, fmt::format("cannot be used with {}", option), "one of the two");
    if (!file.empty()) return 0.0;
    const std::string& given = needed(of_all, option, what);
    return over_platform ? parse_seconds(given, option) : parse_number(given, option);
  };
  if (!over_platform)
    problem.transfer =
        cost(options.transfer, "--transfer", options.transfer_costs, "--transfer-costs", "the time of a transfer");
  problem.compute =
      cost(options.compute, "--compute", options.compute_costs, "--compute-costs", "the time of combining two");
  if (!options.max_transfers.empty())
    problem.max_transfers = parse_count(options.max_transfers, "--max-transfers", 1, kMostCount);
  if (!options.max_reducers.empty())
    problem.max_reducers = parse_count(options.max_reducers, "--max-reducers", 1, kMostCount);
  problem.root = options.root == "any" ? kAnyRoot : parse_count(options.root, "--root", 0, problem.machines - 1);
  problem.commutative = !options.non_commutative;
  constexpr std::int64_t kMostSegments = std::int64_t{1} << 30;
  problem.segments = options.segments == "auto" ? 0 : parse_count(options.segments, "--segments", 1, kMostSegments);
  if (!options.max_segments.empty() && problem.segments != 0)
    throw InputError("--max-segments", "--segments " + options.segments, "--segments auto");
  if (!options.max_segments.empty())
    problem.max_segments = parse_count(options.max_segments, "--max-segments", 1, kMostSegments);
  if (!options.transfer_overhead.empty())
    problem.transfer_overhead = parse_number(options.transfer_overhead, "--transfer-overhead");
  if (!options.compute_overhead.empty())
    problem.compute_overhead = parse_number(options.compute_overhead, "--compute-overhead");
  if (!options.arity.empty()) task.arity = parse_count(options.arity, "--arity", 1, kMostCount);
  task.effort = parse_positive_number(options.effort, "--effort");
  (void)parse_seconds(options.time_limit, "--time-limit");
  if (!options.transfer_costs.empty()) {
    task.transfer_costs_file = shown_path(options.transfer_costs);
    problem.transfer_costs = read_numbers(options.transfer_costs, problem.machines, "costs of transfers", true);
  }
  if (!options.compute_costs.empty()) {
    task.compute_costs_file = shown_path(options.compute_costs);
    problem.compute_costs = read_numbers(options.compute_costs, problem.machines, "costs of combining", false);
  }
  if (!options.arrivals.empty()) {
    task.arrivals_file = shown_path(options.arrivals);
    problem.arrivals = read_numbers(options.arrivals, problem.machines, "dates", false);
  }
  return task;
}

std::string ReduceTask::title() const {
  const auto cost = [](double of_all, const std::string& file) {
    return file.empty() ? "= " + number_text(of_all) : "of " + file;
  };
  std::string text =
      fmt::format("reduce: {}, d {}, c {}", count_text(problem.machines, "machine"),
                  cost(problem.transfer, transfer_costs_file), cost(problem.compute, compute_costs_file));
  if (problem.max_transfers)
    text += fmt::format(", at most {} at once", count_text(*problem.max_transfers, "transfer"));
  if (problem.max_reducers)
    text += fmt::format(", at most {} combine{}", count_text(*problem.max_reducers, "machine"),
                        *problem.max_reducers == 1 ? "s" : "");
  if (!problem.commutative) text += ", in the order of the machines";
  if (problem.root > 0) text += fmt::format(", root {}", problem.root);
  if (!arrivals_file.empty()) text += ", dates of " + arrivals_file;
  if (problem.segments > 1) text += fmt::format(", in {}", count_text(problem.segments, "part"));
  if (problem.segments == 0) text += fmt::format(", in at most {}", count_text(problem.max_segments, "part"));
  return text;
}

void ReduceTask::check_for(const std::string& algorithm) const {
  constexpr const char* kArityOf = "k-ary";
  if (arity && algorithm != kArityOf)
    throw InputError("--arity", "--algorithm " + algorithm, fmt::format("--algorithm {}", kArityOf));
}

ReducePlan ReduceTask::planned_by(const std::string& algorithm, bool transfers) const {
  ReduceOptions how{.algorithm = algorithm, .transfers = transfers, .effort = effort};
  if (arity) how.arity = *arity;
  return with_options_named([&] { return plan_reduce(problem, how); });
}

ReduceBounds ReduceTask::bounds() const {
  return with_options_named([&] { return reduce_bounds(problem); });
}

}  // namespace sluice::command
