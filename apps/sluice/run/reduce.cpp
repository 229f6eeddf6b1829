#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/compare/compare.hpp"
#include "apps/sluice/command.hpp"
#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/process/ranks.hpp"
#include "apps/sluice/run/memory.hpp"
#include "apps/sluice/run/output.hpp"
#include "apps/sluice/run/run.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/plan/reduce_scatter.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

using Operation = compare::ReductionContents::Operation;

constexpr std::string_view kSleep = "sleep:";
constexpr std::string_view kSpin = "spin:";
constexpr std::array<std::pair<std::string_view, Operation>, 4> kOperations{{
    {"sum", Operation::kSum},
    {"matmul", Operation::kMatmul},
    {"affine", Operation::kAffine},
    {"merge", Operation::kMerge},
}};

compare::ReductionContents read_contents(const RunReduce& options) {
  compare::ReductionContents contents;
  if (options.count.empty()) throw InputError("--count", "nothing", "the number of elements of a rank");
  contents.count = parse_count(options.count, "--count", 0, std::numeric_limits<std::int64_t>::max() / 8);
  for (const auto& [name, operation] : {std::pair{kSleep, Operation::kSleep}, {kSpin, Operation::kSpin}}) {
    if (!options.operation.starts_with(name)) continue;
    contents.operation = operation;
    contents.sleep_s = parse_number(options.operation.substr(name.size()), "--operation") / 1000;
    return contents;
  }
  const auto* const found = std::find_if(kOperations.begin(), kOperations.end(),
                                         [&](const auto& each) { return each.first == options.operation; });
  if (found == kOperations.end())
    throw InputError("--operation", fmt::format("'{}'", options.operation),
                     "sum, matmul, affine, merge, sleep:MILLISECONDS or spin:MILLISECONDS");
  contents.operation = found->second;
  return contents;
}

std::vector<std::string> read_methods(const RunMethods& options, bool over_platform) {
  const std::vector<std::string> usual = compare::reduction_methods();
  std::vector<std::string> known = usual;
  const auto add_name = [&](std::string_view name) {
    if (std::find(known.begin(), known.end(), name) == known.end()) known.emplace_back(name);
  };
  const auto add = [&](std::string_view problem) {
    for (const Algorithm& algorithm : algorithms(problem)) add_name(algorithm.name);
  };
  for (const std::string& name : compare::reductions_of_mpi()) add_name(name);
  add("reduce");
  if (over_platform) {
    add("broadcast");
    add(kReductionPrograms);
  }
  return options.names(usual, [&](const std::string& name) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InputError("--methods", fmt::format("'{}'", name), fmt::format("all, {}", fmt::join(known, ", ")));
    return name;
  });
}

/// What --platform makes of it.
void read_platform_of(const RunReduce& options, bool objects, int ranks, mpi::ReductionOptions& how) {
  const std::array<std::pair<const char*, bool>, 6> refused{
      {{"--transfer", !options.transfer.empty()},
       {"--transfer-overhead", !options.transfer_overhead.empty()},
       {"--compute-overhead", !options.compute_overhead.empty()},
       {"--dynamic", options.dynamic},
       {"--compute", objects && !options.compute.empty()},  // what merging takes is always measured
       {"--measure", objects && options.measure}}};
  for (const auto& [name, given] : refused)
    if (given) throw InputError(name, "cannot be used with --platform", "one of the two");
  if (options.measure && !options.compute.empty())
    throw InputError("--measure", "cannot be used with --compute", "one of the two");
  how.measure = options.measure;
  if (!options.compute.empty()) how.costs = {.transfer = 0, .compute = parse_seconds(options.compute, "--compute")};
  if (objects)
    check_algorithm("reduce", options.algorithm);
  else
    check_broadcast_algorithm(options.algorithm, true);
  if (!options.effort.empty()) how.effort = parse_positive_number(options.effort, "--effort");
  how.platform = read_platform_option(options.platform);
  check_ranks(*how.platform, options.platform, ranks);
  if (!options.segments.empty() && options.segments != "auto")
    how.segments = parse_count(options.segments, "--segments", 1, std::int64_t{1} << 20);
}

/// None: the usual ones, or what is measured.
std::optional<mpi::ReductionCosts> read_costs(const RunReduce& options) {
  if (options.measure && (!options.transfer.empty() || !options.compute.empty()))
    throw InputError("--measure", "cannot be used with --transfer or --compute", "one of the two");
  if (options.transfer.empty() != options.compute.empty())
    throw InputError(options.transfer.empty() ? "--transfer" : "--compute", "nothing", "both costs, or neither");
  const bool given = !options.transfer.empty();
  mpi::ReductionCosts costs;
  if (given) {
    costs.transfer = parse_seconds(options.transfer, "--transfer");
    costs.compute = parse_seconds(options.compute, "--compute");
    if (costs.transfer == 0 && costs.compute == 0) throw InputError("--transfer", "0, as --compute", "not both 0");
  }
  const auto overhead = [&](const std::string& text, const char* option, double whole) {
    if (text.empty()) return 0.0;
    if (!given) throw InputError(option, "no costs given", "--transfer and --compute");
    const double value = parse_seconds(text, option);
    if (value > whole) throw InputError(option, text, fmt::format("at most the whole, {}", seconds_text(whole)));
    return value;
  };
  costs.transfer_overhead = overhead(options.transfer_overhead, "--transfer-overhead", costs.transfer);
  costs.compute_overhead = overhead(options.compute_overhead, "--compute-overhead", costs.compute);
  return given ? std::optional(costs) : std::nullopt;
}

/// The number of words of 8 bytes on each rank.
std::int64_t words_of(const compare::ReductionContents& contents) {
  return contents.operation == Operation::kMatmul
             ? checked::multiply(contents.count, contents.count, "elements of a matrix")
             : contents.count;
}

/// Names what makes a program of other elements fit. The job refuses programs of other problems, and all for sets.
void check_elements(const Program& program, const compare::ReductionContents& contents) {
  const std::int64_t bytes = contents.operation == Operation::kMatmul ? 8 * words_of(contents) : 8;
  if (program.problem == Collective::kReduce && contents.operation != Operation::kMerge &&
      program.element_bytes != bytes)
    throw InputError("--program", "elements of " + count_text(program.element_bytes, "byte"),
                     fmt::format("{0}, as plan writes with --element-bytes {0}", bytes));
}

mpi::ReductionOptions read_how(const RunReduce& options, const compare::ReductionContents& contents, int ranks) {
  mpi::ReductionOptions how;
  how.program = read_program_option(options.program, options.platform);
  if (how.program) check_elements(*how.program, contents);
  how.algorithm = options.algorithm;
  how.try_native = !options.model_only;
  how.progress_thread = !options.no_thread;
  if (options.reproducible) {
    for (const auto& [name, given] : {std::pair{"--measure", options.measure}, {"--dynamic", options.dynamic}})
      if (given) throw InputError(name, "cannot be used with --reproducible", "one of the two");
    how.reproducible = true;
  }
  if (contents.operation == Operation::kMerge && !options.segments.empty() && options.segments != "1")
    throw InputError("--segments", options.segments, "1: a set is not cut");
  if (!options.platform.empty()) {
    read_platform_of(options, contents.operation == Operation::kMerge, ranks, how);
    return how;
  }
  if (!options.effort.empty())
    throw InputError("--effort", "no --platform", "a platform file: nothing is searched for without one");
  if (options.algorithm != kReduceScatter) check_algorithm("reduce", options.algorithm);
  how.costs = read_costs(options);
  how.measure = options.measure;
  if (!options.segments.empty()) {
    how.segments =
        options.segments == "auto" ? 0 : parse_count(options.segments, "--segments", 1, std::int64_t{1} << 20);
    if (how.segments == 0 && how.costs && how.costs->transfer_overhead == 0)
      throw InputError("--segments", "auto, and costs given", "--transfer-overhead, or costs that are measured");
  }
  how.dynamic = options.dynamic;
  return how;
}

std::string title_of(const RunReduce& options, const compare::ReductionContents& contents, int root) {
  switch (contents.operation) {
    case Operation::kMatmul:
      return fmt::format("reduce: product of {0} x {0} matrices of 8-byte integers, one on each rank, to rank {1}",
                         contents.count, root);
    case Operation::kAffine:
      return fmt::format("reduce: composition of {} maps x -> a x + b of 8 bytes on each rank, to rank {}",
                         contents.count, root);
    case Operation::kMerge:
      return fmt::format("reduce: union of sorted sets of {} 8-byte integers, one set on each rank, to rank {}",
                         contents.count, root);
    case Operation::kSum:
    case Operation::kSleep:
    case Operation::kSpin:
      break;
  }
  return fmt::format("reduce: {} of {} 8-byte integers on each rank, to rank {}", options.operation, contents.count,
                     root);
}

}  // namespace

int run_reduce(const RunReduce& options) {
  const compare::ReductionContents contents = read_contents(options);
  const std::vector<std::string> methods = read_methods(options.methods, !options.platform.empty());
  const int repetitions = options.methods.times();
  int ranks = 0;
  SLUICE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  const auto root = static_cast<int>(parse_count(options.root, "--root", 0, ranks - 1));
  check_memory(2 * 8 * static_cast<double>(words_of(contents)), "--count");  // what it has, and the result
  mpi::ReductionOptions how = read_how(options, contents, ranks);
  check_outputs(options.methods.json, options.timeline);
  const compare::ReductionComparison comparison =
      compare::reductions(MPI_COMM_WORLD, contents, root, how, methods, repetitions);
  write_timeline(options.timeline, "reduce", comparison, [&] {
    how.try_native = false;
    return compare::reductions(MPI_COMM_WORLD, contents, root, how, {"sluice"}, 1, true);
  });
  RunSubject subject;
  subject.problem = "reduce";
  subject.title = title_of(options, contents, root);
  subject.largest_part = words_of(contents) * 8;
  if (how.platform) {
    std::string combining = "combining as if it were free";
    if (contents.operation == Operation::kMerge) {
      combining = "by what merging takes, measured";
    } else if (how.measure || how.costs) {
      combining = fmt::format("c = {}, {}", seconds_text(comparison.costs.compute), how.measure ? "measured" : "given");
    }
    subject.notes.push_back(fmt::format("over {} ({}); {}; other trees as if d = c",
                                        count_text(how.platform->clusters.size(), "cluster"), options.platform,
                                        combining));
  } else if (!how.program) {
    subject.notes.push_back(how.measure || how.costs
                                ? fmt::format("d = {}, c = {}, {}", seconds_text(comparison.costs.transfer),
                                              seconds_text(comparison.costs.compute),
                                              how.measure ? "measured" : "given")
                                : "trees by the usual costs of this size; --measure: by measured costs");
  }
  subject.notes.push_back("overlap: " + to_string(comparison.overlap));
  for (const std::string& name : compare::reductions_of_mpi())
    if (contents.operation == Operation::kMerge && std::find(methods.begin(), methods.end(), name) != methods.end())
      subject.notes.push_back(name + ": sets padded to the size of the result, as MPI knows no other");
  return show_run(subject, comparison, options.methods);
}

}  // namespace sluice::command
