// The tables of Desprez et al. 1997, as printed, against our grids and plans; and the paper's own schedules against our
// validator. studies/desprez-1997/README.md says what each table is and where the paper errs.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "sluice/plan/redistribute.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {
namespace {

using Table = std::vector<std::vector<std::string>>;

Table read_table(int number) {
  const std::string name =
      std::string(SLUICE_PAPER_TABLES) + (number < 10 ? "/table0" : "/table") + std::to_string(number) + ".csv";
  std::ifstream file(name);
  EXPECT_TRUE(file) << name;
  Table table;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::stringstream stream(line + ",");
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    table.push_back(cells);
  }
  return table;
}

struct Grid {
  int table;
  const char* from;
  const char* to;
  std::map<std::size_t, std::string> misprints;  ///< receiver -> number of messages as printed, where it is wrong
};

class GridTables : public ::testing::TestWithParam<Grid> {};

TEST_P(GridTables, EqualOurs) {
  const Table table = read_table(GetParam().table);
  const RedistributionProblem problem =
      one_slice(parse_layout(GetParam().from, "from"), parse_layout(GetParam().to, "to"));
  const std::int64_t senders = problem.from().processes(), receivers = problem.to().processes();
  ASSERT_EQ(table.size(), static_cast<std::size_t>(senders) + 2);
  std::vector<int> of_receiver(static_cast<std::size_t>(receivers), 0);
  for (std::int64_t p = 0; p < senders; ++p) {
    const auto& row = table[static_cast<std::size_t>(p) + 1];
    int of_sender = 0;
    for (std::int64_t q = 0; q < receivers; ++q) {
      const std::string& cell = row[static_cast<std::size_t>(q) + 1];
      const std::int64_t count = problem.count(Rank(p), Rank(q));
      EXPECT_EQ(cell, count == 0 ? "" : std::to_string(count)) << p << " to " << q;
      if (count > 0) ++of_sender, ++of_receiver[static_cast<std::size_t>(q)];
    }
    EXPECT_EQ(row[static_cast<std::size_t>(receivers) + 1], std::to_string(of_sender));
  }
  for (std::size_t q = 0; q < of_receiver.size(); ++q) {
    const auto misprint = GetParam().misprints.find(q);
    EXPECT_EQ(table.back()[q + 1],
              misprint == GetParam().misprints.end() ? std::to_string(of_receiver[q]) : misprint->second);
    if (misprint != GetParam().misprints.end()) {
      EXPECT_NE(misprint->second, std::to_string(of_receiver[q]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Desprez1997, GridTables,
                         ::testing::Values(Grid{1, "16:3", "16:5", {}}, Grid{4, "16:7", "16:11", {}},
                                           Grid{7, "15:3", "15:5", {{14, "9"}}}, Grid{10, "12:4", "8:3", {{7, "4"}}},
                                           Grid{13, "15:12", "15:20", {{14, "9"}}}, Grid{14, "15:2", "6:3", {}}));

struct Steps {
  int steps_table, cost_table;
  const char* from;
  const char* to;
  const char* algorithm;
};

class StepTables : public ::testing::TestWithParam<Steps> {};

TEST_P(StepTables, AreSchedulesThatOurPlansAreNoWorseThan) {
  const RedistributionProblem problem =
      one_slice(parse_layout(GetParam().from, "from"), parse_layout(GetParam().to, "to"));
  const Table table = read_table(GetParam().steps_table), costs = read_table(GetParam().cost_table);
  StepSchedule printed;
  printed.senders = problem.from().processes();
  printed.receivers = problem.to().processes();
  printed.max_transfers = std::min(printed.senders, printed.receivers);
  printed.steps.resize(costs.size() - 2);
  for (std::int64_t p = 0; p < printed.senders; ++p) {
    for (std::int64_t q = 0; q < printed.receivers; ++q) {
      const std::string& cell = table[static_cast<std::size_t>(p) + 1][static_cast<std::size_t>(q) + 1];
      if (cell.empty()) continue;
      const auto step = static_cast<std::size_t>(cell[0] - 'a');
      ASSERT_LT(step, printed.steps.size());
      printed.steps[step].transfers.push_back({p, q, 0, problem.count(Rank(p), Rank(q))});
    }
  }
  std::int64_t transmission = 0;
  for (std::size_t step = 0; step < printed.steps.size(); ++step) {
    EXPECT_EQ(costs[step + 1][0], std::string(1, static_cast<char>('a' + step)));
    printed.steps[step].duration = std::stoll(costs[step + 1][1]);
    transmission += printed.steps[step].duration;
  }
  EXPECT_EQ(costs.back()[1], std::to_string(transmission));
  for (const Violation& violation : validate(printed, problem.traffic())) ADD_FAILURE() << to_string(violation);

  const Cost ours = plan_redistribution(problem, GetParam().algorithm).cost();
  // Which matching of several of equal weight is taken is free, so ours may be better, and never worse.
  EXPECT_LE(ours.steps, static_cast<std::int64_t>(printed.steps.size()));
  EXPECT_LE(ours.transmission, transmission);
}

INSTANTIATE_TEST_SUITE_P(
    Desprez1997, StepTables,
    ::testing::Values(Steps{2, 3, "16:3", "16:5", "classes"}, Steps{5, 6, "16:7", "16:11", "classes"},
                      Steps{8, 9, "15:3", "15:5", "stepwise"}, Steps{11, 12, "12:4", "8:3", "stepwise"},
                      Steps{15, 16, "15:2", "6:3", "stepwise"}, Steps{17, 18, "15:2", "6:3", "greedy"}));

TEST(Table19, IsOurCaterpillar) {
  const Table table = read_table(19);
  const StepSchedule schedule = plan_redistribution(one_slice({{12}, {4}}, {{8}, {3}}), "caterpillar").schedule({});
  ASSERT_EQ(table.size(), schedule.steps.size() + 2);
  for (std::size_t step = 0; step < schedule.steps.size(); ++step) {
    EXPECT_EQ(table[step + 1][1], std::to_string(schedule.steps[step].duration));
  }
}

}  // namespace
}  // namespace sluice
