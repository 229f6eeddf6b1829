#include "sluice/plan/redistribute.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/compare/compare.hpp"
#include "apps/sluice/command.hpp"
#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/batch.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/process/ranks.hpp"
#include "apps/sluice/run/memory.hpp"
#include "apps/sluice/run/methods.hpp"
#include "apps/sluice/run/output.hpp"
#include "apps/sluice/run/run.hpp"
#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

constexpr std::string_view kPlanned = "sluice";
constexpr std::string_view kPlannedBy = "sluice-";

/// `sluice` by an algorithm that was asked for has that in its name.
std::vector<std::string> read_methods(const RunMethods& options, const RedistributeTask& task,
                                      const std::string& algorithm, bool scaled) {
  const bool replicated = task.replicated.has_value();
  const std::vector<std::string> known =
      compare::redistribution_methods(task.problem, task.element_bytes, {replicated, scaled});
  return options.names(known, [&](const std::string& name) {
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    if (name == "sluice-fresh" || (name == "memcpy" && !scaled)) return name;
    if (name.rfind(kPlannedBy, 0) == 0) {
      const std::string by = name.substr(kPlannedBy.size());
      if (compare::redistribution_mode(by) || (replicated && by == "direct")) return name;
      if (replicated) {
        check_algorithm("exchange", by, "--methods " + name);
        return name;
      }
      if (is_algorithm("exchange", by) && !is_algorithm("redistribute", by)) return name;
      check_algorithm("redistribute", by, "--methods " + name);
      (void)plan_redistribution(task.problem, by, task.setup);  // throws if it does not apply
    } else if ((name == "pairwise" || name == "alltoallw-fresh") && !task.problem.has_part()) {
      return name;
    } else if (name == "pdgemr2d" && !is_known) {
      throw InputError("--methods", "'pdgemr2d'",
                       replicated ? "one copy of either array, or another method"
                       : task.problem.is_irregular()
                           ? "blocks of one size in each dimension, or another method"
                           : "a matrix of 8-byte elements that is not transposed, and a build with ScaLAPACK");
    } else if (!is_known) {
      throw InputError(
          "--methods", fmt::format("'{}'", name),
          fmt::format("all, sluice-ALGORITHM, sluice-MODE, sluice-fresh, {}{}{}", fmt::join(known, ", "),
                      scaled ? "" : ", memcpy", task.problem.has_part() ? "" : ", pairwise, alltoallw-fresh"));
    }
    return name == kPlanned && algorithm != "auto" ? fmt::format("{}{}", kPlannedBy, algorithm) : name;
  });
}

/// What is scaled and added, if that was asked for.
std::optional<compare::ScaleAndAdd> read_scaling(const RunRedistribute& options, const RedistributeTask& task) {
  if (options.alpha.empty() && options.beta.empty()) return std::nullopt;
  const char* const option = options.alpha.empty() ? "--beta" : "--alpha";
  if (task.element_bytes != static_cast<std::int64_t>(sizeof(double)))
    throw InputError(option, fmt::format("elements of {}", count_text(task.element_bytes, "byte")),
                     "--element-bytes 8, doubles");
  const auto number = [](const std::string& text, const char* where, double usual) {
    if (text.empty()) return usual;
    const bool negative = text.front() == '-';
    try {
      const double size = parse_number(negative ? text.substr(1) : text, where);
      return negative ? -size : size;
    } catch (const InputError&) {
      throw InputError(where, fmt::format("'{}'", text), "a finite number");
    }
  };
  return compare::ScaleAndAdd{number(options.alpha, "--alpha", 1), number(options.beta, "--beta", 0)};
}

/// The processes of all copies of the source, and of the target.
struct Processes {
  explicit Processes(const RedistributeTask& task)
      : from(task.input.from_replicas * task.problem.from().processes()),
        to(task.input.to_replicas * task.problem.to().processes()) {}
  std::int64_t from;
  std::int64_t to;
};

/// Bytes of both arrays that `rank` has.
double own_bytes(const RedistributeTask& task, std::int64_t first_target_rank) {
  int rank = 0;
  SLUICE_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  double elements = 0;
  const Processes processes(task);
  const Distribution& from = task.problem.from();
  const Distribution& to = task.problem.to();
  if (rank < processes.from) elements += static_cast<double>(from.local_size(Rank(rank % from.processes())));
  const std::int64_t receiver = rank - first_target_rank;
  if (receiver >= 0 && receiver < processes.to)
    elements += static_cast<double>(to.local_size(Rank(receiver % to.processes())));
  return elements * static_cast<double>(task.element_bytes);
}

/// The most data that a rank has of the source array.
std::int64_t largest_part(const RedistributeTask& task) {
  std::int64_t result = 0;
  for (std::int64_t p = 0; p < task.problem.from().processes(); ++p)
    result = std::max(result, task.problem.from().local_size(Rank(p)) * task.element_bytes);
  return result;
}

}  // namespace

int run_redistribute(const RunRedistribute& options) {
  if (asks_for_batch(options.problem)) return run_batch(options);
  RedistributeOptions input = options.problem;
  if (input.relabel && options.apart) throw InputError("--relabel", "cannot be used with --apart", "one of the two");
  input.relabel = false;  // the job does that itself
  if (input.from.empty() && input.shape.empty())
    throw InputError("--shape", "no shape", "the extents of the array, such as 4096x4096");
  const RedistributeTask task = read(input);
  if (input.shape.empty() && !std::ranges::all_of(task.problem.axes(), &AxisPattern::is_irregular))
    throw InputError("--shape", "no shape", "the extents of the array, such as 4096x4096");
  if (options.problem.relabel && task.replicated)
    throw InputError("--relabel", "cannot be used with --from-replicas or --to-replicas", "one copy of each array");
  const bool by_exchange = task.replicated || (is_algorithm("exchange", options.algorithm) &&
                                               !is_algorithm("redistribute", options.algorithm));
  check_algorithm(by_exchange ? "exchange" : "redistribute", options.algorithm);
  const std::optional<compare::ScaleAndAdd> scaled = read_scaling(options, task);
  if (options.mode != "auto" && !compare::redistribution_mode(options.mode))
    throw InputError("--mode", fmt::format("'{}'", options.mode), "auto, chain or local");
  const int repetitions = options.methods.times();
  int ranks = 0;
  SLUICE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  const Processes processes(task);
  const auto check_ranks = [&](const char* where, const std::string& layout, std::int64_t count) {
    if (count > ranks)
      throw InputError(where, fmt::format("{} in '{}'", count_text(count, "process", "processes"), layout_text(layout)),
                       ranks_expected(count, ranks));
  };
  const std::int64_t first_target_rank = options.apart ? processes.from : 0;
  check_ranks(task.input.from_replicas > 1 ? "--from-replicas" : "--from", options.problem.from, processes.from);
  check_ranks(task.input.to_replicas > 1 ? "--to-replicas" : "--to", options.problem.to, processes.to);
  const std::int64_t last_rank = first_target_rank + processes.to;
  if (last_rank > ranks)
    throw InputError("--apart", fmt::format("{} in both grids", count_text(last_rank, "process", "processes")),
                     ranks_expected(last_rank, ranks));
  if (!by_exchange) (void)plan_redistribution(task.problem, options.algorithm, task.setup);
  const std::vector<std::string> methods = read_methods(options.methods, task, options.algorithm, scaled.has_value());
  check_memory(own_bytes(task, first_target_rank), "--shape");
  check_outputs(options.methods.json, options.timeline);

  mpi::RedistributionOptions how;
  how.algorithm = options.algorithm;
  how.setup = task.setup;
  if (!options.effort.empty()) how.effort = parse_positive_number(options.effort, "--effort");
  how.mode = mpi::parse_exchange_mode(options.mode);
  for (std::int64_t rank = first_target_rank; options.apart && rank < last_rank; ++rank)
    how.to_ranks.push_back(static_cast<int>(rank));
  how.part = task.problem.part();
  how.unit_diagonal = task.problem.unit_diagonal();
  how.transpose = options.problem.transpose;
  how.relabel = options.problem.relabel;
  how.from_replicas = task.input.from_replicas;
  how.to_replicas = task.input.to_replicas;
  const compare::Comparison comparison = compare::redistributions(
      MPI_COMM_WORLD, task.shape, task.from, task.to, task.element_bytes, how, methods, repetitions, false, scaled);
  write_timeline(options.timeline, "redistribute", comparison, [&] {
    how.try_native = false;
    return compare::redistributions(MPI_COMM_WORLD, task.shape, task.from, task.to, task.element_bytes, how, {"sluice"},
                                    1, true, scaled);
  });
  return show_run({"redistribute", task.title(), largest_part(task), 0}, comparison, options.methods);
}

}  // namespace sluice::command
