#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bound_below.hpp"
#include "base/infinity.hpp"
#include "plan/broadcast/cluster_tree.hpp"
#include "plan/broadcast/compared_routes.hpp"
#include "plan/broadcast/inside.hpp"
#include "plan/broadcast/planned_messages.hpp"
#include "plan/broadcast/rank_patterns.hpp"
#include "plan/broadcast/registry.hpp"
#include "plan/broadcast/route_search.hpp"
#include "schedule/message_graph.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/timing/program_replay.hpp"
#include "timing/clock.hpp"
#include "timing/rank_network.hpp"
#include "timing/timed_messages.hpp"

namespace sluice {

namespace {

using detail::BroadcastPlannerEntry;
using detail::MessageGraph;
using detail::PlannedMessages;
using detail::RankNetwork;
using detail::TimedMessages;

/// kMostSimulated: trees of more messages are not replayed. kMostRates: the most rates that a replay may find. Either
/// takes a second or so.
constexpr std::int64_t kMostSimulated = 250'000;
constexpr double kMostRates = 10e6;
/// With at most this many messages every way is replayed: schedules and scores of trees are only nearly what they take.
constexpr std::int64_t kFewMessages = 500;
/// A strategy inside clusters is replayed, if need be, up to this many messages in all clusters: that takes a
/// millisecond or less.
constexpr std::int64_t kMostInside = 1000;

class BroadcastPlanner {
 public:
  BroadcastPlanner(const Platform& platform, std::int64_t root, std::int64_t bytes, const BroadcastOptions& options)
      : platform_(platform),
        root_(root),
        bytes_(bytes),
        options_(options),
        whole_(detail::between_clusters(platform, bytes, root, options.inside, models_)),  // which checks its arguments
        network_(platform),
        inside_(platform.clusters.size()) {}

  PlannedMessages run() {
    const std::string& algorithm = options_.algorithm;
    if (algorithm == "auto") return best();
    if (algorithm == "native") return native();
    const BroadcastPlannerEntry& planner = *detail::broadcast_planner(algorithm);  // check_options has found it
    if (!planner.between_clusters()) return routed(planner);
    return tree(best_tree(algorithm, options_.effort), algorithm);
  }

 private:
  [[nodiscard]] BetweenOptions between(const std::string& algorithm) const {
    return {algorithm, options_.lookahead, options_.early_internal, options_.effort, options_.stop};
  }

  PlannedMessages native() {
    if (platform_.clusters.size() != 1 || platform_.clusters.front().broadcast.points().empty())
      throw InputError("algorithm native",
                       platform_.clusters.size() == 1 ? "a platform without measured broadcasts"
                                                      : count_text(platform_.clusters.size(), "cluster"),
                       "one cluster with a table \"broadcast\"");
    PlannedMessages plan;
    plan.messages.emplace();
    if (bytes_ > 0 && platform_.ranks > 1) {
      plan.length_s = platform_.clusters.front().broadcast.at(bytes_);
      plan.native.push_back({ranks_from(0, root_), 0, plan.length_s});
    }
    plan.schedule.problem = "broadcast";
    plan.schedule.machines = 1;
    plan.schedule.length = plan.length_s;
    plan.schedule.bound = {0, plan.length_s};
    return finish(std::move(plan), "native", "native");
  }

  /// The ranks of a cluster, `first` first.
  [[nodiscard]] std::vector<std::int64_t> ranks_from(std::size_t cluster, std::int64_t first) const {
    std::vector<std::int64_t> ranks = platform_.clusters[cluster].ranks;
    const auto at = std::find(ranks.begin(), ranks.end(), first);
    std::rotate(ranks.begin(), at, at + 1);
    return ranks;
  }

  /// Gives the messages the times of their replay. False if that is too much work.
  bool replay(TimedMessages& messages) const {
    if (std::cmp_greater(messages.size(), kMostSimulated)) return false;
    detail::ReplayLimits limits{.rates_left = kMostRates};
    return detail::Clock(network_).replay(messages, limits);
  }

  // ---- trees between clusters

  /// Coordinators first send to others, then in their own cluster, except for `sends_before_inside`. They begin inside
  /// when they have sent to others or, if that is shorter, when the last of these messages has arrived: messages inside
  /// a cluster would take the port from a message on a long link.
  [[nodiscard]] PlannedMessages messages_over(const BetweenPlan& plan) const {
    const std::int64_t messages = messages_of(plan);
    detail::check_message_count(messages);
    PlannedMessages at_once = messages_over(plan, false);
    if (messages > kMostSimulated || platform_.clusters.size() == 1) return at_once;
    PlannedMessages after = messages_over(plan, true);
    return after.length_s < at_once.length_s ? after : at_once;
  }

  /// Found once for each cluster.
  [[nodiscard]] const StrategyPrediction& strategy_inside(std::size_t cluster) const {
    std::optional<StrategyPrediction>& known = inside_[cluster];
    if (!known) known = find_inside(cluster);
    return *known;
  }

  /// The best broadcast by the models, or the circulant broadcast if its replay is shorter than the best model. Only
  /// the circulant broadcast is replayed: the others take about what their models say.
  [[nodiscard]] StrategyPrediction find_inside(std::size_t cluster) const {
    const PlatformCluster& place = platform_.clusters[cluster];
    std::vector<StrategyPrediction>& models = models_[cluster];
    if (models.empty()) models = predict_broadcast(place, bytes_);
    StrategyPrediction best = detail::best_inside(models, place, bytes_, options_.inside);
    if (!options_.inside.empty() || bytes_ == 0 || place.ranks.size() < 3) return best;
    StrategyPrediction circulant = detail::best_inside(models, place, bytes_, detail::kCirculant);
    const std::int64_t most = kMostInside / static_cast<std::int64_t>(platform_.clusters.size());
    constexpr double kNear = 1.35;  // its replay takes 0.7 of the model at least
    if (circulant.time_s > kNear * best.time_s || messages_inside(place, circulant) > most) return best;
    circulant.time_s = replayed_inside(cluster, circulant);
    return circulant.time_s < best.time_s ? circulant : best;
  }

  [[nodiscard]] std::int64_t messages_inside(const PlatformCluster& cluster, const StrategyPrediction& strategy) const {
    const std::int64_t segment = strategy.segment_bytes;
    return (static_cast<std::int64_t>(cluster.ranks.size()) - 1) * (segment > 0 ? (bytes_ + segment - 1) / segment : 1);
  }

  /// The replayed time of `strategy` if nothing else is under way.
  [[nodiscard]] double replayed_inside(std::size_t cluster, const StrategyPrediction& strategy) const {
    const std::vector<std::int64_t> ranks = ranks_from(cluster, coordinator_of(cluster));
    MessageGraph messages;
    add_inside_messages(strategy, platform_.clusters[cluster], ranks, bytes_, messages);
    TimedMessages timed = timed_messages(network_, ranks.front(), messages, true, false);
    replay(timed);
    return timed.length_s;
  }

  [[nodiscard]] std::int64_t coordinator_of(std::size_t cluster) const {
    return network_.cluster(root_) == cluster ? root_ : platform_.clusters[cluster].ranks.front();
  }

  /// About how many messages a tree has.
  [[nodiscard]] std::int64_t messages_of(const BetweenPlan& plan) const {
    auto messages = static_cast<std::int64_t>(plan.schedule.transfers.size());
    for (std::size_t c = 0; c < platform_.clusters.size(); ++c) {
      const PlatformCluster& cluster = platform_.clusters[c];
      if (cluster.ranks.size() > 1) messages += messages_inside(cluster, strategy_inside(c));
    }
    return messages;
  }

  [[nodiscard]] PlannedMessages messages_over(const BetweenPlan& plan, bool inside_waits) const {
    const std::int64_t segments = plan.schedule.segments;
    MessageGraph messages;
    PlannedMessages result;  // its native broadcasts begin at 0, until it is known when their first ranks are ready
    const std::size_t clusters = platform_.clusters.size();
    std::vector<std::vector<const TimedTransfer*>> sends(clusters);
    for (const TimedTransfer& t : plan.schedule.transfers) sends[static_cast<std::size_t>(t.from)].push_back(&t);
    const std::int64_t part = (bytes_ + segments - 1) / segments;
    for (std::size_t c = 0; c < clusters; ++c) {
      const PlatformCluster& cluster = platform_.clusters[c];
      const std::size_t before =
          segments == 1 ? static_cast<std::size_t>(plan.sends_before_inside[c]) : sends[c].size();
      const auto add_inside = [&] {
        const std::vector<std::int64_t> ranks = ranks_from(c, coordinator_of(c));
        // The way that was measured to be fastest, unless the coordinator has more to send.
        const auto measured = cluster.measured_broadcast(bytes_);
        if (options_.inside.empty() && measured && measured->native && before == sends[c].size()) {
          result.native.push_back({ranks, 0, measured->seconds});
          return;
        }
        add_inside_messages(strategy_inside(c), cluster, ranks, bytes_, messages);
      };
      for (std::size_t s = 0; s <= sends[c].size(); ++s) {
        if (s == before) add_inside();
        if (s == sends[c].size()) break;
        const TimedTransfer& t = *sends[c][s];
        const std::int64_t begin = std::min(bytes_, t.segment * part), end = std::min(bytes_, begin + part);
        if (begin >= end) continue;
        messages.add_unordered(coordinator_of(c), coordinator_of(static_cast<std::size_t>(t.to)), {begin, end - begin});
        messages.sending.back().alone = inside_waits && s + 1 == before && cluster.ranks.size() > 1;
      }
    }
    TimedMessages& timed = result.messages.emplace(timed_messages(network_, root_, messages, true, false));
    const bool replayed = replay(timed);
    if (!replayed) {
      // The time that shared links and uplinks allow; the model of one port ignores them.
      const double shared_s = timed_messages(network_, root_, messages, false, true).length_s;
      if (shared_s > timed.length_s) detail::stretch(timed, shared_s / timed.length_s);
    }
    result.count = static_cast<std::int64_t>(timed.size());
    result.length_s = timed.length_s;
    result.estimated = !replayed && result.native.empty();
    begin_when_ready(result);
    return result;
  }

  void begin_when_ready(PlannedMessages& tree) const {
    std::vector<double> ready(static_cast<std::size_t>(platform_.ranks), 0);
    const TimedMessages& messages = tree.messages.value();
    for (std::size_t m = 0; m < messages.size(); ++m) {
      const MessageGraph::Message& each = messages.graph.messages[m];
      double& free = ready[static_cast<std::size_t>(each.from)];
      free = std::max(free, messages.times[m].start_s + messages.graph.pace[m].port_s);
      double& there = ready[static_cast<std::size_t>(each.to)];
      there = std::max(there, messages.times[m].arrival_s);
    }
    for (NativeBroadcast& each : tree.native) {
      each.start_s = ready[static_cast<std::size_t>(each.ranks.front())];
      each.end_s += each.start_s;
      tree.length_s = std::max(tree.length_s, each.end_s);
    }
  }

  [[nodiscard]] BetweenPlan tree_in(const std::string& algorithm, std::int64_t segments, double effort) const {
    BetweenOptions options = between(algorithm);
    options.effort = effort;
    if (segments == 1) return plan_between_clusters(whole_, options);
    BetweenClusters parts = whole_;
    detail::cut_message(parts, platform_, bytes_, segments);
    return plan_between_clusters(parts, options);
  }

  [[nodiscard]] PlannedMessages with_messages(BetweenPlan found) const {
    PlannedMessages plan = messages_over(found);
    if (!plan.estimated && plan.native.empty()) {
      plan.bound = bound();
      plan.bound.seconds = detail::bound_below(plan.bound.seconds, plan.length_s);
    }
    plan.between_clusters = true;
    plan.optimal = found.optimal;
    plan.schedule = std::move(found.schedule);
    return plan;
  }

  /// Chooses the number of segments, a power of two, that makes the schedule shortest.
  [[nodiscard]] BetweenPlan best_tree(const std::string& algorithm, double effort) const {
    const BroadcastPlannerEntry* const planner = detail::broadcast_planner(algorithm);
    const bool searches = planner == nullptr || planner->search != nullptr;
    const bool chooses = options_.segments == 0 && searches;
    const std::int64_t most_clusters = static_cast<std::int64_t>(platform_.clusters.size());
    std::optional<BetweenPlan> found;
    if (chooses && !options_.early_internal && most_clusters > 1 && bytes_ > 0) {
      constexpr std::int64_t kMostSegments = 256, kLeastBytes = 1024;
      for (std::int64_t segments = 1; segments <= kMostSegments && (segments == 1 || bytes_ / segments >= kLeastBytes);
           segments *= 2) {
        // A search by name is for one segment; of more, the trees of auto.
        BetweenPlan tree = tree_in(segments == 1 ? algorithm : "auto", segments, segments == 1 ? effort : effort / 16);
        // More segments only make it longer if most of the time is independent of the size of messages.
        constexpr double kFarLonger = 2;
        if (found && tree.schedule.length > kFarLonger * found->schedule.length) break;
        if (!found || tree.schedule.length < found->schedule.length) found = std::move(tree);
        if (stopped()) break;
      }
    } else {
      found = tree_in(algorithm, std::max<std::int64_t>(1, options_.segments), effort);
    }
    return std::move(*found);
  }

  [[nodiscard]] std::string method_of(const BetweenPlan& tree, const std::string& algorithm) const {
    if (platform_.clusters.size() == 1 && platform_.ranks > 1 && bytes_ > 0) {  // nothing is between clusters
      const auto measured = platform_.clusters.front().measured_broadcast(bytes_);
      if (options_.inside.empty() && measured && measured->native) return "native";
      const StrategyPrediction& inside = strategy_inside(0);
      const bool whole = inside.segment_bytes == 0 || inside.segment_bytes >= bytes_;
      return std::string(inside.strategy) +
             (whole ? "" : fmt::format(", segments of {}", count_text(inside.segment_bytes, "byte")));
    }
    std::string method = fmt::format("{} between clusters", algorithm);
    if (tree.schedule.segments != 1) method += fmt::format(", in {}", count_text(tree.schedule.segments, "segment"));
    if (!options_.inside.empty()) method += fmt::format(", {} inside", options_.inside);
    return method;
  }

  PlannedMessages tree(BetweenPlan found, const std::string& algorithm) {
    const std::string method = method_of(found, algorithm);
    PlannedMessages plan = with_messages(std::move(found));
    if (plan.schedule.segments != 1) plan.optimal = false;
    return finish(std::move(plan), algorithm, method);
  }

  // ---- segments through trees of ranks

  /// Throws InputError if the number of segments that is asked for makes too many messages; this needs no planning.
  void check_segments() const {
    if (options_.segments == 0 || bytes_ == 0) return;
    const std::int64_t part = bytes_ / options_.segments + (bytes_ % options_.segments != 0 ? 1 : 0);
    const std::int64_t segments = bytes_ / part + (bytes_ % part != 0 ? 1 : 0);
    detail::check_message_count(checked::multiply(segments, platform_.ranks - 1, "messages of the plan"));
  }

  /// If all routes seem to take longer than `to_beat`, the plan says only its length and method, without messages.
  PlannedMessages routed(const BroadcastPlannerEntry& planner, double to_beat = detail::kInfinity) {
    const std::string name(planner.about.name);
    if (bytes_ == 0 || platform_.ranks == 1) return finish(with_messages(tree_in("flat", 1, 0)), name, name);
    check_segments();
    const std::vector<detail::FoundRoutes> found =
        planner.routes(network_, root_, bytes_, {options_.segments, options_.most_messages}, options_.stop);
    if (detail::kReplayOverScore * found.front().length_s >= to_beat) {
      PlannedMessages plan;
      plan.length_s = found.front().length_s;
      plan.estimated = true;
      return finish(std::move(plan), name, name + ", " + to_string(found.front().routes));
    }
    PlannedMessages plan = best_routed(network_, root_, bytes_, found, bound(), !options_.messages, options_.stop);
    const std::string method = name + ", " + plan.method;
    return finish(std::move(plan), name, method);
  }

  /// A lower bound of broadcasts by any method.
  [[nodiscard]] ProgramBound bound() const {
    Program shape;
    shape.problem = Collective::kBroadcast;
    shape.ranks = platform_.ranks;
    shape.size_bytes = bytes_;
    shape.root = root_;
    return detail::Clock(network_).bound(shape);
  }

  // ---- patterns over all ranks

  /// Offers patterns that may be shorter than `best` according to simulations, which take a small part of a plan's
  /// time.
  template <class Offer>
  void offer_patterns(const std::optional<PlannedMessages>& best, Offer offer) const {
    constexpr std::int64_t kFewRanks = 32, kMessages = 16'000, kMessagesOfMany = 4800, kAlways = 4800;
    constexpr std::size_t kMostSideBySide = 500;
    constexpr double kSeldomLess = 0.9, kSideBySide = 0.4, kNearBound = 1.02, kMostRatesOfPatterns = 1e6;
    constexpr double kSecondsOfMessage = 4e-6, kGain = 0.97;
    constexpr std::int64_t kFarMore = 4;
    // The time for examining messages is limited by the plan's length: a short plan is planned soon.
    const auto worth_it =
        std::max(kAlways, static_cast<std::int64_t>(std::min(best->length_s / kSecondsOfMessage, 1e9)));
    const std::int64_t most = std::min(platform_.ranks <= kFewRanks ? kMessages : kMessagesOfMany, worth_it);
    if (platform_.ranks - 1 > most) return;
    const ProgramBound least = bound();
    detail::ReplayLimits limits{.rates_left = kMostRatesOfPatterns};
    if (best->length_s <= kNearBound * least.seconds) return;
    for (const detail::RankPattern& pattern : detail::rank_patterns(network_, root_, bytes_, most)) {
      if (stopped() || best->length_s <= kNearBound * least.seconds) return;
      const bool small = pattern.messages.size() <= kMostSideBySide;
      const double simulated_s = timed_messages(network_, root_, pattern.messages, false, true).length_s;
      if ((small ? kSideBySide : kSeldomLess) * simulated_s >= best->length_s) continue;
      TimedMessages messages = timed_messages(network_, root_, pattern.messages, false, false);
      std::optional<TimedMessages> beside;
      if (small) beside = messages;
      if (!detail::Clock(network_).replay(messages, limits)) continue;
      // Messages of a rank go one after another or, if that is shorter, side by side: a slow link then keeps no other
      // message from the port.
      if (beside) {
        for (SendPace& each : beside->graph.pace) each.port_s = 0;
        if (detail::Clock(network_).replay(*beside, limits) && beside->length_s < messages.length_s)
          messages = std::move(*beside);
      }
      // Far more messages are worth it only if they gain something.
      const bool many = std::ssize(messages.times) > kFarMore * best->count;
      if (messages.length_s >= (many ? kGain : 1) * best->length_s) continue;
      PlannedMessages plan;
      plan.length_s = messages.length_s;
      plan.bound = {detail::bound_below(least.seconds, plan.length_s), least.kind};
      plan.segment_bytes = pattern.segment_bytes;
      plan.count = static_cast<std::int64_t>(messages.size());
      plan.messages = std::move(messages);
      offer(finish(std::move(plan), "auto", pattern.name));
    }
  }

  // ---- all

  PlannedMessages best() {
    if (options_.segments == 1 || !options_.inside.empty() || stopped() || bytes_ == 0 || platform_.ranks == 1)
      return tree(best_tree("auto", options_.effort), "auto");
    check_segments();
    // A tree is one of several ways here, and seldom the best for long messages: the best heuristic tells whether a
    // search for a better tree pays. With several segments the heuristic is poor without any search.
    constexpr double kFirstShare = 0.001;
    BetweenPlan between = best_tree("auto", kFirstShare * options_.effort);
    std::optional<PlannedMessages> best;
    std::vector<BroadcastPlan::Candidate> candidates;
    const bool few = messages_of(between) <= kFewMessages;
    const auto offer = [&](PlannedMessages plan) {
      candidates.push_back({detail::method_text(plan), plan.length_s});
      if (plan.messages && (!best || plan.length_s < best->length_s)) best = std::move(plan);
    };
    // Trees of very many messages are only worked out if they are asked for.
    constexpr std::int64_t kMostOfATree = 8 * kMostSimulated;
    const auto length_of = [&] {
      const double length_s = between.schedule.length;
      return platform_.clusters.size() == 1 ? std::min(length_s, strategy_inside(0).time_s) : length_s;
    };
    const double by_tree = messages_of(between) <= kMostOfATree ? length_of() : detail::kInfinity;
    // The last of them first, which is mostly the shortest: the others need not be worked out then.
    const auto planners = detail::broadcast_planners();
    for (auto planner = planners.rbegin(); planner != planners.rend(); ++planner) {
      if (planner->between_clusters() || stopped()) continue;
      if (planner->several_clusters && platform_.clusters.size() == 1) continue;
      offer(routed(*planner, few ? detail::kInfinity : best ? best->length_s : by_tree));
    }
    if (platform_.clusters.size() == 1 && !platform_.clusters.front().broadcast.points().empty()) offer(native());
    // The messages of the tree take what its schedule says, or a little less. The best tree is hardly shorter than the
    // tree of a heuristic.
    constexpr double kExecuted = 0.95, kImproved = 0.95, kShare = 0.05;
    double with_tree = by_tree;
    if (!best || kExecuted * kImproved * by_tree < best->length_s) {
      between = best_tree("auto", kShare * options_.effort);
      with_tree = length_of();
    }
    if (few || !best || kExecuted * with_tree < best->length_s)
      offer(tree(std::move(between), "auto"));
    else
      candidates.push_back({method_of(between, "auto"), between.schedule.length});
    if (few && platform_.clusters.size() > 1 && !stopped()) {
      PlannedMessages heuristic = best_heuristic();
      if (heuristic.length_s < best->length_s) offer(std::move(heuristic));
    }
    if (options_.segments == 0) offer_patterns(best, offer);
    // A length that no messages confirm must not come before the plan's length.
    std::erase_if(candidates, [&](const auto& each) { return each.length_s < best->length_s; });
    std::ranges::stable_sort(candidates, {}, &BroadcastPlan::Candidate::length_s);
    best->candidates = std::move(candidates);
    best->schedule.algorithm = "auto";
    return std::move(*best);
  }

  /// The shortest, by their replays, of the heuristics' trees for whole messages.
  PlannedMessages best_heuristic() {
    std::optional<PlannedMessages> best;
    for (const BroadcastPlannerEntry& planner : detail::broadcast_planners()) {
      if (planner.tree == nullptr || (best && stopped())) continue;
      const std::string name(planner.about.name);
      PlannedMessages plan = tree(tree_in(name, 1, 0), name);
      if (!best || plan.length_s < best->length_s) best = std::move(plan);
    }
    return std::move(*best);
  }

  [[nodiscard]] bool stopped() const { return options_.stop && options_.stop(); }

  [[nodiscard]] static PlannedMessages finish(PlannedMessages plan, const std::string& algorithm,
                                              const std::string& method) {
    plan.schedule.algorithm = algorithm;
    plan.method = method;
    plan.candidates = {{detail::method_text(plan), plan.length_s}};
    return plan;
  }

  const Platform& platform_;
  std::int64_t root_;
  std::int64_t bytes_;
  const BroadcastOptions& options_;
  mutable std::vector<std::vector<StrategyPrediction>> models_;  // of each cluster; none that is not known yet
  BetweenClusters whole_;                                        // of one segment
  RankNetwork network_;
  mutable std::vector<std::optional<StrategyPrediction>> inside_;  // see strategy_inside
};

void check_options(const BroadcastOptions& options) {
  if (options.segments < 0) throw InputError("segments", fmt::format("{}", options.segments), "at least 0");
  if (!(options.effort >= 0)) throw InputError("effort", fmt::format("{}", options.effort), "at least 0");
  const BroadcastPlannerEntry* const planner = detail::broadcast_planner(options.algorithm);
  const bool native = options.algorithm == "native";
  if ((native || (planner != nullptr && !planner->between_clusters())) && !options.inside.empty())
    throw InputError("inside", "algorithm " + options.algorithm, "a tree between clusters");
  if (native || planner != nullptr || options.algorithm == "auto") return;
  std::string names;
  for (const BroadcastPlannerEntry& each : detail::broadcast_planners()) names += std::string(each.about.name) + ", ";
  throw InputError("algorithm", "'" + options.algorithm + "'", "one of " + names + "native, auto");
}

}  // namespace

namespace detail {

PlannedMessages plan_messages(const Platform& platform, std::int64_t root, std::int64_t bytes,
                              const BroadcastOptions& options) {
  check_options(options);
  return BroadcastPlanner(platform, root, bytes, options).run();
}

}  // namespace detail

}  // namespace sluice
