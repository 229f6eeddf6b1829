#pragma once

#include <string>

#include "pmpi/record/record_parts.hpp"

namespace sluice::pmpi {

/// The folder of SLUICE_RECORD. While the job runs every rank renews a file of its own in `parts/`, and rank 0 makes
/// the files of the job of those that it finds; at the end rank 0 gets the parts by MPI, so that the folder need not be
/// one that all hosts share. A file is written beside its place and renamed.
class RecordFolder {
 public:
  /// Collective over MPI_COMM_WORLD, after start_recorder. Returns what is wrong, the same on all ranks; empty if
  /// nothing is.
  [[nodiscard]] std::string open(const std::string& path);

  /// Renews the part of this rank. Throws std::system_error. By one thread at a time.
  void write_part() const;
  /// Rank 0: renews the files of the job. Throws std::system_error. By one thread at a time.
  void write_files() const;
  /// Collective over MPI_COMM_WORLD: writes all and removes the parts. Throws std::system_error.
  void finish() const;

  [[nodiscard]] int rank() const { return run_.rank; }

 private:
  void write(const std::vector<std::string>& parts, bool complete) const;
  [[nodiscard]] std::string part_path(int rank) const;

  std::string path_;
  RecordedRun run_;
};

}  // namespace sluice::pmpi
