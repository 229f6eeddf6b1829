/// Allgathers, and reversed ones: reduce-scatters.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "plan/collective/variant_parts.hpp"
#include "plan/collective/variants.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

template <MessageGraph (*kSpread)(const Ranks&, const RangeSets&)>
Variants allgather_variants(const ProgramTask& task, const char* name) {
  return one_variant(task, name, [&task] { return kSpread(task.order, task.blocks()); });
}

/// In whole elements, at least one.
std::int64_t mean_block(const ProgramTask& task) {
  const std::int64_t elements = array_bytes(task.shape) / task.shape.element_bytes;
  return std::max<std::int64_t>(1, elements / task.shape.ranks) * task.shape.element_bytes;
}

void need_power_of_two(const ProgramTask& task) {
  const std::int64_t p = task.shape.ranks;
  if ((p & (p - 1)) != 0) throw InputError("ranks", fmt::format("{}", p), "a power of two");
}

/// Shares of an array, by ranks, if a rank's share may be any part of it. Counterparts have adjacent shares, so that
/// what their groups forward is one range.
Ranges shares_by_place(const ProgramTask& task, const Groups& groups) {
  const Ranges parts = cut(task.all(), task.shape.ranks, task.shape.element_bytes);
  Ranges shares(static_cast<std::size_t>(task.shape.ranks));
  auto part = parts.begin();
  const std::size_t largest = std::ranges::max(groups, {}, &Ranks::size).size();
  for (std::size_t place = 0; place < largest; ++place)
    for (const Ranks& group : groups)
      if (place < group.size() && part != parts.end()) shares[static_cast<std::size_t>(group[place])] = *part++;
  return shares;
}

MessageGraph grouped_by(const ProgramTask& task, const Groups& groups, const Allgather& inside) {
  const bool any_shares = task.shape.problem == Collective::kAllreduce;
  const Ranges shares = any_shares ? shares_by_place(task, groups) : Ranges();
  return grouped_allgather(
      groups, [&](std::int64_t rank) { return any_shares ? shares[static_cast<std::size_t>(rank)] : task.block(rank); },
      inside);
}

}  // namespace

/// If blocks differ, no rank should hold up the ring with a long one: it goes in pieces as long as the mean block, or a
/// quarter of it.
Variants ring_allgather_variants(const ProgramTask& task) {
  Variants variants = allgather_variants<ring_allgather>(task, "ring");
  variants.front().exactly = one_of_each_pair(task);
  if (task.shape.block_offsets.empty()) return variants;
  const std::int64_t elements = mean_block(task) / task.shape.element_bytes;
  std::int64_t before = 0;
  for (const std::int64_t parts : {1, 4}) {
    const std::int64_t piece = std::max<std::int64_t>(1, elements / parts) * task.shape.element_bytes;
    if (piece == before) continue;
    before = piece;
    Variants more = one_variant(task, fmt::format("ring, pieces of {}", count_text(piece, "byte")),
                                [&task, piece] { return ring_allgather_by_pieces(task.order, task.blocks(), piece); });
    variants.push_back(std::move(more.front()));
  }
  return variants;
}

Variants bruck_allgather_variants(const ProgramTask& task) {
  return allgather_variants<bruck_allgather>(task, "bruck");
}
Variants circulant_allgather_variants(const ProgramTask& task) {
  return allgather_variants<circulant_allgather>(task, "circulant");
}

Variants recursive_doubling_allgather_variants(const ProgramTask& task) {
  need_power_of_two(task);
  return allgather_variants<recursive_doubling_allgather>(
      task, task.shape.problem == Collective::kAllgather ? "recursive-doubling" : "recursive-halving");
}

Variants pairwise_allgather_variants(const ProgramTask& task) {
  if (!task.shape.commutative) return {{"pairwise", [&task] { return ordered_reduce_scatter(task); }}};
  Variants variants = allgather_variants<pairwise_allgather>(task, "pairwise");
  variants.front().exactly = one_of_each_pair(task);
  return variants;
}

Variants hierarchical_allgather_variants(const ProgramTask& task) {
  Variants variants = variants_by_levels(task, ", ring inside", [](const ProgramTask& of, const Groups& groups) {
    return grouped_by(of, groups, ring_allgather);
  });
  for (std::size_t level = 0; level < variants.size(); ++level)
    variants[level].exactly = one_of_each_pair_in_groups(task, task.groups[level]);
  Variants more = variants_by_levels(task, ", circulant inside", [](const ProgramTask& of, const Groups& groups) {
    return grouped_by(of, groups, circulant_allgather);
  });
  variants.insert(variants.end(), more.begin(), more.end());
  if (task.shape.block_offsets.empty()) return variants;
  more = variants_by_levels(task, ", by shares, ring inside", [](const ProgramTask& of, const Groups& groups) {
    const Allgather pieces = [&of](const Ranks& ranks, const RangeSets& sets) {
      return ring_allgather_by_pieces(ranks, sets, mean_block(of));
    };
    return grouped_allgather_by_shares(
        groups, [&of](std::int64_t rank) { return of.block(rank); }, pieces, of.shape.element_bytes);
  });
  variants.insert(variants.end(), more.begin(), more.end());
  return variants;
}

/// A reduction to one rank, and a scatter from there.
Variants binomial_reduce_scatter_variants(const ProgramTask& task) {
  return {{"binomial", [&task] {
             MessageGraph messages = binomial_broadcast(task.order, {task.all()}).reversed(MessageKind::kCombine);
             messages.append(binomial_scatter(task.order, task.blocks()));
             return messages;
           }}};
}

}  // namespace sluice::detail
