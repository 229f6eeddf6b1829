#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::pmpi {

/// Which job parts are of.
struct RecordedRun {
  std::int64_t number = 0;  ///< that of no other job in the same folder
  int rank = 0;             ///< of MPI_COMM_WORLD
  int ranks = 1;
};

/// What this process has counted, as one line of JSON: what others need of it to make the files of the job.
[[nodiscard]] std::string record_part(const RecordedRun& run);

/// A file of the record.
struct RecordFile {
  std::string name;
  std::string text;
};
/// The files of a job, made of the parts of its ranks: a Matrix Market file for each communicator and call by which
/// bytes were sent, and record.json (schema sluice.record/1), last. Parts that are no parts, or of another job, are
/// left out. `complete`: every rank has come to its end.
[[nodiscard]] std::vector<RecordFile> record_files(const RecordedRun& run, const std::vector<std::string>& parts,
                                                   bool complete);

}  // namespace sluice::pmpi
