#include "apps/sluice/options/batch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "apps/compare/compare.hpp"
#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/run/memory.hpp"
#include "apps/sluice/run/methods.hpp"
#include "apps/sluice/run/output.hpp"
#include "apps/sluice/run/run.hpp"
#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::command {

namespace {

constexpr std::string_view kPlannedAtOnce = "sluice";
constexpr std::string_view kAtOnceBy = "sluice-";

/// Throws InputError unless the algorithm is one that a job has for these arrays.
void check_algorithm_of_batch(const BatchProblem& problem, const std::string& algorithm, const std::string& where) {
  const bool of_exchange = is_algorithm("exchange", algorithm) && !is_algorithm("redistribute", algorithm);
  if (of_exchange) return;
  check_algorithm("redistribute", algorithm, where);
  if (problem.pattern() < 0) {
    if (algorithm != "auto" && algorithm != "stepwise" && algorithm != "greedy")
      throw InputError(where, fmt::format("'{}' for arrays that are not alike", algorithm),
                       "auto, stepwise, greedy, or one of exchange");
    return;
  }
  // Throws if it does not apply.
  (void)plan_redistribution(problem.arrays()[static_cast<std::size_t>(problem.pattern())].problem, algorithm);
}

std::vector<std::string> read_methods(const RunMethods& options, const BatchProblem& problem,
                                      const std::string& algorithm) {
  const std::vector<std::string> known = compare::batch_methods(problem);
  return options.names(known, [&](const std::string& name) {
    if (name.starts_with(kAtOnceBy)) {
      const std::string by = name.substr(kAtOnceBy.size());
      if (!compare::redistribution_mode(by)) check_algorithm_of_batch(problem, by, "--methods " + name);
      return name;
    }
    if (std::ranges::find(known, name) == known.end())
      throw InputError("--methods", fmt::format("'{}' for several arrays", name),
                       fmt::format("all, sluice-ALGORITHM, sluice-MODE, {}", fmt::join(known, ", ")));
    return name == kPlannedAtOnce && algorithm != "auto" ? fmt::format("{}{}", kAtOnceBy, algorithm) : name;
  });
}

std::vector<std::int64_t> shape_of(const RedistributionProblem& problem) {
  std::vector<std::int64_t> shape;
  for (const AxisPattern& axis : problem.axes()) shape.push_back(axis.extent());
  return shape;
}

}  // namespace

int run_batch(const RunRedistribute& options) {
  const auto refuse = [](const char* option) {
    throw InputError(option, "cannot be used with several arrays", "one array");
  };
  if (!options.alpha.empty()) refuse("--alpha");
  if (!options.beta.empty()) refuse("--beta");
  if (options.problem.relabel && options.apart)
    throw InputError("--relabel", "cannot be used with --apart", "one of the two");
  const BatchTask task = read_batch(options.problem);
  for (std::size_t a = 0; a < task.arrays.size(); ++a) {
    if (task.arrays[a].shape.empty() &&
        !std::ranges::all_of(task.problem.arrays()[a].problem.axes(), &AxisPattern::is_irregular))
      throw InputError(
          options.problem.batch.empty() ? "--shape" : fmt::format("{}: arrays[{}]", options.problem.batch, a),
          "no shape", "the extents of the array, such as 4096x4096");
  }
  check_algorithm_of_batch(task.problem, options.algorithm, "--algorithm");
  if (options.mode != "auto" && !compare::redistribution_mode(options.mode))
    throw InputError("--mode", fmt::format("'{}'", options.mode), "auto, chain or local");
  const int repetitions = options.methods.times();
  int ranks = 0;
  SLUICE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  const std::int64_t first_target_rank = options.apart ? task.problem.senders() : 0;
  const std::int64_t last_rank = std::max(task.problem.senders(), first_target_rank + task.problem.receivers());
  if (last_rank > ranks)
    throw InputError(options.apart                   ? "--apart"
                     : options.problem.batch.empty() ? "--from, --to"
                                                     : "--batch",
                     count_text(last_rank, "process", "processes"), ranks_expected(last_rank, ranks));
  const std::vector<std::string> methods = read_methods(options.methods, task.problem, options.algorithm);

  int rank = 0;
  SLUICE_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  const auto receiver_of = [&](std::int64_t process) {
    if (!task.roles) return process - first_target_rank;
    const auto& roles = task.roles->role_of_process;
    return process < std::ssize(roles) ? roles[static_cast<std::size_t>(process)].value : -1;
  };
  const auto rank_of_receiver = [&](std::int64_t receiver) {
    if (!task.roles) return first_target_rank + receiver;
    return std::ranges::find(task.roles->role_of_process, Rank(receiver)) - task.roles->role_of_process.begin();
  };
  std::vector<mpi::RedistributionArray> arrays;
  double own_bytes = 0;
  std::vector<std::int64_t> source_bytes(static_cast<std::size_t>(ranks), 0);
  for (const BatchArray& each : task.problem.arrays()) {
    const RedistributionProblem& problem = each.problem;
    const ArrayInput& input = task.arrays[arrays.size()];
    mpi::RedistributionArray& array = arrays.emplace_back();
    array.shape = shape_of(problem);
    array.from = parse_layout(input.from, "from");
    array.to = parse_layout(input.to, "to");
    array.element_size = each.element_bytes;
    array.options.part = problem.part();
    array.options.unit_diagonal = problem.unit_diagonal();
    array.options.transpose = input.transpose;
    // All methods move the same data: what the job would choose by itself is told to all of them.
    for (std::int64_t q = 0; (options.apart || task.roles) && q < problem.to().processes(); ++q)
      array.options.to_ranks.push_back(static_cast<int>(rank_of_receiver(q)));
    for (std::int64_t p = 0; p < problem.from().processes(); ++p)
      source_bytes[static_cast<std::size_t>(p)] += problem.from().local_size(Rank(p)) * each.element_bytes;
    const std::int64_t receiver = receiver_of(rank);
    if (receiver >= 0 && receiver < problem.to().processes())
      own_bytes += static_cast<double>(problem.to().local_size(Rank(receiver)) * each.element_bytes);
  }
  own_bytes += static_cast<double>(source_bytes[static_cast<std::size_t>(rank)]);
  check_memory(own_bytes, options.problem.batch.empty() ? "--arrays" : "--batch");
  check_outputs(options.methods.json, options.timeline);

  mpi::RedistributionJobOptions how;
  how.algorithm = options.algorithm;
  how.setup = task.setup;
  if (!options.effort.empty()) how.effort = parse_positive_number(options.effort, "--effort");
  how.mode = mpi::parse_exchange_mode(options.mode);
  const compare::Comparison comparison = compare::batches(MPI_COMM_WORLD, arrays, how, methods, repetitions);
  write_timeline(options.timeline, "redistribute", comparison, [&] {
    how.try_native = false;
    return compare::batches(MPI_COMM_WORLD, arrays, how, {"sluice"}, 1, true);
  });
  return show_run({"redistribute", task.title(), *std::ranges::max_element(source_bytes), 0}, comparison,
                  options.methods);
}

}  // namespace sluice::command
