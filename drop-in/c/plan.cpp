#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sluice/sluice.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "layout.hpp"
#include "options.hpp"
#include "schedule.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/input/traffic_file.hpp"
#include "sluice/plan/between_layouts.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/exchange_speeds.hpp"
#include "sluice/plan/reduce.hpp"

namespace sluice::c {

namespace {

void check_starts_at_0(const sluice_layout& layout, const char* name) {
  const auto first = first_of(layout);
  if (std::any_of(first.begin(), first.end(), [](std::int64_t each) { return each != 0; }))
    throw InputError(name, "a first process other than 0", "0, as planning takes all processes for equal");
}

/// The steps of `traffic`, which comes checked by its planner.
StepSchedule plan_exchange_by(Traffic traffic, OptionReader& options) {
  ExchangeProblem problem;
  problem.traffic = std::move(traffic);
  problem.max_transfers = std::min(problem.traffic.senders, problem.traffic.receivers);
  ExchangeOptions how;
  options.read("algorithm", how.algorithm);
  options.read("max_transfers", problem.max_transfers);
  options.read("setup", problem.setup);
  options.read("effort", how.effort);
  options.read("time_limit_s", how.time_limit_s);
  std::int64_t seed = 1;
  options.read("seed", seed);
  if (seed < 0) throw InputError("seed", std::to_string(seed), "at least 0");
  how.seed = static_cast<std::uint64_t>(seed);
  NetworkSpeeds speeds = options.read_speeds();
  options.done();
  set_speeds(problem, std::move(speeds), "speeds");
  problem.setup = move_decimal_point(problem.setup, problem.traffic.decimals);
  return plan_exchange(problem, how).schedule;
}

/// Plans into a new handle.
template <class Plan>
int plan_into(sluice_schedule** schedule, Plan&& plan) {
  return guarded([&] {
    check_given(schedule, "schedule");
    *schedule = nullptr;
    put(plan(), schedule);
  });
}

}  // namespace

}  // namespace sluice::c

using namespace sluice::c;  // NOLINT(google-build-using-namespace): the functions below are its face

int sluice_plan_redistribution(const std::int64_t shape[], const sluice_layout* from, const sluice_layout* to,
                               const sluice_options* options, sluice_schedule** schedule) {
  return plan_into(schedule, [&] {
    const sluice::Layout source = layout_of(from, "from"), target = layout_of(to, "to");
    check_starts_at_0(*from, "from");
    check_starts_at_0(*to, "to");
    const auto extents = shape_of(shape, source.dimensions());
    sluice::RedistributionInput input{to_string(source), to_string(target), fmt::format("{}", fmt::join(extents, "x"))};
    sluice::LayoutPlanOptions how;
    OptionReader reader(options);
    reader.read("algorithm", how.algorithm);
    reader.read("setup", how.setup);
    std::optional<double> effort;
    reader.read("effort", effort);
    if (effort) how.effort = sluice::multiple_of_default_effort(*effort, "effort");
    reader.read("from_replicas", input.from_replicas);
    reader.read("to_replicas", input.to_replicas);
    reader.read("forward", how.forward);
    sluice::MatrixPart part{};
    bool unit_diagonal = false;
    reader.read_part(part, unit_diagonal);
    reader.done();
    const auto problem = sluice::make_problem(source, target, extents).with_part(part, unit_diagonal);
    input.part = part_text(part, unit_diagonal);
    return sluice::plan_between_layouts(problem, input, how).schedule;
  });
}

int sluice_plan_exchange(std::int64_t senders, std::int64_t receivers, std::int64_t messages, const std::int64_t from[],
                         const std::int64_t to[], const std::int64_t size[], const sluice_options* options,
                         sluice_schedule** schedule) {
  return plan_into(schedule, [&] {
    OptionReader reader(options);
    return plan_exchange_by(traffic_of(senders, receivers, messages, from, to, size), reader);
  });
}

int sluice_plan_exchange_file(const char* path, const sluice_options* options, sluice_schedule** schedule) {
  return plan_into(schedule, [&] {
    check_given(path, "path");
    OptionReader reader(options);
    return plan_exchange_by(sluice::read_traffic(path), reader);
  });
}

int sluice_plan_reduce(std::int64_t machines, double transfer, double compute, const sluice_options* options,
                       sluice_schedule** schedule) {
  return plan_into(schedule, [&] {
    sluice::ReduceProblem problem;
    problem.machines = machines;
    problem.transfer = transfer;
    problem.compute = compute;
    sluice::ReduceOptions how;
    OptionReader reader(options);
    reader.read("algorithm", how.algorithm);
    reader.read("arity", how.arity);
    reader.read("root", problem.root);
    reader.read("segments", problem.segments);
    reader.read("max_segments", problem.max_segments);
    reader.read("max_transfers", problem.max_transfers);
    reader.read("max_reducers", problem.max_reducers);
    reader.read("commutative", problem.commutative);
    reader.read("transfer_overhead", problem.transfer_overhead);
    reader.read("compute_overhead", problem.compute_overhead);
    reader.read("arrivals", problem.arrivals);
    reader.read("transfer_costs", problem.transfer_costs);
    reader.read("compute_costs", problem.compute_costs);
    reader.read("effort", how.effort);
    reader.done();
    return sluice::plan_reduce(problem, how).schedule;
  });
}

int sluice_plan_broadcast(const sluice_platform* platform, std::int64_t root, std::int64_t bytes,
                          const sluice_options* options, sluice_schedule** schedule) {
  return plan_into(schedule, [&] {
    check_given(platform, "platform");
    sluice::BroadcastOptions how;
    OptionReader reader(options);
    reader.read("algorithm", how.algorithm);
    reader.read("lookahead", how.lookahead);
    reader.read("inside", how.inside);
    reader.read("segments", how.segments);
    reader.read("early_internal", how.early_internal);
    reader.read("effort", how.effort);
    reader.done();
    return sluice::plan_broadcast(platform->platform, root, bytes, how).schedule;
  });
}
