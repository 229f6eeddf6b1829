#include "sluice/run/mpi/error.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace sluice {
namespace {

bool mpi_is_running() {
  int initialized = 0;
  int finalized = 0;
  return MPI_Initialized(&initialized) == MPI_SUCCESS && initialized != 0 && MPI_Finalized(&finalized) == MPI_SUCCESS &&
         finalized == 0;
}

int world_rank() {
  int rank = -1;
  return mpi_is_running() && MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS ? rank : -1;
}

std::string error_string(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (!mpi_is_running() || MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) {
    return fmt::format("error {}", code);
  }
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace

MpiError::MpiError(const std::string& call, int code) : MpiError(call.substr(0, call.find('(')), world_rank(), code) {}

MpiError::MpiError(std::string call, int rank, int code)
    : std::runtime_error(fmt::format("{} on rank {}: {}", call, rank, error_string(code))),
      call_(std::move(call)),
      rank_(rank),
      code_(code) {}

JobError::JobError(int rank, const std::string& work, const std::string& reason)
    : std::runtime_error(fmt::format("{} given up by rank {}: {}", work, rank, reason)), rank_(rank) {}

}  // namespace sluice
