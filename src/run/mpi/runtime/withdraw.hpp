#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <list>
#include <span>
#include <vector>

#include "run/mpi/runtime/channel.hpp"

namespace sluice::mpi::detail {

/// The requests of an execution that was given up on this rank.
struct Withdrawn {
  std::span<MPI_Request> requests;
  /// The receiver of the send at that place; MPI_PROC_NULL if the send need not end.
  std::function<int(std::size_t)> receiver_of_send;
  std::function<bool(std::size_t)> is_receive;
  /// Appends the ranks that may have sent to this one; each may come several times.
  std::function<void(std::vector<int>&)> add_senders;
  /// If an execution was running: gets the requests that MPI has not ended, for which it has room, and is handed to the
  /// context. Else null.
  std::list<Leftover>* leftover = nullptr;
};

/// Ends the requests as far as MPI can be stopped, so that it no longer writes to their memory, nor reads from it.
///
/// A receive that nothing has come for is cancelled. One that has begun cannot be: it needs its sender to go on, which
/// cannot know of it, as MPI cancels no sends. So every rank waits for its receives that have begun, and then tells its
/// senders that it has none any more (Channel::let_go); whoever has sends under way waits until their receivers have
/// said so. A rank that has begun nothing says so, too.
///
/// A rank that waits for something else, outside of MPI, says nothing: nobody waits for longer than quiet_s() without
/// anything coming to an end. What is left then, and sends that nobody will receive, the context keeps.
///
/// After MPI_Finalize there is nothing to be stopped any more.
///
/// `parts`: all that this rank has in that channel, as a sender that is told so waits for none of them.
void withdraw(Channel& channel, std::span<const Withdrawn> parts) noexcept;
inline void withdraw(Channel& channel, const Withdrawn& withdrawn) noexcept { withdraw(channel, {&withdrawn, 1}); }

/// How long a rank that has given up waits for MPI while nothing happens. Between hosts longer than TCP needs to
/// repeat what was lost twice.
[[nodiscard]] double quiet_s(const Context& context);

}  // namespace sluice::mpi::detail
