#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

/// The numbers of the line that begins with `name`.
std::vector<double> numbers_of(const std::string& text, const std::string& name) {
  for (const std::string& line : lines(text)) {
    if (line.rfind(name, 0) != 0) continue;
    std::istringstream in(line.substr(name.size()));
    std::vector<double> result;
    for (double value = 0; in >> value;) result.push_back(value);
    return result;
  }
  ADD_FAILURE() << "no line '" << name << "' in:\n" << text;
  return {};
}

TEST(Plan, CostsOfThePapersExamplesArePrintedFirst) {
  struct Example {
    const char* arguments;
    double steps, transmission;
  };
  // Desprez et al. 1997, Tables 3, 6, 12, 16, 19 and section 5. Example 3 costs 26 there and can be less.
  const Example examples[] = {{"--from 16:3 --to 16:5", 7, 15},
                              {"--from 16:7 --to 16:11", 16, 77},
                              {"--from 16:7 --to 16:11 --algorithm caterpillar", 16, 112},
                              {"--from 12:4 --to 8:3", 4, 8},
                              {"--from 12:4 --to 8:3 --algorithm caterpillar", 12, 18},
                              {"--from 15:2 --to 6:3 --algorithm stepwise", 10, 20}};
  const Folder folder;
  for (const Example& example : examples) {
    SCOPED_TRACE(example.arguments);
    const Outcome outcome = folder.sluice(words(std::string("plan redistribute ") + example.arguments));
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(numbers_of(outcome.out, "steps (NS)").at(0), example.steps);
    EXPECT_EQ(numbers_of(outcome.out, "transmission (TC)").at(0), example.transmission);
    EXPECT_EQ(numbers_of(outcome.out, "total = TC + 1 NS").at(0), example.steps + example.transmission);
  }
  const Outcome third = folder.sluice(words("plan redistribute --from 15:3 --to 15:5 --algorithm stepwise"));
  EXPECT_EQ(numbers_of(third.out, "steps (NS)").at(0), 10);
  EXPECT_LE(numbers_of(third.out, "transmission (TC)").at(0), 26);
}

TEST(Plan, TransposedMatrices) {
  const Folder folder;
  // Rows 0, 1 are columns 0, 1 of the target, on process 0 of its row of two: every process keeps what it has.
  const std::string problem = "plan redistribute --from 2x1:2x6 --to 1x2:6x2 --shape 4x6";
  const Outcome stays = folder.sluice(words(problem + " --transpose --same-processes --json plan.json"));
  ASSERT_EQ(stays.status, 0) << stays.err;
  EXPECT_EQ(lines(stays.out).front(),
            "redistribute 2x1:2x6 -> 1x2:6x2: 4x6 elements of 8 bytes, transposed (192 B), 2 senders, 2 receivers");
  const json file = json::parse(folder.read("plan.json"));
  EXPECT_EQ(file["input"]["transpose"], true);
  EXPECT_TRUE(file["steps"].empty());
  EXPECT_EQ(folder.sluice(words("check plan.json")).status, 0);
  for (const std::string algorithm : {"auto", "greedy", "caterpillar", "oggp"}) {
    SCOPED_TRACE(algorithm);
    const std::string more = "plan redistribute --from 3x2:2x3 --to 2x4:3x1 --shape 20x31 --transpose --algorithm ";
    const Outcome planned = folder.sluice(words(more + algorithm + " --json plan.json"));
    ASSERT_EQ(planned.status, 0) << planned.err;
    EXPECT_EQ(folder.sluice(words("check plan.json")).status, 0);
    // Its messages differ from the messages of the matrix that is not transposed.
    std::string other = folder.read("plan.json");
    const std::string said = ", \"transpose\": true";
    other.erase(other.find(said), said.size());
    folder.write("other.json", other);
    EXPECT_EQ(folder.sluice(words("check other.json")).status, 1);
  }
}

TEST(Plan, PartsOfMatrices) {
  const Folder folder;
  const std::string problem = "plan redistribute --from 2x1:2x2 --to 1x2:2x2 --shape 4x4 --part upper";
  // Rows 0, 1 are of process 0, 2 and 3 of process 1: that one has nothing in the first two columns.
  const Outcome planned = folder.sluice(words(problem + " --json plan.json"));
  ASSERT_EQ(planned.status, 0) << planned.err;
  EXPECT_EQ(lines(planned.out).front(),
            "redistribute 2x1:2x2 -> 1x2:2x2: 4x4 elements of 8 bytes, upper part (80 B), 2 senders, 2 receivers");
  const json file = json::parse(folder.read("plan.json"));
  EXPECT_EQ(file["input"]["part"], "upper");
  std::map<std::pair<int, int>, int> sizes;
  for (const json& step : file["steps"]) {
    for (const json& transfer : step["transfers"]) sizes[{transfer["from"], transfer["to"]}] += int{transfer["size"]};
  }
  EXPECT_EQ(sizes, (std::map<std::pair<int, int>, int>{{{0, 0}, 3}, {{0, 1}, 4}, {{1, 1}, 3}}));
  const Outcome checked = folder.sluice(words("check plan.json"));
  EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
  EXPECT_NE(checked.out.find("upper part"), std::string::npos) << checked.out;
  // The same steps do not fit another part.
  std::string other = folder.read("plan.json");
  other.replace(other.find("\"upper\""), 7, "\"strictly upper\"");
  folder.write("other.json", other);
  EXPECT_EQ(folder.sluice(words("check other.json")).status, 1);

  const auto refused = [&](const std::string& arguments, const std::string& error) {
    const Outcome outcome = folder.sluice(words("plan redistribute " + arguments));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, error + "\n");
  };
  refused("--from 4:1 --to 4:2 --part upper", "error: --part: an array of 1 dimension, expected a matrix, which has 2");
  refused("--from 2x1:2x2 --to 1x2:2x2 --part left", "error: --part: 'left', expected upper or lower");
  refused("--from 2x1:2x2 --to 1x2:2x2 --unit-diagonal",
          "error: --unit-diagonal: no --part, expected --part upper or lower");
  EXPECT_EQ(folder.sluice(words(problem + " --unit-diagonal --front --same-processes")).status, 0);
  EXPECT_EQ(folder.sluice(words(problem + " --algorithm walker-otto")).status, 2);
}

TEST(Plan, SaysWhichCostsAreOptimalAndWhoChose) {
  const Folder folder;
  const Outcome best = folder.sluice(words("plan redistribute --from 16:3 --to 16:5 --summary"));
  EXPECT_EQ(best.out,
            "redistribute 16:3 -> 16:5: one slice of 240 elements of 8 bytes (1.92 kB), 16 senders, 16 receivers\n"
            "algorithm: classes, chosen by auto (NS and TC optimal; needs gcd(r, Q) = gcd(s, P) = 1)\n"
            "result: optimal in NS and TC (proven)\n"
            "\n"
            "                   cost  lower bound  ratio\n"
            "steps (NS)            7            7  1.000  optimal\n"
            "transmission (TC)    15           15  1.000  optimal\n"
            "total = TC + 1 NS    22           22  1.000  optimal\n");
  const Outcome worse =
      folder.sluice(words("plan redistribute --from 16:3 --to 16:5 --summary --algorithm caterpillar"));
  EXPECT_EQ(worse.out.find("optimal\n"), std::string::npos) << worse.out;
  EXPECT_EQ(worse.out.find("chosen by auto"), std::string::npos) << worse.out;
}

TEST(Plan, FrontShowsEveryNumberOfStepsThatLowersTheTransmission) {
  const Folder folder;
  const Outcome outcome = folder.sluice(words("plan redistribute --from 15:2 --to 6:3 --setup 10 --front"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "redistribute 15:2 -> 6:3: one slice of 90 elements of 8 bytes (720 B), 15 senders, 6 receivers\n"
            "total = TC + 10 NS, in elements\n"
            "\n"
            "steps (NS)  transmission (TC)  TC at least  total\n"
            "        10                 20           20    120  stepwise, optimal\n"
            "        11                 16           16    126  greedy, optimal\n"
            "\n"
            "every schedule of whole messages has at least the NS and TC of one of these (proven)\n");
  const Outcome one = folder.sluice(words("plan redistribute --from 16:3 --to 16:5 --front"));
  EXPECT_EQ(lines(one.out).back(), "optimal in NS and TC at once (proven)");
  for (const std::string with : {"--trace out.json", "--rank 0", "--preemptive", "--algorithm stepwise"})
    EXPECT_EQ(folder.sluice(words("plan redistribute --from 16:3 --to 16:5 --front " + with)).status, 2) << with;
  EXPECT_TRUE(folder.files().empty());
}

TEST(Plan, RelabelShowsTheRolesThatKeepMostInPlace) {
  const Folder folder;
  const Outcome outcome = folder.sluice(words("plan redistribute --from 6:2 --to 3:4 --shape 24 --relabel"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> shown = lines(outcome.out);
  EXPECT_EQ(shown.at(1),
            "stays where it is, in no step: 12 elements, 50.0 %; with every process in the role of its number: "
            "4 elements, 16.7 %");
  EXPECT_NE(outcome.out.find("role in the target grid"), std::string::npos) << outcome.out;
  // The output shows the role of every process whose number changes, and then the steps of what is left.
  EXPECT_NE(outcome.out.find("steps (NS)"), std::string::npos) << outcome.out;
  EXPECT_EQ(folder.sluice(words("plan redistribute --from 2:1 --to 2:3 --relabel --same-processes")).status, 2);
  EXPECT_EQ(folder.sluice(words("plan redistribute --from 2:1 --to 2:3 --relabel --algorithm walker-otto")).status, 2);
}

TEST(Plan, CopiesOfTheSameProcessesAreNoMessages) {
  const Folder folder;
  const auto steps = [&](const std::string& more) {
    const Outcome outcome = folder.sluice(words("plan redistribute --from 6:1 --to 6:6 --json - " + more));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["steps"].size();
  };
  EXPECT_EQ(steps(""), 6U);
  EXPECT_EQ(steps("--same-processes"), 5U);
  EXPECT_EQ(steps("--same-processes --preemptive"), 5U);
  EXPECT_EQ(steps("--same-processes --algorithm oggp"), 5U);
  const Outcome nothing = folder.sluice(words("plan redistribute --from 6:4 --to 6:4 --same-processes"));
  EXPECT_EQ(nothing.status, 0) << nothing.err;
  EXPECT_EQ(lines(nothing.out).at(1), "stays where it is, in no step: 24 elements, 100.0 %");
  const Outcome compared = folder.sluice(words("compare redistribute --from 6:1 --to 6:6 --same-processes"));
  EXPECT_EQ(compared.status, 0) << compared.err;
  const Outcome front = folder.sluice(words("plan redistribute --from 6:1 --to 6:6 --same-processes --front"));
  EXPECT_EQ(front.status, 0) << front.err;
  EXPECT_EQ(lines(front.out).back(), "optimal in NS and TC at once (proven)");
}

TEST(Plan, CopiesShareTheSendingAndPassOn) {
  const Folder folder;
  const std::string problem = "plan redistribute --from 2:2 --to 3:5 --shape 900 ";
  const std::vector<std::string> shown = lines(folder.sluice(words(problem + "--to-replicas 4 --summary")).out);
  ASSERT_GE(shown.size(), 6U);
  EXPECT_EQ(shown[0], "redistribute 2:2 -> 4 x 3:5: 900 elements of 8 bytes (7.20 kB), 2 senders, 12 receivers");
  EXPECT_NE(shown[1].find("chains of 4 pass it on"), std::string::npos) << shown[1];
  EXPECT_EQ(shown[3], "most that a process of the source sends: 450 elements");
  const Outcome shared = folder.sluice(words(problem + "--from-replicas 3 --to-replicas 1"));
  EXPECT_EQ(shared.status, 0) << shared.err;
  EXPECT_NE(shared.out.find("nothing is passed on"), std::string::npos) << shared.out;
  EXPECT_NE(shared.out.find("transmission (TC)   300          300  1.000  optimal"), std::string::npos) << shared.out;
  const Outcome same =
      folder.sluice(words(problem + "--from-replicas 3 --to-replicas 2 --same-processes --json p.json"));
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(folder.sluice({"check", "p.json"}).status, 0);
  const Outcome compared = folder.sluice(words("compare redistribute --from 2:2 --to 3:5 --shape 900 --to-replicas 4"));
  EXPECT_EQ(compared.status, 0) << compared.err;
  for (const std::string name : {"first-copy", "direct", "auto"})
    EXPECT_NE(compared.out.find('\n' + name), std::string::npos) << compared.out;
  for (const std::string bad :
       {"--from-replicas 0", "--from-replicas -1", "--to-replicas many", "--to-replicas 2000000",
        "--to-replicas 1000000", "--to-replicas 2 --relabel", "--to-replicas 2 --front", "--to-replicas 2 --preemptive",
        "--to-replicas 2 --rank 0", "--to-replicas 2 --algorithm classes", "--to-replicas 2 --algorithm walker-otto",
        "--to-replicas 2 --export p2p x"}) {
    const Outcome refused = folder.sluice(words(problem + bad + " --json out.json"));
    EXPECT_EQ(refused.status, 2) << bad;
    EXPECT_EQ(lines(refused.err).size(), 1U) << refused.err;
  }
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"p.json"}));
}

TEST(Plan, SaysWhatIsProvenOfTheResult) {
  const Folder folder;
  const auto result = [&](const std::string& arguments) {
    return lines(folder.sluice(words("plan redistribute --summary " + arguments)).out).at(2);
  };
  EXPECT_EQ(result("--from 15:3 --to 15:5"), "result: optimal in total (proven)");
  EXPECT_EQ(result("--from 12:4 --to 8:3 --algorithm exact"), "result: optimal in NS and TC (proven)");
  EXPECT_EQ(result("--from 16:3 --to 16:5 --algorithm caterpillar"), "result: at most 191 % above the optimum");
}

TEST(Plan, PreemptiveSaysWhatCuttingMessagesGains) {
  const Folder folder;
  const Outcome outcome =
      folder.sluice(words("plan redistribute --from 15:2 --to 6:3 --preemptive --algorithm oggp --json plan.json"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("whole messages: NS 11, TC 16, total 27; cutting them "), std::string::npos)
      << outcome.out;
  EXPECT_EQ(folder.sluice(words("check plan.json")).status, 0);
  EXPECT_EQ(folder.sluice(words("plan redistribute --from 15:2 --to 6:3 --preemptive --algorithm classes")).status, 2);
}

TEST(Plan, EffortHoldsForAlgorithmsOfExchange) {
  const Folder folder;
  const auto total = [&](const std::string& arguments) {
    const Outcome outcome = folder.sluice(words("plan redistribute --json plan.json " + arguments));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(folder.sluice(words("check plan.json")).status, 0);
    return json::parse(folder.read("plan.json"))["cost"]["total"].get<double>();
  };
  const std::string cut = "--from 9:0,7,19,40,41,60,77,90,131,140 --to 8:0,5,33,47,52,80,99,101,140 --setup 3";
  const std::string grids = "--from 15:2 --to 14:3 --setup 3.5 --preemptive";
  for (const std::string& arguments : {grids, cut, grids + " --relabel"}) {
    SCOPED_TRACE(arguments);
    const double little = total(arguments + " --effort 0.0001"), usual = total(arguments);
    EXPECT_LT(usual, little);
    EXPECT_EQ(total(arguments + " --effort 1"), usual);
  }
  const auto compared = [&](const std::string& effort) {
    const Outcome outcome =
        folder.sluice(words("compare redistribute --json rows.json --effort " + effort + " " + cut));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const json rows = json::parse(folder.read("rows.json"))["rows"];
    return rows.back()["total"].get<double>();
  };
  EXPECT_EQ(compared("0.0001"), total(cut + " --effort 0.0001"));
  EXPECT_EQ(compared("1"), total(cut));
}

TEST(Plan, SetupCountsSteps) {
  const Folder folder;
  const Outcome outcome = folder.sluice(words("plan redistribute --from 16:3 --to 16:5 --setup 2.5 --summary"));
  EXPECT_EQ(numbers_of(outcome.out, "total = TC + 2.5 NS").at(0), 15 + 2.5 * 7);
}

TEST(Plan, StepsAreCutAtFortyLinesUnlessAllAreAskedFor) {
  const Folder folder;
  const std::string command = "plan redistribute --from 64:7 --to 64:11";
  const std::vector<std::string> cut = lines(folder.sluice(words(command)).out);
  const std::vector<std::string> all = lines(folder.sluice(words(command + " --all")).out);
  const auto title = std::find_if(cut.begin(), cut.end(), [](const auto& line) { return line.rfind("step ", 0) == 0; });
  ASSERT_NE(title, cut.end());
  ASSERT_EQ(cut.end() - title, 1 + 40 + 1);
  EXPECT_EQ(cut.back(), fmt::format("... {} more lines; --all shows them", all.size() - (cut.size() - 1)));
  EXPECT_TRUE(std::equal(cut.begin(), cut.end() - 1, all.begin()));
}

TEST(Plan, JsonHasTheFieldsAndTheCostsOfTheExample) {
  const Folder folder;
  const Outcome outcome = folder.sluice(words("plan redistribute --from 12:4 --to 8:3 --setup 2 --json plan.json"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(folder.files(), Arguments{"plan.json"});
  const json plan = json::parse(folder.read("plan.json"));
  EXPECT_EQ(plan.at("schema"), "sluice.schedule/1");
  EXPECT_EQ(plan.at("type"), "steps");
  EXPECT_EQ(plan.at("problem"), "redistribute");
  EXPECT_EQ(plan.at("senders"), 12);
  EXPECT_EQ(plan.at("receivers"), 8);
  EXPECT_EQ(plan.at("max_transfers"), 8);
  EXPECT_EQ(plan.at("setup"), 2);
  EXPECT_EQ(plan.at("input"), json::parse(R"({"from": "12:4", "to": "8:3"})"));
  EXPECT_EQ(plan.at("cost"), json::parse(R"({"steps": 4, "transmission": 8, "total": 16})"));
  EXPECT_EQ(plan.at("bound"), json::parse(R"({"steps": 4, "transmission": 8, "total": 16})"));
  std::int64_t moved = 0;
  for (const json& step : plan.at("steps"))
    for (const json& transfer : step.at("transfers")) moved += transfer.at("size").get<std::int64_t>();
  EXPECT_EQ(moved, 48);
}

TEST(Plan, EveryAlgorithmsJsonPassesCheck) {
  const Folder folder;
  for (const std::string arguments :
       {"--from 16:3 --to 16:5 --algorithm classes", "--from 15:3 --to 15:5 --algorithm stepwise",
        "--from 15:2 --to 6:3 --algorithm greedy", "--from 12:4 --to 8:3 --algorithm caterpillar",
        "--from 4x2:64x64 --to 2x4:100x100 --shape 4096x4096", "--from 2x3x2:1x2x3 --to 3x2x1:2x1x5 --shape 7x11x13",
        "--from 3:4 --to 5:2 --shape 0", "--from 8:2 --to 3:5 --shape 7"}) {
    SCOPED_TRACE(arguments);
    const Outcome planned = folder.sluice(words("plan redistribute --json - " + arguments));
    EXPECT_EQ(planned.status, 0) << planned.err;
    EXPECT_EQ(planned.out.front(), '{') << "the schedule alone";
    const Outcome checked = folder.sluice({"check", "-"}, planned.out);
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
    EXPECT_EQ(checked.out.rfind("ok: ", 0), 0U) << checked.out;
  }
  EXPECT_TRUE(folder.files().empty());
}

TEST(Plan, AFileIsReplacedWholeAndALinkIsFollowed) {
  const Folder folder;
  folder.write("old.json", std::string(100000, 'x'));
  ASSERT_EQ(::symlink("old.json", folder.path("link.json").c_str()), 0);
  EXPECT_EQ(folder.sluice(words("plan redistribute --from 2:1 --to 2:3 --json link.json")).status, 0);
  EXPECT_EQ(folder.files(), (Arguments{"link.json", "old.json"}));
  EXPECT_EQ(json::parse(folder.read("old.json")).at("type"), "steps");
}

TEST(Plan, ALinkToNoFileYetStaysALink) {
  const Folder folder;
  const Arguments plan = words("plan redistribute --from 2:1 --to 2:3 --json first.json");
  ASSERT_EQ(::symlink("second.json", folder.path("first.json").c_str()), 0);
  ASSERT_EQ(::symlink(folder.path("new.json").c_str(), folder.path("second.json").c_str()), 0);
  EXPECT_EQ(folder.sluice(plan).status, 0);
  EXPECT_EQ(folder.files(), (Arguments{"first.json", "new.json", "second.json"}));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("second.json")));
  EXPECT_EQ(json::parse(folder.read("new.json")).at("type"), "steps");
}

TEST(Plan, LinksThatLeadNowhereAreBadTargets) {
  const Folder folder;
  ASSERT_EQ(::symlink("none/plan.json", folder.path("none.json").c_str()), 0);
  ASSERT_EQ(::symlink("b.json", folder.path("a.json").c_str()), 0);
  ASSERT_EQ(::symlink("a.json", folder.path("b.json").c_str()), 0);
  for (const auto& [name, reason] : {std::pair("none.json", "No such file or directory"),
                                     std::pair("a.json", "Too many levels of symbolic links")}) {
    const Outcome outcome = folder.sluice({"plan", "redistribute", "--from", "2:1", "--to", "2:3", "--json", name});
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_EQ(outcome.err,
              fmt::format("error: {}: cannot be written: {}, expected a file that can be written\n", name, reason));
    EXPECT_TRUE(std::filesystem::is_symlink(folder.path(name)));
  }
}

TEST(Plan, OneRanksPartIsThatOfTheSchedule) {
  const Folder folder;
  const std::string arguments = "--from 3x2:2x3 --to 2x4:3x2 --shape 20x30";
  const json plan = json::parse(folder.sluice(words("plan redistribute --json - " + arguments)).out);
  for (int rank = 0; rank < 8; ++rank) {
    SCOPED_TRACE(rank);
    // By step: size and receiver, size and sender.
    std::map<std::int64_t, std::vector<std::int64_t>> expected;
    for (std::size_t t = 0; t < plan.at("steps").size(); ++t) {
      for (const json& transfer : plan["steps"][t]["transfers"]) {
        if (transfer["from"] == rank) expected[t] = {transfer["size"], transfer["to"]};
      }
      for (const json& transfer : plan["steps"][t]["transfers"]) {
        if (transfer["to"] != rank) continue;
        expected[t].push_back(transfer["size"]);
        expected[t].push_back(transfer["from"]);
      }
    }
    const Outcome outcome = folder.sluice(words(fmt::format("plan redistribute {} --rank {} --all", arguments, rank)));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::map<std::int64_t, std::vector<std::int64_t>> shown;
    bool in_table = false;
    for (const std::string& line : lines(outcome.out)) {
      if (in_table) {
        std::istringstream in(line);
        std::int64_t step = 0;
        in >> step;
        for (std::int64_t value = 0; in >> value;) shown[step].push_back(value);
      }
      in_table = in_table || line.rfind("step ", 0) == 0;
    }
    EXPECT_EQ(shown, expected) << outcome.out;
  }
}

TEST(Plan, SummaryAndOneRankDoNotBuildWhatTheyDoNotPrint) {
  const Folder folder;
  for (const std::string what : {"--summary", "--rank 99999"}) {
    SCOPED_TRACE(what);
    const Outcome outcome = folder.sluice(words("plan redistribute --from 100000:64 --to 100000:100 " + what));
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(numbers_of(outcome.out, "steps (NS)").at(0), 50);
    EXPECT_LT(outcome.peak_kib, 256 << 10) << "24 MiB without sanitizers; the schedule takes 500 MiB";
  }
}

TEST(Plan, ATimeLimitEndsTheSearchForWholeMessages) {
  const Folder folder;
  const std::string problem = " redistribute --from 1x4:64x64 --to 4x1:100x100 --shape 1000x700";
  const std::string searched = folder.sluice(words("plan" + problem + " --summary")).out;
  EXPECT_NE(searched.find("result: optimal in NS and TC (proven)\n"), std::string::npos) << searched;
  const Outcome cut = folder.sluice(words("plan" + problem + " --summary --time-limit 0"));
  EXPECT_EQ(cut.status, 0) << cut.err;
  EXPECT_NE(cut.out.find(" above the optimum; stopped by the time limit\n"), std::string::npos) << cut.out;
  const std::string compared = folder.sluice(words("compare" + problem + " --time-limit 0")).out;
  EXPECT_NE(compared.find("takes stepwise of messages, stopped by the time limit"), std::string::npos) << compared;
  const std::string front = folder.sluice(words("plan redistribute --from 15:2 --to 6:3 --front --time-limit 0")).out;
  EXPECT_NE(front.find("; stopped by the time limit\n"), std::string::npos) << front;
}

TEST(Plan, WalkerOttoShowsItsStages) {
  const Folder folder;
  const Outcome outcome = folder.sluice(words("plan redistribute --from 16:3 --to 16:5 --algorithm walker-otto"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(numbers_of(outcome.out, "16:3 -> 16:15").at(0), 5);
  EXPECT_EQ(numbers_of(outcome.out, "16:15 -> 16:5").at(0), 3);
  EXPECT_EQ(numbers_of(outcome.out, "both").at(0), 8);
}

}  // namespace
}  // namespace sluice::testing
