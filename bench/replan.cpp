// What a plan costs that has to be ready soon: cost over the bound against planning time, as a curve.
//
//   replan [NODES...]     these numbers of nodes; if left out 64, 128, 256 and 512
//
// As many transfers at once as nodes, set-up 20000, fixed seeds. There are two kinds of traffic: all pairs of nodes
// with log-normal sizes (9, 1.5), and tokens that go to experts, as in `sluice study moe-routing`. Each row is a
// planner: `first-fit`, `oggp`, or `auto` with an effort. It has the time of the processor for the traffic, and for the
// same traffic after a tenth of its messages has changed size. Both are planned anew. Costs are over the best bound
// that any planner, or an effort of 1, gives. Every plan is validated. The rows are CSV.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/sluice/study/moe_traffic.hpp"
#include "processor_time.hpp"
#include "random_traffic.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/validate.hpp"

namespace {

constexpr double kSetup = 20000;

/// Gives a tenth of the messages of each receiver the size of another one of them.
sluice::Traffic changed(sluice::Traffic traffic) {
  std::mt19937_64 random(1);
  std::vector<std::vector<std::size_t>> chosen(static_cast<std::size_t>(traffic.receivers));
  for (std::size_t m = 0; m < traffic.messages.size(); ++m)
    if (random() % 10 == 0) chosen[static_cast<std::size_t>(traffic.messages[m].to)].push_back(m);
  for (const std::vector<std::size_t>& of_receiver : chosen)
    for (std::size_t i = 1; i < of_receiver.size(); ++i)
      std::swap(traffic.messages[of_receiver[i - 1]].size, traffic.messages[of_receiver[i]].size);
  return traffic;
}

sluice::ExchangeProblem problem_of(sluice::Traffic traffic) {
  const std::int64_t nodes = traffic.senders;
  return {std::move(traffic), nodes, kSetup};
}

struct Planner {
  std::string algorithm;
  double effort = 1;
};

struct Planned {
  double cost = 0;
  double bound = 0;
  double seconds = 0;
};

Planned plan(const sluice::ExchangeProblem& problem, const Planner& planner) {
  sluice::ExchangeOptions options;
  options.algorithm = planner.algorithm;
  options.effort = planner.effort;
  const double begin_s = processor_seconds();
  const sluice::ExchangePlan plan = sluice::plan_exchange(problem, options);
  const double seconds = processor_seconds() - begin_s;
  if (const auto violations = sluice::validate(plan.schedule, problem.traffic); !violations.empty()) {
    fmt::print(stderr, "{} gave a broken schedule: {}\n", planner.algorithm, to_string(violations.front()));
    std::exit(1);
  }
  return {sluice::cost(plan.schedule).total, plan.bound.cost.total, seconds};
}

/// The plans of one traffic, and the best bound of all.
struct Curve {
  std::vector<Planned> plans;  ///< by planner
  double bound = 0;
};

Curve curve_of(const sluice::ExchangeProblem& problem, const std::vector<Planner>& planners) {
  Curve curve{{}, sluice::exchange_bound(problem).cost.total};
  for (const Planner& planner : planners) {
    curve.plans.push_back(plan(problem, planner));
    curve.bound = std::max(curve.bound, curve.plans.back().bound);
  }
  return curve;
}

void print_curve(const char* kind, const sluice::Traffic& traffic) {
  const std::vector<Planner> planners{{"first-fit"},  {"oggp"},      {"auto", 0.001}, {"auto", 0.01},
                                      {"auto", 0.03}, {"auto", 0.1}, {"auto", 0.3},   {"auto", 1}};
  const Curve first = curve_of(problem_of(traffic), planners);
  const Curve second = curve_of(problem_of(changed(traffic)), planners);
  for (std::size_t i = 0; i < planners.size(); ++i) {
    const Planned& now = first.plans[i];
    const Planned& then = second.plans[i];
    fmt::print("{},{},{},{},{:.4f},{:.3f},{:.4f},{:.3f}\n", kind, traffic.senders, planners[i].algorithm,
               planners[i].effort, now.cost / first.bound, 1e3 * now.seconds, then.cost / second.bound,
               1e3 * then.seconds);
    std::fflush(stdout);
  }
}

std::int64_t nodes_of(std::string_view text) {
  std::int64_t nodes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), nodes);
  if (error != std::errc() || end != text.data() + text.size() || nodes < 2 || nodes > 4096)
    throw sluice::InputError("NODES", fmt::format("'{}'", text), "2 to 4096");
  return nodes;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<std::int64_t> all;
    for (int i = 1; i < argc; ++i) all.push_back(nodes_of(argv[i]));
    if (all.empty()) all = {64, 128, 256, 512};
    fmt::print("traffic,nodes,algorithm,effort,over_bound,planning_ms,changed_over_bound,changed_planning_ms\n");
    for (const std::int64_t nodes : all) print_curve("lognormal", log_normal(nodes, nodes));
    for (const std::int64_t nodes : all) print_curve("moe", sluice::command::moe_traffic(nodes, 1, 0));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
