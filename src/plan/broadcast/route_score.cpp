/// How long routes take, without a simulation: to choose among many.
///
/// Problem: to simulate every segment of every route that may be good takes seconds, for ten thousand ranks hours.
/// Method: a pipeline is filled, and then its busiest part sets the pace. The score adds two times: the first segments'
/// way to the last rank, and (segments - 1) times the busiest load. That is the load of the busiest port, rank,
/// connection, link or uplink for a segment. It is a mean over as many segments as a group has entries, at least two
/// dozen. Ports and uplinks are as in replay.cpp. A message over one of several connections of a link yields to
/// messages inside groups, whose round trips are far shorter: it goes on while no such message uses its ports and
/// uplinks. So a connection needs more time for each segment than the segment keeps it. The additional time is the
/// share, by weights, of the time that messages inside keep the busiest thing that the connection passes. The number of
/// segments of a pair of ranks is counted over 128 of them. The first segments are followed one by one, each alone: a
/// rank sends what it forwards one after the other. Loads of messages inside groups are kept for other routes with the
/// same rings, which most have: routes differ by the tree between groups. If the loads or a single segment say that
/// routes are worse than others, the rest is left out.
/// Guarantee: none: waiting for anything but the busiest part is not seen. For ten routes for 4 MiB over
/// studies/grid5000 the score is within an eighth of what replay.cpp finds for nine, and a quarter less for one.
/// Complexity: O(k n) time and O(n) memory for n ranks and k entries. Source: the time of a pipeline is common
/// knowledge; its loads here are ours.
///
/// Example: a chain of 4 ranks in one cluster, g = 1 ms for a segment, latency 0.1 ms, 10 segments: 3 * 1.1 ms until
/// the first is there, then 1 ms for each of the other nine: 12.3 ms.
#include "plan/broadcast/route_score.hpp"

#include <algorithm>
#include <numeric>

namespace sluice::detail {

RouteScore::RouteScore(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                       const std::vector<RankGroup>& groups)
    : network_(network),
      root_(static_cast<std::size_t>(root)),
      bytes_(bytes),
      groups_(groups),
      ranks_(static_cast<std::size_t>(network.platform().ranks)),
      clusters_(network.platform().clusters.size()),
      costs_(clusters_ * clusters_, {-1, {}}),
      uplinks_(network.uplinks(), {-1, 0}),
      load_(3 * ranks_ + clusters_ * clusters_ + network.uplinks(), 0),
      firm_(load_.size(), 0) {}

const MessageCosts& RouteScore::costs(std::size_t from, std::size_t to, std::int64_t bytes) {
  auto& [known, costs] = costs_[from * clusters_ + to];
  if (known == bytes) return costs;
  known = bytes;
  costs = network_.costs(from, to, bytes, false);
  if (costs.yields) costs.receive_s = network_.port_s(to, costs.connection_s, bytes);
  return costs;
}

double RouteScore::uplink_s(std::size_t number, std::int64_t bytes) {
  auto& [known, seconds] = uplinks_[number];
  if (known != bytes) known = bytes, seconds = network_.uplink_s(number, bytes);
  return seconds;
}

void RouteScore::add_loads(const std::vector<MessageCosts>& inside, double times) {
  for (const MessageGraph::Message& message : messages_.messages) {
    const auto from = static_cast<std::size_t>(message.from), to = static_cast<std::size_t>(message.to);
    const std::size_t a = network_.cluster(message.from), b = network_.cluster(message.to);
    const MessageCosts& passed = a == b ? inside[a] : costs(a, b, message.bytes);
    const auto pass = [&](std::size_t what, double seconds) {
      load_[what] += times * seconds;
      if (!passed.yields) firm_[what] += times * seconds;
    };
    pass(from, passed.port_s);
    pass(ranks_ + to, passed.receive_s);
    load_[2 * ranks_ + from] += times * passed.overhead_s;
    load_[2 * ranks_ + to] += times * passed.overhead_s;
    if (a == b) continue;
    double& link = load_[3 * ranks_ + a * clusters_ + b];
    if (link == 0) links_.push_back(3 * ranks_ + a * clusters_ + b);
    link += times * passed.link_s;
    network_.for_uplinks(a, b, [&](std::size_t number) {
      pass(3 * ranks_ + clusters_ * clusters_ + number,
           network_.kept_s(number, passed.link_s, uplink_s(number, message.bytes)));
    });
  }
}

void RouteScore::add_connections() {
  for (const MessageGraph::Message& message : messages_.messages) {
    const auto from = static_cast<std::size_t>(message.from), to = static_cast<std::size_t>(message.to);
    const std::size_t a = network_.cluster(message.from), b = network_.cluster(message.to);
    if (a != b) connections_.emplace_back(from * ranks_ + to, costs(a, b, message.bytes).connection_s);
  }
}

/// The time that a segment needs of the busiest of the listed connections. `count`: the number of segments whose
/// messages are listed. `bytes`: the length of a segment. A message that yields hardly goes on while messages that do
/// not yield keep what it passes.
double RouteScore::busiest_connection(std::size_t count, std::int64_t bytes) {
  std::sort(connections_.begin(), connections_.end());
  double busiest = 0;
  for (std::size_t begin = 0, end = 0; begin < connections_.size(); begin = end) {
    const std::size_t pair = connections_[begin].first, from = pair / ranks_, to = pair % ranks_;
    double kept = 0;
    for (; end < connections_.size() && connections_[end].first == pair; ++end) kept += connections_[end].second;
    kept /= static_cast<double>(count);
    const std::size_t a = network_.cluster(static_cast<std::int64_t>(from));
    const std::size_t b = network_.cluster(static_cast<std::int64_t>(to));
    double waits = 0;
    const MessageCosts& passed = costs(a, b, bytes);
    if (passed.yields) {
      const double from_share = passed.yields_from / kYields, to_share = passed.yields_to / kYields;
      waits = std::max(from_share * firm_[from], to_share * firm_[ranks_ + to]);
      network_.for_uplinks(a, b, [&](std::size_t number) {
        waits = std::max(waits, std::max(from_share, to_share) * firm_[3 * ranks_ + clusters_ * clusters_ + number]);
      });
    }
    busiest = std::max(busiest, kept + waits);
  }
  connections_.clear();
  return busiest;
}

double RouteScore::fill(const std::vector<MessageCosts>& inside) {
  const std::vector<MessageGraph::Message>& messages = messages_.messages;
  // The messages of each sender, in the order of their priorities.
  first_.assign(ranks_ + 1, 0);
  for (const MessageGraph::Message& message : messages) ++first_[static_cast<std::size_t>(message.from) + 1];
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
    std::sort(begin, end, [&](std::size_t x, std::size_t y) {
      return messages_.sending[x].priority < messages_.sending[y].priority;
    });
    for (auto m = begin; m != end; ++m) {
      const MessageGraph::Message& message = messages[*m];
      const std::size_t a = network_.cluster(message.from), b = network_.cluster(message.to);
      const MessageCosts& passed = a == b ? inside[a] : costs(a, b, message.bytes);
      const auto to = static_cast<std::size_t>(message.to);
      there_[to] = free + passed.connection_s + passed.latency_s + passed.overhead_s;
      free += passed.port_s;
      last = std::max(last, there_[to]);
      reached.push_back(to);
    }
  }
  return last;
}

void RouteScore::clear_loads() {
  for_all_but_links([&](std::size_t what) { load_[what] = firm_[what] = 0; });
  for (const std::size_t link : links_) load_[link] = 0;
  links_.clear();
}

/// The loads inside a group are the same for many routes: they depend on the shape and the rings of the group, not on
/// the tree between groups.
/// @pre nothing is loaded yet
const RouteScore::InsideLoads& RouteScore::inside_loads(std::size_t group, RouteBuilder& builder, const Routes& routes,
                                                        std::size_t sample, const std::vector<MessageCosts>& inside) {
  InsideOf key{group, group == 0 ? routes.root_shape : routes.shape, group == 0 && routes.spread, {}};
  for (std::size_t each = 0; each < sample; ++each)
    key.rings.push_back(builder.ring_of(group, static_cast<std::int64_t>(each), turn(routes, each, sample)));
  const auto [at, fresh] = inside_.try_emplace(std::move(key));
  InsideLoads& result = at->second;
  if (!fresh) return result;
  struct Alike {
    InsideOf::Ring ring;
    std::size_t segment = 0;  // a segment of the sample
    double count = 0;
  };
  std::vector<Alike> rings;
  for (std::size_t each = 0; each < sample; ++each) {
    const InsideOf::Ring& ring = at->first.rings[each];
    const bool last = static_cast<std::int64_t>(each + 1) == routes.segments(bytes_);  // which may be shorter
    const auto known =
        std::find_if(rings.begin(), rings.end(), [&](const Alike& before) { return !last && before.ring == ring; });
    if (known == rings.end())
      rings.push_back({ring, each, 1});
    else
      known->count += 1;
  }
  for (const Alike& ring : rings) {
    clear_messages();
    builder.add_inside(group, static_cast<std::int64_t>(ring.segment), turn(routes, ring.segment, sample), messages_);
    add_loads(inside, ring.count);
  }
  const auto collect = [&](std::size_t what) {
    if (load_[what] > 0) result.loads.push_back({what, load_[what], firm_[what]});
  };
  for_all_but_links(collect);
  for (const std::size_t link : links_) collect(link);
  result.links = links_;
  clear_loads();
  return result;
}

RouteScore::Score RouteScore::score(const Routes& routes, double limit) {
  if (!parts_) parts_ = std::make_shared<GroupParts>(network_, groups_, routes.level);
  RouteBuilder builder(network_, groups_, parts_, bytes_, routes);
  const std::size_t followed = std::max<std::size_t>(2, routes.trees.size());
  constexpr std::size_t kSample = 24;
  const auto segments = static_cast<std::size_t>(routes.segments(bytes_));
  const std::size_t sample = std::min(segments, std::max(kSample, builder.most_entries()));
  const std::int64_t bytes = std::min(bytes_, routes.segment_bytes);
  std::vector<MessageCosts> inside;
  for (std::size_t c = 0; c < clusters_; ++c)
    inside.push_back(network_.platform().clusters[c].ranks.size() > 1 ? costs(c, c, bytes) : MessageCosts{});
  if (inside_bytes_ != bytes) inside_.clear();
  inside_bytes_ = bytes;
  std::vector<const InsideLoads*> groups;
  for (std::size_t s = 0; s < groups_.size(); ++s) groups.push_back(&inside_loads(s, builder, routes, sample, inside));
  for (const InsideLoads* group : groups) {
    for (const InsideLoads::Load& each : group->loads) {
      load_[each.what] += each.all;
      firm_[each.what] += each.firm;
    }
    links_.insert(links_.end(), group->links.begin(), group->links.end());
  }
  double busiest = 0, filled = 0;
  const auto length = [&] { return filled + static_cast<double>(segments - 1) * busiest; };
  for_all_but_links([&](std::size_t what) { busiest = std::max(busiest, load_[what] / static_cast<double>(sample)); });
  if (length() >= limit) {
    clear_loads();
    return {length(), 0, 0};
  }
  clear_messages();
  // Spread over the ring of the root's group as all segments are.
  for (std::size_t each = 0; each < sample; ++each)
    builder.add_between(static_cast<std::int64_t>(each), turn(routes, each, sample), messages_);
  add_loads(inside);
  const auto look = [&](std::size_t what) {
    busiest = std::max(busiest, load_[what] / static_cast<double>(sample));
    firm_[what] /= static_cast<double>(sample);
  };
  for_all_but_links(look);
  for (const std::size_t link : links_) look(link);
  const double period_s = busiest;
  // Pairs of ranks come again only after many segments.
  constexpr std::size_t kMostListed = 128;
  const std::size_t listed = std::min(segments, kMostListed);
  if (length() < limit) {
    clear_messages();
    for (std::size_t each = 0; each < listed; ++each)
      builder.add_between(static_cast<std::int64_t>(each), each, messages_);
    add_connections();
    busiest = std::max(busiest, busiest_connection(listed, bytes));
  }
  clear_loads();
  for (std::size_t each = 0; each < std::min(followed, sample) && length() < limit; ++each) {
    clear_messages();
    builder.add_segment(static_cast<std::int64_t>(each), turn(routes, each, sample), messages_);
    filled = std::max(filled, fill(inside));
  }
  return {length(), filled, period_s};
}

RouteScore::Score route_score(const RankNetwork& network, std::int64_t root, std::int64_t bytes, const Routes& routes) {
  const std::vector<RankGroup> groups = network.groups_from(root, routes.level);
  return RouteScore(network, root, bytes, groups).score(routes);
}

}  // namespace sluice::detail
