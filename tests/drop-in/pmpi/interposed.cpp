// Preloaded before libsluice_pmpi.so: there is time for another thread where a communicator has no attribute yet, and
// where one has been set. MPI_Finalize does nothing in a forked child, where no MPI says what it would do.
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace {

const pid_t process = getpid();

void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

template <class Function>
Function* next(Function* /*type*/, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#pragma GCC visibility push(default)  // not every MPI's header says so
extern "C" {

int PMPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* found) {
  static auto* const get = next(&PMPI_Comm_get_attr, "PMPI_Comm_get_attr");
  const int code = get(comm, key, value, found);
  if (*found == 0) wait();
  return code;
}

int PMPI_Comm_set_attr(MPI_Comm comm, int key, void* value) {
  static auto* const set = next(&PMPI_Comm_set_attr, "PMPI_Comm_set_attr");
  const int code = set(comm, key, value);
  wait();
  return code;
}

int PMPI_Finalize() {
  static auto* const finalize = next(&PMPI_Finalize, "PMPI_Finalize");
  return getpid() == process ? finalize() : MPI_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
