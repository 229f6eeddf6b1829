#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/peeling.hpp"
#include "plan/redistribute/message_classes.hpp"
#include "plan/step_rule.hpp"

/// The steps that the named planners of redistribute make of messages, from any array.
namespace sluice::detail {

/// Most messages that are planned so.
inline constexpr std::int64_t kMostPlannedAsGraph = std::int64_t{1} << 20;

/// The steps that a named planner makes of messages.
struct NamedSteps {
  std::string algorithm;
  EdgeSteps steps;  ///< by the numbers of the messages
};

/// Whether there is an algorithm of that name that plans any messages.
[[nodiscard]] bool plans_graph(const std::string& algorithm);

/// The steps of messages by the planner of that name. For "auto": by `first-fit` of exchange and by all planners;
/// planners that peel matchings off are left out if messages times steps exceed `most_peeling`. None by a planner that
/// knows only closed forms. @pre messages.copies() == 1, at most kMostPlannedAsGraph messages
[[nodiscard]] std::vector<NamedSteps> named_steps(const MessageClasses& messages, const std::string& algorithm,
                                                  double most_peeling = kMostPeelingWork);

/// TC of these steps. @pre messages.copies() == 1
[[nodiscard]] std::int64_t transmission_of(const MessageClasses& messages, const EdgeSteps& steps);

}  // namespace sluice::detail
