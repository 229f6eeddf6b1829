#include "plan/redistribute/named_steps.hpp"

#include <cstddef>

#include "plan/redistribute/registry.hpp"
#include "plan/step_rule.hpp"

namespace sluice::detail {

bool plans_graph(const std::string& algorithm) {
  const RedistributePlanner* const found = redistribute_planner(algorithm);
  return found != nullptr && found->plan_graph != nullptr;
}

std::vector<NamedSteps> named_steps(const MessageClasses& messages, const std::string& algorithm) {
  const bool all = algorithm == "auto";
  std::vector<NamedSteps> result;
  if (!all && !plans_graph(algorithm)) return result;
  std::vector<Edge> edges;
  edges.reserve(messages.classes.size());
  for (const MessageClass& each : messages.classes) edges.push_back({each.left, each.right, each.length});
  const BipartiteGraph graph(messages.lefts, messages.rights, edges);
  const bool peels = !all || static_cast<double>(edges.size()) * graph.max_degree() <= kMostPeelingWork;
  for (const RedistributePlanner& each : redistribute_planners()) {
    if (each.plan_graph == nullptr || (!all && each.about.name != algorithm) || (each.peels && !peels)) continue;
    result.push_back({std::string(each.about.name), each.plan_graph(graph)});
  }
  return result;
}

std::int64_t transmission_of(const MessageClasses& messages, const EdgeSteps& steps) {
  std::int64_t transmission = 0;
  for (const std::int64_t duration : durations_of(steps, [&](std::size_t e) { return messages.classes[e].length; }))
    transmission += duration;  // at most what all messages add up to
  return transmission;
}

}  // namespace sluice::detail
