/// Broadcasts by patterns, and reversed ones: reductions.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "plan/collective/variant_parts.hpp"
#include "plan/collective/variants.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

Variants variants_by_segments(const ProgramTask& task, const char* name,
                              const std::function<MessageGraph(const Ranks&, const Ranges&)>& spread) {
  Variants variants;
  const std::int64_t most = std::max<std::int64_t>(1, task.shape.size_bytes / task.shape.element_bytes);
  std::vector<std::int64_t> counts{1, 4, 16, 64, 256};
  if (task.segments > 0) counts = {task.segments};
  std::int64_t before = 0;
  for (const std::int64_t wanted : counts) {
    const std::int64_t count = std::min(wanted, most);
    if (count == before) continue;
    before = count;
    Variants each = one_variant(
        task, count == 1 ? std::string(name) : fmt::format("{}, {}", name, count_text(count, "segment")),
        [&task, count, spread] { return spread(task.order, cut(task.all(), count, task.shape.element_bytes)); });
    each.front().messages = count * (task.shape.ranks - 1);
    variants.push_back(std::move(each.front()));
  }
  return variants;
}

/// If the order counts, what the first rank has in the end goes to the root.
Variants to_root(const ProgramTask& task, Variants variants) {
  const std::int64_t first = task.order.front(), root = task.shape.root;
  if (task.shape.problem != Collective::kReduce || first == root) return variants;
  for (ProgramVariant& variant : variants) {
    variant.make = [make = std::move(variant.make), first, root, all = task.all()] {
      MessageGraph messages = make();
      messages.add(first, root, all);
      return messages;
    };
    if (variant.exactly) ++*variant.exactly;
  }
  return variants;
}

}  // namespace

Variants binomial_broadcast_variants(const ProgramTask& task) {
  return to_root(task, one_variant(task, "binomial", [&task] { return binomial_broadcast(task.order, {task.all()}); }));
}

Variants chain_broadcast_variants(const ProgramTask& task) {
  Variants variants = variants_by_segments(task, "chain", chain_broadcast);
  for (ProgramVariant& variant : variants)
    if (task.shape.size_bytes > 0) variant.exactly = variant.messages;
  return to_root(task, std::move(variants));
}

Variants circulant_broadcast_variants(const ProgramTask& task) {
  return variants_by_segments(task, "circulant", circulant_broadcast);
}

Variants scatter_allgather_variants(const ProgramTask& task) {
  Variants variants = one_variant(task, "scatter-allgather", [&task] {
    return scatter_allgather_broadcast(task.order, task.all(), task.shape.element_bytes);
  });
  variants.front().messages = all_pairs(task);
  return variants;
}

Variants neighbours_first_variants(const ProgramTask& task) {
  Ranks ranks = task.order;
  if (task.groups.empty()) std::ranges::sort(ranks);  // the root need not be the first
  Variants variants{{"neighbours-first", [&task, ranks = std::move(ranks)] {
                       return neighbours_first_reduce(ranks, task.shape.root, task.all(), task.shape.element_bytes);
                     }}};
  const std::int64_t rounds = std::bit_width(static_cast<std::uint64_t>(task.shape.ranks - 1));
  variants.front().messages = task.shape.ranks * (rounds + 1);
  return variants;
}

}  // namespace sluice::detail
