#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/infinity.hpp"
#include "plan/candidates.hpp"
#include "plan/collective/registry.hpp"
#include "plan/estimated_name.hpp"
#include "plan/patterns/patterns.hpp"
#include "plan/patterns/swapped_ranks.hpp"
#include "schedule/most_combining.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/timing/program_replay.hpp"
#include "timing/clock.hpp"

namespace sluice {
namespace {

using detail::ProgramPlanner;
using detail::ProgramTask;
using detail::ProgramVariant;

void check_combining(std::int64_t ranks, const CombiningCosts& costs) {
  const std::vector<double>& by_rank = costs.by_rank();
  if (!by_rank.empty() && std::cmp_not_equal(by_rank.size(), ranks))
    throw InputError("combining", count_text(by_rank.size(), "cost"), fmt::format("{}, one for each rank", ranks));
  for (const double each : by_rank.empty() ? std::vector{costs.of(0)} : by_rank)
    if (!detail::may_be_combining(each))
      throw InputError("combining", fmt::format("{} s per byte", each), fmt::format("0 to {}", detail::kMostCombining));
}

Program shape_of(std::int64_t ranks, const ProgramProblem& problem) {
  Program shape;
  shape.problem = problem.problem;
  shape.ranks = ranks;
  shape.size_bytes = problem.size_bytes;
  shape.root = problem.root;
  shape.element_bytes = combines(problem.problem) ? problem.element_bytes : 1;
  shape.commutative = !combines(problem.problem) || problem.commutative;
  if (!problem.block_bytes.empty()) shape.size_bytes = 0;
  if (shape.size_bytes < 0) throw InputError("size", count_text(problem.size_bytes, "byte"), "at least 0");
  if (problem.root < 0 || problem.root >= ranks)
    throw InputError("root", fmt::format("{}", problem.root), index_text(ranks, "rank"));
  if (!has_root(problem.problem)) shape.root = 0;
  if (shape.element_bytes < 1 || shape.size_bytes % shape.element_bytes != 0)
    throw InputError("element bytes", fmt::format("{}", shape.element_bytes),
                     fmt::format("a divisor of {}", count_text(shape.size_bytes, "byte")));
  if (!problem.block_bytes.empty()) set_blocks(shape, problem.block_bytes);
  (void)array_bytes(shape);
  check_combining(ranks, problem.combine_s_per_byte);
  if (combines(problem.problem)) shape.combine_s_per_byte = problem.combine_s_per_byte;
  return shape;
}

Program shape_of(const Platform& platform, const ProgramProblem& problem) {
  check_platform(platform, "platform");
  return shape_of(platform.ranks, problem);
}

/// The runs that ProgramTask has.
std::vector<detail::Ranks> runs_of(const detail::RankNetwork& network) {
  const std::int64_t ranks = network.platform().ranks;
  std::vector<std::size_t> group_of(static_cast<std::size_t>(ranks));
  std::vector<detail::Ranks> runs;
  const auto add = [&] {
    detail::Ranks starts;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      if (r == 0 || group_of[r] != group_of[r - 1]) starts.push_back(rank);
    }
    // A level that equals the one inside it, or is one run, tells nothing.
    if (starts.size() > 1 && (runs.empty() || starts.size() != runs.back().size())) runs.push_back(std::move(starts));
  };
  for (std::size_t level = network.levels().levels(); level-- > 0;) {
    std::size_t number = 0;
    for (const detail::RankGroup& group : network.groups_from(0, level)) {
      for (const std::int64_t rank : group.ranks) group_of[static_cast<std::size_t>(rank)] = number;
      ++number;
    }
    add();
  }
  for (std::int64_t rank = 0; rank < ranks; ++rank) group_of[static_cast<std::size_t>(rank)] = network.cluster(rank);
  add();
  return runs;
}

ProgramTask task_of(const detail::RankNetwork& network, const Program& shape, std::int64_t segments) {
  ProgramTask task{shape, {}, {}, segments, &network, {}};
  const auto ranks = static_cast<std::size_t>(shape.ranks);
  if (!shape.commutative) {
    task.order.resize(ranks);
    std::iota(task.order.begin(), task.order.end(), std::int64_t{0});
    task.runs = runs_of(network);
    return task;
  }
  const auto add = [&](detail::Groups groups) {
    if (groups.size() > 1 && (task.groups.empty() || groups.size() != task.groups.back().size()))
      task.groups.push_back(std::move(groups));
  };
  // Clusters, groups of clusters, and so on.
  detail::Groups clusters;
  for (std::size_t level = 0; level < network.levels().levels(); ++level) {
    detail::Groups groups;
    for (const detail::RankGroup& group : network.groups_from(shape.root, level)) {
      groups.push_back(group.ranks);
      if (level > 0) continue;
      task.order.insert(task.order.end(), group.ranks.begin(), group.ranks.end());
      for (const std::size_t c : group.clusters) {
        std::vector<std::int64_t> own = network.platform().clusters[c].ranks;
        if (const auto root = std::find(own.begin(), own.end(), shape.root); root != own.end())
          std::rotate(own.begin(), root, root + 1);
        clusters.push_back(std::move(own));
      }
    }
    if (level == 0) add(std::exchange(clusters, {}));
    add(std::move(groups));
  }
  // The outermost level decides which ranks come after each other.
  if (!task.groups.empty()) {
    task.order.clear();
    for (const std::vector<std::int64_t>& group : task.groups.back())
      task.order.insert(task.order.end(), group.begin(), group.end());
  }
  return task;
}

/// A variant that is timed: what its messages wait for is known.
struct Tried {
  std::string name;
  detail::MessageGraph graph;
  double length_s = 0;
};

Tried tried(const ProgramVariant& variant, detail::MessageGraph graph) {
  find_waits(graph);
  return {variant.name, std::move(graph)};
}

Program program_of(const ProgramTask& task, Tried variant) {
  Program program = task.shape;
  program.algorithm = std::move(variant.name);
  program.pace = paces_of(variant.graph);
  program.operations = operations_of(std::move(variant.graph));
  program.length_s = variant.length_s;
  return program;
}

/// The algorithm without a platform: the fewest rounds or, if blocks are not that short, the fewest bytes. If both are
/// equal, long messages stay among neighbours, which are often on one host or switch.
std::string_view short_algorithm(const Program& shape) {
  constexpr std::int64_t kShortArray = 4 << 10;
  constexpr std::int64_t kShortBlock = 256;
  const bool power_of_two = (shape.ranks & (shape.ranks - 1)) == 0;
  switch (shape.problem) {
    case Collective::kAllgather:
      return power_of_two ? "recursive-doubling" : "bruck";
    case Collective::kReduceScatter:
      if (!shape.commutative) return "binomial";
      return power_of_two ? "recursive-halving" : "bruck";
    case Collective::kAllreduce:
      if (!shape.commutative || shape.size_bytes <= kShortArray) return "recursive-doubling";
      return power_of_two ? "recursive-halving" : "circulant";
    case Collective::kAlltoall:
      return array_bytes(shape) <= shape.ranks * shape.ranks * kShortBlock ? "bruck" : "pairwise";
    default:
      return "binomial";
  }
}

/// The number of pairs of ranks with a message from one to the other, and the number of messages. A network may be
/// shared in ways that its platform does not tell, so that a message takes longer than planned. Among equally fast
/// programs, one with few pairs and messages then loses least.
std::pair<std::size_t, std::size_t> connections(const Tried& variant) {
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  for (const detail::MessageGraph::Message& message : variant.graph.messages)
    pairs.emplace_back(message.from, message.to);
  std::ranges::sort(pairs);
  return {static_cast<std::size_t>(std::unique(pairs.begin(), pairs.end()) - pairs.begin()), variant.graph.size()};
}

class Planning {
 public:
  Planning(const detail::RankNetwork& network, const ProgramTask& task, const ProgramOptions& options)
      : network_(network),
        clock_(network, task.shape.combine_s_per_byte),
        task_(task),
        options_(options),
        work_left_(2 * most_of_one()) {}

  /// Lists the variants of `planner`. If `beside_others`, leaves out variants that another algorithm lists too. Throws
  /// InputError if the planner does not apply.
  void list(const ProgramPlanner& planner, bool beside_others) {
    if (!task_.shape.commutative && !planner.keeps_order)
      throw InputError("algorithm", fmt::format("'{}' with an operation that does not commute", planner.known.name),
                       "one that keeps the order of the ranks");
    for (ProgramVariant& variant : planner.variants(task_)) {
      if (beside_others && variant.duplicate_of_other_algorithm) continue;
      if (detail::may_swap_ranks(task_.shape))
        variant.make = [this, make = std::move(variant.make)] {
          return detail::with_fast_ranks_combining(network_, task_.shape, make());
        };
      variants_.push_back(std::move(variant));
    }
  }

  /// Replays all that is listed, or estimates what would take too much work. Throws what the last variant says if none
  /// can be made.
  void replay_all() {
    std::exception_ptr refused;
    for (const ProgramVariant& variant : variants_) {
      if (found() && stopped()) return;
      try {
        offer(tried(variant, variant.make()), std::min(most_of_one(), work_left_));
      } catch (const InputError&) {
        refused = std::current_exception();
      }
    }
    if (!found() && refused != nullptr) std::rethrow_exception(refused);
  }

  /// Replays what seems to be fastest first: all, as long as that is little work, then what may well be faster than the
  /// best so far. What would take too much work is only estimated. If there are very many messages in all, some
  /// variants are not even estimated: those with the most messages, and those that cannot be faster than the best
  /// estimate. Variants whose lower bound exceeds the best estimate are deferred until others are replayed; then most
  /// need not be considered.
  void replay_some() {
    std::vector<Counted> counted = count_all();
    std::vector<Counted> put_off;
    replay_estimates(estimate_some(counted, put_off));
    std::vector<Estimate> late;
    for (Counted& each : put_off) {
      const bool slower = !found_exactly() || *each.at_least_s > (1 + options_.slack) * least_known();
      if (slower)
        candidates_.push_back({detail::estimated_name(variants_[each.variant].name), *each.at_least_s});
      else if (std::optional<Estimate> estimate = estimate_of(each))
        late.push_back(std::move(*estimate));
    }
    replay_estimates(std::move(late));
  }

  /// Considers variants besides those with a length known to their planners, in rising order of messages, while these
  /// are few in all. Replays variants that may be faster, the most promising first, while that is little work.
  void replay_soon() {
    const double bound_s = clock_.bound(task_.shape).seconds;
    constexpr double kNearBound = 1.02, kMayBeFaster = 1.5;
    constexpr std::int64_t kMostMessages = 24'000;  // in all
    constexpr std::size_t kMostReplayed = 12'000;   // of a program whose length is known: a longer one keeps that
                                                    // length
    constexpr double kMostWorkOfKnown = 5e6;        // of replays of programs whose length is known
    constexpr std::size_t kFewToReplay = 500;       // an estimate of a program with at most this many messages is no
                                                    // reason not to replay it
    constexpr double kWork = 1e6;                   // of replays, together some hundredth parts of a second
    // If ranks combine at different speeds, planners of broadcasts know little of what is best.
    constexpr double kMoreWhereTheyDiffer = 16;
    const bool combining_costs = !task_.shape.combine_s_per_byte.are_free();
    const double effort = options_.effort * (task_.shape.combine_s_per_byte.differ() ? kMoreWhereTheyDiffer : 1);
    std::vector<const ProgramVariant*> others;
    for (const ProgramVariant& variant : variants_) {
      if (!variant.length_s) {
        others.push_back(&variant);
        continue;
      }
      Tried program = tried(variant, variant.make());
      // The planners of these variants ignore the time that combining takes.
      const bool replayed = combining_costs || program.graph.size() <= kMostReplayed;
      const double most = combining_costs ? most_of_one() : kMostWorkOfKnown * options_.effort;
      offer(std::move(program), replayed ? most : 0, std::max(*variant.length_s, bound_s), true);
    }
    std::ranges::stable_sort(others, {}, [](const ProgramVariant* each) { return each->messages; });
    struct Estimate {
      double seconds;
      Tried program;
    };
    std::vector<Estimate> estimates;
    std::int64_t left = static_cast<std::int64_t>(kMostMessages * std::min(1e3, effort));
    for (const ProgramVariant* variant : others) {
      if (least_known() <= kNearBound * bound_s || (found() && stopped())) return;
      if (variant->messages > left) continue;
      try {
        detail::MessageGraph graph = variant->make();
        const std::size_t count = graph.size();
        left -= static_cast<std::int64_t>(count);
        const bool few = count <= kFewToReplay;
        if (!few && clock_.load(graph) > kMayBeFaster * least_known()) continue;
        Tried program = tried(*variant, std::move(graph));
        const double seconds = clock_.estimate(program.graph);
        if (few || seconds <= kMayBeFaster * least_known()) estimates.push_back({seconds, std::move(program)});
      } catch (const InputError&) {
        continue;  // more than there may be
      }
    }
    std::ranges::stable_sort(estimates, {}, &Estimate::seconds);
    double work = kWork * effort;
    for (Estimate& each : estimates) {
      if (found() && stopped()) return;
      work -= kWorkOfMessage * static_cast<double>(each.program.graph.size());
      if (found() && work <= 0) return;
      // If combining takes time, an estimate below the shortest known length is replayed, not taken as it is.
      const bool below = combining_costs && each.seconds < least_known();
      work -= offer(std::move(each.program), found() && !below ? work : most_of_one(), each.seconds);
    }
  }

  [[nodiscard]] bool stopped() const { return options_.stop && options_.stop(); }
  [[nodiscard]] bool found() const { return !best_.empty() || estimated_.found() || known_.found(); }

  ProgramPlan take() {
    // An estimate is mostly too long.
    const bool estimated = estimated_.found() && (!found_exactly() || kAlike * estimated_.cost() < least_known());
    const bool known = !estimated && known_.found() && known_.cost() <= least_s_;
    Program chosen = program_of(task_, estimated ? *estimated_.take()
                                       : known   ? *known_.take()
                                                 : std::move(*std::ranges::min_element(best_, {}, connections)));
    const ProgramBound bound = clock_.bound(task_.shape);
    chosen.bound_s = bound.seconds;
    chosen.bound = bound.kind;
    if (estimated) chosen.length_s = std::max(chosen.length_s, bound.seconds);
    std::ranges::stable_sort(candidates_, {}, [&](const ProgramPlan::Candidate& each) {
      return each.algorithm == chosen.algorithm ? 0 : each.length_s;
    });
    return {std::move(chosen), std::move(candidates_), estimated};
  }

 private:
  static constexpr double kMostWork = 1e8, kLittleWork = 1.5e7;  // of replays: some seconds to many, and about one
  static constexpr double kWorkOfMessage = 30;                   // beside the rates that are found for it
  static constexpr double kAlike = 1.25;

  struct Counted {
    std::size_t messages, variant;
    std::optional<detail::MessageGraph> made;  // none if it was not needed, or much is kept already
    std::optional<double> at_least_s = {};     // its replay, once that is known
  };
  struct Estimate {
    double seconds;
    std::size_t messages, variant;
    std::optional<Tried> program;  // none if those before it are as much as may be kept
  };

  /// All variants, fewest messages first.
  std::vector<Counted> count_all() {
    std::vector<Counted> counted;
    for (std::size_t v = 0; v < variants_.size(); ++v) {
      if (!counted.empty() && stopped()) break;
      if (variants_[v].exactly) {
        counted.push_back({static_cast<std::size_t>(*variants_[v].exactly), v, {}});
        continue;
      }
      std::optional<detail::MessageGraph> graph = made_of(variants_[v], {});
      if (!graph) continue;
      counted.push_back({graph->size(), v, {}});
      look_at(counted.back(), std::move(*graph));
    }
    std::ranges::stable_sort(counted, {}, &Counted::messages);
    return counted;
  }

  /// Estimates of all variants except those in `put_off`.
  std::vector<Estimate> estimate_some(std::vector<Counted>& counted, std::vector<Counted>& put_off) {
    constexpr std::size_t kMostEstimated = std::size_t{1} << 20;  // messages in all
    constexpr std::size_t kFewInAll = std::size_t{1} << 18;       // messages of one variant: up to this number it is
                                                                  // always considered
    constexpr std::size_t kFewOfARank = 64;                       // messages: a variant with at most this many per rank
                                                                  // is considered beyond that
    constexpr double kSecondsOfMessage = 6e-7;                    // likewise one message for each of these times that a
                                                                  // program takes
    constexpr double kGain = 0.95;
    std::vector<Estimate> estimates;
    double least_s = detail::kInfinity;
    std::map<std::string, double> in_one_message;  // by algorithm
    const auto in_one_message_of = [&](const Counted& each) -> double& {
      const std::string& name = variants_[each.variant].name;
      return in_one_message[name.substr(0, name.find(','))];
    };
    const auto found = [&](const Counted& each, double seconds) {
      double& in_one = in_one_message_of(each);
      in_one = std::max(in_one, seconds * static_cast<double>(each.messages));
    };
    const auto estimate = [&](Counted& each) {
      std::optional<Estimate> made = estimate_of(each);
      if (!made) return;
      estimates.push_back(std::move(*made));
      least_s = std::min(least_s, estimates.back().seconds);
      found(each, estimates.back().seconds);
    };
    std::size_t looked_at = 0;
    const auto beyond = std::ranges::find_if(
        counted, [&](const Counted& each) { return (looked_at += each.messages) > kMostEstimated; });
    if (beyond != counted.end()) looked_at -= beyond->messages;
    // Variants with the least load come first: then others may be put off.
    const std::span all(counted.begin(), beyond);
    for (Counted& each : all) {
      if (stopped()) break;
      if (each.at_least_s) continue;
      std::optional<detail::MessageGraph> made = made_of(variants_[each.variant], {});
      if (!made) continue;
      look_at(each, std::move(*made));
    }
    std::ranges::stable_sort(all, {}, [](const Counted& each) { return each.at_least_s.value_or(0); });
    for (Counted& each : all) {
      if (!estimates.empty() && stopped()) return estimates;
      const double at_least_s = each.at_least_s.value_or(0);
      if (at_least_s <= least_s) {
        estimate(each);
        continue;
      }
      found(each, at_least_s);
      each.made.reset();
      put_off.push_back(std::move(each));
    }
    for (Counted& each : std::span(beyond, counted.end())) {
      const auto worth_it = static_cast<std::size_t>(std::min(least_s / kSecondsOfMessage, double{kMostEstimated}));
      const bool many = each.messages > std::max(kFewOfARank * static_cast<std::size_t>(task_.shape.ranks), worth_it);
      if (!estimates.empty() && (many || stopped())) break;
      // In one algorithm, k times as many messages are at most k times as fast.
      if (in_one_message_of(each) / static_cast<double>(each.messages) > kGain * least_s) continue;
      each.made = made_of(variants_[each.variant], std::move(each.made));
      if (!each.made || (each.messages > kFewInAll && clock_.load(*each.made) > kGain * least_s)) continue;
      estimate(each);
    }
    return estimates;
  }

  /// Finds how long what was made takes at least, and keeps it, unless what was kept before is much.
  void look_at(Counted& counted, detail::MessageGraph graph) {
    constexpr std::size_t kMostMade = std::size_t{1} << 19;  // messages
    counted.at_least_s = clock_.quick_floor(graph);
    if (made_ + counted.messages > kMostMade) return;
    made_ += counted.messages;
    counted.made = std::move(graph);
  }

  /// Nothing if it is more than there may be.
  std::optional<Estimate> estimate_of(Counted& counted) {
    constexpr std::size_t kMostKept = std::size_t{1} << 19;  // messages of programs
    const ProgramVariant& variant = variants_[counted.variant];
    std::optional<detail::MessageGraph> made = made_of(variant, std::exchange(counted.made, {}));
    if (!made) return std::nullopt;
    SLUICE_ASSERT(made->size() == counted.messages, fmt::format("{} not {}", made->size(), counted.messages));
    Tried program = tried(variant, std::move(*made));
    const double seconds = variant.length_s ? *variant.length_s : clock_.estimate(program.graph);
    Estimate estimate{seconds, counted.messages, counted.variant, {}};
    if (kept_ + counted.messages > kMostKept) return estimate;
    kept_ += counted.messages;
    estimate.program = std::move(program);
    return estimate;
  }

  void replay_estimates(std::vector<Estimate> estimates) {
    // Among similar estimates, the variant with the fewest messages comes first.
    std::ranges::stable_sort(estimates, {}, &Estimate::seconds);
    for (auto first = estimates.begin(); first != estimates.end();) {
      const auto next = std::find_if(first, estimates.end(),
                                     [&](const Estimate& each) { return each.seconds > kAlike * first->seconds; });
      std::stable_sort(first, next, [](const Estimate& a, const Estimate& b) { return a.messages < b.messages; });
      first = next;
    }
    for (Estimate& each : estimates) {
      if (found() && stopped()) return;
      const bool promises = !found() || each.seconds <= least_s_;
      const double most = std::max(most_of_all() - done_, promises ? std::min(most_of_one(), work_left_) : 0);
      if (most <= 0 && found()) {
        candidates_.push_back({detail::estimated_name(variants_[each.variant].name), each.seconds});
        continue;
      }
      if (!each.program) each.program = tried(variants_[each.variant], variants_[each.variant].make());
      done_ += kWorkOfMessage * static_cast<double>(each.messages);
      done_ += offer(std::move(*each.program), most, each.seconds);
    }
  }

  [[nodiscard]] bool found_exactly() const { return !best_.empty() || known_.found(); }
  [[nodiscard]] double least_known() const { return std::min(known_.cost(), least_s_); }
  /// `before`, if it is there, otherwise made now; nothing if it has too many messages.
  static std::optional<detail::MessageGraph> made_of(const ProgramVariant& variant,
                                                     std::optional<detail::MessageGraph> before) {
    if (before) return before;
    try {
      return variant.make();
    } catch (const InputError&) {
      return std::nullopt;
    }
  }
  [[nodiscard]] double most_of_one() const { return kMostWork * options_.effort; }
  /// The most work of all replays, unless one promises to be the shortest: about as long as the shortest program takes,
  /// clamped to one to two seconds.
  [[nodiscard]] double most_of_all() const {
    return options_.effort * kLittleWork * (found_exactly() ? std::clamp(least_known(), 1.0, 2.0) : 1);
  }

  /// Replays a program with at most `most` work; otherwise estimates it, unless `estimate` is given. Returns the work
  /// done. `known`: the estimate comes from the program's own planner, and is compared with replays as if it were one.
  double offer(Tried program, double most, std::optional<double> estimate = {}, bool known = false) {
    detail::ReplayLimits limits{.work_left = std::max(0.0, most),
                                .most_s = (1 + options_.slack) * least_known(),
                                .least_work = options_.all_lengths ? kLittleWork * options_.effort : 0,
                                .to_the_time = options_.all_lengths,
                                .stop = options_.stop};
    // The replay does not begin if its messages alone are too much work.
    std::optional<detail::ReplayResult> replayed;
    if (kWorkOfMessage * static_cast<double>(program.graph.size()) <= limits.work_left)
      replayed = clock_.replay(program.graph, limits);
    const double work = std::max(0.0, most) - limits.work_left;
    work_left_ -= work;
    if (!replayed) {
      const bool slower = limits.longer;
      program.length_s = estimate ? *estimate : clock_.estimate(program.graph);
      if (slower) program.length_s = std::max(program.length_s, limits.most_s);
      program.name = detail::estimated_name(program.name);
      candidates_.push_back({program.name, program.length_s});
      if (known && !slower) {
        known_.offer(program.length_s, std::move(program));
        return work;
      }
      if (slower) return work;
      estimated_.offer(program.length_s, std::move(program));
      return work;
    }
    program.length_s = replayed->length_s;
    candidates_.push_back({program.name, program.length_s});
    // Without slack, the first of equally fast programs.
    const double most_s = (1 + options_.slack) * least_s_;
    if (options_.slack > 0 ? program.length_s > most_s : program.length_s >= most_s) return work;
    least_s_ = std::min(least_s_, program.length_s);
    best_.push_back(std::move(program));
    std::erase_if(best_, [&](const Tried& each) { return each.length_s > (1 + options_.slack) * least_s_; });
    return work;
  }

  const detail::RankNetwork& network_;
  const detail::Clock clock_;
  const ProgramTask& task_;
  const ProgramOptions& options_;
  std::vector<ProgramVariant> variants_;
  double work_left_;
  double done_ = 0;                      ///< work of replays so far: see most_of_all()
  std::size_t made_ = 0, kept_ = 0;      ///< messages of variants that are kept until their turn, bare and timed
  double least_s_ = detail::kInfinity;   ///< of the replayed programs
  std::vector<Tried> best_;              ///< programs that exceed it by at most the slack, in the order of replays
  detail::Candidates<Tried> known_;      ///< the shortest program whose length its planner knows
  detail::Candidates<Tried> estimated_;  ///< the shortest program whose replay was given up
  std::vector<ProgramPlan::Candidate> candidates_;
};

}  // namespace

ProgramPlan detail::plan_program(const Platform& platform, const ProgramProblem& problem, const ProgramOptions& options,
                                 const BroadcastOptions& of_broadcasts, ProgramSearch search) {
  const Program shape = shape_of(platform, problem);
  if (options.segments < 0) throw InputError("segments", fmt::format("{}", options.segments), "at least 0");
  if (!(options.effort > 0)) throw InputError("effort", fmt::format("{}", options.effort), "more than 0");
  if (!(options.slack >= 0)) throw InputError("slack", fmt::format("{}", options.slack), "at least 0");
  const detail::RankNetwork network(platform);
  ProgramTask task = task_of(network, shape, options.segments);
  task.of_broadcasts = of_broadcasts;
  Planning planning(network, task, options);
  std::string names;
  for (const ProgramPlanner& planner : detail::program_planners()) {
    if (planner.problem != problem.problem) continue;
    names += std::string(planner.known.name) + ", ";
    if (options.algorithm == planner.known.name) {
      planning.list(planner, false);
      planning.replay_all();
      return planning.take();
    }
  }
  if (options.algorithm != "auto")
    throw InputError("algorithm", "'" + options.algorithm + "'", "one of " + names + "auto");
  for (const ProgramPlanner& planner : detail::program_planners()) {
    if (planner.problem != problem.problem) continue;
    try {
      planning.list(planner, true);
    } catch (const InputError&) {
      continue;  // it does not apply
    }
  }
  if (search == ProgramSearch::kSoon)
    planning.replay_soon();
  else
    planning.replay_some();
  if (!planning.found())
    throw InputError("ranks", fmt::format("{}", platform.ranks),
                     "few enough for a program of 2^22 messages and 2^25 ranges of bytes");
  return planning.take();
}

ProgramPlan plan_program(const Platform& platform, const ProgramProblem& problem, const ProgramOptions& options) {
  BroadcastOptions broadcasts;
  broadcasts.effort = options.effort;
  broadcasts.stop = options.stop;
  return detail::plan_program(platform, problem, options, broadcasts);
}

bool keeps_order(Collective problem, std::string_view algorithm) {
  return std::ranges::any_of(detail::program_planners(), [&](const ProgramPlanner& each) {
    return each.problem == problem && each.known.name == algorithm && each.keeps_order;
  });
}

Program plan_short_program(std::int64_t ranks, const ProgramProblem& problem) {
  if (ranks < 1) throw InputError("ranks", fmt::format("{}", ranks), "at least 1");
  ProgramTask task{shape_of(ranks, problem), {}, {}, 0, nullptr, {}};
  task.order.resize(static_cast<std::size_t>(ranks));
  std::iota(task.order.begin(), task.order.end(), std::int64_t{0});
  if (task.shape.commutative) std::rotate(task.order.begin(), task.order.begin() + task.shape.root, task.order.end());
  const std::string_view name = short_algorithm(task.shape);
  const auto planner = std::ranges::find_if(detail::program_planners(), [&](const ProgramPlanner& each) {
    return each.problem == problem.problem && each.known.name == name;
  });
  const ProgramVariant variant = planner->variants(task).front();
  return program_of(task, tried(variant, variant.make()));
}

Program circulant_broadcast_part(std::int64_t ranks, std::int64_t root, std::int64_t bytes, std::int64_t segments,
                                 std::int64_t rank) {
  constexpr std::int64_t kMostRanks = std::numeric_limits<std::int32_t>::max();
  if (ranks < 1 || ranks > kMostRanks)
    throw InputError("ranks", fmt::format("{}", ranks), fmt::format("1 to {}", kMostRanks));
  Program program = shape_of(ranks, {Collective::kBroadcast, bytes, root});
  if (rank < 0 || rank >= ranks) throw InputError("rank", fmt::format("{}", rank), index_text(ranks, "rank"));
  if (segments < 1) throw InputError("segments", fmt::format("{}", segments), "at least 1");
  program.algorithm = "circulant";
  const auto parts = detail::cut({0, bytes}, std::clamp<std::int64_t>(bytes, 1, segments), 1);
  const auto position = (rank - root + ranks) % ranks;
  program.operations = detail::operations_of_rank(detail::circulant_broadcast_of(position, ranks, parts), position);
  for (ProgramOperation& op : program.operations) {
    op.rank = rank;
    op.peer = (op.peer + root) % ranks;
  }
  return program;
}

ProgramBound bound_of(const Platform& platform, const ProgramProblem& problem) {
  const Program shape = shape_of(platform, problem);
  const detail::RankNetwork network(platform);
  return detail::Clock(network, shape.combine_s_per_byte).bound(shape);
}

}  // namespace sluice
