#include "sluice/schedule/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "mutations.hpp"
#include "plan/collective/registry.hpp"
#include "plan/program_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/reduce_scatter.hpp"
#include "sluice/plan/reversed_broadcast.hpp"

namespace sluice {
namespace {

using testing::for_each_mutation;
using testing::kAllCollectives;
using testing::Mutator;
using testing::one_cluster;
using Kind = ProgramOperation::Kind;

// ---------------------------------------------------------------------------------------------------------------------
// A replay that knows nothing of the validator: byte by byte, with the set of ranks that each byte is combined of.

constexpr std::int64_t kMostBytes = 5000;

/// Ranks in the order of combining, next to each other; empty: the byte is not there.
using Byte = std::vector<std::int64_t>;

class ByteReplay {
 public:
  explicit ByteReplay(const Program& program) : p_(program) {}

  bool sound() {
    if (p_.ranks < 1 || p_.ranks > 64 || p_.size_bytes < 0 || p_.size_bytes > kMostBytes || p_.root < 0 ||
        p_.root >= p_.ranks || p_.element_bytes < 1 || p_.size_bytes % p_.element_bytes != 0)
      return false;
    const bool rooted = p_.problem == Collective::kBroadcast || p_.problem == Collective::kReduce ||
                        p_.problem == Collective::kScatter || p_.problem == Collective::kGather;
    if (!rooted && p_.root != 0) return false;
    if (!(p_.bound_s >= 0 && p_.length_s >= p_.bound_s && std::isfinite(p_.length_s))) return false;
    const CombiningCosts& costs = p_.combine_s_per_byte;
    if (!costs.by_rank().empty() && costs.by_rank().size() != static_cast<std::size_t>(p_.ranks)) return false;
    for (std::int64_t rank = 0; rank < p_.ranks; ++rank)
      if (!(costs.of(rank) >= 0 && costs.of(rank) <= 1e80)) return false;
    const bool one_array = p_.problem == Collective::kBroadcast || p_.problem == Collective::kReduce ||
                           p_.problem == Collective::kAllreduce || p_.problem == Collective::kReduceScatter;
    const bool cells = p_.problem == Collective::kAlltoall;
    if (!p_.block_offsets.empty()) {
      const auto blocks = static_cast<std::size_t>(p_.ranks * (cells ? p_.ranks : 1));
      if ((one_array && p_.problem != Collective::kReduceScatter) || p_.block_offsets.size() != blocks + 1 ||
          p_.block_offsets.front() != 0 || p_.block_offsets.back() != p_.size_bytes ||
          !std::ranges::is_sorted(p_.block_offsets) ||
          !std::ranges::all_of(p_.block_offsets, [&](std::int64_t at) { return at % p_.element_bytes == 0; }))
        return false;
      bytes_ = p_.size_bytes;
      return fields() && waits() && carry_out() && end();
    }
    bytes_ = p_.size_bytes * (one_array ? 1 : p_.ranks) * (cells ? p_.ranks : 1);
    return fields() && waits() && carry_out() && end();
  }

 private:
  [[nodiscard]] bool combining() const {
    return p_.problem == Collective::kReduce || p_.problem == Collective::kAllreduce ||
           p_.problem == Collective::kReduceScatter;
  }

  bool fields() {
    for (std::size_t i = 0; i < p_.operations.size(); ++i) {
      const ProgramOperation& op = p_.operations[i];
      if (op.rank < 0 || op.rank >= p_.ranks || op.peer < 0 || op.peer >= p_.ranks || op.peer == op.rank) return false;
      if (op.kind == Kind::kCombine && !combining()) return false;
      std::vector<ByteRange> ranges = op.more;
      ranges.insert(ranges.begin(), {op.offset, op.bytes});
      std::set<std::int64_t> named;
      bool good = true;
      for (const ByteRange& range : ranges) {
        if (range.offset < 0 || range.bytes < 1 || range.bytes > bytes_ || range.offset > bytes_ - range.bytes ||
            range.offset % p_.element_bytes != 0 || range.bytes % p_.element_bytes != 0)
          return false;
        for (std::int64_t b = range.offset; b < range.offset + range.bytes; ++b) good = named.insert(b).second && good;
      }
      if (!good) return false;
      bytes_of_.emplace_back();
      for (const ByteRange& range : ranges)
        for (std::int64_t b = range.offset; b < range.offset + range.bytes; ++b) bytes_of_.back().push_back(b);
      ranges_of_.push_back(ranges);
      for (const std::int64_t before : op.after)
        if (before < 0 || std::cmp_greater_equal(before, i) ||
            p_.operations[static_cast<std::size_t>(before)].rank != op.rank)
          return false;
    }
    return true;
  }

  /// Looks back through the list for every byte.
  bool waits() {
    for (std::size_t i = 0; i < p_.operations.size(); ++i) {
      const ProgramOperation& op = p_.operations[i];
      const std::set<std::int64_t> after(op.after.begin(), op.after.end());
      for (const std::int64_t byte : bytes_of_[i]) {
        bool read = false;
        for (std::size_t j = i; j-- > 0;) {
          const ProgramOperation& other = p_.operations[j];
          if (other.rank != op.rank || std::ranges::find(bytes_of_[j], byte) == bytes_of_[j].end()) continue;
          const bool names = after.contains(static_cast<std::int64_t>(j));
          if (other.kind == Kind::kSend) {
            if (op.kind == Kind::kSend) continue;
            read = true;
            if (!names) return false;
          } else {
            if (!read && !names) return false;
            break;
          }
        }
      }
    }
    return true;
  }

  /// Whatever may happen next does, until nothing can: sends wait for their receivers, which take one at a time.
  bool carry_out() {
    const std::size_t n = p_.operations.size();
    held_.assign(static_cast<std::size_t>(p_.ranks), std::vector<Byte>(static_cast<std::size_t>(bytes_)));
    for (std::int64_t rank = 0; rank < p_.ranks; ++rank)
      for (std::int64_t b = 0; b < bytes_; ++b)
        if (at_start(rank, b)) at(rank, b) = {rank};
    std::vector<bool> ended(n, false);
    std::map<std::size_t, std::vector<Byte>> in_buffer;  // of a combine
    std::map<std::size_t, std::size_t> taken;            // receive -> send
    const auto all_ended = [&](std::size_t i) {
      return std::ranges::all_of(p_.operations[i].after,
                                 [&](std::int64_t a) { return ended[static_cast<std::size_t>(a)]; });
    };
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t i = 0; i < n; ++i) {
        const ProgramOperation& op = p_.operations[i];
        if (ended[i]) continue;
        if (op.kind != Kind::kSend) {
          if (!in_buffer.contains(i) || !all_ended(i)) continue;
          for (std::size_t b = 0; b < bytes_of_[i].size(); ++b)
            if (!combine(at(op.rank, bytes_of_[i][b]), in_buffer[i][b])) return false;
          ended[i] = moved = true;
          continue;
        }
        // The first of its pair that has not passed, and the next that its receiver takes.
        bool first = true;
        for (std::size_t j = 0; j < i; ++j)
          first = first && (ended[j] || p_.operations[j].kind != Kind::kSend || p_.operations[j].rank != op.rank ||
                            p_.operations[j].peer != op.peer);
        if (!first || !all_ended(i)) continue;
        std::size_t next = 0;
        while (next < n &&
               (ended[next] || p_.operations[next].kind == Kind::kSend || p_.operations[next].rank != op.peer))
          ++next;
        if (next == n || taken.contains(next) || p_.operations[next].peer != op.rank) continue;
        const ProgramOperation& receive = p_.operations[next];
        if (receive.kind == Kind::kReceive && !all_ended(next)) continue;
        if (ranges_of_[next] != ranges_of_[i]) return false;
        std::vector<Byte> carried;
        for (const std::int64_t b : bytes_of_[i]) {
          if (at(op.rank, b).empty()) return false;
          carried.push_back(at(op.rank, b));
        }
        taken[next] = i;
        ended[i] = moved = true;
        if (receive.kind == Kind::kCombine) {
          in_buffer[next] = std::move(carried);
          continue;
        }
        for (std::size_t b = 0; b < carried.size(); ++b) at(op.peer, bytes_of_[next][b]) = carried[b];
        ended[next] = true;
      }
    }
    return std::ranges::all_of(ended, [](bool each) { return each; });
  }

  bool combine(Byte& own, const Byte& other) const {
    Byte both = own;
    both.insert(both.end(), other.begin(), other.end());
    std::ranges::sort(both);
    if (std::cmp_greater(both.size(), p_.ranks)) return false;
    if (!p_.commutative)
      for (std::size_t i = 1; i < both.size(); ++i)
        if (both[i] != both[i - 1] + 1) return false;
    own = both;
    return true;
  }

  bool end() {
    for (std::int64_t rank = 0; rank < p_.ranks; ++rank) {
      for (std::int64_t b = 0; b < bytes_; ++b) {
        if (!at_end(rank, b)) continue;
        const Byte& byte = at(rank, b);
        if (byte.empty()) return false;
        if (!combining()) continue;
        for (std::int64_t other = 0; other < p_.ranks; ++other)
          if (std::cmp_not_equal(byte.size(), p_.ranks) || byte[static_cast<std::size_t>(other)] != other) return false;
      }
    }
    return true;
  }

  /// The block that a byte is in.
  [[nodiscard]] std::int64_t block(std::int64_t byte) const {
    if (p_.block_offsets.empty()) return byte / p_.size_bytes;
    std::int64_t found = 0;
    while (p_.block_offsets[static_cast<std::size_t>(found) + 1] <= byte) ++found;
    return found;
  }
  [[nodiscard]] bool at_start(std::int64_t rank, std::int64_t byte) const {
    switch (p_.problem) {
      case Collective::kBroadcast:
      case Collective::kScatter:
        return rank == p_.root;
      case Collective::kGather:
      case Collective::kAllgather:
        return block(byte) == rank;
      case Collective::kAlltoall:
        return block(byte) / p_.ranks == rank;
      default:
        return true;
    }
  }
  [[nodiscard]] bool at_end(std::int64_t rank, std::int64_t byte) const {
    switch (p_.problem) {
      case Collective::kReduce:
      case Collective::kGather:
        return rank == p_.root;
      case Collective::kScatter:
        return block(byte) == rank;
      case Collective::kAlltoall:
        return block(byte) % p_.ranks == rank;
      case Collective::kReduceScatter: {
        if (!p_.block_offsets.empty()) return block(byte) == rank;
        // Elements are dealt out in the order of the ranks, longer shares first.
        std::int64_t element = byte / p_.element_bytes, owner = 0;
        const std::int64_t elements = p_.size_bytes / p_.element_bytes;
        for (;; ++owner) {
          const std::int64_t share = elements / p_.ranks + (owner < elements % p_.ranks ? 1 : 0);
          if (element < share) return owner == rank;
          element -= share;
        }
      }
      default:
        return true;
    }
  }
  Byte& at(std::int64_t rank, std::int64_t byte) {
    return held_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(byte)];
  }

  const Program& p_;
  std::int64_t bytes_ = 0;
  std::vector<std::vector<std::int64_t>> bytes_of_;
  std::vector<std::vector<ByteRange>> ranges_of_;
  std::vector<std::vector<Byte>> held_;
};

// ---------------------------------------------------------------------------------------------------------------------

void mutate(Program& p, Mutator& m) {
  for (const Collective other : kAllCollectives) {
    bool take = false;
    m.flag("problem", take);
    if (take) p.problem = other;
  }
  m.integer("ranks", p.ranks);
  m.integer("size_bytes", p.size_bytes);
  m.integer("root", p.root);
  m.integer("element_bytes", p.element_bytes);
  m.flag("commutative", p.commutative);
  m.list("block_offsets", p.block_offsets);
  if (m.done()) return;
  for (std::int64_t& offset : p.block_offsets) m.integer("block_offset", offset);
  m.number("length_s", p.length_s);
  m.number("bound_s", p.bound_s);
  if (std::vector<double> costs = p.combine_s_per_byte.by_rank(); !costs.empty()) {
    m.list("combine_costs", costs);
    for (double& cost : costs) m.number("combine_cost", cost);
    p.combine_s_per_byte = CombiningCosts(std::move(costs));
    if (m.done()) return;
  } else {
    double cost = p.combine_s_per_byte.of(0);
    m.number("combine_s_per_byte", cost);
    p.combine_s_per_byte = cost;
  }
  m.list("operations", p.operations);
  if (m.done()) return;
  for (std::size_t i = 0; i < p.operations.size() && !m.done(); ++i) {
    ProgramOperation& op = p.operations[i];
    m.at(i);
    m.integer("rank", op.rank);
    m.integer("peer", op.peer);
    for (const Kind kind : {Kind::kSend, Kind::kReceive, Kind::kCombine}) {
      bool take = false;
      m.flag("kind", take);
      if (take) op.kind = kind;
    }
    m.integer("offset", op.offset);
    m.integer("bytes", op.bytes);
    m.list("more", op.more);
    if (m.done()) return;
    for (ByteRange& range : op.more) {
      m.integer("more.offset", range.offset);
      m.integer("more.bytes", range.bytes);
    }
    m.list("after", op.after);
    if (m.done()) return;
    for (std::int64_t& before : op.after) m.integer("after", before);
  }
}

/// Judges every mutation of `good`; adds up how many there were, and how many still do their job.
void expect_judged_as_replayed(Program good, std::int64_t& mutations, std::int64_t& still_sound) {
  EXPECT_TRUE(validate(good).empty());
  good.pace.clear();  // one of each operation
  EXPECT_TRUE(ByteReplay(good).sound());
  EXPECT_TRUE(validate(good).empty());
  mutations += for_each_mutation(good, mutate, [&](const Program& mutated, const std::string& what) {
    const bool sound = ByteReplay(mutated).sound();
    const std::vector<Violation> found = validate(mutated);
    EXPECT_EQ(found.empty(), sound) << what << (found.empty() ? "" : ": " + to_string(found.front()));
    still_sound += sound ? 1 : 0;
  });
}

TEST(Program, MutationsAreJudgedAsReplayed) {
  std::int64_t mutations = 0, still_sound = 0;
  for (const Collective collective : kAllCollectives) {
    for (const Algorithm& algorithm : detail::program_algorithms(collective)) {
      for (const std::int64_t ranks : {2, 3, 4}) {
        for (const bool commutative : {true, false}) {
          ProgramProblem problem{collective, 8, has_root(collective) ? 1 : 0, 2, commutative};
          ProgramOptions options;
          options.algorithm = algorithm.name;
          options.segments = 2;
          if (combines(collective) && !commutative)
            problem.combine_s_per_byte = CombiningCosts(std::vector<double>(static_cast<std::size_t>(ranks), 1e-9));
          Program good;
          // Four where it has to be a power of two that is more than two.
          if (ranks == 4 && algorithm.name.substr(0, 9) != "recursive") continue;
          try {
            good = plan_program(one_cluster(ranks), problem, options).program;
          } catch (const InputError&) {
            continue;  // does not apply, or is no planner of programs
          }
          if (!commutative && good.commutative) continue;
          SCOPED_TRACE(::testing::Message() << algorithm.problem << ' ' << algorithm.name << ", " << ranks << " ranks");
          expect_judged_as_replayed(good, mutations, still_sound);
        }
      }
    }
  }
  RecordProperty("mutations", std::to_string(mutations));
  EXPECT_GT(mutations, 20'000);
  EXPECT_GT(still_sound, 100);
  EXPECT_LT(still_sound * 3, mutations);
}

TEST(Program, MutationsOfReductionsAreJudgedAsReplayed) {
  std::int64_t mutations = 0, still_sound = 0;
  for (const std::int64_t ranks : {2, 3, 5}) {
    SCOPED_TRACE(ranks);
    ReduceProblem problem;
    problem.machines = ranks;
    problem.transfer = problem.compute = 1;
    problem.root = ranks / 2;
    expect_judged_as_replayed(plan_reduce_scatter(problem, 5, 2), mutations, still_sound);
    for (const char* algorithm : {"flat", "pipelined"}) {
      BroadcastOptions options;
      options.algorithm = algorithm;
      options.segments = 2;
      const Program forth = plan_broadcast(one_cluster(ranks), ranks / 2, 7, options).program;
      const Program back = plan_reversed_broadcast(one_cluster(ranks), ranks / 2, 5, 3, options).program;
      expect_judged_as_replayed(forth, mutations, still_sound);
      expect_judged_as_replayed(back, mutations, still_sound);
    }
  }
  RecordProperty("mutations", std::to_string(mutations));
  EXPECT_GT(mutations, 5'000);
  EXPECT_GT(still_sound, 100);
  EXPECT_LT(still_sound * 3, mutations);
}

TEST(Program, MutationsOfBlocksAreJudgedAsReplayed) {
  std::int64_t mutations = 0, still_sound = 0;
  for (const Collective collective : {Collective::kScatter, Collective::kGather, Collective::kAllgather,
                                      Collective::kReduceScatter, Collective::kAlltoall}) {
    for (const Algorithm& algorithm : detail::program_algorithms(collective)) {
      for (const std::int64_t ranks : {1, 3, 4}) {
        ProgramProblem problem{collective, 0, has_root(collective) ? ranks - 1 : 0, 2};
        const std::int64_t blocks = collective == Collective::kAlltoall ? ranks * ranks : ranks;
        for (std::int64_t i = 0; i < blocks; ++i) problem.block_bytes.push_back(2 * ((i * i + 1) % 4));
        Program good;
        try {
          good = plan_program(one_cluster(ranks), problem, {.algorithm = std::string(algorithm.name)}).program;
        } catch (const InputError&) {
          continue;  // does not apply
        }
        SCOPED_TRACE(::testing::Message() << algorithm.problem << ' ' << algorithm.name << ", " << ranks << " ranks");
        expect_judged_as_replayed(good, mutations, still_sound);
      }
    }
  }
  RecordProperty("mutations", std::to_string(mutations));
  EXPECT_GT(mutations, 5'000);
  EXPECT_GT(still_sound, 100);
  EXPECT_LT(still_sound * 3, mutations);
}

// ---- one fault each

Program exchange_of_two() {
  Program p;
  p.problem = Collective::kAllreduce;
  p.algorithm = "by hand";
  p.ranks = 2;
  p.size_bytes = 8;
  p.element_bytes = 4;
  p.operations = {{0, Kind::kSend, 1, 0, 8, {}, {}},
                  {1, Kind::kSend, 0, 0, 8, {}, {}},
                  {0, Kind::kCombine, 1, 0, 8, {}, {0}},
                  {1, Kind::kCombine, 0, 0, 8, {}, {1}}};
  p.length_s = 2;
  p.bound_s = 1;
  p.bound = "paths";
  return p;
}

std::string first_fault(const Program& program) {
  const std::vector<Violation> faults = validate(program);
  return faults.empty() ? "" : to_string(faults.front());
}

TEST(Program, ValidatorNamesTheFault) {
  const Program good = exchange_of_two();
  EXPECT_EQ(first_fault(good), "");
  Program p = good;
  p.operations[2].after.clear();
  EXPECT_EQ(first_fault(p), "step 2: combine does not wait for operation 0, a send of bytes of the same range");
  p = good;
  p.operations[2].kind = Kind::kReceive;
  EXPECT_EQ(first_fault(p), "rank 0 has bytes 0 to 7 combined of 1 rank, not of 2");
  p = good;
  p.operations[3].bytes = 4;
  EXPECT_EQ(first_fault(p), "step 0: 8 bytes at 0, operation 3 receives 4 at 0");
  p = good;
  p.operations.pop_back();
  EXPECT_EQ(first_fault(p), "step 0: rank 1 does not receive it");
  p = good;
  p.pace.resize(3);
  EXPECT_EQ(first_fault(p), "a pace for 3 of 4 operations");
  p.pace = {{1, 2}, {3, 2}, {}, {}};
  EXPECT_EQ(first_fault(p), "step 1: port_s is 3 and connection_s 2, must be finite, at least 0 and rise");
  p.pace = {{1, 2}, {-1, 2}, {}, {}};
  EXPECT_EQ(first_fault(p), "step 1: port_s is -1 and connection_s 2, must be finite, at least 0 and rise");
  p.pace = {{1, 2}, {1, 2}, {1, 2}, {}};
  EXPECT_EQ(first_fault(p), "step 2: a combine with a pace, which only sends have");
  p.pace = {{1, 2}, {0, 0}, {}, {}};
  EXPECT_EQ(first_fault(p), "");
  p = good;
  p.combine_s_per_byte = -1;
  EXPECT_EQ(first_fault(p), "combine_s_per_byte is -1, must be 0 to 1e+80");
  p.combine_s_per_byte = CombiningCosts({0, -1});
  EXPECT_EQ(first_fault(p), "combine cost -1 of rank 1, must be 0 to 1e+80");
  p.combine_s_per_byte = CombiningCosts({0, 1, 2});
  EXPECT_EQ(first_fault(p), "3 combine costs, must be one for each of 2 ranks");
  p = good;
  p.bound_s = 3;
  EXPECT_EQ(first_fault(p), "bound_s is 3, more than length_s, 2");
  p = good;
  p.operations[2].kind = p.operations[3].kind = Kind::kReceive;
  EXPECT_EQ(first_fault(p), "step 0: send never ends: ranks wait for each other");
}

/// Some rank twice, another left out: as many as there should be.
TEST(Program, WhatIsCombinedTwiceIsFound) {
  Program p;
  p.problem = Collective::kReduce;
  p.ranks = 3;
  p.size_bytes = 4;
  p.operations = {{1, Kind::kSend, 0, 0, 4, {}, {}}, {0, Kind::kCombine, 1, 0, 4, {}, {}},
                  {1, Kind::kSend, 0, 0, 4, {}, {}}, {0, Kind::kCombine, 1, 0, 4, {}, {1}},
                  {2, Kind::kSend, 1, 0, 4, {}, {}}, {1, Kind::kCombine, 2, 0, 4, {}, {0, 2}}};
  EXPECT_EQ(first_fault(p), "rank 0 has bytes 0 to 3 with some rank twice and another left out");
}

TEST(Program, ManyRanksThatDoNothingAreNoWork) {
  Program p = exchange_of_two();
  p.ranks = std::int64_t{1} << 60;
  EXPECT_EQ(first_fault(p), "1152921504606846976 ranks with 4 operations, must have at least one each");
}

// ---- files

TEST(Program, ComesBackFromItsFile) {
  for (const Collective collective : kAllCollectives) {
    const Program program = plan_program(one_cluster(5), {collective, 40, 0, 8}).program;
    std::istringstream in(to_json(program));
    EXPECT_EQ(read_program(in, "file.json"), program);
  }
  ProgramProblem problem{Collective::kReduceScatter, 0, 0, 8};
  problem.block_bytes = {0, 16, 8, 0, 800};
  const Program program = plan_program(one_cluster(5), problem).program;
  std::istringstream in(to_json(program));
  EXPECT_EQ(read_program(in, "file.json"), program);
}

TEST(Program, ItsPaceComesBackFromItsFile) {
  Program program = exchange_of_two();
  for (const std::vector<SendPace>& pace :
       {std::vector<SendPace>{{0.5, 1}, {0.25, 0.25}, {}, {}}, {{0, 0}, {0, 0}, {}, {}}}) {
    program.pace = pace;
    std::istringstream in(to_json(program));
    EXPECT_EQ(read_program(in, "file.json"), program);
  }
  for (const CombiningCosts& costs : {CombiningCosts(2e-9), CombiningCosts({0, 0.1}), CombiningCosts({0, 0})}) {
    program.combine_s_per_byte = costs;
    std::istringstream in(to_json(program));
    EXPECT_EQ(read_program(in, "file.json"), program);
  }
}

TEST(Program, TheFileIsAsTheInterfaceHasIt) {
  EXPECT_EQ(to_json(exchange_of_two()),
            R"({"schema": "sluice.program/1", "problem": "allreduce", "algorithm": "by hand",
 "ranks": 2, "size_bytes": 8, "root": 0, "element_bytes": 4,
 "operations": [
  {"rank": 0, "kind": "send", "peer": 1, "offset": 0, "bytes": 8, "after": []},
  {"rank": 1, "kind": "send", "peer": 0, "offset": 0, "bytes": 8, "after": []},
  {"rank": 0, "kind": "combine", "peer": 1, "offset": 0, "bytes": 8, "after": [0]},
  {"rank": 1, "kind": "combine", "peer": 0, "offset": 0, "bytes": 8, "after": [1]}],
 "length_s": 2, "bound_s": 1, "bound": "paths"}
)");
}

TEST(Program, FilesAreReadStrictly) {
  const std::string good = to_json(exchange_of_two());
  const auto refused = [&](const std::string& what, const std::string& with) -> std::string {
    std::string text = good;
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos);
    text.replace(at, what.size(), with);
    std::istringstream in(text);
    try {
      (void)read_program(in, "file.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused("\"kind\": \"send\"", "\"kind\": \"put\""),
            "file.json:4: \"kind\": \"put\", expected \"send\" or \"receive\" or \"combine\"");
  EXPECT_EQ(refused("\"after\": []", "\"after\": [], \"more\": [1, 2, 3]"),
            "file.json:4: \"more\": 3 numbers, expected an offset and bytes for each range");
  EXPECT_EQ(refused("\"rank\": 0, ", ""),
            "file.json:4: an operation without \"rank\", expected \"rank\", \"kind\", \"peer\", \"offset\", \"bytes\", "
            "\"more\", \"after\", \"port_s\", \"connection_s\"");
  EXPECT_EQ(refused("\"after\": []", "\"after\": [], \"port_s\": 1"),
            "file.json:4: \"port_s\" alone, expected both of a send, or none of them");
  EXPECT_EQ(refused("\"after\": []", "\"after\": [], \"connection_s\": 1"),
            "file.json:4: \"connection_s\" alone, expected both of a send, or none of them");
  EXPECT_EQ(refused("\"size_bytes\": 8", "\"size_bytes\": -8"),
            "file.json:2: \"size_bytes\": -8, expected an integer from 0 to 2^63 - 1");
}

}  // namespace
}  // namespace sluice
