#include "sluice/plan/relabel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/error.hpp"
#include "sluice/graph/matching.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {

namespace {

constexpr std::int64_t kNoProcess = -1;

/// The candidate that is each process of the source grid, or kNoProcess.
std::vector<std::int64_t> candidates_of_sources(std::int64_t senders, std::int64_t receivers,
                                                std::span<const Rank> source_of_candidate) {
  const auto candidates = static_cast<std::int64_t>(source_of_candidate.size());
  if (candidates < receivers)
    throw InputError("roles", fmt::format("{} candidates", candidates),
                     fmt::format("at least {}, one for each process of the target grid", receivers));
  std::vector<std::int64_t> result(static_cast<std::size_t>(senders), kNoProcess);
  for (std::size_t c = 0; c < source_of_candidate.size(); ++c) {
    const std::int64_t source = source_of_candidate[c].value;
    if (source == kNoProcess) continue;
    if (source < 0 || source >= senders)
      throw InputError("roles", fmt::format("process {} of the source grid", source),
                       fmt::format("one of {}, from 0, or -1", senders));
    std::int64_t& candidate = result[static_cast<std::size_t>(source)];
    if (candidate != kNoProcess)
      throw InputError("roles", fmt::format("process {} of the source grid twice", source), "each of them once");
    candidate = static_cast<std::int64_t>(c);
  }
  return result;
}

/// Every process, by rising numbers, as a candidate.
std::vector<Rank> sources_by_number(std::int64_t senders, std::int64_t receivers) {
  const std::int64_t processes = std::max(senders, receivers);
  if (processes > kMostListedMessages)
    throw InputError("roles", count_text(processes, "process", "processes"),
                     fmt::format("at most {}", kMostListedMessages));
  std::vector<Rank> sources;
  for (std::int64_t p = 0; p < processes; ++p) sources.emplace_back(p < senders ? p : kNoProcess);
  return sources;
}

TargetRoles assigned(const Traffic& traffic, std::span<const Rank> source_of_candidate) {
  const std::vector<std::int64_t> candidate_of =
      candidates_of_sources(traffic.senders, traffic.receivers, source_of_candidate);
  const auto candidates = static_cast<std::int32_t>(source_of_candidate.size());
  TargetRoles result;
  std::vector<Edge> edges;
  for (const Message& message : traffic.messages) {
    const std::int64_t candidate = candidate_of[static_cast<std::size_t>(message.from)];
    if (candidate == kNoProcess) continue;
    if (message.to == candidate) result.kept_before += message.size;
    edges.push_back({static_cast<std::int32_t>(candidate), static_cast<std::int32_t>(message.to), message.size});
  }
  const BipartiteGraph graph(candidates, candidates, edges);
  const Matching best = maximum_weight_matching(graph).matching;
  result.kept = matching_weight(graph, best);

  // A process without a role takes the role of its own number if that is free, otherwise the first free role.
  const auto count = static_cast<std::size_t>(candidates);
  result.role_of_process.assign(count, Rank(kNoProcess));
  std::vector<bool> taken(count, false);
  const auto give = [&](std::size_t process, std::size_t role) {
    result.role_of_process[process] = Rank(static_cast<std::int64_t>(role));
    taken[role] = true;
  };
  if (result.kept == result.kept_before) {
    for (std::size_t p = 0; p < count; ++p) give(p, p);
    return result;
  }
  for (std::size_t p = 0; p < count; ++p)
    if (best.left_edge[p] >= 0) give(p, static_cast<std::size_t>(graph.edge(best.left_edge[p]).right));
  for (std::size_t p = 0; p < count; ++p)
    if (result.role_of_process[p].value == kNoProcess && !taken[p]) give(p, p);
  std::size_t free_role = 0;
  for (std::size_t p = 0; p < count; ++p) {
    if (result.role_of_process[p].value != kNoProcess) continue;
    while (taken[free_role]) ++free_role;
    give(p, free_role);
  }
  return result;
}

}  // namespace

TargetRoles assign_target_roles(const RedistributionProblem& problem, std::span<const Rank> source_of_candidate) {
  return assigned(problem.traffic(), source_of_candidate);
}

TargetRoles assign_target_roles(const RedistributionProblem& problem) {
  return assign_target_roles(problem, sources_by_number(problem.from().processes(), problem.to().processes()));
}

TargetRoles assign_target_roles(const BatchProblem& problem, std::span<const Rank> source_of_candidate) {
  return assigned(problem.traffic(), source_of_candidate);
}

TargetRoles assign_target_roles(const BatchProblem& problem) {
  return assign_target_roles(problem, sources_by_number(problem.senders(), problem.receivers()));
}

}  // namespace sluice
