#pragma once

#include <mpi.h>

#include <stdexcept>
#include <string>

namespace sluice {

/// Reports that a call to MPI failed. `what()` is one line: "MPI_Isend on rank 3: MPI_ERR_RANK: invalid rank".
///
/// The job that threw it cannot be used any more; the other ranks throw JobError.
class MpiError : public std::runtime_error {
 public:
  /// Makes the error. `call`: the name of the function, or the call as written in the source; `code`: what it returned.
  MpiError(const std::string& call, int code);

  /// Returns the name of the function that failed.
  [[nodiscard]] const std::string& call() const noexcept { return call_; }
  /// Returns the rank in MPI_COMM_WORLD, or -1 if MPI is not running.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// Returns the error code of the call; MPI_Error_class tells its class.
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  MpiError(std::string call, int rank, int code);

  std::string call_;
  int rank_;
  int code_;
};

/// Reports that another rank cannot go on with a job. On that rank a call to MPI failed, an operation or a callback
/// threw, memory was short, or the job was destroyed before its end. `what()` is one line: "reduction given up by rank
/// 3: std::bad_alloc".
///
/// The job cannot be used any more. The contents of the execution's buffers are unspecified.
class JobError : public std::runtime_error {
 public:
  /// Makes the error. `rank`: where the failure was; `work`: what was given up, such as "reduction"; `reason`: why.
  JobError(int rank, const std::string& work, const std::string& reason);

  /// Returns the rank where the failure was, in the communicator of the job.
  [[nodiscard]] int rank() const noexcept { return rank_; }

 private:
  int rank_;
};

}  // namespace sluice

/// Makes a call to MPI and throws MpiError unless it succeeds: SLUICE_MPI(MPI_Comm_rank(comm, &rank)). The communicator
/// must have MPI_ERRORS_RETURN; otherwise MPI aborts the program in the call.
#define SLUICE_MPI(call)                                \
  do {                                                  \
    const int sluice_mpi_code = (call);                 \
    if (sluice_mpi_code != MPI_SUCCESS) [[unlikely]]    \
      throw ::sluice::MpiError(#call, sluice_mpi_code); \
  } while (false)
