#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <vector>

#include "run/mpi/runtime/channel.hpp"

namespace sluice::mpi::detail {

/// The requests of an execution that was given up on this rank.
struct Withdrawn {
  std::span<MPI_Request> requests;
  /// The other rank of the request at that place; MPI_PROC_NULL for a send whose end nobody has to wait for.
  std::function<int(std::size_t)> peer;
  std::function<bool(std::size_t)> is_receive;
  /// Appends the ranks that may have sent this one something that has not arrived. A rank may come several times.
  std::function<void(std::vector<int>&)> add_senders;
  /// Appends the ranks that this one may have sent to. A rank may come several times.
  std::function<void(std::vector<int>&)> add_receivers;
  std::int64_t bytes = 0;  ///< under way in both directions
  /// If an execution was running: takes the requests that MPI has not ended, has room for them, and goes to the
  /// context. Otherwise null.
  std::list<Leftover>* leftover = nullptr;
};

/// Ends the requests as far as MPI can be stopped, so that it no longer writes to their memory, nor reads from it.
///
/// MPI cancels a receive if nothing has come for it, but neither a receive that has begun nor a send. So the ranks
/// talk:
/// 1. Each rank cancels its receives and tells all its peers that it sends no more. MPI delivers this message after all
///    data that the rank has sent to that peer.
/// 2. A rank whose receives have ended answers each sender that has told it so: it has let go. The sender then knows
///    two things. Nothing more will ask for its data, and what MPI had queued of them has arrived, so MPI reads its
///    memory no more. (Over TCP, MPI sends the first part of a message from the user's memory and queues it there.)
/// 3. A rank waits until it has answered all its senders, and until the receivers of its sends have answered.
/// A rank that has begun nothing does so, too.
///
/// A rank that waits for something else, outside of MPI, says nothing. Nobody waits for it for longer than quiet_s()
/// after the last event. What is left then the context keeps, but the memory of a send is the user's. A rank that has
/// said that it sends no more is in step 2 or 3, so the others wait for it for longer.
///
/// After MPI_Finalize there is nothing to be stopped any more.
///
/// `parts`: all that this rank has in that channel, as its peers hear from it once.
void withdraw(Channel& channel, std::span<const Withdrawn> parts) noexcept;
inline void withdraw(Channel& channel, const Withdrawn& withdrawn) noexcept { withdraw(channel, {&withdrawn, 1}); }

/// How long a rank that has given up waits for one that says nothing, while nothing happens and `bytes` are under way.
/// Between hosts longer than TCP needs to repeat twice what was lost.
[[nodiscard]] double quiet_s(const Context& context, std::int64_t bytes = 0);

}  // namespace sluice::mpi::detail
