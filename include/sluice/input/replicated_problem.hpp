#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sluice/index.hpp"
#include "sluice/input/redistribution_problem.hpp"
#include "sluice/input/traffic.hpp"

namespace sluice {

/// Describes a redistribution between several copies. R copies of the source array lie on R x P processes: process p of
/// copy a is sender a P + p. S copies of the target array are wanted on S x Q processes: process q of copy t is
/// receiver t Q + q. Every copy of the target is complete. An element may come from any copy of the source. A receiver
/// that has it may forward it to the same process of another copy.
///
/// Receiver t Q + q gets the same data for every t: the messages of processes 0, 1, ... to process q, one after
/// another. Offsets are positions in this sequence.
class ReplicatedProblem {
 public:
  /// Makes the problem.
  ///
  ///  - `one`: from one copy to one copy, without roles
  ///  - `from_replicas`, `to_replicas`: R and S, at least 1, not both 1
  ///
  /// Throws InputError for numbers out of range, for more than 2^26 processes on a side, and for roles.
  ReplicatedProblem(RedistributionProblem one, std::int64_t from_replicas, std::int64_t to_replicas);

  /// Returns the problem from one copy to one copy.
  [[nodiscard]] const RedistributionProblem& one() const { return one_; }
  /// Returns R, the number of copies of the source array.
  [[nodiscard]] std::int64_t from_replicas() const { return from_replicas_; }
  /// Returns S, the number of copies of the target array.
  [[nodiscard]] std::int64_t to_replicas() const { return to_replicas_; }
  /// Returns R P, the number of processes of all copies of the source.
  [[nodiscard]] std::int64_t senders() const { return from_replicas_ * one_.from().processes(); }
  /// Returns S Q, the number of processes of all copies of the target.
  [[nodiscard]] std::int64_t receivers() const { return to_replicas_ * one_.to().processes(); }

  /// Returns the same problem among processes that may be on both sides. Data that such a process needs from itself is
  /// a copy, which needs no port.
  ///
  ///  - `role_of_sender`: sender s is receiver role_of_sender[s], or no receiver if that is outside of 0 .. S Q - 1;
  ///    further entries have no effect
  ///
  /// Throws InputError for too few entries, and for a role given twice.
  [[nodiscard]] ReplicatedProblem with_roles(std::span<const Rank> role_of_sender) const;
  /// Returns true if with_roles said which processes are on both sides.
  [[nodiscard]] bool has_roles() const { return !sender_of_receiver_.empty(); }
  /// Returns the sender that is the same process as `receiver`, or -1 if there is none.
  [[nodiscard]] std::int64_t sender_of(std::int64_t receiver) const {
    return has_roles() ? sender_of_receiver_[static_cast<std::size_t>(receiver)] : -1;
  }

 private:
  RedistributionProblem one_;
  std::int64_t from_replicas_;
  std::int64_t to_replicas_;
  std::vector<std::int64_t> sender_of_receiver_;
};

}  // namespace sluice
