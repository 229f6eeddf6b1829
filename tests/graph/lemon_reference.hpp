#pragma once

// LEMON's answers, behind an interface without LEMON: LEMON 1.3.1 does not compile as C++20, so its users live in one
// C++17 file.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lemon_reference {

struct Arc {
  int left;
  int right;
  std::int64_t weight;
};

/// The LEMON algorithm to use; not every one fits every problem (see Bipartite).
enum class Way {
  kMatching,
  kWeightedMatching,
  kPerfectMatching,
  kPreflow,
  kNetworkSimplex,
  kCostScaling,
  kCapacityScaling
};

const char* name(Way way);

/// A bipartite graph in LEMON's data structures, built once; the calls below time like the algorithm alone.
class Bipartite {
 public:
  Bipartite(int lefts, int rights, const std::vector<Arc>& arcs);
  ~Bipartite();
  Bipartite(const Bipartite&) = delete;
  Bipartite& operator=(const Bipartite&) = delete;

  /// Size of a maximum matching. kMatching (MaxMatching) or kPreflow.
  int maximum_matching(Way way) const;

  /// Weight of a maximum weight matching. kWeightedMatching (MaxWeightedMatching) or one of the three flows.
  std::int64_t maximum_weight(Way way) const;

  /// Largest weight of a matching that covers the listed vertices; nothing if there is none. One of the three flows;
  /// kWeightedMatching: with a bonus on critical vertices; kPerfectMatching: if all vertices are critical.
  std::optional<std::int64_t> maximum_weight_covering(Way way, const std::vector<int>& left_critical,
                                                      const std::vector<int>& right_critical) const;

  /// Largest smallest weight of a maximum matching, which must not be empty: sorted weights, bisection, MaxMatching.
  std::int64_t bottleneck() const;

  /// Edge colouring by one LEMON matching a colour (a MaxWeightedMatching that must cover all vertices of maximum
  /// degree); number of colours. Slow: for small graphs.
  int repeated_matching_colors() const;

 private:
  struct Graphs;
  std::unique_ptr<Graphs> graphs_;
};

}  // namespace lemon_reference
