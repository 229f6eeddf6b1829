#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/mpi/engine/fence.hpp"
#include "run/mpi/engine/gate.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "schedule/early_release.hpp"
#include "schedule/own_part.hpp"

namespace sluice::mpi::detail {

using sluice::detail::OwnPart;

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
class ChainGate final : public Gate {
 public:
  /// For lane 0 of `part`, which must last as long as this object.
  ChainGate(Channel& channel, const OwnPart& part, std::int64_t early_bytes);

  [[nodiscard]] bool synchronous() const override { return true; }
  void begin(OrderedCarrier& carrier) override;
  bool progress(OrderedCarrier& carrier) override;
  bool may_start(std::size_t send) override { return waiting_for_[send] == 0; }
  void received(std::size_t receive, std::int64_t bytes) override { release_.received(receive, bytes); }
  bool finish() override;

 private:
  /// Lets a send of another rank go.
  void permit(int rank, std::int64_t step);
  /// Lets the send of receive number `receive` go.
  void go(std::size_t receive) { permit(own(receives_[receive]).peer, own(receives_[receive]).step); }
  void take(int from, const Control& control);
  [[nodiscard]] const OwnPart::Own& own(std::uint32_t end) const { return part_.ends[end]; }

  Channel& channel_;
  const OwnPart& part_;
  std::vector<std::uint32_t> sends_;     ///< ends
  std::vector<std::uint32_t> receives_;  ///< ends
  sluice::detail::EarlyRelease release_;
  Fence fence_;
  std::vector<int> waiting_for_;  ///< permissions that have not come, of each own send
  bool started_ = false;
  std::int64_t execution_ = 0;
  std::vector<Channel::Received> early_;  ///< what ranks that are one execution ahead have sent
};

}  // namespace sluice::mpi::detail
