/// Relays: if a message is too long for the connection of its two ranks, a part of it goes through other ranks.
///
/// Problem: if ranks have blocks of different sizes for each other, one connection may be busy long after all ports and
/// links are done: between sites a connection carries less than a port.
/// Method: let T be a time to aim at. A block whose connection would need more than T keeps as much as that connection
/// carries in T. The rest goes in two hops through other ranks, one rank after another, by rising latency of the way.
/// Each relay gets what fits in T beside the traffic that is there anyway: on its two connections, at its ports, and on
/// the links and uplinks on the way. Bisection finds the least T that works, between the time of the busiest port and
/// the time of the busiest connection. Blocks that are divided are sent in segments, so that the second hop begins
/// while the first one goes on. The other blocks go in the rounds of `pairwise`, between these. All messages but short
/// ones state how long they keep a port, because parts that stay near their sender would otherwise keep others from it.
/// Guarantee: none; a byte is sent at most twice. At least one block is divided, or InputError.
/// Complexity: O(p^2) for the loads. For each of kTargets values of T, O(p log p + h) for each block to divide, h being
/// the hops considered; O(p^2) memory. Deterministic. Source: ours. Two hops through other ranks are from Valiant, "A
/// Scheme for Fast Parallel Communication" (1982), where they are random, for unknown traffic. Here the traffic is
/// known, and most of it goes straight. Limits: a part has one relay. So a block can pass no more than its sender's
/// connections to all ranks carry, and their connections to its receiver. Times are taken as proportional to bytes, at
/// the rate of the whole block. If latencies make the time, relays only add to it.
///
/// Example: ranks 0, 1 and 2, 3 are two clusters. Ports carry 100 MB/s, connections between the clusters 25 MB/s, and 0
/// has 100 MB for 2. Its port needs 1 s, the connection 4 s. With T = 1.33 s, the connections 0 - 2, 1 - 2 and 0 - 3
/// carry 33.3 MB each.
#include "plan/patterns/relayed.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sluice/error.hpp"
#include "timing/flow_way.hpp"

namespace sluice::detail {
namespace {

constexpr int kTargets = 6;     // values of T that the bisection tries.
constexpr double kGain = 0.95;  // of the time of the busiest connection: with less gain, nothing is relayed
constexpr std::size_t kMostLooked = std::size_t{1} << 16;  // pairs of a block to divide and a rank, for one T
constexpr double kLeastPart = 1.0 / 64;                    // of what is relayed of a block
constexpr double kMostSegments = 128;                      // of a part
constexpr double kFewMessages = 4096;                      // of divided blocks; in all, as many as there are pairs
constexpr std::int64_t kShort = 8775;                      // bytes, which queues of the network hold anyway
constexpr double kRoundedUp = 1 + 1e-9;

struct Relay {
  std::int64_t by;
  std::int64_t bytes;
};
/// A block; some of its bytes go straight.
struct Divided {
  std::size_t block;
  std::int64_t straight;
  std::vector<Relay> relays;
  std::int64_t segments = 1;  // of each part
};

/// How long a byte keeps what it passes.
struct TwoHops {
  struct Passed {
    std::size_t thing;
    double seconds;
  };
  std::vector<Passed> things;
  double connection_s = 0;  // of its last hop
};

class Division {
 public:
  Division(const RankNetwork& network, const std::vector<PairBlock>& blocks, std::int64_t element_bytes)
      : network_(network),
        blocks_(blocks),
        element_bytes_(element_bytes),
        things_(passed_things(network)),
        load_(things_, 0.0) {
    connection_.reserve(blocks.size());
    for (const PairBlock& block : blocks) {
      double connection_s = 0;
      pass_all(network_, at(block.from), at(block.to), block.range.bytes, things_,
               [&](std::size_t thing, double seconds, double) {
                 (thing == things_ ? connection_s : load_[thing]) += seconds;
               });
      connection_.push_back(connection_s);
      busiest_connection_s_ = std::max(busiest_connection_s_, connection_s);
    }
    const auto ports_end = load_.begin() + static_cast<std::ptrdiff_t>(2 * network.platform().ranks);
    busiest_port_s_ = *std::max_element(load_.begin(), ports_end);
  }

  /// The divided blocks for the least time that was found; empty if no connection is busy for much longer than all
  /// ports.
  std::vector<Divided> find() {
    std::vector<Divided> best;
    double below = busiest_port_s_, above = kGain * busiest_connection_s_;
    if (below <= 0 || below >= above) return best;
    if (divides(below, best)) {
      above = below;
    } else if (divides(above, best)) {
      for (int target = 0; target < kTargets; ++target) {
        const double middle = std::sqrt(below * above);
        (divides(middle, best) ? above : below) = middle;
      }
    }
    if (best.empty()) return best;
    std::size_t hops = 0;
    for (const Divided& each : best) hops += 1 + 2 * each.relays.size();
    const auto ranks = static_cast<double>(network_.platform().ranks);
    const double most = std::max(ranks * ranks, kFewMessages) / static_cast<double>(hops);
    for (Divided& each : best) finish(each, above, std::min(most, kMostSegments));
    return best;
  }
  /// About how long the messages of what was found take.
  [[nodiscard]] double length_s() const { return length_s_; }

 private:
  /// By sender and receiver, seconds.
  using Connections = std::unordered_map<std::size_t, double>;

  static std::size_t at(std::int64_t rank) { return static_cast<std::size_t>(rank); }
  [[nodiscard]] std::size_t pair(std::int64_t from, std::int64_t to) const {
    return at(from) * at(network_.platform().ranks) + at(to);
  }
  [[nodiscard]] double latency_s(std::int64_t from, std::int64_t to) const {
    const std::size_t a = network_.cluster(from), b = network_.cluster(to);
    return a == b ? network_.platform().clusters[a].latency_s : network_.link(a, b).latency_s;
  }

  [[nodiscard]] std::int64_t whole_elements(double bytes) const {
    return static_cast<std::int64_t>(bytes) / element_bytes_ * element_bytes_;
  }

  /// Adds a hop for one byte of a block of `bytes`.
  void add_hop(std::int64_t from, std::int64_t to, std::int64_t bytes, TwoHops& way) const {
    pass_all(network_, at(from), at(to), bytes, things_, [&](std::size_t thing, double seconds, double) {
      seconds /= static_cast<double>(bytes);
      const auto same = std::ranges::find(way.things, thing, &TwoHops::Passed::thing);
      if (thing == things_)
        way.connection_s = seconds;
      else if (same != way.things.end())
        same->seconds += seconds;
      else
        way.things.push_back({thing, seconds});
    });
  }

  /// Chooses its segments, `most` at most: with more of them, what each message costs at its start would be longer than
  /// what the second hop waits for the first one.
  void finish(Divided& each, double time_s, double most) {
    const PairBlock& block = blocks_[each.block];
    const FlowWay way = pass_all(network_, at(block.from), at(block.to), block.range.bytes, things_,
                                 [](std::size_t, double, double) {});
    const double starts_s = way.overhead_s * static_cast<double>(each.relays.size() + 1);
    if (starts_s > 0) most = std::min(most, std::sqrt(2 * time_s / starts_s));
    each.segments = static_cast<std::int64_t>(std::max(most, 1.0));
    double latency = 0;
    for (const Relay& relay : each.relays)
      latency = std::max(latency, latency_s(block.from, relay.by) + latency_s(relay.by, block.to));
    length_s_ = std::max(length_s_, time_s * (1 + 1 / static_cast<double>(each.segments)) + latency);
  }

  /// Whether all could be carried in so long; blocks are divided as `result` says then.
  bool divides(double time_s, std::vector<Divided>& result) const {
    std::vector<std::size_t> longest;
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      if (connection_[i] > time_s) longest.push_back(i);
    if (longest.size() * at(network_.platform().ranks) > kMostLooked) return false;
    std::ranges::stable_sort(longest, [&](std::size_t a, std::size_t b) { return connection_[a] > connection_[b]; });
    std::vector<double> load = load_;
    Connections connections;
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      connections.emplace(pair(blocks_[i].from, blocks_[i].to), std::min(connection_[i], time_s));
    std::vector<Divided> found;
    for (const std::size_t i : longest) {
      std::optional<Divided> one = divide(i, time_s, load, connections);
      if (!one) return false;
      found.push_back(std::move(*one));
    }
    if (std::ranges::max(load) > kRoundedUp * time_s) return false;
    result = std::move(found);
    return true;
  }

  std::optional<Divided> divide(std::size_t number, double time_s, std::vector<double>& load,
                                Connections& connections) const {
    const std::int64_t from = blocks_[number].from, to = blocks_[number].to, bytes = blocks_[number].range.bytes;
    Divided result{number, whole_elements(static_cast<double>(bytes) * (time_s / connection_[number])), {}};
    std::int64_t left = bytes - result.straight;
    const auto least = static_cast<std::int64_t>(kLeastPart * static_cast<double>(left));
    TwoHops straight;
    add_hop(from, to, bytes, straight);
    for (const auto& [thing, seconds] : straight.things) load[thing] -= seconds * static_cast<double>(left);
    std::vector<std::pair<double, std::int64_t>> ranks;
    for (std::int64_t by = 0; by < network_.platform().ranks; ++by)
      if (by != from && by != to) ranks.emplace_back(latency_s(from, by) + latency_s(by, to), by);
    std::ranges::sort(ranks);
    for (const auto& [latency, by] : ranks) {
      TwoHops way;
      add_hop(from, by, bytes, way);
      const double first_s = way.connection_s;
      add_hop(by, to, bytes, way);
      double &first = connections[pair(from, by)], &second = connections[pair(by, to)];
      auto most = static_cast<double>(left);
      const auto at_most = [&](double used_s, double byte_s) {
        if (byte_s > 0) most = std::min(most, (time_s - used_s) / byte_s);
      };
      at_most(first, first_s);
      at_most(second, way.connection_s);
      for (const auto& [thing, seconds] : way.things) at_most(load[thing], seconds);
      const std::int64_t relayed = std::min(left, whole_elements(most));
      if (relayed < 1 || (relayed < least && relayed < left)) continue;
      first += first_s * static_cast<double>(relayed);
      second += way.connection_s * static_cast<double>(relayed);
      for (const auto& [thing, seconds] : way.things) load[thing] += seconds * static_cast<double>(relayed);
      result.relays.push_back({by, relayed});
      left -= relayed;
      if (left == 0) return result;
    }
    return std::nullopt;
  }

  const RankNetwork& network_;
  const std::vector<PairBlock>& blocks_;
  std::int64_t element_bytes_;
  std::size_t things_;
  std::vector<double> load_;        // seconds, of everything but connections, without relays
  std::vector<double> connection_;  // seconds, of the connection of each block
  double busiest_port_s_ = 0, busiest_connection_s_ = 0;
  double length_s_ = 0;
};

/// What goes one way, in segments; `by` is `to` if it goes straight.
struct OneWay {
  std::int64_t from, by, to;
  std::vector<ByteRange> segments;
};

MessageGraph messages_of(const RankNetwork& network, const std::vector<PairBlock>& blocks,
                         const std::vector<Divided>& divided, std::int64_t element_bytes) {
  std::vector<OneWay> parts;
  std::vector<bool> whole(blocks.size(), true);
  std::size_t most = 1;  // segments of a part
  for (const Divided& each : divided) {
    const PairBlock& block = blocks[each.block];
    std::int64_t begin = block.range.offset;
    const auto add = [&](std::int64_t by, std::int64_t bytes) {
      if (bytes > 0) parts.push_back({block.from, by, block.to, cut({begin, bytes}, each.segments, element_bytes)});
      begin += bytes;
    };
    add(block.to, each.straight);
    for (const Relay& relay : each.relays) add(relay.by, relay.bytes);
    whole[each.block] = false;
    most = std::max(most, static_cast<std::size_t>(each.segments));
  }
  MessageGraph messages;
  const auto send = [&](std::int64_t from, std::int64_t to, const ByteRange& range) {
    const MessageCosts costs = network.costs(network.cluster(from), network.cluster(to), range.bytes, false);
    messages.add(from, to, range, MessageKind::kKeep, {range.bytes <= kShort ? 0 : costs.port_s, costs.connection_s});
  };
  std::size_t next = 0;  // block
  for (std::size_t segment = 0; segment <= most; ++segment) {
    for (const OneWay& part : parts)
      if (segment < part.segments.size()) send(part.from, part.by, part.segments[segment]);
    for (const OneWay& part : parts)
      if (part.by != part.to && segment > 0 && segment <= part.segments.size())
        send(part.by, part.to, part.segments[segment - 1]);
    for (; next < blocks.size() && next * most < (segment + 1) * blocks.size(); ++next)
      if (whole[next]) send(blocks[next].from, blocks[next].to, blocks[next].range);
  }
  return messages;
}

}  // namespace

RelayedExchange relayed_exchange(const RankNetwork& network, std::vector<PairBlock> blocks,
                                 std::int64_t element_bytes) {
  Division division(network, blocks, element_bytes);
  std::vector<Divided> divided = division.find();
  if (divided.empty())
    throw InputError("platform", "no connection that is busy for much longer than all ports",
                     "one whose bytes can go by way of other ranks");
  return {[&network, blocks = std::move(blocks), divided = std::move(divided), element_bytes] {
            return messages_of(network, blocks, divided, element_bytes);
          },
          division.length_s()};
}

}  // namespace sluice::detail
