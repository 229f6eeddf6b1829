#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/plan/shared_links.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {
namespace {

std::vector<std::int64_t> range(std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(end - begin));
  std::iota(result.begin(), result.end(), begin);
  return result;
}

/// Two clusters of `each` hosts, with a link for k transfers each way.
SharedLinks two_clusters(std::int64_t each, std::int64_t k) {
  return {{{range(0, each), range(each, 2 * each), k}, {range(each, 2 * each), range(0, each), k}}, 0};
}

/// From each to each other one of `nodes`.
ExchangeProblem everyone_to_everyone(std::int64_t nodes, std::int64_t size) {
  ExchangeProblem problem{{nodes, nodes, {}}, nodes, 0};
  for (std::int64_t from = 0; from < nodes; ++from)
    for (std::int64_t to = 0; to < nodes; ++to)
      if (from != to) problem.traffic.messages.push_back({from, to, size});
  return problem;
}

ExchangeProblem random_problem(std::mt19937_64& random) {
  const auto nodes = static_cast<std::int64_t>(2 + random() % 9);
  ExchangeProblem problem{{nodes, nodes, {}}, static_cast<std::int64_t>(1 + random() % nodes), 5};
  if (random() % 2 == 0) problem.max_transfers = nodes;
  for (std::int64_t from = 0; from < nodes; ++from)
    for (std::int64_t to = 0; to < nodes; ++to)
      if (random() % 4 != 0) problem.traffic.messages.push_back({from, to, static_cast<std::int64_t>(random() % 100)});
  return problem;
}

SharedLinks random_links(std::int64_t nodes, std::mt19937_64& random) {
  SharedLinks result;
  result.transfer_setup = static_cast<double>(random() % 3);
  const auto some = [&] {
    std::vector<std::int64_t> chosen;
    for (std::int64_t node = 0; node < nodes; ++node)
      if (random() % 2 == 0) chosen.push_back(node);
    return chosen;
  };
  for (std::uint64_t links = random() % 4; links > 0; --links) {
    SharedLink& link = result.links.emplace_back();
    link.from = some();
    link.to = some();
    link.max_transfers = static_cast<std::int64_t>(random() % 4);
    link.time_per_unit = 0.25 * static_cast<double>(1 + random() % 8);
  }
  return result;
}

bool goes_over(const SharedLink& link, std::int64_t from, std::int64_t to) {
  return std::ranges::count(link.from, from) > 0 && std::ranges::count(link.to, to) > 0;
}

double time_of(const SharedLinks& links, std::int64_t from, std::int64_t to, std::int64_t size) {
  std::vector<double> all;
  for (const SharedLink& link : links.links)
    if (goes_over(link, from, to)) all.push_back(link.time_per_unit);
  return links.transfer_setup + static_cast<double>(size) * (all.empty() ? 1 : std::ranges::max(all));
}

/// What no schedule is shorter than, worked out another way.
double bound_of(const ExchangeProblem& problem, const SharedLinks& links) {
  std::map<std::pair<std::int64_t, std::int64_t>, double> loads;  // (kind, number)
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> sizes;
  for (const Message& m : problem.traffic.messages) sizes[{m.from, m.to}] += m.size;
  for (const auto& [ends, size] : sizes) {
    if (size == 0) continue;
    const double time = time_of(links, ends.first, ends.second, size);
    loads[{0, ends.first}] += time;
    loads[{1, ends.second}] += time;
    if (problem.max_transfers < std::min(problem.traffic.senders, problem.traffic.receivers))
      loads[{2, 0}] += time / static_cast<double>(problem.max_transfers);
    for (std::size_t i = 0; i < links.links.size(); ++i) {
      if (links.links[i].max_transfers > 0 && goes_over(links.links[i], ends.first, ends.second))
        loads[{3, static_cast<std::int64_t>(i)}] += time / static_cast<double>(links.links[i].max_transfers);
    }
  }
  double most = 0;
  for (const auto& [what, load] : loads) most = std::max(most, load);
  return most;
}

TEST(OverLinks, TwoClustersWithALinkForOne) {
  const ExchangeProblem problem = everyone_to_everyone(4, 10);
  const SharedLinks links = two_clusters(2, 1);
  EXPECT_TRUE(links.links[0].limits());
  EXPECT_FALSE(two_clusters(2, 2).links[0].limits());
  EXPECT_FALSE(two_clusters(2, 0).links[0].limits());
  EXPECT_DOUBLE_EQ(length_over_links(plan_exchange(problem).schedule, links), 50);
  const LinkedPlan plan = plan_over_links(problem, links);
  EXPECT_DOUBLE_EQ(plan.bound, 40);
  EXPECT_DOUBLE_EQ(plan.length, 40);
  EXPECT_TRUE(validate(plan.schedule, problem.traffic).empty());
}

TEST(OverLinks, FillsTheLinkOfLargerClusters) {
  for (const auto& [each, k] : std::vector<std::pair<std::int64_t, std::int64_t>>{{4, 2}, {8, 3}, {8, 4}, {16, 5}}) {
    const ExchangeProblem problem = everyone_to_everyone(2 * each, 1000);
    const SharedLinks links = two_clusters(each, k);
    const LinkedPlan plan = plan_over_links(problem, links);
    EXPECT_DOUBLE_EQ(plan.bound, bound_of(problem, links));
    EXPECT_LE(plan.length, 1.05 * plan.bound) << each << " hosts, k = " << k;
    EXPECT_GE(length_over_links(plan_exchange(problem).schedule, links), 1.2 * plan.bound);
  }
}

TEST(OverLinks, RandomProblems) {
  std::mt19937_64 random(17);
  int others = 0;
  for (int i = 0; i < 200; ++i) {
    const ExchangeProblem problem = random_problem(random);
    const SharedLinks links = random_links(problem.traffic.senders, random);
    ExchangeOptions little;
    little.effort = 0.01;
    const LinkedPlan plan = plan_over_links(problem, links, little);
    ASSERT_TRUE(validate(plan.schedule, problem.traffic).empty()) << "problem " << i;
    const StepSchedule usual = plan_exchange(problem, little).schedule;
    EXPECT_LE(plan.length, length_over_links(usual, links));
    EXPECT_DOUBLE_EQ(plan.length, length_over_links(plan.schedule, links));
    EXPECT_NEAR(plan.bound, bound_of(problem, links), 1e-9 * plan.bound);
    EXPECT_GE(plan.length, plan.bound * (1 - 1e-12)) << "problem " << i;
    EXPECT_EQ(plan.schedule, plan_over_links(problem, links, little).schedule);
    if (plan.schedule.steps == usual.steps) continue;
    ++others;
    for (const Step& step : plan.schedule.steps) {
      for (const SharedLink& link : links.links) {
        const auto over = std::ranges::count_if(
            step.transfers, [&](const Transfer& each) { return goes_over(link, each.from, each.to); });
        EXPECT_TRUE(link.max_transfers == 0 || over <= link.max_transfers) << "problem " << i;
      }
    }
  }
  EXPECT_GE(others, 25);
}

TEST(OverLinks, LengthOfASchedule) {
  // Two transfers of 10 and 4 side by side over a link for one, then one of 6 from the second sender to another host.
  StepSchedule schedule;
  schedule.senders = schedule.receivers = 4;
  schedule.max_transfers = 4;
  schedule.steps = {{10, {{0, 2, 0, 10}, {1, 3, 0, 4}}}, {6, {{1, 0, 0, 6}}}};
  EXPECT_DOUBLE_EQ(length_over_links(schedule, {}), 10);
  EXPECT_DOUBLE_EQ(length_over_links(schedule, two_clusters(2, 2)), 10);
  EXPECT_DOUBLE_EQ(length_over_links(schedule, two_clusters(2, 1)), 20);
  SharedLinks slow = two_clusters(2, 1);
  slow.links[0].time_per_unit = 2;
  EXPECT_DOUBLE_EQ(length_over_links(schedule, slow), 34);
  slow.transfer_setup = 1;
  EXPECT_DOUBLE_EQ(length_over_links(schedule, slow), 37);
  schedule.max_transfers = 1;  // one after the other
  EXPECT_DOUBLE_EQ(length_over_links(schedule, {}), 20);
}

TEST(OverLinks, NothingToSend) {
  const LinkedPlan plan = plan_over_links({{3, 3, {}}, 3, 0}, {});
  EXPECT_TRUE(plan.schedule.steps.empty());
  EXPECT_EQ(plan.length, 0);
  EXPECT_EQ(plan.bound, 0);
}

TEST(OverLinks, BadLinks) {
  const ExchangeProblem problem = everyone_to_everyone(4, 10);
  const std::vector<SharedLink> bad{
      {{0, 4}, {1}, 1}, {{-1, 0}, {1}, 1}, {{1, 0}, {2}, 1},  {{0, 0}, {1}, 1},         {{0}, {4}, 1},
      {{0}, {1}, -1},   {{0}, {1}, 1, 0},  {{0}, {1}, 1, -1}, {{0}, {1}, 1, 1.0 / 0.0}, {{0}, {1}, 1, 0.0 / 0.0}};
  for (const SharedLink& link : bad) EXPECT_THROW((void)plan_over_links(problem, {{link}, 0}), InputError);
  for (const double setup : {-1.0, 1.0 / 0.0, 0.0 / 0.0})
    EXPECT_THROW((void)plan_over_links(problem, {{}, setup}), InputError);
  ExchangeProblem switches = problem;
  switches.switches = 2;
  EXPECT_THROW((void)plan_over_links(switches, {}), InputError);
}

}  // namespace
}  // namespace sluice
