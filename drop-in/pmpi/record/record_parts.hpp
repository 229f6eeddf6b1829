#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::pmpi {

/// The job that parts belong to.
struct RecordedRun {
  std::int64_t number = 0;  ///< no other job in the folder has this number
  int rank = 0;             ///< of MPI_COMM_WORLD
  int ranks = 1;
};

/// What this process has counted, as one line of JSON, which the process that makes the files of the job reads.
[[nodiscard]] std::string record_part(const RecordedRun& run);

/// A file of the record.
struct RecordFile {
  std::string name;
  std::string text;
};
/// The files of a job, made of the parts of its ranks: a Matrix Market file for each communicator and each call that
/// sent bytes; last comes record.json (schema sluice.record/1). Invalid parts, and parts of another job, are left out.
/// `at_end`: the parts are from ranks that have come to their end. The record is complete if `at_end`, and if every
/// rank has a part.
[[nodiscard]] std::vector<RecordFile> record_files(const RecordedRun& run, const std::vector<std::string>& parts,
                                                   bool at_end);

}  // namespace sluice::pmpi
