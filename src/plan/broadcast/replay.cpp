/// How long a program takes where messages share what they pass.
///
/// Problem: a plan that gives every message its ports for itself is not what a network does. A rank paces its sends by
/// the plan, but messages come late, and then meet at a port, on a connection or on a link.
/// Method: messages are flows. One of b bytes sets out when its range is there and its rank's pace allows it, in the
/// order of the list of those that may (as the executor does, TreeExecutor::Limits::keep_pace and overtake); after the
/// latency it flows at some rate until all of it is there; then its receiver takes it in, for as long as its own start
/// keeps a rank, g(1), one after the other. What a flow passes:
///  - the connection between its ranks, at most at 1 / g(b) of the link or cluster;
///  - both ranks' ports, at most at 1 / g(b) of the cluster that the rank is in (of the link, if that is less or the
///    cluster has no gap);
///  - between clusters the link, at most at n / g(b) for n connections, and the uplinks of all groups that it leaves or
///    enters (a host, a LAN, a site), at the most of any link there.
/// Each of these is shared as TCP connections share a bottleneck: rates of flows are max-min fair, weighted by
/// 1 / round trip; and a round trip grows, besides the latency, with what is queued in everything that the flow passes.
/// Alone, a message so takes g(b) + L, as in pLogP.
/// Complexity: rates change when a flow begins or ends, for those flows alone that share something which may be used up
/// with it, directly or through others: O(f (f + r)) for f flows that pass r such things. Deterministic.
/// Source: the sharing: Massoulie, Roberts, "Bandwidth sharing: objectives and algorithms" (2002); that it is what TCP
/// does, the weights, and the 8775 bytes queued: Velho, Legrand, "Accuracy study and improvement of network simulation
/// in the SimGrid framework" (2009). Deviation: none of a message is on its way during its latency, neither at its
/// sender nor at its receiver, as if all delay were at the start.
///
/// Example: one rank sends 10 MB to another in its cluster, 100 MB/s at a latency of 0.1 ms, and to one at the end of a
/// long link, of which a connection carries 10 MB/s at a latency of 10 ms. After 0.1 ms the first message has the
/// port's 100 MB/s for itself; after 10 ms the second one gets a part of it that is less than 10 MB/s, and all it can
/// carry only when the first one has ended.
#include "plan/broadcast/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

#include "plan/infinity.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

/// Of every flow in everything it passes.
constexpr std::int64_t kQueuedBytes = 8775;

class Replay {
 public:
  Replay(const RankNetwork& network, const ReplayInput& input)
      : network_(network),
        input_(input),
        clusters_(network.platform().clusters.size()),
        ranks_(static_cast<std::size_t>(network.platform().ranks)) {
    list_flows();
    list_waits();
    list_kinds();
    wanted_.assign(shared_.size(), 0);
  }

  ReplayResult run() {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      for (std::size_t queue = 0; queue < ranks_[r].queues.size(); ++queue)
        if (flows_[ranks_[r].queues[queue].flows.front()].missing == 0) offer(r, queue);
      try_at(r, 0);
    }
    std::size_t taken_in = 0;
    while (!events_.empty() || !ends_.empty()) {
      const Event event = next_event();
      switch (event.kind) {
        case Kind::kTry:
          if (event.time == ranks_[event.index].next_try) {
            ranks_[event.index].next_try = kInfinity;
            send_from(event.index, event.time);
          }
          break;
        case Kind::kFlows:
          begin_flow(event.index, event.time);
          break;
        case Kind::kEnds:
          end_flow(event.index, event.time);
          break;
        case Kind::kTakenIn:
          ++taken_in;
          if (too_long(taken_in)) {
            result_.complete = false;
            return std::move(result_);
          }
          flows_[event.index].taken_in = true;
          if (flows_[event.index].missing_at_end == 0) done(event.index, event.time);
          break;
      }
    }
    SLUICE_ASSERT(taken_in == flows_.size() && done_ == flows_.size(),
                  fmt::format("{} and {} of {}", taken_in, done_, flows_.size()));
    for (const Flow& flow : flows_) result_.messages.push_back({flow.start, flow.left_at, flow.arrival});
    return std::move(result_);
  }

 private:
  static constexpr std::size_t kNowhere = SIZE_MAX;
  enum class Kind : unsigned char { kTakenIn, kEnds, kFlows, kTry };
  struct Event {
    double time;
    std::uint64_t number;
    Kind kind;
    std::size_t index;  // a flow, or a rank

    bool operator<(const Event& other) const {  // for a queue whose top is the earliest
      return std::tie(other.time, other.kind, other.number) < std::tie(time, kind, number);
    }
  };

  /// What flows share: for so many seconds would the flow, if alone, keep it.
  struct Passed {
    std::size_t shared = 0;
    double seconds = 0;
  };
  struct Flow {
    std::size_t from = 0, to = 0;     // ranks
    std::size_t queue = 0;            // of its sender
    std::int32_t missing = 0;         // ends that its start waits for
    std::int32_t missing_at_end = 0;  // and its receiver, when it is taken in
    bool taken_in = false;
    std::size_t passed = 0;  // where what it passes begins, in passed_
    std::size_t passes = 0;
    double weight = 0;
    double latency = 0;
    double overhead = 0;   // of either end
    double least = 0;      // seconds it takes alone
    std::size_t kind = 0;  // see kinds_
    // While it flows:
    double left = 1;  // of it
    double rate = 0;  // parts of it a second
    double since = 0;
    std::size_t place = kNowhere;      // in ends_
    std::size_t mark = 0, fixed = 0;   // of the last change that reached it, and gave it a rate
    std::size_t way = 0, way_end = 0;  // then, in ways_
    double start = 0, left_at = 0, arrival = 0;
  };
  struct Shared {
    std::vector<std::size_t> flows;  // under way
    std::size_t mark = 0;            // of the last change that met it
    double free = 1;                 // while rates are found
    double weights = 0;              // of those whose rate is open
    std::size_t open = 0;            // so many
  };
  struct Queue {
    std::vector<std::size_t> flows;  // in their order
    std::size_t next = 0;
    double free = 0;
  };
  /// By a number, the least on top.
  template <class Number>
  using Least =
      std::priority_queue<std::pair<Number, std::size_t>, std::vector<std::pair<Number, std::size_t>>, std::greater<>>;
  struct Rank {
    std::vector<Queue> queues;
    // Queues whose first message waits for nothing else: by when their connections are free, and, where they are, by
    // that message.
    Least<double> later;
    Least<std::size_t> ready;
    double port_free = 0;
    double busy = 0;  // until when
    double next_try = kInfinity;
  };

  void list_flows() {
    shared_.resize(2 * ranks_.size() + clusters_ * clusters_ + network_.uplinks());
    std::vector<std::map<std::int64_t, std::size_t>> queue_of(ranks_.size());
    std::vector<std::vector<std::size_t>> connection_of(ranks_.size());  // by queue
    flows_.reserve(input_.messages.size());
    for (const ReplayMessage& message : input_.messages) {
      Flow flow;
      flow.from = static_cast<std::size_t>(message.from);
      flow.to = static_cast<std::size_t>(message.to);
      Rank& rank = ranks_[flow.from];
      const auto [at, fresh] = queue_of[flow.from].try_emplace(message.to, rank.queues.size());
      if (fresh) {
        rank.queues.emplace_back();
        connection_of[flow.from].push_back(shared_.size());
        shared_.emplace_back();
      }
      flow.queue = at->second;
      rank.queues[flow.queue].flows.push_back(flows_.size());
      find_way(flow, message.bytes, connection_of[flow.from][flow.queue]);
      flows_.push_back(flow);
    }
  }

  void list_kinds() {
    const auto level = [](const Flow& flow) { return 1 / (flow.least * flow.weight); };
    for (const Flow& flow : flows_) kinds_.push_back(level(flow));
    std::sort(kinds_.begin(), kinds_.end());
    kinds_.erase(std::unique(kinds_.begin(), kinds_.end()), kinds_.end());
    of_kind_.resize(kinds_.size());
    for (Flow& flow : flows_)
      flow.kind =
          static_cast<std::size_t>(std::lower_bound(kinds_.begin(), kinds_.end(), level(flow)) - kinds_.begin());
  }

  void find_way(Flow& flow, std::int64_t bytes, std::size_t connection) {
    const std::size_t n = ranks_.size();
    const std::size_t from = network_.cluster(static_cast<std::int64_t>(flow.from));
    const std::size_t to = network_.cluster(static_cast<std::int64_t>(flow.to));
    double queued = 0;
    flow.passed = passed_.size();
    const auto pass = [&](std::size_t shared, double seconds, double queued_seconds) {
      passed_.push_back({shared, seconds});
      ++flow.passes;
      queued += queued_seconds;
    };
    if (from == to) {
      const PlatformCluster& cluster = network_.platform().clusters[from];
      flow.latency = cluster.latency_s;
      flow.least = cluster.gap.at(bytes);
      flow.overhead = cluster.gap.at(1);
      pass(connection, flow.least, 0);
      pass(flow.from, flow.least, cluster.gap.at(kQueuedBytes));
      pass(n + flow.to, flow.least, cluster.gap.at(kQueuedBytes));
    } else {
      const PlatformLink& link = network_.link(from, to);
      const auto beside = static_cast<double>(link.connections);
      flow.latency = link.latency_s;
      flow.least = link.gap.at(bytes);
      flow.overhead = link.gap.at(1);
      pass(connection, flow.least, link.gap.at(kQueuedBytes));
      const auto port = [&](std::size_t cluster, std::size_t shared) {
        const GapTable& gap = network_.platform().clusters[cluster].gap;
        const bool known = !gap.points().empty();
        pass(shared, known ? std::min(flow.least, gap.at(bytes)) : flow.least,
             known ? std::min(link.gap.at(kQueuedBytes), gap.at(kQueuedBytes)) : 0);
      };
      port(from, flow.from);
      port(to, n + flow.to);
      const std::size_t links = 2 * n;
      pass(links + from * clusters_ + to, flow.least / beside, 0);
      const std::size_t uplinks = links + clusters_ * clusters_;
      network_.for_uplinks(from, to, [&](std::size_t number) {
        pass(uplinks + number, network_.kept_s(number, flow.least / beside, network_.uplink_s(number, bytes)),
             network_.uplink_s(number, kQueuedBytes));
      });
    }
    constexpr double kShortest = 1e-12;
    flow.least = std::max(flow.least, kShortest);
    // By bytes, while rates are in parts of the message.
    flow.weight = 1 / (static_cast<double>(bytes) * std::max(kShortest, flow.latency + queued));
  }

  [[nodiscard]] std::span<const Passed> passed_by(const Flow& flow) const {
    return {passed_.data() + flow.passed, flow.passes};
  }

  void list_waits() {
    frees_.resize(2 * flows_.size());
    for (const ReplayWait& wait : input_.waits) {
      frees_[2 * wait.ended + (wait.ended_at == ReplayEnd::kReceiver ? 1 : 0)].push_back(wait);
      ++(wait.waits_at == ReplayEnd::kSender ? flows_[wait.waiting].missing : flows_[wait.waiting].missing_at_end);
    }
  }

  /// Whether it gives up, by what the first messages took.
  [[nodiscard]] bool too_long(std::size_t taken_in) const {
    if (result_.rates > input_.most_rates) return true;
    constexpr double kTimes = 2;  // more may flow side by side at first
    for (const std::size_t part : {8, 16, 32})
      if (taken_in == flows_.size() / part && result_.rates * static_cast<double>(part) > kTimes * input_.most_rates)
        return true;
    return false;
  }

  // ---- ranks

  void push(double time, Kind kind, std::size_t index) { events_.push({time, number_++, kind, index}); }

  Event next_event() {
    if (ends_.empty() || (!events_.empty() && ends_.front() < events_.top())) {
      const Event event = events_.top();
      events_.pop();
      return event;
    }
    const Event event = ends_.front();
    flows_[event.index].place = kNowhere;
    const Event last = ends_.back();
    ends_.pop_back();
    if (!ends_.empty()) sink(0, last);
    return event;
  }

  /// Every flow under way has one end, which moves as its rate changes.
  void set_end(std::size_t f, double time) {
    const Event event{time, number_++, Kind::kEnds, f};
    std::size_t at = flows_[f].place;
    if (at == kNowhere) {
      at = ends_.size();
      ends_.push_back(event);
    }
    while (at > 0 && ends_[(at - 1) / 2] < event) {
      place(at, ends_[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
    sink(at, event);
  }

  void sink(std::size_t at, const Event& event) {
    for (;;) {
      std::size_t child = 2 * at + 1;
      if (child + 1 < ends_.size() && ends_[child] < ends_[child + 1]) ++child;
      if (child >= ends_.size() || !(event < ends_[child])) break;
      place(at, ends_[child]);
      at = child;
    }
    place(at, event);
  }

  void place(std::size_t at, const Event& event) {
    ends_[at] = event;
    flows_[event.index].place = at;
  }

  void try_at(std::size_t rank, double time) {
    if (time >= ranks_[rank].next_try) return;
    ranks_[rank].next_try = time;
    push(time, Kind::kTry, rank);
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
        rank.ready.emplace(rank.queues[queue].flows[rank.queues[queue].next], queue);
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
      ++queue.next;
      Flow& flow = flows_[f];
      flow.start = now;
      rank.port_free = now + input_.messages[f].port_s;
      queue.free = now + input_.messages[f].connection_s;
      rank.busy = now + flow.overhead;
      result_.started.push_back(f);
      push(now + flow.latency, Kind::kFlows, f);
      if (queue.next < queue.flows.size() && flows_[queue.flows[queue.next]].missing == 0) offer(r, at);
    }
  }

  /// The receiver has it, and what it waited for.
  void done(std::size_t f, double now) {
    flows_[f].arrival = now;
    result_.length = std::max(result_.length, now);
    ++done_;
    release(2 * f + 1, now);
  }

  /// What waits for one end of a message.
  void release(std::size_t end, double now) {
    for (const ReplayWait& wait : frees_[end]) {
      Flow& waiting = flows_[wait.waiting];
      if (wait.waits_at == ReplayEnd::kSender) {
        if (--waiting.missing > 0) continue;
        const Queue& queue = ranks_[waiting.from].queues[waiting.queue];
        if (queue.flows[queue.next] != wait.waiting) continue;
        offer(waiting.from, waiting.queue);
        try_at(waiting.from, now);
      } else if (--waiting.missing_at_end == 0 && waiting.taken_in) {
        done(wait.waiting, now);
      }
    }
  }

  // ---- rates

  void begin_flow(std::size_t f, double now) {
    Flow& flow = flows_[f];
    flow.since = now;
    for (const Passed& each : passed_by(flow)) {
      Shared& shared = shared_[each.shared];
      shared.flows.push_back(f);
      wanted_[each.shared] += each.seconds / flow.least;
    }
    meet(flow);
    affect(f);
    share(now);
  }

  void end_flow(std::size_t f, double now) {
    Flow& flow = flows_[f];
    meet(flow);
    for (const Passed& each : passed_by(flow)) {
      Shared& shared = shared_[each.shared];
      shared.flows.erase(std::find(shared.flows.begin(), shared.flows.end(), f));
      double& wanted = wanted_[each.shared];
      wanted = shared.flows.empty() ? 0 : wanted - each.seconds / flow.least;
    }
    share(now);
    flow.left_at = now;
    release(2 * f, now);
    Rank& rank = ranks_[flow.to];
    rank.busy = std::max(rank.busy, now) + flow.overhead + input_.messages[f].take_in_s;
    push(rank.busy, Kind::kTakenIn, f);
  }

  [[nodiscard]] bool may_be_used_up(std::size_t shared) const {
    constexpr double kRounding = 1e-9;
    return wanted_[shared] > 1 + kRounding;
  }

  /// Begins a change: what `flow` passes and may be used up.
  void meet(const Flow& flow) {
    ++mark_;
    affected_.clear();
    met_.clear();
    ways_.clear();
    for (const Passed& each : passed_by(flow))
      if (may_be_used_up(each.shared)) meet(each.shared);
  }

  void meet(std::size_t shared) {
    Shared& each = shared_[shared];
    if (each.mark == mark_) return;
    each.mark = mark_;
    each.free = 1;
    each.weights = 0;
    each.open = 0;
    met_.push_back(shared);
  }

  /// The change reaches a flow, and what that passes and may be used up.
  void affect(std::size_t f) {
    Flow& flow = flows_[f];
    if (flow.mark == mark_) return;
    flow.mark = mark_;
    affected_.push_back(f);
    flow.way = ways_.size();
    for (const Passed& each : passed_by(flow)) {
      if (!may_be_used_up(each.shared)) continue;
      meet(each.shared);
      Shared& shared = shared_[each.shared];
      shared.weights += flow.weight * each.seconds;
      ++shared.open;
      ways_.push_back(each);
    }
    flow.way_end = ways_.size();
  }

  /// New rates for all flows under way that the change reaches.
  void share(double now) {
    for (std::size_t m = 0; m < met_.size(); ++m)  // grows meanwhile
      for (const std::size_t f : shared_[met_[m]].flows) affect(f);
    // The least level first: at which something is used up, or a flow needs no more. What others take at lower levels
    // only raises that of something, so it is looked at again when its turn comes.
    result_.rates += static_cast<double>(affected_.size());
    levels_.clear();
    for (const std::size_t f : affected_) {
      const std::size_t kind = flows_[f].kind;
      if (of_kind_[kind].empty()) levels_.emplace_back(kinds_[kind], kind);
      of_kind_[kind].push_back(f);
    }
    for (const std::size_t s : met_) levels_.emplace_back(shared_[s].free / shared_[s].weights, kinds_.size() + s);
    std::make_heap(levels_.begin(), levels_.end(), std::greater<>());
    std::size_t open = affected_.size();
    while (!levels_.empty()) {
      std::pop_heap(levels_.begin(), levels_.end(), std::greater<>());
      const auto [level, what] = levels_.back();
      levels_.pop_back();
      if (what < kinds_.size()) {
        for (const std::size_t f : of_kind_[what]) open -= fix(f, level, now);
        of_kind_[what].clear();
        continue;
      }
      if (open == 0) continue;
      const Shared& shared = shared_[what - kinds_.size()];
      if (shared.open == 0) continue;
      constexpr double kRounding = 1e-9;
      const double now_at = shared.free / shared.weights;
      if (now_at > level * (1 + kRounding)) {
        levels_.emplace_back(now_at, what);
        std::push_heap(levels_.begin(), levels_.end(), std::greater<>());
        continue;
      }
      for (const std::size_t f : shared.flows) open -= fix(f, level, now);
    }
    SLUICE_ASSERT(open == 0, fmt::format("{} flows", open));
  }

  /// Gives a flow its rate, if it has none yet: 1, else 0.
  std::size_t fix(std::size_t f, double level, double now) {
    Flow& flow = flows_[f];
    if (flow.fixed == mark_) return 0;
    flow.fixed = mark_;
    const double rate = std::min(level * flow.weight, 1 / flow.least);
    for (std::size_t w = flow.way; w < flow.way_end; ++w) {
      Shared& shared = shared_[ways_[w].shared];
      shared.free = std::max(0.0, shared.free - rate * ways_[w].seconds);
      // Rounding: what nobody waits for any more has no weights.
      shared.weights = --shared.open == 0 ? 0 : shared.weights - flow.weight * ways_[w].seconds;
    }
    set_rate(f, rate, now);
    return 1;
  }

  void set_rate(std::size_t f, double rate, double now) {
    Flow& flow = flows_[f];
    constexpr double kSame = 1e-12;
    if (flow.place != kNowhere && std::abs(rate - flow.rate) <= kSame * rate) return;
    flow.left = std::max(0.0, flow.left - flow.rate * (now - flow.since));
    flow.since = now;
    flow.rate = rate;
    set_end(f, now + flow.left / rate);
  }

  const RankNetwork& network_;
  const ReplayInput& input_;
  std::size_t clusters_;
  std::vector<Rank> ranks_;
  std::vector<Flow> flows_;
  std::vector<Passed> passed_;                  // by all flows
  std::vector<std::vector<ReplayWait>> frees_;  // by flow, at its sender and at its receiver: what waits for it
  std::vector<Shared> shared_;  // ports of senders, of receivers, links, uplinks, downlinks, connections
  std::vector<double> wanted_;  // of each by all, if each had all else for itself; above 1, it may be used up
  std::size_t done_ = 0;
  ReplayResult result_;
  std::priority_queue<Event> events_;
  std::vector<Event> ends_;  // of flows, a heap: the earliest first
  std::uint64_t number_ = 0;
  // Of the change at hand:
  std::size_t mark_ = 0;
  std::vector<std::size_t> affected_, met_;
  std::vector<Passed> ways_;  // of the flows affected, what may be used up
  // Levels from which flows need no more, all different; their flows, while levels are found; and the levels to come,
  // of a kind of flows or, with numbers behind them, of what flows share.
  std::vector<double> kinds_;
  std::vector<std::vector<std::size_t>> of_kind_;
  std::vector<std::pair<double, std::size_t>> levels_;
};

}  // namespace

ReplayResult replay_messages(const RankNetwork& network, const ReplayInput& input) {
  return Replay(network, input).run();
}

namespace {

/// A send waits for the messages that bring bytes of its range.
void list_sources(ReplayInput& input, const std::vector<const ProgramSend*>& sends, std::size_t ranks) {
  std::vector<std::vector<std::pair<std::int64_t, std::size_t>>> comes(ranks);  // by the end of the range
  for (std::size_t f = 0; f < sends.size(); ++f)
    comes[static_cast<std::size_t>(sends[f]->to)].emplace_back(sends[f]->offset + sends[f]->bytes, f);
  for (auto& list : comes) std::sort(list.begin(), list.end());
  for (std::size_t f = 0; f < sends.size(); ++f) {
    const ProgramSend& send = *sends[f];
    const auto& list = comes[static_cast<std::size_t>(input.messages[f].from)];
    auto at = std::upper_bound(list.begin(), list.end(), std::pair(send.offset, sends.size()));
    for (; at != list.end() && sends[at->second]->offset < send.offset + send.bytes; ++at)
      input.waits.push_back({at->second, ReplayEnd::kReceiver, f, ReplayEnd::kSender});
  }
}

}  // namespace

std::optional<BroadcastProgram> replayed(const RankNetwork& network, const BroadcastProgram& program,
                                         double* rates_left) {
  ReplayInput input;
  if (rates_left != nullptr) input.most_rates = *rates_left;
  std::vector<const ProgramSend*> sends;
  for (std::size_t from = 0; from < program.ranks.size(); ++from) {
    for (const ProgramSend& send : program.ranks[from].sends) {
      input.messages.push_back(
          {static_cast<std::int64_t>(from), send.to, send.bytes, send.port_s, send.connection_s, 0});
      sends.push_back(&send);
    }
  }
  list_sources(input, sends, program.ranks.size());
  const ReplayResult times = replay_messages(network, input);
  if (rates_left != nullptr) *rates_left -= times.rates;
  if (!times.complete) return {};
  BroadcastProgram result;
  result.method = program.method;
  result.root = program.root;
  result.bytes = program.bytes;
  result.length_s = times.length;
  result.ranks.resize(program.ranks.size());
  for (const std::size_t f : times.started) {
    ProgramSend send = *sends[f];
    send.start_s = times.messages[f].start;
    send.arrival_s = times.messages[f].arrival;
    send.connection_s = std::min(send.connection_s, send.arrival_s - send.start_s);
    send.port_s = std::min(send.port_s, send.connection_s);
    const std::int64_t from = input.messages[f].from;
    result.ranks[static_cast<std::size_t>(from)].sends.push_back(send);
    result.ranks[static_cast<std::size_t>(send.to)].receives.push_back({from, send.offset, send.bytes});
  }
  return result;
}

}  // namespace sluice::detail
