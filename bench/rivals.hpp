#pragma once

// Random graphs, and the timing of two rivals side by side.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "graph/lemon_reference.hpp"
#include "processor_time.hpp"
#include "sluice/graph/bipartite_graph.hpp"

namespace rivals {

enum class Kind { kSparse, kThirty, kDense, kProduct };

inline const char* name(Kind kind) {
  return kind == Kind::kSparse ? "sparse" : kind == Kind::kThirty ? "30%" : kind == Kind::kDense ? "dense" : "product";
}

/// n x n: about 10 random edges a vertex, 30 % of all pairs, or all pairs; a random perfect matching is always part of
/// it.
inline std::vector<sluice::Edge> random_edges(Kind kind, std::int32_t n, std::int64_t largest_weight,
                                              std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto weight = [&] {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(largest_weight)) + 1;
  };
  std::vector<std::int32_t> permutation(static_cast<std::size_t>(n));
  std::iota(permutation.begin(), permutation.end(), 0);
  std::shuffle(permutation.begin(), permutation.end(), random);
  std::vector<sluice::Edge> edges;
  for (std::int32_t u = 0; u < n; ++u) {
    if (kind == Kind::kSparse) {
      edges.push_back({u, permutation[u], weight()});
      for (std::int32_t i = 1; i < 10; ++i) {
        edges.push_back({u, static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(n)), weight()});
      }
      continue;
    }
    for (std::int32_t v = 0; v < n; ++v) {
      if (kind == Kind::kProduct) {
        edges.push_back({u, v, std::int64_t{u + 1} * (v + 1)});
      } else if (kind == Kind::kDense || v == permutation[u] || random() % 10 < 3) {
        edges.push_back({u, v, weight()});
      }
    }
  }
  return edges;
}

inline std::vector<lemon_reference::Arc> to_arcs(const std::vector<sluice::Edge>& edges) {
  std::vector<lemon_reference::Arc> arcs;
  for (const sluice::Edge& e : edges) arcs.push_back({e.left, e.right, e.weight});
  return arcs;
}

/// Processor time of the calling thread.
template <class Run>
double milliseconds(Run&& run) {
  const double begin = processor_seconds();
  run();
  return 1e3 * (processor_seconds() - begin);
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct Times {
  double ours_ms = 0;
  double lemon_ms = 0;
  int runs = 0;
};

/// Medians of runs in turn: at least 3 each, more until `budget_ms` is spent or 101 are done.
template <class Ours, class Lemon>
Times alternate(Ours&& ours, Lemon&& lemon, double budget_ms) {
  std::vector<double> a, b;
  double spent = 0;
  while (a.size() < 3 || (spent < budget_ms && a.size() < 101)) {
    a.push_back(milliseconds(ours));
    b.push_back(milliseconds(lemon));
    spent += a.back() + b.back();
  }
  return {median(a), median(b), static_cast<int>(a.size())};
}

}  // namespace rivals
