// Edge colouring: milliseconds and nanoseconds an edge; beside LEMON's one matching a colour where that ends soon.

#include <fmt/format.h>

#include <cstdio>

#include "rivals.hpp"
#include "sluice/graph/edge_coloring.hpp"

int main() {
  fmt::print("{:<14} {:<7} {:>5} {:>8} {:>7} {:>10} {:>8} {:>10}\n", "problem", "graph", "n", "edges", "colours",
             "ours_ms", "ns/edge", "lemon_ms");
  for (const rivals::Kind kind : {rivals::Kind::kSparse, rivals::Kind::kThirty, rivals::Kind::kDense}) {
    for (const std::int32_t n : {100, 200, 500, 1000, 2000}) {
      const auto edges = rivals::random_edges(kind, n, 1, 1);
      const sluice::BipartiteGraph graph(n, n, edges);
      std::int32_t colors = 0;
      const auto ours = [&] { colors = sluice::edge_coloring(graph).colors; };
      std::string lemon_ms = "-";
      rivals::Times times;
      if (n <= (kind == rivals::Kind::kSparse ? 1000 : 200)) {
        const lemon_reference::Bipartite lemon(n, n, rivals::to_arcs(edges));
        int lemon_colors = 0;
        times = rivals::alternate(
            ours, [&] { lemon_colors = lemon.repeated_matching_colors(); }, 500);
        if (lemon_colors != colors) {
          fmt::print(stderr, "{} {}: {} colours, LEMON {}\n", rivals::name(kind), n, colors, lemon_colors);
          return 1;
        }
        lemon_ms = fmt::format("{:.3f}", times.lemon_ms);
      } else {
        times = rivals::alternate(
            ours, [] {}, 500);
      }
      fmt::print("{:<14} {:<7} {:>5} {:>8} {:>7} {:>10.3f} {:>8.1f} {:>10}\n", "edge colouring", rivals::name(kind), n,
                 edges.size(), colors, times.ours_ms, times.ours_ms * 1e6 / static_cast<double>(edges.size()),
                 lemon_ms);
      std::fflush(stdout);
    }
  }
  return 0;
}
