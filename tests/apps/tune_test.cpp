#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "apps/sluice/tune/library.hpp"
#include "apps/sluice/tune/mpich.hpp"
#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using namespace command;
using nlohmann::ordered_json;

/// Eight ranks, two clusters, one link that all of their messages share: 12.4 MB/s at each rank and on the link.
constexpr const char* kTunedPlatform =
    R"({"schema": "sluice.platform/1", "ranks": 8,
 "clusters": [{"name": "a", "ranks": [0, 1, 2, 3], "latency_s": 5e-5, "gap": [[1, 1e-5], [1048576, 0.0845]]},
              {"name": "b", "ranks": [4, 5, 6, 7], "latency_s": 5e-5, "gap": [[1, 1e-5], [1048576, 0.0845]]}],
 "links": [{"from": 0, "to": 1, "latency_s": 1e-4, "gap": [[1, 1e-5], [1048576, 0.0845]]}]})";

/// A library file: a selection of all that can be tuned, between other bytes.
std::string library_with_selection() {
  ordered_json tree;
  const auto add = [&](const std::string& name, const std::string& as, const std::string& algorithm) {
    tree["collective=" + name]["comm_type=intra"]["algorithm=MPIR_" + as + "_intra_" + algorithm] =
        ordered_json::object();
    tree["collective=" + name]["comm_type=inter"]["algorithm=MPIR_" + as + "_inter_other"] = ordered_json::object();
  };
  add("reduce", "Reduce", "binomial");
  add("allreduce", "Allreduce", "recursive_doubling");
  add("allgather", "Allgather", "recursive_doubling");
  add("alltoall", "Alltoall", "brucks");
  add("reduce_scatter", "Reduce_scatter", "recursive_halving");
  add("reduce_scatter_block", "Reduce_scatter_block", "recursive_halving");
  add("iscan", "Iscan", "sched_smp");
  tree["collective=bcast"] = ordered_json::parse(
      R"({"comm_type=intra": {"comm_size<8": {"avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_binomial": {}}},
          "comm_size=pow2": {"comm_hierarchy=parent": {"algorithm=MPIR_Bcast_intra_smp": {}},
            "comm_hierarchy=any": {"avg_msg_size<=12288": {"algorithm=MPIR_Bcast_intra_binomial": {}},
                                   "avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}}}},
          "comm_size=any": {"algorithm=MPIR_Bcast_intra_binomial": {}}}})");
  std::string library("\177ELF{\"collective=bcast\":{}}");
  library += '\0';
  return library + tree.dump() + '\0' + "more";
}

LibraryChoice choice(Library library, Call call, const std::string& name, std::int64_t segment = 0) {
  for (const LibraryAlgorithm& algorithm : library_algorithms(library))
    if (algorithm.call == call && algorithm.name == name) return {&algorithm, segment};
  ADD_FAILURE() << name;
  return {};
}

TEST(Tune, WritesRulesForOpenMpi) {
  const std::vector<TunedSize> sizes{
      {Call::kBcast, 1024, 4096, "knomial", choice(Library::kOpenMpi, Call::kBcast, "chain", 512), 2, 1},
      {Call::kBcast, 4096, 8192, "binary_tree", choice(Library::kOpenMpi, Call::kBcast, "chain", 512), 2, 1},
      {Call::kBcast, 65536, 131072, "basic_linear", choice(Library::kOpenMpi, Call::kBcast, "pipeline", 8192), 2, 1},
      {Call::kAllgather, 100, 200, "bruck", choice(Library::kOpenMpi, Call::kAllgather, "ring"), 2, 1}};
  std::string rules;
  for (const std::string& line : lines(open_mpi_rules(sizes, 6))) {
    const std::string kept = line.substr(0, line.find('#'));
    if (!kept.empty()) rules += kept.substr(0, kept.find_last_not_of(' ') + 1) + '\n';
  }
  // Sizes of allgather count the bytes of all blocks.
  EXPECT_EQ(
      rules,
      "2\n"
      "7\n3\n0\n1\n0 0 0 0\n6\n5\n0 0 0 0\n1024 2 4 512\n8192 0 0 0\n65536 3 0 8192\n131072 0 0 0\n7\n1\n0 0 0 0\n"
      "0\n3\n0\n1\n0 0 0 0\n6\n3\n0 0 0 0\n600 4 0 0\n1200 0 0 0\n7\n1\n0 0 0 0\n");
}

TEST(Tune, KnowsWhatOpenMpiTakes) {
  EXPECT_EQ(open_mpi_default(Call::kBcast, 8, 65536).text(), "basic_linear");
  EXPECT_EQ(open_mpi_default(Call::kBcast, 5, 1 << 20).text(), "pipeline");
  EXPECT_EQ(open_mpi_default(Call::kAllgather, 2, 1).text(), "two_proc");
  EXPECT_EQ(open_mpi_default(Call::kReduceScatterBlock, 8, 8 * 8191).text(), "recursive_halving");
  EXPECT_EQ(open_mpi_default(Call::kReduceScatterBlock, 4, 4 * 8192).text(), "butterfly");
  for (const CallKind& kind : call_kinds())
    for (const std::int64_t ranks : {2, 3, 4, 8, 100, 5000})
      for (const std::int64_t bytes : {1, 1000, 1 << 24})
        EXPECT_TRUE(fits(*open_mpi_default(kind.call, ranks, bytes).algorithm, ranks)) << kind.name << ' ' << ranks;
}

TEST(Tune, LeavesOperationsThatDoNotCommuteRight) {
  const auto names = [](bool any_order) {
    std::string text;
    for (const LibraryChoice& each : library_choices(Library::kOpenMpi, Call::kAllreduce, 6, 8, false, any_order))
      text += each.text() + ' ';
    return text;
  };
  EXPECT_EQ(names(false), "basic_linear nonoverlapping recursive_doubling rabenseifner ");
  EXPECT_EQ(names(true), "basic_linear nonoverlapping recursive_doubling ring segmented_ring rabenseifner ");
}

TEST(Tune, KeepsWhatMpichHas) {
  const Folder folder;
  folder.write("libmpich.so", library_with_selection());
  const MpichSelection selection = read_mpich_selection(folder.path("libmpich.so"));
  const ordered_json before = ordered_json::parse(selection.text);
  EXPECT_EQ(mpich_default(selection, Call::kBcast, 7, 1 << 20)->text(), "binomial");
  EXPECT_EQ(mpich_default(selection, Call::kBcast, 8, 12288)->text(), "binomial");
  EXPECT_EQ(mpich_default(selection, Call::kBcast, 8, 12289)->text(), "scatter_ring_allgather");
  EXPECT_EQ(ordered_json::parse(mpich_rules(selection, {}, 8)), before);

  const std::vector<TunedSize> sizes{
      {Call::kBcast, 1024, 4096, "binomial", choice(Library::kMpich, Call::kBcast, "scatter_ring_allgather"), 2, 1},
      {Call::kAllreduce, 64, 128, "", choice(Library::kMpich, Call::kAllreduce, "reduce_scatter_allgather"), 2, 1},
      {Call::kAlltoall, 64, 128, "brucks", choice(Library::kMpich, Call::kAlltoall, "pairwise"), 2, 1},
      {Call::kAllgather, 64, 128, "recursive_doubling", choice(Library::kMpich, Call::kAllgather, "ring"), 2, 1}};
  const ordered_json after = ordered_json::parse(mpich_rules(selection, sizes, 8));
  for (const auto& [collective, tree] : before.items()) {
    ASSERT_TRUE(after.contains(collective));
    const auto tuned = {"collective=bcast", "collective=allreduce", "collective=alltoall", "collective=allgather"};
    if (std::find(tuned.begin(), tuned.end(), collective) == tuned.end()) {
      EXPECT_EQ(after[collective], tree);
    }
    if (tree.contains("comm_type=inter")) {
      EXPECT_EQ(after[collective]["comm_type=inter"], tree["comm_type=inter"]);
    }
  }
  const ordered_json own = before["collective=bcast"]["comm_type=intra"];
  const ordered_json bcast = after["collective=bcast"]["comm_type=intra"];
  EXPECT_EQ(bcast["comm_size<=7"], own);
  EXPECT_EQ(bcast["comm_size=any"], own);
  // Conditions on the communicator are answered for eight ranks, others stay.
  const ordered_json here = own["comm_size=pow2"];
  EXPECT_EQ(bcast["comm_size<=8"].dump(),
            ordered_json(
                {{"avg_msg_size<1024", here},
                 {"avg_msg_size<4096", {{"algorithm=MPIR_Bcast_intra_scatter_ring_allgather", ordered_json::object()}}},
                 {"avg_msg_size=any", here}})
                .dump());
  const ordered_json allreduce = after["collective=allreduce"]["comm_type=intra"]["comm_size<=8"];
  const ordered_json doubling = before["collective=allreduce"]["comm_type=intra"];
  EXPECT_EQ(allreduce["is_commutative=no"], doubling);
  EXPECT_EQ(allreduce["is_commutative=yes"]["is_op_built_in=no"], doubling);
  EXPECT_EQ(allreduce["is_commutative=yes"]["is_op_built_in=yes"]["count<pow2"], doubling);
  EXPECT_TRUE(allreduce["is_commutative=yes"]["is_op_built_in=yes"]["count=any"].contains("avg_msg_size<128"));
  const ordered_json alltoall = after["collective=alltoall"]["comm_type=intra"]["comm_size<=8"];
  EXPECT_EQ(alltoall["is_sendbuf_inplace=yes"], before["collective=alltoall"]["comm_type=intra"]);
  EXPECT_TRUE(alltoall["is_sendbuf_inplace=no"].contains("avg_msg_size<128"));
  // All blocks count.
  EXPECT_TRUE(after["collective=allgather"]["comm_type=intra"]["comm_size<=8"].contains("total_msg_size<1024"));
}

TEST(Tune, BothLibrariesByModels) {
  const Folder folder;
  folder.write("p.json", kTunedPlatform);
  folder.write("libmpich.so", library_with_selection());
  const Outcome open_mpi = folder.sluice(words("tune --platform p.json --for openmpi -o rules.conf"));
  ASSERT_EQ(open_mpi.status, 0) << open_mpi.err;
  EXPECT_EQ(open_mpi.err, "");
  // The root sends the message seven times: a pipeline is faster however its overheads are counted.
  bool found = false;
  for (const std::string& line : lines(open_mpi.out))
    found = found || (line.rfind("bcast", 0) == 0 && line.find(" 1048576 ") != line.npos &&
                      line.find("basic_linear") != line.npos && line.find("pipeline in 8Ki") != line.npos);
  EXPECT_TRUE(found) << open_mpi.out;
  EXPECT_NE(folder.read("rules.conf").find(" 3 0 8192  # pipeline in 8Ki, in place of basic_linear\n"),
            std::string::npos)
      << folder.read("rules.conf");
  EXPECT_NE(open_mpi.out.find("written to rules.conf"), std::string::npos);

  const Outcome as_json = folder.sluice(words("tune --platform p.json --for openmpi -o again.conf --json -"));
  ASSERT_EQ(as_json.status, 0) << as_json.err;
  EXPECT_EQ(folder.read("again.conf"), folder.read("rules.conf"));
  const ordered_json tuning = ordered_json::parse(as_json.out);  // the file alone, without the table
  EXPECT_EQ(tuning["schema"], "sluice.tuning/1");
  EXPECT_EQ(tuning["about"]["inputs"][0]["file"], "p.json");
  EXPECT_EQ(tuning["ranks"], 8);
  const auto rule = std::ranges::find_if(tuning["rules"], [](const ordered_json& each) {
    return each["call"] == "bcast" && each["from_bytes"] == 1048576;
  });
  ASSERT_NE(rule, tuning["rules"].end());
  EXPECT_EQ((*rule)["own_algorithm"], "basic_linear");
  EXPECT_EQ((*rule)["algorithm"], "pipeline in 8Ki");
  EXPECT_LT((*rule)["time_s"].get<double>(), 0.8 * (*rule)["own_s"].get<double>());

  const Outcome mpich = folder.sluice(
      words("tune --platform p.json --for mpich --library libmpich.so --collectives allgather -o s.json"));
  ASSERT_EQ(mpich.status, 0) << mpich.err;
  const ordered_json selection = ordered_json::parse(folder.read("s.json"));
  EXPECT_NE(selection["collective=allgather"].dump().find("MPIR_Allgather_intra_ring"), std::string::npos);
  EXPECT_EQ(selection["collective=iscan"].size(), 2U);

  // A gain that nothing has: nothing is changed, and the file says so.
  const Outcome none = folder.sluice(words("tune --platform p.json --for openmpi --gain 0.999 -o none.conf"));
  ASSERT_EQ(none.status, 0) << none.err;
  EXPECT_NE(none.out.find("nothing to change"), std::string::npos);
  EXPECT_NE(folder.read("none.conf").find("\n1  # collectives\n7  # bcast\n1\n0\n1\n0 0 0 0"), std::string::npos);
}

TEST(Tune, BadInput) {
  const Folder folder;
  folder.write("p.json", kTunedPlatform);
  folder.write(
      "one.json",
      R"({"schema": "sluice.platform/1", "ranks": 1, "clusters": [{"name": "a", "ranks": [0], "latency_s": 0}], "links": []})");
  folder.write("libother.so", "nothing of that kind");
  const std::vector<std::string> files = folder.files();
  struct Case {
    const char* arguments;
    const char* about;
  };
  for (const Case& each : {
           Case{"--platform p.json --for lam -o out", "--for: 'lam', expected openmpi or mpich"},
           Case{"--platform p.json -o out", "--for: nothing, expected openmpi or mpich"},
           Case{"--platform p.json --for openmpi", "sluice tune: no -o"},
           Case{"--platform p.json --for openmpi -o -", "-o: -"},
           Case{"--platform p.json --for openmpi -o no/such/out", "no/such/out"},
           Case{"--platform p.json --for openmpi -o out --json no/such/out", "no/such/out"},
           Case{"--platform p.json --for openmpi -o out --json out", "another file"},
           Case{"--for openmpi -o out", "sluice tune: neither --platform nor --measure"},
           Case{"--platform missing.json --for openmpi -o out", "missing.json"},
           Case{"--platform libother.so --for openmpi -o out", "libother.so:1"},
           Case{"--platform one.json --for openmpi -o out", "one.json: one rank, expected at least two"},
           Case{"--platform p.json --for openmpi -o out --collectives bcast,scan", "--collectives: 'scan'"},
           Case{"--platform p.json --for openmpi -o out --collectives bcast,bcast", "--collectives: bcast twice"},
           Case{"--platform p.json --for mpich -o out --collectives gather",  // known for Open MPI alone
                "--collectives: 'gather', expected some of bcast, reduce, allreduce, allgather, alltoall, "
                "reduce_scatter, reduce_scatter_block\n"},
           Case{"--platform p.json --for openmpi -o out --sizes 4Ki,1Ki", "--sizes: 1024 after 4096"},
           Case{"--platform p.json --for openmpi -o out --sizes 0", "--sizes: 0 bytes"},
           Case{"--platform p.json --for openmpi -o out --gain 1", "--gain: 1"},
           Case{"--platform p.json --for openmpi -o out --repetitions 2", "--repetitions: '2'"},
           Case{"--platform p.json --for mpich -o out --commutative", "--commutative: MPICH"},
           Case{"--platform p.json --for openmpi -o out --library libother.so", "--library: a file for Open MPI"},
           Case{"--platform p.json --for mpich -o out --library libother.so", "libother.so: no selection inside"},
           Case{"--platform p.json --for mpich -o out --library none.so",
                "none.so: cannot be read: No such file or directory"},
       }) {
    SCOPED_TRACE(each.arguments);
    expect_refused(folder.sluice(words(std::string("tune ") + each.arguments)), each.about);
    EXPECT_EQ(folder.files(), files);
  }
}

}  // namespace
}  // namespace sluice::testing
