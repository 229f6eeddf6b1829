#pragma once

#include <cstdint>
#include <optional>

#include "base/infinity.hpp"
#include "schedule/message_waits.hpp"
#include "schedule/program_messages.hpp"
#include "sluice/stop.hpp"
#include "sluice/timing/program_replay.hpp"
#include "timing/rank_network.hpp"

namespace sluice::detail {

/// How the sends of a rank that wait for nothing follow each other.
enum class SendOrder : std::uint8_t {
  kSideBySide,  ///< at once; sends to one rank as its connection carries them
  kInTurn,      ///< each when the port would be done with the previous one: as a library that goes step by step
};

/// When a replay gives up: see ReplayInput::most_work and most_s. A work of 50 million takes some seconds.
struct ReplayLimits {
  double work_left = kInfinity;  ///< the work done is taken off
  double most_s = kInfinity;
  double least_work = 0;  ///< for most_s, with to_the_time
  bool to_the_time = false;
  StopRequest stop = {};
  bool longer = false;  ///< whether it gave up because it takes longer than most_s
};
/// As the public replay, for a program that is known to be sound; nothing if it gives up.
[[nodiscard]] std::optional<ReplayedProgram> replay(const RankNetwork& network, const Program& program, SendOrder order,
                                                    ReplayLimits& limits);

/// For how long a message keeps what it passes, in port_s and connection_s.
[[nodiscard]] MessageCosts pace_of(const RankNetwork& network, const ProgramOperation& send);

/// A program that is timed before it is written down, if it ever is.
struct TimedProgram {
  ProgramMessages messages;
  MessageWaits waits;
  CombiningCosts combine_s_per_byte = {};
};
/// The length of its replay; nothing if that gives up.
[[nodiscard]] std::optional<double> replayed_length(const RankNetwork& network, const TimedProgram& program,
                                                    ReplayLimits& limits);
/// An estimate of replayed_length, in one walk over the operations.
[[nodiscard]] double estimated_length(const RankNetwork& network, const TimedProgram& program);

/// A lower bound of estimates: how long the messages keep the port, link or uplink that they keep longest.
[[nodiscard]] double load_of(const RankNetwork& network, const ProgramMessages& messages);

/// A lower bound, except for rounding, of the replay of programs with these messages: how long they keep the port,
/// link, uplink or rank that they keep longest. O(messages).
[[nodiscard]] double replay_at_least(const RankNetwork& network, const ProgramMessages& messages,
                                     const CombiningCosts& combine_s_per_byte);

}  // namespace sluice::detail
