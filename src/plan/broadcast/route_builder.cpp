#include "plan/broadcast/route_builder.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace sluice::detail {

namespace {

using Shape = Routes::Shape;

/// A binary tree of the places 0 .. n - 1 of a ring. Below a place stand the places that follow it. If parts of the
/// ring begin among these, they are cut in two at a part's beginning: of the largest parts, near the middle. Each half
/// is a tree below a child of the place. Places without such a beginning are one part; their tree is a heap. So a part
/// has one rank whose parent is in another part.
class BinaryTree {
 public:
  /// `begins`: where parts begin, smaller parts first, in rising order each.
  BinaryTree(const std::vector<std::vector<std::uint32_t>>& begins, std::vector<std::uint32_t>& parents,
             std::vector<std::uint32_t>& turns)
      : begins_(begins), parents_(parents), turns_(turns) {}

  /// The tree of places [first, end); its root is `first`.
  void join(std::uint32_t first, std::uint32_t end) {
    const std::uint32_t left = first + 1, right = cut(left, end);
    if (right == left) {
      for (std::uint32_t i = left; i < end; ++i) {
        parents_[i] = first + (i - left) / 2;
        turns_[i] = i;
      }
      return;
    }
    for (const auto& [child, after] : {std::pair(left, right), std::pair(right, end)}) {
      parents_[child] = first;
      turns_[child] = static_cast<std::uint32_t>(parents_.size()) - (after - child);  // the larger half first
      join(child, after);
    }
  }

 private:
  /// The place in (begin, end) where a part begins; otherwise `begin`.
  [[nodiscard]] std::uint32_t cut(std::uint32_t begin, std::uint32_t end) const {
    const std::uint32_t middle = begin + (end - begin + 1) / 2;
    for (auto level = begins_.rbegin(); level != begins_.rend(); ++level) {
      const auto after = std::ranges::lower_bound(*level, middle);
      const bool later = after != level->end() && *after < end;
      const bool earlier = after != level->begin() && *std::prev(after) > begin;
      if (later && (!earlier || *after - middle <= middle - *std::prev(after))) return *after;
      if (earlier) return *std::prev(after);
    }
    return begin;
  }

  const std::vector<std::vector<std::uint32_t>>& begins_;
  std::vector<std::uint32_t>&parents_, &turns_;
};

/// Ranks that leave a share of their ports to messages on long links wait `kPace` times as long as usual between
/// messages inside. Values of 1.06 to 1.14 are about equally good for 4 MiB over studies/grid5000; 1 takes 6 % longer.
constexpr float kPace = 1.1F;

/// How far round a ring of `ranks` ranks each segment begins after the previous one, if segments start from all ranks.
/// With few segments it hardly matters. With many, a segment that begins at the next rank would meet the previous
/// segment there, which has been forwarded by then.
std::size_t step_round(std::size_t ranks, const Routes& routes, std::int64_t bytes) {
  constexpr std::size_t kPart = 6;
  if (routes.segments(bytes) <= static_cast<std::int64_t>(ranks)) return 1;
  std::size_t step = routes.entries == Routes::Entries::kAll ? std::max<std::size_t>(2, ranks / kPart) : 2;
  // Each segment is one rank further when the next begins. So among `ranks` segments in a row no two are at one rank.
  while (std::gcd(step - 1, ranks) > 1) ++step;
  return step % ranks;
}

/// Where the i-th segment begins if each begins `step` ranks further round the ring: all ranks come up equally often.
std::size_t at_steps(std::size_t i, std::size_t ranks, std::size_t step) {
  const std::size_t round = ranks / std::gcd(step, ranks);  // steps to where it began, from where it goes on by one
  return (i * step + i / round) % ranks;
}

/// Where round a ring of `ranks` ranks the i-th segment begins that goes by a binary tree. The first half of the ring
/// forwards it twice, and the other half not at all. So it does not begin in the half of the previous segment: each
/// rank alternates.
std::size_t in_other_half(std::size_t i, std::size_t ranks) {
  const std::size_t half = ranks / 2;
  return ranks % 2 == 1 ? i % ranks * half % ranks : i % 2 * half + i / 2 % std::max<std::size_t>(1, half);
}

/// Whether the uplink of a group carries less than a port of its ranks, as on a host.
bool is_narrow(const RankNetwork& network, std::size_t group, std::int64_t rank) {
  constexpr std::int64_t kLongMessage = 1 << 20;
  const GapTable& inside = network.platform().clusters[network.cluster(rank)].gap;
  return !network.is_whole(group) && !inside.points().empty() &&
         network.uplink_s(2 * group, kLongMessage) > inside.at(kLongMessage);
}

}  // namespace

std::int64_t connections_between(const RankNetwork& network, const RankGroup& from, const RankGroup& to) {
  std::int64_t most = 1;
  for (const std::size_t a : from.clusters)
    for (const std::size_t b : to.clusters) most = std::max(most, network.link(a, b).connections);
  return most;
}

GroupParts::GroupParts(const RankNetwork& network, const std::vector<RankGroup>& groups, std::size_t level)
    : depth_(level + 2) {  // the cluster, and the groups that it is in
  for (const RankGroup& group : groups) {
    const std::size_t n = group.ranks.size();
    std::vector<Part>& parts = parts_.emplace_back(n * depth_);
    for (std::size_t depth = 0; depth < depth_; ++depth) {
      const auto part_of = [&](std::size_t position) {
        const std::size_t cluster = network.cluster(group.ranks[position]);
        return depth == 0 ? cluster : network.levels().group(depth - 1, cluster);
      };
      for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
        while (end < n && part_of(end) == part_of(begin)) ++end;
        const Part part{begin, end, depth > 0 && is_narrow(network, part_of(begin), group.ranks[begin])};
        for (std::size_t i = begin; i < end; ++i) parts[i * depth_ + depth] = part;
      }
    }
  }
}

RouteBuilder::RouteBuilder(const RankNetwork& network, const std::vector<RankGroup>& groups,
                           std::shared_ptr<const GroupParts> parts, std::int64_t bytes, const Routes& routes)
    : network_(network), groups_(groups), bytes_(bytes), routes_(routes), parts_(std::move(parts)) {
  step_ = step_round(std::max<std::size_t>(2, groups.front().ranks.size()) - 1, routes, bytes);
  for (const std::vector<std::int32_t>& parent : routes.trees) trees_.push_back(tree_of(network, parent));
}

RouteBuilder::Part RouteBuilder::unit(std::size_t group, std::size_t position) const {
  return routes_.level == 0 ? Part{position, position + 1} : parts_->of(group, position)[1];
}

RouteBuilder::Tree RouteBuilder::tree_of(const RankNetwork& network, const std::vector<std::int32_t>& parent) const {
  const std::vector<RankGroup>& groups = groups_;
  Tree tree;
  tree.entries.assign(groups.size(), 1);
  tree.steps.assign(groups.size(), 1);
  tree.children.resize(groups.size());
  for (const RankGroup& group : groups) tree.rings.emplace_back(group.ranks.size());
  for (std::size_t s = 1; s < groups.size(); ++s) {
    const auto up = static_cast<std::size_t>(parent[s]);
    tree.children[up].push_back(s);
    if (!routes_.parallel) continue;
    const std::size_t ranks = groups[s].ranks.size();
    const auto connections = static_cast<std::size_t>(connections_between(network, groups[up], groups[s]));
    const std::size_t senders =
        up == 0 && groups[0].ranks.size() > 1 ? groups[0].ranks.size() - 1 : groups[up].ranks.size();
    switch (routes_.entries) {
      case Routes::Entries::kSpread:
        tree.entries[s] = std::min({connections, senders, ranks});
        break;
      case Routes::Entries::kFirst:
        tree.entries[s] = routes_.level == 0 ? std::min(connections, ranks) : unit(s, 0).end;
        break;
      case Routes::Entries::kAll:
        tree.entries[s] = ranks;
        tree.steps[s] = step_round(ranks, routes_, bytes_);
        break;
    }
  }
  // The most distant first: what it takes to get there cannot be made up for.
  const auto latency = [&](std::size_t a, std::size_t b) {
    return network.link(groups[a].clusters.front(), groups[b].clusters.front()).latency_s;
  };
  for (std::size_t s = 0; s < groups.size(); ++s)
    std::stable_sort(tree.children[s].begin(), tree.children[s].end(),
                     [&](std::size_t a, std::size_t b) { return latency(s, a) > latency(s, b); });
  return tree;
}

std::size_t RouteBuilder::most_entries() const {
  std::size_t most = 1;
  for (const Tree& tree : trees_) most = std::max(most, *std::max_element(tree.entries.begin(), tree.entries.end()));
  return most * trees_.size();
}

void RouteBuilder::set_segment(std::int64_t segment, std::size_t turn) {
  segment_ = segment;
  turn_ = turn;
  tree_ = &trees_[static_cast<std::size_t>(segment) % trees_.size()];
  round_ = static_cast<std::size_t>(segment) / trees_.size();
}

void RouteBuilder::begin_segment(std::int64_t segment, std::size_t turn, MessageGraph& messages) {
  set_segment(segment, turn);
  messages_ = &messages;
  const std::int64_t begin = segment * routes_.segment_bytes;
  range_ = {begin, std::min(bytes_ - begin, routes_.segment_bytes)};
}

std::pair<std::size_t, std::size_t> RouteBuilder::ring_of(std::size_t group, std::int64_t segment, std::size_t turn) {
  set_segment(segment, turn);
  return {ring_start(group), entries_first(group) ? tree_->entries[group] : 0};
}

void RouteBuilder::add_segment(std::int64_t segment, std::size_t turn, MessageGraph& messages) {
  const std::size_t first = messages.size();
  begin_segment(segment, turn, messages);
  for (std::size_t s = 0; s < groups_.size(); ++s) {
    add_inside(s);
    add_between(s);
  }
  if (routes_.root_period_s <= 0) return;
  const std::int64_t root = groups_.front().ranks.front();
  const std::span<const MessageGraph::Message> added = std::span(messages.messages).subspan(first);
  const auto count = std::ranges::count(added, root, &MessageGraph::Message::from);
  for (std::size_t m = 0; m < added.size(); ++m) {
    if (added[m].from != root) continue;
    const double port_s =
        network_.costs(network_.cluster(root), network_.cluster(added[m].to), range_.bytes, false).port_s;
    const double paced_s = routes_.root_period_s / static_cast<double>(count);
    if (paced_s > port_s && port_s > 0) messages.sending[first + m].pace = static_cast<float>(paced_s / port_s);
  }
}

MessageGraph RouteBuilder::run() {
  std::size_t ranks = 0;
  for (const RankGroup& group : groups_) ranks += group.ranks.size();
  const std::size_t count = static_cast<std::size_t>(routes_.segments(bytes_)) * (ranks - 1);
  MessageGraph messages;
  messages.reserve(count, count);
  messages.sending.reserve(count);
  for (std::int64_t segment = 0; segment < routes_.segments(bytes_); ++segment) {
    add_segment(segment, static_cast<std::size_t>(segment), messages);
    while (messages.ranges.size() < messages.size()) messages.ranges.add(std::span(&range_, 1));
  }
  return messages;
}

std::int64_t RouteBuilder::entry(std::size_t group) const {
  const std::size_t entries = tree_->entries[group];
  const std::size_t ranks = routes_.entries == Routes::Entries::kFirst ? entries : groups_[group].ranks.size();
  std::size_t turn = round_ % entries;
  if (routes_.shape == Shape::kBinary)
    turn = in_other_half(round_, entries);
  else if (routes_.entries == Routes::Entries::kAll)
    turn = at_steps(round_, entries, tree_->steps[group]);
  return static_cast<std::int64_t>(turn * ranks / entries);
}

/// Whether the root gives each segment of its group to another rank.
bool RouteBuilder::spreads(std::size_t s) const { return s == 0 && routes_.spread && groups_[s].ranks.size() > 1; }

std::size_t RouteBuilder::ring_start(std::size_t s) const {
  if (s != 0) return static_cast<std::size_t>(entry(s));
  if (!spreads(s)) return 0;
  const std::size_t ranks = groups_[s].ranks.size() - 1;
  return 1 + (routes_.root_shape == Shape::kBinary ? in_other_half(turn_, ranks) : at_steps(turn_, ranks, step_));
}

bool RouteBuilder::entries_first(std::size_t s) const { return s != 0 && routes_.entries != Routes::Entries::kSpread; }

/// The ring of ranks that forward segment s inside its group, without the root if the root spreads. The ring goes round
/// the cluster of its first rank, then round the rest of the LAN, and so on: it leaves every part once.
const RouteBuilder::Ring& RouteBuilder::ring(std::size_t s) {
  const std::size_t start = ring_start(s), first = spreads(s) ? 1 : 0;
  Ring& ring = tree_->rings[s][start];
  if (!ring.ranks.empty()) return ring;
  const std::vector<std::int64_t>& ranks = groups_[s].ranks;
  const Shape shape = shape_of(s);
  std::vector<std::size_t> positions(ranks.size());
  std::size_t count = 0;
  const auto add_row = [&](std::size_t begin, std::size_t end) {
    std::iota(positions.data() + count, positions.data() + count + (end - begin), begin);
    count += end - begin;
  };
  // A binary tree enters each other cluster as far round it as it enters the group, so all its ranks alternate as
  // first.
  const auto add_range = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin, next = 0; i < end; i = next) {
      const Part cluster = parts_->of(s, i)[0];
      next = std::min(cluster.end, end);
      const bool turned = shape == Shape::kBinary && (start < cluster.begin || start >= cluster.end);
      const std::size_t from = turned ? i + start * (next - i) / ranks.size() : i;
      add_row(from, next);
      add_row(i, from);
    }
  };
  Part done{start, start};
  for (std::size_t at = entries_first(s) ? 0 : 1; at <= parts_->depth(); ++at) {
    Part part = at == 0 ? Part{0, tree_->entries[s]} : parts_->of(s, start)[at - 1];
    // Binomial trees of machines that have cards of their own go through the parts of a group as if it had none.
    if (shape == Shape::kBinomial && !part.narrow && at < parts_->depth()) continue;
    part.begin = std::max(part.begin, first);
    if (part.begin > done.begin || part.end < done.end) continue;
    add_range(done.end, part.end);
    add_range(part.begin, done.begin);
    done = part;
  }
  positions.resize(count);
  ring.last = positions.back();
  ring.ranks.resize(count);
  std::ranges::transform(positions, ring.ranks.begin(), [&](std::size_t position) { return ranks[position]; });
  join(s, positions, ring);
  return ring;
}

/// The tree of a ring, which goes through these positions of its group.
void RouteBuilder::join(std::size_t s, std::span<const std::size_t> positions, Ring& ring) const {
  const auto size = static_cast<std::uint32_t>(positions.size());
  ring.parents.resize(size);
  ring.turns.resize(size);
  const Shape shape = shape_of(s);
  if (shape == Shape::kBinary) {
    std::vector<std::vector<std::uint32_t>> begins(parts_->depth());
    for (std::uint32_t i = 1; i < size; ++i) {
      const Part* const before = parts_->of(s, positions[i - 1]);
      const Part* const here = parts_->of(s, positions[i]);
      for (std::size_t depth = 0; depth < begins.size() && before[depth].begin != here[depth].begin; ++depth)
        begins[depth].push_back(i);
    }
    BinaryTree(begins, ring.parents, ring.turns).join(0, size);
    return;
  }
  for (std::uint32_t i = 1; i < size; ++i) {
    // A binomial tree serves the largest subtree first.
    ring.parents[i] = shape == Shape::kChain ? i - 1 : i & (i - 1);
    ring.turns[i] = size - i;
  }
}

void RouteBuilder::add_inside(std::size_t s) {
  const Ring& around = ring(s);
  const std::int64_t first = groups_[s].ranks.front();
  const std::size_t size = around.ranks.size();
  const double inside = 1e12 + static_cast<double>(segment_);
  if (spreads(s)) add(first, around.ranks[0], inside);
  const float pace = routes_.entries == Routes::Entries::kAll ? kPace : 1;
  for (std::size_t i = 1; i < size; ++i) {
    const double order = static_cast<double>(around.turns[i]) / static_cast<double>(size + 1);
    const std::int64_t from = around.ranks[around.parents[i]];
    add(from, around.ranks[i], inside + order, from == first && s == 0 ? 1 : pace);
  }
}

void RouteBuilder::add_between(std::size_t s) {
  if (tree_->children[s].empty()) return;
  const std::vector<std::int64_t>& ranks = groups_[s].ranks;
  const std::size_t n = ranks.size();
  const bool spread = spreads(s);
  const Ring& around = ring(s);
  const std::size_t size = around.ranks.size();
  const auto at = [&](std::size_t i) { return around.ranks[i]; };
  std::size_t used = 0;
  for (std::size_t c = 0; c < tree_->children[s].size(); ++c) {
    const std::size_t child = tree_->children[s][c], entries = tree_->entries[child];
    const bool root_chain = s == 0 && !spread && n > 1;  // always the same chain, so its ranks alternate
    std::int64_t sender = at(c % size);
    if (routes_.leave_from_tail) {
      // Ranks besides the entries alternate too, so that many pairs of ranks are connected.
      const Part last = unit(s, around.last);
      sender = at(size - 1 - round_ / entries % std::min(size, last.end - last.begin));
    }
    if (!routes_.parallel) {
      sender = s == 0 ? ranks[0] : at(0);
    } else if (root_chain && !routes_.leave_from_tail) {
      sender = ranks[1 + (used + round_ % entries) % (n - 1)];
    }
    used += entries;
    add(sender, groups_[child].ranks[static_cast<std::size_t>(entry(child))],
        static_cast<double>(segment_) + static_cast<double>(c) / static_cast<double>(groups_.size()));
  }
}

MessageGraph route_messages(const RankNetwork& network, std::int64_t root, std::int64_t bytes, const Routes& routes) {
  return RouteBuilder(network, network.groups_from(root, routes.level), bytes, routes).run();
}

}  // namespace sluice::detail
