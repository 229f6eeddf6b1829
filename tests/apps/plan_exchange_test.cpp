#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "command_runner.hpp"
#include "exchange_files.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

std::vector<std::string> exchange_algorithms() {
  std::vector<std::string> result{"auto"};
  for (const Algorithm& algorithm : algorithms("exchange")) result.emplace_back(algorithm.name);
  return result;
}

/// What a schedule sends, by pair.
std::map<std::pair<int, int>, double> sent(const json& schedule) {
  std::map<std::pair<int, int>, double> result;
  for (const json& step : schedule.at("steps"))
    for (const json& transfer : step.at("transfers"))
      result[{transfer.at("from"), transfer.at("to")}] += transfer.at("size").get<double>();
  return result;
}

/// What `check` says of plan.json with one part of it replaced.
Outcome check_with(const Folder& folder, const std::string& before, const std::string& after) {
  std::string changed = folder.read("plan.json");
  changed.replace(changed.find(before), before.size(), after);
  folder.write("changed.json", changed);
  return folder.sluice(words("check changed.json --traffic traffic.csv"));
}

/// The second word of the line that begins with `name`: a cost.
double cost_of(const std::string& text, const std::string& name) {
  for (const std::string& line : lines(text))
    if (line.rfind(name, 0) == 0) return std::stod(line.substr(name.size()));
  ADD_FAILURE() << "no line '" << name << "' in:\n" << text;
  return -1;
}

TEST(PlanExchange, TitleCostsAndStepsOfAnExampleWorkedByHand) {
  const Folder folder;
  folder.write("traffic.csv", "3,0\n0,2\n");
  const Outcome outcome = folder.sluice(words("plan exchange traffic.csv --algorithm weights"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  // Two units side by side, then the third.
  EXPECT_EQ(outcome.out,
            "exchange traffic.csv: 2 senders, 2 receivers, 2 messages, 5 units of the file in total, k = 2, beta = 1 "
            "(default; run: 8192 bytes)\n"
            "algorithm: weights (guarantee: none), at most 25 % above the optimum (eta)\n"
            "\n"
            "                   cost  lower bound  ratio\n"
            "steps (NS)            2            1  2.000\n"
            "transmission (TC)     3            3  1.000  optimal\n"
            "total = TC + 1 NS     5            4  1.250\n"
            "\n"
            "step  duration  sender->receiver:size\n"
            "   0         2  0->0:2 1->1:2\n"
            "   1         1  0->0:1@2\n");
  const Outcome best = folder.sluice(words("plan exchange traffic.csv --summary"));
  EXPECT_EQ(best.err, "");
  EXPECT_NE(best.out.find("\nalgorithm: auto, proven optimal\n"), std::string::npos) << best.out;
  EXPECT_EQ(cost_of(best.out, "total = TC + 1 NS"), 4);
  EXPECT_EQ(best.out.find("sender->receiver"), std::string::npos) << best.out;
}

TEST(PlanExchange, StagesOfAutoAreShown) {
  const Folder folder;
  folder.write("traffic.csv", "3,0,7,4\n0,2,5,1\n6,1,0,2\n2,8,3,0\n");
  const Outcome plain = folder.sluice(words("plan exchange traffic.csv --max-transfers 3 --summary --json plain.json"));
  const Outcome outcome =
      folder.sluice(words("plan exchange traffic.csv --max-transfers 3 --summary --explain --json plan.json"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(json::parse(folder.read("plan.json")).at("steps"), json::parse(folder.read("plain.json")).at("steps"));
  const std::size_t table = outcome.out.find("\nstage ");
  ASSERT_NE(table, std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.substr(0, table), plain.out);
  std::vector<double> costs;
  for (const std::string& line : lines(outcome.out.substr(table + 1))) {
    if (line.rfind("stage ", 0) == 0) continue;
    // Two blanks or more end the name of a stage, which may have several words.
    std::istringstream rest(line.substr(line.find("  ")));
    double cost = 0;
    std::int64_t work = -1;
    ASSERT_TRUE(rest >> cost >> work) << line;
    EXPECT_GE(work, 0) << line;
    if (costs.empty())
      EXPECT_EQ(line.rfind("first-fit ", 0), 0U) << line;
    else
      EXPECT_LE(cost, costs.back()) << line;
    costs.push_back(cost);
  }
  ASSERT_FALSE(costs.empty());
  EXPECT_EQ(costs.back(), cost_of(outcome.out, "total = TC + 1 NS"));

  const Outcome named = folder.sluice(words("plan exchange traffic.csv --algorithm oggp --summary --explain"));
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_NE(named.out.find("no stages: only auto has them"), std::string::npos) << named.out;
}

TEST(PlanExchange, SeveralSwitchesOfAnExampleWorkedByHand) {
  const Folder folder;
  folder.write("traffic.csv", "6,2\n0,6\n");
  const Outcome outcome =
      folder.sluice(words("plan exchange traffic.csv --algorithm oggp --switches 2 --setup 2 --json plan.json"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  // Steps of 6 and 2 for one switch: 8 and 4, or, the first cut at 5, 7 on either.
  EXPECT_EQ(outcome.out,
            "exchange traffic.csv: 2 senders, 2 receivers, 3 messages, 14 units of the file in total, k = 2, beta = 2, "
            "2 switches\n"
            "algorithm: oggp (guarantee: at most 2 eta; + 2 beta + 1 if k limits and beta > 1), at most 17 % above the "
            "optimum (eta)\n"
            "\n"
            "most of a switch   cost  lower bound  ratio\n"
            "steps (NS)            2            1  2.000\n"
            "transmission (TC)     5            4  1.250\n"
            "total = TC + 2 NS     7            6  1.167\n"
            "\n"
            "switch  step  duration  sender->receiver:size\n"
            "     0     0         5  0->0:5 1->1:5\n"
            "     1     1         2  0->1:2\n"
            "     1     2         1  0->0:1@5 1->1:1@5\n");
  const Outcome checked = folder.sluice(words("check plan.json --traffic traffic.csv"));
  EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
  EXPECT_NE(checked.out.find("bound 6 verified (eta)"), std::string::npos) << checked.out;
  const json plan = json::parse(folder.read("plan.json"));
  EXPECT_EQ(plan.at("switches"), 2);
  EXPECT_EQ(plan.at("steps").at(2).at("switch"), 1);

  const Outcome compared = folder.sluice(words("compare exchange traffic.csv --switches 2 --setup 2 --json rows.json"));
  EXPECT_EQ(compared.status, 0) << compared.err;
  for (const json& row : json::parse(folder.read("rows.json")).at("rows"))
    EXPECT_GE(row.at("total").get<double>(), 6) << row;

  // One switch for all steps is late by the other one's; a switch that is none is refused.
  const auto with = [&](const std::string& before, const std::string& after) {
    return check_with(folder, before, after);
  };
  EXPECT_EQ(with("{\"switch\": 0", "{\"switch\": 1").status, 1);
  const Outcome none = with("{\"switch\": 0", "{\"switch\": 2");
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.out.find("step 0: switch 2 is not one of the 2, counted from 0\n"), std::string::npos) << none.out;
  EXPECT_EQ(with("\"switches\": 2", "\"switches\": 0").status, 1);
  const Outcome many = with("\"switches\": 2", "\"switches\": 1000000000000000");
  EXPECT_EQ(many.status, 1);
  EXPECT_NE(many.out.find("the number of switches is 1000000000000000, must be at most 2\n"), many.out.npos)
      << many.out;
  const Outcome other = with("\"problem\": \"exchange\"", "\"problem\": \"redistribute\"");
  EXPECT_EQ(other.status, 1);
  EXPECT_NE(other.out.find("the number of switches is 2, must be at most 1\n"), other.out.npos) << other.out;
  EXPECT_EQ(with("\"switches\": 2", "\"switches\": \"2\"").status, 2);

  // What is made for one switch refuses it.
  for (const std::string use : {"--svg plan.svg", "--export p2p -",
                                "--backbone 1Gbit --sender-link 1Gbit "
                                "--receiver-link 1Gbit --latency 1ms --local-links 10Gbit"})
    EXPECT_EQ(folder.sluice(words("plan exchange traffic.csv --switches 2 " + use)).status, 2) << use;
  EXPECT_EQ(folder.sluice(words("simulate plan.json")).status, 2);
}

TEST(PlanExchange, AtSpeedsOverABackboneThatChanges) {
  const Folder folder;
  folder.write("traffic.csv", "6,2\n0,6\n");
  folder.write("speeds.json",
               "{\"schema\": \"sluice.speeds/1\", \"senders\": [1, 0.5],\n"
               " \"backbone\": [{\"time\": 0, \"max_transfers\": 1}, {\"time\": 3, \"max_transfers\": 2}]}\n");
  const Outcome outcome =
      folder.sluice(words("plan exchange traffic.csv --speeds speeds.json --algorithm first-fit --json plan.json"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  // Receiver 1 is busy for 2 + 12. The small message first, alone: 2 + 1, then both others, 12 + 1.
  EXPECT_EQ(outcome.out,
            "exchange traffic.csv: 2 senders, 2 receivers, 3 messages, 14 units of the file in total, k = 1 to 2 over "
            "time, beta = 1 (default; run: 8192 bytes), speeds of speeds.json\n"
            "algorithm: first-fit, proven optimal\n"
            "\n"
            "                   cost  lower bound  ratio\n"
            "steps (NS)            2            2  1.000  optimal\n"
            "transmission (TC)    14           14  1.000  optimal\n"
            "total = TC + 1 NS    16           16  1.000  optimal\n"
            "\n"
            "step  duration  sender->receiver:size\n"
            "   0         2  0->1:2\n"
            "   1        12  0->0:6 1->1:6\n");
  const Outcome checked = folder.sluice(words("check plan.json --traffic traffic.csv"));
  EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
  EXPECT_NE(checked.out.find("bound 16 verified (eta)"), std::string::npos) << checked.out;
  const Outcome simulated = folder.sluice(words("simulate plan.json --json times.json"));
  EXPECT_EQ(simulated.status, 0) << simulated.err;
  EXPECT_EQ(json::parse(folder.read("times.json")).at("length"), 16);
  const Outcome compared =
      folder.sluice(words("compare exchange traffic.csv --speeds speeds.json --json rows.json --effort 0.05"));
  EXPECT_EQ(compared.status, 0) << compared.err;
  for (const json& row : json::parse(folder.read("rows.json")).at("rows"))
    EXPECT_GE(row.at("total").get<double>(), 16) << row;

  // What the file says of the network counts.
  const auto with = [&](const std::string& before, const std::string& after) {
    return check_with(folder, before, after);
  };
  EXPECT_NE(with("[1, 0.5]", "[1, 1]").out.find("step 1: duration 12, its longest transfer takes 6\n"),
            std::string::npos);
  EXPECT_NE(with("\"time\": 3", "\"time\": 4")
                .out.find("step 1: 2 transfers, the backbone carries 1 when the step begins, at 3\n"),
            std::string::npos);
  EXPECT_EQ(with("[1, 0.5]", "[1, 0]").status, 2);
  EXPECT_EQ(with("[1, 0.5]", "[1]").status, 1);

  // Other engines are told sizes, not times.
  const Outcome exported =
      folder.sluice(words("plan exchange traffic.csv --speeds speeds.json --algorithm first-fit --export ppermute -"));
  EXPECT_EQ(exported.status, 0) << exported.err;
  EXPECT_EQ(json::parse(exported.out).at("steps").at(1).at("size"), 6);

  for (const std::string use : {"--resume plan.json",
                                "--backbone 1Gbit --sender-link 1Gbit "
                                "--receiver-link 1Gbit --latency 1ms --local-links 10Gbit"})
    EXPECT_EQ(folder.sluice(words("plan exchange traffic.csv --speeds speeds.json " + use)).status, 2) << use;
}

TEST(PlanExchange, ExactGoesOnFromTheFileItWrote) {
  if (const auto all = exchange_algorithms(); std::find(all.begin(), all.end(), "exact") == all.end())
    GTEST_SKIP() << "built without CBC";
  const Folder folder;
  folder.write("traffic.csv", "9,4,7,2\n3,8,1,6\n5,5,9,3\n2,7,4,8\n");
  folder.write("other.csv", "9,4,7,2\n3,8,1,6\n5,5,9,3\n2,7,4,9\n");
  folder.write("tree.json", folder.sluice(words("plan reduce --machines 4 --transfer 2 --compute 1 --json -")).out);
  const std::string exact = "plan exchange {} --max-transfers 3 --setup {} --algorithm exact --effort {} --json {}";
  ASSERT_EQ(folder.sluice(words(fmt::format(fmt::runtime(exact), "traffic.csv", 3, 1e-6, "plan.json"))).status, 0);
  const std::vector<std::string> before = folder.files();
  for (const auto& [file, setup, more] : std::vector<std::tuple<std::string, int, std::string>>{
           {"other.csv", 3, " --resume plan.json"},
           {"traffic.csv", 4, " --resume plan.json"},
           {"traffic.csv", 3, " --resume plan.json --max-transfers 2"},
           {"traffic.csv", 3, " --resume traffic.csv"},
           {"traffic.csv", 3, " --resume tree.json"},
           {"traffic.csv", 3, " --resume missing.json"},
           {"traffic.csv", 3, " --resume plan.json --switches 2"}}) {
    std::string command = fmt::format(fmt::runtime(exact), file, setup, 1, "further.json") + more;
    if (more.find("--max-transfers") != std::string::npos) command.erase(command.find(" --max-transfers 3"), 18);
    const Outcome refused = folder.sluice(words(command));
    EXPECT_EQ(refused.status, 2) << command << '\n' << refused.out;
    EXPECT_EQ(lines(refused.err).size(), 1U) << refused.err;
    EXPECT_EQ(folder.files(), before) << command;
  }
  EXPECT_EQ(folder.sluice(words("plan exchange traffic.csv --resume plan.json")).status, 2);
  const Outcome resumed = folder.sluice(
      words(fmt::format(fmt::runtime(exact), "traffic.csv", 3, 20, "further.json") + " --resume plan.json"));
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.out.find("proven optimal"), std::string::npos) << resumed.out;
  EXPECT_LE(json::parse(folder.read("further.json")).at("cost").at("total"),
            json::parse(folder.read("plan.json")).at("cost").at("total"));
}

TEST(PlanExchange, ExactGoesOnAtSeveralSpeeds) {
  if (const auto all = exchange_algorithms(); std::find(all.begin(), all.end(), "exact") == all.end())
    GTEST_SKIP() << "built without CBC";
  const Folder folder;
  folder.write("traffic.csv", "9,4,7\n3,8,1\n5,5,9\n");
  folder.write("speeds.json", R"({"schema": "sluice.speeds/1", "senders": [1, 0.5, 2]})");
  folder.write("other.json", R"({"schema": "sluice.speeds/1", "senders": [1, 0.5, 1]})");
  const std::string exact = "plan exchange traffic.csv --max-transfers 2 --setup 3 --algorithm exact --effort {} ";
  const auto planned = [&](double effort, const std::string& more) {
    return folder.sluice(words(fmt::format(fmt::runtime(exact), effort) + more));
  };
  ASSERT_EQ(planned(1e-6, "--speeds speeds.json --json plan.json").status, 0);
  const Outcome resumed = planned(5, "--speeds speeds.json --resume plan.json --json further.json");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.out.find("proven optimal"), std::string::npos) << resumed.out;
  EXPECT_LE(json::parse(folder.read("further.json")).at("cost").at("total"),
            json::parse(folder.read("plan.json")).at("cost").at("total"));
  const Outcome other = planned(1, "--speeds other.json --resume plan.json");
  EXPECT_EQ(other.status, 2) << other.out;
  EXPECT_EQ(other.err,
            "error: plan.json: other speeds, or another backbone, expected the speeds that were asked for\n");
  EXPECT_EQ(planned(1, "--resume plan.json").status, 2);
}

TEST(PlanExchange, EveryAlgorithmSendsEveryMessageOnce) {
  const Folder folder;
  const std::vector<std::string> files = write_traffic_files(folder);
  for (const std::string& file : files) {
    for (const std::string& name : exchange_algorithms()) {
      for (const std::string options :
           {"", " --max-transfers 1 --setup 0 --seed 9", " --max-transfers 1000 --setup 2.5K"}) {
        const std::string command = fmt::format(
            "plan exchange {} --algorithm {} --effort 0.05 --time-limit 1 --json plan.json{}", file, name, options);
        SCOPED_TRACE(command);
        const Outcome planned = folder.sluice(words(command));
        ASSERT_EQ(planned.status, 0) << planned.err;
        EXPECT_EQ(planned.err, "");
        const Outcome checked = folder.sluice(words("check plan.json --traffic " + file));
        EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
      }
    }
  }
}

TEST(PlanExchange, SizesAreThoseOfTheFile) {
  const Folder folder;
  folder.write("traffic.csv", "3,1,0\n0,2.25,1e3\n");
  const Outcome outcome =
      folder.sluice(words("plan exchange traffic.csv --algorithm oggp --setup 0.5 --max-transfers 1 --json plan.json"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("4 messages, 1006.25 units of the file in total, k = 1, beta = 0.5\n"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(cost_of(outcome.out, "transmission (TC)"), 1006.25);
  EXPECT_EQ(cost_of(outcome.out, "total = TC + 0.5 NS"), 1008.25);
  EXPECT_NE(outcome.out.find(" 1->1:2.25\n"), std::string::npos) << outcome.out;
  const json plan = json::parse(folder.read("plan.json"));
  EXPECT_EQ(plan.at("problem"), "exchange");
  EXPECT_EQ(plan.at("algorithm"), "oggp");
  EXPECT_EQ(plan.at("setup"), 0.5);
  EXPECT_EQ(plan.at("max_transfers"), 1);
  EXPECT_EQ(plan.at("cost"), json::parse(R"({"steps": 4, "transmission": 1006.25, "total": 1008.25})"));
  EXPECT_EQ(sent(plan),
            (std::map<std::pair<int, int>, double>{{{0, 0}, 3}, {{0, 1}, 1}, {{1, 1}, 2.25}, {{1, 2}, 1000}}));
}

TEST(PlanExchange, NothingToSendIsAnEmptySchedule) {
  const Folder folder;
  folder.write("zero.csv", "0,0\n0,0\n0,0\n");
  for (const std::string& name : exchange_algorithms()) {
    SCOPED_TRACE(name);
    const Outcome outcome = folder.sluice(words("plan exchange zero.csv --json - --algorithm " + name));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json plan = json::parse(outcome.out);
    EXPECT_EQ(plan.at("senders"), 3);
    EXPECT_EQ(plan.at("receivers"), 2);
    EXPECT_EQ(plan.at("max_transfers"), 2);
    EXPECT_EQ(plan.at("steps"), json::array());
    EXPECT_EQ(plan.at("cost").at("total"), 0);
  }
}

TEST(PlanExchange, HowFarFromTheOptimumIsNeverUnderstated) {
  const Folder folder;
  write_traffic_files(folder);
  for (const std::string& name : exchange_algorithms()) {
    SCOPED_TRACE(name);
    const std::string command = "plan exchange dense.mtx --effort 0.2 --json plan.json --algorithm " + name;
    const Outcome outcome = folder.sluice(words(command));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json plan = json::parse(folder.read("plan.json"));
    const double total = plan.at("cost").at("total"), bound = plan.at("bound").at("total");
    const std::string line = lines(outcome.out).at(1);
    const std::string before = ", at most ";
    if (total <= bound) {
      EXPECT_NE(line.find(", proven optimal"), std::string::npos) << line;
      continue;
    }
    if (line.find(", proven optimal") != std::string::npos) continue;  // by search, beyond the bound
    ASSERT_NE(line.find(before), std::string::npos) << line;
    const double percent = std::stod(line.substr(line.find(before) + before.size()));
    EXPECT_GE(percent, 100 * (total / bound - 1) * (1 - 1e-6)) << line;
    EXPECT_LE(percent, 100 * (total / bound - 1) * 1.12) << line;
  }
}

TEST(PlanExchange, TheHardwareSaysHowManyTransfersAndWhatAStepCosts) {
  const Folder folder;
  folder.write("traffic.csv", "1000000,0,500000\n0,250000.5,0\n750000,0,1000000\n");
  const std::string command =
      "plan exchange traffic.csv --algorithm oggp --backbone 25Mbit --sender-link 10Mbit --receiver-link 100Mbit ";
  // 10 Mbit/s is 1.25e6 bytes/s; two of them fit into 25 Mbit/s; 1 ms of one is 1250 bytes.
  const Outcome outcome = folder.sluice(words(command + "--latency 1ms --json plan.json"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(", k = 2, beta = 1250\n"), std::string::npos) << outcome.out;
  const json plan = json::parse(folder.read("plan.json"));
  EXPECT_EQ(plan.at("max_transfers"), 2);
  EXPECT_EQ(plan.at("setup"), 1250);
  const double total = plan.at("cost").at("total");
  EXPECT_NE(outcome.out.find(
                fmt::format("\ntime: {:.2f} s at 1.25 MB/s per transfer, no plan takes less than ", total / 1.25e6)),
            std::string::npos)
      << outcome.out << total;
  // What is given wins.
  const Outcome given = folder.sluice(words(command + "--setup 0.5 --max-transfers 3 --summary"));
  EXPECT_NE(given.out.find(", k = 3, beta = 0.5\n"), std::string::npos) << given.out << given.err;
}

TEST(PlanExchange, FastLinksInsideTheClustersAreUsedWhereTheyPay) {
  const Folder folder;
  // Small messages between all: each sender has one for each receiver, and a step costs more than all of them.
  std::string rows;
  for (int sender = 0; sender < 6; ++sender) rows += "100,100,100,100,100,100\n";
  folder.write("traffic.csv", rows);
  const std::string command =
      "plan exchange traffic.csv --effort 0.5 --backbone 1Gbit --sender-link 100Mbit --receiver-link 100Mbit "
      "--latency 1ms --json plan.json ";
  const Outcome plain = folder.sluice(words(command));
  ASSERT_EQ(plain.status, 0) << plain.err;
  const double without = json::parse(folder.read("plan.json")).at("cost").at("total");
  EXPECT_EQ(without, 6 * (100 + 12500));

  const Outcome fast = folder.sluice(words(command + "--local-links 100Gbit --local-latency 1us"));
  ASSERT_EQ(fast.status, 0) << fast.err;
  const json plan = json::parse(folder.read("plan.json"));
  const double with = plan.at("local_phases").at("total");
  EXPECT_LT(with, without);
  EXPECT_EQ(cost_of(fast.out.substr(fast.out.find("in all ")), "in all "), with) << fast.out;
  EXPECT_NE(fast.out.find(", without them 75600, "), std::string::npos) << fast.out;
  EXPECT_NE(fast.out.find(", from senders to receivers:\n"), std::string::npos) << fast.out;
  EXPECT_EQ(folder.sluice(words("check plan.json --traffic traffic.csv")).status, 0);
  json broken = plan;
  for (const char* phase : {"before", "after"}) broken["local_phases"][phase]["steps"] = json::array();
  folder.write("broken.json", broken.dump());
  EXPECT_EQ(folder.sluice(words("check broken.json --traffic traffic.csv")).status, 1);

  const Outcome slow = folder.sluice(words(command + "--local-links 1Mbit"));
  ASSERT_EQ(slow.status, 0) << slow.err;
  EXPECT_NE(slow.out.find("\nlocal links: no plan found that uses them costs less"), std::string::npos) << slow.out;
  EXPECT_EQ(json::parse(folder.read("plan.json")).at("cost").at("total"), without);
}

TEST(PlanExchange, SaysThatTheTimeLimitStoppedItAndRepeatsItselfOtherwise) {
  const Folder folder;
  write_traffic_files(folder);
  const std::string command = "plan exchange dense.mtx --setup 7 --max-transfers 5 --algorithm auto";
  const Outcome late = folder.sluice(words(command + " --effort 1000 --time-limit 0.05 --json plan.json"));
  ASSERT_EQ(late.status, 0) << late.err;
  EXPECT_NE(lines(late.out).at(1).find("; stopped by the time limit"), std::string::npos) << late.out;
  EXPECT_EQ(folder.sluice(words("check plan.json --traffic dense.mtx")).status, 0);
  const Outcome once = folder.sluice(words(command + " --effort 0.1 --all"));
  EXPECT_EQ(once.out.find("stopped"), std::string::npos) << once.out;
  EXPECT_EQ(folder.sluice(words(command + " --effort 0.1 --all")).out, once.out);
}

TEST(PlanExchange, StepsAreCutAtFortyLinesUnlessAllAreAskedFor) {
  const Folder folder;
  write_traffic_files(folder);
  const std::string command = "plan exchange dense.mtx --algorithm degrees --max-transfers 1";
  const std::vector<std::string> cut = lines(folder.sluice(words(command)).out);
  const std::vector<std::string> all = lines(folder.sluice(words(command + " --all")).out);
  ASSERT_GT(all.size(), cut.size());
  EXPECT_EQ(cut.back(), fmt::format("... {} more lines; --all shows them", all.size() - (cut.size() - 1)));
  EXPECT_TRUE(std::equal(cut.begin(), cut.end() - 1, all.begin()));
}

TEST(PlanExchange, PlannersOfExchangePlanRedistributionsToo) {
  const Folder folder;
  for (const Algorithm& algorithm : algorithms("exchange")) {
    const std::string name(algorithm.name);
    for (const std::string layouts : {"--from 15:2 --to 6:3", "--from 2x3:2x1 --to 3x1:3x4 --shape 17x12"}) {
      const std::string command =
          fmt::format("plan redistribute {} --algorithm {} --time-limit 0.2 --setup 2 --json plan.json", layouts, name);
      SCOPED_TRACE(command);
      const Outcome planned = folder.sluice(words(command));
      ASSERT_EQ(planned.status, 0) << planned.err;
      EXPECT_EQ(planned.out.rfind("redistribute ", 0), 0U) << planned.out;
      const json plan = json::parse(folder.read("plan.json"));
      EXPECT_EQ(plan.at("problem"), "redistribute");
      EXPECT_EQ(plan.at("algorithm"), name);
      EXPECT_EQ(plan.at("setup"), 2);
      const Outcome checked = folder.sluice(words("check plan.json"));
      EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
      EXPECT_NE(checked.out.find("every element"), std::string::npos) << checked.out;
    }
  }
}

TEST(PlanExchange, OneRanksPartOfARedistributionThatCutsMessages) {
  const Folder folder;
  const std::string command = "plan redistribute --from 15:2 --to 6:3 --algorithm oggp";
  const json plan = json::parse(folder.sluice(words(command + " --json -")).out);
  std::set<std::string> expected;
  for (std::size_t t = 0; t < plan.at("steps").size(); ++t) {
    for (const json& transfer : plan["steps"][t]["transfers"])
      if (transfer["from"] == 7)
        expected.insert(fmt::format("{} {} {}", t, transfer["size"].get<int>(), transfer["to"].get<int>()));
  }
  ASSERT_FALSE(expected.empty());
  std::set<std::string> shown;
  bool in_table = false;
  for (const std::string& line : lines(folder.sluice(words(command + " --rank 7 --all")).out)) {
    std::istringstream in(line);
    int step = 0, size = 0, to = 0;
    if (in_table && in >> step >> size >> to) shown.insert(fmt::format("{} {} {}", step, size, to));
    in_table = in_table || line.rfind("step ", 0) == 0;
  }
  EXPECT_EQ(shown, expected);  // rank 7 is a sender alone
}

// ---- what a CSV file holds

constexpr const char* kTable = ",r0,r1,r2\n0,0,5,3\n1,2,0,9\n2,4,1,0\n";
constexpr const char* kEdgeList = "src,dst,bytes\n0,1,1000\n1,2,2000\n2,0,500\n";

TEST(TrafficFormat, NamesAndEdgesAreReadAsWhatTheyAre) {
  const Folder folder;
  folder.write("a.csv", kTable);
  folder.write("b.csv", kEdgeList);
  folder.write("b.tsv", "to\tfrom\tsize\n2\t1\t1000\n3\t2\t2000\n1\t3\t500\n");
  const auto title = [](const Outcome& outcome) {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out.substr(0, outcome.out.find(" of the file in total"));
  };
  EXPECT_EQ(title(folder.sluice(words("plan exchange a.csv --summary"))),
            "exchange a.csv (names of rows and columns): 3 senders, 3 receivers, 6 messages, 24 units");
  EXPECT_EQ(title(folder.sluice(words("plan exchange b.csv --summary"))),
            "exchange b.csv (edges, ranks from 0): 3 senders, 3 receivers, 3 messages, 3500 units");
  EXPECT_EQ(title(folder.sluice(words("plan exchange b.tsv --summary"))),
            "exchange b.tsv (edges, ranks from 1): 3 senders, 3 receivers, 3 messages, 3500 units");
  EXPECT_EQ(title(folder.sluice(words("plan exchange - --summary"), kEdgeList)),
            "exchange standard input (edges, ranks from 0): 3 senders, 3 receivers, 3 messages, 3500 units");
  EXPECT_EQ(title(folder.sluice(words("compare exchange b.csv --algorithms oggp"))),
            "exchange b.csv (edges, ranks from 0): 3 senders, 3 receivers, 3 messages, 3500 units");
}

TEST(TrafficFormat, OptionsTellWhatTheTextDoesNot) {
  const Folder folder;
  folder.write("plain.csv", "0,1,1000\n1,2,2000\n");
  folder.write("numbers.csv", "0,1\n5,3\n");
  folder.write("x.mtx", "%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 7\n");
  const auto before = folder.files();
  const std::pair<const char*, const char*> faults[] = {
      {"plain.csv",
       "plain.csv:1: 3 columns that could be an edge list (sender, receiver, size), expected --format "
       "edges or --format matrix, to tell which it is"},
      {"plain.csv --format list", "--format: 'list', expected matrix or edges"},
      {"plain.csv --names rows", "--names: 'rows', expected row,column, column, row or none"},
      {"x.mtx --format edges", "x.mtx: Matrix Market, whose first line tells its format, expected no --format"},
  };
  for (const auto& [arguments, what] : faults) {
    SCOPED_TRACE(arguments);
    expect_refused(folder.sluice(words(std::string("plan exchange --json plan.json ") + arguments)), what);
    EXPECT_EQ(folder.files(), before);
  }
  const auto total = [&](const std::string& arguments, const std::string& errors = "") {
    const Outcome outcome = folder.sluice(words("plan exchange --summary " + arguments));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, errors);
    const std::size_t end = outcome.out.find(" of the file in total");
    const std::size_t start = outcome.out.rfind(", ", end);
    return outcome.out.substr(start + 2, end - start - 2);
  };
  EXPECT_EQ(total("plain.csv --format edges"), "3000 units");
  EXPECT_EQ(total("plain.csv --format matrix --names none"), "3004 units");
  EXPECT_EQ(total("x.mtx"), "7 units");
  EXPECT_EQ(total("numbers.csv --names column"), "8 units");
  EXPECT_EQ(total("numbers.csv --names none"), "9 units");
  const std::string warning =
      "warning: numbers.csv:1: 0, 1, 2, .. in the first line could be names of the columns; they are taken as sizes. "
      "--names row,column, --names column, --names row or --names none, to tell where names are\n";
  EXPECT_EQ(total("numbers.csv", warning), "9 units");
  EXPECT_EQ(folder.sluice(words("plan exchange numbers.csv --quiet")).err, warning) << "a total is never silent";
}

TEST(TrafficFormat, EveryVerbTakesIt) {
  const Folder folder;
  folder.write("edges.csv", "0,1,1000\n1,2,2000\n2,0,500\n0,2,7\n");
  ASSERT_EQ(folder.sluice(words("plan exchange edges.csv --format edges --json plan.json --quiet")).status, 0);
  const Outcome check = folder.sluice(words("check plan.json --traffic edges.csv --format edges"));
  EXPECT_EQ(check.status, 0) << check.out;
  EXPECT_EQ(check.err, "note: edges.csv: edges, ranks from 0\n");
  expect_refused(folder.sluice(words("check plan.json --traffic edges.csv")), "edges.csv:1: 3 columns that could be");
  EXPECT_EQ(folder.sluice(words("simulate exchange edges.csv --format edges")).status, 0);
  folder.write("p.json",
               R"({"schema": "sluice.platform/1", "ranks": 3, "clusters": [{"name": "a", "ranks": [0, 1, 2],
                   "latency_s": 0.001, "gap": [[1, 1e-06], [1000000, 1]]}], "links": []})");
  const std::string alltoall = "plan alltoall --platform p.json --counts edges.csv ";
  EXPECT_EQ(folder.sluice(words(alltoall + "--format edges --summary")).status, 0);
  expect_refused(folder.sluice(words(alltoall)), "edges.csv:1: 3 columns that could be");
  // A line of sizes, one for each rank, is no edge.
  folder.write("line.csv", "0,1,1000\n");
  const Outcome gather = folder.sluice(words("plan gather --platform p.json --counts line.csv --summary"));
  EXPECT_EQ(gather.status, 0) << gather.err;
  EXPECT_EQ(gather.err, "");
}

}  // namespace
}  // namespace sluice::testing
