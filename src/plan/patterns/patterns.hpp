#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schedule/message_graph.hpp"

/// The patterns that programs are made of, each over some ranks in an order. Every pattern has a file, which says what
/// it is, what it costs, and where it is from. Problems that combine or gather are reversed problems that spread.
///
/// Costs are given in the model of rounds: in each, a rank sends one message and receives one. p ranks, m bytes,
/// q = ceil(log2 p).
namespace sluice::detail {

using Ranks = std::vector<std::int64_t>;
using Ranges = std::vector<ByteRange>;
/// What each of some ranks has, by its position among them.
using RangeSets = std::vector<Ranges>;

// ---- one rank, the first, has all

/// Everything to everybody.
[[nodiscard]] MessageGraph binomial_broadcast(const Ranks& ranks, const Ranges& all);
[[nodiscard]] MessageGraph chain_broadcast(const Ranks& ranks, const Ranges& segments);
[[nodiscard]] MessageGraph circulant_broadcast(const Ranks& ranks, const Ranges& segments);
/// Only the messages of `position`; ranks are positions: O(segments + log^2 ranks) time.
[[nodiscard]] MessageGraph circulant_broadcast_of(std::int64_t position, std::int64_t ranks, const Ranges& segments);
[[nodiscard]] MessageGraph scatter_allgather_broadcast(const Ranks& ranks, const ByteRange& all,
                                                       std::int64_t element_bytes);
/// Each rank gets its set.
[[nodiscard]] MessageGraph flat_scatter(const Ranks& ranks, const RangeSets& sets);
[[nodiscard]] MessageGraph binomial_scatter(const Ranks& ranks, const RangeSets& sets);

// ---- everybody has a set, all shall have all; every rank receives each set once

[[nodiscard]] MessageGraph ring_allgather(const Ranks& ranks, const RangeSets& sets);
/// Like ring_allgather, in messages of at most `most_bytes`, for sets of different sizes.
[[nodiscard]] MessageGraph ring_allgather_by_pieces(const Ranks& ranks, const RangeSets& sets, std::int64_t most_bytes);
[[nodiscard]] MessageGraph pairwise_allgather(const Ranks& ranks, const RangeSets& sets);
[[nodiscard]] MessageGraph bruck_allgather(const Ranks& ranks, const RangeSets& sets);
[[nodiscard]] MessageGraph circulant_allgather(const Ranks& ranks, const RangeSets& sets);
/// For a power of two of ranks.
[[nodiscard]] MessageGraph recursive_doubling_allgather(const Ranks& ranks, const RangeSets& sets);

/// Throws InputError if a message for each set to all others would be too many.
void check_all_to_all(const RangeSets& sets);

/// Rank i of the ranks has what it gets for what it sends: `skips` rise from 1 to the number of ranks, each at most
/// twice the previous one.
[[nodiscard]] MessageGraph allgather_by_skips(const Ranks& ranks, const RangeSets& sets,
                                              const std::vector<std::int64_t>& skips);
/// p, its half (rounded up), and so on down to 1, by rising size.
[[nodiscard]] std::vector<std::int64_t> circulant_skips(std::int64_t ranks);

// ---- everybody has something for everybody

/// The bytes that one position has for another.
using Cell = std::function<Ranges(std::size_t from, std::size_t to)>;
[[nodiscard]] MessageGraph pairwise_alltoall(const Ranks& ranks, const Cell& cell);
/// Adds those messages to `messages`.
void add_pairwise_alltoall(MessageGraph& messages, const Ranks& ranks, const Cell& cell);
[[nodiscard]] MessageGraph bruck_alltoall(const Ranks& ranks, const Cell& cell);

// ---- everybody has its version of all, to be combined for all

/// Keeps the order of the ranks.
[[nodiscard]] MessageGraph recursive_doubling_allreduce(const Ranks& ranks, const ByteRange& all);

/// For `root`, one of the ranks.
[[nodiscard]] MessageGraph neighbours_first_reduce(const Ranks& ranks, std::int64_t root, const ByteRange& all,
                                                   std::int64_t element_bytes);

// ---- ranks in their order

/// How items next to each other are joined.
enum class LineTree : std::uint8_t { kFlat, kChain, kBinomial };
/// Trees over ranks 0, 1, 2, ... and runs of them.
struct OrderedTrees {
  /// For each level, from the outermost on, the first ranks of its runs. Every run of a level ends where one of the
  /// next level ends.
  std::vector<Ranks> runs;
  LineTree between = LineTree::kFlat;  ///< runs
  LineTree inside = LineTree::kFlat;   ///< innermost runs
  std::int64_t shares = 1;             ///< of the array, each with leaders of its own
};
/// The rank of a run from `begin` up to, but not including, `end` where it is joined.
[[nodiscard]] std::int64_t leader_of_run(const OrderedTrees& trees, std::int64_t begin, std::int64_t end,
                                         std::int64_t share);
/// From `leader` to all `ranks`. Reversed, it combines ranks in their order.
[[nodiscard]] MessageGraph ordered_tree_broadcast(const OrderedTrees& trees, std::int64_t ranks, std::int64_t leader,
                                                  std::int64_t share, const Ranges& ranges);

/// Over all `ranks`, in runs that begin with `starts`.
[[nodiscard]] MessageGraph ordered_runs_reduce_scatter(const Ranks& starts, std::int64_t ranks,
                                                       const std::function<ByteRange(std::int64_t)>& block);

// ---- groups of ranks, with messages between groups that are slower than inside

using Groups = std::vector<Ranks>;
using Allgather = std::function<MessageGraph(const Ranks&, const RangeSets&)>;

[[nodiscard]] MessageGraph grouped_scatter(const Groups& groups, const std::function<ByteRange(std::int64_t)>& block);
[[nodiscard]] MessageGraph grouped_allgather(const Groups& groups, const std::function<ByteRange(std::int64_t)>& block,
                                             const Allgather& inside);
/// For blocks of different sizes: all ranks of a group send as much, whole elements, to other groups.
[[nodiscard]] MessageGraph grouped_allgather_by_shares(const Groups& groups,
                                                       const std::function<ByteRange(std::int64_t)>& block,
                                                       const Allgather& inside, std::int64_t element_bytes);
/// Whether at most two groups have a single rank, which grouped_allreduce requires.
[[nodiscard]] bool can_be_collected(const Groups& groups);
[[nodiscard]] MessageGraph grouped_allreduce(const Groups& groups, const Ranges& shares, const Allgather& inside);
/// In segments, each given by its shares. Groups combine, send and gather several segments at the same time.
/// `parts_of_groups`: groups are given by their parts. The last `exchanged` segments go between groups by one latency;
/// then each group has several ranks.
[[nodiscard]] MessageGraph pipelined_allreduce(const std::vector<Groups>& parts_of_groups,
                                               const std::vector<Ranges>& segments, std::size_t exchanged);
[[nodiscard]] MessageGraph grouped_alltoall(const Groups& groups,
                                            const std::function<ByteRange(std::int64_t, std::int64_t)>& cell);

}  // namespace sluice::detail
