/// A reduce-scatter that combines ranks in their order, runs of them first.
///
/// Problem: ranks 0 to p - 1 are combined by an operation that does not commute, and each has its own block of the
/// result in the end. Messages between groups of ranks (clusters, sites) are slower than messages inside.
/// Method: a run is as many ranks as possible that follow each other and are of one group. In every run each block is
/// combined at one rank: its owner if the run has it, otherwise a rank that stands for it. Then owners get their blocks
/// from the runs behind theirs, the nearest first, and then from the runs before. Whatever is combined is adjacent to
/// what the rank has.
/// Guarantee: a block enters its owner's run once from each other run; p (L - 1) messages inside runs of L ranks and
/// p (R - 1) between R of them.
/// Complexity: O(p^2) blocks in O(p (L + R)) messages.
/// Source: ours; the pairwise exchange inside is folklore.
///
/// Example: runs {0, 1} and {2, 3}. 1 gives 0 the blocks 0 and 2 (0 keeps block 2 for rank 2), 0 gives 1 the blocks 1
/// and 3, and 2 and 3 do likewise. Then 2 gives 0 its block, and 0 gives 2 block 2.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "plan/patterns/patterns.hpp"

namespace sluice::detail {

MessageGraph ordered_runs_reduce_scatter(const Ranks& starts, std::int64_t ranks,
                                         const std::function<ByteRange(std::int64_t)>& block) {
  const auto runs = std::ssize(starts);
  const auto begin_of = [&](std::int64_t run) { return starts[static_cast<std::size_t>(run)]; };
  const auto length_of = [&](std::int64_t run) { return (run + 1 < runs ? begin_of(run + 1) : ranks) - begin_of(run); };
  const auto run_of = [&](std::int64_t rank) { return std::ranges::upper_bound(starts, rank) - starts.begin() - 1; };
  // Who combines a block in a run: ranks of the same place stand for each other.
  const auto stands_for = [&](std::int64_t run, std::int64_t owner) {
    return begin_of(run) + (owner - begin_of(run_of(owner))) % length_of(run);
  };
  std::vector<Ranges> at(static_cast<std::size_t>(ranks));  // the blocks of one run that each of its ranks combines
  MessageGraph messages;
  const auto give = [&](std::int64_t from, std::int64_t to, const Ranges& ranges) {
    messages.add(from, to, ranges, MessageKind::kCombine);
  };
  std::int64_t longest = 0;
  for (std::int64_t run = 0; run < runs; ++run) {
    longest = std::max(longest, length_of(run));
    for (std::int64_t owner = 0; owner < ranks; ++owner)
      if (block(owner).bytes > 0) at[static_cast<std::size_t>(stands_for(run, owner))].push_back(block(owner));
  }
  // The nearest first, runs behind and then runs before, so that what a rank has is always of consecutive ranks.
  for (const int way : {1, -1})
    for (std::int64_t distance = 1; distance < longest; ++distance)
      for (std::int64_t run = 0; run < runs; ++run)
        for (std::int64_t place = 0; place < length_of(run); ++place) {
          const std::int64_t other = place + way * distance, rank = begin_of(run) + place;
          if (other >= 0 && other < length_of(run))
            give(begin_of(run) + other, rank, at[static_cast<std::size_t>(rank)]);
        }
  for (const int way : {1, -1})
    for (std::int64_t distance = 1; distance < runs; ++distance)
      for (std::int64_t owner = 0; owner < ranks; ++owner) {
        const std::int64_t other = run_of(owner) + way * distance;
        if (other >= 0 && other < runs && block(owner).bytes > 0) give(stands_for(other, owner), owner, {block(owner)});
      }
  return messages;
}

}  // namespace sluice::detail
