/// When the messages of a broadcast start and arrive, if each has what it passes for itself: the fast simulation that
/// the search for routes uses. Its costs are RankNetwork::costs; timed_messages.hpp says what it does.
#include "timing/timed_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <span>
#include <tuple>

#include "base/infinity.hpp"
#include "sluice/error.hpp"
#include "timing/event_queue.hpp"

namespace sluice::detail {

namespace {

class Simulation {
 public:
  Simulation(const RankNetwork& network, std::int64_t root, const MessageGraph& graph, bool one_port, bool length_only)
      : network_(network),
        messages_(graph.messages),
        ranges_(graph.ranges.all()),
        sending_(graph.sending),
        root_(root),
        one_port_(one_port),
        length_only_(length_only),
        ranks_(static_cast<std::size_t>(network.platform().ranks)),
        clusters_(network.platform().clusters.size()) {
    SLUICE_ASSERT(ranges_.size() == messages_.size() && sending_.size() == messages_.size(),
                  "a range and a way of sending each");
    cut();
    list_costs();
    group();
    if (!length_only_) {
      place_.resize(messages_.size());
      result_.graph.reserve(messages_.size(), messages_.size());
      result_.graph.pace.reserve(messages_.size());
      result_.times.reserve(messages_.size());
    }
  }

  TimedMessages run() {
    port_free_.assign(ranks_, 0);
    receive_free_.assign(ranks_, 0);
    sent_.assign(ranks_, 0);
    received_.assign(ranks_, 0);
    place_under_way_.resize(messages_.size());
    next_try_.assign(ranks_, kInfinity);
    link_free_.assign(clusters_ * clusters_, 0);
    uplinks_.assign(network_.uplinks(), {});
    const auto root = static_cast<std::size_t>(root_);
    try_at(root, 0);
    std::size_t delivered = 0;
    while (!due_.empty() || !events_.empty()) {
      if (const bool later = events_.empty() || events_.first().time > now_; later && !due_.empty()) {
        try_next();
        continue;
      }
      const Event event = events_.take();
      now_ = event.time;
      switch (event.kind) {
        case Kind::kTry:
          if (event.time == next_try_[event.index]) {
            next_try_[event.index] = kInfinity;
            send_from(event.index, event.time);
          }
          break;
        case Kind::kLeaves:
          leave(event.index, event.time);
          break;
        case Kind::kReaches: {
          const MessageGraph::Message& message = messages_[event.index];
          if (costs(event.index).yields) {
            events_.push(event.time, Kind::kArrives, event.index);
            break;
          }
          received_[static_cast<std::size_t>(message.to)] += costs(event.index).receive_s;
          double& free = receive_free_[static_cast<std::size_t>(message.to)];
          free = std::max(event.time, free + costs(event.index).receive_s);
          if (free > event.time) {
            events_.push(free, Kind::kArrives, event.index);
            break;
          }
          [[fallthrough]];
        }
        case Kind::kArrives:
          ++delivered;
          if (!one_port_) keep_busy(event);
          result_.length_s = std::max(result_.length_s, event.time);
          if (!length_only_) result_.times[place_[event.index]].arrival_s = event.time;
          arrive(event.index, event.time);
          break;
      }
    }
    SLUICE_ASSERT(delivered == messages_.size(), fmt::format("{} of {}", delivered, messages_.size()));
    return std::move(result_);
  }

 private:
  enum class Kind : unsigned char { kArrives, kReaches, kLeaves, kTry };
  using Event = EventQueue<Kind>::Event;  // of a message, or a rank
  /// A number of a message, or of something that is no more numerous: half as much memory to go through.
  using Number = std::uint32_t;

  /// The messages from one rank to another.
  struct Connection {
    double free = 0;
    std::priority_queue<Number, std::vector<Number>, std::greater<>> ready;  // positions in order_
  };

  /// A message, with what is read when it starts and arrives, and when another one arrives that it waits for.
  struct Queued {
    Number first_part = 0, end_part = 0;
    Number missing = 0;  ///< parts that its sender has not got yet
    Number connection = 0;
    Number position = 0;  ///< in order_
    Number costs = 0;     ///< in costs_
  };

  [[nodiscard]] Number number_of_messages() const { return static_cast<Number>(messages_.size()); }

  [[nodiscard]] Number part(std::int64_t offset) const {
    return static_cast<Number>(std::lower_bound(cuts_.begin(), cuts_.end(), offset) - cuts_.begin());
  }

  /// Finds the offsets where messages begin or end, and the messages that wait for each part.
  void cut() {
    const Number count = number_of_messages();
    // Most messages have the range of the previous message.
    const auto same_range = [&](Number m) { return m > 0 && ranges_[m] == ranges_[m - 1]; };
    for (Number m = 0; m < count; ++m) {
      if (same_range(m)) continue;
      cuts_.push_back(ranges_[m].offset);
      cuts_.push_back(ranges_[m].end());
    }
    std::sort(cuts_.begin(), cuts_.end());
    cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
    const std::size_t parts = cuts_.empty() ? 0 : cuts_.size() - 1;
    queued_.resize(count);
    waiting_begin_.assign(ranks_ * parts + 1, 0);
    for (Number m = 0; m < count; ++m) {
      const std::int32_t from = messages_[m].from;
      const bool same = same_range(m);
      queued_[m].first_part = same ? queued_[m - 1].first_part : part(ranges_[m].offset);
      queued_[m].end_part = same ? queued_[m - 1].end_part : part(ranges_[m].end());
      if (from == root_) continue;
      queued_[m].missing = queued_[m].end_part - queued_[m].first_part;
      for (std::size_t p = queued_[m].first_part; p < queued_[m].end_part; ++p)
        ++waiting_begin_[static_cast<std::size_t>(from) * parts + p + 1];
    }
    std::partial_sum(waiting_begin_.begin(), waiting_begin_.end(), waiting_begin_.begin());
    waiting_.resize(waiting_begin_.back());
    std::vector<Number> next(waiting_begin_.begin(), waiting_begin_.end() - 1);
    for (Number m = 0; m < count; ++m) {
      if (messages_[m].from == root_) continue;
      for (std::size_t p = queued_[m].first_part; p < queued_[m].end_part; ++p)
        waiting_[next[static_cast<std::size_t>(messages_[m].from) * parts + p]++] = m;
    }
  }

  /// Finds the costs of each message; few costs are different.
  void list_costs() {
    struct Known {
      std::int64_t bytes = -1;
      Number costs = 0;
    };
    std::vector<Known> known(clusters_ * clusters_);  // of the last message between two clusters
    for (std::size_t m = 0; m < messages_.size(); ++m) {
      const MessageGraph::Message& message = messages_[m];
      const std::size_t from = network_.cluster(message.from), to = network_.cluster(message.to);
      Known& last = known[from * clusters_ + to];
      if (last.bytes != message.bytes) {
        last = {message.bytes, static_cast<Number>(costs_.size())};
        costs_.push_back(network_.costs(from, to, message.bytes, one_port_));
      }
      queued_[m].costs = last.costs;
    }
  }
  [[nodiscard]] const MessageCosts& costs(std::size_t m) const { return costs_[queued_[m].costs]; }

  /// The messages of each connection by their priorities, connections by their ranks.
  void group() {
    const Number count = number_of_messages();
    std::vector<Number> first(ranks_ + 1, 0);
    for (const MessageGraph::Message& message : messages_) ++first[static_cast<std::size_t>(message.to) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<Number> by_receiver(count);
    for (Number m = 0; m < count; ++m) by_receiver[first[static_cast<std::size_t>(messages_[m].to)]++] = m;
    first.assign(ranks_ + 1, 0);
    for (const MessageGraph::Message& message : messages_) ++first[static_cast<std::size_t>(message.from) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    order_.resize(count);
    for (const Number m : by_receiver) order_[first[static_cast<std::size_t>(messages_[m].from)]++] = m;
    first_connection_.assign(ranks_ + 1, 0);
    ready_.assign(ranks_, 0);
    const auto earlier = [&](Number a, Number b) {
      return std::pair(sending_[a].priority, a) < std::pair(sending_[b].priority, b);
    };
    for (Number begin = 0, end = 0; begin < count; begin = end) {
      const MessageGraph::Message& message = messages_[order_[begin]];
      while (end < count && messages_[order_[end]].from == message.from && messages_[order_[end]].to == message.to)
        ++end;
      const auto from = order_.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto to = order_.begin() + static_cast<std::ptrdiff_t>(end);
      if (!std::is_sorted(from, to, earlier)) std::sort(from, to, earlier);
      connections_.emplace_back();
      ++first_connection_[static_cast<std::size_t>(message.from) + 1];
      for (Number o = begin; o < end; ++o) {
        queued_[order_[o]].position = o;
        queued_[order_[o]].connection = static_cast<Number>(connections_.size()) - 1;
        if (message.from != root_) continue;
        connections_.back().ready.push(o);
        ++ready_[static_cast<std::size_t>(root_)];
      }
    }
    std::partial_sum(first_connection_.begin(), first_connection_.end(), first_connection_.begin());
  }

  void try_at(std::size_t rank, double time) {
    if (time >= next_try_[rank]) return;
    next_try_[rank] = time;
    if (time > now_)
      events_.push(time, Kind::kTry, rank);
    else
      due_.push_back(rank);
  }

  /// Lets the next due rank try to send. These tries come after all else that happens now.
  void try_next() {
    const std::size_t rank = due_[next_due_++];
    if (next_due_ == due_.size()) due_.clear(), next_due_ = 0;
    if (next_try_[rank] != now_) return;
    next_try_[rank] = kInfinity;
    send_from(rank, now_);
  }

  void send_from(std::size_t rank, double now) {
    while (ready_[rank] > 0) {
      if (port_free_[rank] > now) return try_at(rank, port_free_[rank]);
      Connection* chosen = nullptr;
      double least = kInfinity, soonest = kInfinity;
      for (std::size_t c = first_connection_[rank]; c < first_connection_[rank + 1]; ++c) {
        Connection& each = connections_[c];
        if (each.ready.empty()) continue;
        if (each.free > now) {
          soonest = std::min(soonest, each.free);
          continue;
        }
        const double priority = sending_[order_[each.ready.top()]].priority;
        if (chosen == nullptr || priority < least) {
          least = priority;
          chosen = &each;
        }
      }
      if (chosen == nullptr) {
        if (soonest < kInfinity) try_at(rank, soonest);
        return;
      }
      const std::size_t m = order_[chosen->ready.top()];
      chosen->ready.pop();
      --ready_[rank];
      start(m, now, *chosen);
    }
  }

  void start(std::size_t m, double now, Connection& connection) {
    const MessageGraph::Message& message = messages_[m];
    const MessageGraph::Sending& sending = sending_[m];
    const MessageCosts& cost = costs(m);
    const std::size_t from = network_.cluster(message.from), to = network_.cluster(message.to);
    double end = now + cost.connection_s;
    if (from != to && !one_port_) {
      const auto pass = [&](double& free, double seconds) {
        free = std::max(free, now) + seconds;
        end = std::max(end, free);
      };
      pass(link_free_[from * clusters_ + to], cost.link_s);
      network_.for_uplinks(from, to, [&](std::size_t number) {
        pass(uplinks_[number].free, network_.kept_s(number, cost.link_s, uplink_s(number, message.bytes)));
      });
    }
    const auto sender = static_cast<std::size_t>(message.from);
    const double port_s = sending.alone ? end - now + cost.latency_s : cost.port_s * static_cast<double>(sending.pace);
    port_free_[sender] = now + port_s;
    if (cost.yields) {
      connection.free = kInfinity;
      place_under_way_[m] = static_cast<Number>(under_way_.size());
      under_way_.push_back({now, end, sent_[sender], received_[static_cast<std::size_t>(message.to)]});
      events_.push(end, Kind::kLeaves, m);
    } else {
      sent_[sender] += cost.port_s;
      connection.free = end;
      events_.push(end + cost.latency_s, Kind::kReaches, m);
    }
    if (length_only_) return;
    place_[m] = static_cast<Number>(result_.size());
    result_.graph.messages.push_back(message);
    result_.graph.ranges.add(ranges_.subspan(m, 1));
    result_.graph.pace.push_back({port_s, std::max(end - now, port_s)});
    result_.times.push_back({now, 0});
  }

  /// Most messages of a program are as long as the previous message.
  [[nodiscard]] double uplink_s(std::size_t number, std::int64_t bytes) {
    Uplink& uplink = uplinks_[number];
    if (uplink.bytes != bytes) uplink.bytes = bytes, uplink.seconds = network_.uplink_s(number, bytes);
    return uplink.seconds;
  }

  /// Who takes a message in cannot send meanwhile.
  void keep_busy(const Event& event) {
    double& free = port_free_[static_cast<std::size_t>(messages_[event.index].to)];
    free = std::max(free, event.time) + costs(event.index).overhead_s;
  }

  /// A message that yields goes on for as long as others have kept it from its ports.
  void leave(std::size_t m, double now) {
    const MessageGraph::Message& message = messages_[m];
    const MessageCosts& cost = costs(m);
    const UnderWay& way = under_way_[place_under_way_[m]];
    const auto from = static_cast<std::size_t>(message.from);
    const double kept = cost.yields_from * (sent_[from] - way.sent_before) +
                        cost.yields_to * (received_[static_cast<std::size_t>(message.to)] - way.received_before);
    const double end = std::max(way.end, way.start + cost.connection_s + kept);
    constexpr double kRounding = 1e-12;
    if (end > now * (1 + kRounding) + kRounding) {
      events_.push(end, Kind::kLeaves, m);
      return;
    }
    Connection& connection = connections_[queued_[m].connection];
    connection.free = now;
    if (!length_only_) {
      SendPace& pace = result_.graph.pace[place_[m]];
      pace.connection_s = std::max(cost.connection_s, pace.port_s);
    }
    events_.push(now + cost.latency_s, Kind::kReaches, m);
    if (!connection.ready.empty()) try_at(from, std::max(now, port_free_[from]));
  }

  void arrive(std::size_t m, double now) {
    const auto rank = static_cast<std::size_t>(messages_[m].to);
    const std::size_t parts = cuts_.size() - 1;
    bool any = false;
    for (std::size_t p = queued_[m].first_part; p < queued_[m].end_part; ++p) {
      for (std::size_t w = waiting_begin_[rank * parts + p]; w < waiting_begin_[rank * parts + p + 1]; ++w) {
        Queued& next = queued_[waiting_[w]];
        if (--next.missing > 0) continue;
        connections_[next.connection].ready.push(next.position);
        ++ready_[rank];
        any = true;
      }
    }
    if (any) try_at(rank, std::max(now, port_free_[rank]));
  }

  const RankNetwork& network_;
  const std::vector<MessageGraph::Message>& messages_;
  std::span<const ByteRange> ranges_;  // of each message
  const std::vector<MessageGraph::Sending>& sending_;
  std::int64_t root_;
  bool one_port_;
  bool length_only_;
  std::size_t ranks_;
  std::size_t clusters_;
  TimedMessages result_;
  std::vector<std::int64_t> cuts_;
  std::vector<Queued> queued_;                   // each message
  std::vector<MessageCosts> costs_;              // all different ones
  std::vector<Number> waiting_begin_, waiting_;  // messages by the rank and the part that they wait for
  std::vector<Number> order_;                    // messages by connection and priority
  std::vector<Connection> connections_;
  std::vector<std::size_t> first_connection_;  // of each rank
  std::vector<Number> ready_;                  // of each rank: messages that wait for nothing but its port
  struct Uplink {
    double free = 0;
    std::int64_t bytes = 0;  ///< a message of this length keeps the uplink for `seconds`
    double seconds = 0;
  };
  struct UnderWay {
    double start, end;  ///< the end if nothing else passed its ports
    double sent_before, received_before;
  };
  std::vector<Number> place_under_way_;  // by message: of one that yields, in under_way_
  std::vector<UnderWay> under_way_;      // of messages that yield, one after another
  std::vector<double> sent_, received_;  // the time that messages that do not yield have kept each port
  std::vector<double> port_free_, receive_free_, next_try_, link_free_;
  std::vector<Uplink> uplinks_;
  EventQueue<Kind> events_;
  double now_ = 0;
  std::vector<std::size_t> due_;  // ranks that are tried now, from this one on
  std::size_t next_due_ = 0;
  std::vector<Number> place_;  // of a message in the list
};

}  // namespace

TimedMessages timed_messages(const RankNetwork& network, std::int64_t root, const MessageGraph& messages, bool one_port,
                             bool length_only) {
  return Simulation(network, root, messages, one_port, length_only).run();
}

}  // namespace sluice::detail
