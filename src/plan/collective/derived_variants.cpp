/// Programs made of the variants of another problem.

#include <memory>
#include <utility>

#include "plan/collective/variant_parts.hpp"
#include "plan/collective/variants.hpp"

namespace sluice::detail {

namespace {

/// `task` with another problem, on the same platform and groups.
std::shared_ptr<ProgramTask> with_problem(const ProgramTask& task, Collective problem) {
  auto other = std::make_shared<ProgramTask>(task);
  other->shape.problem = problem;
  return other;
}

/// The needed part of each variant of an allreduce, for reductions of its array.
Variants needed_of_allreduce(const ProgramTask& task, VariantMaker make_variants) {
  const std::shared_ptr<const ProgramTask> other = with_problem(task, Collective::kAllreduce);
  Variants result = make_variants(*other);
  for (ProgramVariant& variant : result)
    variant.make = [&task, other, make = std::move(variant.make)] { return make().needed_for(task.shape); };
  return result;
}

/// Reduce-scatters of the blocks of an allgather, reversed.
Variants mirrored_reduce_scatter(const ProgramTask& task, VariantMaker make_variants) {
  const std::shared_ptr<ProgramTask> there = with_problem(task, Collective::kReduceScatter);
  there->shape.size_bytes = array_bytes(task.shape);
  there->shape.commutative = true;
  Variants result = make_variants(*there);
  for (ProgramVariant& variant : result) {
    variant.make = [there, make = std::move(variant.make)] { return make().reversed(MessageKind::kKeep); };
  }
  return result;
}

}  // namespace

Variants grouped_exchange_part_variants(const ProgramTask& task) {
  return needed_of_allreduce(task, grouped_exchange_variants);
}
Variants grouped_pipeline_part_variants(const ProgramTask& task) {
  return needed_of_allreduce(task, grouped_pipeline_variants);
}
Variants grouped_exchange_allgather_variants(const ProgramTask& task) {
  return mirrored_reduce_scatter(task, grouped_exchange_part_variants);
}
Variants grouped_pipeline_allgather_variants(const ProgramTask& task) {
  return mirrored_reduce_scatter(task, grouped_pipeline_part_variants);
}
Variants equal_work_allgather_variants(const ProgramTask& task) {
  return mirrored_reduce_scatter(task, equal_work_variants);
}

/// The root combines only its share, as all other ranks do.
Variants reduce_scatter_gather_variants(const ProgramTask& task) {
  const std::shared_ptr<const ProgramTask> shares = with_problem(task, Collective::kReduceScatter);
  Variants result;
  const auto offer = [&](Variants variants) {
    for (ProgramVariant& variant : variants) {
      result.push_back({"reduce-scatter-gather, " + variant.name, [shares, make = std::move(variant.make)] {
                          MessageGraph messages = make();
                          messages.append(flat_gather(*shares, shares->shape.root));
                          return messages;
                        }});
      result.back().messages = all_pairs(task);
    }
  };
  if (!task.groups.empty()) offer(hierarchical_allgather_variants(*shares));
  if (has_runs(task)) offer(ordered_runs_variants(*shares));
  if (task.shape.commutative) {
    offer(circulant_allgather_variants(*shares));
    offer(ring_allgather_variants(*shares));
  }
  offer(pairwise_allgather_variants(*shares));
  return result;
}

}  // namespace sluice::detail
