#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "pmpi/record/record_parts.hpp"

namespace sluice::pmpi {

/// The folder of SLUICE_RECORD. While the job runs, every rank renews a file of its own in `parts/`, and rank 0 makes
/// the files of the job from the parts that it finds. At the end rank 0 gets the parts by MPI, so the folder need not
/// be shared by all hosts. A file is written beside its place, by a name of the rank's own, and renamed. The parts
/// travel on a communicator of the library's own, without messages of the program.
class RecordFolder {
 public:
  /// Collective over MPI_COMM_WORLD, after start_recorder. `ready`: what that returned. Returns what is wrong, the same
  /// on all ranks; empty if nothing is.
  [[nodiscard]] std::string open(const std::string& path, bool ready);

  /// Renews the part of this rank. Throws std::system_error. By one thread at a time.
  void write_part() const;
  /// Rank 0, or one that calls MPI_Abort: renews the files of the job. Throws std::system_error. By one thread at a
  /// time.
  void write_files() const;

  /// The end, in this order. Collective over MPI_COMM_WORLD: the parts of all ranks on rank 0; fewer if MPI fails.
  [[nodiscard]] std::vector<std::string> gather_parts() const;
  /// Rank 0: writes the files of the job from the parts of all ranks. Throws std::system_error.
  void write_last(const std::vector<std::string>& parts) const { write(parts, true); }
  /// Collective over MPI_COMM_WORLD: removes the files of the parts, when they are no longer renewed.
  void close();

  [[nodiscard]] int rank() const { return run_.rank; }

 private:
  void write(const std::vector<std::string>& parts, bool at_end) const;
  [[nodiscard]] std::string part_path(int rank) const;

  std::string path_;
  RecordedRun run_;
  MPI_Comm comm_ = MPI_COMM_NULL;  ///< the library's own, of all ranks; its errors are returned
};

}  // namespace sluice::pmpi
