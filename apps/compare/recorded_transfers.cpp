#include "apps/compare/recorded_transfers.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "apps/compare/communicator.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/transfer_record.hpp"

namespace sluice::compare {

namespace {

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Whether this rank is on the host of rank 0.
bool beside_rank_0(const Communicator& comm) {
  MPI_Comm host = MPI_COMM_NULL;
  SLUICE_MPI(MPI_Comm_split_type(comm.get(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &host));
  int first = comm.rank();
  SLUICE_MPI(MPI_Bcast(&first, 1, MPI_INT, 0, host));
  SLUICE_MPI(MPI_Comm_free(&host));
  return first == 0;
}

/// What has to be added to the times of this rank's clock to get times of rank 0's clock. Collective.
double clock_difference(const Communicator& comm) {
  constexpr int kRounds = 20, kTag = 0;
  const int far = beside_rank_0(comm) ? 0 : 1;
  std::vector<int> all(static_cast<std::size_t>(comm.size()));
  SLUICE_MPI(MPI_Allgather(&far, 1, MPI_INT, all.data(), 1, MPI_INT, comm.get()));
  double difference = 0, quickest = std::numeric_limits<double>::infinity();
  for (int rank = 1; rank < comm.size(); ++rank) {
    if (all[static_cast<std::size_t>(rank)] == 0) continue;
    for (int round = 0; round < kRounds; ++round) {
      double there = 0;
      if (comm.rank() == 0) {
        SLUICE_MPI(MPI_Recv(&there, 1, MPI_DOUBLE, rank, kTag, comm.get(), MPI_STATUS_IGNORE));
        there = now_s();
        SLUICE_MPI(MPI_Send(&there, 1, MPI_DOUBLE, rank, kTag, comm.get()));
      } else if (comm.rank() == rank) {
        const double start = now_s();
        SLUICE_MPI(MPI_Send(&there, 1, MPI_DOUBLE, 0, kTag, comm.get()));
        SLUICE_MPI(MPI_Recv(&there, 1, MPI_DOUBLE, 0, kTag, comm.get(), MPI_STATUS_IGNORE));
        const double end = now_s();
        if (end - start >= quickest) continue;
        quickest = end - start;
        difference = there - (start + end) / 2;
      }
    }
  }
  return difference;
}

/// One end of a transfer, as it is sent to rank 0.
struct End {
  double received = 0;  ///< 1: the receiver's time; otherwise the sender's
  double peer = 0;
  double bytes = 0;
  double start_s = 0;  ///< of the sender
  double end_s = 0;
};
constexpr int kNumbers = 5;
static_assert(sizeof(End) == kNumbers * sizeof(double));

/// The ends of all ranks, by rank; on rank 0, nothing elsewhere. Collective.
std::vector<std::vector<End>> gathered(const Communicator& comm, const std::vector<End>& own) {
  const int count = static_cast<int>(own.size()) * kNumbers;
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<int> counts(ranks), offsets(ranks);
  SLUICE_MPI(MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm.get()));
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  const bool here = comm.rank() == 0;
  std::vector<End> all(here ? static_cast<std::size_t>((offsets.back() + counts.back()) / kNumbers) : 0);
  SLUICE_MPI(
      MPI_Gatherv(own.data(), count, MPI_DOUBLE, all.data(), counts.data(), offsets.data(), MPI_DOUBLE, 0, comm.get()));
  std::vector<std::vector<End>> result(here ? ranks : 0);
  for (std::size_t rank = 0; rank < result.size(); ++rank) {
    const auto first = all.begin() + offsets[rank] / kNumbers;
    result[rank].assign(first, first + counts[rank] / kNumbers);
  }
  return result;
}

/// Transfers of one pair of ranks are in one order at both ends.
std::vector<TimelineTransfer> joined(const std::vector<std::vector<End>>& ends) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::array<std::vector<const End*>, 2>> pairs;
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    const auto self = static_cast<std::int64_t>(rank);
    for (const End& end : ends[rank]) {
      const auto peer = static_cast<std::int64_t>(end.peer);
      const bool received = end.received > 0;
      pairs[received ? std::pair(peer, self) : std::pair(self, peer)][received ? 1 : 0].push_back(&end);
    }
  }
  std::vector<TimelineTransfer> transfers;
  for (const auto& [pair, both] : pairs) {
    for (std::size_t i = 0; i < std::min(both[0].size(), both[1].size()); ++i) {
      const End& sender = *both[0][i];
      TimelineTransfer transfer{pair.first, pair.second, static_cast<std::int64_t>(sender.bytes), -1};
      transfer.start = transfer.receive_start = sender.start_s;
      transfer.sender_free = std::max(sender.end_s, sender.start_s);
      transfer.end = std::max(both[1][i]->end_s, sender.start_s);
      transfers.push_back(transfer);
    }
  }
  return transfers;
}

}  // namespace

Timeline recorded_transfers(const Communicator& comm, const std::function<void()>& execute) {
  mpi::TransferRecord record(comm.get());
  barrier(comm);
  execute();
  const double difference = clock_difference(comm);
  std::vector<End> ends;
  for (const mpi::TransferTimes& each : record.sent())
    ends.push_back({0, static_cast<double>(each.peer), static_cast<double>(each.bytes), each.start_s + difference,
                    each.end_s + difference});
  for (const mpi::TransferTimes& each : record.received())
    ends.push_back({1, static_cast<double>(each.peer), static_cast<double>(each.bytes), 0, each.end_s + difference});

  Timeline timeline;
  timeline.senders = timeline.receivers = comm.size();
  timeline.same_nodes = true;
  timeline.transfers = joined(gathered(comm, ends));
  double first = std::numeric_limits<double>::infinity();
  for (const TimelineTransfer& each : timeline.transfers) first = std::min(first, each.start);
  if (!timeline.transfers.empty()) timeline = scaled(std::move(timeline), 1, "s", first);
  sort_by_start(timeline);
  return timeline;
}

}  // namespace sluice::compare
