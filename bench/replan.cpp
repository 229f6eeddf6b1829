// What a plan costs that has to be ready soon: cost over the bound against planning time, as a curve.
//
//   replan [NODES...]     these numbers of nodes; if left out 64, 128, 256 and 512
//
// All pairs of nodes, as many transfers at once as nodes, set-up 20000, fixed seeds. Sizes are log-normal (9, 1.5), or
// bytes of tokens that go to experts of log-normal popularity. Each row is a planner: `first-fit`, `oggp`, or `auto`
// with an effort. It has the time of the processor for the traffic, and for the same traffic after a tenth of its
// entries has changed. Both are planned anew. Costs are over the best bound that any planner, or an effort of 1, gives.
// Every plan is validated. The rows are CSV.

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/validate.hpp"

namespace {

constexpr double kSetup = 20000;

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// By sender, then by receiver.
using Sizes = std::vector<std::int64_t>;

/// Sizes of the messages of all pairs of nodes.
class SizeSource {
 public:
  SizeSource(std::string_view kind, std::int64_t nodes) : routing_(kind == "moe"), random_(1), nodes_(nodes) {
    std::lognormal_distribution<double> popularity(0, 1);
    double all = 0;
    for (std::int64_t node = 0; node < nodes; ++node) all += popularity_.emplace_back(popularity(random_));
    for (double& each : popularity_) each *= static_cast<double>(nodes) / all;
  }

  Sizes all() {
    Sizes sizes;
    for (std::int64_t pair = 0; pair < nodes_ * nodes_; ++pair) sizes.push_back(one(pair % nodes_));
    return sizes;
  }
  /// Draws a tenth of the sizes anew.
  Sizes changed(Sizes sizes) {
    for (std::size_t pair = 0; pair < sizes.size(); ++pair)
      if (random_() % 10 == 0) sizes[pair] = one(static_cast<std::int64_t>(pair) % nodes_);
    return sizes;
  }

 private:
  std::int64_t one(std::int64_t receiver) {
    if (!routing_) return 1 + static_cast<std::int64_t>(std::lognormal_distribution<double>(9, 1.5)(random_));
    constexpr double kTokens = 16;  // of a sender to an expert of mean popularity
    constexpr std::int64_t kTokenBytes = 4096;
    std::poisson_distribution<std::int64_t> tokens(kTokens * popularity_[static_cast<std::size_t>(receiver)]);
    return kTokenBytes * tokens(random_);
  }

  bool routing_;
  std::mt19937_64 random_;
  std::int64_t nodes_;
  std::vector<double> popularity_;  ///< of the experts of each node; 1 on average
};

sluice::ExchangeProblem problem_of(const Sizes& sizes, std::int64_t nodes) {
  sluice::ExchangeProblem problem{{}, nodes, kSetup};
  problem.traffic.senders = problem.traffic.receivers = nodes;
  for (std::int64_t pair = 0; pair < nodes * nodes; ++pair)
    if (const std::int64_t size = sizes[static_cast<std::size_t>(pair)]; size > 0)
      problem.traffic.messages.push_back({pair / nodes, pair % nodes, size});
  return problem;
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

void print_curve(const std::string& kind, std::int64_t nodes) {
  const std::vector<Planner> planners{{"first-fit"},  {"oggp"},      {"auto", 0.001}, {"auto", 0.01},
                                      {"auto", 0.03}, {"auto", 0.1}, {"auto", 0.3},   {"auto", 1}};
  SizeSource source(kind, nodes);
  const Sizes sizes = source.all();
  const Curve first = curve_of(problem_of(sizes, nodes), planners);
  const Curve changed = curve_of(problem_of(source.changed(sizes), nodes), planners);
  for (std::size_t i = 0; i < planners.size(); ++i) {
    const Planned& now = first.plans[i];
    const Planned& then = changed.plans[i];
    fmt::print("{},{},{},{},{:.4f},{:.3f},{:.4f},{:.3f}\n", kind, nodes, planners[i].algorithm, planners[i].effort,
               now.cost / first.bound, 1e3 * now.seconds, then.cost / changed.bound, 1e3 * then.seconds);
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
    for (const char* const kind : {"lognormal", "moe"})
      for (const std::int64_t nodes : all) print_curve(kind, nodes);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
