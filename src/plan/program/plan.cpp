#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "plan/program/registry.hpp"
#include "plan/program/replay.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/program.hpp"

namespace sluice {
namespace {

using detail::kWorkForAuto;
using detail::ProgramPlanner;
using detail::ProgramTask;
using detail::ProgramVariant;
using detail::replay_work;

constexpr double kAnyWork = std::numeric_limits<double>::infinity();

Program shape_of(const Platform& platform, const ProgramProblem& problem) {
  check_platform(platform, "platform");
  Program shape;
  shape.problem = problem.problem;
  shape.ranks = platform.ranks;
  shape.size_bytes = problem.size_bytes;
  shape.root = problem.root;
  shape.element_bytes = combines(problem.problem) ? problem.element_bytes : 1;
  shape.commutative = !combines(problem.problem) || problem.commutative;
  if (!problem.block_bytes.empty()) shape.size_bytes = 0;
  if (shape.size_bytes < 0) throw InputError("size", fmt::format("{} bytes", problem.size_bytes), "at least 0");
  if (problem.root < 0 || problem.root >= platform.ranks)
    throw InputError("root", fmt::format("{}", problem.root), fmt::format("0 to {}", platform.ranks - 1));
  if (!has_root(problem.problem)) shape.root = 0;
  if (shape.element_bytes < 1 || shape.size_bytes % shape.element_bytes != 0)
    throw InputError("element bytes", fmt::format("{}", shape.element_bytes),
                     fmt::format("a divisor of {} bytes", shape.size_bytes));
  if (!problem.block_bytes.empty()) set_blocks(shape, problem.block_bytes);
  (void)array_bytes(shape);
  return shape;
}

ProgramTask task_of(const detail::RankNetwork& network, const Program& shape, std::int64_t segments) {
  ProgramTask task{shape, {}, {}, segments};
  const auto ranks = static_cast<std::size_t>(shape.ranks);
  if (!shape.commutative) {
    task.order.resize(ranks);
    std::iota(task.order.begin(), task.order.end(), std::int64_t{0});
    return task;
  }
  const auto add = [&](detail::Groups groups) {
    if (groups.size() > 1 && (task.groups.empty() || groups.size() != task.groups.back().size()))
      task.groups.push_back(std::move(groups));
  };
  // Clusters, groups of clusters, and so on.
  detail::Groups clusters;
  for (std::size_t level = 0; level < network.levels().levels(); ++level) {
    detail::Groups groups;
    for (const detail::RankGroup& group : network.groups_from(shape.root, level)) {
      groups.push_back(group.ranks);
      if (level > 0) continue;
      task.order.insert(task.order.end(), group.ranks.begin(), group.ranks.end());
      for (const std::size_t c : group.clusters) {
        std::vector<std::int64_t> own = network.platform().clusters[c].ranks;
        if (const auto root = std::find(own.begin(), own.end(), shape.root); root != own.end())
          std::rotate(own.begin(), root, root + 1);
        clusters.push_back(std::move(own));
      }
    }
    if (level == 0) add(std::exchange(clusters, {}));
    add(std::move(groups));
  }
  // The outermost level decides which ranks come after each other.
  if (!task.groups.empty()) {
    task.order.clear();
    for (const std::vector<std::int64_t>& group : task.groups.back())
      task.order.insert(task.order.end(), group.begin(), group.end());
  }
  return task;
}

class Planning {
 public:
  Planning(const detail::RankNetwork& network, const ProgramTask& task, const ProgramOptions& options)
      : network_(network), task_(task), options_(options) {}

  /// `at_most`: the work of a replay; what takes more is left out.
  void look_at(const ProgramPlanner& planner, double at_most) {
    if (!task_.shape.commutative && !planner.keeps_order)
      throw InputError("algorithm", fmt::format("'{}' with an operation that does not commute", planner.known.name),
                       "one that keeps the order of the ranks");
    std::vector<ProgramVariant> variants = planner.variants(task_);
    for (const ProgramVariant& variant : variants) {
      Program program = task_.shape;
      program.algorithm = variant.name;
      program.operations = operations_of(variant.make(), program.ranks);
      if (replay_work(program.operations) > at_most) continue;
      program.length_s = detail::replay(network_, program, options_.combine_s_per_byte).length_s;
      candidates_.push_back({variant.name, program.length_s});
      if (!best_ || program.length_s < best_->length_s) best_ = std::move(program);
    }
  }

  [[nodiscard]] bool found() const { return best_.has_value(); }

  ProgramPlan take() {
    const ProgramBound bound = detail::bound_of(network_, task_.shape);
    best_->bound_s = bound.seconds;
    best_->bound = bound.kind;
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const auto& a, const auto& b) { return a.length_s < b.length_s; });
    return {std::move(*best_), std::move(candidates_)};
  }

 private:
  const detail::RankNetwork& network_;
  const ProgramTask& task_;
  const ProgramOptions& options_;
  std::optional<Program> best_;
  std::vector<ProgramPlan::Candidate> candidates_;
};

}  // namespace

ProgramPlan plan_program(const Platform& platform, const ProgramProblem& problem, const ProgramOptions& options) {
  const Program shape = shape_of(platform, problem);
  if (options.segments < 0) throw InputError("segments", fmt::format("{}", options.segments), "at least 0");
  if (!(options.combine_s_per_byte >= 0))
    throw InputError("combining", fmt::format("{} s per byte", options.combine_s_per_byte), "at least 0");
  const detail::RankNetwork network(platform);
  const ProgramTask task = task_of(network, shape, options.segments);
  Planning planning(network, task, options);
  std::string names;
  for (const ProgramPlanner& planner : detail::program_planners()) {
    if (planner.problem != problem.problem) continue;
    names += std::string(planner.known.name) + ", ";
    if (options.algorithm == planner.known.name) {
      planning.look_at(planner, kAnyWork);
      return planning.take();
    }
  }
  if (options.algorithm != "auto")
    throw InputError("algorithm", "'" + options.algorithm + "'", "one of " + names + "auto");
  for (const double at_most : {kWorkForAuto, kAnyWork}) {
    for (const ProgramPlanner& planner : detail::program_planners()) {
      if (planner.problem != problem.problem) continue;
      try {
        planning.look_at(planner, at_most);
      } catch (const InputError&) {
        continue;  // it does not apply
      }
      if (at_most == kAnyWork && planning.found()) break;
    }
    if (planning.found()) break;
  }
  if (!planning.found())
    throw InputError("ranks", fmt::format("{}", platform.ranks), "few enough for a program of 2^22 messages");
  return planning.take();
}

ProgramBound bound_of(const Platform& platform, const ProgramProblem& problem) {
  const Program shape = shape_of(platform, problem);
  return detail::bound_of(detail::RankNetwork(platform), shape);
}

}  // namespace sluice
