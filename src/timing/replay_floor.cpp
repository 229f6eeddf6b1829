/// A lower bound of the length of a replay.
///
/// Problem: many programs are replayed, and only one is taken. If a replay ends when its time has passed the length of
/// the best one, it has mostly done most of its work by then.
/// Method: the replay cannot end before
///  - the longest path that is left: from the start of a message on, its latency, its flow with all it passes for
///    itself, and what waits for it, or its receiver's work. Paths are known before the replay begins, in one pass from
///    the last message to the first. Most waiting messages come later in the list; others are left out, which makes the
///    path shorter;
///  - at each port, link and uplink, all that has yet to pass it, one after the other. The shortest path from the end
///    of any flow there to the end comes on top; before the replay begins, also the earliest start of any flow there.
///    As the replay goes on, time that a thing has wasted shows: less has passed it than could have.
/// Guarantee: no replay ends earlier, except for rounding.
/// Complexity: O(messages, what they pass and what waits) once; a look while it runs as said.
/// Source: ours. The two bounds are the critical path and the load of a machine; branch and bound in shops uses both
/// (Carlier, "The one-machine sequencing problem", 1982, has heads and tails).
///
/// Example: rank 0 sends 1 s to 1, which forwards it in another second to 2; and then 4 s to 3. Before it starts, the
/// path is 2 s, the port of 0 needs 5 s. If 0 begins with the message to 3, the message to 1 starts after 4 s and has a
/// path of 2 s left: 6 s.
#include "timing/replay_floor.hpp"

#include <algorithm>

#include "base/infinity.hpp"

namespace sluice::detail {

ReplayFloor::ReplayFloor(std::vector<Message> messages, std::vector<Way> ways, const Lists<MessageEnd>& waiting,
                         std::size_t things, std::size_t ranks)
    : messages_(std::move(messages)), ways_(std::move(ways)), loads_(things) {
  find_ends(waiting);
  find_loads(waiting, ranks);
}

/// From the last message to the first: how long it takes from each to the end.
void ReplayFloor::find_ends(const Lists<MessageEnd>& waiting) {
  from_start_.assign(messages_.size(), 0);
  after_flow_.assign(messages_.size(), 0);
  std::vector<double> from_receipt(messages_.size(), 0);  // when all is there that the receiver needs to work on it
  const auto longest = [&](MessageEnd end) {
    double most_s = 0;
    for (const MessageEnd waits : waiting[end])
      most_s = std::max(most_s, (is_start(waits) ? from_start_ : from_receipt)[message_of(waits)]);
    return most_s;
  };
  for (std::size_t m = messages_.size(); m-- > 0;) {
    const Message& message = messages_[m];
    const Way& way = ways_[message.way];
    from_receipt[m] = message.work_s + longest(done_of(m));
    after_flow_[m] = std::max(longest(start_of(m)), way.overhead_s + from_receipt[m]);
    from_start_[m] = way.latency_s + way.least_s + after_flow_[m];
    if (message.behind != kNone)
      from_start_[m] = std::max(from_start_[m], message.connection_s + from_start_[message.behind]);
    at_start_ = std::max(at_start_, from_start_[m]);
  }
}

/// From the first message to the last: when each can flow; and what things and ranks have to do.
void ReplayFloor::find_loads(const Lists<MessageEnd>& waiting, std::size_t ranks) {
  std::vector<double> start(messages_.size(), 0), receipt(messages_.size(), 0);  // the earliest
  std::vector<double> first_s(loads_.size(), kInfinity);                         // of a flow, by thing
  std::vector<double> busy(ranks, 0);
  for (Load& load : loads_) load.after_s = kInfinity;
  const auto pass_on = [&](MessageEnd end, double time) {
    for (const MessageEnd waits : waiting[end]) {
      double& earliest = (is_start(waits) ? start : receipt)[message_of(waits)];
      earliest = std::max(earliest, time);
    }
  };
  for (std::size_t m = 0; m < messages_.size(); ++m) {
    const Message& message = messages_[m];
    const Way& way = ways_[message.way];
    const double flows_at = start[m] + way.latency_s, ends_at = flows_at + way.least_s;
    pass_on(start_of(m), ends_at);
    pass_on(done_of(m), std::max(receipt[m], ends_at + way.overhead_s) + message.work_s);
    if (message.behind != kNone)
      start[message.behind] = std::max(start[message.behind], start[m] + message.connection_s);
    for (const auto& [thing, seconds] : way.passes) {
      if (thing >= loads_.size()) continue;
      Load& load = loads_[thing];
      ++load.messages;
      load.to_come += seconds;
      load.after_s = std::min(load.after_s, after_flow_[m]);
      first_s[thing] = std::min(first_s[thing], flows_at);
    }
    busy[message.from] += way.overhead_s;
    busy[message.to] += way.overhead_s + message.work_s;
  }
  for (std::size_t t = 0; t < loads_.size(); ++t)
    if (loads_[t].to_come > 0) at_start_ = std::max(at_start_, first_s[t] + loads_[t].to_come + loads_[t].after_s);
  for (const double each : busy) at_start_ = std::max(at_start_, each);
}

void ReplayFloor::flows(std::size_t message) {
  for (const auto& [thing, seconds] : ways_[messages_[message].way].passes) {
    if (thing >= loads_.size()) continue;
    Load& load = loads_[thing];
    load.to_come = --load.messages == 0 ? 0 : load.to_come - seconds;
  }
}

double ReplayFloor::end_from(double now, const FlowRates& rates) {
  double left_s = 0;
  for (Load& load : loads_) load.under_way = 0;
  rates.for_flows(now, [&](std::size_t m, double left) {
    const Way& way = ways_[messages_[m].way];
    left_s = std::max(left_s, left * way.least_s + after_flow_[m]);
    for (const auto& [thing, seconds] : way.passes)
      if (thing < loads_.size()) loads_[thing].under_way += left * seconds;
  });
  for (const Load& load : loads_)
    if (load.to_come + load.under_way > 0) left_s = std::max(left_s, load.to_come + load.under_way + load.after_s);
  return now + left_s;
}

}  // namespace sluice::detail
