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
/// left out. `at_end`: the parts are those of ranks that have come to their end. The record is complete if so, and if
/// there is a part of every rank.
[[nodiscard]] std::vector<RecordFile> record_files(const RecordedRun& run, const std::vector<std::string>& parts,
                                                   bool at_end);

}  // namespace sluice::pmpi
