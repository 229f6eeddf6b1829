#include "run/mpi/reduce/planned_reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "run/mpi/program/collective_plan.hpp"
#include "run/mpi/program/given_program.hpp"
#include "run/mpi/runtime/planned_part.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/quantity_text.hpp"

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
void check_rest(const char* given, const ReductionOptions& options, bool of_objects) {
  const auto refuse = [&](const char* found, const char* expected) { throw InputError(given, found, expected); };
  if (of_objects) refuse("a reduction of objects", "elements, which can be cut");
  if (options.measure || options.costs) refuse("costs, or to measure them", "either");
  if (options.dynamic) refuse("dynamic", "the order of the plan");
}

}  // namespace

void check_platform_for(const ReductionOptions& options, int ranks, bool of_objects) {
  check_platform(*options.platform, "platform");
  if (options.platform->ranks != ranks)
    throw InputError("platform", count_text(options.platform->ranks, "rank"), fmt::format("the {} there are", ranks));
  check_rest("platform", options, of_objects);
}

void check_program_for(const ReductionOptions& options, const Program& shape, bool of_objects) {
  check_rest("program", options, of_objects);
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

PlannedReduction plan_over_platform(Channel& channel, const Platform& platform, const ReductionOptions& options,
                                    const Program& shape) {
  return planned_for_all(channel, shape, [&] {
    sluice::BroadcastOptions how;
    how.algorithm = options.algorithm;
    how.segments = options.segments.value_or(0);
    how.effort = options.effort;
    const std::int64_t elements = shape.size_bytes / shape.element_bytes;
    constexpr double kCombine_s = 0;
    Program program =
        plan_costly_reduction(platform, shape.root, elements, shape.element_bytes, kCombine_s, how, shape.commutative)
            .program;
    take_turns(program, {platform, true});
    return parts_of_all(program);
  });
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
