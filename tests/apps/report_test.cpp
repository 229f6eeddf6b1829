#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

constexpr const char* kTraffic = "3,1,0\n0,0,2\n4,0,1\n";

#if SLUICE_HAS_D3

std::string platform() { return std::string(SLUICE_STUDIES) + "/grid5000/grid5000-88.json"; }

/// The text between two others of a page.
std::string between(const std::string& page, const std::string& begin, const std::string& end) {
  const std::size_t at = page.find(begin);
  if (at == page.npos) return {};
  const std::size_t from = at + begin.size();
  return page.substr(from, page.find(end, from) - from);
}

/// The data of a page, as its program finds them.
json data_of(const std::string& page) {
  return json::parse(between(page, "<script type=\"application/json\" id=\"data\">", "</script>"));
}

/// The sections that `sluice report FILES` makes.
json sections(const Folder& folder, const std::string& files) {
  const Outcome outcome = folder.sluice(words("report " + files + " -o -"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return data_of(outcome.out);
}

TEST(Report, StepsWithTheirTransfersFiguresAndTables) {
  const Folder folder;
  folder.write("x.csv", kTraffic);
  ASSERT_EQ(folder.sluice(words("plan exchange x.csv --algorithm oggp --json plan.json")).status, 0);
  const json plan = json::parse(folder.read("plan.json"));
  const Outcome outcome = folder.sluice(words("report plan.json -o report.html"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.rfind("report.html: 1 section, ", 0), 0U) << outcome.out;
  const json section = data_of(folder.read("report.html"))[0];
  EXPECT_EQ(section["file"], "plan.json");
  EXPECT_EQ(section["kind"], "schedule of steps");
  const json& timeline = section["timeline"];
  EXPECT_EQ(timeline["senders"], 3);
  EXPECT_EQ(timeline["length"], plan["cost"]["total"]);
  std::size_t transfers = 0;
  double size = 0;
  for (const json& step : plan["steps"]) transfers += step["transfers"].size();
  for (const char* column : {"from", "to", "start", "end", "size", "offset", "step"})
    EXPECT_EQ(timeline[column].size(), transfers) << column;
  for (const json& each : timeline["size"]) size += each.get<double>();
  EXPECT_EQ(size, 11);
  EXPECT_EQ(section["tables"][0]["title"], "Steps");
  EXPECT_EQ(section["tables"][0]["rows"].size(), plan["steps"].size());
}

TEST(Report, MatricesAndCurvesAreDrawnForPrint) {
  const Folder folder;
  folder.write("x.csv", kTraffic);
  const Outcome matrix = folder.sluice(words("report x.csv --svg x.svg"));
  ASSERT_EQ(matrix.status, 0) << matrix.err;
  EXPECT_EQ(matrix.out, "");
  const std::string svg = folder.read("x.svg");
  EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
  EXPECT_NE(svg.find("3 x 3, 5 entries above 0"), svg.npos) << svg;
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"x.csv", "x.svg"}));
  const Outcome curves = folder.sluice({"report", platform(), "x.csv", "--svg", "-", "-o", "page.html"});
  ASSERT_EQ(curves.status, 0) << curves.err;
  EXPECT_NE(curves.out.find("Gap of links between clusters"), curves.out.npos);
  EXPECT_NE(curves.out.find("Latency between clusters"), curves.out.npos);
  EXPECT_NE(curves.out.find("Who sends how much to whom"), curves.out.npos);
  EXPECT_EQ(data_of(folder.read("page.html")).size(), 2U);
  // What has neither, and what cannot be written.
  ASSERT_EQ(folder.sluice(words("compare exchange x.csv --algorithms ggp --json c.json")).status, 0);
  expect_refused(folder.sluice(words("report c.json --svg c.svg")), "--svg: no matrix and no curves in the files");
  expect_refused(folder.sluice(words("report x.csv --svg no/where.svg")), "no/where.svg");
  expect_refused(folder.sluice(words("report x.csv --svg x.png")), "a name that ends in .svg");
  expect_refused(folder.sluice(words("report x.csv --svg x.csv")), "--svg");
  EXPECT_EQ(folder.read("x.csv"), kTraffic);
}

TEST(Report, SizesWithAFractionComeInTheUnitOfTheFile) {
  const Folder folder;
  folder.write("x.csv", "2.5,1\n0,4\n");
  ASSERT_EQ(folder.sluice(words("plan exchange x.csv --json plan.json")).status, 0);
  const json of_plan = sections(folder, "plan.json")[0]["timeline"];
  EXPECT_EQ(of_plan["decimals"], 1);
  double sum = 0;
  for (const json& each : of_plan["size"]) sum += each.get<double>();
  EXPECT_EQ(sum, 75);
  const json of_traffic = sections(folder, "x.csv")[0];
  EXPECT_EQ(of_traffic["kind"], "traffic");
  EXPECT_EQ(of_traffic["matrices"][0]["value"], json({2.5, 1.0, 4.0}));
}

TEST(Report, LongNumbersHaveTheirDigitsGrouped) {
  const Folder folder;
  folder.write("x.csv", "1234567.5,0\n0,9999\n");
  ASSERT_EQ(folder.sluice(words("plan exchange x.csv --setup 0 --json plan.json")).status, 0);
  const json both = sections(folder, "plan.json x.csv");
  EXPECT_EQ(both[0]["verdict"], "Total cost 1,234,567.5, proven optimal. 1 step.");
  EXPECT_EQ(both[1]["figures"].back(), json({"largest", "1,234,567.5"}));
  EXPECT_NE(both[1]["verdict"].get<std::string>().find("2 messages, 1,244,566.5 in total."), std::string::npos)
      << both[1]["verdict"];
  folder.write("x.csv", "9999\n");
  EXPECT_EQ(sections(folder, "x.csv")[0]["figures"].back(), json({"largest", "9999"}));
  folder.write("x.csv", "10000\n");
  EXPECT_EQ(sections(folder, "x.csv")[0]["figures"].back(), json({"largest", "10,000"}));
}

TEST(Report, SizesAreBytesWhereTheFileTells) {
  const Folder folder;
  folder.write("x.csv", kTraffic);
  ASSERT_EQ(folder.sluice(words("simulate exchange x.csv --speed 1MB --json s.json --trace t.json")).status, 0);
  ASSERT_EQ(folder.sluice(words("simulate exchange x.csv --json plain.json")).status, 0);
  std::string trace = folder.read("t.json");
  const std::string algorithm = "\"algorithm\": \"";
  trace.insert(trace.find(algorithm) + algorithm.size(), "executed: ");
  folder.write("run.json", trace);
  const json all = sections(folder, "s.json plain.json t.json run.json");
  EXPECT_EQ(all[0]["timeline"]["sizeUnit"], "B") << "a speed is in bytes per second";
  EXPECT_EQ(all[1]["timeline"]["sizeUnit"], "");
  EXPECT_EQ(all[2]["timeline"]["sizeUnit"], "") << "the trace of a simulation may be in any unit";
  EXPECT_EQ(all[3]["timeline"]["sizeUnit"], "B") << "a run moves bytes";
  EXPECT_EQ(all[3]["verdict"].get<std::string>().rfind("The run took ", 0), 0U) << all[3]["verdict"];
}

TEST(Report, LengthsOverAPlatformAreTimes) {
  const Folder folder;
  for (const auto& [problem, unit] :
       {std::pair{"allgather --size 1Ki --algorithms ring,bruck --platform " + platform(), "s"},
        {"broadcast --size 1Ki --algorithms flat,ecef --platform " + platform(), "s"},
        {std::string("reduce --machines 9 --transfer 2 --compute 1 --algorithms flat,greedy"), ""}}) {
    SCOPED_TRACE(problem);
    ASSERT_EQ(folder.sluice(words("compare " + problem + " --json compare.json")).status, 0);
    const json shown = sections(folder, "compare.json")[0];
    EXPECT_EQ(shown["bars"][0]["unit"], unit);
    const std::string best = shown["figures"][1][1];
    EXPECT_EQ(best.ends_with("s"), unit == std::string("s")) << best;
  }
}

TEST(Report, EveryKindOfFileInOnePage) {
  const Folder folder;
  folder.write("x.csv", kTraffic);
  folder.write("x.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 7\n");
  folder.write("study.csv", "bytes,method,executed_s\n1,flat,0.5\n2,\"a, b\",0.25\n");
  const std::string platform_option = " --platform " + platform();
  for (const std::string& made :
       {"plan exchange x.csv --json plan.json" + std::string(),
        "compare exchange x.csv --json compare.json" + std::string(),
        "plan reduce --machines 9 --transfer 2 --compute 1 --json tree.json" + std::string(),
        "plan allgather --size 1Ki --algorithm ring --json program.json" + platform_option,
        "simulate plan.json --json simulation.json" + std::string(),
        "cluster " + std::string(SLUICE_STUDIES) + "/grid5000/latency-88.mtx --tolerance 0.3 --json clusters.json"}) {
    const Outcome outcome = folder.sluice(words(made));
    ASSERT_EQ(outcome.status, 0) << made << outcome.err;
  }
  folder.write("run.json", read_text(SLUICE_SAMPLES "/run.json"));
  folder.write("record.json", read_text(SLUICE_SAMPLES "/record.json"));
  const json all = sections(
      folder,
      "plan.json compare.json tree.json program.json simulation.json clusters.json run.json record.json x.csv x.mtx "
      "study.csv " +
          platform());
  const char* const kinds[] = {"schedule of steps",
                               "comparison of algorithms",
                               "schedule of a tree",
                               "program of a collective",
                               "simulation",
                               "clusters",
                               "run beside its alternatives",
                               "record of a program's communication",
                               "traffic",
                               "traffic",
                               "study",
                               "platform"};
  ASSERT_EQ(all.size(), std::size(kinds));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i]["kind"], kinds[i]);
    EXPECT_FALSE(all[i]["figures"].empty() && all[i]["tables"].empty()) << all[i]["kind"];
    EXPECT_EQ(all[i].contains("verdict"), all[i]["kind"] != "study") << all[i]["kind"];
  }
  EXPECT_EQ(all[5]["verdict"].get<std::string>().rfind("clusters at tolerance 0.3.") != std::string::npos, true)
      << all[5]["verdict"];
  EXPECT_EQ(all[7]["verdict"].get<std::string>().rfind("Most time: MPI_Alltoallv, world, ", 0), 0U)
      << all[7]["verdict"];
  EXPECT_EQ(all[8]["verdict"],
            "5 messages, 11 in total. Most sent: 45 % by sender 2. Most received: 64 % by receiver 0.");
  EXPECT_EQ(
      all[11]["verdict"],
      "88 ranks in 6 clusters. Latency inside a cluster: 27.5 us to 47.9 us; between clusters: 60.1 us to 12.2 ms.");
  const json compared = json::parse(folder.read("compare.json"));
  EXPECT_EQ(all[1]["bars"][0]["bars"].size(), compared["rows"].size());
  EXPECT_EQ(all[1]["bars"][0]["bound"], compared["bound"]["total"]);
  for (std::size_t i = 0; i < compared["rows"].size(); ++i)
    EXPECT_EQ(all[1]["tables"][0]["rows"][i].back(), compared["rows"][i].value("note", "")) << i;
  EXPECT_EQ(all[2]["timeline"]["from"].size(), 8U);
  EXPECT_EQ(all[2]["pictures"][0]["title"], "The tree");
  EXPECT_EQ(all[4]["timeline"]["step"], all[0]["timeline"]["step"]);
  EXPECT_EQ(all[6]["bars"][0]["bars"][1]["high"], 0.159992264);
  EXPECT_EQ(all[10]["tables"][0]["rows"], json::parse(R"([[1, "flat", 0.5], [2, "a, b", 0.25]])"));
  EXPECT_EQ(all[11]["matrices"][0]["names"].size(), 6U);
}

TEST(Report, FrontsAreDrawn) {
  const Folder folder;
  ASSERT_EQ(folder.sluice(words("plan redistribute --from 15:2 --to 6:3 --front --json front.json")).status, 0);
  const json section = sections(folder, "front.json")[0];
  EXPECT_EQ(section["kind"], "front of steps and transmission");
  ASSERT_EQ(section["pictures"].size(), 1U);
  EXPECT_NE(section["pictures"][0]["svg"].get<std::string>().find(">11, 16<"), std::string::npos);
  EXPECT_EQ(section["tables"][0]["rows"].size(), 2U);
  EXPECT_EQ(section["verdict"].get<std::string>().rfind("2 schedules. Least total: ", 0), 0U) << section["verdict"];
  std::string text = folder.read("front.json");
  text.replace(text.find("\"steps\": 11"), 11, "\"steps\": 10");
  folder.write("broken.json", text);
  expect_refused(folder.sluice(words("report broken.json -o -")), "one that another beats");
}

TEST(Report, SwitchesAreDrawnSideBySide) {
  const Folder folder;
  folder.write("x.csv", "7,2,0\n4,5,0\n0,0,9\n");
  ASSERT_EQ(folder.sluice(words("plan exchange x.csv --switches 2 --json plan.json")).status, 0);
  const json steps = json::parse(folder.read("plan.json"))["steps"];
  const json section = sections(folder, "plan.json")[0];
  ASSERT_EQ(section["pictures"].size(), 2U);
  ASSERT_EQ(section["tables"][0]["rows"].size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i)
    EXPECT_EQ(section["tables"][0]["rows"][i][4], steps[i].value("switch", 0)) << i;
  std::size_t bars = 0, transfers = 0;
  for (const json& picture : section["pictures"]) {
    const std::string svg = picture["svg"];
    for (std::size_t at = svg.find("class=\"bar\""); at != svg.npos; at = svg.find("class=\"bar\"", at + 1)) ++bars;
  }
  for (const json& step : steps) transfers += step["transfers"].size();
  EXPECT_EQ(bars, transfers);
}

TEST(Report, PredictionsHaveABarForEachWay) {
  const Folder folder;
  const std::string over = " --platform " + platform() + " --size 16Ki --json ";
  ASSERT_EQ(folder.sluice(words("predict broadcast" + over + "broadcast.json")).status, 0);
  ASSERT_EQ(folder.sluice(words("predict allgather" + over + "allgather.json")).status, 0);
  const json both = sections(folder, "broadcast.json allgather.json");
  const json clusters = json::parse(folder.read("broadcast.json"))["clusters"];
  const json& broadcast = both[0];
  EXPECT_EQ(broadcast["kind"], "predictions of models");
  std::size_t strategies = 0, bars = 0;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const json& row = broadcast["tables"][0]["rows"][i];
    EXPECT_EQ(row[0], clusters[i]["name"]);
    EXPECT_EQ(row[1], clusters[i]["ranks"]);
    strategies += clusters[i]["strategies"].size();
    if (clusters[i]["strategies"].empty()) {
      EXPECT_EQ(row[2], "nothing to do inside");
      continue;
    }
    EXPECT_EQ(broadcast["bars"][bars++]["bars"].size(), clusters[i]["strategies"].size());
    for (const json& each : clusters[i]["strategies"]) EXPECT_EQ(each["best"], each["strategy"] == row[2]);
  }
  EXPECT_EQ(broadcast["bars"].size(), bars);
  EXPECT_EQ(broadcast["tables"][1]["rows"].size(), strategies);

  json prediction = json::parse(folder.read("allgather.json"));
  const json& allgather = both[1];
  EXPECT_EQ(allgather["bars"][0]["bars"].size(), prediction["algorithms"].size());
  EXPECT_EQ(allgather["bars"][0]["bound"], prediction["bound_s"]);
  const std::string best = allgather["figures"][3][1];
  EXPECT_EQ(best.rfind(prediction["algorithms"][0]["algorithm"].get<std::string>() + ", ", 0), 0U) << best;
  prediction["algorithms"] = json::array();
  folder.write("none.json", prediction.dump());
  expect_refused(folder.sluice(words("report none.json -o -")), "none.json: no \"algorithms\"");
}

TEST(Report, TuningsAreTheirPartOfTheTime) {
  const Folder folder;
  const auto rule = [](const char* call, int from, int below, double own, double tuned) {
    return json{{"call", call}, {"from_bytes", from}, {"below_bytes", below}, {"own_algorithm", "old"},
                {"own_s", own}, {"algorithm", "new"}, {"time_s", tuned}};
  };
  json tuning{{"schema", "sluice.tuning/1"},
              {"library", "Open MPI"},
              {"ranks", 4},
              {"source", "by the models of x"},
              {"rules",
               {rule("bcast", 8, 16, 4, 3), rule("bcast", 16, 32, 4, 2), rule("bcast", 64, 128, 4, 1),
                rule("gather", 8, 16, 4, 3)}},
              {"notes", {"reduce: left to the library"}}};
  folder.write("tuning.json", tuning.dump());
  const json section = sections(folder, "tuning.json")[0];
  EXPECT_EQ(section["kind"], "rules for an MPI library");
  const json& curves = section["lines"][0]["series"];
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[0]["name"], "bcast");
  // 1 before, after and between rules that do not touch.
  EXPECT_EQ(curves[0]["points"], json::parse("[[8, 1], [8, 0.75], [16, 0.75], [16, 0.5], [32, 0.5], [32, 1], [64, 1], "
                                             "[64, 0.25], [128, 0.25], [128, 1]]"));
  EXPECT_EQ(curves[1]["points"], json::parse("[[8, 1], [8, 0.75], [16, 0.75], [16, 1]]"));
  EXPECT_EQ(section["tables"][0]["rows"][2], json::parse(R"(["bcast", 64, 128, "old", "new", 4, 1, 0.25])"));
  EXPECT_EQ(section["figures"][4], json::parse(R"(["most saved", "bcast from 64 B: 0.250 of the time"])"));
  EXPECT_EQ(section["verdict"], "4 rules. Most saved: bcast from 64 B: 0.250 of the time.");
  EXPECT_EQ(section["notes"], json::parse(R"(["reduce: left to the library"])"));
  EXPECT_EQ(folder.sluice(words("report tuning.json --svg tuning.svg")).status, 0);

  json broken = tuning;
  broken["rules"][1]["from_bytes"] = 15;
  folder.write("broken.json", broken.dump());
  expect_refused(folder.sluice(words("report broken.json -o -")), "broken.json: \"rules\" of bcast that overlap");
  broken = tuning;
  broken["rules"][0]["time_s"] = 5;
  folder.write("broken.json", broken.dump());
  expect_refused(folder.sluice(words("report broken.json -o -")), "broken.json: \"time_s\": more than \"own_s\"");
  tuning["rules"] = json::array();
  folder.write("tuning.json", tuning.dump());
  const json without = sections(folder, "tuning.json")[0];
  EXPECT_TRUE(without["lines"].empty());
  EXPECT_EQ(without["verdict"], "No rule: no algorithm is faster than the library's own by the gain asked for.");
}

TEST(Report, APlanIsDrawnAboveWhatRan) {
  const Folder folder;
  folder.write("x.csv", kTraffic);
  ASSERT_EQ(folder.sluice(words("plan exchange x.csv --json plan.json")).status, 0);
  ASSERT_EQ(folder.sluice(words("simulate exchange x.csv --order chain --trace ran.json")).status, 0);
  const json both = sections(folder, "plan.json ran.json");
  EXPECT_TRUE(both[0]["pictures"].empty());
  EXPECT_EQ(both[1]["kind"], "trace");
  EXPECT_EQ(both[1]["timeline"]["from"].size(), 5U);
  ASSERT_EQ(both[1]["pictures"].size(), 1U);
  EXPECT_EQ(both[1]["pictures"][0]["title"], "plan.json above, what ran below");
  EXPECT_NE(both[1]["pictures"][0]["svg"].get<std::string>().find("plan and run"), std::string::npos);
  EXPECT_TRUE(sections(folder, "ran.json")[0]["pictures"].empty()) << "nothing to draw above it";
  ASSERT_EQ(folder.sluice(words("plan reduce --machines 4 --transfer 2 --compute 1 --json tree.json")).status, 0);
  EXPECT_TRUE(sections(folder, "tree.json ran.json")[1]["pictures"].empty()) << "another problem";
}

TEST(Report, ProgramsByTheirPlatformOrByWhatWaitsForWhat) {
  const Folder folder;
  const std::string plan = "plan allgather --size 1Ki --algorithm ring --json ring.json --platform " + platform();
  ASSERT_EQ(folder.sluice(words(plan)).status, 0);
  const json program = json::parse(folder.read("ring.json"));
  const json alone = sections(folder, "ring.json")[0];
  EXPECT_EQ(alone["timeline"]["length"], 87) << "a ring of 88 ranks passes each block on 87 times";
  EXPECT_EQ(alone["timeline"]["from"].size(), 88U * 87U);
  EXPECT_EQ(alone["notes"].size(), 1U);
  const json timed = sections(folder, "ring.json --platform " + platform())[0];
  EXPECT_DOUBLE_EQ(timed["timeline"]["length"].get<double>(), program["length_s"].get<double>());
  EXPECT_EQ(timed["timeline"]["unit"], "s");
  EXPECT_TRUE(timed["notes"].empty());
}

TEST(Report, RecordsTakeTheMatricesBesideThem) {
  const Folder folder;
  std::filesystem::create_directory(folder.path("record"));
  folder.write("record/record.json", read_text(SLUICE_SAMPLES "/record.json"));
  folder.write("record/world-bcast.mtx", "%%MatrixMarket matrix coordinate integer general\n4 4 1\n1 2 9\n");
  const json section = sections(folder, "record/record.json")[0];
  ASSERT_EQ(section["matrices"].size(), 1U);
  EXPECT_EQ(section["matrices"][0]["title"], "What MPI_Bcast sent on world");
  ASSERT_EQ(section["notes"].size(), 1U);
  EXPECT_EQ(section["notes"][0], "Not drawn, as not beside the record: world-alltoallv.mtx, world-reduce.mtx.");
  json away = json::parse(folder.read("record/record.json"));
  away["communicators"][0]["calls"][0]["file"] = "../secret.mtx";
  folder.write("away.json", away.dump());
  expect_refused(folder.sluice(words("report away.json -o -")), "away.json: \"file\": a path");
}

TEST(Report, OnePageThatLoadsNothing) {
  const Folder folder;
  folder.write("x.csv", kTraffic);
  const Outcome outcome = folder.sluice(words("report x.csv -o -"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string& page = outcome.out;
  EXPECT_EQ(page.rfind("<!DOCTYPE html>", 0), 0U);
  EXPECT_NE(page.find("default-src 'none'"), page.npos);
  for (const char* reference : {" src=", "<link", "@import", "url("})
    EXPECT_EQ(page.find(reference), page.npos) << reference;
  EXPECT_NE(page.find("Copyright: 2010-2016 Mike Bostock"), page.npos) << "the licence of the library";
  EXPECT_NE(page.find("--series-0: #0072B2;"), page.npos) << "the palette of all pictures";
}

TEST(Report, NoTextOfAFileBecomesPartOfThePage) {
  const Folder folder;
  const std::string evil = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>{{data}}";
  const json run{{"schema", "sluice.run/1"},
                 {"problem", evil},
                 {"ranks", 2},
                 {"bytes_moved", 1},
                 {"verified", true},
                 {"repetitions", 1},
                 {"methods", {{{"name", evil}, {"median_s", 1}, {"min_s", 1}, {"max_s", 1}, {"peak_extra_bytes", 0}}}}};
  const std::string name = "<b>{{data}}&\xff\u00e9.json";  // a byte that is no UTF-8 among them
  folder.write(name, run.dump());
  const Outcome outcome = folder.sluice({"report", name, "-o", "-"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find(evil), outcome.out.npos);
  EXPECT_EQ(outcome.out.find("onerror=alert(2)>{{data}}<"), outcome.out.npos);
  const json section = data_of(outcome.out)[0];
  EXPECT_EQ(section["figures"][0][1], evil);
  EXPECT_EQ(section["file"], "<b>{{data}}&\xef\xbf\xbd\u00e9.json");
  EXPECT_NE(outcome.out.find("<title>Sluice report: &lt;b&gt;{{data}}&amp;\xef\xbf\xbd\u00e9.json</title>"),
            outcome.out.npos);
}

TEST(Report, AnEdgeListIsTraffic) {
  const Folder folder;
  folder.write("edges.csv", "src,dst,bytes\n0,1,1000\n1,2,2000\n2,0,500\n");
  const json edges = sections(folder, "edges.csv")[0];
  EXPECT_EQ(edges["kind"], "traffic");
  EXPECT_NE(edges["figures"].dump().find("[\"sum of sizes\",\"3500\"]"), std::string::npos) << edges["figures"];
  // Another table with names is one of a study, unless it is told that it is traffic.
  folder.write("table.csv", ",a,b\n0,5,3\n1,2,9\n");
  EXPECT_EQ(sections(folder, "table.csv")[0]["kind"], "study");
  const json told = sections(folder, "table.csv --format matrix")[0];
  EXPECT_EQ(told["kind"], "traffic");
  EXPECT_NE(told["figures"].dump().find("[\"sum of sizes\",\"19\"]"), std::string::npos) << told["figures"];
}

TEST(Report, ARunIsShownWithWhatItsSamplesTell) {
  const Folder folder;
  std::size_t repetitions = 6;
  const auto method = [&](const char* name, double median, double lower, double upper) {
    std::vector<double> samples{lower, median, upper, median, median, median, median};
    samples.resize(repetitions);
    return json{{"name", name},       {"samples_s", samples},          {"median_s", median},   {"min_s", 0.5 * lower},
                {"max_s", 2 * upper}, {"quartiles_s", {lower, upper}}, {"peak_extra_bytes", 0}};
  };
  const auto run_of = [&](std::size_t samples) {
    repetitions = samples;
    return json{
        {"schema", "sluice.run/1"},
        {"problem", "exchange"},
        {"ranks", 2},
        {"bytes_moved", 1},
        {"verified", true},
        {"repetitions", samples},
        {"methods", {method("sluice", 12, 10, 13), method("pairwise", 11, 9, 11), method("alltoallv", 30, 20, 40)}}};
  };
  const auto has = [](const json& section, const json& figure) {
    return std::find(section["figures"].begin(), section["figures"].end(), figure) != section["figures"].end();
  };
  folder.write("run.json", run_of(6).dump());
  const json section = sections(folder, "run.json")[0];
  EXPECT_EQ(section["bars"][0]["bars"][0]["low"], 10);
  EXPECT_EQ(section["bars"][0]["bars"][0]["high"], 13);
  const json& table = section["tables"][0];
  EXPECT_EQ(table["columns"][2]["title"], "96 % interval from");
  // First what the terminal shows, then what it shows with --wide.
  EXPECT_EQ(table["columns"][4]["title"], "/ sluice");
  EXPECT_EQ(table["columns"][5]["title"], "extra memory");
  EXPECT_EQ(table["columns"][6]["title"], "lower quartile");
  EXPECT_EQ(table["columns"][8]["title"], "min");
  EXPECT_EQ(table["columns"][9]["title"], "max");
  EXPECT_EQ(table["rows"][0][3], 13);
  EXPECT_EQ(table["rows"][0][4], 1);
  EXPECT_NEAR(table["rows"][1][4], 11.0 / 12, 1e-12);
  EXPECT_NEAR(table["rows"][2][4], 2.5, 1e-12);
  EXPECT_EQ(table["rows"][0][6], 10);
  EXPECT_EQ(table["rows"][0][9], 26);
  EXPECT_EQ(
      section["verdict"],
      "Least median here: pairwise; not told apart from it: sluice. sluice takes 1.091 times as long as pairwise.");
  EXPECT_TRUE(has(section, {"least median", "pairwise, 11.0 s"})) << section["figures"];
  EXPECT_TRUE(has(section, {"not told apart from it", "sluice"})) << section["figures"];

  json run = run_of(6);
  run["methods"].erase(0);
  run["interrupted"] = true;
  folder.write("run.json", run.dump());
  const json told = sections(folder, "run.json")[0];
  EXPECT_TRUE(has(told, {"fastest", "pairwise, 11.0 s"})) << told["figures"];
  EXPECT_EQ(told["verdict"], "Fastest here: pairwise.");
  EXPECT_NE(told["notes"].dump().find("interrupted"), std::string::npos) << told["notes"];

  // From five samples nothing follows, however far apart they are.
  folder.write("run.json", run_of(5).dump());
  const json few = sections(folder, "run.json")[0];
  EXPECT_EQ(few["verdict"].get<std::string>().find("Too few samples to tell which method is the fastest; least median: "
                                                   "pairwise."),
            0U)
      << few["verdict"];
  EXPECT_TRUE(has(few, {"least median", "pairwise, 11.0 s"})) << few["figures"];
  EXPECT_EQ(few["figures"].dump().find("not told apart"), std::string::npos) << few["figures"];

  run = run_of(6);
  run["methods"][1]["quartiles_s"] = {11, 9};
  folder.write("run.json", run.dump());
  expect_refused(folder.sluice(words("report run.json -o -")), "\"quartiles_s\": not a lower and an upper one");
}

TEST(Report, RefusesWhatItCannotShow) {
  const Folder folder;
  folder.write("x.csv", kTraffic);
  ASSERT_EQ(folder.sluice(words("plan exchange x.csv --algorithm oggp --json plan.json")).status, 0);
  ASSERT_EQ(folder.sluice(words("compare exchange x.csv --json compare.json")).status, 0);
  expect_refused(folder.sluice({"report", "plan.json", "-o", "report.html", "--platform",
                                std::string(SLUICE_STUDIES) + "/grid5000/grid5000-88.json"}),
                 "--platform: no program among the files, expected one");
  json broken = json::parse(folder.read("plan.json"));
  broken["steps"][0]["duration"] = 999;
  folder.write("broken.json", broken.dump());
  json newer = json::parse(folder.read("plan.json"));
  newer["schema"] = "sluice.schedule/2";
  folder.write("newer.json", newer.dump());
  json text = json::parse(folder.read("compare.json"));
  text["rows"][1]["total"] = "much";
  folder.write("text.json", text.dump());
  text["rows"][1].erase("total");
  folder.write("without.json", text.dump());
  text["rows"] = 5;
  folder.write("number.json", text.dump());
  folder.write("cut.json", folder.read("compare.json").substr(0, 200));
  folder.write("other.json", R"({"schema": "somebody.else/1"})");
  folder.write("none.json", R"({"a": [1, 2, {"schema": "sluice.run/1"}]})");
  folder.write("list.json", "[1, 2]");
  folder.write("picture.json", "\x89PNG\r\n");
  folder.write("empty.json", "");
  folder.write("deep.json", std::string(100000, '['));
  folder.write("ragged.csv", "a,b\n1,2\n3\n");
  folder.write("names.csv", "a,b\n");
  folder.write("range.json", R"({"schema": "sluice.simulation/1", "problem": "p", "algorithm": "a", "engine": "model",
      "senders": 1, "receivers": 1, "unit": "", "length": 1, "planned": 1, "order": "barrier",
      "transfers": [{"from": 0, "to": 1, "start": 0, "end": 1}]})");
  std::filesystem::create_directory(folder.path("folder"));
  const auto before = folder.files();
  const std::pair<const char*, const char*> cases[] = {
      {"-o r.html", "sluice report: no file, expected FILE..."},
      {"plan.json", "-o: nothing, expected the page to write, such as report.html"},
      {"plan.json -o plan.json", "plan.json', which is the input"},
      {"plan.json -o folder", "folder: cannot be written: Is a directory"},
      {"plan.json -o no/where.html", "no/where.html"},
      {"nowhere.json -o r.html", "nowhere.json: cannot be read: No such file or directory"},
      {"folder -o r.html", "folder: a directory, expected a file that sluice wrote"},
      {"plan.json broken.json -o r.html", "broken.json: a broken schedule: "},
      {"newer.json -o r.html",
       "newer.json: \"schema\": \"sluice.schedule/2\", expected \"sluice.schedule/1\", which this version reads"},
      {"other.json -o r.html", "other.json: \"schema\": \"somebody.else/1\", expected one of sluice.schedule/1, "},
      {"none.json -o r.html", "none.json: no \"schema\""},
      {"list.json -o r.html", "list.json: no \"schema\""},
      {"picture.json -o r.html", "picture.json:1: what is no JSON"},
      {"empty.json -o r.html", "empty.json:1: the end of the file"},
      {"deep.json -o r.html", "deep.json: no \"schema\""},
      {"cut.json -o r.html", ": the end of the file, expected the rest of the JSON"},
      {"text.json -o r.html", "text.json: \"rows\"[1].\"total\": \"much\", expected a number of at least 0"},
      {"without.json -o r.html", "without.json: \"rows\"[1] without \"total\", expected that field"},
      {"number.json -o r.html", "number.json: \"rows\": 5, expected an array"},
      {"range.json -o r.html", "range.json: \"transfers\"[0].\"to\": 1, expected 0, the only one"},
      {"ragged.csv -o r.html", "ragged.csv:3: 1 field, expected 2, as in the first line"},
      {"names.csv -o r.html", "names.csv: a line of names alone"},
      {"plan.json --platform nowhere.json -o r.html", "nowhere.json"},
  };
  for (const auto& [arguments, about] : cases) {
    SCOPED_TRACE(arguments);
    expect_refused(folder.sluice(words(std::string("report ") + arguments)), about);
    EXPECT_EQ(folder.files(), before);
  }
}

TEST(Report, RefusesMoreThanABrowserCanHold) {
  const Folder folder;
  std::string table = "number\n";
  for (int i = 0; i <= 1 << 20; ++i) table += "1\n";
  folder.write("long.csv", table);
  expect_refused(folder.sluice(words("report long.csv -o r.html")), "long.csv: more than the page can show");
  folder.write("huge.json", "");
  std::filesystem::resize_file(folder.path("huge.json"), (std::uintmax_t{1} << 29) + 1);
  expect_refused(folder.sluice(words("report huge.json -o r.html")),
                 "huge.json: a file of 536870913 bytes, expected at most 536870912 bytes");
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"huge.json", "long.csv"}));
}

TEST(Report, AFullDiskIsSaid) {
  const Folder folder;
  folder.write("x.csv", kTraffic);
  ASSERT_EQ(folder.run({"ln", "-s", "/dev/full", "full.html"}).status, 0);
  expect_refused(folder.sluice(words("report x.csv -o full.html")),
                 "full.html: cannot be written: No space left on device");
}

#else

TEST(Report, SaysWhatTheBuildLacks) {
  const Folder folder;
  folder.write("x.csv", kTraffic);
  expect_refused(folder.sluice(words("report x.csv -o r.html")), "sluice report: a build without d3 (");
  EXPECT_EQ(folder.files(), std::vector<std::string>{"x.csv"});
}

#endif

}  // namespace
}  // namespace sluice::testing
