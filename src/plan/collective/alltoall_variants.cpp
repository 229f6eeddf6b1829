/// Alltoalls, by patterns.

#include <cstddef>
#include <utility>

#include "plan/collective/variant_parts.hpp"
#include "plan/collective/variants.hpp"

namespace sluice::detail {

namespace {

Cell cell_of(const ProgramTask& task) {
  return [&task](std::size_t from, std::size_t to) {
    return Ranges{block_of(task.shape, task.order[from], task.order[to])};
  };
}

}  // namespace

Variants pairwise_alltoall_variants(const ProgramTask& task) {
  ProgramVariant variant{"pairwise", [&task] { return pairwise_alltoall(task.order, cell_of(task)); }};
  variant.exactly = one_of_each_pair(task);
  return {std::move(variant)};
}

Variants bruck_alltoall_variants(const ProgramTask& task) {
  return {{"bruck", [&task] { return bruck_alltoall(task.order, cell_of(task)); }}};
}

Variants hierarchical_alltoall_variants(const ProgramTask& task) {
  Variants variants = variants_by_levels(task, "", [](const ProgramTask& of, const Groups& groups) {
    return grouped_alltoall(groups, [&of](std::int64_t from, std::int64_t to) { return block_of(of.shape, from, to); });
  });
  for (std::size_t level = 0; level < variants.size(); ++level)
    variants[level].exactly = one_of_each_pair_in_groups(task, task.groups[level]);
  return variants;
}

}  // namespace sluice::detail
