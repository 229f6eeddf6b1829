#include "run/mpi/reduce/platform_reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "run/mpi/runtime/planned_part.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"

namespace sluice::mpi::detail {

void check_platform_for(const ReductionOptions& options, int ranks, bool of_objects, bool commutative) {
  const auto refuse = [](const char* found, const char* expected) { throw InputError("platform", found, expected); };
  check_platform(*options.platform, "platform");
  if (options.platform->ranks != ranks)
    throw InputError("platform", fmt::format("{} ranks", options.platform->ranks),
                     fmt::format("the {} there are", ranks));
  if (of_objects) refuse("a reduction of objects", "elements, which can be cut");
  if (!commutative) refuse("an operation that does not commute", "one that does");
  if (options.measure || options.costs) refuse("costs, or to measure them", "either");
  if (options.dynamic) refuse("dynamic", "the order of the plan");
}

PlannedReduction plan_over_platform(Channel& channel, const Platform& platform, const ReductionOptions& options,
                                    int root, std::int64_t elements, std::int64_t element_bytes) {
  // Elements of no bytes are as any others to a plan.
  const std::int64_t bytes = std::max<std::int64_t>(1, element_bytes);
  const auto plan_all = [&] {
    sluice::BroadcastOptions how;
    how.algorithm = options.algorithm;
    how.segments = options.segments.value_or(0);
    const ReversedPlan plan = plan_reversed_broadcast(platform, root, elements, bytes, how);
    std::vector<PlannedReduction> all;
    for (ProgramPart& part : parts_of(plan.program, plan.pace)) all.push_back({std::move(part), plan.program.length_s});
    return all;
  };
  PlannedReduction own = planned_part<PlannedReduction>(channel, plan_all, [](auto& numbers, PlannedReduction& each) {
    numbers(each.part.shape.algorithm, each.length_s);
    kPartFields(numbers, each.part);
  });
  Program& shape = own.part.shape;
  shape.problem = Collective::kReduce;
  shape.ranks = channel.size();
  shape.size_bytes = elements * bytes;
  shape.root = root;
  shape.element_bytes = bytes;
  return own;
}

}  // namespace sluice::mpi::detail
