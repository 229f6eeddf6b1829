// What stops people in their first hour with the command: one test for each of the faults that a review found.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

constexpr const char* kTraffic = "3,1,0\n0,0,2\n4,0,1\n";

std::string platform() { return std::string(SLUICE_STUDIES) + "/grid5000/grid5000-88.json"; }

void expect_in(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), text.npos) << text << "lacks: " << part;
}
void expect_not_in(const std::string& part, const std::string& text) {
  EXPECT_EQ(text.find(part), text.npos) << text << "has: " << part;
}

/// What a command printed that succeeded.
std::string out_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.out;
}

TEST(Newcomer, NoOutputOverwritesAnInput) {  // 1
  const Folder folder;
  folder.write("x.csv", kTraffic);
  ASSERT_EQ(folder.run({"ln", "x.csv", "hard.csv"}).status, 0);
  ASSERT_EQ(folder.run({"ln", "-s", "x.csv", "soft.csv"}).status, 0);
  for (const std::string target : {"x.csv", "./x.csv", "hard.csv", "soft.csv"}) {
    SCOPED_TRACE(target);
    expect_refused(folder.sluice({"plan", "exchange", "x.csv", "--json", target}),
                   "--json: '" + target + "', which is the input (TRAFFIC), expected another file");
    EXPECT_EQ(folder.read("x.csv"), kTraffic);
  }
  folder.write("latency.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 1e-5\n");
  expect_refused(folder.sluice(words("cluster latency.mtx --json out --svg out")),
                 "'out', where --svg goes, expected another file");
  expect_refused(folder.sluice(words("plan exchange x.csv --json new --svg ./new")),
                 "--svg: './new', where --json goes, expected another file");
  EXPECT_EQ(folder.sluice(words("plan exchange x.csv --json plan.json")).status, 0);
  EXPECT_EQ(folder.sluice(words("plan exchange x.csv --json plan.json")).status, 0) << "an output may be replaced";

  const std::string network = read_text(platform());
  folder.write("platform.json", network);
  folder.write("layout.txt", "4:0,10,35,60,100\n");
  expect_refused(folder.sluice(words("plan broadcast --platform platform.json --size 1Ki --program platform.json")),
                 "--program: 'platform.json', which is the input (--platform), expected another file");
  expect_refused(folder.sluice(words("plan broadcast --platform platform.json --size 1Ki --tree platform.json")),
                 "--tree: 'platform.json', which is the input (--platform)");
  expect_refused(folder.sluice(words("plan redistribute --from @layout.txt --to 4:7 --json layout.txt")),
                 "--json: 'layout.txt', which is the input (--from)");
  expect_refused(folder.sluice(words("plan reduce --machines 4 --transfer 1 --compute 1 --tree t.svg --svg t.svg")),
                 "'t.svg', where --svg goes, expected another file");
  EXPECT_EQ(folder.read("platform.json"), network);
  EXPECT_EQ(folder.read("layout.txt"), "4:0,10,35,60,100\n");
  const Outcome tree = folder.sluice(words("plan reduce --machines 4 --transfer 1 --compute 1 --tree -"));
  EXPECT_TRUE(tree.status == 0 && tree.out.starts_with("<svg ") && tree.out.ends_with("</svg>\n")) << tree.out;
}

TEST(Newcomer, CheckSaysWhatItDidNotCheck) {  // 2
  const Folder folder;
  folder.write("x.csv", kTraffic);
  ASSERT_EQ(folder.sluice(words("plan exchange x.csv --json plan.json")).status, 0);
  const Outcome alone = folder.sluice(words("check plan.json"));
  EXPECT_EQ(alone.status, 0);
  expect_in("ok: plan.json: ", alone.out);
  expect_in("not checked: whether it sends what it has to, and its bound; --traffic TRAFFIC", alone.out);
  const Outcome whole = folder.sluice(words("check plan.json --traffic x.csv"));
  EXPECT_EQ(whole.status, 0);
  expect_not_in("not checked", whole.out);
}

/// A plan knows no unit, a run has bytes: both say what beta is unless it was given, and what the other takes.
TEST(Newcomer, TheDefaultOfBetaIsSaid) {
  const Folder folder;
  folder.write("x.csv", kTraffic);
  expect_in(", beta = 1 (default; run: 8192 bytes)\n", out_of(folder.sluice(words("plan exchange x.csv --summary"))));
  expect_in(", beta = 8192\n", out_of(folder.sluice(words("plan exchange x.csv --summary --setup 8192"))));
}

TEST(Newcomer, HelpOfRunExchangeStatesItsOwnSetup) {  // 3; run_exchange_test compares the number with what runs
  const Folder folder;
  expect_in("--setup BETA [8192, or by --latency]", out_of(folder.sluice(words("run exchange --help"))));
  expect_in("--setup BETA [1]", out_of(folder.sluice(words("plan exchange --help"))));
}

TEST(Newcomer, ClusterNoticesBytesInPlaceOfSeconds) {  // 4
  const Folder folder;
  folder.write("bytes.mtx", "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 40000\n1 3 500000\n");
  const Outcome outcome = folder.sluice(words("cluster bytes.mtx"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err,
            "note: bytes.mtx: a latency of 500000 s; the file has to hold seconds, not bytes or another unit\n");
  EXPECT_EQ(folder.sluice(words("cluster bytes.mtx --quiet")).err, "");
}

TEST(Newcomer, ADashIsStandardOutput) {  // 5
  const Folder folder;
  folder.write("latency.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 1e-5\n");
  const Outcome svg = folder.sluice(words("cluster latency.mtx --svg -"));
  EXPECT_EQ(svg.status, 0);
  EXPECT_EQ(svg.out.rfind("<svg ", 0), 0U) << svg.out;
  expect_not_in("tolerance", svg.out);
  const Outcome xml = folder.sluice({"platform-to-simgrid", platform(), "-o", "-"});
  EXPECT_EQ(xml.status, 0);
  EXPECT_EQ(xml.out.rfind("<?xml", 0), 0U) << xml.out.substr(0, 200);
  expect_refused(folder.sluice(words("cluster latency.mtx --svg - --json -")), "standard output twice");
  expect_refused(folder.sluice(words("study reduce-figure-2 -o -")), "-o: '-', expected a folder");
  EXPECT_EQ(folder.files(), std::vector<std::string>{"latency.mtx"});
}

TEST(Newcomer, ASummaryAndAFileGoTogether) {  // 6
  const Folder folder;
  folder.write("x.csv", kTraffic);
  for (const std::string problem :
       {"redistribute --from 16:3 --to 16:5", "exchange x.csv", "reduce --machines 9 --transfer 2 --compute 1"}) {
    SCOPED_TRACE(problem);
    const Outcome outcome = folder.sluice(words("plan " + problem + " --summary --json plan.json"));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    expect_not_in("->", outcome.out.substr(outcome.out.find('\n')));
    const Outcome check = folder.sluice(words("check plan.json"));
    EXPECT_EQ(check.status, 0) << check.out << check.err;
  }
}

TEST(Newcomer, AStudyThatIsStoppedLeavesNoEmptyFolder) {  // 7
  const Folder folder;
  const Outcome outcome = folder.run({"timeout", "--preserve-status", "-s", "INT", "0.5", SLUICE_COMMAND, "study",
                                      "exchange-quality", "-o", "a/b", "--samples", "1000000"});
  EXPECT_NE(outcome.status, 0);
  EXPECT_TRUE(folder.files().empty());
}

TEST(Newcomer, EveryStudySaysWhereItWrote) {  // 8
  const Folder folder;
  expect_in("\nwritten to tables\n", out_of(folder.sluice(words("study redistribute-tables -o tables"))));
}

TEST(Newcomer, ALauncherOfCopiesIsNoticed) {  // 10
  const Folder folder;
  folder.write("x.csv", kTraffic);
  const Arguments plan{SLUICE_COMMAND, "plan", "exchange", "x.csv"};
  const Outcome first = folder.run(plan, {"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=4"});
  EXPECT_EQ(first.status, 0);
  expect_in("exchange x.csv", first.out);
  EXPECT_EQ(first.err,
            "note: started 4 times; rank 0 alone does this, which needs no MPI (SLUICE_EVERY_RANK=1: each does)\n");
  const Outcome second = folder.run(plan, {"PMI_RANK=1", "PMI_SIZE=4"});
  EXPECT_EQ(second.status, 0);
  EXPECT_EQ(second.out + second.err, "");
  expect_in("exchange x.csv", folder.run(plan, {"PMI_RANK=1", "PMI_SIZE=4", "SLUICE_EVERY_RANK=1"}).out);
}

TEST(Newcomer, UnitsAreTakenAsTheyArePrinted) {  // 13
  const Folder folder;
  folder.write("x.csv", kTraffic);
  const auto title = [&](const std::string& size) {
    const Outcome outcome = folder.sluice(
        {"plan", "broadcast", "--platform", platform(), "--size", size, "--summary", "--algorithm", "ecef"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out.substr(0, outcome.out.find(" from"));
  };
  EXPECT_EQ(title("1MB"), "broadcast: 1.00 MB");
  EXPECT_EQ(title("1.00 MB"), "broadcast: 1.00 MB");
  EXPECT_EQ(title("1MiB"), "broadcast: 1.05 MB");
  EXPECT_EQ(title("1e6"), "broadcast: 1.00 MB");
  for (const std::string rest :
       {"--backbone 1Gb/s --sender-link 100Mb/s --receiver-link 12.5MB/s --latency 1ms", "--time-limit 1ms"})
    EXPECT_EQ(folder.sluice(words("plan exchange x.csv " + rest)).status, 0) << rest;
  EXPECT_EQ(folder.sluice(words("plan reduce --machines 1e6 --transfer 2 --compute 1 --summary")).status, 0);
}

TEST(Newcomer, NumbersHaveUnitsAndMeanSomething) {  // 14
  const Folder folder;
  folder.write("x.csv", kTraffic);
  const Outcome broadcast =
      folder.sluice({"plan", "broadcast", "--platform", platform(), "--size", "1MB", "--algorithm", "ecef"});
  const std::string length = lines(out_of(broadcast)).at(3);
  EXPECT_EQ(length.rfind("length", 0), 0U) << broadcast.out;
  expect_in(" ms", length);
  expect_in(", 11 units of the file in total, k = 1000 (no more than 3 can be at once)",
            out_of(folder.sluice(words("plan exchange x.csv --max-transfers 1000"))));
  const std::string hardware = "--backbone 1Gbit --sender-link 100Mbit --receiver-link 1Gbit --latency 1ms";
  expect_in(", 11 B in total, k = 3, ", out_of(folder.sluice(words("plan exchange x.csv " + hardware))));
}

TEST(Newcomer, TrafficComesFromStandardInputAndFromOtherPrograms) {  // 15
  const Folder folder;
  folder.write("x.csv", kTraffic);
  const std::string expected = folder.sluice(words("plan exchange x.csv --json -")).out;
  const std::string texts[] = {kTraffic, "3;1;0\n0;0;2\n4;0;1\n", "3\t1\t0\n0\t0\t2\n4\t0\t1\n",
                               "a,b,c\n3,1,0\n0,0,2\n4,0,1\n",
                               "%%MatrixMarket matrix array integer general\n3 3\n3\n0\n4\n1\n0\n0\n0\n2\n1\n"};
  for (const std::string& text : texts) {
    const Outcome outcome = folder.sluice(words("plan exchange - --json -"), text);
    EXPECT_EQ(outcome.status, 0) << text << outcome.err;
    EXPECT_EQ(json::parse(outcome.out)["cost"], json::parse(expected)["cost"]) << text;
  }
  expect_refused(folder.sluice(words("plan exchange -"), "1,x\n"), "standard input:1: 'x'");
  for (const std::string kind :
       {"coordinate integer symmetric\n2 2 1\n2 1 3\n", "coordinate pattern general\n2 2 2\n1 2\n2 1\n"})
    EXPECT_EQ(folder.sluice(words("plan exchange -"), "%%MatrixMarket matrix " + kind).status, 0) << kind;
}

TEST(Newcomer, ADashIsCalledStandardInput) {
  const Folder folder;
  const std::string network = read_text(platform());
  const std::pair<const char*, const char*> cases[] = {
      {"platform -", "standard input: 88 ranks"},
      {"plan broadcast --platform - --size 1Ki --summary", "(standard input)"},
      {"plan scatter --platform - --size 1Ki --summary", "(standard input)"},
      {"tune --platform - --for openmpi -o rules", "by the models of standard input"}};
  for (const auto& [command, expected] : cases) expect_in(expected, out_of(folder.sluice(words(command), network)));
  expect_in(
      "standard input: 2 nodes",
      out_of(folder.sluice(words("cluster -"), "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 1e-5\n")));
}

TEST(Newcomer, SlipsAreMetWithASuggestion) {  // 16
  const Folder folder;
  folder.write("x.csv", kTraffic);
  expect_refused(folder.sluice(words("plna exchange x.csv")), "did you mean 'plan'?");
  expect_refused(folder.sluice(words("plan redistribut --from 2:1 --to 2:2")), "did you mean 'redistribute'?");
  // A problem in the place of a verb.
  expect_refused(
      folder.sluice(words("redistribute --from 2:1 --to 2:2")),
      "sluice: 'redistribute', which is a problem, expected a verb before it, one of plan, compare, simulate, "
      "run: sluice plan redistribute ...");
  expect_refused(folder.sluice(words("help allgather")), "'allgather', which is a problem");
  expect_refused(folder.sluice(words("redistribut --from 2:1")), "did you mean 'plan redistribute'?");
  expect_refused(folder.sluice(words("rnu")), "did you mean 'run'?");
  expect_refused(folder.sluice(words("plan exchange x.csv --algorith ggp")), "did you mean '--algorithm'?");
  expect_refused(folder.sluice(words("plan exchange x.csv --algorithm ogpp")), "did you mean 'oggp'?");
  expect_refused(folder.sluice(words("plan exchange x.csv --algorithm ogp")), "did you mean 'ggp' or 'oggp'?");
  expect_refused(folder.sluice(words("study reduce-figure-3 -o x")), "did you mean 'reduce-figure-2'?");
  // The name of a value in place of its option.
  for (const std::string option : {"--k=2", "-k 2", "--k 2"})
    expect_refused(folder.sluice(words("plan exchange x.csv " + option)), "did you mean '--max-transfers'?");
  expect_refused(folder.sluice(words("plan exchange x.csv --beta 3")), "did you mean '--setup'?");
  // Words of other programs.
  for (const auto& [line, meant] :
       {std::pair{"plan exchange x.csv --gantt out.svg", "'--svg'?"},
        std::pair{"plan exchange --csv x.csv", "'--json' or 'sluice plan exchange TRAFFIC'?"},
        std::pair{"plan exchange x.csv --bandwidth 1Gbit", "'--node-link'?"},
        std::pair{"simulate exchange x.csv --gantt=out.svg", "'--svg'?"},
        std::pair{"compare exchange x.csv --summary", "'--quiet'?"}})
    expect_refused(folder.sluice(words(line)), std::string("; did you mean ") + meant);
  const Outcome summary = folder.sluice(words("simulate exchange x.csv --summary"));
  EXPECT_EQ(summary.status, 0) << summary.err;
  expect_in("\nlength  ", summary.out);
  expect_not_in("start", summary.out);
  // A problem that the verb does not have.
  expect_refused(folder.sluice(words("predict redistribute --from 2:1 --to 2:2")),
                 "alltoall; use sluice compare redistribute");
  // Values of options, whoever reads them.
  for (const auto& [line, meant] : {std::pair{"plan redistribute --from 4:2 --to 4:3 --algorithm gredy", "greedy"},
                                    std::pair{"plan redistribute --from 2x2:1x1 --to 2x2:2x2 --part uper", "upper"},
                                    std::pair{"plan exchange x.csv --export pperm out.json", "ppermute"},
                                    std::pair{"compare exchange x.csv --algorithms oggp,gpg", "ggp"},
                                    std::pair{"simulate exchange x.csv --engine simgird", "simgrid"},
                                    std::pair{"tune --platform x.csv --for opnmpi -o rules.conf", "openmpi"}})
    expect_refused(folder.sluice(words(line)), std::string("; did you mean '") + meant + "'?");
  expect_refused(folder.sluice(words("plan exchange x.csv --seed 1 --seed 2")),
                 "--seed: given more than once, expected given once; run the command again for another value");
  expect_refused(folder.sluice(words("plan exchange x.csv --seed")), "--seed: nothing behind it, expected a value");
  expect_refused(folder.sluice(words("plan exchange x.csv --max-transfers 0")),
                 "--max-transfers: '0', expected at least 1");
  expect_not_in("9223372036854775807", folder.sluice(words("plan exchange x.csv --max-transfers 0")).err);
  const Outcome nothing = folder.sluice(words("plan exchange x.csv --frobnicate"));
  expect_not_in("did you mean", nothing.err);
}

TEST(Newcomer, OneIsNoPlural) {  // 17
  const Folder folder;
  folder.write("one.csv", "5\n");
  const Outcome outcome = folder.sluice(words("plan exchange one.csv --json plan.json"));
  expect_in("1 sender, 1 receiver, 1 message, ", out_of(outcome));
  expect_in("1 step, 1 transfer, ", out_of(folder.sluice(words("check plan.json"))));
  folder.write("one.csv", "1\n");
  expect_in("1 message, 1 unit of the file in total", out_of(folder.sluice(words("plan exchange one.csv"))));
}

TEST(Newcomer, HelpIsWhereItIsLookedFor) {  // 18
  const Folder folder;
  const auto help = [&](const std::string& line) { return out_of(folder.sluice(words(line))); };
  EXPECT_EQ(help("help plan exchange"), help("plan exchange --help"));
  EXPECT_EQ(help("help"), help("--help"));
  expect_not_in("docs/", help("plan broadcast --help"));
  const std::string one = help("study switch-demand --help");
  expect_in("Optical circuit switches", one);
  expect_not_in("moe-routing", one);
  expect_in("moe-routing", help("study --help"));
  for (const std::string verb : {"plan", "study", "study switch-demand"})
    expect_not_in("130 interrupted", help(verb + " --help"));  // what the command alone says
  folder.write("x.csv", kTraffic);
  for (const std::string option : {"--algorithms", "--algorithm"})
    EXPECT_EQ(folder.sluice(words("compare exchange x.csv " + option + " ggp,oggp")).status, 0);
  expect_in("--methods,--method", help("run exchange --help"));
}

TEST(Newcomer, LinesFitTheTerminal) {  // 19, 34
  const Folder folder;
  const std::string command = SLUICE_COMMAND;
  folder.write("x.csv", kTraffic);
  for (const std::string rest : {" plan exchange --help", " compare exchange x.csv"}) {
    for (const std::size_t columns : {60U, 100U}) {
      const Outcome outcome = folder.in_terminal(static_cast<int>(columns), command + rest + " --no-progress");
      std::size_t longest = 0;
      for (std::string line : lines(out_of(outcome))) {
        while (!line.empty() && line.back() == '\r') line.pop_back();
        longest = std::max(longest, line.size());
      }
      EXPECT_LE(longest, columns) << outcome.out;
      EXPECT_GT(longest, columns / 2) << outcome.out;
    }
  }
  expect_in("[###", folder.in_terminal(60, command + " compare exchange x.csv").out);
  // Paragraphs are filled anew; what follows the name of an option stays in its column.
  const std::string help = out_of(folder.in_terminal(80, command + " tune --help"));
  expect_in("\r\nrules, for MPICH a selection in JSON. Rules hold for", help);
  expect_in("\r\n" + std::string(27, ' ') + "time\r\n  --repetitions", help);
  // The narrowest there is. A word alone may be wider; the bar of progress is what is between two clearings of the
  // line.
  for (const std::string rest : {" --help", " plan exchange --help", " plan redistribute --from 16:3 --to 16:5",
                                 " compare exchange x.csv", " compare exchange x.csv --json out.json"}) {
    constexpr std::size_t kColumns = 20;
    Outcome outcome = folder.in_terminal(static_cast<int>(kColumns), command + rest);
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    if (rest.starts_with(" compare")) expect_in("7/", outcome.out);
    const std::string clear = "\r\x1b[K";
    for (std::size_t at = 0; (at = outcome.out.find(clear, at)) != std::string::npos;)
      outcome.out.replace(at, clear.size(), "\n");
    for (std::string line : lines(outcome.out)) {
      while (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.find(' ') != std::string::npos) {
        EXPECT_LE(line.size(), kColumns) << rest << '\n' << line;
      }
    }
  }
}

TEST(Newcomer, LongPlanningShowsThatItIsUnderWay) {  // 20
  const Folder folder;
  std::string traffic;
  for (int i = 0; i < 80; ++i)
    for (int j = 0; j < 80; ++j) traffic += std::to_string((i * 7919 + j * 104729) % 9973) + (j == 79 ? '\n' : ',');
  folder.write("big.csv", traffic);
  const std::string command = std::string(SLUICE_COMMAND) + " plan exchange big.csv --algorithm auto --summary";
  const Outcome shown = folder.in_terminal(120, command);
  EXPECT_EQ(shown.status, 0);
  expect_in(" s: best plan ", shown.out);
  for (const std::string& quiet : {command + " --no-progress", command + " --quiet", "TERM=dumb " + command})
    expect_not_in(" s: best plan ", folder.in_terminal(120, quiet).out);
}

TEST(Newcomer, ComparisonsSayWhatTheyWereMadeFrom) {  // 21; of runs: run_exchange_test
  const Folder folder;
  folder.write("x.csv", kTraffic);
  ASSERT_EQ(folder.sluice(words("compare exchange x.csv --seed 7 --json out.json")).status, 0);
  const json about = json::parse(folder.read("out.json"))["about"];
  EXPECT_EQ(about["inputs"][0]["file"], "x.csv");
  EXPECT_EQ(about["inputs"][0]["sha256"].get<std::string>() + "  x.csv\n", folder.run({"sha256sum", "x.csv"}).out);
  EXPECT_EQ(about["version"].get<std::string>().rfind("0.", 0), 0U);
  EXPECT_EQ(about["seed"], "7");
  EXPECT_EQ(about["command"][1], "compare");
  ASSERT_EQ(folder.sluice(words("compare exchange x.csv --json usual.json")).status, 0);
  EXPECT_EQ(json::parse(folder.read("usual.json"))["about"]["seed"], "1");
  EXPECT_EQ(about["hosts"].size(), 1U);
  EXPECT_EQ(about["date"].get<std::string>().size(), std::string("2026-11-21T10:11:19Z").size());
}

TEST(Newcomer, PicturesHaveTitlesAndAPaletteForAllEyes) {  // 24
  const Folder folder;
  ASSERT_EQ(folder.sluice(words("study reduce-figure-2 -o figures")).status, 0);
  const std::string script = folder.read("figures/figure2.gp");
  expect_in("set linetype 1 lc rgb \"#0072B2\"", script);
  expect_in("pdfcairo", script);
  expect_in("with steps", script);
  folder.write("latency.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 1e-5\n");
  ASSERT_EQ(folder.sluice(words("cluster latency.mtx --svg clusters.svg")).status, 0);
  const std::string svg = folder.read("clusters.svg");
  for (const std::string part : {"<title>", ">node<", ">latency<", "prefers-color-scheme: dark"}) expect_in(part, svg);
}

TEST(Newcomer, PlansComparisonsAndClustersAreDrawn) {  // 23
  const Folder folder;
  folder.write("x.csv", "3.5,1,0\n0,0,2\n4,0,1\n");
  for (const std::string problem :
       {"exchange x.csv", "redistribute --from 4:3 --to 4:5", "reduce --machines 9 --transfer 2 --compute 1"}) {
    SCOPED_TRACE(problem);
    for (const std::string verb : {"plan ", "compare ", "simulate "}) {
      const Outcome outcome = folder.sluice(words(verb + problem + " --svg -"));
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_EQ(outcome.out.rfind("<svg ", 0), 0U) << outcome.out;
      expect_in("prefers-color-scheme: dark", outcome.out);
    }
    ASSERT_EQ(folder.sluice(words("plan " + problem + " --trace t.json --trace t.json")).status, 2);
    ASSERT_EQ(folder.sluice(words("plan " + problem + " --trace t.json --summary")).status, 0);
    EXPECT_FALSE(json::parse(folder.read("t.json"))["traceEvents"].empty());
  }
  const std::string bars = folder.sluice(words("compare exchange x.csv --svg -")).out;
  expect_in(">lower bound<", bars);
  expect_in(">oggp<", bars);
  expect_in("total cost over the lower bound; at the end of a bar: total cost", bars);
  expect_refused(folder.sluice(words("compare exchange x.csv --svg no/where.svg")), "no/where.svg");
}

TEST(Newcomer, ExportsFollowTheSameRules) {  // 1, 5
  const Folder folder;
  folder.write("x.csv", kTraffic);
  const Outcome outcome = folder.sluice(words("plan exchange x.csv --export p2p - --json plan.json"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(json::accept(outcome.out)) << outcome.out;
  EXPECT_TRUE(json::accept(folder.read("plan.json")));
  expect_refused(folder.sluice(words("plan exchange x.csv --export p2p x.csv")),
                 "'x.csv', which is the input (TRAFFIC)");
  expect_refused(folder.sluice(words("plan exchange x.csv --export p2p - --json -")), "standard output twice");
  EXPECT_EQ(folder.read("x.csv"), kTraffic);
}

TEST(Newcomer, CtrlCKeepsTheBestPlanSoFar) {  // 7
  const Folder folder;
  std::string traffic;
  for (int i = 0; i < 60; ++i)
    for (int j = 0; j < 60; ++j) traffic += std::to_string((i * 7919 + j * 104729) % 9973) + (j == 59 ? '\n' : ',');
  folder.write("big.csv", traffic);
  const Outcome outcome = folder.sluice_interrupted(
      words("plan exchange big.csv --effort 1000000 --summary --json plan.json --svg plan.svg"));
  EXPECT_EQ(outcome.status, 130) << outcome.out << outcome.err;
  expect_in("interrupted by Ctrl-C", outcome.out);
  EXPECT_EQ(folder.sluice(words("check plan.json --traffic big.csv")).status, 0);
  EXPECT_EQ(folder.read("plan.svg").rfind("<svg ", 0), 0U);
}

TEST(Newcomer, AReaderThatGoesAwayTakesNoFileWithIt) {  // 25
  const Folder folder;
  std::string traffic;
  for (int i = 0; i < 100; ++i)
    for (int j = 0; j < 100; ++j) traffic += std::to_string(1 + (i + j) % 7) + (j == 99 ? '\n' : ',');
  folder.write("x.csv", traffic);
  // `true` has ended before anything is printed, and what is printed is more than a pipe holds.
  const Outcome outcome = folder.run(
      {"bash", "-c",
       SLUICE_COMMAND " plan exchange x.csv --algorithm first-fit --json plan.json | true; echo ${PIPESTATUS[0]}"});
  EXPECT_EQ(outcome.out, "0\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"plan.json", "x.csv"}));
  EXPECT_EQ(folder.sluice(words("check plan.json --traffic x.csv")).status, 0);
}

TEST(Newcomer, EmptyNamesOfFilesAreRefused) {  // 26
  const Folder folder;
  folder.write("x.csv", kTraffic);
  const std::pair<Arguments, std::string> cases[] = {
      {{"plan", "exchange", "x.csv", "--json", ""}, "--json"},
      {{"plan", "exchange", "x.csv", "--export", "p2p", ""}, "--export"},
      {{"plan", "exchange", ""}, "TRAFFIC"},
      {{"plan", "redistribute", "--from", "16:3", "--to", "16:5", "--front", "--json", ""}, "--json"},
      {{"plan", "reduce", "--machines", "4", "--transfer", "1", "--compute", "1", "--tree", ""}, "--tree"},
      {{"plan", "broadcast", "--platform", platform(), "--size", "1Ki", "--program", ""}, "--program"},
      {{"predict", "broadcast", "--platform", platform(), "--size", "1Ki", "--json", ""}, "--json"},
      {{"tune", "--platform", platform(), "--for", "openmpi", "-o", ""}, "-o"},
      {{"platform", platform(), "-o", ""}, "-o"},
      {{"platform-to-simgrid", platform(), "-o", ""}, "-o"},
      {{"report", "x.csv", "", "-o", "x.html"}, "FILE..."},
      {{"report", "x.csv", "-o", "x.html", "--svg", ""}, "--svg"}};
  for (const auto& [arguments, option] : cases) {
    expect_refused(folder.sluice(arguments), "error: " + option + ": an empty name, expected the name of a file");
    EXPECT_EQ(folder.files(), std::vector<std::string>{"x.csv"});
  }
}

TEST(Newcomer, WordsAndNumbersThatDoNotFitAreNamedForWhatTheyAre) {  // 27, 28
  const Folder folder;
  folder.write("x.csv", kTraffic);
  const std::string broadcast = "plan broadcast --size 1Ki --platform " + platform();
  const std::pair<std::string, std::string> cases[] = {
      {"plan exchange x.csv --max-transfers -3", "--max-transfers: '-3', expected at least 1"},
      {"plan reduce --machines -5 --transfer 1 --compute 1", "--machines: '-5', expected at least 1"},
      {broadcast + " --root -1", "--root: '-1', expected 0 to 87"},
      {"check plan.json other.json", "sluice check: 'other.json', expected no word there; sluice check --help says"}};
  for (const auto& [line, message] : cases) expect_refused(folder.sluice(words(line)), message);
  const Outcome nothing = folder.sluice(words("plan broadcast --size 0 --summary --platform " + platform()));
  EXPECT_EQ(nothing.status, 0) << nothing.err;
  expect_in("algorithm: auto, proven to be the shortest tree of whole messages, proven optimal\n", nothing.out);
}

TEST(Newcomer, AFileThatCannotBeReadIsSaidInTheSameWordsEverywhere) {  // 37
  const Folder folder;
  folder.write("x.csv", kTraffic);
  ASSERT_EQ(folder.run({"mkdir", "folder.csv"}).status, 0);
  const std::string reduce = "plan reduce --machines 3 --transfer 2 --compute 1 --arrivals ";
  for (const std::string line :
       {"plan exchange FILE", "compare exchange FILE", "simulate exchange FILE", "simulate FILE", "check FILE",
        "plan exchange x.csv --speeds FILE", "plan redistribute --from @FILE --to 2:2",
        "plan redistribute --batch FILE", "plan broadcast --size 1Ki --platform FILE",
        "plan allreduce --size 1Ki --platform FILE", "predict scatter --size 1Ki --platform FILE", "platform FILE",
        "platform-to-simgrid FILE -o x.xml", "tune --for openmpi -o rules --platform FILE", "cluster FILE",
        "report FILE -o x.html", "plan exchange x.csv --svg x.svg --beside FILE"}) {
    SCOPED_TRACE(line);
    const std::size_t at = line.find("FILE");
    const auto with = [&](const std::string& file) { return words(line.substr(0, at) + file + line.substr(at + 4)); };
    expect_refused(folder.sluice(with("none.csv")),
                   "error: none.csv: cannot be read: No such file or directory, expected ");
    expect_refused(folder.sluice(with("folder.csv")), "error: folder.csv: a directory, expected ");
  }
  expect_refused(folder.sluice(words(reduce + "none")), "error: none: cannot be read: No such file or directory, ");
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"folder.csv", "x.csv"}));
}

TEST(Newcomer, QuietPrintsNothing) {
  const Folder folder;
  folder.write("x.csv", kTraffic);
  for (const std::string rest :
       {"plan exchange x.csv", "compare exchange x.csv", "check plan.json", "plan exchange x.csv --json plan.json"}) {
    ASSERT_EQ(folder.sluice(words("plan exchange x.csv --json plan.json")).status, 0);
    const Outcome outcome = folder.sluice(words(rest + " --quiet"));
    EXPECT_EQ(outcome.status, 0) << rest;
    EXPECT_EQ(outcome.out + outcome.err, "") << rest;
  }
  expect_refused(folder.sluice(words("plan exchange missing.csv --quiet")), "missing.csv");
}

TEST(Newcomer, ErrorsAreRedWhereTheyMayBe) {
  const Folder folder;
  const std::string command = std::string(SLUICE_COMMAND) + " plna";
  const Outcome coloured = folder.in_terminal(80, "NO_COLOR= " + command);
  EXPECT_EQ(coloured.status, 2);
  expect_in("\x1b[1;31merror:", coloured.out);
  expect_not_in("\x1b[", folder.in_terminal(80, "NO_COLOR=1 " + command).out);
  expect_not_in("\x1b[", folder.in_terminal(80, "TERM=dumb " + command).out);
}

}  // namespace
}  // namespace sluice::testing
