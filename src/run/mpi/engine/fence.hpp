#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "run/mpi/runtime/channel.hpp"

namespace sluice::mpi::detail {

/// A barrier: a rank enters, and goes on when all have. Its messages are control messages of one kind, of ceil(log2 n)
/// rounds (dissemination).
///
/// Between two executions a rank enters at the start of the second one, not at the end of the first. A rank that has
/// gone through a fence has received all messages of the fence, so none is on its way if no execution follows. A
/// message that arrives after its communicator was freed may be taken for one of the next communicator.
class Fence {
 public:
  /// Kinds of its messages, above the gates' kinds.
  static constexpr std::int64_t kExecution = 1 << 16;
  static constexpr std::int64_t kConsensus = kExecution + 1;

  /// The channel must outlive the fence. `kind`: one fence at a time for each.
  explicit Fence(Channel& channel, std::int64_t kind = kExecution);

  void enter();
  /// Whether everybody has entered as often as this rank.
  bool open();
  /// A message of its kind has come.
  void take(const Control& control);

 private:
  Channel& channel_;
  std::int64_t kind_;
  int rounds_ = 0;
  int round_ = 0;  ///< of the present time: earlier rounds are over
  std::int64_t entered_ = 0;
  /// Messages of each round that have come, of this time and of the next one: no rank is further ahead.
  std::array<std::vector<int>, 2> come_;
};

}  // namespace sluice::mpi::detail
