/// How long routes take, without a simulation: to choose among many.
///
/// Problem: to simulate every segment of every route that may be good takes seconds, for ten thousand ranks hours.
/// Method: a pipeline is filled, and then its busiest part sets the pace: time to the last rank of the first segment,
/// plus (segments - 1) times the load of the busiest port, rank, connection, link or uplink for a segment, on the mean
/// of as many segments as there are entries to a group. Ports and uplinks are as in replay.cpp. The first segments are
/// followed one by one, each alone: a rank sends what it passes on one after the other.
/// Guarantee: none: what waits for another than the busiest part is not seen. Of routes over studies/grid5000 the score
/// is within a quarter of what the simulation of timed_program.hpp finds; replays found up to twice as much.
/// Complexity: O(k n) time and O(n) memory for n ranks and k entries. Source: the time of a pipeline is common
/// knowledge; its loads here are ours.
///
/// Example: a chain of 4 ranks in one cluster, g = 1 ms for a segment, latency 0.1 ms, 10 segments: 3 * 1.1 ms until
/// the first is there, then 1 ms for each of the other nine: 12.3 ms.
#include "plan/broadcast/route_score.hpp"

#include <algorithm>
#include <numeric>

#include "plan/broadcast/route_builder.hpp"

namespace sluice::detail {

RouteScore::RouteScore(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                       const std::vector<RankGroup>& groups)
    : network_(network),
      root_(static_cast<std::size_t>(root)),
      bytes_(bytes),
      groups_(groups),
      ranks_(static_cast<std::size_t>(network.platform().ranks)),
      clusters_(network.platform().clusters.size()),
      load_(3 * ranks_ + clusters_ * clusters_ + network.uplinks(), 0) {}

MessageCosts RouteScore::costs(std::size_t from, std::size_t to, std::int64_t bytes) const {
  MessageCosts costs = network_.costs(from, to, bytes, false);
  if (costs.yields) costs.port_s = std::min(costs.port_s, network_.port_s(to, costs.connection_s, bytes));
  return costs;
}

void RouteScore::use(std::size_t what, double seconds) {
  if (load_[what] == 0) used_.push_back(what);
  load_[what] += seconds;
}

void RouteScore::add_loads(const std::vector<RankMessage>& messages, const std::vector<MessageCosts>& inside) {
  for (const RankMessage& message : messages) {
    const auto from = static_cast<std::size_t>(message.from), to = static_cast<std::size_t>(message.to);
    const std::size_t a = network_.cluster(message.from), b = network_.cluster(message.to);
    const std::int64_t bytes = message.end - message.begin;
    const MessageCosts passed = a == b ? inside[a] : costs(a, b, bytes);
    use(from, passed.port_s);
    use(ranks_ + to, passed.port_s);
    use(2 * ranks_ + from, passed.overhead_s);
    use(2 * ranks_ + to, passed.overhead_s);
    if (a == b) continue;
    connections_.emplace_back(from * ranks_ + to, passed.connection_s);
    use(3 * ranks_ + a * clusters_ + b, passed.link_s);
    network_.for_uplinks(a, b, [&](std::size_t number) {
      use(3 * ranks_ + clusters_ * clusters_ + number,
          network_.kept_s(number, passed.link_s, network_.uplink_s(number, bytes)));
    });
  }
}

double RouteScore::fill(const std::vector<RankMessage>& messages, const std::vector<MessageCosts>& inside) {
  // The messages of each sender, in the order of their priorities.
  first_.assign(ranks_ + 1, 0);
  for (const RankMessage& message : messages) ++first_[static_cast<std::size_t>(message.from) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  order_.resize(messages.size());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t m = 0; m < messages.size(); ++m) order_[next[static_cast<std::size_t>(messages[m].from)]++] = m;
  there_.assign(ranks_, 0);
  std::vector<std::size_t> reached{root_};
  double last = 0;
  for (std::size_t at = 0; at < reached.size(); ++at) {  // grows meanwhile
    const std::size_t from = reached[at];
    double free = there_[from];
    const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(first_[from]);
    const auto end = order_.begin() + static_cast<std::ptrdiff_t>(first_[from + 1]);
    std::sort(begin, end, [&](std::size_t x, std::size_t y) { return messages[x].priority < messages[y].priority; });
    for (auto m = begin; m != end; ++m) {
      const RankMessage& message = messages[*m];
      const std::size_t a = network_.cluster(message.from), b = network_.cluster(message.to);
      const MessageCosts passed = a == b ? inside[a] : costs(a, b, message.end - message.begin);
      const auto to = static_cast<std::size_t>(message.to);
      there_[to] = free + passed.connection_s + passed.latency_s + passed.overhead_s;
      free += passed.port_s;
      last = std::max(last, there_[to]);
      reached.push_back(to);
    }
  }
  return last;
}

double RouteScore::score(const Routes& routes) {
  RouteBuilder builder(network_, groups_, bytes_, routes);
  constexpr std::size_t kFollowed = 2;
  const auto segments = static_cast<std::size_t>(routes.segments(bytes_));
  const std::size_t sample = std::min(segments, std::max(kFollowed, builder.most_entries()));
  const std::int64_t bytes = std::min(bytes_, routes.segment_bytes);
  std::vector<MessageCosts> inside;
  for (std::size_t c = 0; c < clusters_; ++c)
    inside.push_back(network_.platform().clusters[c].ranks.size() > 1 ? costs(c, c, bytes) : MessageCosts{});
  std::vector<RankMessage> messages;
  double filled = 0;
  for (std::size_t each = 0; each < sample; ++each) {
    messages.clear();
    // Spread over the ring of the root's group as all segments are.
    builder.add_segment(static_cast<std::int64_t>(each), each * groups_.front().ranks.size() / sample, messages);
    add_loads(messages, inside);
    if (each < kFollowed) filled = std::max(filled, fill(messages, inside));
  }
  double busiest = 0;
  for (const std::size_t what : used_) {
    busiest = std::max(busiest, load_[what]);
    load_[what] = 0;
  }
  used_.clear();
  std::sort(connections_.begin(), connections_.end());
  double same = 0;
  for (std::size_t c = 0; c < connections_.size(); ++c) {
    same = c > 0 && connections_[c].first == connections_[c - 1].first ? same + connections_[c].second
                                                                       : connections_[c].second;
    busiest = std::max(busiest, same);
  }
  connections_.clear();
  return filled + static_cast<double>(segments - 1) * busiest / static_cast<double>(sample);
}

}  // namespace sluice::detail
