#include "run/mpi/ways/choice.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::mpi::detail {
namespace {

/// What a job finds: the ranks and where they are, the data, and what the user says.
struct Facts {
  std::int64_t bytes = 0;
  std::int64_t ranks = 1;
  bool one_node = false;
  bool shares_memory = false;
  bool crowded = false;
  bool two_at_once = false;
  bool simulated = false;
  bool commutative = false;
  bool built_in = false;
  bool reproducible = false;
  bool tries_native = false;
  std::int64_t count = 0;  ///< elements
  bool limited = false;
  bool routed = false;
  bool is_matrix = false;
};

// The rules as functions, without the table.

const char* broadcast_way(const Facts& f) {
  const bool between_hosts = f.tries_native && !f.one_node && !f.simulated;
  const bool in_segments = between_hosts && f.bytes > 2 << 10 && f.bytes <= 32 << 10;
  const bool in_turns = f.one_node && f.crowded;
  const bool by_tree = f.tries_native && f.ranks > 1 && !f.simulated && f.bytes > 0 && !in_segments &&
                       (f.shares_memory || f.bytes <= (in_turns ? 256 << 10 : 4 << 10));
  if (by_tree) return "tree";
  if (!in_segments && (f.bytes <= 4 << 10 || !between_hosts)) return "native";
  return in_segments ? "segments" : "plan";
}

bool broadcast_is_flat(const Facts& f) {
  return f.shares_memory || (f.one_node && f.crowded) || (!f.one_node && f.ranks <= 16 && f.bytes <= 512);
}

const char* reduction_way(const Facts& f) {
  const bool nothing_said = f.commutative;
  const bool by_default = nothing_said && f.built_in;
  const bool long_between_hosts = !f.one_node && f.bytes >= 32 << 10;
  const bool by_network = by_default && !f.reproducible && long_between_hosts;
  const bool by_usual_network = nothing_said && !by_network && long_between_hosts;
  const bool least_work = by_default && f.one_node && (f.bytes <= 256 << 10 || (!f.reproducible && f.crowded));
  const bool own_in_shares = !f.built_in && f.count >= f.ranks;
  const bool by_memory = (f.built_in || own_in_shares) && f.shares_memory;
  const bool in_turns = least_work && f.crowded && f.bytes <= 64 << 10;
  if (by_network) return "measured network";
  if (by_usual_network) return "usual network";
  if (by_memory) return in_turns || (f.built_in && f.two_at_once) ? "memory, flat" : "memory, shares";
  if (least_work) return in_turns ? "flat" : "binomial";
  return "costs";
}

const char* assumed_operation(const Facts& f) {
  if (f.built_in || f.ranks > 64) return "free";
  return f.bytes > 96 << 10 ? "cheap" : "expensive";
}

bool is_short_collective(const Facts& f) { return !f.one_node && !f.simulated && f.bytes < 32 << 10; }

bool collective_is_native(const Facts& f) {
  const bool short_matrix = f.is_matrix && is_short_collective(f);
  if (f.simulated || f.ranks > (short_matrix ? 64 : 256)) return true;
  return f.reproducible && !f.shares_memory && f.built_in && f.one_node && f.bytes <= 256 << 10;
}

const char* collective_plan(const Facts& f) {
  if (f.shares_memory) return "memory";
  if (is_short_collective(f) && f.ranks <= 256) return "each rank";
  return f.reproducible ? "usual network" : "measured network";
}

const char* exchange_mode(const Facts& f) {
  if (f.limited || (!f.one_node && f.bytes > 128 << 10)) return "chain";
  return f.one_node && !f.routed ? "at once" : "local";
}

const char* redistribution_mode(const Facts& f) {
  if (f.one_node && !f.routed) return "at once";
  return f.one_node || f.bytes <= 128 << 10 ? "local" : "chain";
}

bool is_planned_soon(std::int64_t clusters, std::int64_t ranks) { return ranks <= 1000 && clusters <= 8; }

bool worth_trying(std::size_t messages, int ranks) {
  return ranks <= 64 || messages >= static_cast<std::size_t>(ranks) / 2;
}

// The same by the table.

Where where_of(const Facts& f) {
  return (f.one_node ? Where::kOneHost : Where::kHosts) | when(f.shares_memory, Where::kShared) |
         when(f.crowded, Where::kCrowded) | when(f.two_at_once, Where::kTwoAtOnce) |
         when(f.simulated, Where::kSimulated) | when(!f.tries_native, Where::kNoTrial) |
         when(f.commutative, Where::kCommutes) | when(f.built_in, Where::kBuiltIn) | when(!f.built_in, Where::kOwn) |
         when(!f.reproducible, Where::kAnyOrder) | when(f.reproducible, Where::kReproducible) |
         when(f.built_in || f.count >= f.ranks, Where::kShares) | when(f.is_matrix, Where::kMatrix) |
         when(f.limited, Where::kLimited) | when(!f.routed, Where::kDirect);
}

/// The rules that some case was served by.
std::set<const Rule*>& used() {
  static std::set<const Rule*> all;
  return all;
}

By by(JobKind job, Question question, const Facts& f) {
  const Rule& rule = choose({job, question, where_of(f), f.bytes, f.ranks});
  used().insert(&rule);
  return rule.by;
}

/// In the words of the functions above.
const char* words(By by) {
  switch (by) {
    case By::kMpi:
      return "native";
    case By::kTree:
      return "tree";
    case By::kSegments:
      return "segments";
    case By::kPlan:
      return "plan";
    case By::kMemory:
      return "memory";
    case By::kMeasured:
      return "measured network";
    case By::kUsual:
      return "usual network";
    case By::kMemoryFlat:
      return "memory, flat";
    case By::kShares:
      return "memory, shares";
    case By::kFlat:
      return "flat";
    case By::kBinomial:
      return "binomial";
    case By::kCosts:
      return "costs";
    case By::kEachRank:
      return "each rank";
    case By::kAtOnce:
      return "at once";
    case By::kLocal:
      return "local";
    case By::kChain:
      return "chain";
    case By::kExpensive:
      return "expensive";
    case By::kCheap:
      return "cheap";
    case By::kFree:
      return "free";
    default:
      return "another";
  }
}

std::string to_string(const Facts& f) {
  std::ostringstream text;
  text << f.bytes << " bytes, " << f.ranks << " ranks, " << f.count << " elements";
  for (const auto& [holds, name] : std::initializer_list<std::pair<bool, const char*>>{{f.one_node, "one node"},
                                                                                       {f.shares_memory, "memory"},
                                                                                       {f.crowded, "crowded"},
                                                                                       {f.two_at_once, "two at once"},
                                                                                       {f.simulated, "simulated"},
                                                                                       {f.commutative, "commutes"},
                                                                                       {f.built_in, "built in"},
                                                                                       {f.reproducible, "reproducible"},
                                                                                       {f.tries_native, "tries native"},
                                                                                       {f.limited, "limited"},
                                                                                       {f.routed, "routed"},
                                                                                       {f.is_matrix, "matrix"}})
    if (holds) text << ", " << name;
  return text.str();
}

/// 0 and the powers of two to 64 MiB, with their neighbours, and limits that are no powers of two.
std::vector<std::int64_t> sizes() {
  std::vector<std::int64_t> all{0, 96 << 10, (96 << 10) + 1, (96 << 10) - 1};
  for (std::int64_t power = 1; power <= 64 << 20; power *= 2)
    for (const std::int64_t size : {power - 1, power, power + 1}) all.push_back(size);
  return all;
}

/// Calls visit(facts) for all cases that can be: memory is shared on one node only, and not by simulated ranks.
template <class Visit>
void for_each_case(Visit visit) {
  constexpr unsigned kFlags = 11;
  for (const std::int64_t bytes : sizes()) {
    for (const std::int64_t ranks : {1, 2, 16, 17, 64, 65, 256, 257, 1000}) {
      for (unsigned flags = 0; flags < 1U << kFlags; ++flags) {
        unsigned at = 0;
        const auto next = [&] { return (flags >> at++ & 1U) != 0; };
        Facts f;
        f.bytes = bytes;
        f.ranks = ranks;
        f.one_node = next();
        f.shares_memory = next();
        f.crowded = next();
        f.two_at_once = next();
        f.simulated = next();
        f.commutative = next();
        f.built_in = next();
        f.reproducible = next();
        f.tries_native = f.limited = next();
        f.routed = f.is_matrix = next();
        f.count = next() ? ranks : ranks - 1;
        if (f.shares_memory && (!f.one_node || f.simulated)) continue;
        if (ranks == 1 && !f.one_node) continue;
        visit(f);
      }
    }
  }
}

TEST(Choice, IsThatOfTheFunctions) {
  std::int64_t wrong = 0;
  const auto expect = [&](std::string_view found, std::string_view expected, const Facts& f, const char* what) {
    if (found == expected || ++wrong > 10) return;
    ADD_FAILURE() << what << ": " << found << " instead of " << expected << ": " << to_string(f);
  };
  for_each_case([&](const Facts& f) {
    const By broadcast = by(JobKind::kBroadcast, Question::kWay, f);
    expect(broadcast == By::kMemory ? "tree" : words(broadcast), broadcast_way(f), f, "broadcast");
    expect(words(by(JobKind::kBroadcast, Question::kTree, f)), broadcast_is_flat(f) ? "flat" : "binomial", f, "tree");
    expect(words(by(JobKind::kBroadcast, Question::kOther, f)), f.bytes <= 4 << 10 ? "tree" : "native", f, "other");
    if (!f.simulated) expect(words(by(JobKind::kReduction, Question::kWay, f)), reduction_way(f), f, "reduction");
    expect(words(by(JobKind::kReduction, Question::kOperation, f)), assumed_operation(f), f, "operation");
    expect(words(by(JobKind::kCollective, Question::kWay, f)), collective_is_native(f) ? "native" : "plan", f,
           "collective");
    expect(words(by(JobKind::kCollective, Question::kPlan, f)), collective_plan(f), f, "plan of a collective");
    expect(words(by(JobKind::kExchange, Question::kWay, f)), exchange_mode(f), f, "exchange");
    expect(words(by(JobKind::kRedistribution, Question::kWay, f)), redistribution_mode(f), f, "redistribution");
    for (const JobKind job : {JobKind::kExchange, JobKind::kRedistribution})
      expect(words(by(job, Question::kMeasure, f)), f.bytes >= 256 << 10 ? "measured network" : "another", f,
             "measure");
    expect(words(by(JobKind::kExchange, Question::kLocalPhases, f)), f.bytes >= 4096 ? "memory" : "another", f,
           "local phases");
    expect(by(JobKind::kRedistribution, Question::kCut, f) == By::kCut ? "cut" : "whole",
           f.bytes <= 1024 ? "cut" : "whole", f, "pairs");
  });
  EXPECT_EQ(wrong, 0);

  for (const int ranks : {1, 2, 63, 64, 65, 66, 67, 1000, 1001}) {
    for (const std::int64_t clusters : {1, 7, 8, 9, 100}) {
      const Case broadcast{JobKind::kBroadcast, Question::kSoon, Where::kAnywhere, clusters, ranks};
      const Case reduction{JobKind::kReduction, Question::kSoon, Where::kAnywhere, clusters, ranks};
      for (const Case& each : {broadcast, reduction}) {
        used().insert(&choose(each));
        EXPECT_EQ(choose(each).by == By::kPlan, is_planned_soon(clusters, ranks)) << clusters << " and " << ranks;
      }
    }
    for (std::size_t messages = 0; messages <= 600; ++messages) {
      EXPECT_EQ(is_tried(JobKind::kExchange, messages, ranks), worth_trying(messages, ranks)) << messages;
      for (const std::int64_t bytes : sizes())
        EXPECT_EQ(is_tried(JobKind::kRedistribution, messages, ranks, bytes),
                  bytes <= 8 << 20 && worth_trying(messages, ranks))
            << messages << " messages, " << ranks << " ranks, " << bytes << " bytes";
    }
  }
  EXPECT_EQ(nearly_all(), 0.9);
  EXPECT_EQ(factor_of(choose({JobKind::kAny, Question::kTrial})), 1.05);
  EXPECT_EQ(factor_of(choose({JobKind::kAny, Question::kTrial, Where::kAlways})), 1.02);

  for (const Rule& rule : rules()) {
    const bool elsewhere =
        rule.question == Question::kTry || rule.question == Question::kLinks || rule.question == Question::kTrial;
    EXPECT_TRUE(elsewhere || used().contains(&rule)) << "never chosen: " << to_text(rule);
  }
}

/// The headings of docs/reference/results.md.
std::set<std::string> sections() {
  std::set<std::string> result;
  std::ifstream page(SLUICE_RESULTS);
  for (std::string line; std::getline(page, line);)
    if (line.rfind("## ", 0) == 0) result.insert(line.substr(3));
  return result;
}

TEST(Choice, NamesTheSectionThatHasTheFigure) {
  const std::set<std::string> all = sections();
  ASSERT_GT(all.size(), 5U) << SLUICE_RESULTS;
  for (const Rule& rule : rules())
    EXPECT_TRUE(rule.measured == std::string(kNoFigure) || all.contains(rule.measured)) << rule.measured;
}

TEST(Choice, IsSaidInPlainWords) {
  const auto text = [](JobKind job, Question question, Where where, std::int64_t size, std::int64_t ranks = 8) {
    return to_text(choose({job, question, where, size, ranks}));
  };
  const Where crowded = Where::kOneHost | Where::kCrowded;
  EXPECT_EQ(text(JobKind::kBroadcast, Question::kWay, crowded | Where::kShared, 1 << 30),
            "on one host that shares memory: by memory");
  EXPECT_EQ(text(JobKind::kBroadcast, Question::kWay, crowded, 256 << 10),
            "up to 256 KiB on one host with more ranks than processors: by a tree without a plan");
  EXPECT_EQ(text(JobKind::kBroadcast, Question::kWay, Where::kOneHost, 5000),
            "more than 4 KiB on one host: by MPI's own call");
  EXPECT_EQ(text(JobKind::kBroadcast, Question::kWay, Where::kHosts, 5000),
            "more than 2 KiB and up to 32 KiB between hosts: in segments");
  EXPECT_EQ(text(JobKind::kBroadcast, Question::kWay, Where::kHosts, 50000),
            "more than 32 KiB between hosts: by a plan");
  EXPECT_EQ(text(JobKind::kBroadcast, Question::kTree, Where::kHosts, 10),
            "up to 512 bytes and up to 16 ranks between hosts: by a flat tree");
  EXPECT_EQ(text(JobKind::kBroadcast, Question::kSoon, Where::kAnywhere, 9),
            "more than 8 clusters or more than 1000 ranks: by MPI's own call");
  EXPECT_EQ(text(JobKind::kReduction, Question::kWay, Where::kHosts | Where::kCommutes, 10),
            "less than 32 KiB between hosts: by a tree for usual costs");
  EXPECT_EQ(text(JobKind::kReduction, Question::kWay, Where::kHosts | Where::kCommutes, 32 << 10),
            "32 KiB and more between hosts for an operation that commutes: by a plan for a usual network");
  EXPECT_EQ(text(JobKind::kExchange, Question::kWay, Where::kHosts | Where::kLimited, 10),
            "if k or speeds are limits: by mode chain");
}

TEST(Choice, GoesToOtherRanksAsANumber) {
  EXPECT_EQ(rule_of(kNoRule), nullptr);
  EXPECT_EQ(in_brackets(nullptr), "");
  for (const Rule& rule : rules()) {
    EXPECT_EQ(rule_of(number_of(rule)), &rule);
    EXPECT_EQ(in_brackets(&rule), " (" + to_text(rule) + ")");
  }
}

}  // namespace
}  // namespace sluice::mpi::detail
