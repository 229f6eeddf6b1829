/// What models say of the strategies of a broadcast inside one homogeneous cluster.
///
/// Problem: P ranks, latency L, gap g(m) from a table; how long does each strategy take for m bytes, and which segments
/// are best?
/// Method: the closed forms of Table 1; k = ceil(m / s) segments of s bytes, at most 4096. More are too many to be
/// carried out; tables whose times rise fast would ask for more. The size of segments is searched among m / 2^i for all
/// i, then by hill climbing with steps that halve.
/// Complexity: O(log m) evaluations of each model. Deterministic.
/// Source: Steffenel (2006), section 4.2 and Table 1 (Scatter/Collection's p is P). Added:
///  - scatter-allgather: a binomial scatter, which halves what it sends each time, then a ring (Barnett et al. 1994;
///    Thakur, Rabenseifner, Gropp 2005): sum of g(m / 2^i) + L, then (P - 1) (g(m / P) + L). Table 1's model of it
///    assumes that g(m / P) is g(m) / P, which holds for long messages only;
///  - segmented-binary: Pjesivac-Grbovic et al., "Performance Analysis of MPI Collective Operations" (2005): the
///    deepest leaf gets the first segment after h (2 g(s) + L), and one follows each 2 g(s);
///  - double-tree: Sanders, Speck, Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan"
///    (2009): two binary trees, each for half of the segments. No rank is an inner node of both, so a segment follows
///    each g(s): h (2 g(s) + L) + k g(s), h = ceil(log2(P + 1));
///  - circulant: Traeff, "Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast,
///    All-Broadcast, Reduction and All-Reduction" (2024): k - 1 + ceil(log2 P) rounds, the fewest there can be, each of
///    one segment for every rank (src/plan/patterns/circulant.cpp). A rank may have to forward what came in the
///    previous round, so a round takes g(s) + L. If ranks begin a round at different times, messages of two rounds
///    share a port. The whole then takes up to 1.5 times as long as the model says, so plans compare its replay
///    (plan.cpp);
///  - d-ary: the trees that section 4.2 begins with, d and the height searched: d_ary.cpp.
/// Deviations: the model of the binary tree is an upper bound in the paper; it is taken as the time.
///
/// Example: P = 16, L = 50 us, g(1) = 2 us, g(1 MiB) = 8.4 ms: flat 126 ms; binomial 4 L + 4 g = 33.8 ms; the
/// segmented chain ends below 10 ms.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/fixed_math.hpp"
#include "base/infinity.hpp"
#include "plan/broadcast/check.hpp"
#include "plan/broadcast/d_ary.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"

namespace sluice {

namespace {

constexpr std::string_view kTable1 = "Steffenel 2006, Table 1";
constexpr std::int64_t kMostSegmentsInside = 1 << 12;

class Models {
 public:
  Models(const PlatformCluster& cluster, std::int64_t bytes)
      : cluster_(cluster),
        bytes_(bytes),
        ranks_(static_cast<double>(cluster.ranks.size())),
        latency_(cluster.latency_s) {
    const auto ranks = static_cast<std::uint64_t>(cluster.ranks.size());
    ceil_log_ = static_cast<double>(std::bit_width(ranks - 1));
    floor_log_ = static_cast<double>(std::bit_width(ranks) - 1);
    height_ = static_cast<double>(std::bit_width(ranks) - 1);
  }

  std::vector<StrategyPrediction> run() {
    const double whole = gap(bytes_), one = gap(1), others = ranks_ - 1;
    add("flat", latency_ + others * whole);
    add("flat-rendezvous", 3 * latency_ + others * whole + 2 * one, false);
    add_segmented("segmented-flat", [&](double g, double k) { return latency_ + others * (g * k); });
    add("chain", others * (whole + latency_));
    add("chain-rendezvous", others * (whole + 2 * one + 3 * latency_), false);
    add_segmented("segmented-chain", [&](double g, double k) { return others * (g + latency_) + g * (k - 1); });
    add("binary", ceil_log_ * (2 * whole + latency_));
    add("binomial", ceil_log_ * latency_ + floor_log_ * whole);
    add("binomial-rendezvous", ceil_log_ * (2 * one + 3 * latency_) + floor_log_ * whole, false);
    add_segmented("segmented-binomial", [&](double g, double k) { return ceil_log_ * latency_ + floor_log_ * g * k; });
    add("scatter-collection", (detail::fixed_log2(ranks_) + others) * latency_ + 2 * (others / ranks_) * whole, false);
    add_scatter_allgather();
    add_segmented(
        "segmented-binary", [&](double g, double k) { return height_ * (2 * g + latency_) + 2 * g * (k - 1); },
        "Pjesivac-Grbovic et al. 2005");
    const double two_trees_height = std::ceil(detail::fixed_log2(ranks_ + 1));
    add_segmented(
        "double-tree", [&](double g, double k) { return two_trees_height * (2 * g + latency_) + g * k; },
        "Sanders, Speck, Traeff 2009");
    add_segmented(
        "circulant", [&](double g, double k) { return (k - 1 + ceil_log_) * (g + latency_); }, "Traeff 2024");
    add_d_ary();
    if (!cluster_.broadcast.points().empty()) {
      add("native", cluster_.broadcast.at(bytes_));
      result_.back().source = "measured";
    }
    std::min_element(result_.begin(), result_.end(), [](const auto& a, const auto& b) {
      return a.time_s < b.time_s;
    })->best = true;
    return std::move(result_);
  }

 private:
  [[nodiscard]] double gap(std::int64_t bytes) const { return ranks_ > 1 ? cluster_.gap.at(bytes) : 0; }

  void add(std::string_view strategy, double time, bool executable = true) {
    result_.push_back({strategy, ranks_ > 1 && bytes_ > 0 ? time : 0, 0, 0, executable, false, kTable1});
  }

  template <class Model>
  void add_segmented(std::string_view strategy, Model model, std::string_view source = kTable1) {
    StrategyPrediction best{strategy, 0, 0, 0, true, false, source};
    if (ranks_ > 1 && bytes_ > 0) {
      const auto time = [&](std::int64_t segment) {
        const std::int64_t count = (bytes_ + segment - 1) / segment;
        return model(gap(segment), static_cast<double>(count));
      };
      best.segment_bytes = bytes_;
      best.time_s = time(bytes_);
      const std::int64_t least = (bytes_ + kMostSegmentsInside - 1) / kMostSegmentsInside;
      const auto improve = [&](std::int64_t segment) {
        if (segment < least || segment > bytes_) return false;
        const double attempt = time(segment);
        if (attempt >= best.time_s) return false;
        best.time_s = attempt;
        best.segment_bytes = segment;
        return true;
      };
      for (std::int64_t segment = bytes_ / 2; segment >= 1; segment /= 2) improve(segment);
      for (std::int64_t step = best.segment_bytes / 2; step >= 1; step /= 2)
        while (improve(best.segment_bytes + step) || improve(best.segment_bytes - step)) {
        }
    }
    result_.push_back(best);
  }

  void add_d_ary() {
    const auto choice = [&](double g, double k, double to_beat) {
      return detail::best_d_ary(static_cast<std::int64_t>(cluster_.ranks.size()), static_cast<std::int64_t>(k),
                                {g, latency_}, to_beat);
    };
    double least = detail::kInfinity;
    const auto time_of = [&](double g, double k) {
      const double time = choice(g, k, least).time;
      least = std::min(least, time);
      return time;
    };
    add_segmented("d-ary", time_of, "Steffenel 2006; Karp et al. 1993");
    StrategyPrediction& best = result_.back();
    if (best.segment_bytes == 0) return;
    const std::int64_t count = (bytes_ + best.segment_bytes - 1) / best.segment_bytes;
    best.children = choice(gap(best.segment_bytes), static_cast<double>(count), detail::kInfinity).children;
  }

  void add_scatter_allgather() {
    double time = 0;
    auto held = static_cast<std::int64_t>(cluster_.ranks.size());
    while (held > 1) {
      const std::int64_t given = held / 2;
      time += gap(share(given)) + latency_;
      held -= given;
    }
    time += (ranks_ - 1) * (gap(share(1)) + latency_);
    add("scatter-allgather", time);
    result_.back().source = "Thakur et al. 2005";
  }

  /// The bytes of `ranks` ranks, rounded up.
  [[nodiscard]] std::int64_t share(std::int64_t ranks) const {
    const auto all = static_cast<std::int64_t>(cluster_.ranks.size());
    return std::min(bytes_, (bytes_ + all - 1) / all * ranks);
  }

  const PlatformCluster& cluster_;
  std::int64_t bytes_;
  double ranks_;
  double latency_;
  double ceil_log_ = 0;
  double floor_log_ = 0;
  double height_ = 0;  // of a binary tree whose levels are full
  std::vector<StrategyPrediction> result_;
};

}  // namespace

std::vector<StrategyPrediction> predict_broadcast(const PlatformCluster& cluster, std::int64_t bytes) {
  detail::check_broadcast_size(bytes);
  if (cluster.ranks.empty()) throw InputError("cluster " + cluster.name, "no ranks", "at least one");
  if (cluster.ranks.size() > 1 && cluster.gap.points().empty())
    throw InputError("cluster " + cluster.name, "no gap", "one, as it has more than one rank");
  return Models(cluster, bytes).run();
}

}  // namespace sluice
