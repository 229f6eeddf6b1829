#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {

/// Throws MpiError unless MPI_Testsome has succeeded; it returned `code` and told of `completed`. If a request has
/// failed, throws that request's error, because the result of MPI_Testsome does not tell it. The error is of MPI_Isend
/// if is_send(place of the request), otherwise of MPI_Irecv.
template <class IsSend>
void check_test_some(int code, std::span<const int> completed, std::span<const MPI_Status> statuses, IsSend&& is_send) {
  if (code == MPI_SUCCESS) [[likely]]
    return;
  for (std::size_t i = 0; code == MPI_ERR_IN_STATUS && i < completed.size(); ++i) {
    const int error = statuses[i].MPI_ERROR;
    if (error == MPI_SUCCESS || error == MPI_ERR_PENDING) continue;
    throw MpiError(is_send(static_cast<std::size_t>(completed[i])) ? "MPI_Isend" : "MPI_Irecv", error);
  }
  throw MpiError("MPI_Testsome", code);
}

}  // namespace sluice::mpi::detail
