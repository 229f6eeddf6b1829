#include "timing/flow_rates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "base/infinity.hpp"

namespace sluice::detail {
namespace {

struct TestFlow {
  double begin = 0, least = 1, weight = 1;
  std::vector<FlowRates::Passed> passes;
};

/// When each flow ends. Moments last for `part` of the shortest flow in them.
std::vector<double> ends(const std::vector<TestFlow>& flows, double part = 0, double* work = nullptr) {
  FlowRates rates;
  if (part > 0) rates.let_moments_last(0, part);
  for (const TestFlow& each : flows) (void)rates.add_way(each.passes, each.least, each.weight);
  std::vector<double> result(flows.size(), 0);
  std::size_t next = 0;
  for (;;) {
    const bool none = next == flows.size() && rates.no_ends();
    const double begins = next < flows.size() ? flows[next].begin : kInfinity;
    const double soonest = rates.no_ends() ? begins : std::min(begins, rates.first_end());
    if (rates.open() && (none || soonest > rates.moment())) {
      rates.close_moment();
      continue;
    }
    if (none) break;
    if (rates.no_ends() || (next < flows.size() && flows[next].begin <= rates.first_end())) {
      rates.begin(next, next, flows[next].begin);
      ++next;
      continue;
    }
    const FlowRates::End end = rates.take_end();
    result[end.flow] = end.time;
    rates.leave(end.flow, end.time);
  }
  if (work != nullptr) *work = rates.work();
  return result;
}

/// The same by filling everything anew at every change, round by round, with all flows.
std::vector<double> naive_ends(const std::vector<TestFlow>& flows, std::size_t things) {
  std::vector<double> left(flows.size(), 1), result(flows.size(), kInfinity), rate(flows.size());
  double now = 0;
  for (;;) {
    std::vector<std::size_t> open;
    double soonest = kInfinity;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (flows[f].begin > now)
        soonest = std::min(soonest, flows[f].begin);
      else if (result[f] == kInfinity)
        open.push_back(f);
    }
    const std::vector<std::size_t> under_way = open;
    if (open.empty() && soonest == kInfinity) return result;
    std::vector<double> free(things, 1);
    while (!open.empty()) {
      std::vector<double> weights(things, 0);
      for (const std::size_t f : open)
        for (const FlowRates::Passed& each : flows[f].passes) weights[each.thing] += flows[f].weight * each.seconds;
      double level = kInfinity;
      const auto of = [&](std::size_t f) {
        double least = 1 / (flows[f].least * flows[f].weight);
        for (const FlowRates::Passed& each : flows[f].passes)
          least = std::min(least, free[each.thing] / weights[each.thing]);
        return least;
      };
      for (const std::size_t f : open) level = std::min(level, of(f));
      std::vector<std::size_t> still, fixed;
      for (const std::size_t f : open) (of(f) <= level * (1 + 1e-9) ? fixed : still).push_back(f);
      for (const std::size_t f : fixed) {
        rate[f] = level * flows[f].weight;
        for (const FlowRates::Passed& each : flows[f].passes)
          free[each.thing] = std::max(0.0, free[each.thing] - rate[f] * each.seconds);
      }
      open = still;
    }
    for (const std::size_t f : under_way) soonest = std::min(soonest, now + left[f] / rate[f]);
    for (const std::size_t f : under_way) {
      left[f] -= rate[f] * (soonest - now);
      constexpr double kNothing = 1e-9;
      if (left[f] <= kNothing) result[f] = soonest;
    }
    now = soonest;
  }
}

TEST(FlowRates, SharesGoWithWeights) {
  const std::vector<double> end = ends({{0, 1, 1, {{0, 1}}}, {0, 1, 2, {{0, 1}}}});
  EXPECT_NEAR(end[0], 2, 1e-12);
  EXPECT_NEAR(end[1], 1.5, 1e-12);
}

TEST(FlowRates, AreThoseOfFillingEverythingAnew) {
  std::mt19937 random(7);
  const auto real = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
  const auto whole = [&](std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(random);
  };
  for (int instance = 0; instance < 400; ++instance) {
    // Few things that most flows pass; or many things and flows that pass few of them. So changes stay near or spread.
    const bool sparse = instance % 4 == 0;
    const std::size_t things = sparse ? whole(10, 40) : whole(1, 6);
    std::vector<TestFlow> flows(sparse ? whole(20, 60) : whole(1, 12));
    for (TestFlow& flow : flows) {
      flow.begin = whole(0, 1) == 0 ? 0 : real(0, 4);
      flow.least = real(0.2, 2);
      flow.weight = whole(0, 1) == 0 ? 1 : real(0.1, 5);
      for (std::size_t thing = 0; thing < things; ++thing)
        if (sparse ? whole(0, things / 3) == 0 : whole(0, 2) > 0)
          flow.passes.push_back({thing, flow.least * (whole(0, 1) == 0 ? 1 : real(0.1, 1))});
    }
    std::sort(flows.begin(), flows.end(), [](const TestFlow& a, const TestFlow& b) { return a.begin < b.begin; });
    const std::vector<double> found = ends(flows), expected = naive_ends(flows, things);
    for (std::size_t f = 0; f < flows.size(); ++f)
      EXPECT_NEAR(found[f], expected[f], 1e-6 * expected[f]) << "instance " << instance << ", flow " << f;
  }
}

/// Flows that pass two of many things, begin at about the same time and are of about the same length.
std::vector<TestFlow> flows_at_once(std::size_t count, std::size_t things) {
  std::mt19937 random(5);
  std::vector<TestFlow> flows(count);
  for (TestFlow& flow : flows) {
    flow.begin = std::uniform_real_distribution(0.0, 0.1)(random);
    flow.weight = std::uniform_real_distribution(0.5, 2.0)(random);
    for (std::size_t half = 0; half < 2; ++half) {
      const auto thing = std::uniform_int_distribution<std::size_t>(0, things / 2 - 1)(random);
      flow.passes.push_back({half * things / 2 + thing, std::uniform_real_distribution(0.9, 1.0)(random)});
    }
  }
  std::ranges::sort(flows, {}, &TestFlow::begin);
  return flows;
}

/// Two full things lose what waits to begin and what has left: 2.2 times that part in all.
TEST(FlowRates, AreFoundLessOftenWhereMomentsLast) {
  for (const std::size_t things : {2, 30}) {
    const std::vector<TestFlow> flows = flows_at_once(1500, things);
    double work = 0;
    const std::vector<double> exact = ends(flows, 0, &work);
    for (const double part : {1e-3, 1e-2}) {
      double work_of_lasting = 0;
      const std::vector<double> found = ends(flows, part, &work_of_lasting);
      for (std::size_t f = 0; f < flows.size(); ++f)
        EXPECT_NEAR(found[f], exact[f], 3 * part * exact[f]) << "flow " << f;
      EXPECT_LT(work_of_lasting, work / 4);
    }
  }
}

/// What each of a row of flows that follow each other loses adds up to no more than that part.
TEST(FlowRates, AChainOfFlowsIsNotMuchLongerWhereMomentsLast) {
  constexpr double kPart = 1e-2;
  FlowRates rates;
  rates.let_moments_last(0, kPart);
  constexpr std::size_t kSteps = 500, kChains = 4;
  for (std::size_t c = 0; c < kChains; ++c) {
    const FlowRates::Passed own[] = {{c, 1}};
    (void)rates.add_way(own, 1, 1);
    rates.begin(c, c, 0.1 * static_cast<double>(c));
  }
  double end = 0;
  for (std::size_t next = kChains; !rates.no_ends() || rates.open();) {
    if (rates.open() && (rates.no_ends() || rates.first_end() > rates.moment())) {
      rates.close_moment();
      continue;
    }
    const FlowRates::End ended = rates.take_end();
    rates.leave(ended.flow, ended.time);
    end = ended.time;
    if (next < kSteps * kChains) rates.begin(next++, ended.flow % kChains, ended.time);
  }
  EXPECT_GE(end, kSteps);
  EXPECT_LE(end, (kSteps + 1) * (1 + kPart));
}

}  // namespace
}  // namespace sluice::detail
