#include "plan/redistribute/named_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/budget.hpp"
#include "plan/exchange/constructive/planners.hpp"
#include "plan/redistribute/registry.hpp"
#include "plan/step_rule.hpp"

namespace sluice::detail {

bool plans_graph(const std::string& algorithm) {
  const RedistributePlanner* const found = redistribute_planner(algorithm);
  return found != nullptr && found->plan_graph != nullptr;
}

namespace {

/// The steps of `first-fit` of exchange, which sends messages whole.
EdgeSteps first_fit_steps(const BipartiteGraph& graph, std::vector<Edge> edges) {
  Demand demand;
  demand.lefts = graph.lefts();
  demand.rights = graph.rights();
  demand.edges = std::move(edges);
  demand.max_transfers = std::min(demand.lefts, demand.rights);
  Budget unlimited;
  const PieceSteps steps = plan_first_fit(demand, unlimited).value();
  EdgeSteps result{std::vector<std::int32_t>(demand.edges.size(), 0), std::ssize(steps)};
  for (std::size_t step = 0; step < steps.size(); ++step)
    for (const Piece& piece : steps[step])
      result.step_of_edge[static_cast<std::size_t>(piece.edge)] = static_cast<std::int32_t>(step);
  return result;
}

}  // namespace

std::vector<NamedSteps> named_steps(const MessageClasses& messages, const std::string& algorithm, double most_peeling) {
  const bool all = algorithm == "auto";
  std::vector<NamedSteps> result;
  if (!all && !plans_graph(algorithm)) return result;
  std::vector<Edge> edges;
  edges.reserve(messages.classes.size());
  for (const MessageClass& each : messages.classes) edges.push_back({each.left, each.right, each.length});
  const BipartiteGraph graph(messages.lefts, messages.rights, edges);
  const bool peels = !all || static_cast<double>(edges.size()) * graph.max_degree() <= most_peeling;
  for (const RedistributePlanner& each : redistribute_planners()) {
    if (each.plan_graph == nullptr || (!all && each.about.name != algorithm) || (each.peels && !peels)) continue;
    result.push_back({std::string(each.about.name), each.plan_graph(graph)});
  }
  if (all) result.push_back({"first-fit", first_fit_steps(graph, std::move(edges))});
  return result;
}

std::int64_t transmission_of(const MessageClasses& messages, const EdgeSteps& steps) {
  std::int64_t transmission = 0;
  for (const std::int64_t duration : durations_of(steps, [&](std::size_t e) { return messages.classes[e].length; }))
    transmission += duration;  // at most what all messages add up to
  return transmission;
}

}  // namespace sluice::detail
