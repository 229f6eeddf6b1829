/// Scatters, and reversed ones: gathers.

#include "plan/collective/variant_parts.hpp"
#include "plan/collective/variants.hpp"

namespace sluice::detail {

Variants flat_scatter_variants(const ProgramTask& task) {
  return one_variant(task, "flat", [&task] { return flat_scatter(task.order, task.blocks()); });
}

Variants binomial_scatter_variants(const ProgramTask& task) {
  return one_variant(task, "binomial", [&task] { return binomial_scatter(task.order, task.blocks()); });
}

Variants hierarchical_scatter_variants(const ProgramTask& task) {
  return variants_by_levels(task, "", [](const ProgramTask& of, const Groups& groups) {
    return grouped_scatter(groups, [&of](std::int64_t rank) { return of.block(rank); });
  });
}

}  // namespace sluice::detail
