#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include "apps/compare/compare.hpp"
#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/process/ranks.hpp"
#include "apps/sluice/run/memory.hpp"
#include "apps/sluice/run/output.hpp"
#include "apps/sluice/run/run.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::command {

namespace {

/// For a job that knows nothing of the network. Throws InputError where more is asked for.
BroadcastTask read_without_platform(const RunBroadcast& options, const std::vector<std::string>& methods, int ranks) {
  const bool planned = std::ranges::any_of(methods, [](const auto& name) { return is_algorithm("broadcast", name); });
  const bool given = !options.program.empty();
  if (planned || (!given && (options.model_only || options.timeline.wanted())) || options.problem.asks_for_a_plan())
    throw InputError("--platform", "nothing", "a platform file, for methods and options of plans");
  return read_without_platform(options.problem, ranks);
}

}  // namespace

int run_broadcast(const RunBroadcast& options) {
  const std::vector<std::string> usual = compare::broadcast_methods();
  const std::vector<std::string> methods = options.methods.names(usual, [&](const std::string& name) {
    const std::vector<std::string> of_mpi = compare::broadcasts_of_mpi();
    if (name != "sluice" && !std::ranges::count(of_mpi, name) && !is_algorithm("broadcast", name))
      throw InputError(
          "--methods", fmt::format("'{}'", name),
          fmt::format("all, sluice, {}, {}", fmt::join(of_mpi, ", "), fmt::join(algorithm_names("broadcast"), ", ")));
    return name;
  });
  const int repetitions = options.methods.times();
  int ranks = 0;
  SLUICE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  const bool told = !options.problem.platform.empty();
  mpi::BroadcastOptions how;
  how.program = read_program_option(options.program, options.problem.platform);
  const BroadcastTask task = told ? read(options.problem) : read_without_platform(options, methods, ranks);
  if (told) check_ranks(task.platform, task.file, ranks);
  if (told) how.platform = task.platform;
  how.plan = task.options;
  how.try_native = !options.model_only;
  // The job refuses it in its first execution, on some ranks because others have.
  if (how.program && how.program->size_bytes != task.bytes)
    throw InputError("--size in bytes", fmt::format("{}", task.bytes),
                     fmt::format("the {} of the program", how.program->size_bytes));
  check_memory(static_cast<double>(task.bytes), "--size");
  check_outputs(options.methods.json, options.timeline);
  const compare::Comparison comparison =
      compare::broadcasts(MPI_COMM_WORLD, static_cast<int>(task.root), task.bytes, how, methods, repetitions);
  write_timeline(options.timeline, "broadcast", comparison, [&] {
    how.try_native = false;
    return compare::broadcasts(MPI_COMM_WORLD, static_cast<int>(task.root), task.bytes, how, {"sluice"}, 1, true);
  });
  RunSubject subject;
  subject.problem = "broadcast";
  subject.title = task.title();
  subject.largest_part = task.bytes;
  return show_run(subject, comparison, options.methods);
}

}  // namespace sluice::command
