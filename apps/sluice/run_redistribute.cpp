#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm_names.hpp"
#include "apps/compare/compare.hpp"
#include "command.hpp"
#include "option_values.hpp"
#include "output.hpp"
#include "ranks.hpp"
#include "run.hpp"
#include "run_methods.hpp"
#include "run_output.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::command {

namespace {

constexpr std::string_view kPlanned = "sluice";
constexpr std::string_view kPlannedBy = "sluice-";

/// `sluice` by an algorithm that was asked for is called so.
std::vector<std::string> read_methods(const RunMethods& options, const RedistributeTask& task,
                                      const std::string& algorithm) {
  const std::vector<std::string> known = compare::redistribution_methods(task.problem, task.element_bytes);
  return options.names(known, [&](const std::string& name) {
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    if (name.rfind(kPlannedBy, 0) == 0) {
      const std::string by = name.substr(kPlannedBy.size());
      if (compare::redistribution_mode(by)) return name;
      check_algorithm("redistribute", by, "--methods " + name);
      (void)plan_redistribution(task.problem, by, task.setup);  // throws if it does not apply
    } else if (name == "pdgemr2d" && !is_known) {
      throw InputError("--methods", "'pdgemr2d'",
                       "a matrix of 8-byte elements that is not transposed, and a build with ScaLAPACK");
    } else if (!is_known) {
      throw InputError("--methods", fmt::format("'{}'", name),
                       fmt::format("all, sluice-ALGORITHM, sluice-MODE, {}", fmt::join(known, ", ")));
    }
    return name == kPlanned && algorithm != "auto" ? fmt::format("{}{}", kPlannedBy, algorithm) : name;
  });
}

/// Throws InputError, on all ranks, if the arrays do not fit the memory of a node: better than to be ended without a
/// word while they are filled.
void check_memory(const RedistributeTask& task, std::int64_t first_target_rank) {
  MPI_Comm node = MPI_COMM_NULL;
  SLUICE_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  int rank = 0;
  SLUICE_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  double needed = 0;
  if (rank < task.problem.from().processes()) needed += static_cast<double>(task.problem.from().local_size(Rank(rank)));
  const std::int64_t receiver = rank - first_target_rank;
  if (receiver >= 0 && receiver < task.problem.to().processes())
    needed += static_cast<double>(task.problem.to().local_size(Rank(receiver)));
  needed *= static_cast<double>(task.element_bytes);
  SLUICE_MPI(MPI_Allreduce(MPI_IN_PLACE, &needed, 1, MPI_DOUBLE, MPI_SUM, node));
  SLUICE_MPI(MPI_Comm_free(&node));
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  // By how much the fullest node is too full, what it needs and what it has.
  struct {
    double excess;
    int rank;
  } fullest{needed - memory, rank};
  SLUICE_MPI(MPI_Allreduce(MPI_IN_PLACE, &fullest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD));
  if (fullest.excess <= 0) return;
  std::array<double, 2> amounts{needed, memory};
  SLUICE_MPI(MPI_Bcast(amounts.data(), 2, MPI_DOUBLE, fullest.rank, MPI_COMM_WORLD));
  throw InputError("--shape", fmt::format("{:.1f} GB of arrays on one node", amounts[0] / 1e9),
                   fmt::format("less than its {:.1f} GB of memory", amounts[1] / 1e9));
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
  check_algorithm("redistribute", options.algorithm);
  if (options.problem.shape.empty())
    throw InputError("--shape", "no shape", "the extents of the array, such as 4096x4096");
  const RedistributeTask task = read(options.problem);
  if (options.mode != "auto" && !compare::redistribution_mode(options.mode))
    throw InputError("--mode", fmt::format("'{}'", options.mode), "auto, chain or local");
  const int repetitions = options.methods.times();
  int ranks = 0;
  SLUICE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  const auto check_ranks = [&](const char* where, const std::string& layout, const Distribution& distribution) {
    if (distribution.processes() <= ranks) return;
    throw InputError(where, fmt::format("{} processes in '{}'", distribution.processes(), layout),
                     ranks_expected(distribution.processes(), ranks));
  };
  const std::int64_t first_target_rank = options.apart ? task.problem.from().processes() : 0;
  check_ranks("--from", options.problem.from, task.problem.from());
  check_ranks("--to", options.problem.to, task.problem.to());
  const std::int64_t processes = first_target_rank + task.problem.to().processes();
  if (processes > ranks)
    throw InputError("--apart", fmt::format("{} processes in both grids", processes), ranks_expected(processes, ranks));
  (void)plan_redistribution(task.problem, options.algorithm, task.setup);
  const std::vector<std::string> methods = read_methods(options.methods, task, options.algorithm);
  check_memory(task, first_target_rank);
  check_outputs(options.methods.json, options.timeline);

  mpi::RedistributionOptions how;
  how.algorithm = options.algorithm;
  how.setup = task.setup;
  how.mode = mpi::parse_exchange_mode(options.mode);
  for (std::int64_t rank = first_target_rank; options.apart && rank < processes; ++rank)
    how.to_ranks.push_back(static_cast<int>(rank));
  how.part = task.problem.part();
  how.unit_diagonal = task.problem.unit_diagonal();
  how.transpose = options.problem.transpose;
  const compare::Comparison comparison = compare::redistributions(MPI_COMM_WORLD, task.shape, task.from, task.to,
                                                                  task.element_bytes, how, methods, repetitions);
  write_timeline(options.timeline, "redistribute", comparison.verified, [&] {
    how.try_native = false;
    return compare::redistributions(MPI_COMM_WORLD, task.shape, task.from, task.to, task.element_bytes, how, {"sluice"},
                                    1, true);
  });
  return show_run({"redistribute", task.title(), largest_part(task), 0}, comparison, options.methods.json);
}

}  // namespace sluice::command
