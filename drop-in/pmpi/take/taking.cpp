#include "pmpi/take/taking.hpp"

#include <exception>
#include <new>

#include "pmpi/said.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::pmpi {

int failed(MPI_Comm comm, Communicator& communicator, const char* call) noexcept {
  int code = MPI_ERR_UNKNOWN;
  try {
    try {
      throw;
    } catch (const InputError& error) {
      code = MPI_ERR_ARG;
      say_once(call, error.what());
    } catch (const MpiError& error) {
      code = error.code();
      say_once(call, error.what());
    } catch (const JobError& error) {
      code = MPI_ERR_OTHER;
      say_once(call, error.what());
    } catch (const std::bad_alloc&) {
      code = MPI_ERR_NO_MEM;
    } catch (const std::exception& error) {
      say_once(call, error.what());
    }
    communicator.on = false;
    communicator.jobs.clear();
  } catch (...) {
    communicator.on = false;  // there was no memory for the text
  }
  PMPI_Comm_call_errhandler(comm, code);
  return code;
}

}  // namespace sluice::pmpi
