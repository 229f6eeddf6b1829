// Sends: recorded, never taken.
#include <mpi.h>

#include <map>
#include <mutex>

#include "pmpi/calls/sizes.hpp"
#include "pmpi/library.hpp"
#include "pmpi/record/recorder.hpp"

namespace {

using sluice::pmpi::bytes_of;
using sluice::pmpi::Call;
using sluice::pmpi::mode;
using sluice::pmpi::RecordedRanks;
using sluice::pmpi::Recording;

/// Persistent sends: what each start of them sends.
struct PersistentSend {
  const RecordedRanks* ranks = nullptr;  ///< not the communicator, which may be freed before the request
  int to = 0;
  std::int64_t bytes = 0;
};
struct PersistentSends {
  std::mutex mutex;
  std::map<MPI_Request, PersistentSend> all;
};
PersistentSends& persistent_sends() {
  static auto* const kept = new PersistentSends;
  return *kept;
}

/// make(): the call of MPI's.
template <class Make>
int make_persistent(const Make& make, const MPI_Request* request, int count, MPI_Datatype type, int to, MPI_Comm comm) {
  if (!mode.recording) return make();
  const RecordedRanks* const ranks = Recording::ranks_of(comm);
  const int code = make();
  if (code != MPI_SUCCESS) return code;
  PersistentSends& sends = persistent_sends();
  const std::scoped_lock lock(sends.mutex);
  sends.all[*request] = {ranks, to, bytes_of(count, type)};
  return code;
}

void started(Call call, MPI_Request request) {
  PersistentSends& sends = persistent_sends();
  PersistentSend send;
  {
    const std::scoped_lock lock(sends.mutex);
    const auto found = sends.all.find(request);
    if (found == sends.all.end()) return;
    send = found->second;
  }
  Recording(send.ranks).to(call, send.to, send.bytes);
}

}  // namespace

#pragma GCC visibility push(default)  // not every MPI's header says so
extern "C" {

#define SLUICE_SEND(name)                                                                            \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) { \
    if (!mode.recording) return PMPI_##name(buffer, count, type, to, tag, comm);                     \
    const Recording recording(comm);                                                                 \
    const int code = PMPI_##name(buffer, count, type, to, tag, comm);                                \
    if (code == MPI_SUCCESS) recording.to(Call::k##name, to, bytes_of(count, type));                 \
    return code;                                                                                     \
  }
SLUICE_SEND(Send)
SLUICE_SEND(Bsend)
SLUICE_SEND(Ssend)
SLUICE_SEND(Rsend)

#define SLUICE_ISEND(name)                                                                         \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                           \
    if (!mode.recording) return PMPI_##name(buffer, count, type, to, tag, comm, request);          \
    const Recording recording(comm);                                                               \
    const int code = PMPI_##name(buffer, count, type, to, tag, comm, request);                     \
    if (code == MPI_SUCCESS) recording.to(Call::k##name, to, bytes_of(count, type));               \
    return code;                                                                                   \
  }
SLUICE_ISEND(Isend)
SLUICE_ISEND(Ibsend)
SLUICE_ISEND(Issend)
SLUICE_ISEND(Irsend)

#define SLUICE_SEND_INIT(name)                                                                                       \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,                   \
                 MPI_Request* request) {                                                                             \
    return make_persistent([&] { return PMPI_##name(buffer, count, type, to, tag, comm, request); }, request, count, \
                           type, to, comm);                                                                          \
  }
SLUICE_SEND_INIT(Send_init)
SLUICE_SEND_INIT(Bsend_init)
SLUICE_SEND_INIT(Ssend_init)
SLUICE_SEND_INIT(Rsend_init)

int MPI_Start(MPI_Request* request) {
  const int code = PMPI_Start(request);
  if (code == MPI_SUCCESS && mode.recording) started(Call::kStart, *request);
  return code;
}

int MPI_Startall(int count, MPI_Request* requests) {
  const int code = PMPI_Startall(count, requests);
  if (code != MPI_SUCCESS || !mode.recording) return code;
  for (int i = 0; i < count; ++i) started(Call::kStartall, requests[i]);
  return code;
}

int MPI_Request_free(MPI_Request* request) {
  if (mode.recording && request != nullptr) {
    PersistentSends& sends = persistent_sends();
    const std::scoped_lock lock(sends.mutex);
    sends.all.erase(*request);
  }
  return PMPI_Request_free(request);
}

int MPI_Sendrecv(const void* send, int send_count, MPI_Datatype send_type, int to, int send_tag, void* receive,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                 MPI_Status* status) {
  if (!mode.recording)
    return PMPI_Sendrecv(send, send_count, send_type, to, send_tag, receive, receive_count, receive_type, from,
                         receive_tag, comm, status);
  const Recording recording(comm);
  const int code = PMPI_Sendrecv(send, send_count, send_type, to, send_tag, receive, receive_count, receive_type, from,
                                 receive_tag, comm, status);
  if (code == MPI_SUCCESS) recording.to(Call::kSendrecv, to, bytes_of(send_count, send_type));
  return code;
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int send_tag, int from, int receive_tag,
                         MPI_Comm comm, MPI_Status* status) {
  if (!mode.recording) return PMPI_Sendrecv_replace(buffer, count, type, to, send_tag, from, receive_tag, comm, status);
  const Recording recording(comm);
  const int code = PMPI_Sendrecv_replace(buffer, count, type, to, send_tag, from, receive_tag, comm, status);
  if (code == MPI_SUCCESS) recording.to(Call::kSendrecv_replace, to, bytes_of(count, type));
  return code;
}

}  // extern "C"
#pragma GCC visibility pop
