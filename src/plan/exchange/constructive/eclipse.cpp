/// `eclipse`: send, step after step, what is the most for the time it takes.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp; k = n is an optical circuit switch, the set-up beta its delay
/// of reconfiguration.
///
/// Method: the next step is a matching M of at most k messages and a duration a. They maximise the sum over M of min(a,
/// what is left of the message) / (a + beta). For a given duration, M is a matching of maximum weight. For a given
/// matching, the quotient only rises or only falls between two durations that end messages of it. So only durations
/// that end a message are considered, by bisection: the better of two neighbours tells the side to go on. The best
/// duration seen is taken. This is repeated until everything is sent.
///
/// Guarantee: none here. (Within a window of time the paper proves at least half of what the best schedule sends; it
/// says nothing of the time to send all.)
///
/// Complexity: at most m steps, 2 log2(m) weighted matchings for each, each as maximum_weight_matching, with k below
/// the nodes O(k (n^2 + m)) (limited_matching.hpp). Memory O(m + n + pieces). Deterministic.
///
/// Source: Bojja Venkatakrishnan, Alizadeh, Viswanath, "Costly circuits, submodular schedules and approximate
/// Caratheodory theorems", SIGMETRICS 2016, the greedy algorithm and its search for the duration.
///
/// Deviations: the paper schedules within a window of time and leaves the rest to a packet switch; here the window is
/// as long as it takes. If every piece of a step is shorter than its duration, the step ends with the longest piece. If
/// all its messages are longer than its duration a, it goes on until the shortest of them ends, at b. So every step
/// ends a message. Otherwise, if set-ups are small and all short durations are worth equally much, steps of one unit
/// could follow each other without end. The matching is a heaviest one for b too: its weight grows by the factor b / a,
/// and no other matching can grow more, because min(b, r) <= b / a min(a, r) for every r. The quotient does not fall.
/// The limit k is ours. Weights of matchings are divided by a power of two if they would not fit the 64 bits of that
/// algorithm. With a limit they are doubles: a matching can then be a little lighter than the heaviest.
///
/// Example: messages 0->0 of 8, 1->1 of 8, 0->1 of 1, 1->0 of 1, k = 2, set-up 1: duration 8 sends 16 in 9, duration 1
/// sends 2 in 2. So steps of 8 and of 1: cost 11 = eta.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "plan/exchange/constructive/limited_matching.hpp"
#include "plan/exchange/constructive/planners.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kWorkOfEclipseEdge = 30;  // in a matching
constexpr std::int64_t kWorkOfEclipseVertex = 50;

struct Choice {
  double rate = -1;  ///< sent for the time it takes
  std::vector<std::int32_t> edges;
};

class Greedy {
 public:
  Greedy(const Demand& demand, Budget& budget)
      : demand_(demand),
        budget_(budget),
        graph_(demand.lefts, demand.rights, demand.edges),
        limited_(demand.max_transfers < std::min(demand.lefts, demand.rights)),
        heaviest_(demand.lefts, demand.rights, limited_ ? demand.edges : std::vector<Edge>{}, demand.max_transfers),
        values_(limited_ ? demand.edges.size() : 0, 0) {
    for (const Edge& edge : demand.edges) rest_.push_back(edge.weight);
    const std::int64_t fits = std::numeric_limits<std::int64_t>::max() / 16;
    most_weight_ = fits / (std::min(demand.lefts, demand.rights) + 1);
  }

  std::optional<PieceSteps> run() {
    PieceSteps steps;
    std::int64_t pieces = 0;
    // The least work that choose() spends.
    if (budget_.left() < eta(demand_).steps * kWorkOfEclipseEdge * std::ssize(rest_)) return std::nullopt;
    while (graph_.edge_count() > 0) {
      Choice best;
      std::int64_t duration = 0;
      if (!choose(best, duration)) return std::nullopt;
      std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
      for (const std::int32_t e : best.edges) shortest = std::min(shortest, rest_[as_size(e)]);
      duration = std::max(duration, shortest);
      std::vector<Piece> step;
      for (const std::int32_t e : best.edges) {
        const std::int64_t size = std::min(duration, rest_[as_size(e)]);
        step.push_back({e, size});
        rest_[as_size(e)] -= size;
        if (rest_[as_size(e)] == 0) graph_.remove(e);
      }
      pieces += static_cast<std::int64_t>(step.size());
      check_pieces(pieces, "eclipse");
      steps.push_back(std::move(step));
    }
    return steps;
  }

 private:
  /// False if the budget is spent.
  bool choose(Choice& best, std::int64_t& duration) {
    durations_.clear();
    for (const std::int64_t rest : rest_)
      if (rest > 0) durations_.push_back(rest);
    std::sort(durations_.begin(), durations_.end());
    durations_.erase(std::unique(durations_.begin(), durations_.end()), durations_.end());
    budget_.spend(kWorkOfEclipseEdge * static_cast<std::int64_t>(rest_.size()));
    std::map<std::size_t, double> known;
    const auto rate_of = [&](std::size_t i) {
      if (const auto found = known.find(i); found != known.end()) return found->second;
      Choice choice = matching_for(durations_[i]);
      const double rate = choice.rate;
      known.emplace(i, rate);
      if (rate > best.rate) {
        best = std::move(choice);
        duration = durations_[i];
      }
      return rate;
    };
    std::size_t low = 0;
    std::size_t high = durations_.size() - 1;
    if (low == high) rate_of(low);
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      const double here = rate_of(middle);
      const double longer = rate_of(middle + 1);
      if (budget_.over()) return false;
      if (here < longer) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return !budget_.over();
  }

  Choice matching_for(std::int64_t duration) {
    Choice result;
    budget_.spend(kWorkOfEclipseEdge * graph_.edge_count() + kWorkOfEclipseVertex * (demand_.lefts + demand_.rights));
    if (limited_) {
      for (std::size_t e = 0; e < rest_.size(); ++e) values_[e] = static_cast<double>(std::min(duration, rest_[e]));
      if (!heaviest_.solve(values_, budget_)) return result;
      result.edges = heaviest_.edges();
    } else {
      int shift = 0;
      while ((duration >> shift) > most_weight_) ++shift;
      for (std::int32_t u = 0; u < graph_.lefts(); ++u)
        for (const std::int32_t e : graph_.edges_of_left(u))
          graph_.set_weight(e, std::max<std::int64_t>(1, std::min(duration, rest_[as_size(e)]) >> shift));
      for (const std::int32_t e : maximum_weight_matching(graph_).matching.left_edge)
        if (e >= 0) result.edges.push_back(e);
    }
    std::int64_t sent = 0;
    std::int64_t longest = 0;
    for (const std::int32_t e : result.edges) {
      const std::int64_t size = std::min(duration, rest_[as_size(e)]);
      sent += size;
      longest = std::max(longest, size);
    }
    result.rate = static_cast<double>(sent) / (static_cast<double>(longest) + demand_.setup);
    return result;
  }

  const Demand& demand_;
  Budget& budget_;
  BipartiteGraph graph_;  ///< of what is not sent yet
  bool limited_;          ///< whether a matching can have more than k edges
  LimitedMatching heaviest_;
  std::vector<double> values_;
  std::vector<std::int64_t> rest_, durations_;
  std::int64_t most_weight_ = 0;
};

}  // namespace

std::optional<PieceSteps> plan_eclipse(const Demand& demand, Budget& budget) { return Greedy(demand, budget).run(); }

}  // namespace sluice::detail
