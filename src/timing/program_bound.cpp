/// Lower bounds of collectives.
///
/// Problem: how early can a program be done at best, by the model of the replay?
/// Method: the largest of
///  - paths: what one rank has for another one takes the least sum of latencies. If blocks differ in size, ranks
///    without a block are left out;
///  - ports: what has to enter or leave a rank passes its port. For b bytes, in messages of any sizes, the port takes
///    at least b times the least g(m) / m for m up to b. Before that comes the least latency of a message into, or out
///    of, the rank. If the root has all at first, it is the least sum of latencies from there;
///  - uplinks: the same for what has to enter or leave a group of the platform, by the gap given for its uplink;
///    otherwise, of all links that cross its border, by the fastest one's g(m) over its connections;
///  - combining: for each byte, p - 1 versions have to be combined with another one on some of the p ranks. One rank
///    then has at least a p-th of that work.
/// What has to enter and leave: combined data is at least one version of all bytes. So a reduction brings its root m
/// bytes, and an allreduce every rank m in and m out; a reduce-scatter makes each rank send all but its own share.
/// Guarantee: holds for every sound program and all gap tables. That includes tables that rise faster than sizes do, so
/// that messages in parts are cheaper than whole ones. tests/plan/program_bound_test.cpp tries to refute it.
/// Proof: take a message with x of the bytes that have to cross. In the replay it keeps a port or an uplink for at
/// least g(x) of some table named above, because g never falls. It keeps it alone, or shares it at a part of the rate.
/// g(x) is at least x times the least g(m) / m. No part of the message does so before the message has begun and its
/// latency is over. By induction along the messages that bring a byte from the root, this is not before all their
/// latencies are over, at least the shortest path. Without a root, it is not before the message's own latency. So
/// nothing passes before that moment. What lies behind the port on the way to a root adds nothing: what leaves first
/// may have a long way left, and what leaves last, begun meanwhile, none. Complexity: O(C^2) for C clusters and the
/// levels of the platform. Without a root, paths from all clusters if there are up to 64, otherwise from one and to
/// one. O(p^2) for an alltoall whose blocks differ in size. Source: ours.
///
/// Example: 4 ranks in a cluster, latency 50 us, g(m) = 8 ns per byte. An allgather of blocks of 1 MB: 3 MB enter each
/// rank, 24 ms, behind a latency of 50 us.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/infinity.hpp"
#include "sluice/error.hpp"
#include "timing/clock.hpp"

namespace sluice::detail {
namespace {

/// What has to cross the border of some ranks.
struct Crossing {
  std::int64_t in = 0, out = 0;
};

class Bounds {
 public:
  Bounds(const RankNetwork& network, const CombiningCosts& combine_s_per_byte, const Program& shape)
      : network_(network),
        combine_s_per_byte_(combine_s_per_byte),
        shape_(shape),
        platform_(network.platform()),
        clusters_(platform_.clusters.size()) {}

  ProgramBound run() {
    if (shape_.ranks == 1 || array_bytes(shape_) == 0) return {0, "paths"};
    best_ = {0, "paths"};
    add_paths();
    add_ports();
    add_uplinks();
    add_combining();
    return best_;
  }

 private:
  template <class... Args>
  void offer(double seconds, fmt::format_string<Args...> kind, Args&&... args) {
    // Rounding: sums in another order than the replay's.
    constexpr double kRounding = 1e-9;
    seconds *= 1 - kRounding;
    if (seconds > best_.seconds) best_ = {seconds, fmt::format(kind, std::forward<Args>(args)...)};
  }

  /// What has to cross the border of `ranks`, which are not all ranks. `with_root`: whether the root is among them.
  [[nodiscard]] Crossing crossing(std::span<const std::int64_t> ranks, bool with_root) const {
    const std::int64_t m = shape_.size_bytes;
    if (shape_.problem == Collective::kAlltoall) return crossing_of_pairs(ranks);
    std::int64_t blocks = 0;
    for (const std::int64_t rank : ranks) blocks += block(rank);
    const std::int64_t others = array_bytes(shape_) - blocks;
    switch (shape_.problem) {
      case Collective::kBroadcast:
        return with_root ? Crossing{0, m} : Crossing{m, 0};
      case Collective::kReduce:
        return with_root ? Crossing{m, 0} : Crossing{0, m};
      case Collective::kScatter:
        return with_root ? Crossing{0, others} : Crossing{blocks, 0};
      case Collective::kGather:
        return with_root ? Crossing{others, 0} : Crossing{0, blocks};
      case Collective::kAllgather:
        return {others, blocks};
      case Collective::kReduceScatter:
        return {blocks, others};
      case Collective::kAllreduce:
      case Collective::kAlltoall:
        return {m, m};
    }
    return {};
  }
  [[nodiscard]] Crossing crossing_of_pairs(std::span<const std::int64_t> ranks) const {
    if (shape_.block_offsets.empty()) {
      const auto count = static_cast<std::int64_t>(ranks.size());
      const std::int64_t bytes = count * (shape_.ranks - count) * shape_.size_bytes;
      return {bytes, bytes};
    }
    std::vector<char> here(static_cast<std::size_t>(shape_.ranks), 0);
    for (const std::int64_t rank : ranks) here[static_cast<std::size_t>(rank)] = 1;
    Crossing sum;
    for (const std::int64_t rank : ranks) {
      for (std::int64_t other = 0; other < shape_.ranks; ++other) {
        if (here[static_cast<std::size_t>(other)] != 0) continue;
        sum.in += block_of(shape_, other, rank).bytes;
        sum.out += block_of(shape_, rank, other).bytes;
      }
    }
    return sum;
  }
  /// Only for problems with a block, or share, for each rank.
  [[nodiscard]] std::int64_t block(std::int64_t rank) const {
    return has_blocks(shape_.problem) ? block_of(shape_, rank).bytes : 0;
  }
  /// Whether the rank has anything for others. For alltoall: blocks are alike.
  [[nodiscard]] bool gives(std::int64_t rank) const {
    switch (shape_.problem) {
      case Collective::kBroadcast:
      case Collective::kScatter:
        return rank == shape_.root;
      case Collective::kGather:
      case Collective::kAllgather:
        return block(rank) > 0;
      default:
        return true;
    }
  }
  /// Whether others have anything for the rank.
  [[nodiscard]] bool gets(std::int64_t rank) const {
    switch (shape_.problem) {
      case Collective::kReduce:
      case Collective::kGather:
        return rank == shape_.root;
      case Collective::kScatter:
      case Collective::kReduceScatter:
        return block(rank) > 0;
      default:
        return true;
    }
  }
  [[nodiscard]] bool spreads() const {
    return shape_.problem == Collective::kBroadcast || shape_.problem == Collective::kScatter;
  }
  [[nodiscard]] bool collects() const {
    return shape_.problem == Collective::kReduce || shape_.problem == Collective::kGather;
  }

  /// The least latencies from a cluster to all (or from all to it).
  [[nodiscard]] std::vector<double> distances(std::size_t from, bool backwards) const {
    std::vector<double> distance(clusters_, kInfinity);
    std::vector<char> done(clusters_, 0);
    distance[from] = 0;
    for (std::size_t round = 0; round < clusters_; ++round) {
      std::size_t nearest = clusters_;
      for (std::size_t c = 0; c < clusters_; ++c)
        if (done[c] == 0 && (nearest == clusters_ || distance[c] < distance[nearest])) nearest = c;
      done[nearest] = 1;
      for (std::size_t c = 0; c < clusters_; ++c) {
        if (c == nearest) continue;
        const double latency = backwards ? network_.link(c, nearest).latency_s : network_.link(nearest, c).latency_s;
        distance[c] = std::min(distance[c], distance[nearest] + latency);
      }
    }
    return distance;
  }

  /// From a rank of the cluster to another one there, at once or by way of others; `distance`: from the cluster to all,
  /// or from all to it.
  [[nodiscard]] double inside(std::size_t cluster, const std::vector<double>& distance, bool backwards) const {
    double least = platform_.clusters[cluster].latency_s;
    for (std::size_t c = 0; c < clusters_; ++c) {
      if (c == cluster) continue;
      const PlatformLink& link = backwards ? network_.link(cluster, c) : network_.link(c, cluster);
      least = std::min(least, distance[c] + link.latency_s);
    }
    return least;
  }

  /// Finds the pairs of clusters with data from one for the other, and clusters whose ranks have data for each other.
  void find_pairs() {
    if (shape_.problem == Collective::kAlltoall && !shape_.block_offsets.empty()) {
      pairs_.assign(clusters_ * clusters_, 0);
      for (std::int64_t a = 0; a < shape_.ranks; ++a)
        for (std::int64_t b = 0; b < shape_.ranks; ++b)
          if (a != b && block_of(shape_, a, b).bytes > 0)
            pairs_[network_.cluster(a) * clusters_ + network_.cluster(b)] = 1;
      return;
    }
    for (const PlatformCluster& cluster : platform_.clusters) {
      Ends& ends = ends_.emplace_back();
      for (const std::int64_t rank : cluster.ranks) {
        ends.giving += gives(rank) ? 1 : 0;
        ends.getting += gets(rank) ? 1 : 0;
        ends.both += gives(rank) && gets(rank) ? 1 : 0;
      }
    }
  }
  [[nodiscard]] bool has_for(std::size_t a, std::size_t b) const {
    if (!pairs_.empty()) return pairs_[a * clusters_ + b] != 0;
    const Ends &from = ends_[a], &to = ends_[b];
    if (from.giving == 0 || to.getting == 0) return false;
    return a != b || from.giving + from.getting - from.both > 1;
  }

  void add_paths() {
    constexpr std::size_t kMostClusters = 64;
    if (spreads()) {
      const std::size_t root = network_.cluster(shape_.root);
      from_root_ = distances(root, false);
      near_root_ = platform_.clusters[root].ranks.size() > 1 ? inside(root, from_root_, false) : 0;
    }
    find_pairs();
    double longest = 0;
    const auto look_from = [&](std::size_t from, bool backwards) {
      const std::vector<double> distance = distances(from, backwards);
      for (std::size_t c = 0; c < clusters_; ++c)
        if (backwards ? has_for(c, from) : has_for(from, c))
          longest = std::max(longest, c == from ? inside(c, distance, backwards) : distance[c]);
    };
    // With many clusters: from the first that has something, and to the first that something comes to.
    const bool many = clusters_ > kMostClusters;
    for (const bool backwards : {false, true}) {
      if (backwards ? spreads() || !(many || collects()) : collects()) continue;
      for (std::size_t c = 0; c < clusters_; ++c) {
        bool any = false;
        for (std::size_t d = 0; d < clusters_ && !any; ++d) any = backwards ? has_for(d, c) : has_for(c, d);
        if (any) look_from(c, backwards);
        if (any && many) break;
      }
    }
    offer(longest, "paths");
  }

  /// Before anything enters (`in`) or behind what leaves a rank of a cluster.
  [[nodiscard]] double least_latency(std::size_t cluster, bool in) const {
    double least = platform_.clusters[cluster].ranks.size() > 1 ? platform_.clusters[cluster].latency_s : kInfinity;
    for (std::size_t c = 0; c < clusters_; ++c)
      if (c != cluster)
        least = std::min(least, in ? network_.link(c, cluster).latency_s : network_.link(cluster, c).latency_s);
    return least;
  }

  [[nodiscard]] double port_s(std::size_t cluster, std::int64_t bytes, bool in) {
    if (bytes == 0) return 0;
    const auto [at, fresh] = ports_.try_emplace({cluster, bytes, in}, 0);
    if (!fresh) return at->second;
    const PlatformCluster& own = platform_.clusters[cluster];
    double least = own.gap.points().empty() ? kInfinity : own.gap.least_in_parts(bytes);
    for (std::size_t c = 0; c < clusters_; ++c) {
      if (c == cluster) continue;
      const PlatformLink& link = in ? network_.link(c, cluster) : network_.link(cluster, c);
      least = std::min(least, link.gap.least_in_parts(bytes));
    }
    return at->second = least;
  }

  void add_ports() {
    std::vector<double> latency_in, latency_out;
    for (std::size_t c = 0; c < clusters_; ++c) {
      latency_in.push_back(least_latency(c, true));
      latency_out.push_back(least_latency(c, false));
    }
    for (std::int64_t rank = 0; rank < shape_.ranks; ++rank) {
      const std::size_t c = network_.cluster(rank);
      const Crossing bytes = crossing({&rank, 1}, rank == shape_.root);
      double in = latency_in[c];
      if (spreads() && rank != shape_.root)
        in = std::max(in, c == network_.cluster(shape_.root) ? near_root_ : from_root_[c]);
      if (bytes.in > 0) offer(in + port_s(c, bytes.in, true), "port of rank {}", rank);
      if (bytes.out > 0) offer(latency_out[c] + port_s(c, bytes.out, false), "port of rank {}", rank);
    }
  }

  void add_uplinks() {
    const std::vector<PlatformGroup>& groups = network_.levels().groups();
    const std::size_t root = network_.cluster(shape_.root);
    std::vector<Crossing> bytes(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      std::vector<std::int64_t> ranks;
      bool with_root = false;
      for (const std::size_t c : groups[g].clusters) {
        const std::vector<std::int64_t>& own = platform_.clusters[c].ranks;
        ranks.insert(ranks.end(), own.begin(), own.end());
        with_root = with_root || c == root;
      }
      if (static_cast<std::int64_t>(ranks.size()) < shape_.ranks) bytes[g] = crossing(ranks, with_root);
    }
    std::vector<double> in(groups.size(), kInfinity), out(in), latency_in(in), latency_out(in);
    for (std::size_t a = 0; a < clusters_; ++a) {
      for (std::size_t b = 0; b < clusters_; ++b) {
        if (a == b) continue;
        const PlatformLink& link = network_.link(a, b);
        const auto beside = static_cast<double>(link.connections);
        // An uplink is as wide as its fastest link, in either direction.
        const auto crossed = [&](std::size_t g) {
          in[g] = std::min(in[g], link.gap.least_in_parts(bytes[g].in) / beside);
          out[g] = std::min(out[g], link.gap.least_in_parts(bytes[g].out) / beside);
        };
        network_.levels().cross(
            a, b,
            [&](std::size_t g) {
              crossed(g);
              latency_out[g] = std::min(latency_out[g], link.latency_s);
            },
            [&](std::size_t g) {
              crossed(g);
              latency_in[g] = std::min(latency_in[g], link.latency_s);
            });
      }
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (groups[g].uplink && in[g] < kInfinity) in[g] = groups[g].uplink->gap.least_in_parts(bytes[g].in);
      if (groups[g].uplink && out[g] < kInfinity) out[g] = groups[g].uplink->gap.least_in_parts(bytes[g].out);
      if (spreads()) {
        double nearest = kInfinity;
        for (const std::size_t c : groups[g].clusters) nearest = std::min(nearest, from_root_[c]);
        latency_in[g] = std::max(latency_in[g], nearest);
      }
      const std::string& name = platform_.clusters[groups[g].clusters.front()].name;
      const std::size_t more = groups[g].clusters.size() - 1;
      const std::string called = more == 0 ? name : fmt::format("{} and {} more", name, more);
      if (bytes[g].in > 0 && in[g] < kInfinity) offer(latency_in[g] + in[g], "uplink of {}", called);
      if (bytes[g].out > 0 && out[g] < kInfinity) offer(latency_out[g] + out[g], "uplink of {}", called);
    }
  }

  void add_combining() {
    if (!combines(shape_.problem)) return;
    const CombiningCosts& costs = combine_s_per_byte_;
    if (costs.least() == 0) return;  // a rank that combines for nothing may combine all
    const auto ranks = static_cast<double>(shape_.ranks);
    // The number of ranks as fast as rank 0 that combine as many bytes per second as all ranks together.
    double alike = ranks;
    if (costs.differ()) {
      alike = 0;
      for (const double each : costs.by_rank()) alike += costs.of(0) / each;
    }
    offer(costs.of(0) * static_cast<double>(array_bytes(shape_)) * (ranks - 1) / alike, "combining");
  }

  const RankNetwork& network_;
  const CombiningCosts& combine_s_per_byte_;
  const Program& shape_;
  const Platform& platform_;
  std::size_t clusters_;
  std::vector<double> from_root_;  ///< if the root has all at first: latencies from it
  double near_root_ = 0;           ///< to others of its cluster
  /// Ranks of a cluster that have something for others, or get something.
  struct Ends {
    std::int64_t giving = 0, getting = 0, both = 0;
  };
  std::vector<Ends> ends_;   ///< by cluster, if every giving rank has something for every getting rank
  std::vector<char> pairs_;  ///< otherwise: from each cluster to each
  std::map<std::tuple<std::size_t, std::int64_t, bool>, double> ports_;
  ProgramBound best_;
};

}  // namespace

ProgramBound Clock::bound(const Program& shape) const { return Bounds(network_, combine_s_per_byte_, shape).run(); }

}  // namespace sluice::detail
