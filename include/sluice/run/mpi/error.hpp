#pragma once

#include <mpi.h>

#include <stdexcept>
#include <string>

namespace sluice {

/// A call to MPI failed. `what()` is one line: "MPI_Isend on rank 3: MPI_ERR_RANK: invalid rank".
///
/// The job that threw it is of no further use; the other ranks throw JobError.
class MpiError : public std::runtime_error {
 public:
  /// `call`: the name of the function, or the call as written in the source; `code`: what it returned.
  MpiError(const std::string& call, int code);

  /// The name of the function that failed.
  [[nodiscard]] const std::string& call() const noexcept { return call_; }
  /// Rank in MPI_COMM_WORLD, or -1 when MPI is not running.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// The code that it returned: MPI_Error_class tells its class.
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  MpiError(std::string call, int rank, int code);

  std::string call_;
  int rank_;
  int code_;
};

/// Another rank cannot go on with a job: there a call to MPI failed, an operation or a callback threw, memory was
/// short, or the job was destroyed before its end. `what()` is one line: "reduction given up by rank 3:
/// std::bad_alloc".
///
/// The job is of no further use. What the buffers of the execution hold is open.
class JobError : public std::runtime_error {
 public:
  /// `rank`: where the failure was; `work`: what was given up, such as "reduction"; `reason`: why.
  JobError(int rank, const std::string& work, const std::string& reason);

  /// Of the communicator that the job was made for: where the failure was.
  [[nodiscard]] int rank() const noexcept { return rank_; }

 private:
  int rank_;
};

}  // namespace sluice

/// Makes a call to MPI and throws MpiError unless it succeeds: SLUICE_MPI(MPI_Comm_rank(comm, &rank)).
/// The communicator must have MPI_ERRORS_RETURN, else MPI aborts the program before it gets here.
#define SLUICE_MPI(call)                                \
  do {                                                  \
    const int sluice_mpi_code = (call);                 \
    if (sluice_mpi_code != MPI_SUCCESS) [[unlikely]]    \
      throw ::sluice::MpiError(#call, sluice_mpi_code); \
  } while (false)
