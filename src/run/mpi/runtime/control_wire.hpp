#pragma once

#include <cstdint>

namespace sluice::mpi::detail {

/// The tag of all control messages.
inline constexpr int kControlTag = 0;

// Values of Control::kind for the library's own messages.
inline constexpr std::int64_t kGivenUp = -1;  ///< word of a failure
inline constexpr std::int64_t kLetGo = -2;    ///< the sender receives nothing more of the channel from the receiver
/// The sender has given up, sends the receiver nothing more of the channel, and stays until it needs no answer.
inline constexpr std::int64_t kSendsNoMore = -3;

}  // namespace sluice::mpi::detail
