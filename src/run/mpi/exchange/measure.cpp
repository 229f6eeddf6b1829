#include "sluice/run/mpi/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

#include "run/mpi/agreement.hpp"
#include "run/mpi/collective.hpp"
#include "run/mpi/communicator.hpp"
#include "run/mpi/waiting.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi {
namespace {

using detail::Communicator;
using detail::Patience;

constexpr int kDataTag = 1;
constexpr int kEndTag = 2;
constexpr int kPieceBytes = 32 << 10;

struct Pair {
  int from = 0;
  int to = 0;
};

/// Ranks that send something to others, each with one that receives something, every rank once at most. The same on all
/// ranks. O(ranks^2) time at worst, O(ranks) where two groups are coupled.
std::vector<Pair> pairs_of(const Communicator& comm, const std::vector<MessageSize>& sends) {
  ExchangeJobOptions list;
  list.mode = ExchangeMode::kList;
  const Exchange exchange(comm.get(), sends, list);
  const auto with_others = [&](const std::vector<MessageSize>& messages) {
    return std::ranges::any_of(messages, [&](const auto& m) { return m.bytes > 0 && m.peer != comm.rank(); });
  };
  const std::array<char, 2> own{static_cast<char>(with_others(exchange.sends())),
                                static_cast<char>(with_others(exchange.receives()))};
  std::vector<char> all(2 * static_cast<std::size_t>(comm.size()));
  MPI_Request request = MPI_REQUEST_NULL;
  SLUICE_MPI(MPI_Iallgather(own.data(), 2, MPI_CHAR, all.data(), 2, MPI_CHAR, comm.get(), &request));
  detail::wait_for(request);
  std::vector<int> senders;
  std::vector<int> receivers;
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (all[2 * static_cast<std::size_t>(rank)] != 0) senders.push_back(rank);
    if (all[2 * static_cast<std::size_t>(rank) + 1] != 0) receivers.push_back(rank);
  }
  // A rank that sends in one pair does not receive in another: it could not do both at full speed here.
  std::vector<bool> taken(static_cast<std::size_t>(comm.size()), false);
  std::vector<Pair> pairs;
  for (const int from : senders) {
    if (taken[static_cast<std::size_t>(from)]) continue;
    // From the back: the other half of one group, or the other group.
    const auto to = std::find_if(receivers.rbegin(), receivers.rend(),
                                 [&](int rank) { return rank != from && !taken[static_cast<std::size_t>(rank)]; });
    if (to == receivers.rend()) break;
    taken[static_cast<std::size_t>(from)] = taken[static_cast<std::size_t>(*to)] = true;
    pairs.push_back({from, *to});
  }
  return pairs;
}

/// Sends pieces, two at a time, until `seconds` have passed.
void send_for(const Communicator& comm, int to, double seconds) {
  const std::vector<std::byte> piece(kPieceBytes);
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const double end = MPI_Wtime() + seconds;
  for (Patience patience; MPI_Wtime() < end;) {
    bool started = false;
    for (MPI_Request& request : requests) {
      int done = 0;
      SLUICE_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
      if (done == 0) continue;
      SLUICE_MPI(MPI_Issend(piece.data(), kPieceBytes, MPI_BYTE, to, kDataTag, comm.get(), &request));
      started = true;
    }
    if (!started) patience.look_again();
  }
  for (const MPI_Request request : requests) detail::wait_for(request);
  MPI_Request last = MPI_REQUEST_NULL;
  SLUICE_MPI(MPI_Isend(nullptr, 0, MPI_BYTE, to, kEndTag, comm.get(), &last));
  detail::wait_for(last);
}

/// Receives them, and returns bytes a second between the first and the last piece of the last two thirds of the time:
/// nearly the same span on all ranks, so that rates add up to what the network carried.
double receive_for(const Communicator& comm, int from, double seconds) {
  constexpr std::size_t kAhead = 4;
  std::vector<std::byte> memory(kAhead * kPieceBytes);
  std::array<MPI_Request, kAhead> requests{};
  const auto listen = [&](std::size_t slot) {
    SLUICE_MPI(MPI_Irecv(memory.data() + slot * kPieceBytes, kPieceBytes, MPI_BYTE, from, MPI_ANY_TAG, comm.get(),
                         &requests[slot]));
  };
  for (std::size_t slot = 0; slot < kAhead; ++slot) listen(slot);
  const double begin = MPI_Wtime();
  double first = 0;
  double last = 0;
  double pieces = 0;  // that came after the first one counted
  // Pieces come in the order in which their receives were posted: one slot after the other.
  for (std::size_t slot = 0;; slot = (slot + 1) % kAhead) {
    MPI_Status status;
    int done = 0;
    for (Patience patience; done == 0; patience.look_again()) SLUICE_MPI(MPI_Test(&requests[slot], &done, &status));
    if (status.MPI_TAG == kEndTag) break;
    const double now = MPI_Wtime();
    if (now > begin + seconds / 3 && now <= begin + seconds) {
      if (first > 0) {
        last = now;
        ++pieces;
      } else {
        first = now;
      }
    }
    listen(slot);
  }
  for (MPI_Request& request : requests) {
    if (request == MPI_REQUEST_NULL) continue;
    SLUICE_MPI(MPI_Cancel(&request));
    SLUICE_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  return last > first ? pieces * kPieceBytes / (last - first) : 0;
}

/// Bytes a second of the first `count` pairs together, on all ranks. No rank starts before all are there.
double run_level(const Communicator& comm, const std::vector<Pair>& pairs, std::int64_t count, double level_s) {
  detail::barrier(comm);
  double rate = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    if (pairs[i].from == comm.rank()) send_for(comm, pairs[i].to, level_s);
    if (pairs[i].to == comm.rank()) rate = receive_for(comm, pairs[i].from, level_s);
  }
  return detail::sum(rate, comm);
}

}  // namespace

TransferRamp measure_max_transfers(MPI_Comm comm, const std::vector<MessageSize>& sends, double level_s) {
  constexpr double kWorthTwice = 1.15;
  const Communicator own(comm);
  std::exception_ptr failure;
  if (!(level_s > 0)) {
    failure = std::make_exception_ptr(InputError("level_s", fmt::format("{}", level_s), "seconds above 0"));
  }
  detail::Fingerprint print;
  print.add(std::bit_cast<std::int64_t>(level_s));
  detail::agree(own, print.value(), failure);
  const std::vector<Pair> pairs = pairs_of(own, sends);
  TransferRamp ramp;
  const auto count = static_cast<std::int64_t>(pairs.size());
  double most = 0;
  for (std::int64_t transfers = 1; transfers <= count; transfers = std::min(2 * transfers, count)) {
    const double rate = run_level(own, pairs, transfers, level_s);
    ramp.levels.push_back({transfers, rate});
    const bool worth = rate >= kWorthTwice * most;
    most = std::max(most, rate);
    if (!worth || transfers == count) break;
  }
  if (most > 0 && ramp.levels.front().bytes_per_s > 0) {
    const auto carried = static_cast<std::int64_t>(std::lround(most / ramp.levels.front().bytes_per_s));
    ramp.max_transfers = std::clamp<std::int64_t>(carried, 1, count);
  }
  return ramp;
}

}  // namespace sluice::mpi
