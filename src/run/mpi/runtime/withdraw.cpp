#include "run/mpi/runtime/withdraw.hpp"

#include <algorithm>
#include <new>

#include "run/mpi/runtime/simulation.hpp"
#include "run/mpi/runtime/waiting.hpp"

namespace sluice::mpi::detail {
namespace {

/// Whether any of them has come to its end, which MPI_REQUEST_NULL says afterwards.
bool any_ended(std::span<MPI_Request> requests) {
  bool ended = false;
  for (MPI_Request& request : requests) {
    if (request == MPI_REQUEST_NULL) continue;
    int done = 0;
    // One that failed is null, too, or will never end.
    (void)MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    ended = ended || done != 0;
  }
  return ended;
}

void tell_senders(Channel& channel, std::span<const Withdrawn> parts) noexcept {
  try {
    std::vector<int> senders;
    for (const Withdrawn& part : parts) part.add_senders(senders);
    std::ranges::sort(senders);
    senders.erase(std::unique(senders.begin(), senders.end()), senders.end());
    for (const int sender : senders) channel.tell_let_go(sender);
  } catch (...) {
    // They wait for as long as they wait for a rank that says nothing.
  }
}

/// Whether receives, or sends whose receivers have not let go, have not ended.
bool any_under_way(const Channel& channel, const Withdrawn& part, bool receives) {
  for (std::size_t i = 0; i < part.requests.size(); ++i) {
    if (part.requests[i] == MPI_REQUEST_NULL || part.is_receive(i) != receives) continue;
    if (receives) return true;
    const int receiver = part.receiver_of_send(i);
    if (receiver != MPI_PROC_NULL && !channel.let_go(receiver)) return true;
  }
  return false;
}

/// Cancels what can be cancelled and waits for the rest.
void stop(Channel& channel, std::span<const Withdrawn> parts) noexcept {
  const auto under_way = [&](bool receives) {
    return std::ranges::any_of(parts, [&](const Withdrawn& part) { return any_under_way(channel, part, receives); });
  };
  const auto look = [&] {
    bool moved = false;
    for (const Withdrawn& part : parts) moved = any_ended(part.requests) || moved;
    return moved;
  };
  for (const Withdrawn& part : parts) {
    for (std::size_t i = 0; i < part.requests.size(); ++i) {
      if (part.requests[i] != MPI_REQUEST_NULL && part.is_receive(i)) (void)MPI_Cancel(&part.requests[i]);
    }
  }
  const double longest_s = quiet_s(channel.context());
  double deadline = MPI_Wtime() + longest_s;
  bool told = !channel.failed();  // else it ended well, and there is nobody who would not know
  std::size_t heard = channel.let_go_by();
  for (Patience patience;; patience.look_again()) {
    bool moved = look();
    if (!told && !under_way(true)) {
      told = true;
      tell_senders(channel, parts);
    }
    try {
      channel.context().poll();
    } catch (...) {
      // The next look may find something.
    }
    moved = moved || channel.let_go_by() > heard;
    heard = channel.let_go_by();
    if (told && !under_way(false)) break;
    const double now = MPI_Wtime();
    if (moved) deadline = now + longest_s;
    if (now > deadline) break;
  }
  // Those whose receivers have them may need one more look.
  (void)look();
}

}  // namespace

double quiet_s(const Context& context) {
  constexpr double kOnOneNode_s = 0.25;
  constexpr double kBetweenHosts_s = 0.8;  // TCP repeats after 0.2 s, and after 0.4 s more
  if (kSimulated) return 0;
  return context.one_node() ? kOnOneNode_s : kBetweenHosts_s;
}

void withdraw(Channel& channel, std::span<const Withdrawn> parts) noexcept {
  if (channel.context().alive()) stop(channel, parts);
  for (const Withdrawn& part : parts) {
    if (part.leftover == nullptr) continue;
    for (const MPI_Request request : part.requests) {
      if (request != MPI_REQUEST_NULL) part.leftover->front().requests.push_back(request);
    }
    channel.context().keep(*part.leftover);
  }
}

}  // namespace sluice::mpi::detail
