// How good the plans of `auto` are, by protocol (fixed seeds):
//
//   exchange_quality dense [EFFORT] [INSTANCES]     20 x 20, all pairs, weights 1..10^4, k = 20, set-ups 500 to 20000
//   exchange_quality paper [EFFORT] [INSTANCES]     20 + 20 nodes, 1..400 messages, weights 1..20 and 1..100000, set-up
//                                                   1
//   exchange_quality files EFFORT SETUP K FILE...   traffic files; K = 0: as many as senders or receivers
//   exchange_quality --large [EFFORT] [NODES]       log-normal sizes (9, 1.5), set-ups 1000 and 20000: dense 100, 300,
//                                                   500, and 20 messages for each of 5000 and 20000 nodes; with NODES
//                                                   that many nodes of 20 messages alone
//   exchange_quality --alike [EFFORT]               20 messages for each of 300, 5000 and 20000 nodes, as many to each
//                                                   node, sizes 1..10^4, set-ups 1500 and 20000
//
// Costs are told over eta (Proposition 1 of Cohen et al.) and over the best bound that an effort of 3 gives. OGGP
// stands beside it, first-fit beside what is large. Every plan is validated. Times are of the processor; for large
// traffic they leave validation out.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "processor_time.hpp"
#include "random_traffic.hpp"
#include "sluice/error.hpp"
#include "sluice/input/traffic_file.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/validate.hpp"

namespace {

sluice::ExchangeOptions with(double effort) {
  sluice::ExchangeOptions options;
  options.effort = effort;
  return options;
}

constexpr double kBoundEffort = 3;

struct Result {
  sluice::Cost cost;
  double over_eta = 0, over_bound = 0, oggp_over_eta = 0;
  double seconds = 0;
  std::string bound_kind;
};

sluice::StepSchedule planned(const sluice::ExchangeProblem& problem, const std::string& algorithm, double effort) {
  sluice::ExchangeOptions options = with(effort);
  options.algorithm = algorithm;
  sluice::StepSchedule schedule = sluice::plan_exchange(problem, options).schedule;
  const std::vector<sluice::Violation> violations = sluice::validate(schedule, problem.traffic);
  if (!violations.empty()) {
    fmt::print(stderr, "{} gave a broken schedule: {}\n", algorithm, to_string(violations.front()));
    std::exit(1);
  }
  return schedule;
}

Result measure(const sluice::ExchangeProblem& problem, double effort) {
  Result result;
  const double begin = processor_seconds();
  result.cost = sluice::cost(planned(problem, "auto", effort));
  result.seconds = processor_seconds() - begin;
  const double eta = sluice::lower_bound(problem.traffic, problem.max_transfers, problem.setup).total;
  const sluice::ExchangeBound bound = sluice::exchange_bound(problem, with(kBoundEffort));
  result.over_eta = result.cost.total / eta;
  result.over_bound = result.cost.total / bound.cost.total;
  result.bound_kind = bound.kind;
  result.oggp_over_eta = sluice::cost(planned(problem, "oggp", 1)).total / eta;
  return result;
}

struct Summary {
  void add(const Result& r) {
    ++count;
    eta += r.over_eta, worst_eta = std::max(worst_eta, r.over_eta);
    bound += r.over_bound, worst_bound = std::max(worst_bound, r.over_bound);
    oggp += r.oggp_over_eta;
    slowest = std::max(slowest, r.seconds);
    lp += r.bound_kind == "lp" ? 1 : 0;
  }
  void print(const std::string& title) const {
    fmt::print("{:<24} {:>5} {:>11.4f} {:>8.4f} {:>13.4f} {:>8.4f} {:>5} {:>13.4f} {:>10.2f}\n", title, count,
               eta / count, worst_eta, bound / count, worst_bound, lp, oggp / count, slowest);
    std::fflush(stdout);
  }
  static void print_head() {
    fmt::print("{:<24} {:>5} {:>11} {:>8} {:>13} {:>8} {:>5} {:>13} {:>10}\n", "instances", "count", "mean / eta",
               "worst", "mean / bound", "worst", "by lp", "oggp / eta", "slowest s");
  }
  int count = 0, lp = 0;
  double eta = 0, worst_eta = 0, bound = 0, worst_bound = 0, oggp = 0, slowest = 0;
};

void dense(double effort, int instances) {
  Summary::print_head();
  for (const double setup : {500.0, 1500.0, 5000.0, 20000.0}) {
    Summary summary;
    for (int i = 1; i <= instances; ++i) {
      std::mt19937_64 random(static_cast<std::uint64_t>(i));
      sluice::ExchangeProblem problem{{}, 20, setup};
      problem.traffic.senders = problem.traffic.receivers = 20;
      for (std::int64_t u = 0; u < 20; ++u)
        for (std::int64_t v = 0; v < 20; ++v) problem.traffic.messages.push_back({u, v, draw(random, 10000)});
      summary.add(measure(problem, effort));
    }
    summary.print(fmt::format("set-up {}", setup));
  }
}

void paper(double effort, int instances) {
  Summary::print_head();
  for (const std::int64_t largest : {20, 100000}) {
    Summary all;
    for (std::int64_t k = 2; k <= 20; ++k) {
      Summary summary;
      for (int i = 1; i <= instances; ++i) {
        std::mt19937_64 random(static_cast<std::uint64_t>(1000 * k + i));
        sluice::ExchangeProblem problem{{}, k, 1};
        problem.traffic.senders = problem.traffic.receivers = 20;
        std::vector<std::int64_t> pairs(400);
        for (std::int64_t p = 0; p < 400; ++p) pairs[static_cast<std::size_t>(p)] = p;
        std::shuffle(pairs.begin(), pairs.end(), random);
        pairs.resize(static_cast<std::size_t>(draw(random, 400)));
        for (const std::int64_t p : pairs) problem.traffic.messages.push_back({p / 20, p % 20, draw(random, largest)});
        const Result result = measure(problem, effort);
        summary.add(result);
        all.add(result);
      }
      summary.print(fmt::format("weights 1..{}, k = {}", largest, k));
    }
    all.print(fmt::format("weights 1..{}, all k", largest));
  }
}

void files(double effort, double setup, std::int64_t k, const std::vector<std::string>& names) {
  fmt::print("{:<24} {:>6} {:>14} {:>10} {:>12} {:>6} {:>12} {:>8}\n", "file", "steps", "transmission", "cost / eta",
             "cost / bound", "bound", "oggp / eta", "s");
  for (const std::string& name : names) {
    sluice::ExchangeProblem problem{sluice::read_traffic(name), k, setup};
    if (k == 0) problem.max_transfers = std::min(problem.traffic.senders, problem.traffic.receivers);
    const Result r = measure(problem, effort);
    fmt::print("{:<24} {:>6} {:>14} {:>10.4f} {:>12.4f} {:>6} {:>12.4f} {:>8.2f}\n", name.substr(name.rfind('/') + 1),
               r.cost.steps, r.cost.transmission, r.over_eta, r.over_bound, r.bound_kind, r.oggp_over_eta, r.seconds);
    std::fflush(stdout);
  }
}

/// As many permutations; a pair that comes twice adds up.
sluice::Traffic alike(std::int64_t nodes, std::int64_t messages) {
  std::mt19937_64 random(static_cast<std::uint64_t>(nodes));
  sluice::Traffic traffic{nodes, nodes, {}};
  std::vector<std::int64_t> receivers(static_cast<std::size_t>(nodes));
  std::iota(receivers.begin(), receivers.end(), 0);
  for (std::int64_t i = 0; i < messages; ++i) {
    std::shuffle(receivers.begin(), receivers.end(), random);
    for (std::int64_t u = 0; u < nodes; ++u)
      traffic.messages.push_back({u, receivers[static_cast<std::size_t>(u)], draw(random, 10000)});
  }
  return traffic;
}

struct Size {
  std::int64_t nodes, messages;
};

template <class Make>
void large(double effort, const std::vector<Size>& sizes, const std::vector<double>& setups, Make traffic) {
  fmt::print("{:<14} {:>7} {:>6} {:>10} {:>12} {:>6} {:>16} {:>9} {:>10}\n", "nodes", "set-up", "steps", "cost / eta",
             "cost / bound", "bound", "first-fit / eta", "planned s", "peak MiB");
  for (const Size& size : sizes) {
    sluice::ExchangeProblem problem{traffic(size.nodes, size.messages), size.nodes, 0};
    for (const double setup : setups) {
      problem.setup = setup;
      const double begin = processor_seconds();
      const sluice::ExchangePlan plan = sluice::plan_exchange(problem, with(effort));
      const double took = processor_seconds() - begin;
      rusage usage{};
      getrusage(RUSAGE_SELF, &usage);
      if (!sluice::validate(plan.schedule, problem.traffic).empty()) std::exit(1);
      const sluice::Cost cost = sluice::cost(plan.schedule);
      const double eta = sluice::lower_bound(problem.traffic, problem.max_transfers, setup).total;
      sluice::ExchangeBound bound = sluice::exchange_bound(problem, with(kBoundEffort));
      if (plan.bound.cost.total > bound.cost.total) bound = plan.bound;
      const double first_fit = sluice::cost(planned(problem, "first-fit", 1)).total;
      fmt::print("{:<14} {:>7} {:>6} {:>10.4f} {:>12.4f} {:>6} {:>16.4f} {:>9.2f} {:>10}\n",
                 fmt::format("{} x {}", size.nodes, size.messages), setup, cost.steps, cost.total / eta,
                 cost.total / bound.cost.total, bound.kind, first_fit / eta, took, usage.ru_maxrss / 1024);
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const auto number = [&](std::size_t i, double otherwise) { return i < args.size() ? std::stod(args[i]) : otherwise; };
  if (!args.empty() && args[0] == "dense") {
    dense(number(1, 1), static_cast<int>(number(2, 10)));
  } else if (!args.empty() && args[0] == "paper") {
    paper(number(1, 1), static_cast<int>(number(2, 10)));
  } else if (args.size() > 4 && args[0] == "files") {
    files(number(1, 1), number(2, 1), static_cast<std::int64_t>(number(3, 0)), {args.begin() + 4, args.end()});
  } else if (!args.empty() && args[0] == "--large") {
    std::vector<Size> sizes{{100, 100}, {300, 300}, {500, 500}, {5000, 20}, {20000, 20}};
    if (const auto nodes = static_cast<std::int64_t>(number(2, 0)); nodes > 0) sizes = {{nodes, 20}};
    large(number(1, 1), sizes, {1000, 20000}, log_normal);
  } else if (!args.empty() && args[0] == "--alike") {
    large(number(1, 1), {{300, 20}, {5000, 20}, {20000, 20}}, {1500, 20000}, alike);
  } else {
    fmt::print(stderr,
               "usage: exchange_quality dense|paper [EFFORT] [INSTANCES] | files EFFORT SETUP K FILE... | --large "
               "[EFFORT] [NODES] | --alike [EFFORT]\n");
    return 2;
  }
  return 0;
}
