#include "run/mpi/collective/planned_reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "run/mpi/collective/collective_plan.hpp"
#include "run/mpi/collective/given_program.hpp"
#include "run/mpi/runtime/planned_part.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/tree_program.hpp"
#include "sluice/timing/program_replay.hpp"

namespace sluice::mpi::detail {

namespace {

/// `plan_all()`: the parts of all ranks, on rank 0.
template <class PlanAll>
PlannedReduction planned_for_all(Channel& channel, PlanAll plan_all, bool may_take_long = false) {
  const auto all_fields = [](auto& numbers, PlannedReduction& each) {
    numbers(each.method, each.length_s);
    fields(numbers, each.part);
  };
  return planned_part<PlannedReduction>(channel, plan_all, all_fields, may_take_long);
}

std::vector<PlannedReduction> parts_of_all(const Program& program) {
  std::vector<PlannedReduction> all;
  for (OwnPart& part : sluice::detail::cut(program))
    all.push_back({program.algorithm, std::move(part), program.length_s});
  return all;
}

/// Throws InputError for what goes neither with a platform nor with a program; `given` says which of the two there is.
void check_order(const char* given, const ReductionOptions& options) {
  if (options.dynamic) throw InputError(given, "dynamic", "the order of the plan");
}

}  // namespace

void check_platform_for(const ReductionOptions& options, int ranks, bool of_objects) {
  check_platform(*options.platform, "platform");
  if (options.platform->ranks != ranks)
    throw InputError("platform", count_text(options.platform->ranks, "rank"), fmt::format("the {} there are", ranks));
  if (!of_objects) {
    check_order("platform", options);
    if (options.costs && !(options.costs->compute >= 0 && std::isfinite(options.costs->compute)))
      throw InputError("costs", fmt::format("{} s to combine", options.costs->compute), "at least 0");
    if (options.costs && *options.costs != ReductionCosts{0, options.costs->compute, 0, 0})
      throw InputError("platform", "costs of transfers, or overheads", "costs of combining alone");
    return;
  }
  if (options.costs) throw InputError("platform", "costs of objects", "either");
  if (options.algorithm != "auto" && !has_algorithm("reduce", options.algorithm))
    throw InputError("algorithm", fmt::format("'{}'", options.algorithm), "one of plan_reduce, or auto");
}

OwnPart own_part(const ReductionPart& part, std::int64_t count) {
  const bool objects = count == kAnyCount;
  OwnPart own;
  std::vector<std::vector<std::uint32_t>> received(static_cast<std::size_t>(part.segments));  // by segment
  const auto range_of = [&](std::int64_t segment) {
    const std::int64_t each = count / part.segments, longer = count % part.segments;
    if (objects) return OwnPart::Range{0, kAnyCount};
    return OwnPart::Range{segment * each + std::min(segment, longer), each + (segment < longer ? 1 : 0)};
  };
  std::vector<std::int64_t> missing(received.size(), 0);  // by segment: receives that are still to be added
  for (const PartReceive& receive : part.receives) ++missing[static_cast<std::size_t>(receive.segment)];
  auto next = part.receives.begin();
  const auto add_receive = [&] {
    const auto segment = static_cast<std::size_t>(next->segment);
    OwnPart::Range where = range_of(next->segment);
    where.lower = next->begin < part.rank;
    received[segment].push_back(
        own.add({static_cast<int>(next->from), /*sends=*/false, sluice::detail::MessageKind::kCombine}, where));
    if (!part.commutative) own.runs.push_back({static_cast<int>(next->begin), static_cast<int>(next->end)});
    --missing[segment];
    ++next;
  };
  for (const PartSend& send : part.sends) {
    const auto segment = static_cast<std::size_t>(send.segment);
    while (missing[segment] > 0) add_receive();
    (void)own.add({static_cast<int>(send.to), /*sends=*/true}, range_of(send.segment), received[segment]);
    if (!part.commutative) own.runs.emplace_back();
  }
  while (next != part.receives.end()) add_receive();
  return own;
}

void check_program_for(const ReductionOptions& options, const Program& shape, bool of_objects) {
  if (of_objects) throw InputError("program", "a reduction of objects", "elements, which can be cut");
  if (options.measure || options.costs) throw InputError("program", "costs, or to measure them", "either");
  check_order("program", options);
  check_given(*options.program, shape, {options.platform.has_value(), options.algorithm != "auto" || options.segments});
}

Program shape_of_reduction(int ranks, int root, std::int64_t elements, std::int64_t element_bytes, bool commutative) {
  Program shape;
  shape.problem = Collective::kReduce;
  shape.ranks = ranks;
  shape.root = root;
  shape.element_bytes = std::max<std::int64_t>(1, element_bytes);  // elements of no bytes are as any others to a plan
  shape.size_bytes = checked::multiply(elements, shape.element_bytes, "bytes");
  shape.commutative = commutative;
  return shape;
}

PlannedReduction plan_over_platform(Channel& channel, const JobPlatform& known, const ReductionOptions& options,
                                    const Program& shape, double combine_s_per_byte) {
  return planned_for_all(channel, [&] {
    sluice::BroadcastOptions how;
    how.algorithm = options.algorithm;
    how.segments = options.segments.value_or(0);
    how.effort = options.effort;
    if (!options.platform) how.slack = kMeasuredWithin;
    const std::int64_t elements = shape.size_bytes / shape.element_bytes;
    Program program = plan_costly_reduction(known.platform, shape.root, elements, shape.element_bytes,
                                            combine_s_per_byte, how, shape.commutative)
                          .program;
    take_turns(program, known);
    if (!known.speeds_are_known) program.length_s = 0;
    return parts_of_all(program);
  });
}

namespace {

/// The parts of all ranks in the tree that is shortest by the replay. The tree comes from plan_reduce, which knows how
/// combining and transfers overlap, or from a program, which knows what messages share.
std::vector<ReductionPart> plan_objects(const ReductionOptions& options, std::int64_t bytes, double compute_s,
                                        bool commutative, int root) {
  const Platform& platform = *options.platform;
  ReduceProblem problem;
  problem.machines = platform.ranks;
  problem.root = root;
  problem.commutative = commutative;
  problem.transfer_costs = transfer_costs_over(platform, bytes);
  problem.compute = compute_s;
  const TreeSchedule schedule = plan_reduce(problem, {options.algorithm, options.arity, true, options.effort}).schedule;
  Program tree = program_of(schedule, bytes, bytes);
  tree.algorithm = part_of(schedule, root).method;
  tree.combine_s_per_byte = compute_s / static_cast<double>(bytes);
  tree.length_s = replay(platform, tree).length_s;
  if (options.algorithm == "auto") {
    sluice::BroadcastOptions how;
    how.effort = options.effort;
    const Program other =
        plan_costly_reduction(platform, root, 1, bytes, tree.combine_s_per_byte, how, commutative).program;
    std::optional<std::vector<ReductionPart>> parts = parts_of_tree(other);
    if (parts && other.length_s < tree.length_s) return std::move(*parts);
  }
  return parts_of_tree(tree).value();
}

}  // namespace

PlannedReduction plan_objects_over_platform(Channel& channel, const ReductionOptions& options, std::int64_t bytes,
                                            double compute_s, bool commutative, int root) {
  constexpr double kShortest_s = 1e-9;  // costs are not both 0
  const auto plan = [&] {
    std::vector<PlannedReduction> all;
    for (const ReductionPart& part :
         plan_objects(options, std::max<std::int64_t>(1, bytes), std::max(compute_s, kShortest_s), commutative, root))
      all.push_back({part.method, own_part(part, kAnyCount), part.length});
    return all;
  };
  return planned_for_all(channel, plan, /*may_take_long=*/true);
}

PlannedReduction plan_by_program(Channel& channel, const Program& program) {
  return planned_for_all(channel, [&] {
    check_sound(program);
    return parts_of_all(program);
  });
}

}  // namespace sluice::mpi::detail
