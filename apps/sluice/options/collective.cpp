#include "apps/sluice/options/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "apps/sluice/options/broadcast.hpp"
#include "apps/sluice/options/combining.hpp"
#include "apps/sluice/options/values.hpp"
#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/read_file.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

std::string about(Collective collective) {
  switch (collective) {
    case Collective::kScatter:
      return "give each rank its block of what one has";
    case Collective::kGather:
      return "bring the blocks of all ranks to one";
    case Collective::kAllgather:
      return "give all ranks the blocks of all";
    case Collective::kReduceScatter:
      return "combine arrays of all ranks, a share of the result to each";
    case Collective::kAllreduce:
      return "combine arrays of all ranks, the result to all";
    case Collective::kAlltoall:
      return "send a block from every rank to every rank";
    default:
      return std::string(to_string(collective));
  }
}

void CollectiveInput::add_to(CLI::App& verb) {
  verb.add_option("--platform", platform, "the network, a platform file (needed, or --node-link)")->option_text("FILE");
  network.add_to(verb, platform);
  const char* of = collective == Collective::kAlltoall ? "bytes of the block from one rank to another"
                   : combines(collective)              ? "bytes of the array that each rank has"
                                                       : "bytes of the block of one rank";
  verb.add_option("--size", size, fmt::format("{}, such as 16Ki (needed)", of))->option_text("BYTES");
  if (has_blocks(collective)) {
    const char* each = collective == Collective::kAlltoall        ? "bytes from each rank to each, a line per sender"
                       : collective == Collective::kReduceScatter ? "bytes of the share of each rank"
                                                                  : "bytes of the block of each rank";
    verb.add_option("--counts", counts, fmt::format("{}, in place of --size: a list, or a file (.csv, .mtx)", each))
        ->option_text("A,B,..|FILE");
    format.add_to(verb);
  }
  if (has_root(collective))
    verb.add_option("--root", root,
                    collective == Collective::kGather ? "the rank that gets all" : "the rank that has all")
        ->option_text("RANK [0]");
  if (!combines(collective)) return;
  verb.add_option("--element-bytes", element_bytes, "the size of an element; elements are never cut")
      ->option_text("N [8]");
  verb.add_flag("--in-order", in_order, "the operation does not commute: ranks are combined in their order");
  if (collective != Collective::kAllreduce) return;
  verb.add_option("--segments", segments,
                  "set the number of segments of chain, ordered-tree and grouped-pipeline; otherwise the best of some")
      ->option_text("S");
}

void CollectiveInput::add_compute_to(CLI::App& verb) {
  if (combines(collective)) combining.add_to(verb);
}

void CollectiveInput::add_effort_to(CLI::App& verb) {
  verb.add_option("--effort", effort,
                  "how long plans are replayed: 1 is some seconds at most. The work is counted, so every machine gets "
                  "the same plan")
      ->option_text("N [1]");
}

void CollectiveInput::add_limits_to(CLI::App& verb) {
  add_effort_to(verb);
  verb.add_option("--time-limit", time_limit, "end planning at this time")->option_text("SECONDS");
}

std::string CollectiveTask::title() const {
  const char* of = problem.problem == Collective::kAlltoall ? "per pair of ranks" : "per rank";
  std::string root;
  if (has_root(problem.problem))
    root = fmt::format(", {} rank {}", problem.problem == Collective::kGather ? "to" : "from", problem.root);
  std::string where;
  if (!file.empty()) where = fmt::format(" in {} ({})", count_text(platform.clusters.size(), "cluster"), file);
  std::string size = bytes_text(problem.size_bytes);
  if (!problem.block_bytes.empty()) {
    const auto [least, most] = std::minmax_element(problem.block_bytes.begin(), problem.block_bytes.end());
    size = fmt::format("{} to {}", bytes_text(*least), bytes_text(*most));
    if (problem.problem == Collective::kReduceScatter) of = "per share";
  }
  return fmt::format("{}: {} {}{}, {}{}{}", to_string(problem.problem), size, of, root,
                     count_text(platform.ranks, "rank"), where,
                     combining_text(problem.combine_s_per_byte, problem.element_bytes));
}

ProgramPlan CollectiveTask::planned_by(const std::string& algorithm) const {
  ProgramOptions how = options;
  how.algorithm = algorithm;
  return plan_program(platform, problem, how);
}

namespace {

constexpr const char* kCounts = "--counts";

/// Reads the sizes of blocks, by ranks or by pairs of ranks, from a file. `ranks`: how many there are, 0 for any
/// number.
std::vector<std::int64_t> read_counts_file(const std::string& file, TrafficFormat format, bool pairs,
                                           std::int64_t ranks) {
  if (!pairs && format.kind == TrafficFormat::Kind::kFound && !file.ends_with(".mtx"))
    format.kind = TrafficFormat::Kind::kMatrix;  // one line of sizes
  const Traffic traffic = take_traffic(file, format);
  if (traffic.decimals != 0) throw InputError(file, "sizes with a fraction", "whole bytes");
  const bool line = !pairs && (traffic.senders == 1 || traffic.receivers == 1);
  if (ranks == 0) ranks = pairs ? traffic.senders : std::max(traffic.senders, traffic.receivers);
  const bool fits = pairs ? traffic.senders == ranks && traffic.receivers == ranks
                          : line && traffic.senders * traffic.receivers == ranks;
  if (!fits)
    throw InputError(file, fmt::format("{} x {} sizes", traffic.senders, traffic.receivers),
                     pairs ? fmt::format("{0} x {0}, one for each pair of ranks", ranks)
                           : fmt::format("{}, one for each rank, in one line", ranks));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(traffic.senders * traffic.receivers), 0);
  for (const Message& message : traffic.messages)
    counts[static_cast<std::size_t>(message.from * traffic.receivers + message.to)] += message.size;
  return counts;
}

/// The number of ranks that `sizes` sizes of blocks are for.
std::int64_t ranks_of(Collective collective, std::size_t sizes) {
  const auto count = static_cast<std::int64_t>(sizes);
  if (collective != Collective::kAlltoall) return count;
  std::int64_t ranks = 1;
  while (ranks * ranks < count) ++ranks;
  return ranks;
}

std::vector<std::int64_t> read_counts(const std::string& text, const TrafficFormat& format, Collective collective,
                                      std::int64_t ranks) {
  const bool pairs = collective == Collective::kAlltoall;
  for (const char* end : {".mtx", ".csv", ".tsv"})
    if (text.ends_with(end)) return read_counts_file(text, format, pairs, ranks);
  std::vector<std::int64_t> counts;
  for (const std::string& each : parse_list(text)) counts.push_back(parse_bytes(each, kCounts));
  if (ranks == 0) ranks = ranks_of(collective, counts.size());
  const std::int64_t expected = pairs ? ranks * ranks : ranks;
  if (static_cast<std::int64_t>(counts.size()) != expected)
    throw InputError(kCounts, count_text(counts.size(), "size"),
                     fmt::format("{}, one for each {}", expected, pairs ? "pair of ranks" : "rank"));
  return counts;
}

}  // namespace

void check_segments(const CollectiveInput& options, const std::string& algorithm) {
  constexpr std::array<std::string_view, 4> kInSegments{"auto", "chain", "ordered-tree", "grouped-pipeline"};
  if (!options.segments.empty() && std::ranges::find(kInSegments, algorithm) == kInSegments.end())
    throw InputError("--segments", "algorithm " + algorithm,
                     "--algorithm chain, ordered-tree, grouped-pipeline or auto");
}

CollectiveTask read(const CollectiveInput& options, std::int64_t ranks) {
  constexpr std::int64_t kMostSegments = 1 << 20;
  CollectiveTask task;
  task.problem.problem = options.collective;
  const bool listed = !options.counts.empty();
  if (listed && !options.size.empty()) throw InputError(kCounts, "cannot be used with --size", "one of the two");
  if (!listed && options.size.empty())
    throw InputError("--size", "nothing",
                     has_blocks(options.collective) ? "bytes, such as 16Ki, or --counts" : "bytes, such as 16Ki");
  if (!listed) task.problem.size_bytes = parse_bytes(options.size, "--size");
  if (options.platform.empty() && ranks > 0) {
    task.platform.ranks = ranks;
  } else {
    if (listed && leaves_ranks_open(options.platform)) {
      task.problem.block_bytes = read_counts(options.counts, options.format.read(), options.collective, 0);
      ranks = ranks_of(options.collective, task.problem.block_bytes.size());
    }
    task.platform = read_platform_option(options.platform, ranks);
    task.file = shown_path(options.platform);
  }
  task.options.effort = parse_positive_number(options.effort, "--effort");
  if (!options.time_limit.empty()) task.time_limit_s = parse_seconds(options.time_limit, "--time-limit");
  task.problem.root = parse_count(options.root, "--root", 0, task.platform.ranks - 1);
  if (listed && task.problem.block_bytes.empty())
    task.problem.block_bytes =
        read_counts(options.counts, options.format.read(), options.collective, task.platform.ranks);
  if (!combines(options.collective)) return task;
  task.problem.element_bytes = parse_count(options.element_bytes, "--element-bytes", 1, std::int64_t{1} << 40);
  if (task.problem.size_bytes % task.problem.element_bytes != 0)
    throw InputError("--size", count_text(task.problem.size_bytes, "byte"),
                     fmt::format("whole elements of {}", count_text(task.problem.element_bytes, "byte")));
  for (const std::int64_t share : task.problem.block_bytes)
    if (share % task.problem.element_bytes != 0)
      throw InputError(kCounts, count_text(share, "byte"),
                       fmt::format("whole elements of {}", count_text(task.problem.element_bytes, "byte")));
  task.problem.combine_s_per_byte = read(options.combining, task.platform.ranks, task.problem.element_bytes);
  task.problem.commutative = !options.in_order;
  if (!options.segments.empty()) task.options.segments = parse_count(options.segments, "--segments", 1, kMostSegments);
  return task;
}

}  // namespace sluice::command
