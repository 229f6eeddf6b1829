#include "plan/broadcast/route_builder.hpp"

#include <algorithm>

namespace sluice::detail {

namespace {

using Shape = Routes::Shape;

std::size_t parent_in(Shape shape, std::size_t i) {
  switch (shape) {
    case Shape::kChain:
      return i - 1;
    case Shape::kBinary:
      return (i - 1) / 2;
    case Shape::kBinomial:
      return i & (i - 1);
  }
  return 0;
}

}  // namespace

std::int64_t connections_between(const RankNetwork& network, const RankGroup& from, const RankGroup& to) {
  std::int64_t most = 1;
  for (const std::size_t a : from.clusters)
    for (const std::size_t b : to.clusters) most = std::max(most, network.link(a, b).connections);
  return most;
}

RouteBuilder::RouteBuilder(const RankNetwork& network, const std::vector<RankGroup>& groups, std::int64_t bytes,
                           const Routes& routes)
    : groups_(groups), bytes_(bytes), routes_(routes), entries_(groups.size(), 1), children_(groups.size()) {
  for (std::size_t s = 1; s < groups.size(); ++s) {
    const auto up = static_cast<std::size_t>(routes.parent[s]);
    children_[up].push_back(s);
    if (!routes.parallel) continue;
    const std::size_t senders =
        up == 0 && groups[0].ranks.size() > 1 ? groups[0].ranks.size() - 1 : groups[up].ranks.size();
    entries_[s] = std::min({static_cast<std::size_t>(connections_between(network, groups[up], groups[s])), senders,
                            groups[s].ranks.size()});
  }
  // The most distant first: what it takes to get there cannot be made up for.
  const auto latency = [&](std::size_t a, std::size_t b) {
    return network.link(groups[a].clusters.front(), groups[b].clusters.front()).latency_s;
  };
  for (std::size_t s = 0; s < groups.size(); ++s)
    std::stable_sort(children_[s].begin(), children_[s].end(),
                     [&](std::size_t a, std::size_t b) { return latency(s, a) > latency(s, b); });
}

std::size_t RouteBuilder::most_entries() const { return *std::max_element(entries_.begin(), entries_.end()); }

void RouteBuilder::add_segment(std::int64_t segment, std::size_t turn, std::vector<RankMessage>& messages) {
  messages_ = &messages;
  segment_ = segment;
  turn_ = turn;
  begin_ = segment * routes_.segment_bytes;
  end_ = std::min(bytes_, begin_ + routes_.segment_bytes);
  for (std::size_t s = 0; s < groups_.size(); ++s) add_group(s);
}

std::vector<RankMessage> RouteBuilder::run() {
  std::vector<RankMessage> messages;
  for (std::int64_t segment = 0; segment < routes_.segments(bytes_); ++segment)
    add_segment(segment, static_cast<std::size_t>(segment), messages);
  return messages;
}

std::int64_t RouteBuilder::entry(std::size_t group) const {
  const std::size_t ranks = groups_[group].ranks.size();
  return static_cast<std::int64_t>(static_cast<std::size_t>(segment_) % entries_[group] * ranks / entries_[group]);
}

void RouteBuilder::add_group(std::size_t s) {
  const std::vector<std::int64_t>& ranks = groups_[s].ranks;
  const std::size_t n = ranks.size();
  const auto segment = static_cast<std::size_t>(segment_);
  const bool spread = s == 0 && routes_.spread && n > 1;
  // The ranks that pass the segment on inside: a ring of `size` from `first`, entered at `start`.
  const std::size_t first = spread ? 1 : 0, size = n - first;
  const std::size_t start = s != 0 ? static_cast<std::size_t>(entry(s)) : spread ? turn_ % size : 0;
  const auto at = [&](std::size_t i) { return ranks[first + (start + i) % size]; };
  const double inside = 1e12 + static_cast<double>(segment_);
  if (spread) add(ranks[0], at(0), inside);
  const Shape shape = s == 0 ? routes_.root_shape : routes_.shape;
  for (std::size_t i = 1; i < size; ++i) {
    // A binomial tree serves the largest subtree first, others the nearest.
    const double order = static_cast<double>(shape == Shape::kBinomial ? size - i : i) / static_cast<double>(size + 1);
    add(at(parent_in(shape, i)), at(i), inside + order);
  }
  std::size_t used = 0;
  for (std::size_t c = 0; c < children_[s].size(); ++c) {
    const std::size_t child = children_[s][c];
    std::int64_t sender = at(c % size);
    if (!routes_.parallel)
      sender = s == 0 ? ranks[0] : at(0);
    else if (s == 0 && !spread && n > 1)
      sender = ranks[1 + (used + segment % entries_[child]) % (n - 1)];
    used += entries_[child];
    add(sender, groups_[child].ranks[static_cast<std::size_t>(entry(child))],
        static_cast<double>(segment_) + static_cast<double>(c) / static_cast<double>(groups_.size()));
  }
}

}  // namespace sluice::detail
