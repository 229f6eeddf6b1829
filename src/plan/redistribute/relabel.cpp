#include "sluice/plan/relabel.hpp"

#include <algorithm>

#include "sluice/checked.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice {

TargetRoles assign_target_roles(const RedistributionProblem& problem) {
  const Traffic traffic = problem.traffic();
  const std::int64_t processes = std::max(traffic.senders, traffic.receivers);
  TargetRoles result;
  std::vector<Edge> edges;
  edges.reserve(traffic.messages.size());
  for (const Message& message : traffic.messages) {
    if (message.from == message.to) result.kept_before += message.size;
    edges.push_back({static_cast<std::int32_t>(message.from), static_cast<std::int32_t>(message.to), message.size});
  }
  const BipartiteGraph graph(static_cast<std::int32_t>(processes), static_cast<std::int32_t>(processes), edges);
  const Matching best = maximum_weight_matching(graph).matching;
  result.kept = matching_weight(graph, best);

  // Who has no role yet takes that of its own number if it is free, else the first one free.
  constexpr std::int64_t kNone = -1;
  result.role_of_process.assign(static_cast<std::size_t>(processes), Rank(kNone));
  std::vector<bool> taken(static_cast<std::size_t>(processes), false);
  const auto give = [&](std::size_t process, std::size_t role) {
    result.role_of_process[process] = Rank(static_cast<std::int64_t>(role));
    taken[role] = true;
  };
  if (result.kept == result.kept_before) {
    for (std::size_t p = 0; p < taken.size(); ++p) give(p, p);
    return result;
  }
  for (std::size_t p = 0; p < taken.size(); ++p)
    if (best.left_edge[p] >= 0) give(p, static_cast<std::size_t>(graph.edge(best.left_edge[p]).right));
  for (std::size_t p = 0; p < taken.size(); ++p)
    if (result.role_of_process[p].value == kNone && !taken[p]) give(p, p);
  std::size_t free_role = 0;
  for (std::size_t p = 0; p < taken.size(); ++p) {
    if (result.role_of_process[p].value != kNone) continue;
    while (taken[free_role]) ++free_role;
    give(p, free_role);
  }
  return result;
}

}  // namespace sluice
