#include "pmpi/take/taking.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>

#include "pmpi/take/user_blocks.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::pmpi {

namespace {

std::int64_t least_bytes(Taken call, bool one_host) {
  if (!settings().takes(call)) return kNever;
  if (settings().always) return 1;
  const TakenCall& row = kTakenCalls[index_of(call)];
  if (one_host) return row.least_on_one_host;
  return has_platform() ? row.least_over_platform : row.least;
}

}  // namespace

std::int64_t least_bytes(Taken call, const Communicator& communicator) {
  return least_bytes(call, communicator.one_host);
}

std::array<std::int64_t, kTakenCalls.size()> least_arguments() {
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::array<std::int64_t, kTakenCalls.size()> least{};
  for (std::size_t i = 0; i < least.size(); ++i) {
    const auto call = static_cast<Taken>(i);
    least[i] = std::min(least_bytes(call, false), least_bytes(call, true));
    if (kTakenCalls[i].counts == Counts::kBlock) least[i] = (least[i] - 1) / ranks + 1;
  }
  return least;
}

void check_arguments(Taken call, const void* buffer, int count, MPI_Datatype type) {
  const int error_class = class_of_arguments(buffer, count, type);
  if (error_class != MPI_SUCCESS) throw MpiError(mpi_name(call), error_class);
}

void check_bytes(Taken call, std::int64_t bytes, std::int64_t elsewhere) {
  if (bytes != elsewhere) throw MpiError(mpi_name(call), MPI_ERR_TRUNCATE);
}

int failed(MPI_Comm comm, Communicator& communicator, Taken call) noexcept {
  int code = MPI_ERR_UNKNOWN;
  try {
    try {
      throw;
    } catch (const InputError& error) {
      code = MPI_ERR_ARG;
      say_once(mpi_name(call), error.what());
    } catch (const MpiError& error) {
      code = error.code();
      say_once(mpi_name(call), error.what());
    } catch (const JobError& error) {
      code = MPI_ERR_OTHER;
      say_once(mpi_name(call), error.what());
    } catch (const std::bad_alloc&) {
      code = MPI_ERR_NO_MEM;
    } catch (const std::exception& error) {
      say_once(mpi_name(call), error.what());
    }
  } catch (...) {
    // There was no memory for the text.
  }
  communicator.failed = true;
  PMPI_Comm_call_errhandler(comm, code);
  return code;
}

}  // namespace sluice::pmpi
