#include "run/mpi/probe/probe_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "run/mpi/runtime/median.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {

std::int64_t partner(std::int64_t node, std::int64_t round, std::int64_t nodes) {
  SLUICE_ASSERT(node >= 0 && node < nodes && round >= 0, fmt::format("node {} of {}, round {}", node, nodes, round));
  const bool even = nodes % 2 == 0;
  const std::int64_t places = even ? nodes - 1 : nodes;
  // The one that meets itself: 2 i = round (mod places), and (places + 1) / 2 is the half of 1.
  const std::int64_t alone = places == 0 ? 0 : round % places * ((places + 1) / 2) % places;
  if (even && node == nodes - 1) return alone;
  if (node == alone) return even ? nodes - 1 : node;
  return ((round - node) % places + places) % places;
}

std::int64_t meeting_rounds(std::int64_t nodes) {
  if (nodes < 2) return 0;
  return nodes % 2 == 0 ? nodes - 1 : nodes;
}

std::vector<std::int64_t> host_by_host(const std::vector<std::int64_t>& ranks, const std::vector<int>& hosts) {
  std::map<int, std::size_t> place;  // of a host, by the lowest rank there
  for (std::size_t i = 0; i < ranks.size(); ++i) place.emplace(hosts[static_cast<std::size_t>(ranks[i])], i);
  std::vector<std::int64_t> ordered = ranks;
  std::stable_sort(ordered.begin(), ordered.end(), [&](std::int64_t a, std::int64_t b) {
    return place.at(hosts[static_cast<std::size_t>(a)]) < place.at(hosts[static_cast<std::size_t>(b)]);
  });
  return ordered;
}

Clusters split_by_groups(const Clusters& clusters, const std::vector<std::size_t>& group_of_host) {
  Clusters result;
  for (const std::vector<std::int64_t>& cluster : clusters) {
    std::map<std::size_t, std::vector<std::int64_t>> parts;
    for (const std::int64_t host : cluster) parts[group_of_host[static_cast<std::size_t>(host)]].push_back(host);
    for (auto& [group, hosts] : parts) result.push_back(std::move(hosts));
  }
  std::ranges::sort(result, {}, [](const auto& hosts) { return hosts.front(); });
  return result;
}

double typical(std::vector<double> samples) {
  SLUICE_ASSERT(!samples.empty(), "no samples");
  constexpr double kDeviations = 3 * 1.4826;
  const double middle = median(samples);
  std::vector<double> distances;
  for (const double sample : samples) distances.push_back(std::abs(sample - middle));
  const double limit = kDeviations * median(distances);
  double sum = 0;
  std::int64_t count = 0;
  for (const double sample : samples) {
    if (std::abs(sample - middle) > limit) continue;
    sum += sample;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : middle;
}

std::vector<GapTable::Point> rising(const std::vector<GapTable::Point>& points) {
  struct Pool {
    double sum;
    std::int64_t count;

    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (const GapTable::Point& point : points) {
    Pool pool{point.seconds, 1};
    while (!pools.empty() && pools.back().mean() > pool.mean()) {
      pool.sum += pools.back().sum;
      pool.count += pools.back().count;
      pools.pop_back();
    }
    pools.push_back(pool);
  }
  std::vector<GapTable::Point> result;
  for (const Pool& pool : pools)
    for (std::int64_t i = 0; i < pool.count; ++i) result.push_back({points[result.size()].bytes, pool.mean()});
  return result;
}

std::vector<GapTable::Point> measure_where_it_bends(const std::vector<std::int64_t>& sizes, std::size_t most_points,
                                                    const std::function<double(std::int64_t)>& measure) {
  constexpr double kStraight = 0.1;
  std::vector<GapTable::Point> points;
  for (const std::int64_t bytes : sizes) {
    const double seconds = measure(bytes);
    if (seconds < 0) break;
    points.push_back({bytes, seconds});
  }
  struct Span {
    GapTable::Point left;
    GapTable::Point right;
  };
  std::vector<Span> spans;
  for (std::size_t i = 1; i < points.size(); ++i) spans.push_back({points[i - 1], points[i]});
  // Coarse before fine, because the points may run out.
  for (std::size_t i = 0; i < spans.size() && points.size() < most_points; ++i) {
    const auto [left, right] = spans[i];
    if (right.bytes < 4 * left.bytes) continue;
    const auto bytes = std::llround(std::sqrt(static_cast<double>(left.bytes) * static_cast<double>(right.bytes)));
    const double seconds = measure(bytes);
    if (seconds < 0) continue;
    const GapTable::Point middle{bytes, seconds};
    points.push_back(middle);
    const double share = static_cast<double>(bytes - left.bytes) / static_cast<double>(right.bytes - left.bytes);
    const double straight = left.seconds + share * (right.seconds - left.seconds);
    if (std::abs(seconds - straight) <= kStraight * straight) continue;
    spans.push_back({left, middle});
    spans.push_back({middle, right});
  }
  std::sort(points.begin(), points.end(), [](const auto& x, const auto& y) { return x.bytes < y.bytes; });
  return points;
}

std::int64_t side_by_side(std::int64_t most, const std::function<double(std::int64_t)>& rate) {
  constexpr double kWorthTwice = 1.15;
  double first = 0;
  double largest = 0;
  for (std::int64_t count = 1; count <= most; count = std::min(2 * count, most)) {
    const double now = rate(count);
    if (count == 1) first = now;
    const bool worth = now >= kWorthTwice * largest;
    largest = std::max(largest, now);
    if (!worth || count == most) break;
  }
  if (first <= 0) return 1;
  return std::clamp<std::int64_t>(std::llround(largest / first), 1, std::max<std::int64_t>(most, 1));
}

}  // namespace sluice::mpi::detail
