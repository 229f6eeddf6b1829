#include "apps/sluice/options/broadcast.hpp"

#include <fmt/format.h>

#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/options/values.hpp"
#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/plan/reversed_broadcast.hpp"
#include "sluice/read_file.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

void BroadcastInput::add_to(CLI::App& verb) {
  verb.add_option("--platform", platform, "the network, a platform file (needed, or --node-link)")->option_text("FILE");
  network.add_to(verb, platform);
  verb.add_option("--size", size, "bytes of the message, such as 4Mi (needed)")->option_text("BYTES");
  verb.add_option("--root", root, "the rank that has it")->option_text("RANK [0]");
  verb.add_option("--segments", segments,
                  "cut the message into S parts that follow each other; 1: send it whole through one tree")
      ->option_text("S");
  offer(verb.add_option("--inside", inside, "how trees broadcast inside clusters, a strategy of predict broadcast"),
        {"flat", "segmented-flat", "chain", "segmented-chain", "binary", "binomial", "segmented-binomial",
         "scatter-allgather", "segmented-binary", "double-tree", "circulant", "d-ary"})
      ->option_text("NAME");
  offer(verb.add_option("--lookahead", lookahead, "of ecef-la: min, average or average-sets"),
        {"min", "average", "average-sets"})
      ->option_text("NAME [min]");
  verb.add_flag("--early-internal", early_internal,
                "auto, exact: a cluster may broadcast inside before its last sends; needs --segments 1");
  verb.add_option("--effort", effort,
                  "how long auto and exact search: 1 is about a second. The work is counted, so every machine gets the "
                  "same plan")
      ->option_text("N [1]");
  verb.add_option("--time-limit", time_limit, "end the search of auto and exact at this time")->option_text("SECONDS");
}

void ReversedInput::add_to(CLI::App& verb) {
  verb.add_flag(
      "--reversed", reversed,
      "plan a reduction to the root, as run reduce --platform does, by any kind of program. Options of the broadcast "
      "or its tree, and --tree, allow only a broadcast played backwards");
  verb.add_option("--element-bytes", element_bytes,
                  "with --reversed: the size of an element, which is never cut, such as 8 for what run reduce "
                  "--program carries out")
      ->option_text("N [1]");
  combining.add_to(verb, "with --reversed: ");
  verb.add_flag("--in-order", in_order,
                "with --reversed: combine in the order of the ranks, for operations that do not commute; by a program");
}

void check(const ReversedInput& options) {
  if (options.reversed) return;
  if (!options.element_bytes.empty())
    throw InputError("--element-bytes", options.element_bytes,
                     "nothing without --reversed: a broadcast has no elements");
  if (options.in_order)
    throw InputError("--in-order", "no --reversed", "--reversed as well: a broadcast combines nothing");
  if (const char* option = options.combining.option())
    throw InputError(option, options.combining.compute + options.combining.costs,
                     "nothing without --reversed: a broadcast combines nothing");
}

namespace {

std::int64_t read_size(const BroadcastInput& options) {
  if (options.size.empty()) throw InputError("--size", "nothing", "the bytes of the message, such as 4Mi");
  return parse_bytes(options.size, "--size");
}

}  // namespace

void refuse_native(const BroadcastPlan& plan, const std::string& option) {
  if (!plan.native.empty())
    throw InputError(option, "a plan that leaves some ranks to MPI_Bcast",
                     "one of messages alone, such as --algorithm pipelined");
}

Platform read_platform_option(const std::string& path, std::int64_t ranks) {
  if (path.empty())
    throw InputError("--platform", "nothing", "a platform file, or --node-link SPEED --ranks-per-node N");
  if (is_node_link_text(path)) return platform_of_node_link(path, ranks);
  return read_platform(path);
}

void check_ranks(const Platform& platform, const std::string& file, int ranks) {
  if (platform.ranks != ranks)
    throw InputError(file, count_text(platform.ranks, "rank"),
                     fmt::format("as many as mpirun started: {}; start it with mpirun -np {}", ranks, platform.ranks));
}

bool BroadcastInput::asks_for_a_plan() const {
  return !segments.empty() || !inside.empty() || lookahead != BroadcastInput().lookahead || early_internal ||
         effort != BroadcastInput().effort || !time_limit.empty();
}

BroadcastTask read_without_platform(const BroadcastInput& options, std::int64_t ranks) {
  BroadcastTask task;
  task.bytes = read_size(options);
  task.platform.ranks = ranks;
  task.root = parse_count(options.root, "--root", 0, ranks - 1);
  return task;
}

std::string BroadcastTask::title() const {
  if (file.empty())
    return fmt::format("broadcast: {} from rank {} to {}", bytes_text(bytes), root, count_text(platform.ranks, "rank"));
  return fmt::format("broadcast: {} from rank {} to {} in {} ({})", bytes_text(bytes), root,
                     count_text(platform.ranks, "rank"), count_text(platform.clusters.size(), "cluster"), file);
}

BroadcastPlan BroadcastTask::planned_by(const std::string& algorithm, bool messages) const {
  BroadcastOptions how = options;
  how.algorithm = algorithm;
  how.messages = messages;
  return plan_broadcast(platform, root, bytes, how);
}

std::string BroadcastTask::reversed_title(const Program& program) const {
  return fmt::format("reduce: {} of {} in {} to rank {} ({}){}{}", bytes_text(bytes),
                     count_text(platform.ranks, "rank"), count_text(platform.clusters.size(), "cluster"), root, file,
                     program.commutative ? "" : ", in the order of the ranks",
                     combining_text(program.combine_s_per_byte, program.element_bytes));
}

BroadcastOptions BroadcastTask::options_of_reduction(const std::string& algorithm) const {
  if (options.early_internal)
    throw InputError("--reversed", "cannot be used with --early-internal", "clusters that combine before they receive");
  BroadcastOptions how = options;
  how.algorithm = algorithm;
  return how;
}

std::int64_t BroadcastTask::element_bytes_of(const ReversedInput& reversed) const {
  const std::int64_t element_bytes =
      reversed.element_bytes.empty() ? 1
                                     : parse_count(reversed.element_bytes, "--element-bytes", 1, std::int64_t{1} << 40);
  if (bytes % element_bytes != 0)
    throw InputError("--size", count_text(bytes, "byte"),
                     fmt::format("whole elements of {}", count_text(element_bytes, "byte")));
  return element_bytes;
}

ReversedPlan BroadcastTask::reversed_by(const std::string& algorithm, const ReversedInput& reversed) const {
  const std::int64_t element_bytes = element_bytes_of(reversed);
  return plan_reversed_broadcast(platform, root, bytes / element_bytes, element_bytes, options_of_reduction(algorithm));
}

bool BroadcastTask::leaves_reduction_open(const std::string& algorithm) const {
  return algorithm == "auto" && options.segments == 0 && options.inside.empty();
}

bool needs_program(const std::string& algorithm, const ReversedInput& reversed) {
  return reversed.in_order || has_algorithm(kReductionPrograms, algorithm) || reversed.combining.option() != nullptr;
}

void check_broadcast_algorithm(const std::string& name, bool reversed) {
  if (!reversed || !is_algorithm(kReductionPrograms, name)) check_algorithm("broadcast", name);
}

ProgramPlan BroadcastTask::costly_reduction_by(const std::string& algorithm, const ReversedInput& reversed) const {
  const std::int64_t element_bytes = element_bytes_of(reversed);
  return plan_costly_reduction(platform, root, bytes / element_bytes, element_bytes,
                               read(reversed.combining, platform.ranks, element_bytes), options_of_reduction(algorithm),
                               !reversed.in_order);
}

BroadcastTask read(const BroadcastInput& options) {
  constexpr std::int64_t kMostSegments = 1 << 20;
  BroadcastTask task;
  task.bytes = read_size(options);
  task.platform = read_platform_option(options.platform);
  task.file = shown_path(options.platform);
  task.root = parse_count(options.root, "--root", 0, task.platform.ranks - 1);
  if (!options.segments.empty()) task.options.segments = parse_count(options.segments, "--segments", 1, kMostSegments);
  if (options.lookahead != "min" && options.lookahead != "average" && options.lookahead != "average-sets")
    throw InputError("--lookahead", "'" + options.lookahead + "'", "one of min, average, average-sets");
  task.options.lookahead = options.lookahead;
  task.options.inside = options.inside;
  task.options.early_internal = options.early_internal;
  if (options.early_internal && task.options.segments != 1)
    throw InputError("--early-internal", "no --segments 1", "--segments 1 as well: the message whole");
  task.options.effort = parse_positive_number(options.effort, "--effort");
  if (!options.time_limit.empty()) task.time_limit_s = parse_seconds(options.time_limit, "--time-limit");
  task.options.stop = TimeLimit(task.time_limit_s).stop();
  return task;
}

}  // namespace sluice::command
