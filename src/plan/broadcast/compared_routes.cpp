/// Finds the best of a few routes, and its messages.
///
/// Problem: the score of routes does not see everything, and the replay of a long message takes far longer than a plan
/// may. In a long pipeline every rank has messages under way, and each that begins or ends changes the rates of others.
/// Method: routes are compared by the replay of their first segments, or of all segments if there are few. A longer
/// message takes longer by the ratio of two scores: of the message to the part. Routes are considered in the order of
/// their scores, while a score says that its routes may be the best and counted work is left. The few that seem best
/// are then simulated whole (timed_messages.hpp). Every time of the simulation is stretched by the ratio of the part's
/// replay to its simulation. For routes into all ranks, it is stretched by half of that delay, and by half of the time
/// that the part's replay added. The shortest is the plan. It is replayed whole if it has no more than some 10^4
/// messages, or is shorter than any program can be. If the latter is too much work, it takes as long as the bound says.
/// Beyond some two hundred segments only chains are considered, if there are any: ranks that send twice fall behind in
/// the long run, and the first segments do not show it. A root that sends as fast as its port allows gives the busiest
/// part more than it forwards. What waits there shares its rate. So all of it arrives late, and the ranks behind have
/// no time left to forward it. So the root waits between two segments for about as long as the busiest part needs for
/// one. It sends the last segment early enough for the ranks of its own group. With few ranks the root waits only if
/// the replay of the part says that this is shorter, with hundreds always. With hundreds of ranks the first segments of
/// all routes are too many messages to replay, and too few segments. So they are simulated, for one of the routes of
/// each score, and the score says how long the whole message takes. The routes that seem shortest are replayed whole,
/// if that is little enough work. At most three others are simulated whole and stretched like the part, while work is
/// left. For the shortest, fewer segments are tried.
/// Guarantee: none. The length is the replay's length if the whole message was replayed. Otherwise, on the studies, it
/// is within a tenth of what the whole replay finds (tests/plan/broadcast_route_builder_test.cpp).
/// Complexity: O(m log m) time for m messages, besides the replays of a few thousand. Deterministic. Source: ours.
///
/// Example: 68 of 512 segments take 17.6 ms in the simulation and 21.1 in the replay, 1.20 times as long. All 512 take
/// 52.1 ms in the simulation, so the plan says 62.5; the replay of all finds 62.8.
#include "plan/broadcast/compared_routes.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/bound_below.hpp"
#include "base/infinity.hpp"
#include "plan/broadcast/route_builder.hpp"
#include "plan/broadcast/route_score.hpp"
#include "timing/clock.hpp"
#include "timing/timed_messages.hpp"

namespace sluice::detail {

namespace {

/// Limits of replays of parts. kMostCompared: about the messages of each; kLeastCompared: the least segments of each;
/// kMostComparedInAll: the messages of all together. kMostRatesAtFirst: the most rates that the first replay may find.
/// kMoreRates: the most that all others may find together.
constexpr std::int64_t kMostCompared = 5500, kLeastCompared = 24, kMostComparedInAll = 8000;
constexpr double kMostRatesAtFirst = 10e6, kMoreRates = 3e6;
/// A plan of at most this many messages has the length of their replay.
constexpr std::int64_t kMostConfirmed = 12'000;
/// Beyond kManyRanks, simulations are compared first. kMostOfMany: about the messages of each; kLeastOfMany: the least
/// segments of each. kMostSimulatedInAll, kSimulatedPerRank: the most messages in all, the larger of the two limits.
constexpr std::int64_t kManyRanks = kMostCompared / kLeastCompared, kMostOfMany = 12'000, kLeastOfMany = 12,
                       kMostSimulatedInAll = 130'000, kSimulatedPerRank = 40;
/// Beyond kManyRanks, a part that is replayed has at most kMostReplayedOfMany messages, but no fewer segments than
/// kLeastOfMany. kMostCompletedInAll, kCompletedPerRank: the most messages that are simulated whole, the larger of the
/// two limits; the first routes always are.
constexpr std::int64_t kMostReplayedOfMany = 60'000, kMostCompletedInAll = 600'000, kCompletedPerRank = 200;
/// Simulations are seldom shorter than this part of the score.
constexpr double kSimulatedOverScore = 0.8;
/// Replays are seldom shorter than this part of the score, or of what the simulation finds.
constexpr double kSeldomLess = 0.9;
/// The most routes that are simulated whole.
constexpr std::size_t kCompleted = 3;
/// How many of the routes replayed in part are replayed again with a root that waits.
constexpr std::size_t kPaced = 2;
/// A pipeline of more segments is long.
constexpr std::int64_t kLongPipeline = 192;

class RouteComparison {
 public:
  RouteComparison(const RankNetwork& network, std::int64_t root, std::int64_t bytes, const ProgramBound& bound,
                  bool summary, const StopRequest& stop)
      : network_(network), root_(root), bytes_(bytes), bound_(bound), summary_(summary), stop_(stop) {}

  PlannedMessages run(const std::vector<FoundRoutes>& found) {
    Compared chosen = has_many_ranks() ? best_of_many(found) : best_of_few(found);
    PlannedMessages plan;
    plan.method = to_string(chosen.routes);
    plan.segment_bytes = chosen.routes.segment_bytes;
    plan.count = chosen.routes.segments(bytes_) * (network_.platform().ranks - 1);
    plan.estimated = chosen.estimated;
    if (!chosen.estimated || !stretch_to_bound(chosen.messages))
      plan.bound = {bound_below(bound_.seconds, chosen.messages.length_s), bound_.kind};
    plan.length_s = chosen.messages.length_s;
    plan.messages = std::move(chosen.messages);
    return plan;
  }

 private:
  struct Compared {
    Routes routes;
    std::int64_t bytes = 0;  // the part of the message that is compared
    TimedMessages messages;  // of the part
    double simulated_s = 0;  // the part
    double delay = 1;        // the ratio of the part's replay to its simulation
    double length_s = 0;     // of the whole message, about
    bool replayed = false;   // otherwise a replay was too much work
    bool estimated = true;   // the times of the messages do not come from a replay of the whole message
  };

  [[nodiscard]] bool stopped() const { return stop_ && stop_(); }

  /// The first `bytes` bytes of the message over routes.
  [[nodiscard]] TimedMessages simulated(const Routes& routes, std::int64_t bytes, bool length_only = false) const {
    return timed_messages(network_, root_, route_messages(network_, root_, bytes, routes), false, length_only);
  }

  /// Whether a plan has the length of the replay of all messages.
  [[nodiscard]] bool is_confirmed(const Routes& routes) const {
    return routes.segments(bytes_) * (network_.platform().ranks - 1) <= kMostConfirmed;
  }

  [[nodiscard]] bool has_many_ranks() const { return network_.platform().ranks > kManyRanks; }

  /// How much of the message is simulated first: all of it, or whole segments.
  [[nodiscard]] std::int64_t simulated_part(const Routes& routes) const {
    return std::min(bytes_, std::max(kLeastOfMany, kMostOfMany / network_.platform().ranks) * routes.segment_bytes);
  }

  /// How much of the message is replayed.
  [[nodiscard]] std::int64_t replayed_part(const Routes& routes) const {
    const std::int64_t ranks = network_.platform().ranks;
    const std::int64_t segments = has_many_ranks()
                                      ? std::clamp(kMostReplayedOfMany / ranks, kLeastOfMany, kLeastCompared)
                                      : std::max(kLeastCompared, kMostCompared / ranks);
    return std::min(bytes_, segments * routes.segment_bytes);
  }

  /// How long the whole message takes, if its first `bytes` bytes take so long: by the scores of both.
  [[nodiscard]] double of_the_whole(double length_s, std::int64_t bytes, const FoundRoutes& found) const {
    return bytes == bytes_ ? length_s
                           : length_s * found.length_s / route_score(network_, root_, bytes, found.routes).length_s;
  }

  /// The time between two segments at the root, for routes that take `length_s` if the root does not wait. With this
  /// period no part gets more than it can forward, and the last segment is no later than without it.
  [[nodiscard]] double root_period(const FoundRoutes& found, double length_s) const {
    const std::int64_t segments = found.routes.segments(bytes_);
    if (segments < 2) return 0;
    return std::clamp((length_s - found.filled_s) / static_cast<double>(segments - 1), 0.0, found.period_s);
  }

  /// Compares by the first `bytes` bytes of the message. `limits`: of the replay.
  [[nodiscard]] Compared compared(const FoundRoutes& found, std::int64_t bytes, ReplayLimits& limits) const {
    Compared result;
    result.routes = found.routes;
    result.bytes = bytes;
    result.messages = simulated(found.routes, bytes);
    result.simulated_s = result.messages.length_s;
    if (Clock(network_).replay(result.messages, limits)) {
      result.delay = std::max(1.0, result.messages.length_s / result.simulated_s);
      result.replayed = true;
      result.estimated = bytes < bytes_;
    }
    result.length_s = of_the_whole(result.messages.length_s, bytes, found);
    return result;
  }

  /// Replaces the messages of the part by all messages.
  void complete(Compared& compared) const {
    if (compared.bytes == bytes_) return;
    TimedMessages& messages = compared.messages;
    messages = simulated(compared.routes, bytes_, summary_ && !is_confirmed(compared.routes));
    double delay = compared.delay;
    // If ranks leave a share of their ports to long links, half of the delay occurs only at the beginning.
    if (compared.routes.entries == Routes::Entries::kAll)
      delay = 1 + (delay - 1) / 2 * (1 + compared.simulated_s / messages.length_s);
    stretch(messages, delay);
    compared.length_s = messages.length_s;
  }

  /// For messages that were not replayed whole. Returns whether they were shorter than the bound.
  bool stretch_to_bound(TimedMessages& messages) const {
    if (messages.length_s >= bound_.seconds) return false;
    stretch(messages, bound_.seconds / messages.length_s);
    return true;
  }

  /// Replays all messages if that is little work, or if the present length cannot be right. The replay's times replace
  /// the times estimated from the part.
  void confirm(Compared& chosen) const {
    if (!chosen.estimated || stopped()) return;
    if (!is_confirmed(chosen.routes)) {
      if (chosen.messages.length_s >= bound_.seconds) return;
      if (summary_) chosen.messages = simulated(chosen.routes, bytes_);
    }
    ReplayLimits limits{.rates_left = kMostRatesAtFirst};
    if (Clock(network_).replay(chosen.messages, limits)) chosen.estimated = false;
  }

  /// At least one, by their lengths.
  [[nodiscard]] std::vector<Compared> best_of(const std::vector<FoundRoutes>& found) const {
    std::vector<Compared> result;
    ReplayLimits limits{.rates_left = kMostRatesAtFirst};
    double least = kInfinity;
    std::int64_t messages = 0;
    std::vector<std::pair<double, const FoundRoutes*>> lengths;
    const auto chains = [](const FoundRoutes& each) { return each.routes.shape == Routes::Shape::kChain; };
    const bool any_chains = std::any_of(found.begin(), found.end(), chains);
    for (const FoundRoutes& each : found) {
      if (any_chains && !chains(each) && each.routes.segments(bytes_) > kLongPipeline) continue;
      if (!result.empty() && (kSeldomLess * each.length_s >= least || stopped())) break;
      // Scores of one level are more alike than scores of different levels.
      const auto same_level = [&](const Compared& other) { return other.routes.level == each.routes.level; };
      if (messages > kMostComparedInAll && std::any_of(result.begin(), result.end(), same_level)) continue;
      Compared next = compared(each, replayed_part(each.routes), limits);
      // Replays are compared only with replays.
      if (!result.empty() && !next.replayed) break;
      messages += static_cast<std::int64_t>(next.messages.size());
      least = std::min(least, next.length_s);
      result.push_back(std::move(next));
      if (!result.back().replayed) break;
      lengths.emplace_back(result.back().length_s, &each);
      limits.rates_left = std::min(limits.rates_left, kMoreRates);
    }
    // The shortest of them, if the root waits.
    std::ranges::sort(lengths);
    for (const auto& [length_s, each] : std::span(lengths).first(std::min(lengths.size(), kPaced))) {
      if (stopped()) break;
      FoundRoutes paced = *each;
      paced.routes.root_period_s = root_period(*each, length_s);
      Compared next = compared(paced, replayed_part(paced.routes), limits);
      if (!next.replayed) break;
      if (next.length_s < length_s) result.push_back(std::move(next));
    }
    std::ranges::stable_sort(result, {}, &Compared::length_s);
    return result;
  }

  [[nodiscard]] Compared best_of_few(const std::vector<FoundRoutes>& found) const {
    std::vector<Compared> compared = best_of(found);
    Compared chosen = std::move(compared.front());
    complete(chosen);
    for (std::size_t c = 1; c < std::min(compared.size(), kCompleted); ++c) {
      if (compared[c].length_s >= chosen.length_s || stopped()) break;
      complete(compared[c]);
      if (compared[c].length_s < chosen.length_s) chosen = std::move(compared[c]);
    }
    confirm(chosen);
    return chosen;
  }

  // ---- many ranks

  /// In a long pipeline almost all ranks have a message under way, and all of them may change their rates with each.
  [[nodiscard]] bool hopeless_to_replay(const Routes& routes) const {
    constexpr std::int64_t kLongForMany = 32;
    const auto ranks = static_cast<double>(network_.platform().ranks);
    const std::int64_t segments = routes.segments(bytes_);
    return segments >= kLongForMany && static_cast<double>(segments) * ranks * ranks > 2 * kMostRatesAtFirst;
  }

  /// The routes that may be the shortest by their scores, as many as there is work for and at least one. They are
  /// sorted by their lengths as estimated from simulations of parts.
  [[nodiscard]] std::vector<FoundRoutes> simulated_in_part(const std::vector<FoundRoutes>& found) const {
    std::vector<FoundRoutes> result;
    const std::int64_t most = std::max(kMostSimulatedInAll, kSimulatedPerRank * network_.platform().ranks);
    std::int64_t messages = 0;
    double least = kInfinity, score = -1;
    for (const FoundRoutes& each : found) {
      if (each.length_s == score) continue;  // between other, similar groups
      score = each.length_s;
      const std::int64_t bytes = simulated_part(each.routes);
      messages += bytes / each.routes.segment_bytes * network_.platform().ranks;
      if (!result.empty() && (kSimulatedOverScore * score >= least || messages > most || stopped())) break;
      const double length_s = of_the_whole(simulated(each.routes, bytes, true).length_s, bytes, each);
      least = std::min(least, length_s);
      FoundRoutes& paced = result.emplace_back(each);
      paced.length_s = length_s;
      paced.routes.root_period_s = root_period(each, length_s);
    }
    std::ranges::stable_sort(result, {}, &FoundRoutes::length_s);
    return result;
  }

  /// The best by replays of whole messages, or by simulations of whole messages and replays of parts.
  [[nodiscard]] Compared best_of_many(const std::vector<FoundRoutes>& found) const {
    std::optional<Compared> best;
    ReplayLimits limits{.rates_left = kMostRatesAtFirst};
    std::size_t completed = 0;
    std::int64_t left = std::max(kMostCompletedInAll, kCompletedPerRank * network_.platform().ranks);
    for (const FoundRoutes& each : simulated_in_part(found)) {
      if (best && (kSeldomLess * each.length_s >= best->length_s || stopped())) break;
      Compared next;
      if (!hopeless_to_replay(each.routes)) next = compared(each, bytes_, limits);
      if (next.replayed) {
        limits.rates_left = std::min(limits.rates_left, kMoreRates);
      } else {
        const std::int64_t messages = each.routes.segments(bytes_) * network_.platform().ranks;
        if (completed == kCompleted || (best && messages > left)) continue;
        ++completed;
        left -= messages;
        ReplayLimits of_part{.rates_left = kMostRatesAtFirst};
        next = compared(each, replayed_part(each.routes), of_part);
        complete(next);
      }
      if (!best || next.length_s < best->length_s) best = std::move(next);
    }
    if (hopeless_to_replay(best->routes)) in_longer_segments(*best);
    return std::move(*best);
  }

  /// Tries fewer segments if the simulation says that this is far shorter. The score does not see all costs of a
  /// further message, and the simulation does not see all gains of a waiting root.
  void in_longer_segments(Compared& best) const {
    constexpr double kFarShorter = 0.9, kMayBeShorter = 0.95;
    Routes longer = best.routes;
    longer.root_period_s = 0;
    for (double least_s = best.length_s; !stopped();) {
      longer.segment_bytes *= 2;
      if (longer.segments(bytes_) < kLeastOfMany) return;
      if (route_score(network_, root_, bytes_, longer).length_s >= kMayBeShorter * best.length_s) return;
      TimedMessages messages = simulated(longer, bytes_, summary_);
      stretch(messages, best.delay);
      if (messages.length_s >= least_s) return;
      least_s = messages.length_s;
      if (least_s >= kFarShorter * best.length_s) continue;
      best.routes = longer;
      best.length_s = messages.length_s;
      best.messages = std::move(messages);
    }
  }

  const RankNetwork& network_;
  std::int64_t root_;
  std::int64_t bytes_;
  const ProgramBound& bound_;
  bool summary_;
  const StopRequest& stop_;
};

}  // namespace

PlannedMessages best_routed(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                            const std::vector<FoundRoutes>& found, const ProgramBound& bound, bool summary,
                            const StopRequest& stop) {
  return RouteComparison(network, root, bytes, bound, summary, stop).run(found);
}

}  // namespace sluice::detail
