#include "reduce_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "option_values.hpp"
#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

constexpr std::int64_t kMostCount = std::numeric_limits<std::int64_t>::max();

/// Reads one date per line, as many as there are machines.
std::vector<double> read_dates(const std::string& path, std::int64_t machines) {
  std::ifstream in(path, std::ios::binary);
  std::vector<double> dates;
  std::string line;
  const std::string expected = fmt::format("{}, one per machine", machines);
  try {
    if (!in) throw InputError(path, "cannot be read: " + std::generic_category().message(errno), "dates of arrival");
    in.exceptions(std::ios::badbit);
    for (std::int64_t number = 1; std::getline(in, line); ++number) {
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first == line.npos || line[first] == '%' || line[first] == '#') continue;
      if (std::cmp_equal(dates.size(), machines)) throw InputError(path, "more dates", expected);
      line.erase(line.find_last_not_of(" \t\r") + 1);
      dates.push_back(parse_number(line.substr(first), fmt::format("{}:{}", path, number)));
    }
  } catch (const std::ios_base::failure&) {  // a directory, a broken disk
    throw InputError(path, "a file that cannot be read", "dates of arrival");
  }
  if (std::cmp_not_equal(dates.size(), machines))
    throw InputError(path, fmt::format("{} dates", dates.size()), expected);
  return dates;
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
  verb.add_option("--max-transfers", max_transfers, "most transfers at once")->option_text("K");
  verb.add_option("--max-reducers", max_reducers, "most machines that combine; the others only send")->option_text("K");
  verb.add_option("--root", root, "the machine that gets the result; any: the plan chooses")->option_text("R|any [0]");
  verb.add_flag("--non-commutative", non_commutative, "combine in the order of the machines");
  verb.add_option("--arrivals", arrivals, "from when on each machine takes part; all from 0 on unless given")
      ->option_text("FILE");
  verb.add_option("--segments", segments, "parts an element is cut into; auto: the plan chooses")
      ->option_text("S|auto [1]");
  verb.add_option("--max-segments", max_segments, "most parts for auto")->option_text("S [256]");
  verb.add_option("--transfer-overhead", transfer_overhead, "the part of D that every segment takes")
      ->option_text("T [0]");
  verb.add_option("--compute-overhead", compute_overhead, "the part of C that every segment takes")
      ->option_text("T [0]");
  verb.add_option("--arity", arity, "children of a machine in algorithm k-ary")->option_text("K [4]");
  verb.add_option("--time-limit", time_limit, "as for every problem; no plan of reduce takes that long")
      ->option_text("SECONDS [1]");
}

ReduceTask read(const ReduceInput& options) {
  const auto needed = [](const std::string& text, const char* option, const char* what) -> const std::string& {
    if (text.empty()) throw InputError(option, "nothing", what);
    return text;
  };
  ReduceTask task;
  ReduceProblem& problem = task.problem;
  constexpr std::int64_t kMostMachines = std::int64_t{1} << 62;
  problem.machines =
      parse_count(needed(options.machines, "--machines", "the number of machines"), "--machines", 1, kMostMachines);
  problem.transfer = parse_number(needed(options.transfer, "--transfer", "the time of a transfer"), "--transfer");
  problem.compute = parse_number(needed(options.compute, "--compute", "the time of combining two"), "--compute");
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
  (void)parse_seconds(options.time_limit, "--time-limit");
  if (!options.arrivals.empty()) {
    task.arrivals_file = options.arrivals;
    problem.arrivals = read_dates(options.arrivals, problem.machines);
  }
  return task;
}

std::string ReduceTask::title() const {
  std::string text = fmt::format("reduce: {}, d = {}, c = {}", count_text(problem.machines, "machine"),
                                 number_text(problem.transfer), number_text(problem.compute));
  if (problem.max_transfers)
    text += fmt::format(", at most {} at once", count_text(*problem.max_transfers, "transfer"));
  if (problem.max_reducers)
    text += fmt::format(", at most {} combine{}", count_text(*problem.max_reducers, "machine"),
                        *problem.max_reducers == 1 ? "s" : "");
  if (!problem.commutative) text += ", in the order of the machines";
  if (problem.root > 0) text += fmt::format(", root {}", problem.root);
  if (!arrivals_file.empty()) text += ", dates of " + arrivals_file;
  if (problem.segments > 1) text += fmt::format(", in {} parts", problem.segments);
  if (problem.segments == 0) text += fmt::format(", in at most {} parts", problem.max_segments);
  return text;
}

void ReduceTask::check_for(const std::string& algorithm) const {
  constexpr const char* kArityOf = "k-ary";
  if (arity && algorithm != kArityOf)
    throw InputError("--arity", "--algorithm " + algorithm, fmt::format("--algorithm {}", kArityOf));
}

ReducePlan ReduceTask::planned_by(const std::string& algorithm, bool transfers) const {
  ReduceOptions how{.algorithm = algorithm, .transfers = transfers};
  if (arity) how.arity = *arity;
  return with_options_named([&] { return plan_reduce(problem, how); });
}

ReduceBounds ReduceTask::bounds() const {
  return with_options_named([&] { return reduce_bounds(problem); });
}

}  // namespace sluice::command
