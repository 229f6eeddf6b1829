#include "job.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include "sluice/error.hpp"
#include "sluice/run/mpi/refuse_job.hpp"
#include "sluice/run/mpi/settings.hpp"

namespace sluice::c {

namespace {

bool mpi_runs() {
  int initialized = 0, finalized = 0;
  return MPI_Initialized(&initialized) == MPI_SUCCESS && initialized != 0 && MPI_Finalized(&finalized) == MPI_SUCCESS &&
         finalized == 0;
}

}  // namespace

MPI_Comm comm_of(MPI_Fint comm) { return mpi_runs() ? MPI_Comm_f2c(comm) : MPI_COMM_NULL; }
MPI_Datatype type_of(MPI_Fint type) { return mpi_runs() ? MPI_Type_f2c(type) : MPI_DATATYPE_NULL; }
MPI_Op op_of(MPI_Fint op) { return mpi_runs() ? MPI_Op_f2c(op) : MPI_OP_NULL; }

void check_communicator(MPI_Comm comm) {
  if (!mpi_runs()) throw InputError("MPI", "not running", "a call between MPI_Init and MPI_Finalize");
  if (comm == MPI_COMM_NULL) throw InputError("comm", "MPI_COMM_NULL", "a communicator");
}

void refuse_with_current_exception(MPI_Comm comm) { sluice::mpi::refuse_job(comm, std::current_exception()); }

void refuse_kind_of_job() { throw InputError("job", "one of another kind", "one that this function is for"); }

namespace {

template <class Call>
decltype(auto) visit(sluice_job* job, Call&& call) {
  check_given(job, "job");
  return std::visit(std::forward<Call>(call), job->job);
}

}  // namespace

}  // namespace sluice::c

using namespace sluice::c;  // NOLINT(google-build-using-namespace): the functions below are its face

void sluice_must(int code) {
  if (code == SLUICE_OK) return;
  std::fprintf(stderr, "error: %s\n", sluice_error_text());
  if (mpi_runs()) {
    // MPICH's mpiexec stops to read what ranks print as soon as one of them aborts: the line has to be there before.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  std::exit(1);
}

int sluice_set_agreed_arguments(MPI_Comm comm, int agreed) {
  return guarded([&] {
    check_communicator(comm);
    sluice::mpi::set_agreed_arguments(comm, agreed != 0);
  });
}

int sluice_set_agreed_arguments_f(MPI_Fint comm, int agreed) {
  return sluice_set_agreed_arguments(comm_of(comm), agreed);
}

int sluice_job_test(sluice_job* job, int* done) {
  return guarded([&] {
    check_given(done, "done");
    *done = sluice::c::visit(job, [](auto& own) { return own.test(); }) ? 1 : 0;
  });
}

int sluice_job_wait(sluice_job* job) {
  return guarded([&] { sluice::c::visit(job, [](auto& own) { own.wait(); }); });
}

int sluice_job_extra_bytes(const sluice_job* job, std::int64_t* bytes) {
  return guarded([&] {
    check_given(bytes, "bytes");
    *bytes = sluice::c::visit(const_cast<sluice_job*>(job), [](const auto& own) -> std::int64_t {
      if constexpr (requires { own.peak_extra_bytes(); }) {
        return own.peak_extra_bytes();
      } else {
        return 0;
      }
    });
  });
}

int sluice_job_native(const sluice_job* job, int* native) {
  return guarded([&] {
    check_given(native, "native");
    const bool serves = sluice::c::visit(const_cast<sluice_job*>(job), [](const auto& own) {
      if constexpr (requires { own.native(); }) {
        return own.native();
      } else if constexpr (requires { own.summary(); }) {
        return own.summary().native;
      } else {
        return false;
      }
    });
    *native = serves ? 1 : 0;
  });
}

int sluice_job_free(sluice_job* job) {
  return guarded([&] { delete job; });
}
