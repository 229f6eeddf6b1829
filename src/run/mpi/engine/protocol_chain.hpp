#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/mpi/engine/fence.hpp"
#include "run/mpi/engine/step_protocol.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "schedule/early_release.hpp"

namespace sluice::mpi::detail {

/// What a rank has to know of a plan, beside its messages, to keep the others waiting no longer than they must.
struct ChainLinks {
  /// A send of some rank, by its step; the rank has no other send in that step. Rank -1: none.
  struct Send {
    int rank = -1;
    std::int64_t step = 0;
  };
  struct OwnSend {
    std::int64_t step = 0;
    int permissions = 1;  ///< how many it waits for, at least 1
  };

  std::vector<OwnSend> sends;  ///< steps rise
  std::vector<Send> senders;   ///< for each own receive: the send at the other end
  /// For each own receive: the sends that take over its slot. None or one, more if k rises after its step; empty: there
  /// are none.
  std::vector<std::vector<Send>> successors;
  std::vector<std::int64_t> bytes;  ///< of each own receive
};

/// Mode `chain`: never more than k transfers at once and one per port, without a barrier and without anybody in charge.
///
/// Problem: a network that carries k transfers at full speed, and steps of at most k each. A barrier between steps
/// keeps k, but all wait for the slowest of a step; without one each rank runs ahead at its own pace, and more than k
/// meet.
///
/// Without a k that is less than what ports allow there are no slots: a `go` from its receiver is all that a send waits
/// for.
///
/// Method: k slots, each a chain of transfers through the steps; the plan says who follows whom. The first piece of a
/// transfer goes when two conditions hold. Its sender has handed over all pieces of its earlier sends. And it has two
/// permissions, both short messages. `go` comes from its receiver, when the receiver's previous receive is released.
/// The slot's token comes from the receiver of the slot's previous transfer, when that one is released. Released means
/// that at most `early_bytes` are missing (EarlyRelease). There is no token for a slot's first transfer, nor between
/// two transfers to one receiver: there `go` says as much. If k rises from one step to the next, new slots continue a
/// transfer of another slot, whose receiver then gives several tokens. A plan for shared links has slots for each link
/// instead, as many as the link carries. A transfer then waits for a token of each link that it uses (waits_in_chain).
///
/// Guarantee: at most k transfers have begun and have not been released (over each shared link as many as it carries),
/// and at most one for each receiver. Beyond that, two things may be on their way: the last `early_bytes` of what a
/// receiver has released, and at a sender the last `window` pieces of its earlier sends.
///
/// No deadlock: every permission comes from a transfer of a lower step, or from the receiver's start.
///
/// Cost: a short message per transfer, and one for each token. Between two executions there is a fence; in it nobody
/// waits longer than the next execution needs to keep k. Memory: O(transfers of this rank). The bytes do not depend on
/// the timing; the order at a rank is the plan's.
///
/// Source: the steps are from Cohen, Jeannot, Padoy, Wagner, "Messages Scheduling for Parallel Data Redistribution
/// between Clusters", who separate them by barriers (section 8.3). Slots and early release are ours: on a backbone of
/// token buckets their barriers cost up to half the time.
///
/// Example, k = 1, step 0: A to B, step 1: C to D. The slot goes from A's transfer to C's: B tells C when its last
/// piece is due; D's `go` has been at C since the beginning.
class ChainProtocol final : public StepProtocol {
 public:
  ChainProtocol(Channel& channel, ChainLinks links, std::int64_t early_bytes);

  [[nodiscard]] bool synchronous() const override { return true; }
  void begin(StepExecutor& executor) override;
  bool progress(StepExecutor& executor) override;
  bool may_start(std::size_t send) override { return waiting_for_[send] == 0; }
  void received(std::size_t receive, std::int64_t bytes) override { release_.received(receive, bytes); }
  bool finish() override;

 private:
  void permit(const ChainLinks::Send& send);
  void take(int from, const Control& control);

  Channel& channel_;
  ChainLinks links_;
  sluice::detail::EarlyRelease release_;
  Fence fence_;
  std::vector<int> waiting_for_;  ///< permissions that have not come, of each own send
  bool started_ = false;
  std::int64_t execution_ = 0;
  std::vector<Channel::Received> early_;  ///< what ranks that are one execution ahead have sent
};

}  // namespace sluice::mpi::detail
