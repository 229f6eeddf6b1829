#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "schedule/message_graph.hpp"
#include "sluice/timing/program_replay.hpp"
#include "timing/rank_network.hpp"
#include "timing/replay.hpp"
#include "timing/timed_messages.hpp"

namespace sluice::detail {

/// How long messages take over a platform: planners ask this, and nothing else. If the messages carry out a program for
/// the problem of `shape`, proven except for rounding:
///
///     bound(shape) <= floor(graph) <= replay(graph),    quick_floor(graph) <= floor(graph)
///
/// An estimate bounds nothing. Where `after` is said to be known, find_waits or lower has found it.
class Clock {
 public:
  /// Keeps `network`.
  explicit Clock(const RankNetwork& network, CombiningCosts combine_s_per_byte = {})
      : network_(network), combine_s_per_byte_(std::move(combine_s_per_byte)) {}

  /// For all programs for a problem, which is what `shape` says besides its operations: see program_bound.cpp.
  [[nodiscard]] ProgramBound bound(const Program& shape) const;
  /// The least that a replay may take before it begins: see replay_floor.cpp. @pre `after` is known
  [[nodiscard]] double floor(const MessageGraph& graph) const;
  /// How long the messages keep the port, link, uplink or rank that they keep longest. O(messages). It is lower than
  /// floor(), which needs what messages wait for: finding that takes far longer, and planners put most programs aside
  /// by this floor.
  [[nodiscard]] double quick_floor(const MessageGraph& graph) const;
  /// As the public least_time_of, which says what takes that long. It is lower than floor(), as a program's file may
  /// state an estimate. @pre `after` is known
  [[nodiscard]] ProgramBound least_time(const MessageGraph& graph) const;

  /// About as long as the replay, in one walk over the messages: see program_estimate.cpp. @pre `after` is known
  [[nodiscard]] double estimate(const MessageGraph& graph) const;
  /// A lower bound of the estimate, not of the replay: in the estimate a message over a link of one connection keeps
  /// its ports for as long as the link, in the replay for less. O(messages).
  [[nodiscard]] double load(const MessageGraph& graph) const;

  /// Nothing if it gives up: see replay.cpp. @pre `after` is known
  [[nodiscard]] std::optional<ReplayResult> replay(const MessageGraph& graph, ReplayLimits& limits) const {
    return replay_messages(network_, graph, combine_s_per_byte_, limits);
  }
  /// Gives `messages` the times of their replay, and sorts them by their starts in it. False if it gives up: then they
  /// keep their times. Finds what they wait for if it is not known.
  [[nodiscard]] bool replay(TimedMessages& messages, ReplayLimits& limits) const;

  /// By message: for how long it keeps the port of its rank, and the connection between its two ranks. A graph with
  /// this pace starts each send of a rank when the port would be done with the previous one. A library that goes step
  /// by step does so. Without a pace sends go side by side.
  [[nodiscard]] std::vector<SendPace> pace_in_turn(const MessageGraph& graph) const;

 private:
  const RankNetwork& network_;
  CombiningCosts combine_s_per_byte_;
};

}  // namespace sluice::detail
