#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

constexpr const char* kSimulatedTraffic = "3,1,0\n0,0,2\n4,0,1\n";

std::string grid5000_file() { return std::string(SLUICE_STUDIES) + "/grid5000/grid5000-88.json"; }

TEST(Simulate, ProblemsAndFilesAlike) {
  const Folder folder;
  folder.write("x.csv", kSimulatedTraffic);
  ASSERT_EQ(folder.sluice(words("plan exchange x.csv --algorithm oggp --json plan.json")).status, 0);
  const json cost = json::parse(folder.read("plan.json"))["cost"];
  for (const std::string what : {"exchange x.csv --algorithm oggp", "plan.json"}) {
    SCOPED_TRACE(what);
    const Outcome outcome = folder.sluice(words("simulate " + what + " --json out.json"));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json file = json::parse(folder.read("out.json"));
    EXPECT_EQ(file["schema"], "sluice.simulation/1");
    EXPECT_EQ(file["engine"], "model");
    EXPECT_EQ(file["order"], "barrier");
    EXPECT_EQ(file["length"], cost["total"]) << "a barrier after each step is what the cost counts";
    EXPECT_EQ(file["planned"], cost["total"]);
    EXPECT_TRUE(file["about"].contains("version"));
    EXPECT_NE(outcome.out.find("\nstart  end  from  to  size  step\n"), std::string::npos) << outcome.out;
  }
  // The pieces of the plan, which are in another order there.
  std::multiset<std::vector<std::int64_t>> planned, simulated;
  const auto piece = [](const json& each, std::int64_t step) {
    return std::vector<std::int64_t>{each["from"], each["to"], each["offset"], each["size"], step};
  };
  const json plan = json::parse(folder.read("plan.json"));
  for (std::size_t s = 0; s < plan["steps"].size(); ++s)
    for (const json& each : plan["steps"][s]["transfers"]) planned.insert(piece(each, static_cast<std::int64_t>(s)));
  const json simulation = json::parse(folder.read("out.json"));
  for (const json& each : simulation["transfers"]) simulated.insert(piece(each, each["step"]));
  EXPECT_EQ(simulated, planned);
  EXPECT_TRUE(std::any_of(planned.begin(), planned.end(), [](const auto& each) { return each[2] > 0; }));
  const Outcome piped = folder.sluice(words("simulate - --order chain --json -"), folder.read("plan.json"));
  ASSERT_EQ(piped.status, 0) << piped.err;
  EXPECT_LE(json::parse(piped.out)["length"], cost["total"]);
}

/// The phases one after another, all nodes in one list: the plan's own account of what it costs.
TEST(Simulate, PhasesInsideClustersComeBeforeAndAfter) {
  const Folder folder;
  folder.write("x.csv", "1000,0,0\n500000,400000,800000\n0,0,20000\n");
  const Outcome planned = folder.sluice(
      words("plan exchange x.csv --backbone 100Mbit --sender-link 33Mbit --receiver-link 33Mbit --latency 1ms "
            "--local-links 1Gbit --json plan.json --svg plan.svg --trace plan.trace"));
  ASSERT_EQ(planned.status, 0) << planned.err;
  EXPECT_NE(folder.read("plan.svg").find("machine"), std::string::npos);
  const Outcome outcome = folder.sluice(words("simulate plan.json --json -"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json file = json::parse(outcome.out), plan = json::parse(folder.read("plan.json"));
  const json& phases = plan["local_phases"];
  EXPECT_DOUBLE_EQ(file["length"], phases["total"]);
  const auto last = static_cast<std::int64_t>(phases["before"]["steps"].size() + plan["steps"].size());
  ASSERT_FALSE(phases["before"]["steps"].empty());
  ASSERT_FALSE(phases["after"]["steps"].empty());
  double ended = 0;
  for (const json& each : file["transfers"]) {
    const std::int64_t step = each["step"];
    const bool before = std::cmp_less(step, phases["before"]["steps"].size()), after = step >= last;
    EXPECT_EQ(each["from"] < 3, !after) << each;
    EXPECT_EQ(each["to"] < 3, before) << each;
    if (after)
      EXPECT_GE(each["start"].get<double>(), ended) << each;
    else
      ended = std::max(ended, each["end"].get<double>());
  }
  const auto files = folder.files();
  for (const std::string order : {"local", "chain"})
    expect_refused(folder.sluice(words("simulate plan.json --json no.json --order " + order)),
                   "plan.json: local phases before and after its steps, expected order barrier");
  EXPECT_EQ(folder.files(), files);
  const Outcome report = folder.sluice(words("report plan.json -o report.html"));
  ASSERT_EQ(report.status, 0) << report.err;
  EXPECT_NE(folder.read("report.html").find("Receiver 0 is machine 3 of the pictures"), std::string::npos);
}

TEST(Simulate, TreesOfReductionsAndBroadcasts) {
  const Folder folder;
  const Outcome reduce = folder.sluice(words("simulate reduce --machines 16 --transfer 2 --compute 1 --json -"));
  ASSERT_EQ(reduce.status, 0) << reduce.err;
  EXPECT_EQ(json::parse(reduce.out)["length"], json::parse(reduce.out)["planned"]);
  EXPECT_EQ(json::parse(reduce.out)["transfers"].size(), 15U);
  const Outcome broadcast =
      folder.sluice({"simulate", "broadcast", "--platform", grid5000_file(), "--size", "1MiB", "--algorithm", "ecef"});
  ASSERT_EQ(broadcast.status, 0) << broadcast.err;
  EXPECT_NE(broadcast.out.find(" ms\n"), std::string::npos) << broadcast.out;
}

TEST(Simulate, ReductionsOverAPlatformTakeWhatTheirPlanStates) {
  const Folder folder;
  const std::string problem = "broadcast --platform " + grid5000_file() + " --size 1MiB --algorithm ecef --reversed ";
  ASSERT_EQ(folder.sluice(words("plan " + problem + "--json plan.json")).status, 0);
  const Outcome file = folder.sluice(words("simulate plan.json --json -"));
  const Outcome there = folder.sluice(words("simulate " + problem + "--json -"));
  ASSERT_EQ(file.status, 0) << file.err;
  ASSERT_EQ(there.status, 0) << there.err;
  EXPECT_EQ(json::parse(there.out)["problem"], "reduce");
  EXPECT_EQ(json::parse(there.out)["length"], json::parse(folder.read("plan.json"))["length"]);
  EXPECT_EQ(json::parse(there.out)["transfers"], json::parse(file.out)["transfers"]);
  expect_refused(
      folder.sluice(words("simulate broadcast --platform " + grid5000_file() + " --size 1Mi --element-bytes 8")),
      "--element-bytes: 8, expected nothing without --reversed");
  expect_refused(folder.sluice(words("simulate " + problem + "--element-bytes 3")),
                 "--size: 1048576 bytes, expected whole elements of 3 bytes");
}

TEST(Simulate, SecondsByTheSpeedOfATransfer) {
  const Folder folder;
  folder.write("x.csv", "1000000\n");
  for (const std::string speed :
       {"--setup 0 --speed 8Mbit",
        "--setup 0 --backbone 8Mbit --sender-link 8Mbit --receiver-link 8Mbit --latency 0s"}) {
    const Outcome outcome = folder.sluice(words("simulate exchange x.csv --json - " + speed));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(json::parse(outcome.out)["unit"], "s");
    EXPECT_DOUBLE_EQ(json::parse(outcome.out)["length"].get<double>(), 1);
  }
}

TEST(Simulate, WritesPicturesAndTraces) {
  const Folder folder;
  ASSERT_EQ(folder.sluice(words("simulate redistribute --from 4:3 --to 4:5 --svg g.svg --trace t.json")).status, 0);
  ASSERT_EQ(folder.sluice(words("simulate redistribute --from 4:3 --to 4:5 --trace t.trace")).status, 0);
  EXPECT_EQ(folder.read("g.svg").rfind("<svg ", 0), 0U);
  EXPECT_FALSE(json::parse(folder.read("t.json"))["traceEvents"].empty());
  EXPECT_EQ(folder.read("t.trace").rfind("%EventDef", 0), 0U);
  ASSERT_EQ(folder.sluice(words("plan reduce --machines 8 --transfer 2 --compute 1 --svg tree.svg")).status, 0);
  EXPECT_NE(folder.read("tree.svg").find("reduce, auto"), std::string::npos);
  const Outcome svg = folder.sluice(words("plan redistribute --from 4:3 --to 4:5 --svg -"));
  EXPECT_EQ(svg.out.rfind("<svg ", 0), 0U) << svg.out;
}

TEST(Simulate, PlansDrawTheirTrees) {
  const Folder folder;
  ASSERT_EQ(folder.sluice(words("plan reduce --machines 8 --transfer 2 --compute 1 --summary --tree r.svg")).status, 0);
  EXPECT_NE(folder.read("r.svg").find("8 machines, root 0"), std::string::npos);
  ASSERT_EQ(
      folder.sluice({"plan", "broadcast", "--platform", grid5000_file(), "--size", "1Ki", "--tree", "b.svg"}).status,
      0);
  EXPECT_EQ(folder.read("b.svg").rfind("<svg ", 0), 0U);
  const auto before = folder.files();
  expect_refused(
      folder.sluice(words("plan reduce --machines 2001 --transfer 2 --compute 1 --tree x.svg --json x.json")),
      "a tree of 2001 machines, expected at most 2000");
  EXPECT_EQ(folder.files(), before);
}

TEST(Simulate, PlansAsLongAsItIsTold) {
  const Folder folder;
  const std::string task = "redistribute --from 15:2 --to 6:3 --algorithm exact --setup 3 --json - ";
  const json plan = json::parse(folder.sluice(words("plan " + task + "--effort 2")).out);
  const json times = json::parse(folder.sluice(words("simulate " + task + "--effort 2 --time-limit 60")).out);
  EXPECT_EQ(times["planned"], plan["cost"]["total"]);
  expect_refused(folder.sluice(words("simulate " + task + "--effort 0")), "--effort: '0'");
}

TEST(Simulate, AFaultOfAScheduleNamesItsFile) {
  const Folder folder;
  folder.write("x.csv", kSimulatedTraffic);
  ASSERT_EQ(folder.sluice(words("plan exchange x.csv --switches 2 --json plan.json")).status, 0);
  expect_refused(folder.sluice(words("simulate plan.json")), "plan.json: steps on 2 switches, expected a schedule for");
  expect_refused(folder.sluice(words("simulate -"), folder.read("plan.json")), "standard input: steps on 2 switches");
  ASSERT_EQ(folder.sluice(words("plan exchange x.csv --json plan.json")).status, 0);
  json many = json::parse(folder.read("plan.json"));
  many["senders"] = std::int64_t{1} << 40;
  folder.write("many.json", many.dump());
  const auto before = folder.files();
  expect_refused(folder.sluice(words("simulate many.json")),
                 "many.json: 1099511627776 nodes, expected at most 16777216");
  expect_refused(folder.sluice(words("report many.json -o page.html")), "many.json: 1099511627776 nodes");
  expect_refused(folder.sluice(words("simulate .")), ".: a directory, expected a schedule");
  EXPECT_EQ(folder.files(), before);
}

TEST(Simulate, RefusesWhatItCannotSimulate) {
  const Folder folder;
  folder.write("x.csv", kSimulatedTraffic);
  ASSERT_EQ(folder.sluice(words("plan exchange x.csv --algorithm oggp --json plan.json")).status, 0);
  json broken = json::parse(folder.read("plan.json"));
  broken["steps"][0]["duration"] = 999;
  folder.write("broken.json", broken.dump());
  folder.write("other.json", "{\"schema\": \"sluice.run/1\"}");
  folder.write("cut.json", folder.read("plan.json").substr(0, 100));
  ASSERT_EQ(
      folder
          .sluice(words("plan reduce --machines 4 --transfer 2 --compute 1 --json tree.json --program r.json --size 8"))
          .status,
      0);
  const auto before = folder.files();
  const std::pair<const char*, const char*> cases[] = {
      {"", "sluice simulate: no problem, expected SCHEDULE.json, or one of redistribute"},
      {"plan.json --platform p.json", "--platform: a schedule, which has its own times"},
      {"nowhere.json", "nowhere.json: cannot be read"},
      {"exchnge x.csv",
       "'exchnge', expected one of redistribute, exchange, reduce, broadcast, scatter, gather, allgather, "
       "reduce-scatter, allreduce, alltoall; did you mean 'exchange'?"},
      {"broken.json", "broken.json: a broken schedule: "},
      {"other.json", "other.json"},
      {"cut.json", "cut.json"},
      {"plan.json --order chains", "--order: 'chains', expected one of barrier, local, chain"},
      {"plan.json --engine magic", "--engine: 'magic'"},
      {"plan.json --same-hosts", "--engine: model, with options of simgrid"},
      {"plan.json --control", "--engine: model, with options of simgrid"},
      {"plan.json --chunk usual", "--engine: model, with options of simgrid"},
      {"plan.json --trace x.txt", "--trace: 'x.txt', expected a name that ends in .json"},
      {"plan.json --trace no/where.json", "no/where.json"},
      {"plan.json --json plan.json", "--json: 'plan.json', which is the input"},
      {"plan.json --speed fast", "--speed: 'fast'"},
      {"plan.json exchange x.csv", "plan.json: before exchange, expected a file, or a problem"},
      {"nowhere.json exchange x.csv", "nowhere.json: before exchange"},
      {"--order local exchange x.csv", "--order: before exchange"},
      {"tree.json --order local", "--order: tree.json, which has no steps, expected a schedule of steps"},
      {"tree.json --speed 1MB", "--speed: tree.json, which has no steps"},
      {"r.json --platform p.json --order chain", "--order: r.json, which has no steps"},
      {"r.json --platform p.json --speed 1MB", "--speed: r.json, which has no steps"},
      {"r.json --engine simgrid --platform plan.json --same-hosts",
       SLUICE_HAS_SIMGRID ? "--same-hosts: r.json, which has no steps"
                          : "--engine: no SimGrid in this build, expected "},
      {"exchange x.csv --algorithm magic", "--algorithm: 'magic'"},
      {"exchange x.csv --platform p.json", "--platform: engine model, which needs no machine"},
  };
  for (const auto& [arguments, about] : cases) {
    SCOPED_TRACE(arguments);
    expect_refused(folder.sluice(words(std::string("simulate ") + arguments)), about);
    EXPECT_EQ(folder.files(), before);
  }
}

/// Hosts h-0 .. with links of their own, of 1 MB/s and 0.5 ms each, to a switch.
std::string cluster(int hosts) {
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n <cluster id=\"c\" prefix=\"h-\" suffix=\"\" radical=\"0-" +
         std::to_string(hosts - 1) + "\" speed=\"1Gf\" bw=\"1MBps\" lat=\"500us\"/>\n</platform>\n";
}

/// A platform of four such hosts.
constexpr const char* kFourRanks =
    R"({"schema": "sluice.platform/1", "ranks": 4, "clusters": [{"name": "a", "ranks": [0, 1, 2, 3],
        "latency_s": 0.001, "gap": [[1, 1e-06], [1000000, 1]]}], "links": []})";

#if SLUICE_HAS_SIMGRID
double length_of(const Outcome& outcome) { return json::parse(outcome.out)["length"].get<double>(); }

TEST(SimulateWithSimgrid, AgreesWithTheModelWhereEveryNodeHasAPort) {
  const Folder folder;
  folder.write("x.csv", "300000,110000,0\n50000,50000,250000\n400000,0,120000\n");
  folder.write("c.xml", cluster(6));
  // A set-up of 1000 bytes is the latency of two links at 1 MB/s.
  for (const std::string k : {"1", "2", "3"}) {
    for (const std::string order : {"barrier", "local", "chain"}) {
      SCOPED_TRACE(k + " " + order);
      const std::string how =
          "simulate exchange x.csv --setup 1000 --max-transfers " + k + " --order " + order + " --json - ";
      const Outcome model = folder.sluice(words(how + "--speed 1MB"));
      const Outcome simgrid = folder.sluice(words(how + "--engine simgrid --platform c.xml"));
      ASSERT_EQ(model.status, 0) << model.err;
      ASSERT_EQ(simgrid.status, 0) << simgrid.err;
      EXPECT_NEAR(length_of(simgrid) / length_of(model), 1, 0.001);
      EXPECT_EQ(json::parse(simgrid.out)["engine"], "simgrid");
      EXPECT_FALSE(json::parse(simgrid.out).contains("planned"));
    }
  }
}

TEST(SimulateWithSimgrid, ShowsHowFarItIsOnATerminal) {
  const Folder folder;
  folder.write("x.csv", "300000,110000,0\n50000,50000,250000\n400000,0,120000\n");
  folder.write("c.xml", cluster(6));
  ASSERT_EQ(folder.sluice(words("plan exchange x.csv --algorithm oggp --json plan.json")).status, 0);
  std::size_t transfers = 0;
  const json plan = json::parse(folder.read("plan.json"));
  for (const json& step : plan["steps"]) transfers += step["transfers"].size();
  const std::string all = std::to_string(transfers);
  const std::string rest = " simulate plan.json --engine simgrid --platform c.xml";
  const Outcome shown = folder.in_terminal(100, SLUICE_COMMAND + rest);
  EXPECT_EQ(shown.status, 0) << shown.out;
  for (const std::string& count : {"0/" + all, "1/" + all, all + "/" + all})
    EXPECT_NE(shown.out.find("] " + count + " messages simulated"), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find(std::string(30, '#') + "] " + all), std::string::npos) << shown.out;
  for (const std::string how : {" --quiet", " --no-progress"})
    EXPECT_EQ(folder.in_terminal(100, SLUICE_COMMAND + rest + how).out.find("simulated"), std::string::npos) << how;
  EXPECT_EQ(folder.sluice(words(rest.substr(1))).err, "") << "no terminal";
}

TEST(SimulateWithSimgrid, HostsAndUnits) {
  const Folder folder;
  folder.write("x.csv", "0,1000000\n500000,0\n");
  folder.write("c.xml", cluster(12));
  const auto length = [&](const std::string& more) {
    const Outcome outcome = folder.sluice(
        words("simulate exchange x.csv --engine simgrid --platform c.xml --json - --order local " + more));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return length_of(outcome);
  };
  EXPECT_NEAR(length(""), 1.001, 1e-6);
  EXPECT_NEAR(length("--unit-bytes 2"), 2.001, 1e-6);
  EXPECT_NEAR(length("--same-hosts"), 1.001, 1e-6) << "a host sends and receives at once";
  EXPECT_NEAR(length("--cfg network/bandwidth-factor:0.5"), 2.001, 1e-6);
  // h-2 is the third host, not the fifth as "h-10", "h-11" would make it; the same by name.
  folder.write("hosts", "h-11\n\nh-10\nh-9\nh-8\n");
  EXPECT_NEAR(length("--hosts hosts"), 1.001, 1e-6);
  // What stays on its host takes no time.
  folder.write("own.csv", "1000000,0\n0,1\n");
  const Outcome own = folder.sluice(
      words("simulate exchange own.csv --engine simgrid --platform c.xml --same-hosts --json - --order local"));
  EXPECT_EQ(length_of(own), 0);
  // Elements of a redistribution, from the problem and from a file: a message of 100 elements each.
  const std::string layout = "redistribute --from 2:100 --to 2:50 --shape 400";
  ASSERT_EQ(folder.sluice(words("plan " + layout + " --json plan.json")).status, 0);
  for (const std::string& what : {layout + " --element-bytes 8", std::string("plan.json")}) {
    const Outcome outcome =
        folder.sluice(words("simulate " + what + " --engine simgrid --platform c.xml --json - --order local"));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NEAR(length_of(outcome), 2 * (800e-6 + 1e-3), 1e-6);
  }
}

/// A copy of the target that forwards data has a host of its own, shared with the source if both are one process.
TEST(SimulateWithSimgrid, CopiesOfAnArrayNeedAHostForEachProcess) {
  const Folder folder;
  for (const auto& [more, hosts] : std::vector<std::pair<std::string, int>>{{"", 6}, {"--same-processes", 4}}) {
    ASSERT_EQ(
        folder
            .sluice(words("plan redistribute --from 2:2 --to 2:3 --shape 600 --to-replicas 2 --json plan.json " + more))
            .status,
        0);
    for (const int there : {hosts - 1, hosts}) {
      SCOPED_TRACE(more + std::to_string(there));
      folder.write("c.xml", cluster(there));
      const Outcome outcome = folder.sluice(words("simulate plan.json --engine simgrid --platform c.xml"));
      EXPECT_EQ(outcome.status, there < hosts ? 2 : 0) << outcome.err;
    }
  }
}

TEST(SimulateWithSimgrid, ProgramsWaitForWhatTheySay) {
  const Folder folder;
  folder.write("c.xml", cluster(8));
  folder.write("p.json", kFourRanks);
  for (const std::string problem : {"allgather", "allreduce", "alltoall", "scatter"}) {
    SCOPED_TRACE(problem);
    ASSERT_EQ(folder.sluice(words("plan " + problem + " --platform p.json --size 40000 --json program.json")).status,
              0);
    const Outcome outcome =
        folder.sluice(words("simulate program.json --engine simgrid --platform c.xml --json - --svg x.svg"));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json file = json::parse(outcome.out), program = json::parse(folder.read("program.json"));
    EXPECT_EQ(file["transfers"].size(), program["operations"].size() / 2);
    EXPECT_NEAR(length_of(outcome) / program["length_s"].get<double>(), 1, 0.05);
    const Outcome converted =
        folder.sluice(words("simulate " + problem + " --platform p.json --size 40000 --engine simgrid --json -"));
    ASSERT_EQ(converted.status, 0) << converted.err;
    EXPECT_NEAR(length_of(converted) / length_of(outcome), 1, 0.02);
  }
}

/// What rank 1 has to send last is there first, after 0.101 s: as it comes, it shares the link of rank 0 with the rest.
TEST(SimulateWithSimgrid, SendsToOneRankBeginInTheirOrder) {
  const Folder folder;
  folder.write("c.xml", cluster(3));
  folder.write("program.json",
               R"({"schema": "sluice.program/1", "problem": "broadcast", "algorithm": "by hand", "ranks": 3,
  "size_bytes": 150000, "root": 0, "operations": [
  {"rank": 0, "kind": "send", "peer": 1, "offset": 100000, "bytes": 50000, "after": []},
  {"rank": 1, "kind": "receive", "peer": 0, "offset": 100000, "bytes": 50000, "after": []},
  {"rank": 0, "kind": "send", "peer": 1, "offset": 0, "bytes": 100000, "after": []},
  {"rank": 1, "kind": "receive", "peer": 0, "offset": 0, "bytes": 100000, "after": []},
  {"rank": 1, "kind": "send", "peer": 2, "offset": 0, "bytes": 100000, "after": [3]},
  {"rank": 2, "kind": "receive", "peer": 1, "offset": 0, "bytes": 100000, "after": []},
  {"rank": 1, "kind": "send", "peer": 2, "offset": 100000, "bytes": 50000, "after": [1]},
  {"rank": 2, "kind": "receive", "peer": 1, "offset": 100000, "bytes": 50000, "after": []}],
  "length_s": 0, "bound_s": 0, "bound": ""})");
  const Outcome outcome = folder.sluice(words("simulate program.json --engine simgrid --platform c.xml --json -"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto transfers = json::parse(outcome.out)["transfers"].get<std::vector<json>>();
  ASSERT_EQ(transfers.size(), 4U);
  for (const json& each : transfers) {
    SCOPED_TRACE(each.dump());
    if (each["from"] == 1) {
      EXPECT_NEAR(each["start"].get<double>(), 0.151, 1e-6);
    } else if (each["offset"] == 100000) {
      EXPECT_NEAR(each["end"].get<double>(), 0.101, 1e-6);
    }
  }
  EXPECT_NEAR(length_of(outcome), 0.302, 1e-6);
}

/// Two transfers of 1 s, one after the other, on four hosts that are 1 ms from each other. A fence between the steps
/// takes two rounds of control messages. Slots take one control message, from the receiver of the first transfer to the
/// sender of the second. Both receivers send their control messages to their own senders at the beginning.
TEST(SimulateWithSimgrid, CountsTheWordsByWhichRanksKeepTheOrder) {
  const Folder folder;
  folder.write("x.csv", "1000000,0\n0,1000000\n");
  folder.write("c.xml", cluster(4));
  const std::string how = "simulate exchange x.csv --max-transfers 1 --engine simgrid --platform c.xml --json - ";
  const std::tuple<const char*, double, double> cases[] = {
      {"barrier", 2.002, 2.004}, {"chain", 2.002, 2.004}, {"local", 1.001, 1.001}};
  for (const auto& [order, without, with] : cases) {
    SCOPED_TRACE(order);
    const Outcome plain = folder.sluice(words(how + "--order " + order));
    const Outcome counted = folder.sluice(words(how + "--control --order " + order));
    ASSERT_EQ(plain.status, 0) << plain.err;
    ASSERT_EQ(counted.status, 0) << counted.err;
    EXPECT_NEAR(length_of(plain), without, 1e-6);
    EXPECT_NEAR(length_of(counted), with, 1e-6);
    EXPECT_EQ(json::parse(counted.out)["transfers"].size(), 2U);
  }
}

/// A message of 10^6 bytes at 1 MB/s, 1 ms away, in 31 pieces: two of them share the way at a time, so that the latency
/// comes once for two. Messages in one piece each are what they are without --chunk.
TEST(SimulateWithSimgrid, PiecesAreMessagesOfTheirOwn) {
  const Folder folder;
  folder.write("one.csv", "1000000\n");
  folder.write("two.csv", "1000000\n1000000\n");
  folder.write("x.csv", "300000,110000,0\n50000,50000,250000\n400000,0,120000\n");
  folder.write("c.xml", cluster(6));
  const auto times = [&](const std::string& how) {
    const Outcome outcome = folder.sluice(words("simulate " + how + " --engine simgrid --platform c.xml --json -"));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out);
  };
  const auto length = [&](const std::string& how) { return times(how)["length"].get<double>(); };
  for (const std::string chunk : {"usual", "32Ki"}) {
    EXPECT_NEAR(length("exchange one.csv --order barrier --chunk " + chunk), 1 + 16 * 1e-3, 1e-6);
    EXPECT_NEAR(length("exchange one.csv --order chain --chunk " + chunk), 1 + 17 * 1e-3, 1e-6) << "with a word";
  }
  // In local order there are 16 of 1 MiB, or as many bytes in shorter ones.
  EXPECT_NEAR(length("exchange one.csv --chunk usual --order local"), 1 + 1e-3, 1e-6);
  EXPECT_NEAR(length("exchange one.csv --chunk 32Ki --order local"), 1 + 1e-3, 1e-6);
  // Two messages go to one host. When 15 pairs of pieces of 32259 bytes have arrived, only the last piece of the first
  // message is missing. The second message begins one control message later. Another control message comes at the
  // beginning.
  const json early = times("exchange two.csv --chunk usual --order chain");
  EXPECT_NEAR(early["transfers"][1]["start"].get<double>(), 1e-3 + 15 * (1e-3 + 2 * 0.032259) + 1e-3, 1e-6);
  EXPECT_LT(early["length"].get<double>(), 2 * (1 + 17 * 1e-3) - 1e-3);
  // Behind a fence it waits for all of the first one, and for a word.
  EXPECT_NEAR(length("exchange two.csv --chunk usual --order barrier"), 2 * (1 + 16 * 1e-3) + 1e-3, 1e-6);
  for (const std::string order : {"barrier", "chain"}) {
    for (const std::string what : {"exchange x.csv --same-hosts", "exchange x.csv --max-transfers 2"}) {
      SCOPED_TRACE(what + ", " + order);
      EXPECT_DOUBLE_EQ(length(what + " --chunk 1Gi --order " + order), length(what + " --control --order " + order));
    }
  }
  // Redistributions pack: copies that pass on what they got wait for it, and pieces are whole elements.
  ASSERT_EQ(folder.sluice(words("plan redistribute --from 2:2 --to 2:3 --shape 600 --to-replicas 2 --json copies.json"))
                .status,
            0);
  for (const std::string order : {"barrier", "chain", "local"})
    EXPECT_GT(length("copies.json --chunk 100 --order " + order), 2 * 1e-3) << order;
}

/// What a receiver hears takes no time where its sender is on the same host, and passing on waits for what is passed.
TEST(SimulateWithSimgrid, CountsWordsOfEveryKindOfSchedule) {
  const Folder folder;
  folder.write("x.csv", "300000,110000,0\n50000,50000,250000\n400000,0,120000\n");
  folder.write("c.xml", cluster(6));
  ASSERT_EQ(folder.sluice(words("plan redistribute --from 2:2 --to 2:3 --shape 600 --to-replicas 2 --json copies.json"))
                .status,
            0);
  for (const std::string what : {"exchange x.csv --same-hosts", "exchange x.csv --max-transfers 2",
                                 "redistribute --from 2:2 --to 3:3 --shape 60000", "copies.json"}) {
    for (const std::string order : {"barrier", "chain"}) {
      SCOPED_TRACE(what + ", " + order);
      const std::string how = "simulate " + what + " --engine simgrid --platform c.xml --json - --order " + order;
      const Outcome plain = folder.sluice(words(how));
      const Outcome counted = folder.sluice(words(how + " --control"));
      ASSERT_EQ(plain.status, 0) << plain.err;
      ASSERT_EQ(counted.status, 0) << counted.err;
      EXPECT_GT(length_of(counted), length_of(plain));
      EXPECT_EQ(json::parse(counted.out)["transfers"].size(), json::parse(plain.out)["transfers"].size());
    }
  }
}

TEST(SimulateWithSimgrid, BroadcastsAreWhatTheirRanksDo) {
  const Folder folder;
  folder.write("c.xml", cluster(8));
  folder.write("p.json", kFourRanks);
  ASSERT_EQ(folder.sluice(words("plan broadcast --platform p.json --size 40000 --algorithm pipelined --program b.json"))
                .status,
            0);
  const Outcome file = folder.sluice(words("simulate b.json --engine simgrid --platform p.json --json -"));
  const Outcome problem = folder.sluice(
      words("simulate broadcast --platform p.json --size 40000 --algorithm pipelined --engine simgrid --json -"));
  ASSERT_EQ(file.status, 0) << file.err;
  ASSERT_EQ(problem.status, 0) << problem.err;
  EXPECT_EQ(length_of(problem), length_of(file));
  EXPECT_GT(length_of(problem), 0.04);
  EXPECT_EQ(json::parse(problem.out)["transfers"], json::parse(file.out)["transfers"]);
}

/// Where a transfer takes as long for every pair and every host has its own links, D is what the machine takes.
TEST(SimulateWithSimgrid, ReductionsTakeWhatTheModelSays) {
  const Folder folder;
  folder.write("c.xml", cluster(12));
  folder.write("dates", "0\n0.7\n0\n0\n2.5\n0\n0\n0\n0.1\n0\n0\n0\n");
  for (const std::string more :
       {"", "--max-transfers 2", "--max-transfers 1", "--compute 0", "--compute 2.5", "--max-reducers 2 --root 5",
        "--non-commutative", "--arrivals dates", "--algorithm chain", "--segments 8 --transfer-overhead 0.001",
        "--segments 3 --transfer-overhead 0.001 --compute-overhead 0.01"}) {
    SCOPED_TRACE(more);
    const std::string compute = more.rfind("--compute ", 0) == 0 ? "" : " --compute 0.2";
    const std::string problem = "reduce --machines 12 --transfer 0.301" + compute + " " + more;
    ASSERT_EQ(folder.sluice(words("plan " + problem + " --json tree.json")).status, 0);
    const std::string machine = " --engine simgrid --platform c.xml --size 300000 --json -";
    const Outcome model = folder.sluice(words("simulate tree.json --json -"));
    const Outcome file = folder.sluice(words("simulate tree.json" + machine));
    const Outcome simgrid = folder.sluice(words("simulate " + problem + machine));
    ASSERT_EQ(model.status, 0) << model.err;
    ASSERT_EQ(file.status, 0) << file.err;
    ASSERT_EQ(simgrid.status, 0) << simgrid.err;
    EXPECT_NEAR(length_of(simgrid) / length_of(model), 1, 0.001);
    const json result = json::parse(simgrid.out);
    EXPECT_EQ(result["transfers"], json::parse(file.out)["transfers"]);
    EXPECT_EQ(result["unit"], "s");
    EXPECT_EQ(result["planned"], json::parse(model.out)["planned"]);
    std::int64_t bytes = 0;
    for (const json& each : result["transfers"]) bytes += each["size"].get<std::int64_t>();
    EXPECT_EQ(bytes, 11 * 300000);
  }
}

/// A transfer takes what the machine takes, whatever D says, and combining what C says.
TEST(SimulateWithSimgrid, ReductionsOnSlowerMachinesTakeLonger) {
  const Folder folder;
  folder.write("c.xml", cluster(4));
  const auto length = [&](const std::string& more) {
    const Outcome outcome =
        folder.sluice(words("simulate reduce --machines 4 --transfer 1 --algorithm flat --engine simgrid --platform "
                            "c.xml --json - " +
                            more));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return length_of(outcome);
  };
  EXPECT_NEAR(length("--compute 0 --size 1000000"), 3 * 1.001, 1e-6);
  EXPECT_NEAR(length("--compute 0.25 --size 1000000"), 3 * 1.001 + 0.25, 1e-6) << "the root receives while it combines";
  EXPECT_NEAR(length("--compute 5 --size 1000000"), 1.001 + 15, 1e-6);
  EXPECT_NEAR(length("--compute 0 --size 2000000"), 3 * 2.001, 1e-6);
}

TEST(SimulateWithSimgrid, ReductionsOverAPlatformAreWhatTheirRanksDo) {
  const Folder folder;
  folder.write("p.json", kFourRanks);
  const std::string problem = "broadcast --platform p.json --size 40000 --algorithm pipelined --reversed";
  ASSERT_EQ(folder.sluice(words("plan " + problem + " --element-bytes 8 --program b.json")).status, 0);
  const Outcome file = folder.sluice(words("simulate b.json --engine simgrid --platform p.json --json -"));
  const Outcome there = folder.sluice(words("simulate " + problem + " --element-bytes 8 --engine simgrid --json -"));
  ASSERT_EQ(file.status, 0) << file.err;
  ASSERT_EQ(there.status, 0) << there.err;
  EXPECT_EQ(json::parse(there.out)["problem"], "reduce");
  EXPECT_EQ(json::parse(there.out)["transfers"], json::parse(file.out)["transfers"]);
  EXPECT_EQ(length_of(there), length_of(file));
  EXPECT_GT(length_of(there), 0.04);
  const std::string costly = "simulate " + problem + " --element-bytes 8 --compute 20us --json -";
  const Outcome model = folder.sluice(words(costly)), simgrid = folder.sluice(words(costly + " --engine simgrid"));
  ASSERT_EQ(model.status, 0) << model.err;
  ASSERT_EQ(simgrid.status, 0) << simgrid.err;
  EXPECT_GT(length_of(model), length_of(there) + 0.05);  // each of three ranks combines for 0.1 s
  EXPECT_NEAR(length_of(simgrid) / length_of(model), 1, 0.02);
}

/// A platform of SimGrid around `zone`.
std::string simgrid_platform(const std::string& zone) {
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">" +
         zone + "</platform>\n";
}

/// Two hosts with a link of 1 MB/s and 1 ms between them, in a zone of this routing.
std::string two_hosts(const std::string& routing, const std::string& more_of_host = "") {
  return simgrid_platform("<zone id=\"all\" routing=\"" + routing + "\"><host id=\"a\" speed=\"1Gf\"" + more_of_host +
                          "/><host id=\"b\" speed=\"1Gf\"/><link id=\"l\" bandwidth=\"1MBps\" latency=\"1ms\"/>"
                          "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone>");
}

TEST(SimulateWithSimgrid, PlatformsOfEveryRouting) {
  const Folder folder;
  folder.write("x.csv", "0,1000000\n0,0\n");
  const auto length = [&](const std::string& platform) {
    folder.write("p.xml", platform);
    const Outcome outcome = folder.sluice(
        words("simulate exchange x.csv --engine simgrid --platform p.xml --same-hosts --json - --order local"));
    EXPECT_EQ(outcome.status, 0) << platform << outcome.err;
    return outcome.status == 0 ? length_of(outcome) : 0;
  };
  for (const char* routing : {"Full", "Floyd", "Dijkstra", "DijkstraCache"})
    EXPECT_NEAR(length(two_hosts(routing)), 1.001, 1e-6) << routing;
  // Coordinates in milliseconds, 3 and 4 apart, and peers with links of their own.
  EXPECT_NEAR(
      length(simgrid_platform("<zone id=\"all\" routing=\"Vivaldi\">"
                              "<peer id=\"a\" coordinates=\"0 0 0\" speed=\"1Gf\" bw_in=\"2MBps\" bw_out=\"1MBps\"/>"
                              "<peer id=\"b\" coordinates=\"3 4 0\" speed=\"1Gf\" bw_in=\"2MBps\" bw_out=\"1MBps\"/>"
                              "</zone>")),
      1.005, 1e-6);
  // Zones in zones, whose gateways are connected.
  const auto inner = [](const std::string& name) {
    return "<zone id=\"z" + name + "\" routing=\"Floyd\"><host id=\"" + name + "\" speed=\"1Gf\"/><router id=\"r" +
           name + "\"/><link id=\"l" + name + "\" bandwidth=\"1MBps\" latency=\"1ms\"/><route src=\"" + name +
           "\" dst=\"r" + name + "\"><link_ctn id=\"l" + name + "\"/></route></zone>";
  };
  EXPECT_NEAR(
      length(simgrid_platform("<zone id=\"all\" routing=\"Full\">" + inner("a") + inner("b") +
                              "<link id=\"l\" bandwidth=\"4MBps\" latency=\"2ms\"/><zoneRoute src=\"za\" "
                              "dst=\"zb\" gw_src=\"ra\" gw_dst=\"rb\"><link_ctn id=\"l\"/></zoneRoute></zone>")),
      1.004, 1e-6);
  const auto tag = [](const std::string& more) {
    return simgrid_platform(
        "<cluster id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-7\" speed=\"1Gf\" bw=\"1MBps\" "
        "lat=\"1ms\" " +
        more + "/>");
  };
  EXPECT_NEAR(length(tag("")), 1.002, 1e-6);
  EXPECT_NEAR(length(tag("bb_bw=\"8MBps\" bb_lat=\"3ms\"")), 1.005, 1e-6);
  EXPECT_NEAR(length(tag("topology=\"TORUS\" topo_parameters=\"2,2,2\"")), 1.001, 1e-6);
  EXPECT_NEAR(length(tag("topology=\"FAT_TREE\" topo_parameters=\"2;4,2;1,2;1,1\"")), 1.002, 1e-6);
  EXPECT_GT(length(tag("topology=\"DRAGONFLY\" topo_parameters=\"2,1;2,1;1,1;2\"")), 1);
}

TEST(SimulateWithSimgrid, RefusesMachinesThatFail) {
  const Folder folder;
  folder.write("x.csv", "0,1000000\n0,0\n");
  folder.write("state", "0 1\n");
  folder.write("comment.xml", two_hosts("Full") + "<!-- <host id=\"a\" state_file=\"state\"/> -->\n");
  folder.write("host.xml", two_hosts("Full", " state_file = 'state'"));
  std::string link = two_hosts("Dijkstra");
  link.insert(link.find(" latency"), " state_file=\"state\"");
  folder.write("link.xml", link);
  std::string traced = two_hosts("Full");
  traced.insert(traced.find("</platform>"),
                "<trace id=\"t\" periodicity=\"12.0\">5.0 0.0\n6.0 1.0\n</trace>"
                "<trace_connect kind=\"HOST_AVAIL\" trace=\"t\" element=\"b\"/>");
  folder.write("traced.xml", traced);
  const std::string command = "simulate exchange x.csv --engine simgrid --same-hosts --platform ";
  EXPECT_EQ(folder.sluice(words(command + "comment.xml")).status, 0);
  const std::string rest = ", expected hosts and links that stay on";
  expect_refused(folder.sluice(words(command + "host.xml")), "host.xml: host 'a', which fails (state_file)" + rest);
  expect_refused(folder.sluice(words(command + "link.xml")), "link.xml: link 'l', which fails (state_file)" + rest);
  expect_refused(folder.sluice(words(command + "traced.xml")),
                 "traced.xml: host 'b', which fails (trace_connect HOST_AVAIL)" + rest);
  folder.write("none.xml", two_hosts("None"));
  expect_refused(folder.sluice(words(command + "none.xml")), "none.xml: ");
}

TEST(SimulateWithSimgrid, RefusesWhatSimgridCannotDo) {
  const Folder folder;
  folder.write("x.csv", "1,2\n3,4\n");
  folder.write("c.xml", cluster(3));
  folder.write("one.xml", cluster(1));
  folder.write("cut.xml", cluster(8).substr(0, 200));
  folder.write("apart.xml",
               "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
               "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\"/>"
               "<host id=\"b\" speed=\"1Gf\"/></zone></platform>\n");
  folder.write("hosts", "h-0\nh-1\nh-2\nh-77\n");
  folder.write("nothing", "");
  const auto before = folder.files();
  const std::pair<const char*, const char*> cases[] = {
      {"", "--platform: nothing, expected the machine to simulate"},
      {"--platform c.xml",
       "c.xml: 3 hosts, expected a host for each of 2 senders and 2 receivers, or the same hosts for both"},
      {"--platform one.xml",
       "one.xml: 1 host, expected a host for each of 2 senders and 2 receivers, or the same hosts for both"},
      {"--platform c.xml --hosts hosts", "c.xml: no host 'h-77'"},
      {"--platform c.xml --hosts nowhere",
       "nowhere: cannot be read: No such file or directory, expected a file of names"},
      {"--platform c.xml --hosts nothing", "nothing: an empty file, expected a file of names of hosts"},
      {"--platform -", "standard input: what SimGrid cannot read, expected a platform of SimGrid"},
      {"--platform cut.xml", "cut.xml: Parse error"},
      {"--platform apart.xml --same-hosts", "apart.xml: "},
      {"--platform c.xml --cfg x", "--cfg: 'x', expected NAME:VALUE"},
      {"--platform c.xml --cfg no/such:1 --same-hosts", "c.xml: Bad config key: no/such"},
      {"--platform c.xml --unit-bytes 0", "--unit-bytes: "},
      {"--platform c.xml --chunk 0", "--chunk: '0', expected 1 byte to 1 GiB"},
      {"--platform c.xml --chunk 2Gi", "--chunk: '2Gi', expected 1 byte to 1 GiB"},
      {"--platform c.xml --chunk little", "--chunk: 'little'"},
      {"--platform c.xml --speed 1MB", "--speed: --engine simgrid"},
  };
  for (const auto& [arguments, about] : cases) {
    SCOPED_TRACE(arguments);
    expect_refused(
        folder.sluice(words(std::string("simulate exchange x.csv --json out.json --engine simgrid ") + arguments)),
        about);
    EXPECT_EQ(folder.files(), before);
  }
  ASSERT_EQ(folder.sluice(words("plan reduce --machines 4 --transfer 1 --compute 1 --json tree.json")).status, 0);
  const std::string tree = "simulate tree.json --engine simgrid --platform c.xml ";
  expect_refused(folder.sluice(words(tree)), "--size: nothing, expected the bytes of an element");
  expect_refused(folder.sluice(words(tree + "--size 1Mi")), "c.xml: 3 hosts, expected one for each of the 4 machines");
  expect_refused(folder.sluice(words(tree + "--size much")), "--size: 'much'");
  expect_refused(folder.sluice(words("simulate tree.json --size 1Mi")), "--engine: model, with options of simgrid");
  ASSERT_EQ(folder.sluice(words("plan exchange x.csv --json plan.json")).status, 0);
  expect_refused(folder.sluice(words("simulate plan.json --engine simgrid --platform c.xml --size 1Mi")),
                 "--size: plan.json, which says the sizes, expected the tree of a reduction");
  for (const std::string way : {"", " --reversed"}) {
    const std::string plan =
        "plan broadcast --platform " + grid5000_file() + " --size 1Mi --algorithm ecef --json links.json";
    ASSERT_EQ(folder.sluice(words(plan + way)).status, 0);
    expect_refused(folder.sluice(words("simulate links.json --engine simgrid --platform c.xml --size 1Mi")),
                   "--engine: simgrid, and a tree over links in links.json");
  }
  expect_refused(folder.sluice(words("simulate tree.json --engine simgrid --platform c.xml --control")),
                 "--control: tree.json, whose ranks send what it says");
  expect_refused(folder.sluice(words("simulate tree.json --engine simgrid --platform c.xml --chunk 1Ki")),
                 "--chunk: tree.json, whose ranks send what it says");
}
TEST(SimulateWithSimgrid, ACommandWithoutTheProgramThatSimulatesSaysWhatToBuild) {
  const Folder folder;
  folder.write("x.csv", "1\n");
  folder.write("c.xml", cluster(3));
  ASSERT_EQ(folder.run({"cp", SLUICE_COMMAND, "sluice"}).status, 0);
  expect_refused(
      folder.run({"./sluice", "simulate", "exchange", "x.csv", "--engine", "simgrid", "--platform", "c.xml"}),
      "--engine: no program sluice-simgrid beside this one");
}
#else
TEST(SimulateWithSimgrid, SaysThatItIsMissing) {
  const Folder folder;
  folder.write("x.csv", "1\n");
  folder.write("c.xml", cluster(3));
  expect_refused(folder.sluice(words("simulate exchange x.csv --engine simgrid --platform c.xml")),
                 "--engine: no SimGrid in this build");
}
#endif

TEST(Simulate, ProgramsOverTheirPlatform) {
  const Folder folder;
  const Arguments plan{"plan",  "allgather",   "--platform", grid5000_file(), "--size",
                       "1Ki",   "--algorithm", "ring",       "--json",        "ring.json",
                       "--svg", "ring.svg",    "--trace",    "ring.trace",    "--summary"};
  ASSERT_EQ(folder.sluice(plan).status, 0);
  const json program = json::parse(folder.read("ring.json"));
  EXPECT_EQ(folder.read("ring.svg").rfind("<svg ", 0), 0U);
  EXPECT_EQ(folder.read("ring.trace").rfind("%EventDef", 0), 0U);
  const std::vector<Arguments> both{
      {"simulate", "ring.json", "--platform", grid5000_file()},
      {"simulate", "allgather", "--platform", grid5000_file(), "--size", "1Ki", "--algorithm", "ring"}};
  for (Arguments arguments : both) {
    arguments.insert(arguments.end(), {"--json", "-"});
    const Outcome outcome = folder.sluice(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json file = json::parse(outcome.out);
    EXPECT_DOUBLE_EQ(file["length"].get<double>(), program["length_s"].get<double>());
    EXPECT_EQ(file["planned"], program["length_s"]);
    EXPECT_EQ(file["unit"], "s");
    EXPECT_EQ(file["transfers"].size(), program["operations"].size() / 2);
    for (const json& transfer : file["transfers"]) EXPECT_LE(transfer["end"], file["length"]);
  }
  // The platform that it was not planned for, and none.
  folder.write("two.json",
               R"({"schema": "sluice.platform/1", "ranks": 2, "clusters": [{"name": "a", "ranks": [0, 1],
                   "latency_s": 5e-05, "gap": [[1, 2e-06], [1048576, 0.0084]]}], "links": []})");
  expect_refused(folder.sluice(words("simulate ring.json --platform two.json")),
                 "two.json: 2 ranks, expected the 88 of the program in ring.json");
  expect_refused(folder.sluice(words("simulate ring.json")), "--platform: nothing, expected the platform file");
}

TEST(Simulate, RefusesWhatCheckRefuses) {
  const Folder folder;
  ASSERT_EQ(folder.sluice(words("plan redistribute --from 4:3 --to 4:5 --json plan.json")).status, 0);
  json other = json::parse(folder.read("plan.json"));
  other["input"]["to"] = "4:2";  // sound in itself, but not what its layouts need
  folder.write("other.json", other.dump());
  EXPECT_EQ(folder.sluice(words("check other.json")).status, 1);
  expect_refused(folder.sluice(words("simulate other.json --svg other.svg")), "other.json: a broken schedule: ");
  folder.write("huge.json",
               R"({"schema": "sluice.schedule/1", "type": "steps", "problem": "exchange", "algorithm": "x",
                   "senders": 1000000000000, "receivers": 3, "max_transfers": 1, "setup": 1,
                   "steps": [{"duration": 1, "transfers": [{"from": 0, "to": 0, "offset": 0, "size": 1}]}],
                   "cost": {"steps": 1, "transmission": 1, "total": 2}, "bound": {"steps": 1, "transmission": 1, "total": 2}})");
  for (const std::string order : {"barrier", "local"})
    expect_refused(folder.sluice(words("simulate huge.json --trace t.json --order " + order)),
                   "1000000000000 nodes, expected at most");
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"huge.json", "other.json", "plan.json"}));
}

TEST(Simulate, AFullDiskIsSaid) {
  const Folder folder;
  ASSERT_EQ(folder.run({"ln", "-s", "/dev/full", "full.json"}).status, 0);
  ASSERT_EQ(folder.run({"ln", "-s", "/dev/full", "full.trace"}).status, 0);
  for (const std::string option : {"--trace full.json", "--trace full.trace", "--svg full.json", "--json full.json"}) {
    for (const std::string verb : {"simulate", "plan"}) {
      SCOPED_TRACE(verb + ' ' + option);
      expect_refused(folder.sluice(words(verb + " redistribute --from 4:3 --to 4:5 " + option)),
                     "cannot be written: No space left on device");
    }
  }
  // What could be written before is not there either.
  for (const std::string verb : {"simulate", "plan"}) {
    SCOPED_TRACE(verb);
    const std::vector<std::string> before = folder.files();
    const std::string how = verb + " redistribute --from 4:3 --to 4:5 --json plan.json --svg plan.svg --trace ";
    expect_refused(folder.sluice(words(how + "full.trace")), "full.trace: cannot be written: No space left on device");
    EXPECT_EQ(folder.files(), before);
  }
  expect_refused(folder.sluice(words("simulate redistribute --from 4:3 --to 4:5"), "", "/dev/full"),
                 "standard output: cannot be written: No space left on device");
}

TEST(Simulate, HasHelp) {
  const Folder folder;
  for (const std::string part :
       {"simulate", "simulate exchange", "simulate reduce", "simulate broadcast", "simulate redistribute"}) {
    const Outcome outcome = folder.sluice(words(part + " --help"));
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out.find("--trace FILE"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("Example"), std::string::npos) << outcome.out;
  }
}

}  // namespace
}  // namespace sluice::testing
