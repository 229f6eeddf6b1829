#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/schedule/validate.hpp"

/// What the ranks of a broadcast do, message by message: the common result of every method of `broadcast`, whether the
/// message goes whole through one tree or in parts through several, and all that an executor needs.
///
/// A send may start when every byte of its range has arrived (at once on the root), not before `port_s` have passed
/// since the start of the send before it, nor before `connection_s` have passed since the last one to the same rank. An
/// executor keeps this pace, or starts the next send as soon as the one before is complete, whichever is earlier:
/// several messages at once on one connection would all arrive as late as the last. It sends to each rank in the order
/// of the list. A send that has to wait may be overtaken by later ones to others; where many segments cross, that keeps
/// one late message from delaying all that come after it.
///
/// A rank receives straight into the message at `offset`. Between two ranks, messages come in the order of both lists.
/// Receives are listed in the order in which their messages start. A rank that takes them one at a time in this order
/// cannot deadlock with ranks that wait for it to do so; but it loses time where a later message is faster.
///
/// Bytes and seconds; times are what the model predicts, from the moment when the root has the message.
namespace sluice {

/// A message that a rank sends: a range of bytes of the broadcast's message.
struct ProgramSend {
  std::int64_t to = 0;      ///< rank
  std::int64_t offset = 0;  ///< in the message
  std::int64_t bytes = 0;   ///< at least 1
  double port_s = 0;        ///< how long it keeps the sender from its next send
  double connection_s = 0;  ///< and from its next one to the same rank; at least port_s
  double start_s = 0;       ///< when the sender begins
  double arrival_s = 0;     ///< when the receiver has it

  friend bool operator==(const ProgramSend&, const ProgramSend&) = default;
};

/// A message that a rank receives, straight to its place.
struct ProgramReceive {
  std::int64_t from = 0;    ///< rank
  std::int64_t offset = 0;  ///< in the message
  std::int64_t bytes = 0;   ///< at least 1

  friend bool operator==(const ProgramReceive&, const ProgramReceive&) = default;
};

/// What one rank does; both lists are in order.
struct RankProgram {
  std::vector<ProgramSend> sends;        ///< in the order in which it begins them
  std::vector<ProgramReceive> receives;  ///< in the order in which their messages start

  friend bool operator==(const RankProgram&, const RankProgram&) = default;
};

/// Ranks among which the MPI's own broadcast spreads the whole message: at least two. The first one has all of it, and
/// has begun all its sends. The others send and receive no other messages.
struct NativeBroadcast {
  std::vector<std::int64_t> ranks;  ///< the first one has the message
  double start_s = 0;               ///< when it begins
  double end_s = 0;                 ///< when all have the message

  friend bool operator==(const NativeBroadcast&, const NativeBroadcast&) = default;
};

/// A broadcast of one message to all ranks.
struct BroadcastProgram {
  std::string method;                   ///< what a person calls it, such as "ecef, binomial inside"
  std::int64_t root = 0;                ///< the rank that has the message
  std::int64_t bytes = 0;               ///< of the message; nothing is sent if 0
  std::vector<RankProgram> ranks;       ///< at least one
  std::vector<NativeBroadcast> native;  ///< a rank is in one of them at most
  double length_s = 0;                  ///< when the last rank has the message

  friend bool operator==(const BroadcastProgram&, const BroadcastProgram&) = default;
};

/// What is wrong with `program`; empty if nothing. `Violation::step` is -1; sends and receives are named in the reason,
/// by their position in the list of `Violation::rank`.
///
///  - the root in range; sizes at least 0; times finite and at least 0, `connection_s` at least `port_s`;
///  - every send and receive: the other rank in range and a different one, the range inside the message and not empty;
///  - between two ranks, sends and receives are the same ranges in the same order;
///  - broadcasts by the MPI: their ranks are in range, and none is in two of them or twice in one; all but the first of
///    each have no messages;
///  - the root receives nothing, neither by messages nor by a broadcast of the MPI; every other rank receives every
///    byte once, by messages or by such a broadcast;
///  - no deadlock: even if each rank sends one at a time in its order, receives one at a time in its order, and a send
///    waits for its receiver, every message passes;
///  - times: no send before its range has arrived or before its port and connection are free; no broadcast by the MPI
///    before its first rank has the message and a free port; the length is not below the last arrival, nor below the
///    end of such a broadcast.
///
/// Times are compared with a tolerance of 1e-9 of the length. Faults of the first four kinds end the check, as the rest
/// builds on them. O(m log m) time for m messages.
[[nodiscard]] std::vector<Violation> validate(const BroadcastProgram& program);

}  // namespace sluice
