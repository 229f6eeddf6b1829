#include "sluice/plan/library_run.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/program_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/program.hpp"

namespace sluice {
namespace {

using testing::kAllCollectives;
using testing::one_cluster;
using Pattern = LibraryPattern;

constexpr Pattern kAllPatterns[] = {
    Pattern::kLinear,       Pattern::kPipeline, Pattern::kChains4,   Pattern::kBinary,
    Pattern::kBinomialNear, Pattern::kBinomial, Pattern::kKnomial4,  Pattern::kScatterDoubling,
    Pattern::kScatterRing,  Pattern::kDoubling, Pattern::kHalving,   Pattern::kRabenseifner,
    Pattern::kRing,         Pattern::kBruck,    Pattern::kNeighbors, Pattern::kDirect};

using Messages = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>>;

/// The bytes of all messages between each two ranks.
Messages messages_of(const LibraryRun& run, std::int64_t ranks) {
  Messages messages;
  const std::optional<Program> program = library_program(run, ranks);
  for (const ProgramOperation& op : program.value().operations)
    if (op.kind == ProgramOperation::Kind::kSend) messages[{op.rank, op.peer}].push_back(op.message_bytes());
  return messages;
}

TEST(LibraryRun, EveryProgramIsSound) {
  std::map<Collective, int> sound;
  for (const Collective problem : kAllCollectives) {
    for (const Pattern pattern : kAllPatterns) {
      for (std::int64_t ranks = 1; ranks <= 17; ++ranks) {
        for (const std::int64_t size : {0, 1, 7, 100}) {
          SCOPED_TRACE(::testing::Message() << to_string(problem) << ", pattern " << static_cast<int>(pattern) << ", "
                                            << ranks << " ranks, " << size << " bytes");
          const auto program = library_program({problem, pattern, size, size == 100 ? 30 : 0}, ranks);
          if (!program) continue;
          const std::vector<Violation> faults = validate(*program);
          ASSERT_TRUE(faults.empty()) << to_string(faults.front());
          ++sound[problem];
        }
      }
    }
  }
  for (const Collective problem : kAllCollectives) EXPECT_GE(sound[problem], 17 * 4) << to_string(problem);
}

TEST(LibraryRun, TreesAreThoseOfTheLibraries) {
  const auto edges = [](Pattern pattern, std::int64_t ranks) {
    std::string text;
    for (const auto& edge : messages_of({Collective::kBroadcast, pattern, 8, 0}, ranks))
      text += std::to_string(edge.first.first) + '>' + std::to_string(edge.first.second) + ' ';
    return text;
  };
  EXPECT_EQ(edges(Pattern::kLinear, 4), "0>1 0>2 0>3 ");
  EXPECT_EQ(edges(Pattern::kPipeline, 4), "0>1 1>2 2>3 ");
  EXPECT_EQ(edges(Pattern::kChains4, 8), "0>1 0>3 0>5 0>7 1>2 3>4 5>6 ");
  EXPECT_EQ(edges(Pattern::kChains4, 4), "0>1 0>2 0>3 ");
  EXPECT_EQ(edges(Pattern::kBinary, 8), "0>1 0>2 1>3 1>5 2>4 2>6 3>7 ");
  EXPECT_EQ(edges(Pattern::kBinomialNear, 8), "0>1 0>2 0>4 1>3 1>5 2>6 3>7 ");
  EXPECT_EQ(edges(Pattern::kBinomial, 8), "0>1 0>2 0>4 2>3 4>5 4>6 6>7 ");
  EXPECT_EQ(edges(Pattern::kKnomial4, 8), "0>1 0>2 0>3 0>4 4>5 4>6 4>7 ");
}

TEST(LibraryRun, RabenseifnerSwapsHalvesWithTheNearest) {
  const Messages messages = messages_of({Collective::kAllreduce, Pattern::kRabenseifner, 80, 0}, 8);
  EXPECT_EQ(messages.at({0, 1}), (std::vector<std::int64_t>{40, 40}));
  EXPECT_EQ(messages.at({0, 2}), (std::vector<std::int64_t>{20, 20}));
  EXPECT_EQ(messages.at({0, 4}), (std::vector<std::int64_t>{10, 10}));
  // The usual halving of a reduce-scatter begins with the farthest.
  EXPECT_EQ(messages_of({Collective::kReduceScatter, Pattern::kHalving, 80, 0}, 8).at({0, 4}),
            (std::vector<std::int64_t>{40}));
}

TEST(LibraryRun, SegmentsPassOneAfterTheOther) {
  const Messages messages = messages_of({Collective::kBroadcast, Pattern::kPipeline, 100, 30}, 3);
  EXPECT_EQ(messages.at({0, 1}), (std::vector<std::int64_t>{25, 25, 25, 25}));
  EXPECT_EQ(messages.at({1, 2}).size(), 4U);
  // 125 MB/s, 50 us: two hops of the whole message, or of quarters that overlap.
  const double whole = *library_seconds(one_cluster(3), {Collective::kBroadcast, Pattern::kPipeline, 1 << 20, 0});
  const double cut = *library_seconds(one_cluster(3), {Collective::kBroadcast, Pattern::kPipeline, 1 << 20, 1 << 18});
  EXPECT_NEAR(whole, 2 * (8.39e-3 + 50e-6), 2e-4);
  EXPECT_NEAR(cut, 5.0 / 4 * 8.39e-3 + 2 * 50e-6, 4e-4);
}

TEST(LibraryRun, SaysWhatDoesNotFit) {
  EXPECT_FALSE(library_program({Collective::kAllgather, Pattern::kDoubling, 8, 0}, 6));
  EXPECT_FALSE(library_program({Collective::kAllgather, Pattern::kNeighbors, 8, 0}, 5));
  EXPECT_FALSE(library_program({Collective::kAllreduce, Pattern::kRabenseifner, 8, 0}, 6));
  EXPECT_FALSE(library_program({Collective::kAlltoall, Pattern::kBinary, 8, 0}, 6));
  EXPECT_FALSE(library_seconds(one_cluster(6), {Collective::kBroadcast, Pattern::kScatterDoubling, 8, 0}));
  EXPECT_THROW((void)library_program({Collective::kBroadcast, Pattern::kLinear, -1, 0}, 6), InputError);
  EXPECT_THROW((void)library_program({Collective::kBroadcast, Pattern::kLinear, 1, -1}, 6), InputError);
  EXPECT_THROW((void)library_program({Collective::kBroadcast, Pattern::kLinear, 1, 0}, 0), InputError);
}

TEST(LibraryRun, LongReplaysAreLeftOut) {
  // 89,700 messages; 7656, all at once.
  EXPECT_FALSE(library_seconds(one_cluster(300), {Collective::kAlltoall, Pattern::kDirect, 8, 0}));
  EXPECT_TRUE(library_seconds(one_cluster(88), {Collective::kAlltoall, Pattern::kDirect, 8, 0}));
}

}  // namespace
}  // namespace sluice
