#include "sluice/input/clustering.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sluice/error.hpp"

namespace sluice {
namespace {

constexpr auto kRules = {ClusteringRule::kLowekamp, ClusteringRule::kCloseness};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

LatencyMatrix matrix_of(const std::vector<std::vector<double>>& rows) {
  std::vector<LatencyPair> pairs;
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t b = a + 1; b < rows.size(); ++b)
      if (rows[a][b] > 0) pairs.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), rows[a][b]});
  return {static_cast<std::int64_t>(rows.size()), pairs};
}

/// Algorithm 1 line by line, subnets as sets.
Clusters lowekamp_as_written(const LatencyMatrix& matrix, double factor, double noise_s) {
  const auto n = static_cast<std::size_t>(matrix.nodes());
  std::vector<double> min_edge(n, kInfinity);
  std::vector<LatencyPair> edges = matrix.pairs();
  for (const LatencyPair& e : edges) {
    min_edge[static_cast<std::size_t>(e.a)] = std::min(min_edge[static_cast<std::size_t>(e.a)], e.latency_s);
    min_edge[static_cast<std::size_t>(e.b)] = std::min(min_edge[static_cast<std::size_t>(e.b)], e.latency_s);
  }
  std::stable_sort(edges.begin(), edges.end(), [](const auto& x, const auto& y) { return x.latency_s < y.latency_s; });
  struct Subnet {
    std::set<std::int64_t> nodes;
    double min_edge;
  };
  std::vector<Subnet> subnets;
  const auto subnet_of = [&](std::int64_t node) {
    return std::find_if(subnets.begin(), subnets.end(), [&](const Subnet& s) { return s.nodes.count(node) > 0; });
  };
  for (const LatencyPair& e : edges) {
    auto a = subnet_of(e.a);
    auto b = subnet_of(e.b);
    if (a != subnets.end() && a == b) continue;
    if (e.latency_s > factor * min_edge[static_cast<std::size_t>(e.a)] + noise_s) continue;
    if (e.latency_s > factor * min_edge[static_cast<std::size_t>(e.b)] + noise_s) continue;
    if (a != subnets.end() && e.latency_s > factor * a->min_edge + noise_s) continue;
    if (b != subnets.end() && e.latency_s > factor * b->min_edge + noise_s) continue;
    Subnet merged{{e.a, e.b}, e.latency_s};
    std::vector<Subnet> left;
    for (const Subnet& s : subnets) {
      if (s.nodes.count(e.a) == 0 && s.nodes.count(e.b) == 0) {
        left.push_back(s);
        continue;
      }
      merged.nodes.insert(s.nodes.begin(), s.nodes.end());
      merged.min_edge = std::min(merged.min_edge, s.min_edge);
    }
    left.push_back(merged);
    subnets = left;
  }
  Clusters clusters;
  for (std::int64_t node = 0; node < matrix.nodes(); ++node) {
    const auto s = subnet_of(node);
    if (s == subnets.end())
      clusters.push_back({node});
    else if (*s->nodes.begin() == node)
      clusters.emplace_back(s->nodes.begin(), s->nodes.end());
  }
  return clusters;
}

/// The definition before Algorithm 1, for every three nodes of a cluster; every pair of a cluster known.
bool is_close(const LatencyMatrix& matrix, const Clusters& clusters, double factor, double noise_s) {
  std::map<std::pair<std::int64_t, std::int64_t>, double> w;
  for (const LatencyPair& p : matrix.pairs()) w[{p.a, p.b}] = w[{p.b, p.a}] = p.latency_s;
  for (const auto& cluster : clusters)
    for (const std::int64_t x : cluster)
      for (const std::int64_t y : cluster)
        for (const std::int64_t z : cluster) {
          if (x == y || x == z) continue;
          if (w.count({x, y}) == 0 || w.count({x, z}) == 0) return false;
          if (w[{x, y}] > factor * w[{x, z}] + noise_s) return false;
        }
  return true;
}

bool is_partition(const Clusters& clusters, std::int64_t nodes) {
  std::vector<std::int64_t> all;
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    if (clusters[c].empty() || !std::is_sorted(clusters[c].begin(), clusters[c].end())) return false;
    if (c > 0 && clusters[c - 1].front() > clusters[c].front()) return false;
    all.insert(all.end(), clusters[c].begin(), clusters[c].end());
  }
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] != static_cast<std::int64_t>(i)) return false;
  return static_cast<std::int64_t>(all.size()) == nodes;
}

/// Some sites with near nodes, with noise and missing pairs.
LatencyMatrix random_matrix(std::mt19937_64& random, std::int64_t nodes, int sites, double noise, double missing) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<std::vector<double>> between(static_cast<std::size_t>(sites));
  for (auto& row : between)
    for (int s = 0; s < sites; ++s) row.push_back(1 + 9 * uniform(random));
  std::vector<LatencyPair> pairs;
  for (std::int32_t a = 0; a < nodes; ++a) {
    for (std::int32_t b = a + 1; b < nodes; ++b) {
      if (uniform(random) < missing) continue;
      const double base = between[static_cast<std::size_t>(a % sites)][static_cast<std::size_t>(b % sites)];
      pairs.push_back({a, b, base * (1 + noise * uniform(random))});
    }
  }
  return {nodes, pairs};
}

std::vector<std::size_t> sizes_of(const Clusters& clusters) {
  std::vector<std::size_t> sizes;
  for (const auto& cluster : clusters) sizes.push_back(cluster.size());
  return sizes;
}

TEST(Clustering, WorkedExample) {
  const LatencyMatrix apart = matrix_of({{0, 10, 10, 14}, {0, 0, 10, 14}, {0, 0, 0, 14}, {0, 0, 0, 0}});
  for (const ClusteringRule rule : kRules) EXPECT_EQ(find_clusters(apart, 0.3, rule), (Clusters{{0, 1, 2}, {3}}));
  const LatencyMatrix half = matrix_of({{0, 10, 10, 12}, {0, 0, 10, 20}, {0, 0, 0, 20}, {0, 0, 0, 0}});
  EXPECT_EQ(find_clusters(half, 0.3, ClusteringRule::kLowekamp), (Clusters{{0, 1, 2, 3}}));
  EXPECT_EQ(find_clusters(half, 0.3, ClusteringRule::kCloseness), (Clusters{{0, 1, 2}, {3}}));
}

/// Table 4 of Steffenel's report, expanded to its 88 machines: the six clusters that the report found with 30 %.
TEST(Clustering, FindsTheClustersOfTable4) {
  const LatencyMatrix matrix = read_latency_matrix(std::string(SLUICE_STUDIES) + "/grid5000/latency-88.mtx");
  for (const ClusteringRule rule : kRules) {
    const Clusters clusters = find_clusters(matrix, 0.3, rule);
    EXPECT_TRUE(is_partition(clusters, 88));
    EXPECT_EQ(sizes_of(clusters), (std::vector<std::size_t>{31, 29, 6, 1, 1, 20}));
    const ClusterLatencies latencies = cluster_latencies(matrix, clusters);
    EXPECT_NEAR(latencies.inside_s[0], 47.56e-6, 1e-12);
    EXPECT_EQ(latencies.inside_s[3], 0);
    ASSERT_EQ(latencies.between.pairs().size(), 15U);
    EXPECT_NEAR(latencies.between.pairs()[1].latency_s, 12181.52e-6, 1e-11);
  }
  // 62.10 <= 1.31 * 47.56 is what would join the two of Orsay.
  EXPECT_EQ(find_clusters(matrix, 0.31).size(), 5U);
}

/// Clusters, sites, the wide-area network: the levels of Table 2.
TEST(Clustering, LevelsNest) {
  const LatencyMatrix matrix = read_latency_matrix(std::string(SLUICE_STUDIES) + "/grid5000/latency-88.mtx");
  const std::vector<Clusters> levels = cluster_levels(matrix, {0.3, 0.35, 2, 2});
  ASSERT_EQ(levels.size(), 4U);
  EXPECT_EQ(sizes_of(levels[0]), (std::vector<std::size_t>{31, 29, 6, 1, 1, 20}));
  EXPECT_EQ(sizes_of(levels[1]), (std::vector<std::size_t>{60, 8, 20}));
  EXPECT_EQ(sizes_of(levels[2]), (std::vector<std::size_t>{88}));
  EXPECT_EQ(levels[3], levels[2]);
  EXPECT_TRUE(cluster_levels(matrix, {}).empty());
}

TEST(Clustering, KnowsNothingOfMissingPairs) {
  const LatencyMatrix none(3, {});
  const LatencyMatrix path(4, {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}});
  for (const ClusteringRule rule : kRules) {
    EXPECT_EQ(find_clusters(none, 0.3, rule), (Clusters{{0}, {1}, {2}}));
    EXPECT_EQ(find_clusters(LatencyMatrix(), 0.3, rule), Clusters());
  }
  EXPECT_EQ(find_clusters(path, 0, ClusteringRule::kLowekamp), (Clusters{{0, 1, 2, 3}}));
  EXPECT_EQ(find_clusters(path, 0, ClusteringRule::kCloseness), (Clusters{{0, 1}, {2, 3}}));
}

TEST(Clustering, AgreesWithTheAlgorithmAsWritten) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 300; ++i) {
    const auto nodes = static_cast<std::int64_t>(2 + random() % 24);
    const LatencyMatrix matrix =
        random_matrix(random, nodes, 1 + static_cast<int>(random() % 5), 0.5 * uniform(random), 0.5 * uniform(random));
    const double tolerance = uniform(random);
    const double noise_s = i % 2 == 0 ? 0 : uniform(random);
    const Clusters clusters = find_clusters(matrix, tolerance, ClusteringRule::kLowekamp, noise_s);
    EXPECT_TRUE(is_partition(clusters, nodes));
    EXPECT_EQ(clusters, lowekamp_as_written(matrix, 1 + tolerance, noise_s));
  }
}

TEST(Clustering, ClosenessMeetsItsDefinition) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::size_t joined = 0;
  for (int i = 0; i < 300; ++i) {
    const auto nodes = static_cast<std::int64_t>(2 + random() % 24);
    const LatencyMatrix matrix =
        random_matrix(random, nodes, 1 + static_cast<int>(random() % 5), 0.3 * uniform(random), 0.2 * uniform(random));
    const double tolerance = uniform(random);
    const double noise_s = i % 2 == 0 ? 0 : uniform(random);
    Clusters clusters = find_clusters(matrix, tolerance, ClusteringRule::kCloseness, noise_s);
    EXPECT_TRUE(is_partition(clusters, nodes));
    EXPECT_TRUE(is_close(matrix, clusters, 1 + tolerance, noise_s));
    joined += static_cast<std::size_t>(nodes) - clusters.size();
    // A node on its own fits none of the clusters of two and more.
    for (std::size_t alone = 0; alone < clusters.size(); ++alone) {
      if (clusters[alone].size() != 1) continue;
      for (const auto& cluster : clusters) {
        if (cluster.size() < 2) continue;
        Clusters tried{cluster};
        tried[0].push_back(clusters[alone][0]);
        EXPECT_FALSE(is_close(matrix, tried, 1 + tolerance, noise_s));
      }
    }
  }
  EXPECT_GT(joined, 300U);
}

TEST(Clustering, FindsPlantedClustersAmongManyNodes) {
  std::mt19937_64 random(9);
  std::vector<LatencyPair> pairs;
  constexpr std::int32_t kNodes = 400;
  std::uniform_real_distribution<double> noise(1, 1.2);
  for (std::int32_t a = 0; a < kNodes; ++a)
    for (std::int32_t b = a + 1; b < kNodes; ++b)
      pairs.push_back({a, b, (a % 16 == b % 16 ? 1e-5 : 1e-3) * noise(random)});
  const LatencyMatrix matrix(kNodes, std::move(pairs));
  for (const ClusteringRule rule : kRules) {
    const Clusters clusters = find_clusters(matrix, 0.3, rule);
    ASSERT_EQ(clusters.size(), 16U);
    for (std::size_t c = 0; c < 16; ++c)
      for (const std::int64_t node : clusters[c]) EXPECT_EQ(node % 16, static_cast<std::int64_t>(c));
  }
}

TEST(Clustering, NoiseOfMicrosecondsMakesNoClusters) {
  std::mt19937_64 random(10);
  std::uniform_real_distribution<double> noise(25e-6, 44e-6);
  std::uniform_real_distribution<double> far(200e-6, 219e-6);
  std::size_t torn = 0;
  for (int i = 0; i < 100; ++i) {
    std::vector<LatencyPair> flat;
    std::vector<LatencyPair> sites;
    for (std::int32_t a = 0; a < 8; ++a) {
      for (std::int32_t b = a + 1; b < 8; ++b) {
        flat.push_back({a, b, noise(random)});
        sites.push_back({a, b, a / 4 == b / 4 ? flat.back().latency_s : far(random)});
      }
    }
    const LatencyMatrix one(8, flat);
    const LatencyMatrix two(8, sites);
    torn += static_cast<std::size_t>(find_clusters(one, 0.3).size() > 1);
    for (const ClusteringRule rule : kRules) {
      EXPECT_EQ(find_clusters(one, 0.3, rule, 20e-6).size(), 1U);
      EXPECT_EQ(find_clusters(two, 0.3, rule, 20e-6), (Clusters{{0, 1, 2, 3}, {4, 5, 6, 7}}));
    }
  }
  EXPECT_GT(torn, 10U);  // as it is without
}

TEST(Clustering, RefusesBadTolerancesAndNoise) {
  const LatencyMatrix none(3, {});
  for (const double bad : {-0.1, kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW((void)find_clusters(none, bad), InputError);
    EXPECT_THROW((void)find_clusters(none, 0.3, ClusteringRule::kLowekamp, bad), InputError);
  }
  EXPECT_EQ(parse_clustering_rule("lowekamp", "x"), ClusteringRule::kLowekamp);
  EXPECT_EQ(parse_clustering_rule("closeness", "x"), ClusteringRule::kCloseness);
  EXPECT_THROW((void)parse_clustering_rule("kmeans", "x"), InputError);
}

}  // namespace
}  // namespace sluice
