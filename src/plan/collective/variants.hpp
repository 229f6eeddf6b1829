#pragma once

#include "plan/collective/registry.hpp"

/// The makers of variants that the table of programs lists (registry.cpp), by their source files. All throw InputError
/// if they do not apply. Variants refer to the task, which must outlive them.
namespace sluice::detail {

using Variants = std::vector<ProgramVariant>;
using VariantMaker = Variants (*)(const ProgramTask&);

// ---- scatter_variants.cpp: scatter, and gather the other way round

[[nodiscard]] Variants flat_scatter_variants(const ProgramTask& task);
[[nodiscard]] Variants binomial_scatter_variants(const ProgramTask& task);
[[nodiscard]] Variants hierarchical_scatter_variants(const ProgramTask& task);

// ---- relayed_variants.cpp: scatter, gather and alltoall

[[nodiscard]] Variants relayed_variants(const ProgramTask& task);

// ---- broadcast_variants.cpp: broadcast, and reduce the other way round

[[nodiscard]] Variants binomial_broadcast_variants(const ProgramTask& task);
[[nodiscard]] Variants chain_broadcast_variants(const ProgramTask& task);
[[nodiscard]] Variants circulant_broadcast_variants(const ProgramTask& task);
[[nodiscard]] Variants scatter_allgather_variants(const ProgramTask& task);
/// Reduce alone.
[[nodiscard]] Variants neighbours_first_variants(const ProgramTask& task);

// ---- planned_broadcast_variants.cpp: broadcasts planned over the platform, and what is made of them

/// Reduce.
[[nodiscard]] Variants reversed_broadcast_variants(const ProgramTask& task);
/// Scatter.
[[nodiscard]] Variants broadcast_of_all_variants(const ProgramTask& task);
/// Gather.
[[nodiscard]] Variants reversed_broadcast_of_all_variants(const ProgramTask& task);
/// Allreduce.
[[nodiscard]] Variants reduce_broadcast_variants(const ProgramTask& task);
/// Allgather.
[[nodiscard]] Variants gather_broadcast_variants(const ProgramTask& task);

// ---- allgather_variants.cpp: allgather, and reduce-scatter the other way round

[[nodiscard]] Variants ring_allgather_variants(const ProgramTask& task);
[[nodiscard]] Variants bruck_allgather_variants(const ProgramTask& task);
[[nodiscard]] Variants circulant_allgather_variants(const ProgramTask& task);
[[nodiscard]] Variants recursive_doubling_allgather_variants(const ProgramTask& task);
[[nodiscard]] Variants pairwise_allgather_variants(const ProgramTask& task);
[[nodiscard]] Variants hierarchical_allgather_variants(const ProgramTask& task);
/// Reduce-scatter alone.
[[nodiscard]] Variants binomial_reduce_scatter_variants(const ProgramTask& task);

// ---- allreduce_variants.cpp

[[nodiscard]] Variants ring_allreduce_variants(const ProgramTask& task);
[[nodiscard]] Variants circulant_allreduce_variants(const ProgramTask& task);
[[nodiscard]] Variants recursive_halving_allreduce_variants(const ProgramTask& task);
[[nodiscard]] Variants binomial_allreduce_variants(const ProgramTask& task);
[[nodiscard]] Variants chain_allreduce_variants(const ProgramTask& task);
[[nodiscard]] Variants hierarchical_allreduce_variants(const ProgramTask& task);
[[nodiscard]] Variants pairwise_allreduce_variants(const ProgramTask& task);
[[nodiscard]] Variants recursive_doubling_allreduce_variants(const ProgramTask& task);
[[nodiscard]] Variants grouped_exchange_variants(const ProgramTask& task);
[[nodiscard]] Variants grouped_pipeline_variants(const ProgramTask& task);

// ---- equal_work_variants.cpp: reduce, reduce-scatter and allreduce

[[nodiscard]] Variants equal_work_variants(const ProgramTask& task);

// ---- ordered_variants.cpp

/// Reduce and allreduce.
[[nodiscard]] Variants ordered_tree_variants(const ProgramTask& task);
/// Reduce-scatter and allreduce.
[[nodiscard]] Variants ordered_runs_variants(const ProgramTask& task);

// ---- derived_variants.cpp: made of the variants of another problem

/// Reduce and reduce-scatter, of allreduces.
[[nodiscard]] Variants grouped_exchange_part_variants(const ProgramTask& task);
[[nodiscard]] Variants grouped_pipeline_part_variants(const ProgramTask& task);
/// Allgather, of reduce-scatters.
[[nodiscard]] Variants grouped_exchange_allgather_variants(const ProgramTask& task);
[[nodiscard]] Variants grouped_pipeline_allgather_variants(const ProgramTask& task);
[[nodiscard]] Variants equal_work_allgather_variants(const ProgramTask& task);
/// Reduce, of reduce-scatters.
[[nodiscard]] Variants reduce_scatter_gather_variants(const ProgramTask& task);

// ---- alltoall_variants.cpp

[[nodiscard]] Variants pairwise_alltoall_variants(const ProgramTask& task);
[[nodiscard]] Variants bruck_alltoall_variants(const ProgramTask& task);
[[nodiscard]] Variants hierarchical_alltoall_variants(const ProgramTask& task);

}  // namespace sluice::detail
