/// `thresholds`: filtration that credits a message that ends with the step that it saves.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp.
///
/// Method: filtration (filtration.hpp) with several ratios of thresholds and several worths of an end; the cheapest
/// plan is the result. A rate of what is sent alone cuts messages wherever that sends a little more, and every rest
/// costs its ends another step later. eta counts a set-up for each message of a node, so a message that ends is worth
/// about one set-up, and more if the set-up is small.
///
/// Guarantee: none. On demand of optical switches 4 to 10 % above eta on average; lumos is 8 to 40 % above it.
///
/// Complexity: eleven filtrations (filtration.hpp), and their memory. Deterministic; the best plan so far if the budget
/// is spent after the first.
///
/// Source: ours.
///
/// Example: see filtration.hpp.
#include "plan/exchange/constructive/thresholds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "plan/candidates.hpp"
#include "plan/exchange/constructive/filtration.hpp"
#include "plan/exchange/constructive/planners.hpp"

namespace sluice::detail {

namespace {

// Small worths serve large set-ups.
constexpr std::array kRules{FiltrationRule{50, 1}, FiltrationRule{50, 4}, FiltrationRule{70, 2},  FiltrationRule{70, 4},
                            FiltrationRule{50, 2}, FiltrationRule{70, 1}, FiltrationRule{85, 4},  FiltrationRule{50, 6},
                            FiltrationRule{85, 2}, FiltrationRule{70, 6}, FiltrationRule{50, 0.5}};

// For random rules.
constexpr std::int64_t kLeastPercent = 35, kPercents = 62;
constexpr std::array kWorths{0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 4.0, 6.0, 9.0};
constexpr std::array kNearWorths{0.75, 1.0, 1.25};
constexpr int kFirstRules = 8, kMostRules = 1024;
/// Plans of all that a round takes at least, in effect: half of a plan for each of its steps and rules.
constexpr std::int64_t kLeastPlans = 60;

class Pilot {
 public:
  Pilot(const Demand& demand, std::uint64_t seed, Budget& budget) : demand_(demand), budget_(budget), random_(seed) {}

  /// The first plan of a round.
  bool begin() {
    rest_.clear();
    for (const Edge& edge : demand_.edges) rest_.push_back(edge.weight);
    fixed_.clear();
    tail_.clear();
    tail_cost_ = std::numeric_limits<double>::infinity();
    for (const FiltrationRule& rule : kRules) attempt(rule);
    return !tail_.empty();
  }
  [[nodiscard]] double cost() const { return tail_cost_; }  // before any step is fixed

  /// Goes through the steps while the budget lasts.
  void improve(int rules) {
    while (!tail_.empty() && !budget_.over()) {
      attempt(rule_);
      for (int i = 1; i < rules && !budget_.over(); ++i) {
        attempt(draw(i % 2 == 0));
      }
      std::int64_t duration = 0;
      for (const Piece& piece : tail_.back()) {
        rest_[as_size(piece.edge)] -= piece.size;
        duration = std::max(duration, piece.size);
      }
      tail_cost_ -= static_cast<double>(duration) + demand_.setup;
      fixed_.push_back(std::move(tail_.back()));
      tail_.pop_back();
    }
  }
  [[nodiscard]] PieceSteps plan() const {
    PieceSteps steps = fixed_;
    steps.insert(steps.end(), tail_.rbegin(), tail_.rend());
    return steps;
  }

 private:
  /// A random rule: any, or one `near` the tail's rule.
  FiltrationRule draw(bool near) {
    if (!near) {
      const auto percent = kLeastPercent + static_cast<std::int64_t>(random_() % kPercents);
      return {percent, kWorths[random_() % kWorths.size()]};
    }
    constexpr std::int64_t kAway = 8;
    const auto away = static_cast<std::int64_t>(random_() % (2 * kAway + 1)) - kAway;
    const double factor = kNearWorths[random_() % kNearWorths.size()];
    return {std::clamp(rule_.percent + away, kLeastPercent, kLeastPercent + kPercents - 1),
            std::clamp(rule_.worth_of_end * factor, kWorths.front(), kWorths.back())};
  }

  void attempt(const FiltrationRule& rule) {
    std::optional<PieceSteps> steps = filter_rest(demand_, rest_, rule, tail_cost_, "thresholds", budget_);
    if (!steps) return;
    const double total = sluice::detail::cost(*steps, demand_.setup);
    if (total >= tail_cost_) return;
    tail_cost_ = total;
    tail_ = std::move(*steps);
    std::reverse(tail_.begin(), tail_.end());
    rule_ = rule;
  }

  const Demand& demand_;
  Budget& budget_;
  std::mt19937_64 random_;
  std::vector<std::int64_t> rest_;  ///< of each message, when the steps of fixed_ are over
  PieceSteps fixed_, tail_;         ///< the plan: the steps that stay, and what follows, the last first
  double tail_cost_ = 0;
  FiltrationRule rule_;  ///< the rule that made the tail
};

}  // namespace

void search_thresholds(const Demand& demand, std::uint64_t seed, double hopeless, Budget& budget,
                       const std::function<void(const PieceSteps&)>& found) {
  Budget first = budget.part(budget.left() / kLeastPlans);
  if (!filter(demand, kRules.front(), "thresholds", first)) return;
  Pilot pilot(demand, seed, budget);
  for (int rules = kFirstRules; rules <= kMostRules && !budget.over(); rules *= 2) {
    if (!pilot.begin() || pilot.cost() > hopeless) return;
    pilot.improve(rules);
    found(pilot.plan());
  }
}

std::optional<PieceSteps> plan_thresholds(const Demand& demand, Budget& budget) {
  Candidates<PieceSteps> best;
  for (const FiltrationRule& rule : kRules) {
    std::optional<PieceSteps> steps = filter(demand, rule, "thresholds", budget);
    if (!steps) break;
    const double total = cost(*steps, demand.setup);
    best.offer(total, std::move(*steps));
  }
  return best.take();
}

}  // namespace sluice::detail
