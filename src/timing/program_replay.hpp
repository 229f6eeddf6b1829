#pragma once

#include <cstdint>
#include <optional>

#include "schedule/message_graph.hpp"
#include "sluice/timing/program_replay.hpp"
#include "timing/rank_network.hpp"
#include "timing/replay.hpp"

namespace sluice::detail {

/// How the sends of a rank that wait for nothing follow each other.
enum class SendOrder : std::uint8_t {
  kSideBySide,  ///< at once; sends to one rank as its connection carries them
  kInTurn,      ///< each when the port would be done with the previous one: as a library that goes step by step
};

/// As the public replay, for a program that is known to be sound; nothing if it gives up.
[[nodiscard]] std::optional<ReplayedProgram> replay(const RankNetwork& network, const Program& program, SendOrder order,
                                                    ReplayLimits& limits);

/// For how long a message keeps what it passes, in port_s and connection_s.
[[nodiscard]] MessageCosts pace_of(const RankNetwork& network, const ProgramOperation& send);

/// The length of the replay of messages whose waits are known; nothing if it gives up.
[[nodiscard]] std::optional<double> replayed_length(const RankNetwork& network, const MessageGraph& graph,
                                                    const CombiningCosts& combine_s_per_byte, ReplayLimits& limits);
/// An estimate of replayed_length, in one walk over the messages.
[[nodiscard]] double estimated_length(const RankNetwork& network, const MessageGraph& graph,
                                      const CombiningCosts& combine_s_per_byte);

/// A lower bound of estimates: how long the messages keep the port, link or uplink that they keep longest.
[[nodiscard]] double load_of(const RankNetwork& network, const MessageGraph& graph);

/// A lower bound, except for rounding, of the replay of programs with these messages: how long they keep the port,
/// link, uplink or rank that they keep longest. O(messages).
[[nodiscard]] double replay_at_least(const RankNetwork& network, const MessageGraph& graph,
                                     const CombiningCosts& combine_s_per_byte);

}  // namespace sluice::detail
