#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/infinity.hpp"
#include "plan/network/rank_network.hpp"
#include "plan/network/timed_messages.hpp"
#include "sluice/plan/stop.hpp"

namespace sluice::detail {

/// A message of what is replayed.
struct ReplayMessage {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t bytes = 0;
  double port_s = 0;        ///< as for TimedMessage
  double connection_s = 0;  ///< the same
  double work_s = 0;        ///< for so long its receiver works on it, when it is there with all that it waits for
};

enum class ReplayEnd : std::uint8_t { kSender, kReceiver };

/// What waits for what: the start of a message (kSender), or its end where it was received, which then comes when it is
/// there, all that it waits for has ended, and its receiver has worked on it.
struct ReplayWait {
  std::size_t ended = 0;  ///< a message
  ReplayEnd ended_at = ReplayEnd::kReceiver;
  std::size_t waiting = 0;
  ReplayEnd waits_at = ReplayEnd::kSender;
};

struct ReplayInput {
  /// Those of one rank in the order in which it sends them where several may start.
  std::vector<ReplayMessage> messages;
  std::vector<ReplayWait> waits;
  /// Stops the replay when it has computed more rates of messages than this, or is expected to. Its work is about
  /// proportional to this number.
  double most_rates = kInfinity;
  double most_work = kInfinity;  ///< stops the replay when FlowRates::work is above this
  /// Stops the replay when the replayed time is above `most_s`, and FlowRates::work above `least_work`. Unless
  /// `to_the_time` is set, it also stops when it is proven to end after `most_s`.
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
  double rates = 0;      ///< found
  double work = 0;       ///< the same
  bool complete = true;  ///< else it gave up, and the times mean nothing
  bool longer = false;   ///< as it takes longer than most_s
};

/// When messages start and arrive where those that share a port or a link share its rate: see replay.cpp. They must be
/// such that all can pass.
[[nodiscard]] ReplayResult replay_messages(const RankNetwork& network, const ReplayInput& input);

/// The same messages with the times of their replay, in the order of their starts there. `rates_left`: nothing if that
/// takes more rates (ReplayInput::most_rates); those that were found are taken off.
[[nodiscard]] std::optional<TimedMessages> replayed(const RankNetwork& network, const TimedMessages& messages,
                                                    double* rates_left = nullptr);

}  // namespace sluice::detail
