#include "sluice/schedule/judge.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "bad_input.hpp"
#include "schedule/foreign/simulator.hpp"
#include "sluice/read_file.hpp"
#include "sluice/schedule/placed_schedule.hpp"

namespace sluice::testing {
namespace {

std::string path_of(const std::string& file) { return std::string(SLUICE_FOREIGN_SCHEDULES) + "/" + file; }

std::string text_of(const std::string& file) { return std::string(read_file(path_of(file), "a schedule").text()); }

PlacedSchedule placed(const std::string& text) {
  std::istringstream in(text);
  return std::get<PlacedSchedule>(read_judged_schedule(in, "file"));
}

/// The violations, one a line.
std::string faults_of(const JudgeVerdict& verdict) {
  std::string lines;
  for (const Violation& each : verdict.violations) lines += each.reason + '\n';
  return lines;
}
std::string faults_of(const std::string& text, const JudgeOptions& options = {}) {
  return faults_of(judge(placed(text), options));
}

/// What the reader says of a text that it refuses.
std::string refused(const std::string& text) {
  return error_of([&] { return placed(text); });
}

struct Case {
  const char* file;
  const char* faults;
  std::optional<std::int64_t> places;
};

TEST(Judge, TenCasesHaveTheirVerdicts) {
  const std::vector<Case> cases{
      {"ring3.xml", "", 2},
      {"pair.xml", "", 0},
      {"alltoall2.xml", "", 1},
      {"bcast4.goal", "", 0},
      {"put2.json", "", {}},
      {"early.xml",
       "gpu 1 tb 1 step 1 writes chunk i 0 while tb 0 step 0 may read it\n"
       "gpu 0 tb 1 step 1 writes chunk i 0 while tb 0 step 0 may read it\n",
       0},
      {"slots.xml",
       "deadlock: gpu 0 tb 0 step 2 waits for gpu 1 tb 0 step 3, gpu 1 tb 0 step 2 waits for gpu 0 tb 0 step 3: needs "
       "3 "
       "places, Simple has 2\n",
       3},
      {"flag.xml", "gpu 1 tb 1 step 2 waits for tb 0 step 0, which never tells\n", {}},
      {"alias.xml",
       "GPU 0, output chunk 0: 1 of 2 ranks, rank 1 twice, rank 0 missing (in place)\n"
       "GPU 1, output chunk 0: 1 of 2 ranks, rank 0 twice, rank 1 missing (in place)\n",
       1},
      {"starts.goal", "rank 2 is not reached by rank 0: rank 1 line 8 sends what has not come\n", 0},
  };
  for (const Case& each : cases) {
    const JudgeVerdict verdict = judge(placed(text_of(std::string("cases/") + each.file)), {});
    EXPECT_EQ(faults_of(verdict), each.faults) << each.file;
    EXPECT_EQ(verdict.fewest_places, each.places) << each.file;
  }
}

const std::vector<std::string> kSamples{
    "msccl/allgather-8n-0-8kb.xml", "msccl/allgather-allpairs-8n-ll.xml", "msccl/allreduce-1step-4n-ll-1pass.xml",
    "msccl/alltoall-8n-0-9kb.xml",  "mscclpp/allreduce_packet.json",      "mscclpp/reduce.json",
    "mscclpp/transfer_pack.json"};

TEST(Judge, SamplesOfOtherLibrariesAreRight) {
  for (const std::string& file : kSamples) {
    const PlacedSchedule schedule = placed(text_of(file));
    JudgeOptions options;
    if (schedule.format == PlacedFormat::kMsccl) options.executor = Executor::kRccl;
    const JudgeVerdict verdict = judge(schedule, options);
    EXPECT_EQ(faults_of(verdict), "") << file;
    EXPECT_EQ(verdict.not_checked, "") << file;
    EXPECT_EQ(wrong_in_runs(schedule, 20), "") << file;
  }
}

TEST(Judge, AByteOrderMarkIsNoPartOfAText) {
  for (const char* const file : {"ring3.xml", "bcast4.goal"}) {
    SCOPED_TRACE(file);
    EXPECT_EQ(faults_of("\xef\xbb\xbf" + text_of(std::string("cases/") + file)), "");
  }
  EXPECT_EQ(faults_of("\xef\xbb\xbfstep,from,to,chunk,op\n0,0,1,0,copy\n"), "");
}

TEST(Judge, PlacesDecideOnDeadlock) {
  const PlacedSchedule ring = placed(text_of("cases/ring3.xml"));
  EXPECT_EQ(faults_of(judge(ring, {{}, 2, {}})), "");
  EXPECT_NE(faults_of(judge(ring, {{}, 1, {}})).find("needs 2 places, --places has 1"), std::string::npos);
  const std::string slots = text_of("cases/slots.xml");
  EXPECT_EQ(faults_of(with(slots, "proto=\"Simple\"", "proto=\"LL\"")), "");
}

// ---- Schedules of ours that are right ----

struct Text {
  std::string lines;
  int step = 0;
  void open_block(int id, int send, int receive) {
    lines += fmt::format("<tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"0\">\n", id, send, receive);
    step = 0;
  }
  void add(const char* type, int source, int target) {
    lines += fmt::format(
        "<step s=\"{}\" type=\"{}\" srcbuf=\"i\" srcoff=\"{}\" dstbuf=\"i\" dstoff=\"{}\" cnt=\"1\" depid=\"-1\" "
        "deps=\"-1\" hasdep=\"0\"/>\n",
        step++, type, source, target);
  }
};

/// NCCL's ring, in place: each chunk is combined around the ring, and then passed on.
std::string ring_allreduce(int ranks) {
  Text text;
  text.lines = fmt::format(
      "<algo name=\"ring\" proto=\"LL\" nchannels=\"1\" nchunksperloop=\"{0}\" ngpus=\"{0}\" coll=\"allreduce\" "
      "inplace=\"1\" outofplace=\"0\" minBytes=\"0\" maxBytes=\"0\">\n",
      ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    text.lines += fmt::format("<gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"0\" s_chunks=\"0\">\n", rank, ranks);
    text.open_block(0, (rank + 1) % ranks, (rank + ranks - 1) % ranks);
    const auto chunk = [&](int back) { return (rank - back + 2 * ranks) % ranks; };
    text.add("s", chunk(0), chunk(0));
    for (int k = 1; k + 1 < ranks; ++k) text.add("rrs", chunk(k), chunk(k));
    text.add("rrcs", chunk(ranks - 1), chunk(ranks - 1));
    for (int k = 0; k + 2 < ranks; ++k) text.add("rcs", chunk(k), chunk(k));
    text.add("r", chunk(ranks - 2), chunk(ranks - 2));
    text.lines += "</tb></gpu>\n";
  }
  return text.lines + "</algo>\n";
}

TEST(Judge, RingsAreRight) {
  for (int ranks = 2; ranks <= 9; ++ranks) {
    const PlacedSchedule ring = placed(ring_allreduce(ranks));
    const JudgeVerdict verdict = judge(ring, {});
    EXPECT_EQ(faults_of(verdict), "") << ranks;
    EXPECT_EQ(verdict.fewest_places, 2) << ranks;
    EXPECT_EQ(wrong_in_runs(ring, 10), "") << ranks;
  }
}

// ---- Conditions ----

TEST(Judge, EndsAreNamed) {
  const std::string ring = text_of("cases/ring3.xml");
  EXPECT_EQ(
      faults_of(with(ring, "<tb id=\"0\" send=\"1\" recv=\"2\" chan=\"0\">",
                     "<tb id=\"1\" send=\"1\" recv=\"2\" chan=\"0\"></tb>\n<tb id=\"0\" send=\"1\" recv=\"2\" "
                     "chan=\"0\">")),
      "two thread blocks of GPU 0 send to 1 on channel 0\ntwo thread blocks of GPU 0 receive from 2 on channel 0\n");
  const std::string last = "type=\"r\" srcbuf=\"o\" srcoff=\"1\" dstbuf=\"o\" dstoff=\"1\" cnt=\"1\"";
  EXPECT_EQ(faults_of(with(ring, last, with(last, "cnt=\"1\"", "cnt=\"2\""))),
            "message 1 from 2 to 0, channel 0: 1 chunk sent, 2 received\n");
  EXPECT_EQ(faults_of(with(ring, last, with(last, "\"r\"", "\"nop\""))),
            "message 1 from 2 to 0, channel 0: 1 chunk sent, 0 received\n");
}

TEST(Judge, LimitsCountForAnExecutorOnly) {
  const std::string without = with(text_of("cases/ring3.xml"), " minBytes=\"0\"", "");
  const JudgeVerdict warned = judge(placed(without), {});
  EXPECT_EQ(faults_of(warned), "");
  ASSERT_EQ(warned.warnings.size(), 2U);
  EXPECT_EQ(warned.warnings[0], "RCCL: no \"outofplace\", \"minBytes\" or \"maxBytes\", all three needed");
  EXPECT_EQ(faults_of(without, {Executor::kRccl, {}, {}}), warned.warnings[0] + "\n");
  EXPECT_EQ(faults_of(without, {Executor::kMsccl, {}, {}}), "");
  std::string blocks;
  for (int id = 1; id < 70; ++id) blocks += fmt::format("<tb id=\"{}\" send=\"-1\" recv=\"-1\" chan=\"0\"/>\n", id);
  const std::string many = with(text_of("cases/ring3.xml"), "s_chunks=\"0\">\n", "s_chunks=\"0\">\n" + blocks);
  EXPECT_EQ(faults_of(many, {Executor::kRccl, {}, {}}), "RCCL: 70 thread blocks on GPU 0, 64 allowed\n");
  EXPECT_EQ(faults_of(many, {Executor::kNccl, {}, {}}), "");
}

TEST(Judge, DataSaysWhoIsMissingAndWhoIsTwice) {
  const std::string ring = ring_allreduce(4);
  // Rank 1 adds another chunk than the one that passes.
  const std::string wrong =
      with(ring, "type=\"rrs\" srcbuf=\"i\" srcoff=\"3\"", "type=\"rrs\" srcbuf=\"i\" srcoff=\"2\"");
  const std::string faults = faults_of(wrong);
  EXPECT_NE(faults.find("GPU 0, output chunk 3: 3 of 4 ranks, chunk 2 of rank 0, rank 0 missing\n"), std::string::npos)
      << faults;
}

// ---- Plans of MSCCL++ ----

/// A packet plan of the older generation for two GPUs: each adds one half, and sends the sum back.
std::string older_plan() {
  std::string gpus;
  for (const int gpu : {0, 1}) {
    const int own = 2 * gpu, other = 2 - own;
    const int in = gpu == 0 ? 2 : 0, out = gpu == 0 ? 4 : 6, back = gpu == 0 ? 6 : 4;
    const auto channel = R"("o_buff": {"src": "i", "dst": "s"}, "ctype": "sm")";
    gpus += fmt::format(
        R"({}{{"id": {}, "inputChunks": 4, "outputChunks": 0, "scratchChunks": 8, "chunkGroups": 1, "threadblocks": [
{{"id": 0, "ops": [
 {{"name": "ppkt", {}, "o_cids": [{{"id": 0, "off": {}}}], "srcs": [{{"buff": "i", "off": {}}}], "cnt": 2}},
 {{"name": "rspkt", {}, "o_cids": [{{"id": 0, "off": {}}}], "srcs": [{{"buff": "s", "off": {}}}], "srcbuff": "i", "srcoff": {},
  "dstbuff": "i", "dstoff": {}, "cnt": 2}},
 {{"name": "cpkt", "srcbuff": "s", "srcoff": {}, "dstbuff": "i", "dstoff": {}, "ctype": "none", "cnt": 2}}],
 "channels": [{{"src": "i", "dst": "s", "ctype": "sm", "cids": [0]}}]}}],
"channels": [{{"srcbuff": "i", "dstbuff": "s", "type": "sm", "connectedTo": [{}]}}]}})",
        gpu == 0 ? "" : ",\n", gpu, channel, gpu == 0 ? 0 : 2, other, channel, out, in, own, own, back, other, 1 - gpu);
  }
  return "{\"name\": \"pairs\", \"colletive\": \"allreduce\", \"protocol\": \"LL\", \"inplace\": true, \"gpus\": [" +
         gpus + "]}";
}

TEST(Judge, PlansOfTheOlderGenerationAreRead) {
  const PlacedSchedule plan = placed(older_plan());
  EXPECT_EQ(faults_of(judge(plan, {})), "");
  EXPECT_EQ(wrong_in_runs(plan, 20), "");
  // The packet comes to another chunk than the one that is read.
  EXPECT_EQ(faults_of(with(older_plan(), "\"off\": 4", "\"off\": 3")),
            "gpu 1 tb 0 step 2 waits for packets in chunk s 5 of gpu 1, which nobody writes\n");
}

/// An allreduce through a switch, which adds and stores: in a pipeline, by two blocks that share each chunk.
std::string switch_plan() {
  std::string gpus;
  for (const int gpu : {0, 1}) {
    std::string blocks;
    for (const int block : {0, 1}) {
      const auto meet = [&](int id) {
        return fmt::format(R"({{"name": "barrier", "barrier_id": {}, "num_threadblocks": 2}})", id);
      };
      const std::string tell = block == 0 ? R"({"name": "signal", "channel_ids": [0], "channel_type": "memory"},
 {"name": "wait", "channel_ids": [0], "channel_type": "memory"},)"
                                          : "";
      blocks += fmt::format(R"({}{{"id": {}, "ops": [{}
 {}, {{"name": "pipeline", "iter_context": {{"unit_size": 1048576, "num_chunks": 1}}, "ops": [{{"name": "glres",
 "src_buff": [{{"switch_channel_id": 0, "index": {}, "size": 1}}], "dst_buff": [{{"switch_channel_id": 0, "index": {}, "size": 1}}],
 "channel_type": "switch", "tbg_info": {{"tb_id": {}, "tbg_size": 2}}}}]}}, {}, {} {{"name": "nop"}}],
 "channels": [{{"channel_type": "memory", "channel_ids": [0]}}, {{"channel_type": "switch", "channel_ids": [0]}}]}})",
                            block == 0 ? "" : ",\n", block, tell, meet(0), gpu, gpu, block, meet(1), tell);
    }
    gpus +=
        fmt::format(R"({}{{"id": {}, "input_chunks": 2, "output_chunks": 2, "scratch_chunks": 0, "threadblocks": [{}],
 "channels": [{{"channel_type": "memory", "connected_to": [{}]}},
  {{"channel_type": "switch", "buffer_type": "i", "rank_groups": [{{"size": 2, "ranks": [0, 1]}}]}}]}})",
                    gpu == 0 ? "" : ",\n", gpu, blocks, 1 - gpu);
  }
  return "{\"name\": \"switch\", \"collective\": \"allreduce\", \"protocol\": \"Simple\", \"inplace\": true, \"gpus\": "
         "[" +
         gpus + "]}";
}

TEST(Judge, PlansMayShareChunksAndUseASwitch) {
  const PlacedSchedule plan = placed(switch_plan());
  EXPECT_EQ(plan.parts_of_chunk, 4);
  EXPECT_EQ(faults_of(judge(plan, {})), "");
  EXPECT_EQ(wrong_in_runs(plan, 20), "");
  // Without the last wait of GPU 1, it returns before GPU 0 has stored.
  const std::string plan_text = switch_plan();
  const std::size_t last = plan_text.rfind(R"( {"name": "wait", "channel_ids": [0], "channel_type": "memory"},)");
  std::string early = plan_text;
  early.erase(last, std::string(R"( {"name": "wait", "channel_ids": [0], "channel_type": "memory"},)").size());
  EXPECT_NE(faults_of(early).find("signals from 0 to 1, channel 0"), std::string::npos);
}

TEST(Judge, ARankDoesNotEndBeforeItsOutput) {
  std::string text = text_of("cases/put2.json");
  // Neither signals nor waits.
  for (const char* const name : {"\"name\": \"signal\"", "\"name\": \"wait\""}) {
    for (int gpu = 0; gpu < 2; ++gpu) text = with(text, name, "\"name\": \"nop\"");
  }
  EXPECT_EQ(faults_of(text),
            "gpu 0 may end before gpu 1 tb 0 step 0 writes its output chunk 1\n"
            "gpu 1 may end before gpu 0 tb 0 step 0 writes its output chunk 0\n");
}

// ---- Moves, GOAL and traces ----

TEST(Judge, MovesAreJudgedByWhatComes) {
  const std::string gather = "step,from,to,chunk,op\n0,0,1,0,copy\n0,1,0,1,copy\n";
  EXPECT_EQ(faults_of(gather, {{}, {}, Collective::kAllgather}), "");
  EXPECT_EQ(faults_of("# allgather\n" + gather), "");
  EXPECT_EQ(faults_of("# allgather\nstep,from,to,chunk,op\n0,0,1,0,copy\n0,0,1,1,copy\n0,1,0,3,copy\n"),
            "rank 0, chunk 2: lacks chunk 2 of rank 1\n");
  EXPECT_EQ(judge(placed(gather), {}).not_checked,
            "the data, as the file does not say its collective; --as COLLECTIVE does");
  // Both add what the other had before the step.
  EXPECT_EQ(faults_of("# allreduce\nstep,from,to,chunk,op\n0,0,1,0,add\n0,1,0,0,add\n"), "");
  EXPECT_EQ(faults_of("# allreduce\nstep,from,to,chunk,op\n0,0,1,0,add\n1,1,0,0,add\n"),
            "rank 0, chunk 0: 2 of 2 ranks, rank 0 twice\n");
  // The blocks that stay are named by nobody.
  EXPECT_EQ(faults_of("# alltoall\nstep,from,to,chunk,op\n0,0,1,1,copy\n0,1,0,2,copy\n"), "");
}

TEST(Judge, GoalIsJudgedByOrder) {
  const std::string goal = text_of("cases/bcast4.goal");
  EXPECT_EQ(faults_of(with(goal, "b requires a\n", "")),
            "rank 3 is not reached by rank 0: rank 2 line 12 sends what has not come\n");
  EXPECT_EQ(faults_of(with(goal, "send 4096b to 3", "send 4095b to 3")),
            "message 0 from 2 to 3, tag 1: 4095 bytes sent, 4096 received\n");
  EXPECT_EQ(faults_of(with(with(goal, "send 4096b to 3", "send 1b to 3"), "recv 4096b from 2", "recv 1b from 2")),
            "rank 3 gets 1 byte of rank 0, which sends 4096 to others\n");
  EXPECT_EQ(faults_of(with(goal, "b requires a\n", "b requires a\na requires b\n")),
            "deadlock: rank 2 line 11 waits for rank 2 line 12, rank 2 line 12 waits for rank 2 line 11\n");
}

TEST(Judge, TracesOfBothGenerationsAreRead) {
  const JudgeOptions broadcast{{}, {}, Collective::kBroadcast};
  EXPECT_EQ(faults_of("0 init\n1 init\n0 send 1 0 64 6\n1 recv 0 0 128 6\n0 finalize\n", broadcast), "");
  EXPECT_EQ(faults_of("p0 isend 1 64 6\np1 irecv 0 64 6\np0 wait\np1 wait\n", broadcast), "");
  EXPECT_EQ(faults_of("0 send 1 5 64\n1 recv 0 7 64\n"),
            "message 0 from 0 to 1, tag 5: 64 bytes sent, 0 received\n"
            "message 0 from 0 to 1, tag 7: 0 bytes sent, 64 received\n");
  // Both send first: right as long as sends do not wait for their receives.
  const PlacedSchedule both = placed("0 send 1 0 8\n0 recv 1 0 8\n1 send 0 0 8\n1 recv 0 0 8\n");
  EXPECT_EQ(faults_of(judge(both, {})), "");
  EXPECT_EQ(judge(both, {}).fewest_places, 1);
  EXPECT_EQ(faults_of("0 allreduce 8\n1 allreduce 8\n", {{}, {}, Collective::kAllreduce}), "");
  EXPECT_EQ(faults_of("0 barrier\n1 barrier\n0 barrier\n"),
            "calls of barrier: 1 thread block of 2 come to meeting 1\n");
}

// ---- Bad input ----

TEST(JudgeBadInput, IsRefusedWithItsLine) {
  const std::string ring = text_of("cases/ring3.xml");
  EXPECT_EQ(refused(with(ring, "s=\"1\" type=\"rcs\"", "s=\"2\" type=\"rcs\"")), "file:5: step 1 expected, is 2");
  EXPECT_EQ(refused(with(ring, "<algo", "<!DOCTYPE algo [<!ENTITY a \"b\">]>\n<algo")),
            "file:1: \"<!\", expected a comment: no document types, entities or CDATA");
  EXPECT_EQ(refused(with(ring, "name=\"ring3\"", "name=\"&lt;\"")), "file:1: \"&\", expected no entities");
  EXPECT_EQ(refused(ring + ring), "file:24: a second element, <algo>, expected one for a file, and its end");
  EXPECT_EQ(
      refused(with(ring, "cnt=\"1\"", "cnt=\"1099511627776\"")),
      "file:4: srcoff=\"0\" and cnt=\"1099511627776\" in o of 3 chunks, expected an offset and a count inside the "
      "buffer");
  EXPECT_EQ(refused(with(ring, "o_chunks=\"3\"", "o_chunks=\"1099511627776\"")),
            "file:2: o_chunks=\"1099511627776\", expected an integer from 0 to 16777216");
  EXPECT_EQ(refused(with(ring, "<gpu id=\"0\"", "<gpu id=\"-1\"")),
            "file:2: id=\"-1\", expected an integer from 0 to 2");
  EXPECT_EQ(refused(with(ring, "<gpu id=\"1\"", "<gpu id=\"0\"")),
            "file:9: gpu 0 again, after line 2, expected each gpu once");
  EXPECT_EQ(refused(with(ring, "send=\"1\"", "send=\"3\"")), "file:3: send=\"3\", expected an integer from -1 to 2");
  EXPECT_EQ(refused(with(ring, "send=\"1\"", "send=\"0\"")),
            "file:3: send=\"0\" in gpu 0, expected another gpu, or -1");
  EXPECT_EQ(refused(ring.substr(0, 500)), "file:6: the end of the file, expected the rest of an element");
  const std::string plan = text_of("cases/put2.json");
  EXPECT_EQ(refused(plan + "{}"), "file:219: more after a plan of MSCCL++, expected the end of the file");
  EXPECT_EQ(refused(with(plan, "\"index\": 0", "\"index\": -1")),
            "file:17: \"index\": -1, expected an integer from 0 to 1099511627776");
  EXPECT_EQ(refused(with(plan, "\"index\": 0", "\"index\": 7")),
            "file:17: chunks 7 to 7 of gpu 0, which has 1 there, expected chunks inside the buffer");
  const std::string goal = text_of("cases/bcast4.goal");
  EXPECT_EQ(refused(with(goal, "b: send 4096b to 1", "a: send 4096b to 1")),
            "file:5: label a again in rank 0, expected each label once");
  EXPECT_EQ(refused(with(goal, "to 2 tag", "to 4 tag")), "file:4: `4`, expected a rank from 0 to 3");
  EXPECT_EQ(refused("step,from,to,chunk,op\n0,0,1,0,move\n"), "file:2: op move, expected copy or add");
  EXPECT_EQ(refused("step,from,to,chunk,op\n0,0,1\n"), "file:2: `0,0,1`, expected step,from,to,chunk,op");
  EXPECT_EQ(refused("0 send 1 0 64 6\n0 dance 1\n"), "file:2: action dance, expected an action of SMPI's replay");
}

TEST(JudgeBadInput, OptionsMustFit) {
  const PlacedSchedule plan = placed(text_of("cases/put2.json"));
  EXPECT_EQ(error_of([&] {
              return judge(plan, {Executor::kRccl, {}, {}});
            }),
            "--executor: a file of MSCCL++ plan, expected MSCCL XML");
  const PlacedSchedule pair = placed(text_of("cases/early.xml"));
  EXPECT_EQ(error_of([&] {
              return judge(pair, {{}, {}, Collective::kAllgather});
            }),
            "--as: allgather of 2 ranks in 1 chunk, expected a multiple of 2 chunks");
}

}  // namespace
}  // namespace sluice::testing
