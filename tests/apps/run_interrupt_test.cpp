// Ctrl-C and the end of a job's time in `run`: the table so far is printed and written.

#include <gtest/gtest.h>

#include <string>

#include "ranks_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

/// It would take minutes.
constexpr const char* kLongRun =
    "run redistribute --from 2x1:4x4 --to 1x2:8x8 --shape 64x64 --methods sluice,alltoallv --repetitions 1000000 "
    "--json F.json --trace T.json";

/// Starts kLongRun on two ranks; `then` is done once `rank` waits for signals, with the ranks' processes in pid.0 and
/// pid.1 and the launcher's in $launcher. Open MPI's launcher kills ranks `kill_after` seconds after it asks them to
/// end, and always waits for so long.
Outcome run_and(const Folder& folder, const std::string& then, int kill_after = 0) {
  folder.write("rank.sh", "echo $$ >pid.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; exec " SLUICE_COMMAND " " +
                              std::string(kLongRun) + "\n");
  folder.write("run.sh", "set -u; export " SLUICE_LAUNCHER_ENVIRONMENT "\nexport OMPI_MCA_odls_base_sigkill_timeout=" +
                             std::to_string(kill_after) +
                             "\n" SLUICE_LAUNCHER " " SLUICE_LAUNCHER_RANKS
                             " 2 bash rank.sh & launcher=$!\n"
                             "for rank in 0 1; do\n"
                             "  until [[ -s pid.$rank ]] && caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "
                             "/proc/$(<pid.$rank)/status) && (( 0x$caught & 0x4000 )); do sleep 0.05; done\n"
                             "done\n"
                             "sleep 1\n" +
                             then + "\nwait $launcher\n");
  return folder.run({"bash", "run.sh"});
}

/// `output`: null if the launcher forwards nothing after the signal.
void expect_table_so_far(const Folder& folder, const std::string* output, const std::string& by) {
  const json file = json::parse(folder.read("F.json"));
  EXPECT_EQ(file["interrupted"], true);
  EXPECT_EQ(file["verified"], true);
  const std::size_t repetitions = file["repetitions"];
  EXPECT_GE(repetitions, 1U);
  EXPECT_LT(repetitions, 1'000'000U);
  ASSERT_EQ(file["methods"].size(), 2U);
  for (const json& method : file["methods"]) EXPECT_EQ(method["samples_s"].size(), repetitions);
  if (output == nullptr) return;
  const std::string told = std::to_string(repetitions) + (repetitions == 1 ? " repetition" : " repetitions") +
                           " of 1000000 (interrupted by " + by + "), methods alternating\n";
  EXPECT_NE(output->find(told), output->npos) << *output << "lacks: " << told;
  EXPECT_NE(output->find("verified: "), output->npos) << *output;
}

TEST(RunInterrupt, OfOneRankIsThatOfAll) {
  for (const char* rank : {"0", "1"}) {
    const Folder folder;
    const Outcome outcome = run_and(folder, std::string("kill -INT $(<pid.") + rank + ")");
    EXPECT_EQ(outcome.status, 130) << outcome.err;
    expect_table_so_far(folder, &outcome.out, "Ctrl-C");
    for (const std::string& file : folder.files()) EXPECT_NE(file, "T.json") << "no time is left for it";
  }
}

TEST(RunInterrupt, IsAlsoTheEndOfTheTimeOfAJob) {
  const Folder folder;
  const Outcome outcome = run_and(folder, "kill -TERM $(<pid.0) $(<pid.1)");
  EXPECT_EQ(outcome.status, 143) << outcome.err;
  expect_table_so_far(folder, &outcome.out, "SIGTERM");
}

/// Open MPI's launcher asks with SIGTERM, and has a status of its own. From version 5 on it then forwards no output, so
/// the table is in the file alone. MPICH's launcher passes the signal to the ranks.
TEST(RunInterrupt, OfTheLauncherLeavesTheTable) {
  const Folder folder;
  const Outcome outcome = run_and(folder, "kill -INT $launcher", 5);
  EXPECT_NE(outcome.status, 0);
  const std::string version = folder.run({"bash", "-c", SLUICE_LAUNCHER " --version"}).out;
  const bool forwards = SLUICE_IS_OPENMPI == 0 || version.find("(Open MPI) 4.") != version.npos;
  expect_table_so_far(folder, forwards ? &outcome.out : nullptr, SLUICE_IS_OPENMPI != 0 ? "SIGTERM" : "Ctrl-C");
}

}  // namespace
}  // namespace sluice::testing
