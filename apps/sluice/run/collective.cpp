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

/// Its array and its blocks.
Program shape_of(const ProgramProblem& problem, int ranks) {
  Program shape;
  shape.problem = problem.problem;
  shape.ranks = ranks;
  shape.size_bytes = problem.size_bytes;
  shape.root = problem.root;
  shape.element_bytes = problem.element_bytes;
  if (!problem.block_bytes.empty()) set_blocks(shape, problem.block_bytes);
  return shape;
}

/// Bytes that this rank has before and after.
double own_bytes(const Program& shape) {
  int rank = 0;
  SLUICE_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  (void)array_bytes(shape);  // throws where it is more than an int64 holds
  return static_cast<double>(total_bytes(ranges_at_start(shape, rank))) +
         static_cast<double>(total_bytes(ranges_at_end(shape, rank)));
}

/// The most bytes that a rank gives.
std::int64_t largest_source(const Program& shape) {
  std::int64_t most = 0;
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank)
    for (const ByteRange& range : ranges_at_start(shape, rank)) most = std::max(most, range.bytes);
  return most;
}

}  // namespace

int run_collective(const RunCollective& options) {
  const Collective problem = options.problem.collective;
  const std::vector<std::string> usual = compare::collective_methods(problem);
  const std::vector<std::string> methods = options.methods.names(usual, [&](const std::string& name) {
    if (std::find(usual.begin(), usual.end(), name) == usual.end() && !is_algorithm(to_string(problem), name))
      throw InputError("--methods", fmt::format("'{}'", name),
                       fmt::format("all, {}, {}", fmt::join(usual, ", "), algorithm_list(to_string(problem))));
    return name;
  });
  const int repetitions = options.methods.times();
  check_algorithm(to_string(problem), options.algorithm);
  check_segments(options.problem, options.algorithm);
  int ranks = 0;
  SLUICE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  compare::CollectiveContents contents;
  contents.problem = problem;
  contents.in_order = options.problem.in_order;
  CollectiveInput input = options.problem;
  input.element_bytes = fmt::format("{}", element_bytes(contents));
  const CollectiveTask task = read(input, ranks);
  contents.bytes = task.problem.size_bytes;
  contents.counts = task.problem.block_bytes;
  contents.root = static_cast<int>(task.problem.root);
  mpi::CollectiveOptions how;
  if (!task.file.empty()) {
    check_ranks(task.platform, task.file, ranks);
    how.platform = task.platform;
  }
  how.algorithm = options.algorithm;
  how.segments = task.options.segments;
  how.effort = task.options.effort;
  if (task.file.empty() && input.effort != CollectiveInput().effort)
    throw InputError("--effort", "no --platform", "a platform file to plan over");
  how.try_native = !options.model_only;
  how.program = read_program_option(options.program, input.platform);
  if (how.program && (options.algorithm != "auto" || how.segments != 0))
    throw InputError("--program", "cannot be used with --algorithm or --segments", "the program alone");
  const Program shape = shape_of(task.problem, ranks);
  check_memory(own_bytes(shape), input.counts.empty() ? "--size" : "--counts");
  check_outputs(options.methods.json, options.timeline);
  const compare::Comparison comparison = compare::collectives(MPI_COMM_WORLD, contents, how, methods, repetitions);
  write_timeline(options.timeline, std::string(to_string(problem)), comparison, [&] {
    how.try_native = false;
    return compare::collectives(MPI_COMM_WORLD, contents, how, {"sluice"}, 1, true);
  });
  RunSubject subject;
  subject.problem = to_string(problem);
  subject.title = task.title();
  subject.largest_part = largest_source(shape);
  return show_run(subject, comparison, options.methods);
}

}  // namespace sluice::command
