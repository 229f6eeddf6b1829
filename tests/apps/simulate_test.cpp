#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

constexpr const char* kTraffic = "3,1,0\n0,0,2\n4,0,1\n";

std::string platform() { return std::string(SLUICE_STUDIES) + "/grid5000/grid5000-88.json"; }

TEST(Simulate, ProblemsAndFilesAlike) {
  const Folder folder;
  folder.write("x.csv", kTraffic);
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
  const Outcome piped = folder.sluice(words("simulate - --order chain --json -"), folder.read("plan.json"));
  ASSERT_EQ(piped.status, 0) << piped.err;
  EXPECT_LE(json::parse(piped.out)["length"], cost["total"]);
}

TEST(Simulate, TreesOfReductionsAndBroadcasts) {
  const Folder folder;
  const Outcome reduce = folder.sluice(words("simulate reduce --machines 16 --transfer 2 --compute 1 --json -"));
  ASSERT_EQ(reduce.status, 0) << reduce.err;
  EXPECT_EQ(json::parse(reduce.out)["length"], json::parse(reduce.out)["planned"]);
  EXPECT_EQ(json::parse(reduce.out)["transfers"].size(), 15U);
  const Outcome broadcast =
      folder.sluice({"simulate", "broadcast", "--platform", platform(), "--size", "1MiB", "--algorithm", "ecef"});
  ASSERT_EQ(broadcast.status, 0) << broadcast.err;
  EXPECT_NE(broadcast.out.find(" ms\n"), std::string::npos) << broadcast.out;
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

TEST(Simulate, RefusesWhatItCannotSimulate) {
  const Folder folder;
  folder.write("x.csv", kTraffic);
  ASSERT_EQ(folder.sluice(words("plan exchange x.csv --algorithm oggp --json plan.json")).status, 0);
  json broken = json::parse(folder.read("plan.json"));
  broken["steps"][0]["duration"] = 999;
  folder.write("broken.json", broken.dump());
  folder.write("other.json", "{\"schema\": \"sluice.run/1\"}");
  folder.write("cut.json", folder.read("plan.json").substr(0, 100));
  const auto before = folder.files();
  const std::pair<const char*, const char*> cases[] = {
      {"", "sluice simulate: no problem, expected redistribute"},
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
      {"plan.json --trace x.txt", "--trace: 'x.txt', expected a name that ends in .json"},
      {"plan.json --trace no/where.json", "no/where.json"},
      {"plan.json --json plan.json", "--json: 'plan.json', which is the input"},
      {"plan.json --speed fast", "--speed: 'fast'"},
      {"exchange x.csv --algorithm magic", "--algorithm: 'magic'"},
  };
  for (const auto& [arguments, about] : cases) {
    SCOPED_TRACE(arguments);
    expect_refused(folder.sluice(words(std::string("simulate ") + arguments)), about);
    EXPECT_EQ(folder.files(), before);
  }
}

TEST(Simulate, ProgramsOverTheirPlatform) {
  const Folder folder;
  const Arguments plan{"plan",   "allgather", "--platform", platform(), "--size",  "1Ki",        "--algorithm", "ring",
                       "--json", "ring.json", "--svg",      "ring.svg", "--trace", "ring.trace", "--summary"};
  ASSERT_EQ(folder.sluice(plan).status, 0);
  const json program = json::parse(folder.read("ring.json"));
  EXPECT_EQ(folder.read("ring.svg").rfind("<svg ", 0), 0U);
  EXPECT_EQ(folder.read("ring.trace").rfind("%EventDef", 0), 0U);
  const std::vector<Arguments> both{
      {"simulate", "ring.json", "--platform", platform()},
      {"simulate", "allgather", "--platform", platform(), "--size", "1Ki", "--algorithm", "ring"}};
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
