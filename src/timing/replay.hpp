#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/infinity.hpp"
#include "schedule/message_graph.hpp"
#include "sluice/stop.hpp"
#include "timing/rank_network.hpp"

namespace sluice::detail {

/// When a replay gives up. A work of 50 million takes some seconds.
struct ReplayLimits {
  /// It gives up when it has done this much work (FlowRates::work); the work done is taken off.
  double work_left = kInfinity;
  /// It gives up when it has found this many rates of messages, or when it seems that it will. The rates found are
  /// taken off.
  double rates_left = kInfinity;
  /// It gives up when it is sure to last longer than `most_s`. With `to_the_time` it gives up when it has come to the
  /// time `most_s` and has done at least `least_work`.
  double most_s = kInfinity, least_work = 0;
  bool to_the_time = false;
  StopRequest stop = {};  ///< and when this says so
  bool longer = false;    ///< whether it gave up because it takes longer than most_s
};

struct ReplayResult {
  struct Times {
    double start = 0;
    double left = 0;  ///< the sender may use its memory again
    double arrival = 0;
  };
  std::vector<Times> messages;
  std::vector<std::size_t> started;  ///< messages in the order of their starts
  double length_s = 0;
};

/// When messages start and arrive if messages that share a port or a link share its rate: see replay.cpp. If a rank may
/// start several messages, it sends them in the order of the list. Nothing if it gives up.
/// @pre what ends wait for is known, and they do not wait for each other in a circle
[[nodiscard]] std::optional<ReplayResult> replay_messages(const RankNetwork& network, const MessageGraph& graph,
                                                          const CombiningCosts& combine_s_per_byte,
                                                          ReplayLimits& limits);

/// The least that the replay takes, as it is known before it begins: see replay_floor.cpp. @pre as above
[[nodiscard]] double replay_floor(const RankNetwork& network, const MessageGraph& graph,
                                  const CombiningCosts& combine_s_per_byte);

}  // namespace sluice::detail
