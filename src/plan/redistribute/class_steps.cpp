#include "plan/redistribute/class_steps.hpp"

#include <fmt/format.h>

#include "sluice/error.hpp"
#include "sluice/graph/bipartite_graph.hpp"
#include "sluice/graph/edge_coloring.hpp"

namespace sluice::detail {

namespace {

/// One message: `duration` is an index into the durations of the assignment.
struct PlacedMessage {
  std::size_t number = 0;  ///< of its class
  std::size_t duration = 0;
  std::int32_t alpha = 0;
  std::int32_t beta = 0;
};

/// Deals edges between `unit_of_edge` and `duration_of_edge` out in `colors` colours: a unit has a whole multiple of
/// `colors` edges and gets equally many of each colour, a duration as evenly as can be.
std::vector<std::int32_t> balanced_colors(const std::vector<std::size_t>& unit_of_edge,
                                          const std::vector<std::size_t>& duration_of_edge, std::size_t units,
                                          std::size_t durations, std::int64_t colors) {
  if (colors == 1 || unit_of_edge.empty()) return std::vector<std::int32_t>(unit_of_edge.size(), 0);
  // A vertex is cut each time it has `colors` edges.
  const auto cut = [&](const std::vector<std::size_t>& end_of_edge, std::size_t ends, std::vector<std::int32_t>& part) {
    std::vector<std::int64_t> edges(ends, 0);
    std::vector<std::int32_t> current(ends, -1);
    std::int32_t parts = 0;
    for (const std::size_t end : end_of_edge) {
      if (edges[end]++ % colors == 0) current[end] = parts++;
      part.push_back(current[end]);
    }
    return parts;
  };
  std::vector<std::int32_t> lefts, rights;
  const std::int32_t left_parts = cut(unit_of_edge, units, lefts);
  const std::int32_t right_parts = cut(duration_of_edge, durations, rights);
  std::vector<Edge> edges;
  edges.reserve(lefts.size());
  for (std::size_t e = 0; e < lefts.size(); ++e) edges.push_back({lefts[e], rights[e], 1});
  EdgeColoring coloring = edge_coloring(BipartiteGraph(left_parts, right_parts, edges));
  SLUICE_ASSERT(coloring.colors == colors, fmt::format("{} colours instead of {}", coloring.colors, colors));
  return std::move(coloring.color);
}

/// The messages by group, in their order.
std::vector<std::vector<std::size_t>> by_group(const MessageClasses& messages, const std::vector<PlacedMessage>& placed,
                                               std::int32_t groups, std::int32_t MessageClass::*group) {
  std::vector<std::vector<std::size_t>> result(static_cast<std::size_t>(groups));
  for (std::size_t i = 0; i < placed.size(); ++i)
    result[static_cast<std::size_t>(messages.classes[placed[i].number].*group)].push_back(i);
  return result;
}

}  // namespace

EdgeSteps steps_of(const MessageClasses& messages, const ClassAssignment& assignment) {
  const std::int64_t copies = messages.copies();
  const std::size_t durations = assignment.durations.size();
  std::vector<PlacedMessage> placed;
  placed.reserve(messages.classes.size() * static_cast<std::size_t>(copies));
  for (std::size_t c = 0; c < messages.classes.size(); ++c) {
    const std::size_t before = placed.size();
    for (std::size_t t = 0; t < durations; ++t) {
      const std::int64_t count = assignment.messages[c][t];
      SLUICE_ASSERT(
          count == 0 || assignment.durations[t] >= messages.classes[c].length,
          fmt::format("class {} of length {} in steps of {}", c, messages.classes[c].length, assignment.durations[t]));
      placed.insert(placed.end(), static_cast<std::size_t>(count), PlacedMessage{c, t, 0, 0});
    }
    SLUICE_ASSERT(placed.size() - before == static_cast<std::size_t>(copies),
                  fmt::format("{} of {} messages of class {} placed", placed.size() - before, copies, c));
  }

  const auto deal = [&](const std::vector<std::vector<std::size_t>>& groups, std::int64_t colors, auto unit_of,
                        std::size_t units, std::int32_t PlacedMessage::*member) {
    std::vector<std::size_t> unit_of_edge, duration_of_edge;
    for (const std::vector<std::size_t>& group : groups) {
      unit_of_edge.clear();
      duration_of_edge.clear();
      for (const std::size_t i : group) {
        unit_of_edge.push_back(unit_of(placed[i]));
        duration_of_edge.push_back(placed[i].duration);
      }
      const std::vector<std::int32_t> colors_of_edges =
          balanced_colors(unit_of_edge, duration_of_edge, units, durations, colors);
      for (std::size_t i = 0; i < group.size(); ++i) placed[group[i]].*member = colors_of_edges[i];
    }
  };
  const auto senders = static_cast<std::size_t>(messages.left_copies);
  deal(
      by_group(messages, placed, messages.lefts, &MessageClass::left), messages.left_copies,
      [](const PlacedMessage& each) { return each.number; }, messages.classes.size(), &PlacedMessage::alpha);
  deal(
      by_group(messages, placed, messages.rights, &MessageClass::right), messages.right_copies,
      [&](const PlacedMessage& each) { return each.number * senders + static_cast<std::size_t>(each.alpha); },
      messages.classes.size() * senders, &PlacedMessage::beta);

  EdgeSteps result;
  result.step_of_edge.assign(placed.size(), -1);
  std::vector<std::vector<std::size_t>> of_duration(durations);
  for (std::size_t i = 0; i < placed.size(); ++i) of_duration[placed[i].duration].push_back(i);
  const auto vertices = [](std::int32_t groups, std::int64_t members) {
    return static_cast<std::int32_t>(groups * members);
  };
  for (std::size_t t = durations; t-- > 0;) {
    std::vector<Edge> edges;
    for (const std::size_t i : of_duration[t]) {
      const MessageClass& each = messages.classes[placed[i].number];
      edges.push_back({static_cast<std::int32_t>(each.left * messages.left_copies + placed[i].alpha),
                       static_cast<std::int32_t>(each.right * messages.right_copies + placed[i].beta), 1});
    }
    if (edges.empty()) continue;
    const EdgeColoring coloring = edge_coloring(BipartiteGraph(
        vertices(messages.lefts, messages.left_copies), vertices(messages.rights, messages.right_copies), edges));
    SLUICE_ASSERT(coloring.colors <= assignment.steps[t],
                  fmt::format("{} colours for {} steps", coloring.colors, assignment.steps[t]));
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const PlacedMessage& each = placed[of_duration[t][i]];
      const auto edge =
          (static_cast<std::int64_t>(each.number) * messages.left_copies + each.alpha) * messages.right_copies +
          each.beta;
      std::int32_t& step = result.step_of_edge[static_cast<std::size_t>(edge)];
      SLUICE_ASSERT(step < 0, fmt::format("message {} placed twice", edge));
      step = static_cast<std::int32_t>(result.steps) + coloring.color[i];
    }
    result.steps += coloring.colors;
  }
  return result;
}

}  // namespace sluice::detail
