/// Reductions that let all ranks combine for equally long: shares of the array by their speeds.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "plan/collective/variant_parts.hpp"
#include "plan/collective/variants.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

/// How many bytes each rank combines while the fastest combines one. If some ranks combine for nothing, others have 0.
std::vector<double> combining_speeds(const ProgramTask& task) {
  const CombiningCosts& costs = task.shape.combine_s_per_byte;
  const double least = costs.least();
  std::vector<double> speeds;
  for (std::int64_t rank = 0; rank < task.shape.ranks; ++rank)
    speeds.push_back(costs.of(rank) > least ? least / costs.of(rank) : 1);
  return speeds;
}

/// `task` with shares of the array in proportion to `weights`, rounded to whole elements. Equal shares if all ranks
/// combine at one speed. @pre not all weights are 0
std::shared_ptr<const ProgramTask> with_shares(const ProgramTask& task, const std::vector<double>& weights) {
  auto other = std::make_shared<ProgramTask>(task);
  std::vector<std::int64_t>& offsets = other->shape.block_offsets;
  offsets.clear();
  if (!task.shape.combine_s_per_byte.differ()) return other;
  const std::int64_t element = task.shape.element_bytes, elements = array_bytes(task.shape) / element;
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  offsets.push_back(0);
  double before = 0;
  for (const double weight : weights) {
    before += weight;
    const auto end = static_cast<std::int64_t>(std::llround(before / all * static_cast<double>(elements)));
    offsets.push_back(std::clamp(end, offsets.back() / element, elements) * element);
  }
  offsets.back() = elements * element;
  return other;
}

/// In a group a rank combines its own share and the shares of its counterparts, which it then combines with what the
/// counterparts have. So the shares of counterparts, together, match the speed of the slowest counterpart that has
/// others in its group. The ranks of each group are in the order of their speeds, so that slow ranks are counterparts
/// of slow ones.
std::shared_ptr<const ProgramTask> with_shares_of_counterparts(const ProgramTask& task, const Groups& groups) {
  const std::vector<double> speeds = combining_speeds(task);
  const auto speed = [&](std::int64_t rank) { return speeds[static_cast<std::size_t>(rank)]; };
  std::vector<double> weights(speeds.size(), 0);
  const std::size_t largest = std::ranges::max(groups, {}, &Ranks::size).size();
  for (std::size_t place = 0; place < largest; ++place) {
    double slowest = 1, all = 0;
    for (const Ranks& group : groups) {
      if (group.size() > 1) slowest = std::min(slowest, speed(group[place % group.size()]));
      if (place < group.size()) all += speed(group[place]);
    }
    for (const Ranks& group : groups)
      if (place < group.size() && all > 0)
        weights[static_cast<std::size_t>(group[place])] = slowest * speed(group[place]) / all;
  }
  const bool none = std::ranges::all_of(weights, [](double weight) { return weight == 0; });
  return with_shares(task, none ? speeds : weights);
}

/// For the pairwise way: each share goes to its rank from all others, and from there to the ranks that need some of it.
std::int64_t messages_of_equal_work(const ProgramTask& task, const ProgramTask& shares) {
  std::int64_t count = 0;
  const std::int64_t p = task.shape.ranks;
  for (std::int64_t owner = 0, first = 0; owner < p; ++owner) {
    const ByteRange share = shares.block(owner);
    if (share.bytes == 0) continue;
    count += p - 1;
    if (task.shape.problem == Collective::kAllreduce) count += p - 1;
    if (task.shape.problem == Collective::kReduce && owner != task.shape.root) ++count;
    if (task.shape.problem != Collective::kReduceScatter) continue;
    while (first < p && task.block(first).end() <= share.offset) ++first;
    for (std::int64_t rank = first; rank < p && task.block(rank).offset < share.end(); ++rank)
      if (rank != owner && task.block(rank).bytes > 0) ++count;
  }
  return count;
}

}  // namespace

/// Every rank combines its share, from all others, for as long as the others combine theirs. It takes it from each rank
/// or, if ranks differ, from the ranks of its group first.
Variants equal_work_variants(const ProgramTask& task) {
  const CombiningCosts& costs = task.shape.combine_s_per_byte;
  const std::shared_ptr<const ProgramTask> pairwise_shares = with_shares(task, combining_speeds(task));
  Variants variants{{"equal-work, pairwise", [&task, shares = pairwise_shares] {
                       MessageGraph back = pairwise_allgather(shares->order, shares->blocks());
                       if (task.shape.commutative) return there_and_back(std::move(back)).needed_for(task.shape);
                       MessageGraph there = ordered_reduce_scatter(*shares);
                       there.append(std::move(back));
                       return there.needed_for(task.shape);
                     }}};
  variants.front().messages = messages_of_equal_work(task, *pairwise_shares);
  variants.front().exactly = variants.front().messages;
  // If shares are the blocks, "pairwise" makes the same program.
  variants.front().duplicate_of_other_algorithm = task.shape.commutative && task.shape.problem != Collective::kReduce &&
                                                  !costs.differ() && task.shape.block_offsets.empty();
  if (!task.shape.commutative || !costs.differ()) return variants;
  for (Groups groups : task.groups) {
    for (Ranks& group : groups) std::ranges::stable_sort(group, {}, [&](std::int64_t rank) { return costs.of(rank); });
    const std::int64_t messages = one_of_each_pair_in_groups(task, groups).value_or(all_pairs(task));
    std::string name = fmt::format("equal-work, {}", count_text(groups.size(), "group"));
    const std::shared_ptr<const ProgramTask> shares = with_shares_of_counterparts(task, groups);
    variants.push_back({std::move(name), [&task, shares, groups] {
                          MessageGraph back = grouped_allgather(
                              groups, [&](std::int64_t rank) { return shares->block(rank); }, pairwise_allgather);
                          return there_and_back(std::move(back)).needed_for(task.shape);
                        }});
    variants.back().messages = 2 * messages;
  }
  return variants;
}

}  // namespace sluice::detail
