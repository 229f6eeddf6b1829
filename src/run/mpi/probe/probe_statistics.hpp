#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sluice/input/clustering.hpp"
#include "sluice/input/platform.hpp"

/// What probing computes from measurements; no MPI here.
namespace sluice::mpi::detail {

/// Sizes of messages that are measured wherever there is the time for it, in bytes.
inline constexpr std::array<std::int64_t, 7> kProbedSizes{1, 1 << 10, 8 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20};

/// The node that `node` meets in `round`, so that each of `nodes` meets every other one in one of the rounds 0 to
/// meeting_rounds - 1; `node` itself if there is none.
///
/// The circle method: with an odd number of places p, nodes i and j meet in round r if i + j = r (mod p). The node that
/// would meet itself there meets the last one, if their number is even.
[[nodiscard]] std::int64_t partner(std::int64_t node, std::int64_t round, std::int64_t nodes);
[[nodiscard]] std::int64_t meeting_rounds(std::int64_t nodes);

/// `ranks` host by host: hosts in the order of their first ranks, ranks of a host in their given order. So if each rank
/// sends to the next one, only one message leaves each host. `hosts` has a number for every rank that tells its host.
[[nodiscard]] std::vector<std::int64_t> host_by_host(const std::vector<std::int64_t>& ranks,
                                                     const std::vector<int>& hosts);

/// Clusters of hosts that are together in both: in `clusters`, and in the group that each host has in `group_of_host`.
/// In the order of their first hosts.
[[nodiscard]] Clusters split_by_groups(const Clusters& clusters, const std::vector<std::size_t>& group_of_host);

/// The mean of the samples that are no outliers: within 3 standard deviations of the median. The deviation is estimated
/// by the median of the distances from it (times 1.4826, as for a normal distribution). O(samples log samples).
/// @pre at least one sample
[[nodiscard]] double typical(std::vector<double> samples);

/// The nearest times that do not fall as sizes rise, by least squares: neighbours that do fall take their mean (pool
/// adjacent violators). Points in the order of their sizes. O(points).
[[nodiscard]] std::vector<GapTable::Point> rising(const std::vector<GapTable::Point>& points);

/// g(m) at `sizes`, which rise, and between them where it bends. Two sizes have a straight line between them. If the
/// time at their geometric mean differs from it by more than 10 %, both halves are examined again, down to sizes a
/// factor of 2 apart. At most `most_points`.
///
/// `measure` returns the time for a size; less than 0 ends the measurements of that size and of what would follow it in
/// its part. At a size of `sizes`, that ends the list.
[[nodiscard]] std::vector<GapTable::Point> measure_where_it_bends(const std::vector<std::int64_t>& sizes,
                                                                  std::size_t most_points,
                                                                  const std::function<double(std::int64_t)>& measure);

/// Tries 1, 2, 4, ... and `most` at last, until `rate` grows by less than 15 %. Returns the ratio of the largest rate
/// to the first, rounded, 1 to `most`.
[[nodiscard]] std::int64_t side_by_side(std::int64_t most, const std::function<double(std::int64_t)>& rate);

}  // namespace sluice::mpi::detail
