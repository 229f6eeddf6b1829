#include "run/mpi/collective/collective_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "run/mpi/collective/given_program.hpp"
#include "run/mpi/collective/memory_part.hpp"
#include "run/mpi/elements/element_operation.hpp"
#include "run/mpi/network/learn.hpp"
#include "run/mpi/network/platform_arguments.hpp"
#include "run/mpi/runtime/element_layout.hpp"
#include "run/mpi/runtime/planned_part.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "run/mpi/ways/native_program.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/timing/program_replay.hpp"

namespace sluice::mpi::detail {
namespace {

/// Whether the user says what the plan is to be.
bool asks_for_plan(const CollectiveOptions& options) {
  return options.program || options.algorithm != "auto" || options.segments != 0;
}

/// `shares`: in elements; as many as there are ranks.
void set_shares(Program& shape, std::span<const std::int64_t> shares) {
  std::vector<std::int64_t> bytes;
  for (const std::int64_t share : shares)
    bytes.push_back(checked::multiply(share, shape.element_bytes, "bytes of a share"));
  const std::int64_t all = std::exchange(shape.size_bytes, 0);
  set_blocks(shape, bytes);
  if (shape.size_bytes != all)
    throw InputError("counts", fmt::format("{} in all", count_text(shape.size_bytes / shape.element_bytes, "element")),
                     fmt::format("the {} there are", all / shape.element_bytes));
}

void check(CollectiveTask& task) {
  Program& shape = task.shape;
  if (shape.size_bytes < 0) throw InputError("bytes", fmt::format("{}", shape.size_bytes), "at least 0");
  if (shape.root < 0 || shape.root >= shape.ranks)
    throw InputError("root", fmt::format("{}", shape.root), index_text(shape.ranks, "rank"));
  (void)array_bytes(shape);
  const CollectiveOptions& options = task.options;
  if (options.segments < 0) throw InputError("segments", fmt::format("{}", options.segments), "at least 0");
  if (!(options.effort > 0 && std::isfinite(options.effort)))
    throw InputError("effort", fmt::format("{}", options.effort), "more than 0");
  if (options.platform) {
    check_platform(*options.platform, "platform");
    if (options.platform->ranks != shape.ranks)
      throw InputError("platform", count_text(options.platform->ranks, "rank"),
                       fmt::format("the {} there are", shape.ranks));
  }
  if (!options.program) return;
  check_given(*options.program, shape,
              {options.platform.has_value(), options.algorithm != "auto" || options.segments != 0});
  shape.commutative = options.program->commutative;
}

/// Whether neither a method nor a platform is given. Collective.
bool is_left_to_library(const CollectiveTask& task, Channel& channel) {
  return !task.options.platform && !asks_for_plan(task.options) &&
         (task.reproducible || platform_of_variable(channel) == nullptr);
}

/// The rule that applies if the method is left to the library.
const Rule& rule_for(const CollectiveTask& task, Question question, const Context& context) {
  const Program& shape = task.shape;
  const Where where = where_of(context) | when(shape.problem == Collective::kAlltoall, Where::kMatrix) |
                      when(task.reproducible, Where::kReproducible) | when(task.is_built_in, Where::kBuiltIn);
  const std::int64_t size = context.one_node() ? shape.size_bytes : largest_part(shape);
  return choose({JobKind::kCollective, question, where, size, shape.ranks});
}

/// If speeds are not known: sends alternate also on a network that is this many times slower than the assumed one.
constexpr double kSlower = 10;

/// See planned_part.
constexpr auto kFields = [](auto& numbers, PlannedCollective& planned) {
  numbers(planned.method, planned.predicted_s, planned.rule);
  fields(numbers, planned.part);
};

}  // namespace

void take_turns(Program& program, const JobPlatform& known) {
  if (!program.pace.empty() || known.platform.ranks != program.ranks) return;
  program.pace = send_paces(known.platform, program);
  for (SendPace& pace : program.pace) {
    if (kSimulated) {
      pace.port_s = 0;
    } else if (!known.speeds_are_known) {
      pace = {kSlower * pace.port_s, kSlower * pace.connection_s};
    }
  }
}

CollectiveTask collective_task(Collective problem, const BlockSizes& bytes, int root, int ranks,
                               const CollectiveOptions& options) {
  if (combines(problem) || !has_blocks(problem))
    throw InputError("problem", std::string(to_string(problem)), "scatter, gather, allgather or alltoall");
  CollectiveTask task;
  task.options = options;
  task.shape.problem = problem;
  task.shape.ranks = ranks;
  task.shape.root = has_root(problem) ? root : 0;
  if (bytes.listed) {
    set_blocks(task.shape, *bytes.listed);
  } else {
    task.shape.size_bytes = bytes.each;
  }
  task.elements = {task.shape.size_bytes, MPI_BYTE, MPI_OP_NULL};
  if (task.options.program) {
    // Bytes that are only moved are not cut into elements, and have no order.
    task.options.program->element_bytes = 1;
    task.options.program->commutative = true;
  }
  check(task);
  return task;
}

CollectiveTask collective_task(Collective problem, const ElementOperation& user_operation,
                               std::optional<std::span<const std::int64_t>> shares, int ranks,
                               const CollectiveOptions& options) {
  if (problem != Collective::kAllreduce && problem != Collective::kReduceScatter)
    throw InputError("problem", std::string(to_string(problem)), "allreduce or reduce-scatter");
  const ElementOperation operation = checked_operation(user_operation);
  int commutes = 0;
  SLUICE_MPI(MPI_Op_commutative(operation.op, &commutes));
  CollectiveTask task;
  task.options = options;
  task.shape.problem = problem;
  task.shape.ranks = ranks;
  task.shape.element_bytes = std::max<std::int64_t>(ElementLayout(operation.type).size, 1);
  task.shape.size_bytes = checked::multiply(operation.count, task.shape.element_bytes, "bytes");
  task.shape.commutative = commutes != 0;
  if (shares) set_shares(task.shape, *shares);
  task.elements = operation;
  task.reproducible = options.reproducible.value_or(order_may_matter(operation));
  task.is_built_in = is_built_in(operation.op);
  check(task);
  return task;
}

Arguments arguments_of(const CollectiveTask& task) {
  Arguments arguments("collective ");
  const CollectiveOptions& options = task.options;
  arguments.add_all(task.shape.problem, task.shape.size_bytes, task.shape.root, task.shape.element_bytes,
                    task.shape.commutative, task.reproducible, options.algorithm, options.segments, options.effort,
                    options.try_native, options.platform.has_value(), options.program.has_value());
  add_operation(arguments, task.elements);
  arguments.add(std::span(task.shape.block_offsets));
  if (options.platform) add_platform(arguments, *options.platform);
  if (options.program) arguments.add(to_json(*options.program));
  return arguments;
}

ChosenUse use_of(const CollectiveTask& task, const Context& context) {
  const Program& shape = task.shape;
  const CollectiveOptions& options = task.options;
  if (shape.ranks == 1 || shape.size_bytes == 0) return {};
  if (asks_for_plan(options) || !options.try_native || !NativeProgram::possible(shape, task.elements)) return {};
  const Use planned = task.reproducible ? Use::kPlan : Use::kTurns;
  if (options.platform) return {planned, nullptr};
  const Rule& rule = rule_for(task, Question::kWay, context);
  return {rule.by == By::kMpi ? Use::kOther : planned, &rule};
}

PlannedCollective plan_collective(Channel& channel, const CollectiveTask& task) {
  const CollectiveOptions& options = task.options;
  const Rule& rule = rule_for(task, Question::kPlan, channel.context());
  const bool by_itself = (rule.by == By::kMemory || rule.by == By::kEachRank) && is_left_to_library(task, channel);
  if (by_itself && rule.by == By::kMemory) {
    return {memory_part(task.shape, channel.rank()), memory_method(task.shape.problem), 0, number_of(rule)};
  }
  if (by_itself) {
    const Program program = plan_short_program(task.shape.ranks, problem_of(task.shape));
    return {sluice::detail::cut_for(program, channel.rank()), program.algorithm, 0, number_of(rule)};
  }
  JobPlatform known;
  if (options.platform) {
    known = {*options.platform, true};
  } else if (task.reproducible) {
    // Measurements must not decide the order of combining.
    known = usual_platform(channel);
  } else if (!options.program) {
    known = platform_of_job(channel);
  }
  const auto plan_all = [&] {
    Program program;
    if (options.program) {
      program = *options.program;
      check_sound(program);
    } else {
      ProgramOptions how;
      how.algorithm = options.algorithm;
      how.segments = options.segments;
      how.effort = options.effort;
      if (!options.platform) how.slack = kMeasuredWithin;
      program = plan_program(known.platform, problem_of(task.shape), how).program;
    }
    std::vector<PlannedCollective> all;
    const bool predicts = options.program || known.speeds_are_known;
    const bool is_of_rule = rule.by == By::kUsual || (rule.by == By::kMeasured && known.speeds_are_known);
    const std::int32_t number = is_of_rule && !options.platform && !asks_for_plan(options) ? number_of(rule) : kNoRule;
    take_turns(program, known);
    for (OwnPart& part : sluice::detail::cut(program))
      all.push_back({std::move(part), program.algorithm, predicts ? program.length_s : 0, number});
    return all;
  };
  return planned_part<PlannedCollective>(channel, plan_all, kFields);
}

}  // namespace sluice::mpi::detail
