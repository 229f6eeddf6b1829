// Fortran's calls under Open MPI, of mpif.h, the module mpi and the module mpi_f08, whose handles are integers in this
// ABI. They call PMPI_ in C, where the library does not see them, so they have wrappers of their own. MPICH's calls of
// mpif.h and mpi call MPI_ in C. Not here: MPI_Alltoallw, MPI_Neighbor_alltoallw and persistent sends, which are not
// recorded in Fortran programs.
#include <dlfcn.h>
#include <mpi.h>

#include <array>

#include "pmpi/calls/sizes.hpp"
#include "pmpi/library.hpp"
#include "pmpi/other_mpi.hpp"
#include "pmpi/record/record_collectives.hpp"
#include "pmpi/take/take.hpp"

namespace {

using sluice::pmpi::bytes_of;
using sluice::pmpi::Call;
using sluice::pmpi::mode;
using sluice::pmpi::Recording;
namespace traffic = sluice::pmpi::traffic;
using namespace sluice::pmpi;  // take_

/// The addresses of a Fortran constant that stands for an address, under the names that compilers give it.
std::array<void*, 4> places_of(const char* lower, const char* one, const char* two, const char* upper) {
  return {dlsym(RTLD_DEFAULT, lower), dlsym(RTLD_DEFAULT, one), dlsym(RTLD_DEFAULT, two), dlsym(RTLD_DEFAULT, upper)};
}

bool is_one_of(const void* address, const std::array<void*, 4>& places) {
  for (const void* const place : places) {
    if (place != nullptr && place == address) return true;
  }
  return false;
}

/// A buffer as C has it.
void* address(void* buffer) {
  static const auto in_place =
      places_of("mpi_fortran_in_place", "mpi_fortran_in_place_", "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE");
  static const auto bottom =
      places_of("mpi_fortran_bottom", "mpi_fortran_bottom_", "mpi_fortran_bottom__", "MPI_FORTRAN_BOTTOM");
  if (is_one_of(buffer, in_place)) return MPI_IN_PLACE;
  if (is_one_of(buffer, bottom)) return MPI_BOTTOM;
  return buffer;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

/// mpi_NAME_ and mpi_NAME_f08_, whose last argument may be missing. `parameters` begin behind the first bracket and
/// end with ierror. `take` is empty for what is never taken.
#define SLUICE_FORTRAN(name, parameters, arguments, take, record) \
  SLUICE_FORTRAN_AND(Recording, name, parameters, arguments, take, record)
/// Like SLUICE_FORTRAN, for a neighbourhood collective.
#define SLUICE_FORTRAN_TO_NEIGHBOURS(name, parameters, arguments, take, record) \
  SLUICE_FORTRAN_AND(NeighbourRecording, name, parameters, arguments, take, record)
#define SLUICE_FORTRAN_AND(Kind, name, parameters, arguments, take, record) \
  __attribute__((weak)) void pmpi_##name##_ parameters;                     \
  void mpi_##name##_ parameters {                                           \
    MPI_Fint unused = 0;                                                    \
    if (ierror == nullptr) ierror = &unused;                                \
    take;                                                                   \
    if (!mode.recording) {                                                  \
      pmpi_##name##_ arguments;                                             \
      return;                                                               \
    }                                                                       \
    const Kind recording(PMPI_Comm_f2c(*comm));                             \
    pmpi_##name##_ arguments;                                               \
    if (*ierror == MPI_SUCCESS && recording.rank() >= 0) record;            \
  }                                                                         \
  __attribute__((alias("mpi_" #name "_"))) void mpi_##name##_f08_ parameters

#define SLUICE_NOTHING static_cast<void>(0)
#define SLUICE_TAKE(call) \
  if (mode.taking) {      \
    *ierror = call;       \
    return;               \
  }                       \
  SLUICE_NOTHING

SLUICE_FORTRAN(send,
               (void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to, MPI_Fint* tag, MPI_Fint* comm,
                MPI_Fint* ierror),
               (buffer, count, type, to, tag, comm, ierror), SLUICE_NOTHING,
               recording.to(Call::kSend, *to, bytes_of(*count, PMPI_Type_f2c(*type))));
SLUICE_FORTRAN(bsend,
               (void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to, MPI_Fint* tag, MPI_Fint* comm,
                MPI_Fint* ierror),
               (buffer, count, type, to, tag, comm, ierror), SLUICE_NOTHING,
               recording.to(Call::kBsend, *to, bytes_of(*count, PMPI_Type_f2c(*type))));
SLUICE_FORTRAN(ssend,
               (void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to, MPI_Fint* tag, MPI_Fint* comm,
                MPI_Fint* ierror),
               (buffer, count, type, to, tag, comm, ierror), SLUICE_NOTHING,
               recording.to(Call::kSsend, *to, bytes_of(*count, PMPI_Type_f2c(*type))));
SLUICE_FORTRAN(rsend,
               (void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to, MPI_Fint* tag, MPI_Fint* comm,
                MPI_Fint* ierror),
               (buffer, count, type, to, tag, comm, ierror), SLUICE_NOTHING,
               recording.to(Call::kRsend, *to, bytes_of(*count, PMPI_Type_f2c(*type))));
SLUICE_FORTRAN(isend,
               (void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to, MPI_Fint* tag, MPI_Fint* comm,
                MPI_Fint* request, MPI_Fint* ierror),
               (buffer, count, type, to, tag, comm, request, ierror), SLUICE_NOTHING,
               recording.to(Call::kIsend, *to, bytes_of(*count, PMPI_Type_f2c(*type))));
SLUICE_FORTRAN(ibsend,
               (void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to, MPI_Fint* tag, MPI_Fint* comm,
                MPI_Fint* request, MPI_Fint* ierror),
               (buffer, count, type, to, tag, comm, request, ierror), SLUICE_NOTHING,
               recording.to(Call::kIbsend, *to, bytes_of(*count, PMPI_Type_f2c(*type))));
SLUICE_FORTRAN(issend,
               (void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to, MPI_Fint* tag, MPI_Fint* comm,
                MPI_Fint* request, MPI_Fint* ierror),
               (buffer, count, type, to, tag, comm, request, ierror), SLUICE_NOTHING,
               recording.to(Call::kIssend, *to, bytes_of(*count, PMPI_Type_f2c(*type))));
SLUICE_FORTRAN(irsend,
               (void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to, MPI_Fint* tag, MPI_Fint* comm,
                MPI_Fint* request, MPI_Fint* ierror),
               (buffer, count, type, to, tag, comm, request, ierror), SLUICE_NOTHING,
               recording.to(Call::kIrsend, *to, bytes_of(*count, PMPI_Type_f2c(*type))));
SLUICE_FORTRAN(sendrecv,
               (void* send, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to, MPI_Fint* send_tag, void* receive,
                MPI_Fint* receive_count, MPI_Fint* receive_type, MPI_Fint* from, MPI_Fint* receive_tag, MPI_Fint* comm,
                MPI_Fint* status, MPI_Fint* ierror),
               (send, count, type, to, send_tag, receive, receive_count, receive_type, from, receive_tag, comm, status,
                ierror),
               SLUICE_NOTHING, recording.to(Call::kSendrecv, *to, bytes_of(*count, PMPI_Type_f2c(*type))));
SLUICE_FORTRAN(sendrecv_replace,
               (void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to, MPI_Fint* send_tag, MPI_Fint* from,
                MPI_Fint* receive_tag, MPI_Fint* comm, MPI_Fint* status, MPI_Fint* ierror),
               (buffer, count, type, to, send_tag, from, receive_tag, comm, status, ierror), SLUICE_NOTHING,
               recording.to(Call::kSendrecv_replace, *to, bytes_of(*count, PMPI_Type_f2c(*type))));
SLUICE_FORTRAN(barrier, (MPI_Fint * comm, MPI_Fint* ierror), (comm, ierror), SLUICE_NOTHING,
               recording.to_each(Call::kBarrier, 0, 0));
SLUICE_FORTRAN(bcast, (void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* ierror),
               (buffer, count, type, root, comm, ierror),
               SLUICE_TAKE(take_bcast(address(buffer), *count, PMPI_Type_f2c(*type), *root, PMPI_Comm_f2c(*comm))),
               traffic::bcast(recording, Call::kBcast, *count, PMPI_Type_f2c(*type), *root));
SLUICE_FORTRAN(reduce,
               (void* send, void* receive, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* root,
                MPI_Fint* comm, MPI_Fint* ierror),
               (send, receive, count, type, op, root, comm, ierror),
               SLUICE_TAKE(take_reduce(address(send), address(receive), *count, PMPI_Type_f2c(*type), PMPI_Op_f2c(*op),
                                       *root, PMPI_Comm_f2c(*comm))),
               traffic::reduce(recording, Call::kReduce, *count, PMPI_Type_f2c(*type), *root));
SLUICE_FORTRAN(allreduce,
               (void* send, void* receive, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                MPI_Fint* ierror),
               (send, receive, count, type, op, comm, ierror),
               SLUICE_TAKE(take_allreduce(address(send), address(receive), *count, PMPI_Type_f2c(*type),
                                          PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm))),
               traffic::allreduce(recording, Call::kAllreduce, *count, PMPI_Type_f2c(*type)));
SLUICE_FORTRAN(reduce_scatter,
               (void* send, void* receive, MPI_Fint* counts, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                MPI_Fint* ierror),
               (send, receive, counts, type, op, comm, ierror),
               SLUICE_TAKE(take_reduce_scatter(address(send), address(receive), counts, PMPI_Type_f2c(*type),
                                               PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm))),
               traffic::reduce_scatter(recording, Call::kReduce_scatter, counts, PMPI_Type_f2c(*type)));
SLUICE_FORTRAN(reduce_scatter_block,
               (void* send, void* receive, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                MPI_Fint* ierror),
               (send, receive, count, type, op, comm, ierror),
               SLUICE_TAKE(take_reduce_scatter_block(address(send), address(receive), *count, PMPI_Type_f2c(*type),
                                                     PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm))),
               traffic::reduce_scatter_block(recording, Call::kReduce_scatter_block, *count, PMPI_Type_f2c(*type)));
SLUICE_FORTRAN(scan,
               (void* send, void* receive, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                MPI_Fint* ierror),
               (send, receive, count, type, op, comm, ierror), SLUICE_NOTHING,
               traffic::scan(recording, Call::kScan, *count, PMPI_Type_f2c(*type)));
SLUICE_FORTRAN(exscan,
               (void* send, void* receive, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                MPI_Fint* ierror),
               (send, receive, count, type, op, comm, ierror), SLUICE_NOTHING,
               traffic::scan(recording, Call::kExscan, *count, PMPI_Type_f2c(*type)));
SLUICE_FORTRAN(gather,
               (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_count,
                MPI_Fint* receive_type, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* ierror),
               (send, count, type, receive, receive_count, receive_type, root, comm, ierror),
               SLUICE_TAKE(take_gather(address(send), *count, PMPI_Type_f2c(*type), address(receive), *receive_count,
                                       PMPI_Type_f2c(*receive_type), *root, PMPI_Comm_f2c(*comm))),
               traffic::gather(recording, Call::kGather, address(send), *count, PMPI_Type_f2c(*type), *root));
SLUICE_FORTRAN(gatherv,
               (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_counts, MPI_Fint* offsets,
                MPI_Fint* receive_type, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* ierror),
               (send, count, type, receive, receive_counts, offsets, receive_type, root, comm, ierror), SLUICE_NOTHING,
               traffic::gather(recording, Call::kGatherv, address(send), *count, PMPI_Type_f2c(*type), *root));
SLUICE_FORTRAN(scatter,
               (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_count,
                MPI_Fint* receive_type, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* ierror),
               (send, count, type, receive, receive_count, receive_type, root, comm, ierror),
               SLUICE_TAKE(take_scatter(address(send), *count, PMPI_Type_f2c(*type), address(receive), *receive_count,
                                        PMPI_Type_f2c(*receive_type), *root, PMPI_Comm_f2c(*comm))),
               traffic::scatter(recording, Call::kScatter, *count, PMPI_Type_f2c(*type), *root));
SLUICE_FORTRAN(scatterv,
               (void* send, MPI_Fint* counts, MPI_Fint* offsets, MPI_Fint* type, void* receive, MPI_Fint* receive_count,
                MPI_Fint* receive_type, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* ierror),
               (send, counts, offsets, type, receive, receive_count, receive_type, root, comm, ierror), SLUICE_NOTHING,
               traffic::scatterv(recording, Call::kScatterv, counts, PMPI_Type_f2c(*type), *root));
SLUICE_FORTRAN(allgather,
               (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_count,
                MPI_Fint* receive_type, MPI_Fint* comm, MPI_Fint* ierror),
               (send, count, type, receive, receive_count, receive_type, comm, ierror),
               SLUICE_TAKE(take_allgather(address(send), *count, PMPI_Type_f2c(*type), address(receive), *receive_count,
                                          PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm))),
               traffic::allgather(recording, Call::kAllgather, address(send), *count, PMPI_Type_f2c(*type),
                                  *receive_count, PMPI_Type_f2c(*receive_type)));
SLUICE_FORTRAN(allgatherv,
               (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_counts, MPI_Fint* offsets,
                MPI_Fint* receive_type, MPI_Fint* comm, MPI_Fint* ierror),
               (send, count, type, receive, receive_counts, offsets, receive_type, comm, ierror),
               SLUICE_TAKE(take_allgatherv(address(send), *count, PMPI_Type_f2c(*type), address(receive),
                                           receive_counts, offsets, PMPI_Type_f2c(*receive_type),
                                           PMPI_Comm_f2c(*comm))),
               traffic::allgatherv(recording, Call::kAllgatherv, address(send), *count, PMPI_Type_f2c(*type),
                                   receive_counts, PMPI_Type_f2c(*receive_type)));
SLUICE_FORTRAN(alltoall,
               (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_count,
                MPI_Fint* receive_type, MPI_Fint* comm, MPI_Fint* ierror),
               (send, count, type, receive, receive_count, receive_type, comm, ierror),
               SLUICE_TAKE(take_alltoall(address(send), *count, PMPI_Type_f2c(*type), address(receive), *receive_count,
                                         PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm))),
               traffic::alltoall(recording, Call::kAlltoall, address(send), *count, PMPI_Type_f2c(*type),
                                 *receive_count, PMPI_Type_f2c(*receive_type)));
SLUICE_FORTRAN(alltoallv,
               (void* send, MPI_Fint* counts, MPI_Fint* offsets, MPI_Fint* type, void* receive,
                MPI_Fint* receive_counts, MPI_Fint* receive_offsets, MPI_Fint* receive_type, MPI_Fint* comm,
                MPI_Fint* ierror),
               (send, counts, offsets, type, receive, receive_counts, receive_offsets, receive_type, comm, ierror),
               SLUICE_TAKE(take_alltoallv(address(send), counts, offsets, PMPI_Type_f2c(*type), address(receive),
                                          receive_counts, receive_offsets, PMPI_Type_f2c(*receive_type),
                                          PMPI_Comm_f2c(*comm))),
               traffic::alltoallv(recording, Call::kAlltoallv, address(send), counts, PMPI_Type_f2c(*type),
                                  receive_counts, PMPI_Type_f2c(*receive_type)));
SLUICE_FORTRAN_TO_NEIGHBOURS(
    neighbor_allgather,
    (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_count, MPI_Fint* receive_type,
     MPI_Fint* comm, MPI_Fint* ierror),
    (send, count, type, receive, receive_count, receive_type, comm, ierror),
    SLUICE_TAKE(take_neighbor_allgather(address(send), *count, PMPI_Type_f2c(*type), address(receive), *receive_count,
                                        PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm))),
    traffic::neighbor_allgather(recording, Call::kNeighbor_allgather, *count, PMPI_Type_f2c(*type)));
SLUICE_FORTRAN_TO_NEIGHBOURS(
    neighbor_allgatherv,
    (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_counts, MPI_Fint* offsets,
     MPI_Fint* receive_type, MPI_Fint* comm, MPI_Fint* ierror),
    (send, count, type, receive, receive_counts, offsets, receive_type, comm, ierror),
    SLUICE_TAKE(take_neighbor_allgatherv(address(send), *count, PMPI_Type_f2c(*type), address(receive), receive_counts,
                                         offsets, PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm))),
    traffic::neighbor_allgather(recording, Call::kNeighbor_allgatherv, *count, PMPI_Type_f2c(*type)));
SLUICE_FORTRAN_TO_NEIGHBOURS(
    neighbor_alltoall,
    (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_count, MPI_Fint* receive_type,
     MPI_Fint* comm, MPI_Fint* ierror),
    (send, count, type, receive, receive_count, receive_type, comm, ierror),
    SLUICE_TAKE(take_neighbor_alltoall(address(send), *count, PMPI_Type_f2c(*type), address(receive), *receive_count,
                                       PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm))),
    traffic::neighbor_allgather(recording, Call::kNeighbor_alltoall, *count, PMPI_Type_f2c(*type)));
SLUICE_FORTRAN_TO_NEIGHBOURS(
    neighbor_alltoallv,
    (void* send, MPI_Fint* counts, MPI_Fint* offsets, MPI_Fint* type, void* receive, MPI_Fint* receive_counts,
     MPI_Fint* receive_offsets, MPI_Fint* receive_type, MPI_Fint* comm, MPI_Fint* ierror),
    (send, counts, offsets, type, receive, receive_counts, receive_offsets, receive_type, comm, ierror),
    SLUICE_TAKE(take_neighbor_alltoallv(address(send), counts, offsets, PMPI_Type_f2c(*type), address(receive),
                                        receive_counts, receive_offsets, PMPI_Type_f2c(*receive_type),
                                        PMPI_Comm_f2c(*comm))),
    traffic::neighbor_alltoallv(recording, Call::kNeighbor_alltoallv, counts, PMPI_Type_f2c(*type)));
SLUICE_FORTRAN(ibarrier, (MPI_Fint * comm, MPI_Fint* request, MPI_Fint* ierror), (comm, request, ierror),
               SLUICE_NOTHING, recording.to_each(Call::kIbarrier, 0, 0));
SLUICE_FORTRAN(ibcast,
               (void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* request,
                MPI_Fint* ierror),
               (buffer, count, type, root, comm, request, ierror), SLUICE_NOTHING,
               traffic::bcast(recording, Call::kIbcast, *count, PMPI_Type_f2c(*type), *root));
SLUICE_FORTRAN(ireduce,
               (void* send, void* receive, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* root,
                MPI_Fint* comm, MPI_Fint* request, MPI_Fint* ierror),
               (send, receive, count, type, op, root, comm, request, ierror), SLUICE_NOTHING,
               traffic::reduce(recording, Call::kIreduce, *count, PMPI_Type_f2c(*type), *root));
SLUICE_FORTRAN(iallreduce,
               (void* send, void* receive, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                MPI_Fint* request, MPI_Fint* ierror),
               (send, receive, count, type, op, comm, request, ierror), SLUICE_NOTHING,
               traffic::allreduce(recording, Call::kIallreduce, *count, PMPI_Type_f2c(*type)));
SLUICE_FORTRAN(ireduce_scatter,
               (void* send, void* receive, MPI_Fint* counts, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                MPI_Fint* request, MPI_Fint* ierror),
               (send, receive, counts, type, op, comm, request, ierror), SLUICE_NOTHING,
               traffic::reduce_scatter(recording, Call::kIreduce_scatter, counts, PMPI_Type_f2c(*type)));
SLUICE_FORTRAN(ireduce_scatter_block,
               (void* send, void* receive, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                MPI_Fint* request, MPI_Fint* ierror),
               (send, receive, count, type, op, comm, request, ierror), SLUICE_NOTHING,
               traffic::reduce_scatter_block(recording, Call::kIreduce_scatter_block, *count, PMPI_Type_f2c(*type)));
SLUICE_FORTRAN(iscan,
               (void* send, void* receive, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                MPI_Fint* request, MPI_Fint* ierror),
               (send, receive, count, type, op, comm, request, ierror), SLUICE_NOTHING,
               traffic::scan(recording, Call::kIscan, *count, PMPI_Type_f2c(*type)));
SLUICE_FORTRAN(iexscan,
               (void* send, void* receive, MPI_Fint* count, MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                MPI_Fint* request, MPI_Fint* ierror),
               (send, receive, count, type, op, comm, request, ierror), SLUICE_NOTHING,
               traffic::scan(recording, Call::kIexscan, *count, PMPI_Type_f2c(*type)));
SLUICE_FORTRAN(igather,
               (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_count,
                MPI_Fint* receive_type, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* request, MPI_Fint* ierror),
               (send, count, type, receive, receive_count, receive_type, root, comm, request, ierror), SLUICE_NOTHING,
               traffic::gather(recording, Call::kIgather, address(send), *count, PMPI_Type_f2c(*type), *root));
SLUICE_FORTRAN(igatherv,
               (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_counts, MPI_Fint* offsets,
                MPI_Fint* receive_type, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* request, MPI_Fint* ierror),
               (send, count, type, receive, receive_counts, offsets, receive_type, root, comm, request, ierror),
               SLUICE_NOTHING,
               traffic::gather(recording, Call::kIgatherv, address(send), *count, PMPI_Type_f2c(*type), *root));
SLUICE_FORTRAN(iscatter,
               (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_count,
                MPI_Fint* receive_type, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* request, MPI_Fint* ierror),
               (send, count, type, receive, receive_count, receive_type, root, comm, request, ierror), SLUICE_NOTHING,
               traffic::scatter(recording, Call::kIscatter, *count, PMPI_Type_f2c(*type), *root));
SLUICE_FORTRAN(iscatterv,
               (void* send, MPI_Fint* counts, MPI_Fint* offsets, MPI_Fint* type, void* receive, MPI_Fint* receive_count,
                MPI_Fint* receive_type, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* request, MPI_Fint* ierror),
               (send, counts, offsets, type, receive, receive_count, receive_type, root, comm, request, ierror),
               SLUICE_NOTHING, traffic::scatterv(recording, Call::kIscatterv, counts, PMPI_Type_f2c(*type), *root));
SLUICE_FORTRAN(iallgather,
               (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_count,
                MPI_Fint* receive_type, MPI_Fint* comm, MPI_Fint* request, MPI_Fint* ierror),
               (send, count, type, receive, receive_count, receive_type, comm, request, ierror), SLUICE_NOTHING,
               traffic::allgather(recording, Call::kIallgather, address(send), *count, PMPI_Type_f2c(*type),
                                  *receive_count, PMPI_Type_f2c(*receive_type)));
SLUICE_FORTRAN(iallgatherv,
               (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_counts, MPI_Fint* offsets,
                MPI_Fint* receive_type, MPI_Fint* comm, MPI_Fint* request, MPI_Fint* ierror),
               (send, count, type, receive, receive_counts, offsets, receive_type, comm, request, ierror),
               SLUICE_NOTHING,
               traffic::allgatherv(recording, Call::kIallgatherv, address(send), *count, PMPI_Type_f2c(*type),
                                   receive_counts, PMPI_Type_f2c(*receive_type)));
SLUICE_FORTRAN(ialltoall,
               (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_count,
                MPI_Fint* receive_type, MPI_Fint* comm, MPI_Fint* request, MPI_Fint* ierror),
               (send, count, type, receive, receive_count, receive_type, comm, request, ierror), SLUICE_NOTHING,
               traffic::alltoall(recording, Call::kIalltoall, address(send), *count, PMPI_Type_f2c(*type),
                                 *receive_count, PMPI_Type_f2c(*receive_type)));
SLUICE_FORTRAN(ialltoallv,
               (void* send, MPI_Fint* counts, MPI_Fint* offsets, MPI_Fint* type, void* receive,
                MPI_Fint* receive_counts, MPI_Fint* receive_offsets, MPI_Fint* receive_type, MPI_Fint* comm,
                MPI_Fint* request, MPI_Fint* ierror),
               (send, counts, offsets, type, receive, receive_counts, receive_offsets, receive_type, comm, request,
                ierror),
               SLUICE_NOTHING,
               traffic::alltoallv(recording, Call::kIalltoallv, address(send), counts, PMPI_Type_f2c(*type),
                                  receive_counts, PMPI_Type_f2c(*receive_type)));
SLUICE_FORTRAN_TO_NEIGHBOURS(ineighbor_allgather,
                             (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_count,
                              MPI_Fint* receive_type, MPI_Fint* comm, MPI_Fint* request, MPI_Fint* ierror),
                             (send, count, type, receive, receive_count, receive_type, comm, request, ierror),
                             SLUICE_NOTHING,
                             traffic::neighbor_allgather(recording, Call::kIneighbor_allgather, *count,
                                                         PMPI_Type_f2c(*type)));
SLUICE_FORTRAN_TO_NEIGHBOURS(
    ineighbor_allgatherv,
    (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_counts, MPI_Fint* offsets,
     MPI_Fint* receive_type, MPI_Fint* comm, MPI_Fint* request, MPI_Fint* ierror),
    (send, count, type, receive, receive_counts, offsets, receive_type, comm, request, ierror), SLUICE_NOTHING,
    traffic::neighbor_allgather(recording, Call::kIneighbor_allgatherv, *count, PMPI_Type_f2c(*type)));
SLUICE_FORTRAN_TO_NEIGHBOURS(ineighbor_alltoall,
                             (void* send, MPI_Fint* count, MPI_Fint* type, void* receive, MPI_Fint* receive_count,
                              MPI_Fint* receive_type, MPI_Fint* comm, MPI_Fint* request, MPI_Fint* ierror),
                             (send, count, type, receive, receive_count, receive_type, comm, request, ierror),
                             SLUICE_NOTHING,
                             traffic::neighbor_allgather(recording, Call::kIneighbor_alltoall, *count,
                                                         PMPI_Type_f2c(*type)));
SLUICE_FORTRAN_TO_NEIGHBOURS(
    ineighbor_alltoallv,
    (void* send, MPI_Fint* counts, MPI_Fint* offsets, MPI_Fint* type, void* receive, MPI_Fint* receive_counts,
     MPI_Fint* receive_offsets, MPI_Fint* receive_type, MPI_Fint* comm, MPI_Fint* request, MPI_Fint* ierror),
    (send, counts, offsets, type, receive, receive_counts, receive_offsets, receive_type, comm, request, ierror),
    SLUICE_NOTHING, traffic::neighbor_alltoallv(recording, Call::kIneighbor_alltoallv, counts, PMPI_Type_f2c(*type)));

__attribute__((weak)) void pmpi_init_(MPI_Fint* ierror);
__attribute__((weak)) void pmpi_init_thread_(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror);
__attribute__((weak)) void pmpi_finalize_(MPI_Fint* ierror);
__attribute__((weak)) void pmpi_abort_(MPI_Fint* comm, MPI_Fint* code, MPI_Fint* ierror);

void mpi_init_(MPI_Fint* ierror) {
  sluice::pmpi::require_own_mpi(__builtin_return_address(0));
  MPI_Fint code = 0;
  pmpi_init_(&code);
  if (code == MPI_SUCCESS) sluice::pmpi::start();
  if (ierror != nullptr) *ierror = code;
}

void mpi_init_thread_(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* ierror) {
  sluice::pmpi::require_own_mpi(__builtin_return_address(0));
  MPI_Fint code = 0;
  pmpi_init_thread_(required, provided, &code);
  if (code == MPI_SUCCESS) sluice::pmpi::start();
  if (ierror != nullptr) *ierror = code;
}

void mpi_finalize_(MPI_Fint* ierror) {
  MPI_Fint code = 0;
  sluice::pmpi::stop();
  pmpi_finalize_(&code);
  if (ierror != nullptr) *ierror = code;
}

void mpi_abort_(MPI_Fint* comm, MPI_Fint* code, MPI_Fint* ierror) {
  MPI_Fint unused = 0;
  sluice::pmpi::about_to_abort();
  pmpi_abort_(comm, code, ierror == nullptr ? &unused : ierror);
}

__attribute__((alias("mpi_init_"))) void mpi_init_f08_(MPI_Fint* ierror);
__attribute__((alias("mpi_init_thread_"))) void mpi_init_thread_f08_(MPI_Fint* required, MPI_Fint* provided,
                                                                     MPI_Fint* ierror);
__attribute__((alias("mpi_finalize_"))) void mpi_finalize_f08_(MPI_Fint* ierror);
__attribute__((alias("mpi_abort_"))) void mpi_abort_f08_(MPI_Fint* comm, MPI_Fint* code, MPI_Fint* ierror);

}  // extern "C"
#pragma GCC visibility pop
