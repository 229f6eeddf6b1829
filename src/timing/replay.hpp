#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/infinity.hpp"
#include "sluice/stop.hpp"
#include "timing/rank_network.hpp"
#include "timing/timed_messages.hpp"

namespace sluice::detail {

/// A message of what is replayed.
struct ReplayMessage {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t bytes = 0;
  double port_s = 0;        ///< as for TimedMessage
  double connection_s = 0;  ///< as for TimedMessage
  double work_s = 0;        ///< for so long its receiver works on it, when it is there with all that it waits for
};

enum class ReplayEnd : std::uint8_t { kSender, kReceiver };

/// One message waits for another. kSender: its start waits. kReceiver: its end at the receiver waits. That end comes
/// when the message is there, all that it waits for has ended, and its receiver has worked on it.
struct ReplayWait {
  std::size_t ended = 0;  ///< a message
  ReplayEnd ended_at = ReplayEnd::kReceiver;
  std::size_t waiting = 0;
  ReplayEnd waits_at = ReplayEnd::kSender;
};

struct ReplayInput {
  /// The messages. If a rank may start several, it sends them in this order.
  std::vector<ReplayMessage> messages;
  std::vector<ReplayWait> waits;
  /// The replay gives up when it has found more rates of messages than this, or when it seems that it will. The number
  /// of rates is a measure of its work.
  double most_rates = kInfinity;
  double most_work = kInfinity;  ///< the replay also gives up when FlowRates::work is more
  /// The replay also gives up when it is sure to last longer than `most_s`. With `to_the_time` it gives up when it has
  /// come to the time `most_s` and has done at least `least_work` of that work.
  double most_s = kInfinity, least_work = 0;
  bool to_the_time = false;
  StopRequest stop;  ///< and when this says so
};

struct ReplayResult {
  struct Times {
    double start = 0;
    double left = 0;  ///< the sender may use its memory again
    double arrival = 0;
  };
  std::vector<Times> messages;
  std::vector<std::size_t> started;  ///< messages in the order of their starts
  double length = 0;
  double rates = 0;      ///< the number of rates found
  double work = 0;       ///< FlowRates::work
  bool complete = true;  ///< otherwise it gave up, and the times mean nothing
  bool longer = false;   ///< it gave up because it takes longer than most_s
};

/// When messages start and arrive if messages that share a port or a link share its rate: see replay.cpp.
/// @pre no messages wait for each other in a circle
[[nodiscard]] ReplayResult replay_messages(const RankNetwork& network, const ReplayInput& input);

/// `messages` with the times of their replay, in the order of their starts in it. `rates_left`: nothing if the replay
/// takes more rates (ReplayInput::most_rates); the rates found are taken off.
[[nodiscard]] std::optional<TimedMessages> replayed(const RankNetwork& network, const TimedMessages& messages,
                                                    double* rates_left = nullptr);

}  // namespace sluice::detail
