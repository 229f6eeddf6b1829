/// How long a program takes if messages share what they pass.
///
/// Problem: a plan that gives every message its ports for itself is not what a network does. A rank paces its sends by
/// the plan, but messages come late, and then meet at a port, on a connection or on a link.
/// Method: messages are flows. A message of b bytes starts when its range is there and its rank's pace allows it. If
/// several may start, the order of the list decides (as in jobs, ReadyCarrier::Limits::keep_pace and overtake).
/// After the latency it flows at some rate until all of it is there. Then its receiver takes it in, for as long as the
/// start of a message keeps a rank, g(1), one message after the other. The receiver works on it (combines it) when all
/// is done that it waits for. A rank works on one message at a time, in the order of their readiness, and begins none
/// meanwhile; between two of them it begins messages that may start. What a flow passes:
///  - the connection between its ranks, at most at 1 / g(b) of the link or cluster;
///  - both ranks' ports, at most at 1 / g(b) of the rank's cluster (of the link, if that is less or the cluster has no
///    gap);
///  - between clusters the link, at most at n / g(b) for n connections;
///  - the uplinks of all groups that it leaves or enters (a host, a LAN, a site), at the most of any link there.
/// Each of these is shared as TCP connections share a bottleneck: rates of flows are max-min fair, weighted by
/// 1 / round trip; and a round trip grows, besides the latency, with what is queued in everything that the flow passes.
/// Alone, a message so takes g(b) + L, as in pLogP.
/// If a thousand messages flow at once, messages that begin or end within a thousandth of their time get new rates
/// together (flow_rates.cpp). The whole then takes up to some thousandths longer.
/// Complexity: the changes of rates when a flow begins or ends (flow_rates.cpp), and O(log m) for each of m messages.
/// Deterministic.
/// Source: the sharing: Massoulie, Roberts, "Bandwidth sharing: objectives and algorithms" (2002). That TCP does this,
/// the weights, and the 8775 bytes queued: Velho, Legrand, "Accuracy study and improvement of network simulation in the
/// SimGrid framework" (2009). Deviation: no part of a message is on its way during its latency, neither at its sender
/// nor at its receiver, as if all delay were at the start.
///
/// Example: one rank sends 10 MB to another in its cluster, 100 MB/s at a latency of 0.1 ms. It also sends to a rank at
/// the end of a long link; one connection there carries 10 MB/s at a latency of 10 ms. After 0.1 ms the first message
/// has the port's 100 MB/s for itself. After 10 ms the second one gets less than 10 MB/s of it, and all it can carry
/// only when the first one has ended.
#include "timing/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/infinity.hpp"
#include "sluice/error.hpp"
#include "timing/event_queue.hpp"
#include "timing/flow_rates.hpp"
#include "timing/flow_way.hpp"
#include "timing/replay_floor.hpp"

namespace sluice::detail {

namespace {

class Replay {
 public:
  Replay(const RankNetwork& network, const MessageGraph& graph, const CombiningCosts& combine_s_per_byte,
         ReplayLimits& limits)
      : network_(network),
        graph_(graph),
        combine_s_per_byte_(combine_s_per_byte),
        limits_(limits),
        ranks_(static_cast<std::size_t>(network.platform().ranks)),
        waiting_(waiting_of(graph)) {
    limits_.longer = false;
    rates_.let_moments_last(kMany, kPart);
    list_flows();
  }

  /// The least length, before it begins.
  double floor() {
    find_floor();
    return floor_->at_start();
  }

  std::optional<ReplayResult> run() {
    if (limits_.most_s < kInfinity && !limits_.to_the_time) look_at_floor(floor());
    const bool complete = !limits_.longer && run_all();
    limits_.work_left -= rates_.work();
    limits_.rates_left -= rates_.found();
    if (!complete) return std::nullopt;
    result_.messages.reserve(flows_.size());
    for (const Flow& flow : flows_) result_.messages.push_back({flow.start, flow.left_at, flow.arrival});
    return std::move(result_);
  }

 private:
  /// Whether it did not give up.
  bool run_all() {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      for (std::size_t queue = 0; queue < ranks_[r].queues.size(); ++queue)
        if (flows_[ranks_[r].queues[queue].first].missing == 0) offer(r, queue);
      try_at(r, 0);
    }
    std::size_t taken_in = 0;
    while (const std::optional<Event> next = next_event()) {
      const Event& event = *next;
      if (enough(event.time)) return false;
      switch (event.kind) {
        case Kind::kTry:
          if (event.time == ranks_[event.index].next_try) {
            ranks_[event.index].next_try = kInfinity;
            send_from(event.index, event.time);
          }
          break;
        case Kind::kFlows:
          rates_.begin(event.index, flows_[event.index].way, event.time);
          if (floor_) floor_->flows(event.index);
          break;
        case Kind::kEnds:
          end_flow(event.index, event.time);
          break;
        case Kind::kWorkedOn:
          done(event.index, event.time);
          work_again(flows_[event.index].to, event.time);
          break;
        case Kind::kWork:
          work(event.index, event.time);
          break;
        case Kind::kTakenIn:
          ++taken_in;
          if (too_long(taken_in)) return false;
          flows_[event.index].taken_in = true;
          if (flows_[event.index].missing_at_end == 0) work_on(event.index, event.time);
          break;
      }
    }
    SLUICE_ASSERT(taken_in == flows_.size() && done_ == flows_.size(),
                  fmt::format("{} and {} of {}", taken_in, done_, flows_.size()));
    return true;
  }

  enum class Kind : unsigned char { kWorkedOn, kTakenIn, kEnds, kFlows, kTry, kWork };
  using Event = EventQueue<Kind>::Event;  // of a flow, or a rank

  static constexpr std::size_t kNone = SIZE_MAX;
  /// From kMany messages under way on, rates are found later, by at most kPart of a message's time.
  static constexpr std::size_t kMany = 1000;
  static constexpr double kPart = 1e-3;
  struct Flow {
    std::size_t from = 0, to = 0;     // ranks
    std::size_t queue = 0;            // of its sender
    std::size_t behind = kNone;       // the next flow there
    std::size_t work_behind = kNone;  // the next one that its receiver is to work on
    std::size_t way = 0;              // of what it passes
    std::int32_t missing = 0;         // ends that its start waits for
    std::int32_t missing_at_end = 0;  // and its receiver, when it is taken in
    bool taken_in = false;
    double start = 0, left_at = 0, arrival = 0;
  };
  /// What messages of one length over one connection have in common.
  struct WayCosts {
    std::int64_t bytes = 0;
    double latency = 0;
    double connection = 0;  // of its flow, if it has all it passes for itself
    double least = 0;       // likewise, but never 0
    double overhead = 0;    // of either end
  };
  struct Queue {
    std::size_t to = 0;
    std::size_t connection = 0;
    std::size_t way = kNone;                  // of its last message so far
    std::size_t first = kNone, last = kNone;  // flows; the first is the next to start
    double free = 0;
  };
  /// A heap with the least number on top.
  template <class Number>
  using Least =
      std::priority_queue<std::pair<Number, std::size_t>, std::vector<std::pair<Number, std::size_t>>, std::greater<>>;
  struct Rank {
    std::vector<Queue> queues;
    // Queues whose first message waits for nothing else: by the times when their connections become free (later), and
    // those with free connections by that message (ready).
    Least<double> later;
    Least<std::size_t> ready;
    double port_free = 0;
    double busy = 0;                              // until when
    std::size_t work = kNone, last_work = kNone;  // flows that it is to work on, the next one first
    bool works = false;                           // or will as soon as it is not busy
    double next_try = kInfinity;
  };

  void list_flows() {
    std::size_t things = passed_things(network_);
    std::unordered_map<std::size_t, std::size_t> queue_of;  // by both ranks
    flows_.resize(graph_.size());
    rates_.reserve(flows_.size());
    for (std::size_t f = 0; f < flows_.size(); ++f) {
      const MessageGraph::Message& message = graph_.messages[f];
      Flow& flow = flows_[f];
      flow.missing = static_cast<std::int32_t>(graph_.after[start_of(f)].size());
      flow.missing_at_end = static_cast<std::int32_t>(graph_.after[done_of(f)].size());
      flow.from = static_cast<std::size_t>(message.from);
      flow.to = static_cast<std::size_t>(message.to);
      Rank& rank = ranks_[flow.from];
      const auto [at, fresh] = queue_of.try_emplace(flow.from * ranks_.size() + flow.to, rank.queues.size());
      if (fresh) {
        rank.queues.emplace_back();
        rank.queues.back().to = flow.to;
        rank.queues.back().connection = things++;
      }
      flow.queue = at->second;
      Queue& queue = rank.queues[flow.queue];
      if (queue.way == kNone || ways_[queue.way].bytes != message.bytes)
        queue.way = find_way(flow.from, queue, message.bytes);
      flow.way = queue.way;
      (queue.first == kNone ? queue.first : flows_[queue.last].behind) = f;
      queue.last = f;
    }
  }

  std::size_t find_way(std::size_t sender, const Queue& queue, std::int64_t bytes) {
    double queued = 0;
    way_.clear();
    const FlowWay costs = pass_all(network_, sender, queue.to, bytes, queue.connection,
                                   [&](std::size_t thing, double seconds, double queued_s) {
                                     way_.push_back({thing, seconds});
                                     queued += queued_s;
                                   });
    constexpr double kShortest = 1e-12;
    const double least_s = std::max(costs.least_s, kShortest);
    ways_.push_back({bytes, costs.latency_s, costs.least_s, least_s, costs.overhead_s});
    // Weights by bytes, while rates are in parts of the message.
    return rates_.add_way(way_, least_s,
                          1 / (static_cast<double>(bytes) * std::max(kShortest, costs.latency_s + queued)));
  }

  [[nodiscard]] SendPace pace(std::size_t f) const {
    return graph_.pace.empty() ? SendPace{0, ways_[flows_[f].way].connection} : graph_.pace[f];
  }
  [[nodiscard]] double work_s(std::size_t f) const { return combining_s(graph_.messages[f], combine_s_per_byte_); }

  void find_floor() {
    std::vector<ReplayFloor::Message> messages;
    messages.reserve(flows_.size());
    for (std::size_t f = 0; f < flows_.size(); ++f)
      messages.push_back(
          {flows_[f].from, flows_[f].to, flows_[f].way, flows_[f].behind, pace(f).connection_s, work_s(f)});
    std::vector<ReplayFloor::Way> ways;
    ways.reserve(ways_.size());
    for (std::size_t w = 0; w < ways_.size(); ++w)
      ways.push_back({rates_.passed_on(w), ways_[w].latency, ways_[w].least, ways_[w].overhead});
    floor_.emplace(std::move(messages), std::move(ways), waiting_, passed_things(network_), ranks_.size());
  }

  /// Gives up the replay if `end`, a lower bound on its end, is beyond most_s.
  void look_at_floor(double end) {
    constexpr double kFloorRounding = 1e-6;
    if (end > limits_.most_s * (1 + kFloorRounding)) limits_.longer = true;
  }

  [[nodiscard]] bool enough(double now) {
    constexpr std::int64_t kBetweenAsking = 1024;
    // A look at the floor takes work, so it happens only after this share of the work.
    constexpr double kBetweenLooks = 8;
    const double work = rates_.work();
    if (now > limits_.most_s && work > limits_.least_work) limits_.longer = true;
    if (floor_ && work + rates_.found() > next_look_) {
      look_at_floor(floor_->end_from(now, rates_));
      next_look_ =
          work + rates_.found() + kBetweenLooks * (rates_.passages() + static_cast<double>(passed_things(network_)));
    }
    return limits_.longer || work > limits_.work_left ||
           (limits_.stop && ++events_so_far_ % kBetweenAsking == 0 && limits_.stop());
  }

  /// Whether it gives up, by what the first messages took.
  [[nodiscard]] bool too_long(std::size_t taken_in) const {
    if (rates_.found() > limits_.rates_left) return true;
    constexpr double kTimes = 2;  // more may flow side by side at first
    for (const std::size_t part : {8, 16, 32})
      if (taken_in == flows_.size() / part && rates_.found() * static_cast<double>(part) > kTimes * limits_.rates_left)
        return true;
    return false;
  }

  // ---- ranks

  /// The next event. Rates are found when nothing else happens in a moment.
  std::optional<Event> next_event() {
    for (;;) {
      const bool end =
          !rates_.no_ends() && (events_.empty() || std::pair(rates_.first_end(), Kind::kEnds) <
                                                       std::pair(events_.first().time, events_.first().kind));
      const bool none = !end && events_.empty();
      if (rates_.open() && (none || (end ? rates_.first_end() : events_.first().time) > rates_.moment())) {
        rates_.close_moment();
        continue;
      }
      if (none) return std::nullopt;
      if (!end) return events_.take();
      const FlowRates::End first = rates_.take_end();
      return Event{first.time, Kind::kEnds, first.flow};
    }
  }

  void try_at(std::size_t rank, double time) {
    if (time >= ranks_[rank].next_try) return;
    ranks_[rank].next_try = time;
    events_.push(time, Kind::kTry, rank);
  }

  /// The first of a queue may start as soon as its connection is free.
  void offer(std::size_t r, std::size_t queue) {
    Rank& rank = ranks_[r];
    rank.later.emplace(rank.queues[queue].free, queue);
  }

  void send_from(std::size_t r, double now) {
    Rank& rank = ranks_[r];
    for (;;) {
      for (; !rank.later.empty() && rank.later.top().first <= now; rank.later.pop()) {
        const std::size_t queue = rank.later.top().second;
        rank.ready.emplace(rank.queues[queue].first, queue);
      }
      const double free = std::max(rank.busy, rank.port_free);
      if (rank.ready.empty()) {
        if (!rank.later.empty()) try_at(r, std::max(free, rank.later.top().first));
        return;
      }
      if (free > now) {
        try_at(r, free);
        return;
      }
      const auto [f, at] = rank.ready.top();
      rank.ready.pop();
      Queue& queue = rank.queues[at];
      Flow& flow = flows_[f];
      queue.first = flow.behind;
      flow.start = now;
      if (floor_) look_at_floor(now + floor_->from_start(f));
      const auto [port_s, connection_s] = pace(f);
      rank.port_free = now + port_s;
      queue.free = now + connection_s;
      rank.busy = now + ways_[flow.way].overhead;
      result_.started.push_back(f);
      events_.push(now + ways_[flow.way].latency, Kind::kFlows, f);
      if (queue.first != kNone && flows_[queue.first].missing == 0) offer(r, at);
    }
  }

  /// The receiver has it, and what it waited for.
  void work_on(std::size_t f, double now) {
    if (work_s(f) <= 0) {
      done(f, now);
      return;
    }
    Rank& rank = ranks_[flows_[f].to];
    (rank.work == kNone ? rank.work : flows_[rank.last_work].work_behind) = f;
    rank.last_work = f;
    if (!rank.works) work_again(flows_[f].to, now);
  }

  /// The rank works on the first of its waiting messages, if any, when it has begun what it may begin.
  void work_again(std::size_t r, double now) {
    Rank& rank = ranks_[r];
    rank.works = rank.work != kNone;
    if (rank.works) events_.push(std::max(now, rank.busy), Kind::kWork, r);
  }

  void work(std::size_t r, double now) {
    Rank& rank = ranks_[r];
    if (rank.busy > now) {
      events_.push(rank.busy, Kind::kWork, r);
      return;
    }
    const std::size_t f = rank.work;
    rank.work = flows_[f].work_behind;
    rank.busy = now + work_s(f);
    events_.push(rank.busy, Kind::kWorkedOn, f);
  }

  /// So its receiver is done with it.
  void done(std::size_t f, double now) {
    flows_[f].arrival = now;
    result_.length_s = std::max(result_.length_s, now);
    ++done_;
    release(done_of(f), now);
  }

  /// Releases the messages that wait for one end of a message.
  void release(MessageEnd end, double now) {
    for (const MessageEnd waits : waiting_[end]) {
      const std::size_t which = message_of(waits);
      Flow& waiting = flows_[which];
      if (is_start(waits)) {
        if (--waiting.missing > 0) continue;
        if (ranks_[waiting.from].queues[waiting.queue].first != which) continue;
        offer(waiting.from, waiting.queue);
        try_at(waiting.from, now);
      } else if (--waiting.missing_at_end == 0 && waiting.taken_in) {
        work_on(which, now);
      }
    }
  }

  void end_flow(std::size_t f, double now) {
    Flow& flow = flows_[f];
    rates_.leave(f, now);
    flow.left_at = now;
    release(start_of(f), now);
    Rank& rank = ranks_[flow.to];
    rank.busy = std::max(rank.busy, now) + ways_[flow.way].overhead;
    events_.push(rank.busy, Kind::kTakenIn, f);
  }

  const RankNetwork& network_;
  const MessageGraph& graph_;
  const CombiningCosts& combine_s_per_byte_;
  ReplayLimits& limits_;
  std::vector<Rank> ranks_;
  std::vector<Flow> flows_;
  std::vector<WayCosts> ways_;
  Lists<MessageEnd> waiting_;
  FlowRates rates_;
  std::optional<ReplayFloor> floor_;
  double next_look_ = 0;                // at the floor
  std::vector<FlowRates::Passed> way_;  // of the flow at hand
  std::size_t done_ = 0;
  std::int64_t events_so_far_ = 0;
  ReplayResult result_;
  EventQueue<Kind> events_;
};

}  // namespace

std::optional<ReplayResult> replay_messages(const RankNetwork& network, const MessageGraph& graph,
                                            const CombiningCosts& combine_s_per_byte, ReplayLimits& limits) {
  return Replay(network, graph, combine_s_per_byte, limits).run();
}

double replay_floor(const RankNetwork& network, const MessageGraph& graph, const CombiningCosts& combine_s_per_byte) {
  ReplayLimits none;
  return Replay(network, graph, combine_s_per_byte, none).floor();
}

}  // namespace sluice::detail
