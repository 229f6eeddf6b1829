#include "plan/exchange/constructive/planners.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "plan/candidates.hpp"
#include "plan/sources.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

constexpr std::string_view kCohen = "Cohen et al. 2006";
constexpr bool kForSwitches = true;
constexpr std::string_view kTwice = "at most 2 eta; + 2 beta + 1 if k limits and beta > 1";

constexpr std::array kExchangePlanners{
    ExchangePlanner{{"exchange", "first-fit", "messages whole; none", "O(m log m)", "Johnson 1973"}, plan_first_fit},
    ExchangePlanner{{"exchange", "profile", "none; in practice near eta where nodes differ in load",
                     "some dozen times first-fit", "ours"},
                    plan_profile},
    ExchangePlanner{{"exchange", "rising", "none; in practice near eta where nodes are alike or traffic is dense",
                     "one matching for each step; some 20 looks at each message", "ours"},
                    plan_rising},
    ExchangePlanner{{"exchange", "ggp", kTwice, "O(m) for each message", kCohen}, plan_ggp},
    ExchangePlanner{{"exchange", "oggp", kTwice, "steps x (n + search among the heaviest edges)", kCohen}, plan_oggp},
    ExchangePlanner{{"exchange", "multigraph", kTwice, "a step for each unit of data: refuses large traffic", kCohen},
                    plan_multigraph},
    ExchangePlanner{{"exchange", "weights", "none", "O(m) for each message, and the pieces", kCohen}, plan_weights},
    ExchangePlanner{{"exchange", "degrees", "none", "O(m) for each message, and the pieces", kCohen}, plan_degrees},
    ExchangePlanner{{"exchange", "stepwise", "messages whole, in the fewest steps",
                     "one weighted matching for each step", kDesprez},
                    plan_stepwise_exchange},
    ExchangePlanner{{"exchange", "greedy", "messages whole; none", "one weighted matching for each step", kDesprez},
                    plan_greedy_exchange},
    ExchangePlanner{{"exchange", "solstice", "transmits in the least time; none on the cost",
                     "one matching for each step and threshold", "Liu et al. 2015", false, kForSwitches},
                    plan_solstice},
    ExchangePlanner{{"exchange", "eclipse", "none", "2 log2(m) weighted matchings for each step",
                     "Bojja Venkatakrishnan et al. 2016", false, kForSwitches},
                    plan_eclipse},
    ExchangePlanner{{"exchange", "lumos", "none", "one matching for each step and threshold", "the idea of Lumos",
                     false, kForSwitches},
                    plan_lumos},
    ExchangePlanner{{"exchange", "thresholds", "none; in practice near eta where sizes fall into classes",
                     "eleven times lumos", "ours"},
                    plan_thresholds},
};

}  // namespace

std::span<const ExchangePlanner> exchange_planners() { return kExchangePlanners; }

void for_each_fast_planner(Budget& budget, const std::function<void(const ExchangePlanner&, Budget&)>& visit) {
  constexpr double kFastShare = 0.015;
  const auto share = static_cast<std::int64_t>(kFastShare * static_cast<double>(budget.left()));
  std::int64_t work = 0;
  for (const ExchangePlanner& each : exchange_planners()) {
    if (budget.over()) return;
    work += share;
    Budget part = budget.part(work);
    unless_refused([&] { visit(each, part); });
    work = std::max<std::int64_t>(0, work - part.spent());
  }
}

}  // namespace sluice::detail
