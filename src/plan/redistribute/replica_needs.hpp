#pragma once

#include <cstdint>
#include <vector>

#include "sluice/input/replicated_problem.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice::detail {

/// What a receiver needs of process `process` of the source, from whichever of its copies.
struct ReplicaNeed {
  std::int64_t process = 0;   ///< 0 .. P - 1
  std::int64_t receiver = 0;  ///< t Q + q
  std::int64_t offset = 0;    ///< where it begins in what the receiver gets
  std::int64_t size = 0;      ///< above 0
};

/// What has to be sent to copies 0 .. `copies` - 1 of the target, by process, then receiver; and what receivers that
/// are also senders have already.
struct ReplicaNeeds {
  std::vector<ReplicaNeed> sent;
  std::vector<Transfer> copied;
};
[[nodiscard]] ReplicaNeeds needs_of(const ReplicatedProblem& problem, std::int64_t copies);

/// Each need whole, the largest first, from the copy of the source whose process has the least to send by then.
[[nodiscard]] std::vector<Transfer> dealt_whole(const ReplicatedProblem& problem, std::vector<ReplicaNeed> needs);
/// The needs of a process laid end to end and cut into R parts of the same size, rounded up: McNaughton's wrap-around.
/// At most R - 1 needs of a process are cut.
[[nodiscard]] std::vector<Transfer> dealt_evenly(const ReplicatedProblem& problem,
                                                 const std::vector<ReplicaNeed>& needs);

/// The bounds of replicated_bounds, `direct` for sending `needs` from the source; `needs` are all that receivers get.
[[nodiscard]] Cost direct_bound(const ReplicatedProblem& problem, const std::vector<ReplicaNeed>& needs, double setup);

}  // namespace sluice::detail
