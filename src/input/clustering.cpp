#include "sluice/input/clustering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>

#include "input/shown_text.hpp"
#include "sluice/error.hpp"

/// Problem: nodes and the latencies of some pairs of them; partition the nodes so that latencies within a cluster are
/// about equal, up to a factor 1 + tolerance.
///
/// lowekamp: pairs in the order of their latencies. The clusters of a pair become one if its latency is at most 1 +
/// tolerance times the smallest latency of either node, and of either cluster. Only one pair between the two clusters
/// is considered. O(E log E) time and O(N + E) memory for E pairs.
///
/// closeness: for every node x of a cluster S and all y, z in S, w(x, y) and w(x, z) differ at most by the factor 1 +
/// tolerance. Pairs in the order of their latencies. A free node joins the first cluster that lets it meet the
/// definition with every node that is there already; a pair that is not known meets nothing. If both nodes stay free,
/// and their pair is near for either of them as in lowekamp, they begin a cluster. Every node is tried once with every
/// cluster, so O(N^2 log N) time besides sorting; the log is for finding a pair.
///
/// Source: Steffenel, "A Framework for Adaptive Collective Communications on Heterogeneous Hierarchical Networks"
/// (INRIA RR-6036, 2006), section 4.1.2: Algorithm 1 for lowekamp (after Lowekamp, "Discovery and Application of
/// Network Information", 2000), and the expression before it for closeness.
///
/// Deviations. The expressions of the report take tolerance as a difference, Algorithm 1 as a factor: a factor here.
/// The expression for closeness says nothing of two nodes, so any two free nodes would be a cluster, at any distance. A
/// cluster begins with a pair that is near for both its nodes; that is ours. Pairs of equal latency are taken in the
/// order of their nodes, so that the result never varies. The report knows no noise. If noise is above 0, x may be (1 +
/// tolerance) y + noise wherever the rules allow (1 + tolerance) y. So latencies of some microseconds, which differ by
/// more than any tolerance from one measurement to the next, count as about equal.
///
/// Worked example: nodes 0, 1, 2 at 10 from each other, 3 at 14 from all, tolerance 0.3. Both rules put 0, 1, 2
/// together; 14 > 1.3 * 10 keeps 3 out. With 3 at 12 from node 0 only and at 20 from the others, lowekamp lets it in by
/// 12 <= 1.3 * 10 and never looks at 20; closeness does not.
namespace sluice {
namespace {

/// By how much a latency may be above another one.
struct Margin {
  double factor = 1;
  double noise_s = 0;

  [[nodiscard]] double above(double least_s) const { return factor * least_s + noise_s; }
};

/// The pairs in the order of their latencies.
std::vector<LatencyPair> by_latency(const LatencyMatrix& matrix) {
  std::vector<LatencyPair> pairs = matrix.pairs();
  std::sort(pairs.begin(), pairs.end(), [](const LatencyPair& x, const LatencyPair& y) {
    if (x.latency_s != y.latency_s) return x.latency_s < y.latency_s;
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  });
  return pairs;
}

/// The smallest latency of every node; infinite if none is known.
std::vector<double> smallest_latencies(const LatencyMatrix& matrix) {
  std::vector<double> smallest(static_cast<std::size_t>(matrix.nodes()), std::numeric_limits<double>::infinity());
  for (const LatencyPair& pair : matrix.pairs()) {
    for (const std::int32_t node : {pair.a, pair.b}) {
      double& least = smallest[static_cast<std::size_t>(node)];
      least = std::min(least, pair.latency_s);
    }
  }
  return smallest;
}

/// Clusters in the order of their first nodes, from the name of the cluster that each node is in.
Clusters collect(const std::vector<std::size_t>& cluster_of) {
  constexpr std::size_t kNotSeen = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> position(cluster_of.size(), kNotSeen);
  Clusters clusters;
  for (std::size_t node = 0; node < cluster_of.size(); ++node) {
    std::size_t& at = position[cluster_of[node]];
    if (at == kNotSeen) {
      at = clusters.size();
      clusters.emplace_back();
    }
    clusters[at].push_back(static_cast<std::int64_t>(node));
  }
  return clusters;
}

Clusters lowekamp(const LatencyMatrix& matrix, const Margin& margin) {
  const std::vector<double> node_least = smallest_latencies(matrix);
  std::vector<std::size_t> parent(node_least.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  std::vector<double> least(node_least.size(), std::numeric_limits<double>::infinity());  // of a root's cluster
  const auto root_of = [&](std::size_t node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  for (const LatencyPair& pair : by_latency(matrix)) {
    const auto a = static_cast<std::size_t>(pair.a);
    const auto b = static_cast<std::size_t>(pair.b);
    if (pair.latency_s > margin.above(std::min(node_least[a], node_least[b]))) continue;
    const std::size_t root_a = root_of(a);
    const std::size_t root_b = root_of(b);
    if (root_a == root_b || pair.latency_s > margin.above(std::min(least[root_a], least[root_b]))) continue;
    const auto [low, high] = std::minmax(root_a, root_b);
    parent[high] = low;
    least[low] = std::min({pair.latency_s, least[low], least[high]});
  }
  for (std::size_t node = 0; node < parent.size(); ++node) parent[node] = root_of(node);
  return collect(parent);
}

/// The latencies of a matrix, by node.
class Neighbours {
 public:
  explicit Neighbours(const LatencyMatrix& matrix) : first_(static_cast<std::size_t>(matrix.nodes()) + 1, 0) {
    for (const LatencyPair& pair : matrix.pairs()) {
      ++first_[static_cast<std::size_t>(pair.a) + 1];
      ++first_[static_cast<std::size_t>(pair.b) + 1];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    others_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    // In the order of (a, b), a node meets the nodes below it before the nodes above it, and each of them in order.
    for (const LatencyPair& pair : matrix.pairs()) {
      others_[next[static_cast<std::size_t>(pair.a)]++] = {pair.b, pair.latency_s};
      others_[next[static_cast<std::size_t>(pair.b)]++] = {pair.a, pair.latency_s};
    }
  }

  /// The latency between two nodes, infinite if it is not known.
  [[nodiscard]] double latency(std::size_t from, std::size_t to) const {
    const auto begin = others_.begin() + static_cast<std::ptrdiff_t>(first_[from]);
    const auto end = others_.begin() + static_cast<std::ptrdiff_t>(first_[from + 1]);
    const auto found = std::lower_bound(begin, end, to, [](const Other& other, std::size_t node) {
      return static_cast<std::size_t>(other.node) < node;
    });
    return found != end && static_cast<std::size_t>(found->node) == to ? found->latency_s
                                                                       : std::numeric_limits<double>::infinity();
  }

 private:
  struct Other {
    std::int32_t node = 0;
    double latency_s = 0;
  };

  std::vector<std::size_t> first_;
  std::vector<Other> others_;
};

Clusters closeness(const LatencyMatrix& matrix, const Margin& margin) {
  struct Member {
    std::size_t node;
    double least;  // of its latencies in the cluster
    double most;
  };
  constexpr std::size_t kFree = std::numeric_limits<std::size_t>::max();
  const Neighbours neighbours(matrix);
  const std::vector<double> node_least = smallest_latencies(matrix);
  std::vector<std::size_t> cluster_of(node_least.size(), kFree);
  std::vector<std::vector<Member>> clusters;
  std::vector<std::size_t> tried(node_least.size(), 0);  // clusters before: one that grows takes no more than it did

  const auto fits = [&](const Member& self, const Member& member, double w) {
    return self.most <= margin.above(self.least) && w <= margin.above(member.least) && member.most <= margin.above(w);
  };
  const auto join = [&](std::size_t node, std::vector<Member>& cluster) {
    Member self{node, std::numeric_limits<double>::infinity(), 0};
    for (const Member& member : cluster) {
      const double w = neighbours.latency(node, member.node);
      self.least = std::min(self.least, w);
      self.most = std::max(self.most, w);
      if (!fits(self, member, w)) return false;
    }
    for (Member& member : cluster) {
      const double w = neighbours.latency(node, member.node);
      member.least = std::min(member.least, w);
      member.most = std::max(member.most, w);
    }
    cluster.push_back(self);
    return true;
  };
  const auto find_place = [&](std::size_t node) {
    for (std::size_t& c = tried[node]; c < clusters.size() && cluster_of[node] == kFree; ++c)
      if (join(node, clusters[c])) cluster_of[node] = c;
  };

  for (const LatencyPair& pair : by_latency(matrix)) {
    const auto a = static_cast<std::size_t>(pair.a);
    const auto b = static_cast<std::size_t>(pair.b);
    find_place(a);
    find_place(b);
    if (cluster_of[a] != kFree || cluster_of[b] != kFree) continue;
    if (pair.latency_s > margin.above(std::min(node_least[a], node_least[b]))) continue;
    cluster_of[a] = cluster_of[b] = clusters.size();
    clusters.push_back({{a, pair.latency_s, pair.latency_s}, {b, pair.latency_s, pair.latency_s}});
  }
  for (std::size_t node = 0; node < cluster_of.size(); ++node) find_place(node);
  // Clusters by the names of their first nodes; a free node is one of its own.
  std::vector<std::size_t> first(clusters.size(), kFree);
  for (std::size_t node = 0; node < cluster_of.size(); ++node) {
    if (cluster_of[node] == kFree) {
      cluster_of[node] = node;
      continue;
    }
    std::size_t& name = first[cluster_of[node]];
    if (name == kFree) name = node;
    cluster_of[node] = name;
  }
  return collect(cluster_of);
}

}  // namespace

ClusteringRule parse_clustering_rule(std::string_view name, const std::string& where) {
  if (name == "lowekamp") return ClusteringRule::kLowekamp;
  if (name == "closeness") return ClusteringRule::kCloseness;
  throw InputError(where, fmt::format("'{}'", detail::shown(name)), "lowekamp or closeness");
}

Clusters find_clusters(const LatencyMatrix& matrix, double tolerance, ClusteringRule rule, double noise_s) {
  if (!std::isfinite(tolerance) || tolerance < 0)
    throw InputError("tolerance", fmt::format("{}", tolerance), "a finite number of at least 0");
  if (!std::isfinite(noise_s) || noise_s < 0)
    throw InputError("noise", fmt::format("{} s", noise_s), "a finite number of at least 0");
  const Margin margin{1 + tolerance, noise_s};
  return rule == ClusteringRule::kLowekamp ? lowekamp(matrix, margin) : closeness(matrix, margin);
}

std::vector<Clusters> cluster_levels(const LatencyMatrix& matrix, const std::vector<double>& tolerances,
                                     ClusteringRule rule) {
  std::vector<Clusters> levels;
  for (const double tolerance : tolerances) {
    if (levels.empty()) {
      levels.push_back(find_clusters(matrix, tolerance, rule));
      continue;
    }
    const Clusters& finer = levels.back();
    Clusters level;
    for (const auto& group : find_clusters(cluster_latencies(matrix, finer).between, tolerance, rule)) {
      std::vector<std::int64_t> nodes;
      for (const std::int64_t cluster : group) {
        const auto& part = finer[static_cast<std::size_t>(cluster)];
        nodes.insert(nodes.end(), part.begin(), part.end());
      }
      std::sort(nodes.begin(), nodes.end());
      level.push_back(std::move(nodes));
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

ClusterLatencies cluster_latencies(const LatencyMatrix& matrix, const Clusters& clusters) {
  std::vector<std::int32_t> cluster_of(static_cast<std::size_t>(matrix.nodes()), -1);
  for (std::size_t c = 0; c < clusters.size(); ++c)
    for (const std::int64_t node : clusters[c])
      cluster_of[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(c);
  std::vector<LatencyPair> pairs = matrix.pairs();
  for (LatencyPair& pair : pairs) {
    const auto [low, high] =
        std::minmax(cluster_of[static_cast<std::size_t>(pair.a)], cluster_of[static_cast<std::size_t>(pair.b)]);
    SLUICE_ASSERT(low >= 0, fmt::format("node {} or {} in no cluster", pair.a, pair.b));
    pair.a = low;
    pair.b = high;
  }
  const auto key = [](const LatencyPair& pair) { return std::make_pair(pair.a, pair.b); };
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const LatencyPair& x, const LatencyPair& y) { return key(x) < key(y); });
  ClusterLatencies result;
  result.inside_s.assign(clusters.size(), 0);
  std::vector<LatencyPair> between;
  for (std::size_t i = 0; i < pairs.size();) {
    std::size_t end = i;
    double sum = 0;
    for (; end < pairs.size() && key(pairs[end]) == key(pairs[i]); ++end) sum += pairs[end].latency_s;
    const double mean = sum / static_cast<double>(end - i);
    if (pairs[i].a == pairs[i].b)
      result.inside_s[static_cast<std::size_t>(pairs[i].a)] = mean;
    else
      between.push_back({pairs[i].a, pairs[i].b, mean});
    i = end;
  }
  result.between = LatencyMatrix(static_cast<std::int64_t>(clusters.size()), std::move(between));
  return result;
}

}  // namespace sluice
