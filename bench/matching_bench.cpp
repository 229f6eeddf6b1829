// Matchings beside LEMON's: one row a problem and graph. Before a row is timed, every LEMON algorithm that fits the
// problem runs once; the fastest is the rival, and it must find the same value. An algorithm that took over 5 s, or 20
// times the best, on a smaller graph of the kind does not run any more. Both graphs are built beforehand; what an
// algorithm copies of them counts.
//
//   matching_bench [--problem NAME] [--graph sparse|30%|dense|product] [--max-n N] [--weights LARGEST] [--seed S]
//   [--ways]

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rivals.hpp"
#include "sluice/graph/matching.hpp"

namespace {

using lemon_reference::Way;

/// One instance, for both sides.
struct Instance {
  Instance(rivals::Kind kind, std::int32_t n, std::int64_t largest_weight, std::uint64_t seed)
      : edges(rivals::random_edges(kind, n, largest_weight, seed)),
        graph(n, n, edges),
        lemon(n, n, rivals::to_arcs(edges)) {
    std::mt19937_64 random(seed + 1);
    for (std::int32_t v = 0; v < n; ++v) {
      all.push_back(v);
      if (random() % 2 == 0) half_left.push_back(v);
      if (random() % 2 == 0) half_right.push_back(v);
    }
  }

  std::vector<sluice::Edge> edges;
  sluice::BipartiteGraph graph;
  lemon_reference::Bipartite lemon;
  std::vector<int> all, half_left, half_right;
};

struct Problem {
  const char* name;
  std::vector<Way> ways;
  std::function<std::int64_t(const Instance&)> ours;
  std::function<std::int64_t(const Instance&, Way)> lemon;
};

std::int64_t smallest_weight(const sluice::BipartiteGraph& graph, const sluice::Matching& matching) {
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  for (const std::int32_t id : matching.left_edge) {
    if (id >= 0) smallest = std::min(smallest, graph.edge(id).weight);
  }
  return smallest;
}

std::vector<Problem> problems() {
  const std::vector<Way> flows = {Way::kNetworkSimplex, Way::kCostScaling, Way::kCapacityScaling};
  std::vector<Way> weighted = {Way::kWeightedMatching};
  weighted.insert(weighted.end(), flows.begin(), flows.end());
  std::vector<Way> perfect = {Way::kPerfectMatching};
  perfect.insert(perfect.end(), weighted.begin(), weighted.end());
  return {
      {"maximum",
       {Way::kMatching, Way::kPreflow},
       [](const Instance& i) { return std::int64_t{sluice::maximum_matching(i.graph).size}; },
       [](const Instance& i, Way way) { return std::int64_t{i.lemon.maximum_matching(way)}; }},
      {"weight", weighted, [](const Instance& i) { return sluice::maximum_weight_matching(i.graph).weight; },
       [](const Instance& i, Way way) { return i.lemon.maximum_weight(way); }},
      {"perfect", perfect,
       [](const Instance& i) { return sluice::maximum_weight_covering_matching(i.graph, i.all, i.all)->weight; },
       [](const Instance& i, Way way) { return *i.lemon.maximum_weight_covering(way, i.all, i.all); }},
      {"cover-half", weighted,
       [](const Instance& i) {
         return sluice::maximum_weight_covering_matching(i.graph, i.half_left, i.half_right)->weight;
       },
       [](const Instance& i, Way way) { return *i.lemon.maximum_weight_covering(way, i.half_left, i.half_right); }},
      {"bottleneck",
       {Way::kMatching},
       [](const Instance& i) { return smallest_weight(i.graph, sluice::bottleneck_matching(i.graph)); },
       [](const Instance& i, Way) { return i.lemon.bottleneck(); }},
  };
}

struct Options {
  std::string problem, graph;
  std::int32_t max_n = 2000;
  std::int64_t largest_weight = 1000000;
  std::uint64_t seed = 1;
  bool ways = false;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--ways") {
      options.ways = true;
      continue;
    }
    const std::string value = i + 1 < argc ? argv[++i] : "";
    if (option == "--problem") {
      options.problem = value;
    } else if (option == "--graph") {
      options.graph = value;
    } else if (option == "--max-n") {
      options.max_n = std::stoi(value);
    } else if (option == "--weights") {
      options.largest_weight = std::stoll(value);
    } else if (option == "--seed") {
      options.seed = std::stoull(value);
    } else {
      fmt::print(stderr, "matching_bench: unknown option {}\n", option);
      std::exit(2);
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  int slower = 0;
  fmt::print("weights 1 .. {}, seed {}; ms are medians of alternating runs (processor time), ratio = lemon / ours\n",
             options.largest_weight, options.seed);
  fmt::print("{:<11} {:<7} {:>5} {:>8} {:>10} {:>10} {:>8}  {:>4}  {}\n", "problem", "graph", "n", "edges", "ours_ms",
             "lemon_ms", "ratio", "runs", "lemon way");
  for (const Problem& problem : problems()) {
    if (!options.problem.empty() && options.problem != problem.name) continue;
    for (const rivals::Kind kind :
         {rivals::Kind::kSparse, rivals::Kind::kThirty, rivals::Kind::kDense, rivals::Kind::kProduct}) {
      if (kind == rivals::Kind::kProduct && problem.name == std::string_view("maximum"))
        continue;  // is the dense graph
      if (!options.graph.empty() && options.graph != rivals::name(kind)) continue;
      std::vector<Way> ways = problem.ways;
      for (const std::int32_t n : {100, 200, 500, 1000, 2000}) {
        if (n > options.max_n) break;
        const Instance instance(kind, n, options.largest_weight, options.seed);
        const std::int64_t ours = problem.ours(instance);
        std::map<Way, double> once;
        std::optional<Way> best;
        for (const Way way : ways) {
          std::int64_t value = 0;
          once[way] = rivals::milliseconds([&] { value = problem.lemon(instance, way); });
          if (options.ways)
            fmt::print("  {} {} {} {}: {:.3f} ms\n", problem.name, rivals::name(kind), n, name(way), once[way]);
          if (value != ours) {
            fmt::print(stderr, "{} {} {}: ours {}, {} {}\n", problem.name, rivals::name(kind), n, ours, name(way),
                       value);
            return 1;
          }
          if (!best || once[way] < once[*best]) best = way;
        }
        if (!best) {
          fmt::print("{:<11} {:<7} {:>5} {:>8} every way of LEMON took over 5 s on the graph before\n", problem.name,
                     rivals::name(kind), n, instance.edges.size());
          continue;
        }
        std::int64_t sink = 0;
        const rivals::Times times = rivals::alternate([&] { sink += problem.ours(instance); },
                                                      [&] { sink -= problem.lemon(instance, *best); }, 1500);
        if (sink != 0) return 1;
        if (times.ours_ms > times.lemon_ms) ++slower;
        fmt::print("{:<11} {:<7} {:>5} {:>8} {:>10.3f} {:>10.3f} {:>8.1f}  {:>4}  {}\n", problem.name,
                   rivals::name(kind), n, instance.edges.size(), times.ours_ms, times.lemon_ms,
                   times.lemon_ms / times.ours_ms, times.runs, name(*best));
        std::fflush(stdout);
        std::vector<Way> kept;
        for (const Way way : ways) {
          if (once[way] < 5000 && once[way] < 20 * once[*best] + 5) kept.push_back(way);
        }
        ways = kept;
      }
    }
  }
  fmt::print("{} rows slower than LEMON\n", slower);
  return 0;
}
