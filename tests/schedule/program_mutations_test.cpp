/// Every mutation of programs of reductions and broadcasts is rejected, unless a replay that knows nothing of the
/// validators carries out the mutated program, element by element or byte by byte, and finds that it still does its
/// job.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mutations.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/reduce_scatter.hpp"
#include "sluice/schedule/broadcast_program.hpp"
#include "sluice/schedule/reduction_program.hpp"

namespace sluice {
namespace {

using testing::for_each_mutation;
using testing::Mutator;

constexpr std::int64_t kLargest = 1000;  // elements and bytes of the samples are far fewer

std::int64_t draw(std::mt19937& random, std::int64_t from, std::int64_t to) {
  return std::uniform_int_distribution<std::int64_t>(from, to)(random);
}

struct Counts {
  std::int64_t mutations = 0;
  std::int64_t sound = 0;

  void expect_many(std::int64_t at_least) const {
    ::testing::Test::RecordProperty("mutations", std::to_string(mutations));
    ::testing::Test::RecordProperty("still_sound", std::to_string(sound));
    EXPECT_GT(mutations, at_least);
    EXPECT_GT(sound, 0);
    EXPECT_LT(sound * 3, mutations);
  }
};

template <class Program, class Replay>
void expect_judged_as_replayed(const Program& good, void (*fields)(Program&, Mutator&), Replay replay, Counts& counts) {
  EXPECT_TRUE(replay(good));
  for (const Violation& violation : validate(good)) ADD_FAILURE() << violation.rank << ": " << violation.reason;
  counts.mutations += for_each_mutation(good, fields, [&](const Program& mutated, const std::string& what) {
    const bool sound = replay(mutated);
    const std::vector<Violation> found = validate(mutated);
    EXPECT_EQ(found.empty(), sound) << what << (found.empty() ? "" : ": " + found.front().reason);
    counts.sound += sound ? 1 : 0;
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// Reductions

/// A bit each.
using Machines = std::uint32_t;

/// Whether the program gives the root everything: machines hold, of every element, whose contributions they have; a
/// message moves them. Machines send and receive in their orders, and a send waits for its receiver.
bool reduces(const ReductionProgram& p) {
  const std::size_t n = p.machines.size();
  const auto is_range = [&](std::int64_t begin, std::int64_t end) { return begin >= 0 && end <= p.elements; };
  if (n == 0 || n > 31 || p.root < 0 || std::cmp_greater_equal(p.root, n) || p.elements < 0 || p.elements > kLargest)
    return false;
  if (!std::isfinite(p.length) || p.length < 0) return false;
  const Machines everybody = (Machines{1} << n) - 1;
  std::vector<std::size_t> owner(static_cast<std::size_t>(p.elements), n);
  for (std::size_t m = 0; m < n; ++m) {
    const PieceProgram& machine = p.machines[m];
    const auto is_other = [&](std::int64_t other) {
      return other >= 0 && std::cmp_less(other, n) && std::cmp_not_equal(other, m);
    };
    if (!is_range(machine.begin, machine.end) || machine.begin > machine.end) return false;
    for (std::int64_t e = machine.begin; e < machine.end; ++e) {
      if (owner[static_cast<std::size_t>(e)] != n) return false;
      owner[static_cast<std::size_t>(e)] = m;
    }
    for (const PieceReceive& receive : machine.receives)
      if (!is_other(receive.from) || !is_range(receive.begin, receive.end) || receive.begin >= receive.end)
        return false;
    for (const PieceSend& send : machine.sends) {
      if (!is_other(send.to) || !is_range(send.begin, send.end) || send.begin >= send.end) return false;
      if (std::isnan(send.port_s) || send.port_s < 0 || std::isnan(send.connection_s) || send.connection_s < 0)
        return false;
      if (send.after > machine.receives.size()) return false;
      // What it does not wait for must not change what it sends.
      for (std::size_t r = send.after; r < machine.receives.size(); ++r) {
        const PieceReceive& late = machine.receives[r];
        if (late.combine && late.begin < send.end && send.begin < late.end) return false;
      }
    }
  }
  if (std::count(owner.begin(), owner.end(), n) > 0) return false;

  std::vector<std::vector<Machines>> holds(n);
  std::vector<std::vector<bool>> combined_all(n, std::vector<bool>(static_cast<std::size_t>(p.elements), n == 1));
  for (std::size_t m = 0; m < n; ++m) holds[m].assign(static_cast<std::size_t>(p.elements), Machines{1} << m);
  std::vector<std::size_t> sent(n, 0), received(n, 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t from = 0; from < n; ++from) {
      if (sent[from] == p.machines[from].sends.size()) continue;
      const PieceSend& send = p.machines[from].sends[sent[from]];
      bool ready = true;
      for (std::size_t r = received[from]; r < send.after; ++r) {
        const PieceReceive& awaited = p.machines[from].receives[r];
        ready = ready && !(awaited.begin < send.end && send.begin < awaited.end);
      }
      const auto to = static_cast<std::size_t>(send.to);
      // What it has, but does not wait for, might as well come later.
      for (std::size_t r = send.after; r < received[from]; ++r) {
        const PieceReceive& early = p.machines[from].receives[r];
        if (ready && early.begin < send.end && send.begin < early.end) return false;
      }
      if (!ready || received[to] == p.machines[to].receives.size()) continue;
      const PieceReceive& receive = p.machines[to].receives[received[to]];
      if (std::cmp_not_equal(receive.from, from)) continue;
      if (receive.begin != send.begin || receive.end != send.end) return false;
      for (auto e = static_cast<std::size_t>(send.begin); std::cmp_less(e, send.end); ++e) {
        Machines& here = holds[from][e];
        Machines& there = holds[to][e];
        if (here == 0 || (there == 0) == receive.combine || (here & there) != 0) return false;
        if (!receive.combine && here != everybody) return false;
        there |= here;
        here = 0;
        if (receive.combine && there == everybody) combined_all[to][e] = true;
      }
      ++sent[from];
      ++received[to];
      moved = true;
    }
  }
  for (std::size_t m = 0; m < n; ++m) {
    if (sent[m] < p.machines[m].sends.size() || received[m] < p.machines[m].receives.size()) return false;
    for (auto e = static_cast<std::size_t>(p.machines[m].begin); std::cmp_less(e, p.machines[m].end); ++e)
      if (!combined_all[m][e]) return false;
  }
  const std::vector<Machines>& result = holds[static_cast<std::size_t>(p.root)];
  return std::all_of(result.begin(), result.end(), [&](Machines each) { return each == everybody; });
}

void mutate(ReductionProgram& p, Mutator& m) {
  m.integer("root", p.root);
  m.integer("elements", p.elements);
  m.number("length", p.length);
  m.list("machines", p.machines);
  if (m.done()) return;
  for (std::size_t i = 0; i < p.machines.size() && !m.done(); ++i) {
    PieceProgram& machine = p.machines[i];
    m.at(i);
    m.integer("begin", machine.begin);
    m.integer("end", machine.end);
    m.list("receives", machine.receives);
    if (m.done()) return;
    m.list("sends", machine.sends);
    if (m.done()) return;
    for (PieceReceive& receive : machine.receives) {
      m.integer("receive.from", receive.from);
      m.integer("receive.begin", receive.begin);
      m.integer("receive.end", receive.end);
      m.flag("receive.combine", receive.combine);
    }
    for (PieceSend& send : machine.sends) {
      m.integer("send.to", send.to);
      m.integer("send.begin", send.begin);
      m.integer("send.end", send.end);
      m.integer("send.after", send.after);
      m.number("send.port_s", send.port_s);
      m.number("send.connection_s", send.connection_s);
    }
    // Its share in exchange for that of another machine.
    for (std::size_t other = 0; other < i; ++other) {
      bool exchange = false;
      m.flag("the share of another machine", exchange);
      if (!exchange) continue;
      std::swap(machine.begin, p.machines[other].begin);
      std::swap(machine.end, p.machines[other].end);
    }
  }
}

TEST(ProgramMutations, OfReduceScatterAreJudgedAsReplayed) {
  Counts counts;
  for (std::int64_t machines = 1; machines <= 7; ++machines) {
    for (const std::int64_t elements : {0, 3, 14}) {
      SCOPED_TRACE(::testing::Message() << machines << " machines, " << elements << " elements");
      ReduceProblem problem;
      problem.machines = machines;
      problem.transfer = 1;
      problem.compute = 1;
      problem.root = machines / 2;
      expect_judged_as_replayed(plan_reduce_scatter(problem, elements), mutate, reduces, counts);
    }
  }
  counts.expect_many(10'000);
}

/// Shares are not the same elements twice, though they may have the right number of them.
TEST(ProgramMutations, SharesAreThoseThatMachinesCombine) {
  ReduceProblem problem;
  problem.machines = 4;
  problem.transfer = problem.compute = 1;
  problem.root = 0;
  const ReductionProgram good = plan_reduce_scatter(problem, 8);
  EXPECT_TRUE(validate(good).empty());
  ReductionProgram exchanged = good;
  std::swap(exchanged.machines[1].begin, exchanged.machines[2].begin);
  std::swap(exchanged.machines[1].end, exchanged.machines[2].end);
  EXPECT_FALSE(validate(exchanged).empty());
  ReductionProgram twice = good;
  twice.machines[1].begin = twice.machines[2].begin;
  twice.machines[1].end = twice.machines[2].end;
  EXPECT_FALSE(validate(twice).empty());
}

// ---------------------------------------------------------------------------------------------------------------------
// Broadcasts

/// Whether everybody gets every byte once, without deadlock and at the times that the program states.
bool broadcasts(const BroadcastProgram& p) {
  const std::size_t n = p.ranks.size();
  const auto is_time = [](double time) { return std::isfinite(time) && time >= 0; };
  const auto is_rank = [&](std::int64_t rank) { return rank >= 0 && std::cmp_less(rank, n); };
  if (!is_rank(p.root) || p.bytes < 0 || p.bytes > kLargest || !is_time(p.length_s)) return false;
  const double rounding = 1e-9 * p.length_s;
  const auto is_range = [&](std::int64_t offset, std::int64_t bytes) {
    return offset >= 0 && bytes >= 1 && offset <= p.bytes && bytes <= p.bytes - offset;
  };
  std::set<std::int64_t> natively, named;
  for (const NativeBroadcast& native : p.native) {
    if (native.ranks.size() < 2 || !is_time(native.start_s) || !is_time(native.end_s) || native.end_s < native.start_s)
      return false;
    for (std::size_t i = 0; i < native.ranks.size(); ++i) {
      const std::int64_t rank = native.ranks[i];
      if (!is_rank(rank) || !named.insert(rank).second) return false;
      if (i == 0) continue;
      const RankProgram& served = p.ranks[static_cast<std::size_t>(rank)];
      if (rank == p.root || !served.sends.empty() || !served.receives.empty()) return false;
      natively.insert(rank);
    }
  }
  // Message number k from a to b is the k-th send to b in the list of a, and the k-th receive from a in that of b.
  struct Message {
    std::size_t from, send, to, receive;
  };
  std::vector<Message> messages;
  std::size_t receives = 0;
  for (std::size_t from = 0; from < n; ++from) {
    receives += p.ranks[from].receives.size();
    std::map<std::int64_t, std::size_t> sent_to;
    for (std::size_t i = 0; i < p.ranks[from].sends.size(); ++i) {
      const ProgramSend& send = p.ranks[from].sends[i];
      if (!is_rank(send.to) || std::cmp_equal(send.to, from) || !is_range(send.offset, send.bytes)) return false;
      if (!is_time(send.port_s) || !is_time(send.connection_s) || !is_time(send.start_s) || !is_time(send.arrival_s) ||
          send.connection_s < send.port_s)
        return false;
      std::size_t number = sent_to[send.to]++;
      const auto to = static_cast<std::size_t>(send.to);
      std::size_t r = 0;
      for (; r < p.ranks[to].receives.size(); ++r)
        if (std::cmp_equal(p.ranks[to].receives[r].from, from) && number-- == 0) break;
      if (r == p.ranks[to].receives.size()) return false;
      const ProgramReceive& receive = p.ranks[to].receives[r];
      if (receive.offset != send.offset || receive.bytes != send.bytes) return false;
      messages.push_back({from, i, to, r});
    }
  }
  if (messages.size() != receives) return false;

  // One after the other, as far as they get; `had` is what a rank has when it has taken so many receives.
  std::vector<std::set<std::int64_t>> has(n);
  std::vector<std::map<std::int64_t, double>> since(n);  // by byte: when it came, by the times stated
  for (std::int64_t byte = 0; byte < p.bytes; ++byte) {
    has[static_cast<std::size_t>(p.root)].insert(byte);
    since[static_cast<std::size_t>(p.root)][byte] = 0;
  }
  std::vector<std::size_t> sent(n, 0), received(n, 0);
  std::size_t passed = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (const Message& message : messages) {
      if (sent[message.from] != message.send || received[message.to] != message.receive) continue;
      const ProgramSend& send = p.ranks[message.from].sends[message.send];
      bool there = true;
      for (std::int64_t byte = send.offset; byte < send.offset + send.bytes; ++byte)
        there = there && has[message.from].count(byte) > 0;
      if (!there) continue;
      for (std::int64_t byte = send.offset; byte < send.offset + send.bytes; ++byte) {
        if (send.start_s < since[message.from][byte] - rounding) return false;
        if (!has[message.to].insert(byte).second) return false;
        since[message.to][byte] = send.arrival_s;
      }
      ++sent[message.from];
      ++received[message.to];
      ++passed;
      moved = true;
    }
  }
  if (passed != messages.size()) return false;
  double last = 0;
  for (std::size_t rank = 0; rank < n; ++rank) {
    if (natively.count(static_cast<std::int64_t>(rank)) == 0 && std::cmp_not_equal(has[rank].size(), p.bytes))
      return false;
    const std::vector<ProgramSend>& sends = p.ranks[rank].sends;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      last = std::max(last, sends[i].arrival_s);
      if (sends[i].arrival_s < sends[i].start_s + sends[i].connection_s - rounding) return false;
      if (i > 0 && sends[i].start_s < sends[i - 1].start_s + sends[i - 1].port_s - rounding) return false;
      for (std::size_t before = i; before-- > 0;) {
        if (sends[before].to != sends[i].to) continue;
        if (sends[i].start_s < sends[before].start_s + sends[before].connection_s - rounding) return false;
        break;
      }
    }
  }
  for (const NativeBroadcast& native : p.native) {
    const auto first = static_cast<std::size_t>(native.ranks.front());
    for (const auto& [byte, time] : since[first])
      if (native.start_s < time - rounding) return false;
    for (const ProgramSend& send : p.ranks[first].sends)
      if (native.start_s < send.start_s + send.port_s - rounding) return false;
    last = std::max(last, native.end_s);
  }
  return last <= p.length_s + rounding;
}

void mutate(BroadcastProgram& p, Mutator& m) {
  m.integer("root", p.root);
  m.integer("bytes", p.bytes);
  m.number("length_s", p.length_s);
  m.list("ranks", p.ranks);
  if (m.done()) return;
  m.list("native", p.native);
  if (m.done()) return;
  for (std::size_t i = 0; i < p.ranks.size() && !m.done(); ++i) {
    RankProgram& rank = p.ranks[i];
    m.at(i);
    m.list("sends", rank.sends);
    if (m.done()) return;
    m.list("receives", rank.receives);
    if (m.done()) return;
    for (ProgramSend& send : rank.sends) {
      m.integer("send.to", send.to);
      m.integer("send.offset", send.offset);
      m.integer("send.bytes", send.bytes);
      m.number("send.port_s", send.port_s);
      m.number("send.connection_s", send.connection_s);
      m.number("send.start_s", send.start_s);
      m.number("send.arrival_s", send.arrival_s);
    }
    for (ProgramReceive& receive : rank.receives) {
      m.integer("receive.from", receive.from);
      m.integer("receive.offset", receive.offset);
      m.integer("receive.bytes", receive.bytes);
    }
  }
  for (NativeBroadcast& native : p.native) {
    if (m.done()) return;
    m.list("native.ranks", native.ranks);
    if (m.done()) return;
    for (std::int64_t& rank : native.ranks) m.integer("native.rank", rank);
    m.number("native.start_s", native.start_s);
    m.number("native.end_s", native.end_s);
  }
}

/// The message in segments, through one random tree or another, each segment its own; some ranks get it by the MPI.
BroadcastProgram random_program(std::mt19937& random) {
  BroadcastProgram p;
  p.method = "random";
  const std::int64_t n = draw(random, 2, 5), segments = draw(random, 1, 3);
  const bool one_tree = draw(random, 0, 1) == 0;
  p.bytes = segments * draw(random, 1, 4);
  p.ranks.resize(static_cast<std::size_t>(n));
  std::vector<double> port(p.ranks.size(), 0), last(p.ranks.size(), 0);
  std::map<std::pair<std::int64_t, std::int64_t>, double> connection;
  std::vector<std::int64_t> parent(p.ranks.size(), 0);
  for (std::int64_t segment = 0; segment < segments; ++segment) {
    std::vector<double> arrived(p.ranks.size(), 0);
    for (std::int64_t to = 1; to < n; ++to) {
      std::int64_t& from = parent[static_cast<std::size_t>(to)];
      if (segment == 0 || !one_tree) from = draw(random, 0, to - 1);
      const auto f = static_cast<std::size_t>(from), t = static_cast<std::size_t>(to);
      ProgramSend send{to, segment * (p.bytes / segments), p.bytes / segments};
      send.port_s = static_cast<double>(draw(random, 0, 2));
      send.connection_s = send.port_s + static_cast<double>(draw(random, 0, 2));
      send.start_s = std::max({arrived[f], port[f], connection[{from, to}]});
      send.arrival_s = send.start_s + send.connection_s + static_cast<double>(draw(random, 0, 2));
      port[f] = send.start_s + send.port_s;
      connection[{from, to}] = send.start_s + send.connection_s;
      arrived[t] = send.arrival_s;
      last[t] = std::max(last[t], send.arrival_s);
      p.length_s = std::max(p.length_s, send.arrival_s);
      p.ranks[f].sends.push_back(send);
      p.ranks[t].receives.push_back({from, send.offset, send.bytes});
    }
  }
  if (draw(random, 0, 1) == 0) {
    const auto first = static_cast<std::size_t>(draw(random, 0, n - 1));
    NativeBroadcast native{{static_cast<std::int64_t>(first), n, n + 1}, std::max(port[first], last[first]), 0};
    native.end_s = native.start_s + 3;
    p.length_s = std::max(p.length_s, native.end_s);
    p.ranks.resize(p.ranks.size() + 2);
    p.native.push_back(native);
  }
  return p;
}

TEST(ProgramMutations, OfBroadcastsAreJudgedAsReplayed) {
  std::mt19937 random(17);  // fixed seed
  Counts counts;
  for (int round = 0; round < 80; ++round) {
    SCOPED_TRACE(round);
    expect_judged_as_replayed(random_program(random), mutate, broadcasts, counts);
  }
  counts.expect_many(20'000);
}

TEST(ProgramMutations, OfReductionsAlongTreesAreJudgedAsReplayed) {
  std::mt19937 random(18);  // fixed seed
  Counts counts;
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    BroadcastProgram forth = random_program(random);
    while (!forth.native.empty()) forth = random_program(random);
    expect_judged_as_replayed(reversed(forth, 1), mutate, reduces, counts);
  }
  counts.expect_many(10'000);
}

}  // namespace
}  // namespace sluice
