#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace sluice::mpi {

/// One transfer between two ranks, as one of its ends saw it. Times in seconds of the clock that all processes of a
/// node share (std::chrono::steady_clock).
struct TransferTimes {
  int peer = 0;            ///< rank at the other end
  std::int64_t bytes = 0;  ///< size of the transfer
  double start_s = 0;      ///< sender: the first piece was handed to MPI; 0 at a receiver
  double release_s = 0;    ///< receiver: the next transfer was let go; 0 at a sender, and where none waits for that
  double end_s = 0;        ///< the last piece was done here
};

/// Keeps the times of the transfers of a communicator's jobs, of whatever kind, while it lives:
///
///     sluice::mpi::TransferRecord record(comm);
///     job.execute(out, in);
///     for (const sluice::mpi::TransferTimes& each : record.sent()) ...
///
/// It keeps the transfers of executions that began and ended in this time and followed a plan; what happens inside
/// MPI's own collectives cannot be seen. Data that a rank sends to itself does not count as a transfer.
class TransferRecord {
 public:
  /// Collective for the first job or record of a communicator, else local. One for each communicator at a time.
  /// Throws InputError for a second one, and for what jobs throw for a bad communicator.
  explicit TransferRecord(MPI_Comm comm);
  ~TransferRecord();
  TransferRecord(const TransferRecord&) = delete;
  TransferRecord& operator=(const TransferRecord&) = delete;

  /// What this rank sent: the transfers of one execution in the order of its schedule.
  [[nodiscard]] const std::vector<TransferTimes>& sent() const;
  /// What this rank received, in the same order.
  [[nodiscard]] const std::vector<TransferTimes>& received() const;
  /// Forgets the transfers kept so far.
  void clear();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::mpi
