/// Reductions over clusters: broadcasts the other way round.
///
/// Problem: every rank of a platform has an array, the root shall have the combination of all, by an operation that
/// works element by element and commutes.
/// Method: a broadcast from the root over the links in the opposite direction, played backwards from its end: every
/// message goes back to where it came from and is combined there. A rank gets what it has sent, in the opposite order,
/// and sends what it has got, in the opposite order; a message waits for those of its elements, which the rank passed
/// on after it had come. As a broadcast's messages can pass one at a time in the order of both lists, so can these.
/// Bytes become elements: one goes where its last byte went.
/// Guarantee: as long as the broadcast if every message takes as long as the one that it mirrors, and combining takes
/// nothing. So it is in the model; where messages share links, they come to share them in another order.
/// Complexity: O(m k) for m messages, at most k of them received by one rank.
/// Source: that the two problems mirror each other is well known, of binomial trees for instance from Rabenseifner
/// (2004); between clusters, Steffenel (2006) has the broadcast alone.
///
/// Example: 0 sends to 1 until 3, and to 2 until 5; 1 passes it on to 3 until 6. Backwards, from 6 on: 3 sends to 1
/// from 0 on, 2 to 0 from 1 on, and 1, when it has combined what came from 3, to 0, from 3 on.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"

namespace sluice {

namespace {

/// The elements whose last bytes are among those of a message.
struct ElementRange {
  std::int64_t begin;
  std::int64_t end;

  template <class Message>
  ElementRange(const Message& message, std::int64_t element_bytes)
      : begin(message.offset / element_bytes), end((message.offset + message.bytes) / element_bytes) {}
};

/// By rank and receive: the send that it is the other end of.
std::vector<std::vector<const ProgramSend*>> origins_of_receives(const BroadcastProgram& program) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::deque<const ProgramSend*>> sent;  // by sender and receiver
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank)
    for (const ProgramSend& send : program.ranks[rank].sends)
      sent[{static_cast<std::int64_t>(rank), send.to}].push_back(&send);
  std::vector<std::vector<const ProgramSend*>> origins(program.ranks.size());
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    for (const ProgramReceive& receive : program.ranks[rank].receives) {
      std::deque<const ProgramSend*>& of_sender = sent[{receive.from, static_cast<std::int64_t>(rank)}];
      SLUICE_ASSERT(!of_sender.empty(), fmt::format("nothing sends what rank {} receives", rank));
      origins[rank].push_back(of_sender.front());
      of_sender.pop_front();
    }
  }
  return origins;
}

}  // namespace

BetweenClusters transposed(const BetweenClusters& problem) {
  BetweenClusters result = problem;
  const std::size_t n = problem.inside.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      result.gap.at(i * n + j) = problem.gap.at(j * n + i);
      result.latency.at(i * n + j) = problem.latency.at(j * n + i);
    }
  }
  return result;
}

TreeSchedule reversed(const TreeSchedule& schedule, const BetweenClusters& problem) {
  if (schedule.problem != "broadcast") throw InputError("schedule", schedule.problem, "one of broadcast");
  if (schedule.machines != problem.clusters())
    throw InputError("schedule", fmt::format("{} machines", schedule.machines),
                     fmt::format("{} clusters", problem.clusters()));
  TreeSchedule result = schedule;
  result.problem = "reduce";
  result.over_links = true;
  result.arrivals = problem.inside;
  result.transfers.clear();
  // From the last one on, so that of transfers that take no time the one that another waits for stays before it.
  for (auto t = schedule.transfers.rbegin(); t != schedule.transfers.rend(); ++t)
    result.transfers.push_back({t->to, t->from, std::max(0.0, schedule.length - t->end),
                                std::max(0.0, schedule.length - t->start), schedule.segments - 1 - t->segment});
  std::stable_sort(result.transfers.begin(), result.transfers.end(),
                   [](const TimedTransfer& a, const TimedTransfer& b) { return a.start < b.start; });
  return result;
}

ReductionProgram reversed(const BroadcastProgram& program, std::int64_t element_bytes) {
  if (element_bytes < 1 || program.bytes % element_bytes != 0)
    throw InputError("element bytes", fmt::format("{}", element_bytes),
                     fmt::format("a divisor of the message's {} bytes", program.bytes));
  if (!program.native.empty())
    throw InputError("broadcast", "one that the MPI carries out inside of clusters", "messages of its own");
  ReductionProgram result;
  result.method = program.method + ", the other way round";
  result.root = program.root;
  result.elements = program.bytes / element_bytes;
  result.length = program.length_s;
  result.machines.resize(program.ranks.size());
  result.machines.at(static_cast<std::size_t>(program.root)).end = result.elements;
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    const std::vector<ProgramSend>& sends = program.ranks[rank].sends;
    for (auto send = sends.rbegin(); send != sends.rend(); ++send) {
      const ElementRange range(*send, element_bytes);
      if (range.begin < range.end) result.machines[rank].receives.push_back({send->to, range.begin, range.end, true});
    }
  }
  const std::vector<std::vector<const ProgramSend*>> origins = origins_of_receives(program);
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    PieceProgram& own = result.machines[rank];
    const std::vector<ProgramReceive>& receives = program.ranks[rank].receives;
    for (std::size_t i = receives.size(); i-- > 0;) {
      const ElementRange range(receives[i], element_bytes);
      if (range.begin == range.end) continue;
      const auto last = std::find_if(own.receives.rbegin(), own.receives.rend(), [&](const PieceReceive& each) {
        return each.begin < range.end && range.begin < each.end;
      });
      PieceSend send{receives[i].from, range.begin, range.end};
      send.after = static_cast<std::size_t>(own.receives.rend() - last);
      // The pace of the message that goes the other way.
      send.port_s = origins[rank][i]->port_s;
      send.connection_s = origins[rank][i]->connection_s;
      own.sends.push_back(send);
    }
  }
  return result;
}

ReversedPlan plan_reversed_broadcast(const Platform& platform, std::int64_t root, std::int64_t elements,
                                     std::int64_t element_bytes, const BroadcastOptions& options) {
  if (elements < 0) throw InputError("elements", fmt::format("{}", elements), "at least 0");
  if (element_bytes < 1) throw InputError("element bytes", fmt::format("{}", element_bytes), "at least 1");
  if (options.algorithm == "native") throw InputError("algorithm", "native", "one that plans messages");
  if (options.early_internal)
    throw InputError("early internal broadcasts", "a reduction", "clusters that combine before they receive");
  check_platform(platform, "platform");
  Platform other_way = with_links_turned(platform);
  // How long broadcasts took says nothing of a reduction.
  for (PlatformCluster& cluster : other_way.clusters) cluster.broadcast = cluster.planned_broadcast = {};
  const std::int64_t bytes = checked::multiply(elements, element_bytes, "bytes of the elements");
  BroadcastPlan forth = plan_broadcast(other_way, root, bytes, options);
  BetweenClusters machines = between_clusters(other_way, bytes, root, 1, options.inside);
  if (forth.schedule.machines != machines.clusters())
    machines.inside.assign(static_cast<std::size_t>(forth.schedule.machines), 0);
  ReversedPlan plan;
  plan.schedule = reversed(forth.schedule, machines);
  plan.optimal = forth.optimal;
  plan.program = reversed(forth.program, element_bytes);
  plan.candidates = std::move(forth.candidates);
  return plan;
}

}  // namespace sluice
