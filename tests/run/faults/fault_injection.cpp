#include "run/faults/fault_injection.hpp"

#include <malloc.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>

namespace {

using sluice::mpi::testing::FaultKind;

// A progress thread calls MPI, too.
std::atomic<FaultKind> armed{FaultKind::kNone};
std::atomic<std::int64_t> left{0};
std::atomic<bool> fired{false};
std::atomic<double> fired_at_s{0};
std::atomic<bool> counts{false};
std::atomic<std::int64_t> collective_calls{0};

bool fails(FaultKind kind) {
  if (!counts || armed != kind || left.fetch_sub(1) != 0) return false;
  fired = true;
  fired_at_s = sluice::mpi::testing::now_s();
  return true;
}

// Memory that was freed, while MPI may still use it.
constexpr std::size_t kMostKept = 4096;
constexpr std::size_t kKeptFrom = 512;  // bytes: less is not what messages go to
constexpr unsigned char kFreed = 0xdb;
std::array<void*, kMostKept> kept;
std::atomic<std::size_t> kept_count{0};
std::atomic<bool> keeps{false};

/// Whether it is kept, and not to be freed.
bool keep(void* at) {
  if (!keeps || at == nullptr || malloc_usable_size(at) < kKeptFrom) return false;
  const std::size_t place = kept_count++;
  if (place >= kMostKept) return false;
  std::memset(at, kFreed, malloc_usable_size(at));
  kept[place] = at;
  return true;
}

bool is_unchanged(const void* at) {
  const auto* const bytes = static_cast<const unsigned char*>(at);
  return std::all_of(bytes, bytes + malloc_usable_size(const_cast<void*>(at)),
                     [](unsigned char byte) { return byte == kFreed; });
}

bool call_fails() { return fails(FaultKind::kCall); }
bool collective_fails() {
  if (counts) ++collective_calls;
  return call_fails();
}
bool making_fails() { return fails(FaultKind::kMakingCall); }

}  // namespace

namespace sluice::mpi::testing {

void arm(FaultKind kind, std::int64_t number) {
  fired = false;
  left = number;
  armed = kind;
}

bool disarm() {
  armed = FaultKind::kNone;
  return fired;
}

double failed_at_s() { return fired_at_s; }

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::int64_t collectives() { return collective_calls; }

void keep_freed() {
  kept_count = 0;
  keeps = true;
}

bool freed_is_unchanged() {
  keeps = false;
  const std::span<void* const> all(kept.data(), std::min(kMostKept, kept_count.load()));
  const bool unchanged = std::ranges::all_of(all, is_unchanged);
  for (void* const each : all) std::free(each);
  return unchanged;
}

Faulty::Faulty() { counts = true; }
Faulty::~Faulty() { counts = false; }

}  // namespace sluice::mpi::testing

// ---- Memory; not inlined, as compilers look for the operator that belongs to std::free

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (fails(FaultKind::kAllocation)) throw std::bad_alloc();
  void* const at = std::malloc(bytes == 0 ? 1 : bytes);
  if (at == nullptr) throw std::bad_alloc();
  return at;
}
[[gnu::noinline]] void* operator new[](std::size_t bytes) { return operator new(bytes); }
// Those that do not throw, too: under AddressSanitizer they would be its own, and what they return is freed below.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return fails(FaultKind::kAllocation) ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}
[[gnu::noinline]] void* operator new[](std::size_t bytes, const std::nothrow_t& tag) noexcept {
  return operator new(bytes, tag);
}
[[gnu::noinline]] void operator delete(void* at) noexcept {
  if (!keep(at)) std::free(at);
}
[[gnu::noinline]] void operator delete[](void* at) noexcept { operator delete(at); }
[[gnu::noinline]] void operator delete(void* at, std::size_t /*bytes*/) noexcept { operator delete(at); }
[[gnu::noinline]] void operator delete[](void* at, std::size_t /*bytes*/) noexcept { operator delete(at); }

// ---- MPI: the profiling interface lets a program put itself between the library and MPI

extern "C" {

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  return call_fails() ? MPI_ERR_OTHER : PMPI_Isend(buffer, count, type, to, tag, comm, request);
}
int MPI_Issend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  return call_fails() ? MPI_ERR_OTHER : PMPI_Issend(buffer, count, type, to, tag, comm, request);
}
int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  return call_fails() ? MPI_ERR_OTHER : PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return call_fails() ? MPI_ERR_OTHER : PMPI_Test(request, flag, status);
}
int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  return call_fails() ? MPI_ERR_OTHER : PMPI_Testsome(count, requests, done, indices, statuses);
}
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return call_fails() ? MPI_ERR_OTHER : PMPI_Iprobe(from, tag, comm, flag, status);
}
int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
  return call_fails() ? MPI_ERR_OTHER : PMPI_Get_count(status, type, count);
}
int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  return collective_fails() ? MPI_ERR_OTHER : PMPI_Ibcast(buffer, count, type, root, comm, request);
}
int MPI_Ireduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request* request) {
  return collective_fails() ? MPI_ERR_OTHER : PMPI_Ireduce(from, to, count, type, op, root, comm, request);
}
int MPI_Ialltoallw(const void* from, const int counts[], const int offsets[], const MPI_Datatype types[], void* to,
                   const int in_counts[], const int in_offsets[], const MPI_Datatype in_types[], MPI_Comm comm,
                   MPI_Request* request) {
  return collective_fails()
             ? MPI_ERR_OTHER
             : PMPI_Ialltoallw(from, counts, offsets, types, to, in_counts, in_offsets, in_types, comm, request);
}
int MPI_Iscatter(const void* from, int count, MPI_Datatype type, void* to, int in_count, MPI_Datatype in_type, int root,
                 MPI_Comm comm, MPI_Request* request) {
  return collective_fails() ? MPI_ERR_OTHER
                            : PMPI_Iscatter(from, count, type, to, in_count, in_type, root, comm, request);
}
int MPI_Igather(const void* from, int count, MPI_Datatype type, void* to, int in_count, MPI_Datatype in_type, int root,
                MPI_Comm comm, MPI_Request* request) {
  return collective_fails() ? MPI_ERR_OTHER
                            : PMPI_Igather(from, count, type, to, in_count, in_type, root, comm, request);
}
int MPI_Iallgather(const void* from, int count, MPI_Datatype type, void* to, int in_count, MPI_Datatype in_type,
                   MPI_Comm comm, MPI_Request* request) {
  return collective_fails() ? MPI_ERR_OTHER : PMPI_Iallgather(from, count, type, to, in_count, in_type, comm, request);
}
int MPI_Ialltoall(const void* from, int count, MPI_Datatype type, void* to, int in_count, MPI_Datatype in_type,
                  MPI_Comm comm, MPI_Request* request) {
  return collective_fails() ? MPI_ERR_OTHER : PMPI_Ialltoall(from, count, type, to, in_count, in_type, comm, request);
}
int MPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  return collective_fails() ? MPI_ERR_OTHER : PMPI_Iallreduce(from, to, count, type, op, comm, request);
}
int MPI_Ireduce_scatter(const void* from, void* to, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        MPI_Request* request) {
  return collective_fails() ? MPI_ERR_OTHER : PMPI_Ireduce_scatter(from, to, counts, type, op, comm, request);
}
int MPI_Ialltoallv(const void* from, const int counts[], const int offsets[], MPI_Datatype type, void* to,
                   const int in_counts[], const int in_offsets[], MPI_Datatype in_type, MPI_Comm comm,
                   MPI_Request* request) {
  return collective_fails()
             ? MPI_ERR_OTHER
             : PMPI_Ialltoallv(from, counts, offsets, type, to, in_counts, in_offsets, in_type, comm, request);
}
int MPI_Iscatterv(const void* from, const int counts[], const int offsets[], MPI_Datatype type, void* to, int in_count,
                  MPI_Datatype in_type, int root, MPI_Comm comm, MPI_Request* request) {
  return collective_fails() ? MPI_ERR_OTHER
                            : PMPI_Iscatterv(from, counts, offsets, type, to, in_count, in_type, root, comm, request);
}
int MPI_Igatherv(const void* from, int count, MPI_Datatype type, void* to, const int in_counts[],
                 const int in_offsets[], MPI_Datatype in_type, int root, MPI_Comm comm, MPI_Request* request) {
  return collective_fails() ? MPI_ERR_OTHER
                            : PMPI_Igatherv(from, count, type, to, in_counts, in_offsets, in_type, root, comm, request);
}
int MPI_Iallgatherv(const void* from, int count, MPI_Datatype type, void* to, const int in_counts[],
                    const int in_offsets[], MPI_Datatype in_type, MPI_Comm comm, MPI_Request* request) {
  return collective_fails() ? MPI_ERR_OTHER
                            : PMPI_Iallgatherv(from, count, type, to, in_counts, in_offsets, in_type, comm, request);
}
int MPI_Reduce_local(const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op) {
  return call_fails() ? MPI_ERR_OTHER : PMPI_Reduce_local(in, inout, count, type, op);
}
int MPI_Pack(const void* in, int count, MPI_Datatype type, void* out, int size, int* position, MPI_Comm comm) {
  return call_fails() ? MPI_ERR_OTHER : PMPI_Pack(in, count, type, out, size, position, comm);
}
int MPI_Unpack(const void* in, int size, int* position, void* out, int count, MPI_Datatype type, MPI_Comm comm) {
  return call_fails() ? MPI_ERR_OTHER : PMPI_Unpack(in, size, position, out, count, type, comm);
}
int MPI_Type_size(MPI_Datatype type, int* size) { return call_fails() ? MPI_ERR_OTHER : PMPI_Type_size(type, size); }
int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent) {
  return call_fails() ? MPI_ERR_OTHER : PMPI_Type_get_extent(type, lower, extent);
}
int MPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent) {
  return call_fails() ? MPI_ERR_OTHER : PMPI_Type_get_true_extent(type, lower, extent);
}
int MPI_Type_get_envelope(MPI_Datatype type, int* integers, int* addresses, int* types, int* combiner) {
  return call_fails() ? MPI_ERR_OTHER : PMPI_Type_get_envelope(type, integers, addresses, types, combiner);
}
int MPI_Type_get_contents(MPI_Datatype type, int most_integers, int most_addresses, int most_types, int integers[],
                          MPI_Aint addresses[], MPI_Datatype types[]) {
  return call_fails()
             ? MPI_ERR_OTHER
             : PMPI_Type_get_contents(type, most_integers, most_addresses, most_types, integers, addresses, types);
}
int MPI_Op_commutative(MPI_Op op, int* commute) {
  return call_fails() ? MPI_ERR_OTHER : PMPI_Op_commutative(op, commute);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return making_fails() ? MPI_ERR_OTHER : PMPI_Ibarrier(comm, request);
}
int MPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  return making_fails() ? MPI_ERR_OTHER : PMPI_Comm_group(comm, group);
}
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  return making_fails() ? MPI_ERR_OTHER : PMPI_Comm_create(comm, group, made);
}
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  return making_fails() ? MPI_ERR_OTHER : PMPI_Comm_set_errhandler(comm, handler);
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* part) {
  return making_fails() ? MPI_ERR_OTHER : PMPI_Comm_split(comm, color, key, part);
}

}  // extern "C"
