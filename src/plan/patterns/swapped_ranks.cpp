/// Puts ranks that combine fast in the places where most is combined.
///
/// Problem: patterns take ranks in their order, so a rank that combines slowly may have most to combine.
/// Method: in a reduction or an allreduce whose operation commutes, ranks are alike except the root: two ranks that the
/// platform does not tell apart may change places. So may two clusters of equally many ranks in one part, if they have
/// the same gap and latency and no link of theirs differs from their part's. First clusters, then the ranks of each,
/// are put in the places of their kind: the fastest gets the place that combines the most bytes, and so on.
/// Guarantee: no other assignment of the ranks of a cluster to its places shortens the longest combining time of a
/// rank. An exchange of two ranks that breaks this order does not shorten the longer of their two times. None for the
/// length.
/// Complexity: O(m + p log p) for m messages.
/// Source: ours.
///
/// Example: a binomial tree of four ranks: 0 combines two messages, 2 one. If rank 2 is slow and 3 is fast, 3 takes the
/// place of 2: 3 combines what 2 sends, and sends it to 0.
#include "plan/patterns/swapped_ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace sluice::detail {
namespace {

class Swapping {
 public:
  Swapping(const RankNetwork& network, const Program& shape, const MessageGraph& graph)
      : platform_(network.platform()), shape_(shape), combined_(static_cast<std::size_t>(shape.ranks), 0) {
    for (const MessageGraph::Message& message : graph.messages)
      if (message.kind == MessageKind::kCombine)
        combined_[static_cast<std::size_t>(message.to)] += static_cast<double>(message.bytes);
    rank_at_.resize(combined_.size());
    std::iota(rank_at_.begin(), rank_at_.end(), std::int64_t{0});
  }

  /// For each place, which has the number of the rank that it was made for: the rank that is there now.
  std::vector<std::int64_t> found() {
    swap_clusters();
    for (const PlatformCluster& cluster : platform_.clusters) swap_ranks(cluster);
    return std::move(rank_at_);
  }

 private:
  [[nodiscard]] bool is_root(std::int64_t rank) const { return has_root(shape_.problem) && rank == shape_.root; }
  [[nodiscard]] std::int64_t& rank_at(std::int64_t place) { return rank_at_[static_cast<std::size_t>(place)]; }
  [[nodiscard]] double combined(std::int64_t place) const { return combined_[static_cast<std::size_t>(place)]; }

  void swap_ranks(const PlatformCluster& cluster) {
    std::vector<std::int64_t> places, ranks;
    for (const std::int64_t place : cluster.ranks) {
      if (is_root(rank_at(place))) continue;
      places.push_back(place);
      ranks.push_back(rank_at(place));
    }
    std::ranges::stable_sort(places, std::ranges::greater(), [&](std::int64_t place) { return combined(place); });
    std::ranges::stable_sort(ranks, {}, [&](std::int64_t rank) { return shape_.combine_s_per_byte.of(rank); });
    for (std::size_t i = 0; i < places.size(); ++i) rank_at(places[i]) = ranks[i];
  }

  /// Clusters that the platform tells apart from others of their part by a link or an uplink of their own.
  [[nodiscard]] std::vector<char> with_own_links() const {
    std::vector<char> own(platform_.clusters.size(), 0);
    for (const PlatformLink& link : platform_.links)
      own[static_cast<std::size_t>(link.from)] = own[static_cast<std::size_t>(link.to)] = 1;
    const auto mark = [&](const PlatformPart& part) {
      if (part.clusters == 1) own[static_cast<std::size_t>(part.first_cluster)] = 1;
    };
    for (const PlatformLink& link : platform_.part_links) {
      if (link.from == link.to) continue;
      mark(platform_.parts[static_cast<std::size_t>(link.from)]);
      mark(platform_.parts[static_cast<std::size_t>(link.to)]);
    }
    for (const PlatformPart& part : platform_.parts)
      if (!part.uplink.points().empty() || !part.shares_uplink) mark(part);
    return own;
  }

  void swap_clusters() {
    const std::vector<char> own = with_own_links();
    // For each part, its clusters.
    std::map<std::int64_t, std::vector<const PlatformCluster*>> of_part;
    for (const PlatformPart& part : platform_.parts) {
      const auto c = static_cast<std::size_t>(part.first_cluster);
      if (part.clusters > 1 || part.parent < 0 || own[c] != 0) continue;
      if (std::ranges::any_of(platform_.clusters[c].ranks, [&](std::int64_t rank) { return is_root(rank); })) continue;
      of_part[part.parent].push_back(&platform_.clusters[c]);
    }
    for (auto& [part, clusters] : of_part) {
      while (!clusters.empty()) {
        const PlatformCluster* first = clusters.front();
        std::vector<const PlatformCluster*> alike;
        std::erase_if(clusters, [&](const PlatformCluster* each) {
          const bool same = each->ranks.size() == first->ranks.size() && each->latency_s == first->latency_s &&
                            each->gap == first->gap;
          if (same) alike.push_back(each);
          return same;
        });
        swap(alike);
      }
    }
  }

  void swap(const std::vector<const PlatformCluster*>& alike) {
    const auto sum = [](const PlatformCluster* cluster, const auto& of) {
      return std::accumulate(cluster->ranks.begin(), cluster->ranks.end(), 0.0,
                             [&](double before, std::int64_t rank) { return before + of(rank); });
    };
    std::vector<const PlatformCluster*> places = alike, there = alike;
    std::ranges::stable_sort(places, std::ranges::greater(), [&](const PlatformCluster* cluster) {
      return sum(cluster, [&](std::int64_t place) { return combined(place); });
    });
    std::ranges::stable_sort(there, {}, [&](const PlatformCluster* cluster) {
      return sum(cluster, [&](std::int64_t rank) { return shape_.combine_s_per_byte.of(rank); });
    });
    for (std::size_t i = 0; i < places.size(); ++i)
      for (std::size_t r = 0; r < places[i]->ranks.size(); ++r) rank_at(places[i]->ranks[r]) = there[i]->ranks[r];
  }

  const Platform& platform_;
  const Program& shape_;
  std::vector<double> combined_;       ///< bytes, by place: messages may add up to more than an int64 holds
  std::vector<std::int64_t> rank_at_;  ///< by place
};

}  // namespace

bool may_swap_ranks(const Program& shape) {
  return shape.commutative && (shape.problem == Collective::kReduce || shape.problem == Collective::kAllreduce) &&
         shape.combine_s_per_byte.differ();
}

MessageGraph with_fast_ranks_combining(const RankNetwork& network, const Program& shape, MessageGraph messages) {
  const std::vector<std::int64_t> ranks = Swapping(network, shape, messages).found();
  return std::ranges::is_sorted(ranks) ? std::move(messages) : messages.with_ranks(ranks);
}

}  // namespace sluice::detail
