#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "command_runner.hpp"

/// Pictures of fronts, and of plans beside what ran.
namespace sluice::testing {
namespace {

using nlohmann::json;

constexpr const char* kSizes = "3,1,0\n0,0,2\n4,0,1\n";
constexpr const char* kFront = "plan redistribute --from 15:2 --to 6:3 --front";

TEST(Pictures, OfAFrontOfStepsAndTransmission) {
  const Folder folder;
  const Outcome outcome = folder.sluice(words(std::string(kFront) + " --svg front.svg --json front.json"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("every schedule of whole messages has at least the NS and TC of one of these"),
            std::string::npos)
      << outcome.out;
  const std::string svg = folder.read("front.svg");
  for (const std::string part : {">10, 20<", ">11, 16<", "Front of redistribute 15:2 -&gt; 6:3", ">steps (NS)<"})
    EXPECT_NE(svg.find(part), std::string::npos) << part << '\n' << svg;
  const json file = json::parse(folder.read("front.json"));
  EXPECT_EQ(file["schema"], "sluice.front/1");
  EXPECT_EQ(file["complete"], true);
  ASSERT_EQ(file["points"].size(), 2U);
  EXPECT_EQ(file["points"][1]["steps"], 11);
  EXPECT_EQ(file["points"][1]["transmission"], 16);
  EXPECT_EQ(folder.sluice(words(std::string(kFront) + " --svg -")).out, svg);
}

TEST(Pictures, OfAFrontAreNoTracesAndHaveNothingBeside) {
  const Folder folder;
  folder.write("t.json", "{}");
  expect_refused(folder.sluice(words(std::string(kFront) + " --trace x.json")), "cannot be used with --trace");
  expect_refused(folder.sluice(words(std::string(kFront) + " --svg x.svg --beside t.json")),
                 "cannot be used with --beside");
  EXPECT_EQ(folder.files(), std::vector<std::string>{"t.json"});
}

TEST(Pictures, AreOnlyWrittenToNamesThatSayWhatTheyAre) {
  const Folder folder;
  folder.write("x.csv", kSizes);
  folder.write("latency.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 1e-5\n");
  const std::string expected = "x.png', expected a name that ends in .svg: pictures are SVG; rsvg-convert makes PDF";
  for (const std::string verb :
       {"plan exchange x.csv", "compare exchange x.csv", "simulate exchange x.csv", "cluster latency.mtx", kFront})
    expect_refused(folder.sluice(words(verb + " --svg x.png")), "--svg: '" + expected);
  expect_refused(folder.sluice(words("plan reduce --machines 4 --transfer 1 --compute 1 --tree x.png")),
                 "--tree: '" + expected);
  expect_refused(folder.sluice(words("plan exchange x.csv --trace x.txt")),
                 "--trace: 'x.txt', expected a name that ends in .json (Perfetto) or .trace (Paje)");
  expect_refused(folder.sluice(words("report x.csv -o x.pdf")),
                 "-o: 'x.pdf', expected a name that ends in .html: a page for browsers");
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"latency.mtx", "x.csv"}));
  for (const std::string name : {"x.SVG", "picture", "picture.v2", "/dev/null"})
    EXPECT_EQ(folder.sluice(words("plan exchange x.csv --svg " + name)).status, 0) << name;
}

TEST(Pictures, HaveSendersOrReceiversAsRows) {
  const Folder folder;
  folder.write("x.csv", "3,1\n0,2\n4,0\n");
  const std::string senders = folder.sluice(words("plan exchange x.csv --svg -")).out;
  EXPECT_NE(senders.find(">sender<"), std::string::npos) << senders;
  EXPECT_EQ(folder.sluice(words("plan exchange x.csv --rows senders --svg -")).out, senders);
  for (const std::string verb : {"plan", "simulate"}) {
    const std::string receivers = folder.sluice(words(verb + " exchange x.csv --rows receivers --svg -")).out;
    EXPECT_NE(receivers.find(">receiver<"), std::string::npos) << receivers;
    EXPECT_EQ(receivers.find(">sender<"), std::string::npos) << receivers;
  }
  expect_refused(folder.sluice(words("plan exchange x.csv --rows recievers --svg x.svg")),
                 "--rows: 'recievers', expected senders or receivers; did you mean 'receivers'?");
  expect_refused(folder.sluice(words("plan exchange x.csv --rows receivers")), "--rows: no --svg");
  expect_refused(folder.sluice(words(std::string(kFront) + " --svg x.svg --rows receivers")),
                 "cannot be used with --rows");
  EXPECT_EQ(folder.files(), std::vector<std::string>{"x.csv"});
}

TEST(Pictures, OfAPlanBesideWhatRan) {
  const Folder folder;
  folder.write("x.csv", kSizes);
  // A simulation is written as a run is.
  ASSERT_EQ(folder.sluice(words("simulate exchange x.csv --order chain --trace ran.json")).status, 0);
  const Outcome outcome = folder.sluice(words("plan exchange x.csv --svg both.svg --beside ran.json"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string svg = folder.read("both.svg");
  EXPECT_NE(svg.find("exchange: plan and run"), std::string::npos);
  // Each of the two has five transfers. Their titles are the same as in the two pictures alone.
  const std::string plan = folder.sluice(words("plan exchange x.csv --svg -")).out;
  const std::string ran = folder.sluice(words("simulate exchange x.csv --order chain --svg -")).out;
  std::size_t titles = 0;
  for (const std::string& alone : {plan, ran}) {
    for (std::size_t at = alone.find("<title>", alone.find("</title>")); at != alone.npos;
         at = alone.find("<title>", at + 1)) {
      const std::string title = alone.substr(at, alone.find("</title>", at) - at);
      EXPECT_NE(svg.find(title), svg.npos) << title;
      ++titles;
    }
  }
  EXPECT_EQ(titles, 10U);
}

TEST(Pictures, BesideRefusesWhatIsNoTraceOfTheProblem) {
  const Folder folder;
  folder.write("x.csv", kSizes);
  ASSERT_EQ(folder.sluice(words("plan exchange x.csv --trace t.json --json plan.json")).status, 0);
  const std::string good = folder.read("t.json");
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return text.replace(at, from.size(), to);
  };
  folder.write("cut.json", good.substr(0, good.size() / 2));
  folder.write("other.json", replaced("\"exchange\"", "\"reduce\""));
  folder.write("half.json", replaced("\"cat\": \"receive\"", "\"cat\": \"send\""));
  folder.write("nobody.json", replaced("\"sender 2\"", "\"sendee 2\""));
  folder.write("negative.json", replaced("\"ts\": 0, \"dur\"", "\"ts\": -1, \"dur\""));
  folder.write("far.json", replaced("\"from\": 0", "\"from\": 7"));
  const std::vector<std::string> before = folder.files();
  for (const auto& [file, complaint] :
       std::map<std::string, std::string>{{"missing.json", "missing.json: cannot be read"},
                                          {"plan.json", "no \"traceEvents\""},
                                          {"x.csv", "x.csv"},
                                          {"cut.json", "cut.json"},
                                          {"other.json", "a trace of reduce"},
                                          {"half.json", "not sent once"},
                                          {"nobody.json", "sendee 2"},
                                          {"negative.json", "\"ts\""},
                                          {"far.json", "another one is received"}}) {
    SCOPED_TRACE(file);
    expect_refused(folder.sluice(words("plan exchange x.csv --svg s.svg --trace s.json --beside " + file)), complaint);
  }
  expect_refused(folder.sluice(words("plan exchange x.csv --beside t.json")), "--beside: no --svg");
  EXPECT_EQ(folder.files(), before);
}

}  // namespace
}  // namespace sluice::testing
