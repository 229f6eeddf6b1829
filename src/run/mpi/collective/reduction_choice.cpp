#include "run/mpi/collective/reduction_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "run/mpi/collective/memory_part.hpp"
#include "run/mpi/collective/planned_reduction.hpp"
#include "run/mpi/network/learn.hpp"
#include "run/mpi/network/platform_arguments.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/reduce_scatter.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::mpi::detail {
namespace {

ReduceProblem problem_of(const ReductionOptions& options, const ReducedData& data, int root, int ranks,
                         const ReductionCosts& costs, bool parts_known) {
  ReduceProblem problem;
  problem.machines = ranks;
  problem.root = root;
  problem.commutative = data.commutative;
  problem.transfer = costs.transfer;
  problem.compute = costs.compute;
  problem.transfer_overhead = costs.transfer_overhead;
  problem.compute_overhead = costs.compute_overhead;
  const std::int64_t most = data.objects ? 1 : std::max<std::int64_t>(1, data.count);
  problem.max_segments = std::min(problem.max_segments, most);
  problem.segments = std::min(options.segments.value_or(parts_known && !data.objects ? 0 : 1), most);
  return problem;
}

/// The assumed cost of an operation over a usual network, and the algorithm that then plans. By the model, a plan for
/// an expensive operation takes at most 1.4 times as long if the operation is cheap. If it is not, the plan saves a
/// factor of up to 1.9. Plans of many parts for a cheap operation are faster even if combining takes as long as the
/// transfer.
struct AssumedOperation {
  double combine_s_per_byte;
  std::string algorithm;
};
AssumedOperation assumed_operation(const ReducedData& data, int ranks, const ReductionOptions& options,
                                   const Platform& usual) {
  constexpr double kCheap_s_per_byte = 2e-9;      // a quarter of the transfer
  constexpr double kExpensive_s_per_byte = 4e-8;  // five times the transfer
  const Rule& rule = choose({JobKind::kReduction, Question::kOperation, when(!data.built_in, Where::kOwn),
                             data.count * data.element_bytes, ranks});
  if (rule.by == By::kFree) return {0, options.algorithm};
  if (rule.by == By::kCheap) return {kCheap_s_per_byte, "auto"};
  // It is also unknown which hosts are near each other.
  return {kExpensive_s_per_byte, usual.clusters.size() == 1 ? "neighbours-first" : "auto"};
}

/// Throws InputError for a name that stands for nothing which reduces elements; planning knows trees alone.
void check_algorithm_for_elements(const std::string& name) {
  std::string known;
  for (const Algorithm& each : algorithms("reduce")) {
    if (each.name == name) return;
    known += fmt::format("{}, ", each.name);
  }
  if (name != "auto" && name != kReduceScatter)
    throw InputError("algorithm", fmt::format("'{}'", name), fmt::format("one of {}{}, auto", known, kReduceScatter));
}

}  // namespace

std::optional<PlannedTree> check_reduction(const Channel& channel, const ReductionOptions& options,
                                           const ReducedData& data, int root) {
  const int ranks = channel.size();
  if (root < 0 || root >= ranks) throw InputError("root", fmt::format("{}", root), index_text(ranks, "rank"));
  if (data.objects && options.segments.value_or(1) > 1)
    throw InputError("segments", fmt::format("{}", *options.segments), "1 for objects");
  if (options.reproducible.value_or(false)) {
    if (options.measure) throw InputError("reproducible", "costs to be measured", "costs that are given");
    if (options.dynamic) throw InputError("reproducible", "dynamic", "the order of the plan");
  }
  if (options.measure && options.costs) throw InputError("costs", "given and to be measured", "one of the two");
  if (options.program) {
    // The bytes of objects are unknown.
    const std::int64_t elements = data.objects ? 0 : data.count;
    check_program_for(options, shape_of_reduction(ranks, root, elements, data.element_bytes, data.commutative),
                      data.objects);
    return std::nullopt;
  }
  if (options.platform) {
    check_platform_for(options, ranks, data.objects);
    return std::nullopt;
  }
  // Who says nothing of it gets a plan, or MPI_Ireduce, which needs none.
  if (options.algorithm == "auto" && !options.costs && !options.segments) return std::nullopt;
  if (!data.objects) check_algorithm_for_elements(options.algorithm);
  // Whatever is measured later, it is not what planning refuses; nor is the number of parts where it is to be chosen,
  // which takes a hundred plans.
  const ReductionCosts costs = options.costs.value_or(ReductionCosts{});
  ReduceProblem problem = problem_of(options, data, root, ranks, costs, false);
  if (options.algorithm == kReduceScatter) {
    if (data.objects) throw InputError("algorithm reduce-scatter", "objects", "elements, which can be cut");
    (void)plan_reduce_scatter_part(problem, channel.rank(), data.count);
    return std::nullopt;
  }
  ReductionPart part = plan_reduction_part(problem, channel.rank(), {options.algorithm, options.arity, false});
  return PlannedTree{std::move(problem), options.algorithm, std::move(part)};
}

ReductionCosts usual_costs(const ReducedData& data) {
  // A message takes as long as 16 KiB do, and combining is four times as fast as a network.
  constexpr double kMessageBytes = 16 << 10;
  if (data.objects) return {};
  const auto bytes = static_cast<double>(data.count) * static_cast<double>(data.element_bytes);
  return {bytes + kMessageBytes, bytes / 4 + 1, kMessageBytes, 1};
}

ReductionChoice choose_reduction(Channel& channel, const ReductionOptions& options, const ReducedData& data, int root,
                                 const ReductionCosts& costs, bool parts_known,
                                 const std::optional<PlannedTree>& checked) {
  const Rule* rule = data.rule;
  const auto shape = [&] {
    return shape_of_reduction(channel.size(), root, data.count, data.element_bytes, data.commutative);
  };
  const auto pieces = [&](PlannedReduction planned) {
    return ReductionChoice{std::move(planned.method), planned.length_s, costs,
                           ReductionChoice::Pieces{shape(), std::move(planned.part), true}, rule};
  };
  const auto over = [&](const JobPlatform& known, double combine_s_per_byte = 0) {
    return pieces(plan_over_platform(channel, known, options, shape(), combine_s_per_byte));
  };
  if (options.program) {
    ReductionChoice choice = pieces(plan_by_program(channel, *options.program));
    std::get<ReductionChoice::Pieces>(choice.part).shape.commutative = options.program->commutative;
    return choice;
  }
  if (options.platform && data.objects) {
    PlannedReduction tree =
        plan_objects_over_platform(channel, options, data.element_bytes, costs.compute, data.commutative, root);
    return {std::move(tree.method), tree.length_s, costs, ReductionChoice::Tree{std::move(tree.part)}};
  }
  if (options.platform) {
    const std::int64_t bytes = data.count * data.element_bytes;
    const bool known = (options.costs || options.measure) && bytes > 0;
    return over({*options.platform, true}, known ? costs.compute / static_cast<double>(bytes) : 0);
  }
  const By by = rule != nullptr ? rule->by : By::kCosts;
  if (by == By::kMeasured) {
    const JobPlatform known = platform_of_job(channel);
    const Rule& soon = planned_soon(JobKind::kReduction, known.platform);
    if (known.speeds_are_known && soon.by == By::kPlan) return over(known);
    rule = known.speeds_are_known ? &soon : nullptr;
  }
  if (by == By::kUsual) {
    const JobPlatform usual = usual_platform(channel);
    rule = &planned_soon(JobKind::kReduction, usual.platform);
    if (rule->by == By::kPlan) {
      rule = data.rule;
      const AssumedOperation assumed = assumed_operation(data, channel.size(), options, usual.platform);
      ReductionOptions how = options;
      how.algorithm = assumed.algorithm;
      return pieces(plan_over_platform(channel, usual, how, shape(), assumed.combine_s_per_byte));
    }
  }
  if (by == By::kMemoryFlat || by == By::kShares) {
    const auto planned = [&](MemoryReduction how) { return memory_part(shape(), channel.rank(), how); };
    const MemoryReduction how = by == By::kMemoryFlat ? MemoryReduction::kFlat : MemoryReduction::kShares;
    ReductionChoice::Pieces ways{shape(), planned(how)};
    if (data.root_may_combine) ways.cheap = planned(MemoryReduction::kFlat);
    return {memory_method(Collective::kReduce, how), 0, costs, std::move(ways), rule};
  }
  ReduceProblem problem = problem_of(options, data, root, channel.size(), costs, parts_known);
  std::string algorithm = options.algorithm;
  if (by == By::kFlat || by == By::kBinomial) {
    algorithm = by == By::kFlat ? "flat" : "binomial";
    // The elements being combined stay in a processor's own cache.
    constexpr std::int64_t kPartBytes = 256 << 10;
    const std::int64_t parts = data.count * data.element_bytes / kPartBytes;
    problem.segments = std::clamp<std::int64_t>(parts, 1, problem.max_segments);
  }
  const bool asked_for = algorithm == kReduceScatter;
  const bool may_be_better = !data.objects && algorithm == "auto" && problem.segments == 0 && data.commutative &&
                             !options.dynamic && channel.size() > 1;
  ReductionPart tree;
  if (checked && checked->algorithm == algorithm && checked->problem == problem) {
    tree = checked->part;
  } else if (!asked_for) {
    tree = plan_reduction_part(problem, channel.rank(), {algorithm, options.arity, false});
  }
  if (asked_for || may_be_better) {
    const Program own =
        plan_reduce_scatter_part(problem, channel.rank(), data.count, std::max<std::int64_t>(1, data.element_bytes));
    if (asked_for || own.length_s < tree.length)
      return {own.algorithm, own.length_s, costs,
              ReductionChoice::Pieces{shape(), sluice::detail::cut_for(own, channel.rank()), false}, rule};
  }
  return {tree.method, tree.length, costs,
          ReductionChoice::Tree{own_part(tree, data.objects ? kAnyCount : data.count), tree.segments}, rule};
}

Arguments arguments_of(const ReductionOptions& options, const ReducedData& data, int root) {
  Arguments arguments("reduction");
  arguments.add_all(data.objects, data.commutative, data.count, data.element_bytes, root);
  arguments.add(options.costs.has_value());
  if (options.costs) {
    const ReductionCosts& costs = *options.costs;
    arguments.add_all(costs.transfer, costs.compute, costs.transfer_overhead, costs.compute_overhead);
  }
  arguments.add(options.platform.has_value());
  if (options.platform) add_platform(arguments, *options.platform);
  arguments.add(options.program.has_value());
  if (options.program) arguments.add(to_json(*options.program));
  arguments.add_all(options.measure, options.algorithm, options.arity, options.segments.value_or(-1), options.effort);
  arguments.add_all(options.reproducible.has_value(), options.reproducible.value_or(false), options.try_native,
                    options.dynamic, options.end_together);
  return arguments;
}

}  // namespace sluice::mpi::detail
