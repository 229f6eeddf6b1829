#include <gtest/gtest.h>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

struct Case {
  std::string arguments;
  std::string about;  ///< in the message
};

TEST(BadInput, LayoutsShapesAndNumbers) {
  const Case cases[] = {
      {"", "--from: no layout"},
      {"--from 16:3", "--to: no layout"},
      {"--from 16 --to 16:5", "--from: '16', expected GRID:BLOCK"},
      {"--from 16:3: --to 16:5", "--from: '16:3:'"},
      {"--from 0:3 --to 16:5", "--from"},
      {"--from 16:0 --to 16:5", "--from"},
      {"--from -16:3 --to 16:5", "--from: '-16'"},
      {"--from 16:3 --to 16:-5", "--to: '-5'"},
      {"--from 4x0:1x1 --to 2x2:1x1", "--from"},
      {"--from 16:3 --to 4x4:5x5", "--to: '4x4:5x5' of 2 dimensions, expected 1"},
      {"--from 4x4:3 --to 4x4:3x3", "--from"},
      {"--from 1x1x1x1x1x1x1x1:1x1x1x1x1x1x1x1 --to 1x1x1x1x1x1x1x1:1x1x1x1x1x1x1x1", "--from"},
      {"--from 16:3 --to 16:5 --shape 10x10", "--shape: 2 dimensions, expected 1"},
      {"--from 16:3 --to 16:5 --shape -1", "--shape: '-1'"},
      {"--from 16:3 --to 16:5 --shape 1e-6", "--shape: '1e-6'"},
      {"--from 16:3 --to 16:5 --shape 10x", "--shape: ''"},
      {"--from many:3 --to 16:5", "--from: 'many'"},
      {"--from 16:3.5 --to 16:5", "--from: '3.5'"},
      {"--from 16:3 --to 16:5KB", "--to: '5KB'"},
      {"--from 16:99999999999999999999 --to 16:5", "2^63"},
      {"--from 16:9223372036854775807 --to 16:5", "2^63"},
      {"--from 4000000000:3 --to 4000000007:5000000000", "2^63"},
      {"--from 16:3 --to 16:5 --shape 9223372036854775808", "2^63"},
      {"--from 2x2:1x1 --to 2x2:1x1 --shape 4000000000x4000000000", "2^63"},
      {"--from 16:3 --to 16:5 --shape 9223372036854775807 --element-bytes 2", "2^63"},
      {"--from 1000000000000:1 --to 3:8 --shape 35", "--from: 1000000000000 processes, of which 35 have elements"},
      {"--from 3:8 --to 1000000x1000000:1x1 --shape 35", "--to: '1000000x1000000:1x1' of 2 dimensions"},
      {"--from 3x1:8x8 --to 1000000x1000000:1x1 --shape 35x20", "--to: 1000000000000 processes, of which 700 have"},
      {"--from 1048577:1 --to 3:8 --shape 1048576", "at most 1048576 where some have none"},
      {"--from 4:3 --to 1000000000000:1 --shape 35 --transpose", "--to: 1000000000000 processes, of which 35 have"},
      {"--from 2x2:3x5 --to 2x1:0,20,35x1 --shape 35x24 --transpose", "--shape: cuts that end at 35, expected 24"},
      {"--from 1x2:0,20,35x0,10,24 --to 2x1:0,10,35x1 --transpose", "--to: cuts that end at 35, expected 24, where"},
      {"--from 16:3 --to 16:5 --element-bytes 0", "--element-bytes: '0', expected at least 1"},
      {"--from 16:3 --to 16:5 --element-bytes eight", "--element-bytes: 'eight'"},
      {"--from 16:3 --to 16:5 --setup -1", "--setup: '-1'"},
      {"--from 16:3 --to 16:5 --setup nan", "--setup: 'nan'"},
      {"--from 16:3 --to 16:5 --setup inf", "--setup: 'inf'"},
      {"--from 16:3 --to 16:5 --setup 1e999", "--setup: '1e999'"},
      {"--from 16:3 --to 16:5 --setup 1x", "--setup: '1x'"},
      {"--from 4:3 --to 6:5 --setup 1e308", "--setup: 1e+308, expected 0 to 1e+100"},
      {"--from 16:3 --to 16:5 --time-limit soon", "--time-limit: 'soon'"},
      {"--from 16:3 --to 16:5 --effort 0", "--effort: '0', expected a number above 0"},
      {"--from 16:3 --to 16:5 --frobnicate", "'--frobnicate', expected an option"},
      {"--from 16:3 --to 16:5 more", "'more', expected no word there"},
      {"--from 16:3 --to 16:5 --from 16:3", "--from"},
      {"--from 16:3 --to", "--to"},
  };
  const Folder folder;
  for (const Case& each : cases) {
    for (const std::string verb : {"plan", "compare"}) {
      const std::string command = verb + " redistribute --json out.json " + each.arguments;
      SCOPED_TRACE(command);
      expect_refused(folder.sluice(words(command)), each.about);
      EXPECT_TRUE(folder.files().empty());
    }
  }
}

TEST(BadInput, AlgorithmsAndWhatToShow) {
  const Case cases[] = {
      {"--from 16:3 --to 16:5 --algorithm fastest", "--algorithm: 'fastest', expected one of classes, stepwise"},
      {"--from 16:3 --to 16:5 --algorithm fastest",
       "auto, walker-otto, or of exchange: first-fit, profile, rising, ggp, oggp"},
      {"--from 8192:1 --to 8192:8192 --algorithm oggp --summary", "transfers to write out"},
      {"--from 15:3 --to 15:5 --algorithm classes", "gcd(s, P) = gcd(5, 15) = 5"},
      {"--from 16:3 --to 16:5 --algorithm walker-otto --json out.json", "--json: algorithm walker-otto"},
      {"--from 16:3 --to 16:5 --algorithm walker-otto --rank 0", "--rank: algorithm walker-otto"},
      {"--from 3:9223372036854775783 --to 1:2 --shape 10 --algorithm walker-otto", "2^63"},
      {"--from 16:3 --to 16:5 --rank 16", "--rank: '16', expected 0 to 15"},
      {"--from 16:3 --to 16:5 --rank -1", "--rank: '-1'"},
      {"--from 16:3 --to 16:5 --rank one", "--rank: 'one'"},
      {"--from 16:3 --to 16:5 --rank 1 --json out.json", "--json: cannot be used with --rank"},
      {"--from 100000:1 --to 100000:100000", "transfers to write out"},
  };
  const Folder folder;
  for (const Case& each : cases) {
    SCOPED_TRACE(each.arguments);
    expect_refused(folder.sluice(words("plan redistribute " + each.arguments)), each.about);
    EXPECT_TRUE(folder.files().empty());
  }
}

TEST(BadInput, ExchangesAndTheirTraffic) {
  const Folder folder;
  folder.write("good.csv", "1,2\n3,4\n");
  folder.write("fraction.csv", "1.5,2.25\n");
  folder.write("ragged.csv", "1,2\n3\n");
  folder.write("negative.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 -5\n");
  folder.write("nan.csv", "1,nan\n");
  folder.write("short.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 5\n");
  folder.write("empty.mtx", "");
  folder.write("binary.csv", std::string("\x00\x01\x02\xff", 4));
  folder.write("notes.txt", "1,2\n");
  const std::string speeds = "{\"schema\": \"sluice.speeds/1\", ";
  folder.write("zero.json", speeds + "\"senders\": [1, 0]}");
  folder.write("below.json", speeds + "\"senders\": [-1, 1]}");
  folder.write("few.json", speeds + "\"senders\": [1]}");
  folder.write("falling.json", speeds +
                                   "\"backbone\": [{\"time\": 0, \"max_transfers\": 2}, "
                                   "{\"time\": 5, \"max_transfers\": 1}, {\"time\": 5, \"max_transfers\": 2}]}");
  folder.write("late.json", speeds + "\"backbone\": [{\"time\": 1, \"max_transfers\": 2}]}");
  folder.write("wide.json", speeds + "\"backbone\": [{\"time\": 0, \"max_transfers\": 2}]}");
  const std::vector<std::string> before = folder.files();
  const Case cases[] = {
      {"", "exchange: no traffic, expected a file, TRAFFIC.mtx"},
      {"missing.mtx", "missing.mtx: "},
      {".", ".: "},
      {"notes.txt", "notes.txt: "},
      {"ragged.csv", "ragged.csv:2: "},
      {"negative.mtx", "negative.mtx:3: "},
      {"nan.csv", "nan.csv:1: "},
      {"short.mtx", "short.mtx:"},
      {"empty.mtx", "empty.mtx"},
      {"binary.csv", "binary.csv"},
      {"good.csv good.csv", "'good.csv', expected no word there"},
      {"good.csv --max-transfers 0", "--max-transfers: '0', expected at least 1"},
      {"good.csv --max-transfers -1", "--max-transfers: '-1'"},
      {"good.csv --max-transfers two", "--max-transfers: 'two'"},
      {"good.csv --setup -1", "--setup: '-1'"},
      {"good.csv --setup nan", "--setup: 'nan'"},
      {"good.csv --setup inf", "--setup: 'inf'"},
      {"good.csv --time-limit soon", "--time-limit: 'soon'"},
      {"good.csv --effort much", "--effort: 'much'"},
      {"good.csv --effort 0", "--effort: '0', expected a number above 0"},
      {"good.csv --effort=-1", "--effort: '-1', expected a number above 0"},
      {"good.csv --effort 1e999", "--effort: '1e999'"},
      {"good.csv --seed -1", "--seed: '-1'"},
      {"good.csv --setup 1e308", "--setup: 1e+308, expected 0 to 1e+100"},
      {"good.csv --setup 1e308 --switches 2", "--setup: 1e+308"},
      {"fraction.csv --setup 1e99", "--setup: 1e+99, expected 0 to 1e+98"},
      {"good.csv --backbone 1Gbit --sender-link 1Gbit --receiver-link 1Gbit --latency 1e200s", "--latency: "},
      {"good.csv --switches 0", "--switches: '0', expected at least 1"},
      {"good.csv --switches -2", "--switches: '-2'"},
      {"good.csv --switches 1.5", "--switches: '1.5'"},
      {"good.csv --switches 1000", "--switches: 1000, expected at most"},
      {"good.csv --speeds missing.json", "missing.json: cannot be read"},
      {"good.csv --speeds zero.json", "zero.json:1: a speed of 0 of sender 1, expected a number from 0.000001"},
      {"good.csv --speeds below.json", "below.json:1: -1, expected a number of at least 0"},
      {"good.csv --speeds few.json", "few.json: speeds of 1 sender, expected those of all"},
      {"good.csv --speeds falling.json", "falling.json: time 5 of the backbone after 5, expected times that rise"},
      {"good.csv --speeds late.json", "late.json: a backbone from time 1 on, expected its first time to be 0"},
      {"good.csv --speeds wide.json --max-transfers 2",
       "--speeds: cannot be used with --max-transfers where wide.json has a backbone"},
      {"good.csv --speeds wide.json --switches 2", "--speeds: cannot be used with --switches, expected a plan for one"},
      {"good.csv --speeds good.csv", "good.csv:1: "},
      {"good.csv --from 16:3", "'--from', expected an option"},
      {"good.csv --json missing/out.json", "missing/out.json: cannot be written"},
  };
  for (const Case& each : cases) {
    for (const std::string verb : {"plan", "compare"}) {
      const std::string command = verb + " exchange " + each.arguments +
                                  (each.arguments.find("--json") == std::string::npos ? " --json out.json" : "");
      SCOPED_TRACE(command);
      expect_refused(folder.sluice(words(command)), each.about);
      EXPECT_EQ(folder.files(), before);
    }
  }
  expect_refused(folder.sluice(words("plan exchange good.csv --algorithm fastest")),
                 "--algorithm: 'fastest', expected one of first-fit, profile, rising, ggp, oggp");
  expect_refused(folder.sluice(words("plan exchange good.csv --algorithm classes")), "--algorithm: 'classes'");
  for (const std::string plan :
       {"exchange good.csv", "redistribute --from 4:3 --to 6:5", "reduce --machines 4 --transfer 1 --compute 1"})
    expect_refused(folder.sluice(words("plan " + plan + " --summary --all")),
                   "--all: cannot be used with --summary, expected one of the two");
  expect_refused(folder.sluice(words("compare exchange good.csv --algorithms oggp,fastest")),
                 "--algorithms: 'fastest', expected one of first-fit, profile, rising, ggp, oggp");
  expect_refused(folder.sluice(words("compare exchange good.csv --algorithms oggp,")), "--algorithms: ''");
  for (const Case& each :
       {Case{"--backbone 1Gbit", "--sender-link: missing, needed with --backbone"},
        Case{"--latency 1ms", "--backbone: missing, needed with --latency"},
        Case{"--backbone 1Gbit --sender-link 1Gbit --receiver-link 1Gbit",
             "--latency: missing, needed with --receiver-link, expected a time such as 1ms, or --setup"},
        Case{"--backbone 1G --sender-link 1Gbit --receiver-link 1Gbit --latency 1ms", "--backbone: '1G'"},
        Case{"--backbone 1Gbit --sender-link 0bit --receiver-link 1Gbit --latency 1ms", "--sender-link"},
        Case{"--backbone 1Gbit --sender-link 1Gbit --receiver-link 1Gbit --latency 1", "--latency: '1'"}}) {
    SCOPED_TRACE(each.arguments);
    expect_refused(folder.sluice(words("plan exchange good.csv --json out.json " + each.arguments)), each.about);
  }
  folder.write("huge.csv", "1000000000000000\n");
  expect_refused(folder.sluice(words("plan exchange huge.csv --algorithm multigraph --json out.json")), "multigraph");
}

TEST(BadInput, VerbsProblemsAndStudies) {
  const Case cases[] = {
      {"", "sluice: no verb, expected plan, compare, simulate, check, cluster, predict, tune, study, "},
      {"paln", "sluice: 'paln', expected one of plan, compare, simulate, check, cluster, predict, tune, study, "},
      {"hlep", "platform-to-simgrid, probe, run, help; did you mean 'help'?"},
      {"simulate", "sluice simulate: no problem, expected SCHEDULE.json, or one of redistribute, exchange"},
      {"plan", "sluice plan: no problem, expected redistribute, exchange"},
      {"plan collect", "sluice plan: 'collect', expected one of redistribute, exchange, reduce"},
      {"compare matrix.mtx", "sluice compare: 'matrix.mtx', expected one of redistribute, exchange"},
      {"run", "sluice run: no problem, expected redistribute"},
      {"--verbose", "'--verbose'"},
      {"plan --from 16:3 --to 16:5", "'--from', expected an option that sluice plan --help lists"},
      {"check", "sluice check: no file"},
      {"check a.json b.json", "b.json"},
      {"study",
       "sluice study: no name, expected redistribute-tables, redistribute-paragon, redistribute-optimality, "
       "redistribute-replicas, exchange-quality"},
      {"study figures -o out", "sluice study: 'figures', expected redistribute-tables"},
      {"study redistribute-tables", "-o: no folder"},
      {"study exchange-quality", "-o: no folder"},
      {"study exchange-quality -o out --samples 0", "--samples: '0', expected 1 to"},
      {"study exchange-quality -o out --samples many", "--samples: 'many'"},
      {"study exchange-quality -o out --seed -1", "--seed: '-1'"},
      {"study redistribute-tables -o out --samples 5", "--samples: study redistribute-tables"},
      {"study redistribute-tables -o", "-o"},
      {"study exchange-quality -o out --networks a", "--networks: study exchange-quality, expected study defaults-lab"},
      {"study exchange-quality -o out --sizes 1Mi", "--sizes: study exchange-quality, expected study defaults-lab"},
  };
  const Folder folder;
  for (const Case& each : cases) {
    SCOPED_TRACE(each.arguments);
    expect_refused(folder.sluice(words(each.arguments)), each.about);
    EXPECT_TRUE(folder.files().empty());
  }
}

#if !SLUICE_HAS_MPI
TEST(BadInput, VerbsThatNeedMpiInABuildWithout) {
  const Folder folder;
  expect_refused(folder.sluice(words("run redistribute --from 1:1 --to 1:2 --shape 4 --json out.json")),
                 "sluice run: a build without MPI");
  expect_refused(folder.sluice(words("study redistribute-paragon -o out")), "a build without MPI");
  EXPECT_TRUE(folder.files().empty());
}
#endif

TEST(BadInput, OptionsWithoutEffect) {
  const Folder folder;
  folder.write("x.csv", "1,2\n3,4\n");
  folder.write("small.json",
               R"({"schema": "sluice.platform/1", "ranks": 1, "clusters": [{"name": "a", "ranks": [0], "latency_s": 0,)"
               R"( "gap": [[1, 1e-6]]}], "links": []})");
  const std::vector<std::string> before = folder.files();
  for (const Case& each : {
         Case{"run redistribute --from 1:1 --to 1:2 --shape 4 --time-limit 1",
              "'--time-limit', expected an option that sluice run redistribute --help lists"},
             Case{"run exchange x.csv --seed 2", "'--seed', expected an option that sluice run exchange --help lists"},
             Case{"plan reduce --machines 4 --transfer 1 --compute 1 --max-segments 9",
                  "--max-segments: --segments 1, expected --segments auto"},
             Case{"platform small.json --format 1", "--format: no file to write, expected -o FILE as well"},
             Case{"tune --platform small.json --for openmpi -o rules.conf --repetitions 5",
                  "--repetitions: --platform, which measures nothing, expected --measure"},
             Case{"plan broadcast --platform small.json --size 1Ki --lookahead average --algorithm flat",
                  "--lookahead: algorithm flat, expected --algorithm ecef-la"},
             Case{"plan allreduce --platform small.json --size 1Ki --segments 4 --algorithm ring",
                  "--segments: algorithm ring, expected --algorithm chain, ordered-tree, grouped-pipeline or auto"},
#if SLUICE_HAS_MPI
             Case{"run broadcast --size 1Ki --time-limit 5ms", "--platform: nothing, expected a platform file"},
             Case{"probe --quick --thorough", "--thorough: cannot be used with --quick, expected one of the two"},
             Case{"probe --quick --noise 5us", "--noise: cannot be used with --quick"},
#endif
       }) {
    SCOPED_TRACE(each.arguments);
    expect_refused(folder.sluice(words(each.arguments)), each.about);
    EXPECT_EQ(folder.files(), before);
  }
}

TEST(BadInput, WordsWithLineEndsStillMakeOneLine) {
  const Folder folder;
  expect_refused(folder.sluice({"plan\nerror: two"}), "plan");
  expect_refused(folder.sluice({"plan", "redistribute", "--from", "16\n:3", "--to", "16:5"}), "--from");
  expect_refused(folder.sluice({""}), "''");
}

TEST(BadInput, FilesThatCannotBeWritten) {
  const Folder folder;
  const std::string plan = "plan redistribute --from 16:3 --to 16:5 --json ";
  folder.write("file", "kept");
  for (const Case& each :
       {Case{plan + "missing/out.json", "missing/out.json: cannot be written: No such file or directory"},
        Case{plan + ".", ".: cannot be written"}, Case{plan + "file/out.json", "file/out.json: cannot be written"},
        Case{plan + "/dev/full", "/dev/full: cannot be written: No space left on device"},
        Case{"compare redistribute --from 16:3 --to 16:5 --json missing/out.json", "missing/out.json"},
        Case{"study redistribute-tables -o file", "file: no folder can be made there"},
        Case{"study redistribute-tables -o file/tables", "file/tables: no folder can be made there"},
        Case{"study exchange-quality -o file --samples 1", "file: no folder can be made there"}}) {
    SCOPED_TRACE(each.arguments);
    expect_refused(folder.sluice(words(each.arguments)), each.about);
    EXPECT_EQ(folder.files(), Arguments{"file"});
    EXPECT_EQ(folder.read("file"), "kept");
  }
  expect_refused(folder.sluice(words("plan redistribute --from 16:3 --to 16:5"), "", "/dev/full"),
                 "standard output: cannot be written: No space left on device");
}

TEST(BadInput, ScheduleFilesThatAreNone) {
  const Folder folder;
  expect_refused(folder.sluice({"check", "missing.json"}), "missing.json: cannot be read: No such file or directory");
  expect_refused(folder.sluice({"check", "."}), ".: ");
  for (const std::string content : {"", " \n", "null", "[]", "{}", "{\"schema\": ", "not json", "\x01\x02\xff",
                                    R"({"schema": "sluice.compare/1"})"}) {
    SCOPED_TRACE(content);
    folder.write("broken.json", content);
    expect_refused(folder.sluice({"check", "broken.json"}), "broken.json:");
    expect_refused(folder.sluice({"check", "-"}, content), "standard input:");
  }
  folder.write("x.csv", "3,1\n0,2\n");
  ASSERT_EQ(folder.sluice(words("compare exchange x.csv --json compare.json")).status, 0);
  for (const std::string verb : {"check", "simulate"})
    expect_refused(folder.sluice({verb, "compare.json"}),
                   R"("schema": "sluice.compare/1", expected "sluice.schedule/1" or "sluice.program/1")");
  expect_refused(folder.sluice({"check", "-"}, R"({"schema": "sluice.schedule/2"})"),
                 R"(expected "sluice.schedule/1")");
  expect_refused(folder.sluice({"check", "-"}, R"({"schema": "sluice.program/2"})"), R"(expected "sluice.program/1")");
  expect_refused(folder.sluice({"check", "-"}, std::string(1000000, '[')), "standard input:1");
}

TEST(BadInput, TruncatedSchedules) {
  const Folder folder;
  const std::string whole = folder.sluice(words("plan redistribute --from 2:1 --to 2:3 --json -")).out;
  ASSERT_EQ(whole.back(), '\n');
  for (std::size_t length = 0; length + 1 < whole.size(); length += 13) {
    SCOPED_TRACE(length);
    expect_refused(folder.sluice({"check", "-"}, whole.substr(0, length)), "standard input:");
  }
  expect_refused(folder.sluice({"check", "-"}, whole + whole), "after the schedule");
}

TEST(BadInput, HandEditedSchedules) {
  const Folder folder;
  const json whole = json::parse(folder.sluice(words("plan redistribute --from 2:1 --to 2:3 --json -")).out);
  struct Edit {
    const char* place;
    json value;  ///< null: the field is left out
    const char* about;
  };
  const Edit edits[] = {{"/schema", "sluice.schedule/2", "sluice.schedule/2"},
                        {"/schema", nullptr, "without \"schema\""},
                        {"/type", "tree", "field \"steps\" in a bound"},
                        {"/type", "forest", "\"type\": \"forest\""},
                        {"/problem", "reduce", "reduce"},
                        {"/steps", nullptr, "without \"steps\""},
                        {"/steps", 5, "\"steps\": 5"},
                        {"/steps/0", -1, "-1"},
                        {"/steps/0/duration", -3, "\"duration\": -3"},
                        {"/steps/0/duration", "long", "\"duration\": \"long\""},
                        {"/steps/0/transfers/0/from", 1.5, "\"from\": 1.5"},
                        {"/steps/0/transfers/0/size", -3, "\"size\": -3"},
                        {"/steps/0/transfers/0/from", -1, "\"from\": -1"},
                        {"/steps/0/transfers/0/to", nullptr, "without \"to\""},
                        {"/steps/0/transfers/0/offset", 1e30, "\"offset\""},
                        {"/steps/0/transfers/0/rank", 1, "field \"rank\""},
                        {"/cost", nullptr, "without \"cost\""},
                        {"/setup", -1, "\"setup\": -1"},
                        {"/senders", "two", "\"senders\": \"two\""},
                        {"/input/from", "2:0", "input.from"},
                        {"/input/to", "2x2:3x3", "input.to"},
                        {"/input/shape", "ten", "input.shape"},
                        {"/input/shape", "10x10", "input.shape"}};
  for (const Edit& edit : edits) {
    SCOPED_TRACE(edit.place);
    json schedule = whole;
    const json::json_pointer place(edit.place);
    if (edit.value.is_null())
      schedule[place.parent_pointer()].erase(place.back());
    else
      schedule[place] = edit.value;
    folder.write("edited.json", schedule.dump(1));
    expect_refused(folder.sluice({"check", "edited.json"}), edit.about);
    EXPECT_EQ(folder.files(), Arguments{"edited.json"});
  }
}

}  // namespace
}  // namespace sluice::testing
