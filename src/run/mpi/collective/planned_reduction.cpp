#include "run/mpi/collective/planned_reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
PlannedReduction planned_for_all(Channel& channel, const Program& shape, PlanAll plan_all) {
  PlannedReduction own = planned_part<PlannedReduction>(channel, plan_all, [](auto& numbers, PlannedReduction& each) {
    numbers(each.part.shape.algorithm, each.length_s);
    kPartFields(numbers, each.part);
  });
  std::string algorithm = std::move(own.part.shape.algorithm);
  own.part.shape = shape;
  own.part.shape.algorithm = std::move(algorithm);
  return own;
}

std::vector<PlannedReduction> parts_of_all(const Program& program) {
  std::vector<PlannedReduction> all;
  for (ProgramPart& part : parts_of(program)) all.push_back({std::move(part), program.length_s});
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
  return planned_for_all(channel, shape, [&] {
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

ReductionPart plan_objects_over_platform(Channel& channel, const ReductionOptions& options, std::int64_t bytes,
                                         double compute_s, bool commutative, int root) {
  constexpr double kShortest_s = 1e-9;  // costs are not both 0
  const auto plan = [&] {
    return plan_objects(options, std::max<std::int64_t>(1, bytes), std::max(compute_s, kShortest_s), commutative, root);
  };
  const auto fields = [](auto& numbers, ReductionPart& part) {
    numbers(part.method, part.rank, part.root, part.commutative, part.segments, part.length);
    numbers.each(part.receives,
                 [&](auto& receive) { numbers(receive.from, receive.segment, receive.begin, receive.end); });
    numbers.each(part.sends, [&](auto& send) { numbers(send.to, send.segment); });
  };
  return planned_part<ReductionPart>(channel, plan, fields, /*may_take_long=*/true);
}

PlannedReduction plan_by_program(Channel& channel, const Program& program, const Program& shape) {
  Program carried_out = shape;
  carried_out.commutative = program.commutative;
  return planned_for_all(channel, carried_out, [&] {
    check_sound(program);
    return parts_of_all(program);
  });
}

}  // namespace sluice::mpi::detail
