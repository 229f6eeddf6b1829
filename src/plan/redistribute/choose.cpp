#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "plan/redistribute/between_processes.hpp"
#include "plan/redistribute/combined_steps.hpp"
#include "plan/redistribute/exact.hpp"
#include "plan/redistribute/front_search.hpp"
#include "plan/redistribute/registry.hpp"
#include "plan/step_rule.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/redistribute.hpp"

namespace sluice {

using detail::CombinedSteps;
using detail::ExactSearch;
using detail::kMostMoreSteps;
using detail::LeastTransmission;
using detail::PlansBetween;
using detail::StepRule;

namespace {

// ---------------------------------------------------------------------------------------------------------------------
// The named algorithms, dimension by dimension

constexpr double kMostPricedMessages = 2e5;  // examined one by one to compare candidates: some 10 ms each
constexpr double kMostFoldingWork = 3e7;     // tuples of steps examined to compare candidates: about 0.1 s

using detail::RedistributePlanner;
using AxisPlanner = std::shared_ptr<const StepRule> (*)(const AxisPattern&);

const RedistributePlanner& planner(const std::string& algorithm) {
  const RedistributePlanner* const found = detail::redistribute_planner(algorithm);
  if (found != nullptr && found->plan != nullptr) return *found;
  std::string known;
  for (const RedistributePlanner& each : detail::redistribute_planners()) known += fmt::format("{}, ", each.about.name);
  throw InputError("--algorithm", fmt::format("'{}'", algorithm), known + "or auto");
}

/// One schedule of one dimension to choose from.
struct AxisCandidate {
  std::string algorithm;
  std::shared_ptr<const StepRule> rule;
  std::vector<std::int64_t> durations;
};

class AxisCandidates {
 public:
  explicit AxisCandidates(const AxisPattern& pattern) : pattern_(pattern) {
    const CommunicationGrid grid = detail::paper_grid(pattern);
    prices_messages_ = static_cast<double>(grid.max_messages_of_sender()) * static_cast<double>(grid.senders()) <=
                           kMostPricedMessages ||
                       static_cast<double>(pattern.extent()) <= kMostPricedMessages;
  }

  void add(const std::string& algorithm, AxisPlanner plan) {
    std::shared_ptr<const StepRule> rule = plan(pattern_);
    if (rule != nullptr) choices_.push_back({algorithm, std::move(rule), {}});
  }
  /// Like add, but ignores an algorithm that does not apply.
  void try_to_add(const std::string& algorithm, AxisPlanner plan) {
    try {
      add(algorithm, plan);
    } catch (const InputError&) {
      return;
    }
  }
  [[nodiscard]] const std::vector<AxisCandidate>& choices() const { return choices_; }
  /// Whether the messages are few enough to price a schedule by all of them.
  [[nodiscard]] bool prices_messages() const { return prices_messages_; }

  /// Finds the durations of every choice. Drops choices that another choice beats in every combination. The durations
  /// are for the array as it is. If its messages are too many to examine, they are for the whole slices that it holds,
  /// and come from the quotient alone.
  void compare() {
    const bool whole = detail::whole_slices(pattern_) > 0;
    const AxisPattern compared(
        pattern_.from(), pattern_.to(), pattern_.from_start(), pattern_.to_start(),
        whole || prices_messages_ ? pattern_.extent() : pattern_.extent() - pattern_.extent() % pattern_.slice());
    for (AxisCandidate& each : choices_) each.durations = each.rule->durations(compared);
    std::vector<AxisCandidate> kept;
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      const bool beaten = std::ranges::any_of(choices_, [&](const AxisCandidate& other) {
        const auto at = static_cast<std::size_t>(&other - choices_.data());
        return at != i && beats(other, choices_[i], /*ties=*/at < i);
      });
      if (!beaten) kept.push_back(choices_[i]);
    }
    choices_ = std::move(kept);
  }

 private:
  static std::int64_t transmission(const AxisCandidate& each) {
    std::int64_t sum = 0;
    for (const std::int64_t duration : each.durations) sum += duration;  // at most the extent
    return sum;
  }
  /// The steps and TC of a dimension that is not folded only multiply the other dimensions' steps and TC.
  static bool beats(const AxisCandidate& a, const AxisCandidate& b, bool ties) {
    if (a.rule->fold().group > 1 || b.rule->fold().group > 1) return false;
    const std::pair mine(a.rule->steps(), transmission(a)), others(b.rule->steps(), transmission(b));
    return mine.first <= others.first && mine.second <= others.second && (ties || mine != others);
  }

  AxisPattern pattern_;
  bool prices_messages_ = true;
  std::vector<AxisCandidate> choices_;
};

/// The candidates of `auto` in one dimension. If `classes` applies and the array is whole slices, nothing is better in
/// that dimension. Peeling is left out if it would take longer than about a second, and all graphs if they do not fit.
/// Every process decides alike, because no clock is read.
void add_whatever_fits(AxisCandidates& candidates, const AxisPattern& pattern, bool one_of_several) {
  const bool whole = detail::whole_slices(pattern) > 0;
  const bool peels = detail::peeling_work(pattern) <= detail::kMostPeelingWork;
  bool optimal = false;
  for (const RedistributePlanner& each : detail::redistribute_planners()) {
    if (each.plan == nullptr || (each.peels && !peels)) continue;
    const std::string name(each.about.name);
    if (one_of_several && each.plan_folded != nullptr) candidates.add(name, each.plan_folded);
    if (optimal || (each.for_short_arrays && !candidates.choices().empty() && !candidates.prices_messages())) continue;
    const std::size_t before = candidates.choices().size();
    candidates.try_to_add(name, each.plan);
    optimal = each.optimal_on_slices && whole && candidates.choices().size() > before;
    if (optimal && !one_of_several) return;
  }
}

/// Chooses one candidate for each dimension so that the combination costs least: transmission + setup * steps or, if
/// `fewest_steps`, first the steps and then the transmission. Once kMostFoldingWork is used up, combinations of folded
/// dimensions have an upper bound as their price.
std::vector<std::size_t> cheapest(const std::vector<AxisCandidates>& axes, double setup, bool fewest_steps) {
  std::vector<std::size_t> current(axes.size(), 0), best;
  if (std::ranges::all_of(axes, [](const AxisCandidates& candidates) { return candidates.choices().size() == 1; })) {
    return current;
  }
  std::pair<double, double> best_price;
  double work = 0;
  while (true) {
    std::vector<CombinedSteps::AxisSteps> steps;
    std::vector<std::vector<std::int64_t>> durations;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      const AxisCandidate& candidate = axes[d].choices()[current[d]];
      steps.push_back({candidate.rule->steps(), candidate.rule->fold()});
      durations.push_back(candidate.durations);
    }
    const CombinedSteps combined(std::move(steps));
    const bool affordable = work + combined.pricing_work() <= kMostFoldingWork;
    if (affordable) work += combined.pricing_work();
    const auto number = static_cast<double>(combined.steps());
    const auto transmission =
        static_cast<double>(affordable ? combined.transmission(durations) : combined.transmission_at_most(durations));
    const std::pair<double, double> price =
        fewest_steps ? std::pair(number, transmission) : std::pair(transmission + setup * number, number);
    if (best.empty() || price < best_price) best = current, best_price = price;
    std::size_t d = 0;
    while (d < axes.size() && ++current[d] == axes[d].choices().size()) current[d++] = 0;
    if (d == axes.size()) return best;
  }
}

/// How much `auto` does with the messages of an array that could be planned dimension by dimension.
struct MessageEffort {
  double most_messages;
  double most_peeling;  ///< see named_steps
};
constexpr MessageEffort kNoMessages{0, 0};
/// If every process plans, within milliseconds.
constexpr MessageEffort kSoonPlanned{1 << 16, 1e6};
constexpr MessageEffort kWhereSearched{1 << 20, detail::kMostPeelingWork};

/// The schedules that one named algorithm, or all of them together, make of a problem.
class NamedPlans {
 public:
  NamedPlans(const RedistributionProblem& problem, const std::string& algorithm,
             const MessageEffort& of_messages = kNoMessages)
      : problem_(problem.plain()), of_messages_(of_messages) {
    if (problem.is_irregular() && algorithm != "auto" && planner(algorithm).plan_graph == nullptr)
      throw InputError(algorithm, "blocks given by cuts", "block-cyclic layouts on both sides, or another algorithm");
    if (!problem.is_by_dimension()) between_.emplace(problem, algorithm);
    if (problem.is_irregular()) return;
    const bool one_of_several = problem.dimensions() > 1;
    for (const AxisPattern& pattern : problem.axes()) {
      AxisCandidates& candidates = axes_.emplace_back(pattern);
      if (algorithm == "auto") {
        add_whatever_fits(candidates, pattern, one_of_several);
      } else {
        const RedistributePlanner& asked_for = planner(algorithm);
        candidates.add(algorithm, asked_for.plan);
        if (one_of_several && asked_for.plan_folded != nullptr) candidates.add(algorithm, asked_for.plan_folded);
      }
    }
    if (std::ranges::all_of(axes_, [](const AxisCandidates& each) { return each.choices().size() == 1; })) return;
    for (AxisCandidates& each : axes_) each.compare();
  }

  /// `name`: unless empty, whose plan it is said to be.
  [[nodiscard]] RedistributionPlan cheapest_at(double setup, bool fewest_steps, const std::string& name = "") const {
    if (problem_.is_irregular()) return between_->cheapest(std::nullopt, setup, fewest_steps, name);
    const std::vector<std::size_t> best = cheapest(axes_, setup, fewest_steps);
    std::vector<AxisPlan> plans;
    std::vector<std::string> names;
    for (std::size_t d = 0; d < axes_.size(); ++d) {
      const AxisCandidate& candidate = axes_[d].choices()[best[d]];
      plans.emplace_back(problem_.axis(d), candidate.rule);
      names.push_back(candidate.algorithm);
    }
    // Dimensions planned alike have one name, others are listed: "classes+stepwise".
    const bool alike = std::ranges::all_of(names, [&](const std::string& each) { return each == names.front(); });
    const std::string made_by = alike ? names.front() : fmt::format("{}", fmt::join(names, "+"));
    RedistributionPlan plan{problem_, name.empty() ? made_by : name, std::move(plans), setup};
    if (between_) return between_->cheapest(plan, setup, fewest_steps, name);
    if (detail::messages_at_once(problem_) > of_messages_.most_messages) return plan;
    return by_messages(plan, setup, fewest_steps, name);
  }
  /// A plan of the plain problem, without the copies of this one, and without what is in no part.
  /// @pre !problem.is_plain() and it is block-cyclic
  [[nodiscard]] RedistributionPlan left_of(const RedistributionPlan& plan, double setup) const {
    return between_->left_of(plan, setup);
  }

 private:
  /// The better of `plan`, by dimensions, and the best that the messages, one by one, allow. Combinations of steps of
  /// dimensions are long if their longest messages do not meet, as in arrays that are no whole slices.
  [[nodiscard]] RedistributionPlan by_messages(const RedistributionPlan& plan, double setup, bool fewest_steps,
                                               const std::string& name) const {
    const Cost cost = plan.cost(), bound = redistribution_bound(problem_, setup);
    const bool best_possible =
        fewest_steps ? cost.steps == bound.steps && cost.transmission == bound.transmission : cost.total <= bound.total;
    if (best_possible) return plan;
    if (!by_messages_) by_messages_.emplace(problem_, of_messages_.most_peeling);
    RedistributionPlan other = by_messages_->cheapest(std::nullopt, setup, fewest_steps, name);
    const auto price = [&](const Cost& each) {
      const auto steps = static_cast<double>(each.steps);
      return fewest_steps ? std::pair(steps, static_cast<double>(each.transmission)) : std::pair(each.total, steps);
    };
    return price(other.cost()) < price(cost) ? other : plan;
  }

  RedistributionProblem problem_;  ///< the plain one
  MessageEffort of_messages_;
  std::vector<AxisCandidates> axes_;  ///< none if blocks are of any sizes
  std::optional<PlansBetween> between_;
  mutable std::optional<PlansBetween> by_messages_;  ///< of one that could be planned by dimensions, once it is needed
};

// ---------------------------------------------------------------------------------------------------------------------
// Beyond them

constexpr double kSamePrice = 1e-9;  // relative: totals that differ by less are equal

/// The cheapest schedule that is known so far.
struct Best {
  RedistributionPlan plan;
  Cost cost;

  void take(RedistributionPlan next) {
    plan = std::move(next);
    cost = plan.cost();
  }
};

/// Looks for a plan cheaper than `best`, or as cheap with fewer steps, number of steps by number of steps. The result
/// has the bound that was proven on the way.
RedistributionPlan search_on(ExactSearch& search, const RedistributionProblem& problem, Best best, double setup) {
  const std::int64_t fewest = redistribution_bound(problem, 0).steps;
  const std::int64_t at_least = search.at_least();
  const auto price = [&](std::int64_t steps, std::int64_t transmission) {
    return static_cast<double>(transmission) + setup * static_cast<double>(steps);
  };
  const auto margin = [&] { return kSamePrice * std::max(1.0, best.cost.total); };
  double total_at_least = std::numeric_limits<double>::infinity();
  for (std::int64_t steps = fewest;; ++steps) {
    // The least cost of this number of steps or more.
    const double from_here = price(steps, at_least);
    const bool ties = steps < best.cost.steps;
    if (from_here >= best.cost.total + (ties ? margin() : -margin()) || search.effort().left() == 0 ||
        steps > fewest + kMostMoreSteps) {
      total_at_least = std::min(total_at_least, from_here);
      break;
    }
    const double room = best.cost.total - setup * static_cast<double>(steps);
    const auto below = ties ? static_cast<std::int64_t>(std::floor(room + margin())) + 1
                            : static_cast<std::int64_t>(std::ceil(room - margin()));
    const LeastTransmission found = search.solve(steps, below);
    total_at_least = std::min(total_at_least, price(steps, found.at_least));
    if (found.rule) best.take({problem, "exact", found.rule, found.transmission, setup});
  }
  SLUICE_ASSERT(price(fewest, at_least) <= best.cost.total + margin(),
                fmt::format("bound {} above a plan of {}", price(fewest, at_least), best.cost.total));
  Cost bound{fewest, at_least, std::max(price(fewest, at_least), total_at_least)};
  // The bound for numbers of steps that were not considered may exceed the plan's cost; then the plan is the best.
  if (bound.total > best.cost.total - margin()) bound.total = best.cost.total;
  return best.plan.with_bound(bound);
}

/// The best plan that the search finds from `plan` on, which is one of `named`. If the array is too large for the
/// search: `plan` or, if it must apply, an InputError.
RedistributionPlan searched(const RedistributionProblem& problem, const NamedPlans& named, RedistributionPlan plan,
                            bool must_apply, double setup, std::int64_t effort, const StopRequest& stop) {
  const bool plans_plain_too = !problem.is_plain() && !problem.is_irregular();
  ExactSearch search(problem, plans_plain_too ? effort - effort / 2 : effort, stop);
  if (!must_apply && !search.applies()) return plan;
  const Cost cost = plan.cost();
  if (cost.total <= redistribution_bound(problem, setup).total) return plan;
  if (!search.applies())
    throw InputError("exact", "too many messages to look at",
                     "at most 2^20, or whole slices of a small quotient; auto plans any array");
  Best best{std::move(plan), cost};
  if (plans_plain_too) {
    // What the symmetry of the grid allows to find that the messages one by one may not.
    RedistributionPlan left =
        named.left_of(plan_redistribution(problem.plain(), "auto", setup, effort / 2, stop), setup);
    if (left.cost().total < best.cost.total) best.take(std::move(left));
  }
  return search_on(search, problem, std::move(best), setup);
}

}  // namespace

RedistributionPlan detail::plan_exact_redistribution(const RedistributionProblem& problem, double setup,
                                                     std::int64_t effort, const StopRequest& stop) {
  const NamedPlans named(problem, "auto", kWhereSearched);
  return searched(problem, named, named.cheapest_at(setup, /*fewest_steps=*/false, "exact"), /*must_apply=*/true, setup,
                  effort, stop);
}

std::int64_t multiple_of_default_effort(double multiple, const std::string& where) {
  constexpr double kMost = static_cast<double>(std::int64_t{1} << 50);
  const double work = multiple * static_cast<double>(kDefaultEffort);
  if (!(work >= 0 && work <= kMost))
    throw InputError(where, fmt::format("'{}'", multiple),
                     fmt::format("0 to {:.0e}", kMost / static_cast<double>(kDefaultEffort)));
  return std::llround(work);
}

RedistributionPlan plan_redistribution(const RedistributionProblem& problem, const std::string& algorithm, double setup,
                                       std::int64_t effort, const StopRequest& stop) {
  const RedistributePlanner* const entry = detail::redistribute_planner(algorithm);
  if (entry != nullptr && entry->search != nullptr) return entry->search(problem, setup, effort, stop);
  const NamedPlans named(problem, algorithm,
                         entry != nullptr ? kNoMessages
                         : effort == 0    ? kSoonPlanned
                                          : kWhereSearched);
  if (entry != nullptr) {
    // If messages are left out of either plan, a plan by dimensions may cost less and take more steps.
    const bool fewest_steps = problem.is_by_dimension() ? entry->fewest_steps : entry->fewest_with_copies;
    return named.cheapest_at(setup, fewest_steps);
  }
  RedistributionPlan plan = named.cheapest_at(setup, /*fewest_steps=*/false);
  return effort == 0 ? plan : searched(problem, named, std::move(plan), /*must_apply=*/false, setup, effort, stop);
}

bool exact_uses_cbc() {
#ifdef SLUICE_HAVE_CBC
  return true;
#else
  return false;
#endif
}

RedistributionFront redistribution_front(const RedistributionProblem& problem, double setup, std::int64_t effort,
                                         const StopRequest& stop) {
  const NamedPlans named(problem, "auto", kWhereSearched);
  // The search starts from the named plans with the fewest steps and with the lowest TC.
  std::vector<detail::PricedSchedule<RedistributionPlan>> known;
  for (const bool fewest_steps : {true, false}) {
    RedistributionPlan plan = named.cheapest_at(/*setup=*/0, fewest_steps).with_setup(setup);
    const Cost cost = plan.cost();
    known.push_back({std::move(plan), cost.steps, cost.transmission});
  }
  ExactSearch search(problem, effort, stop);
  auto found =
      detail::search_front(search, redistribution_bound(problem, 0), known, [&](const LeastTransmission& each) {
        return RedistributionPlan(problem, "exact", each.rule, each.transmission, setup);
      });
  RedistributionFront front{{}, found.bound, found.complete};
  for (auto& [priced, at_least] : found.points) front.points.push_back({std::move(priced.schedule), at_least});
  return front;
}

}  // namespace sluice
