#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace sluice::mpi {

/// Holds the times of one transfer between two ranks, as one of its ends saw it. Times are in seconds of the clock that
/// all processes of a host share (std::chrono::steady_clock).
struct TransferTimes {
  int peer = 0;            ///< rank at the other end
  std::int64_t bytes = 0;  ///< size of the transfer
  double start_s = 0;      ///< sender: time when the first piece was given to MPI; 0 at a receiver
  /// receiver: time when it released the next transfer; 0 at a sender, and if no transfer waits for that.
  double release_s = 0;
  double end_s = 0;  ///< time when the last piece was done here
};

/// Records the times of the transfers of a communicator's jobs while it exists:
///
///     sluice::mpi::TransferRecord record(comm);
///     job.execute(out, in);
///     for (const sluice::mpi::TransferTimes& each : record.sent()) ...
///
/// It records transfers of all kinds of jobs whose executions begin and end in this time and follow a plan. Transfers
/// inside MPI's own collectives cannot be seen. Data that a rank sends to itself does not count as a transfer.
class TransferRecord {
 public:
  /// Starts recording. Collective for the first job or record of a communicator; otherwise it needs no communication. A
  /// communicator has one record at a time. Throws InputError for a second one, and throws for a bad communicator as
  /// jobs do.
  explicit TransferRecord(MPI_Comm comm);
  ~TransferRecord();
  TransferRecord(const TransferRecord&) = delete;
  TransferRecord& operator=(const TransferRecord&) = delete;

  /// Returns the transfers that this rank sent. The transfers of one execution are in the order of its schedule.
  [[nodiscard]] const std::vector<TransferTimes>& sent() const;
  /// Returns the transfers that this rank received, in the same order.
  [[nodiscard]] const std::vector<TransferTimes>& received() const;
  /// Forgets the transfers kept so far.
  void clear();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::mpi
