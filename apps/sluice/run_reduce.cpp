#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithm_names.hpp"
#include "command.hpp"
#include "option_values.hpp"
#include "output.hpp"
#include "ranks.hpp"
#include "run.hpp"
#include "run_output.hpp"
#include "sluice/error.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/plan/reduce_scatter.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/run/mpi/compare_reductions.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

using Operation = mpi::ReductionContents::Operation;

constexpr std::string_view kSleep = "sleep:";
constexpr std::array<std::pair<std::string_view, Operation>, 3> kOperations{{
    {"sum", Operation::kSum},
    {"matmul", Operation::kMatmul},
    {"merge", Operation::kMerge},
}};

mpi::ReductionContents read_contents(const RunReduce& options) {
  mpi::ReductionContents contents;
  if (options.count.empty()) throw InputError("--count", "nothing", "the number of elements of a rank");
  contents.count = parse_count(options.count, "--count", 0, std::numeric_limits<std::int64_t>::max() / 8);
  if (options.operation.rfind(kSleep, 0) == 0) {
    contents.operation = Operation::kSleep;
    contents.sleep_s = parse_number(options.operation.substr(kSleep.size()), "--operation") / 1000;
    return contents;
  }
  const auto* const found = std::find_if(kOperations.begin(), kOperations.end(),
                                         [&](const auto& each) { return each.first == options.operation; });
  if (found == kOperations.end())
    throw InputError("--operation", fmt::format("'{}'", options.operation), "sum, matmul, merge or sleep:MILLISECONDS");
  contents.operation = found->second;
  return contents;
}

std::vector<std::string> read_methods(const RunMethods& options, bool over_platform) {
  const std::vector<std::string> usual = mpi::reduction_methods();
  std::vector<std::string> known = usual;
  const auto add = [&](const char* problem) {
    for (const Algorithm& algorithm : algorithms(problem))
      if (std::find(known.begin(), known.end(), algorithm.name) == known.end()) known.emplace_back(algorithm.name);
  };
  add("reduce");
  if (over_platform) add("broadcast");
  return options.names(usual, [&](const std::string& name) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InputError("--method", fmt::format("'{}'", name), fmt::format("all, {}", fmt::join(known, ", ")));
    return name;
  });
}

/// What --platform makes of it.
void read_platform_of(const RunReduce& options, int ranks, mpi::ReductionSpec& spec) {
  const std::array<std::pair<const char*, bool>, 6> costs{{{"--transfer", !options.transfer.empty()},
                                                           {"--compute", !options.compute.empty()},
                                                           {"--transfer-overhead", !options.transfer_overhead.empty()},
                                                           {"--compute-overhead", !options.compute_overhead.empty()},
                                                           {"--measure", options.measure},
                                                           {"--dynamic", options.dynamic}}};
  for (const auto& [name, given] : costs)
    if (given) throw InputError(name, "--platform beside it", "either");
  check_algorithm("broadcast", options.algorithm);
  spec.platform = read_platform_option(options.platform);
  check_ranks(*spec.platform, options.platform, ranks);
  if (!options.segments.empty() && options.segments != "auto")
    spec.segments = parse_count(options.segments, "--segments", 1, std::int64_t{1} << 20);
}

mpi::ReductionSpec read_spec(const RunReduce& options, const mpi::ReductionContents& contents, int ranks) {
  mpi::ReductionSpec spec;
  spec.root = static_cast<int>(parse_count(options.root, "--root", 0, ranks - 1));
  spec.algorithm = options.algorithm;
  spec.try_native = !options.model_only;
  spec.progress_thread = !options.no_thread;
  if (!options.platform.empty()) {
    read_platform_of(options, ranks, spec);
    return spec;
  }
  if (options.algorithm != kReduceScatter) check_algorithm("reduce", options.algorithm);
  if (options.measure && (!options.transfer.empty() || !options.compute.empty()))
    throw InputError("--measure", "costs given besides", "either");
  if (options.transfer.empty() != options.compute.empty())
    throw InputError(options.transfer.empty() ? "--transfer" : "--compute", "nothing",
                     "both costs, or neither: they are measured then");
  spec.measure = options.transfer.empty();
  if (!spec.measure) {
    spec.transfer = parse_number(options.transfer, "--transfer");
    spec.compute = parse_number(options.compute, "--compute");
    if (spec.transfer == 0 && spec.compute == 0) throw InputError("--transfer", "0, as --compute", "not both 0");
  }
  const auto overhead = [&](const std::string& text, const char* option, double whole) {
    if (text.empty()) return 0.0;
    if (spec.measure) throw InputError(option, "no costs given", "--transfer and --compute");
    const double value = parse_number(text, option);
    if (value > whole) throw InputError(option, text, fmt::format("at most the whole, {}", number_text(whole)));
    return value;
  };
  spec.transfer_overhead = overhead(options.transfer_overhead, "--transfer-overhead", spec.transfer);
  spec.compute_overhead = overhead(options.compute_overhead, "--compute-overhead", spec.compute);
  if (!options.segments.empty()) {
    if (contents.operation == Operation::kMerge && options.segments != "1")
      throw InputError("--segments", options.segments, "1: a set is not cut");
    spec.segments =
        options.segments == "auto" ? 0 : parse_count(options.segments, "--segments", 1, std::int64_t{1} << 20);
    if (spec.segments == 0 && !spec.measure && spec.transfer_overhead == 0)
      throw InputError("--segments", "auto, and costs given", "--transfer-overhead, or costs that are measured");
  }
  spec.dynamic = options.dynamic;
  return spec;
}

std::string title_of(const RunReduce& options, const mpi::ReductionContents& contents, int root) {
  switch (contents.operation) {
    case Operation::kMatmul:
      return fmt::format("reduce: product of {0} x {0} matrices of 8-byte integers, a rank each, to rank {1}",
                         contents.count, root);
    case Operation::kMerge:
      return fmt::format("reduce: union of sorted sets of {} 8-byte integers, a rank each, to rank {}", contents.count,
                         root);
    case Operation::kSum:
    case Operation::kSleep:
      break;
  }
  return fmt::format("reduce: {} of {} 8-byte integers, a rank each, to rank {}", options.operation, contents.count,
                     root);
}

}  // namespace

int run_reduce(const RunReduce& options) {
  const mpi::ReductionContents contents = read_contents(options);
  const std::vector<std::string> methods = read_methods(options.methods, !options.platform.empty());
  const int repetitions = options.methods.times();
  int ranks = 0;
  SLUICE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  const mpi::ReductionSpec spec = read_spec(options, contents, ranks);
  Ranks::once([&] { check_json_target(options.methods.json); });
  const mpi::ReductionComparison comparison =
      mpi::compare_reductions(MPI_COMM_WORLD, contents, spec, methods, repetitions);
  RunSubject subject;
  subject.problem = "reduce";
  subject.title = title_of(options, contents, spec.root);
  const std::int64_t words =
      contents.operation == Operation::kMatmul ? contents.count * contents.count : contents.count;
  subject.largest_part = words * 8;
  if (spec.platform) {
    subject.notes.push_back(
        fmt::format("over {} clusters ({}); trees as if d = c", spec.platform->clusters.size(), options.platform));
  } else {
    subject.notes.push_back(fmt::format("d = {}, c = {}, {}", seconds_text(comparison.spec.transfer),
                                        seconds_text(comparison.spec.compute), spec.measure ? "measured" : "given"));
  }
  subject.notes.push_back("overlap: " + to_string(comparison.overlap));
  if (contents.operation == Operation::kMerge &&
      std::find(methods.begin(), methods.end(), "mpi-reduce") != methods.end())
    subject.notes.emplace_back("mpi-reduce: sets padded to the size of the result, as MPI_Reduce knows no other");
  return show_run(subject, comparison, options.methods.json);
}

}  // namespace sluice::command
