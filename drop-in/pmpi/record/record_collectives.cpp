#include "pmpi/record/record_collectives.hpp"

#include "pmpi/calls/sizes.hpp"

namespace sluice::pmpi::traffic {
namespace {

int same(int rank) { return rank; }

}  // namespace

void reduce_scatter_block(const Recording& recording, Call call, int count, MPI_Datatype type) {
  const std::int64_t bytes = bytes_of(count, type);
  recording.to_each(call, bytes, bytes * recording.size());
}

void reduce_scatter(const Recording& recording, Call call, const int* counts, MPI_Datatype type) {
  recording.to_some(call, recording.size(), same, [&](int i) { return bytes_of(counts[i], type); });
}

void scan(const Recording& recording, Call call, int count, MPI_Datatype type) {
  const std::int64_t bytes = bytes_of(count, type);
  const int rank = recording.rank();
  recording.to_some(
      call, recording.size(), [&](int i) { return i < rank ? -1 : i; }, [&](int i) { return i == rank ? 0 : bytes; });
}

void gather(const Recording& recording, Call call, const void* send, int count, MPI_Datatype type, int root) {
  // MPI_IN_PLACE is the root's, which sends nothing.
  recording.to(call, root, send == MPI_IN_PLACE ? 0 : bytes_of(count, type));
}

void scatter(const Recording& recording, Call call, int count, MPI_Datatype type, int root) {
  const bool is_root = recording.rank() == root;
  recording.to_each_from(call, root, is_root ? bytes_of(count, type) : 0);
}

void scatterv(const Recording& recording, Call call, const int* counts, MPI_Datatype type, int root) {
  const int n = recording.rank() == root ? recording.size() : 0;
  recording.to_some(call, n, same, [&](int i) { return bytes_of(counts[i], type); });
}

void allgather(const Recording& recording, Call call, const void* send, int count, MPI_Datatype type, int receive_count,
               MPI_Datatype receive_type) {
  const std::int64_t bytes = send == MPI_IN_PLACE ? bytes_of(receive_count, receive_type) : bytes_of(count, type);
  recording.to_each(call, bytes, bytes);
}

void allgatherv(const Recording& recording, Call call, const void* send, int count, MPI_Datatype type,
                const int* receive_counts, MPI_Datatype receive_type) {
  const int rank = recording.rank();
  if (rank < 0) return;
  const std::int64_t bytes =
      send == MPI_IN_PLACE ? bytes_of(receive_counts[rank], receive_type) : bytes_of(count, type);
  recording.to_each(call, bytes, bytes);
}

void alltoall(const Recording& recording, Call call, const void* send, int count, MPI_Datatype type, int receive_count,
              MPI_Datatype receive_type) {
  const std::int64_t bytes = send == MPI_IN_PLACE ? bytes_of(receive_count, receive_type) : bytes_of(count, type);
  recording.to_each(call, bytes, bytes * recording.size());
}

void alltoallv(const Recording& recording, Call call, const void* send, const int* counts, MPI_Datatype type,
               const int* receive_counts, MPI_Datatype receive_type) {
  const bool in_place = send == MPI_IN_PLACE;
  const std::int64_t size = bytes_of(1, in_place ? receive_type : type);
  const int* const used = in_place ? receive_counts : counts;
  recording.to_some(call, recording.size(), same, [&](int i) { return used[i] * size; });
}

void alltoallw(const Recording& recording, Call call, const void* send, const int* counts, const MPI_Datatype* types,
               const int* receive_counts, const MPI_Datatype* receive_types) {
  const bool in_place = send == MPI_IN_PLACE;
  recording.to_some(call, recording.size(), same, [&](int i) {
    return in_place ? bytes_of(receive_counts[i], receive_types[i]) : bytes_of(counts[i], types[i]);
  });
}

void neighbor_allgather(const NeighbourRecording& recording, Call call, int count, MPI_Datatype type) {
  const std::int64_t bytes = bytes_of(count, type);
  const std::vector<int>& targets = recording.targets();
  recording.to_some(
      call, static_cast<int>(targets.size()), [&](int i) { return targets[static_cast<std::size_t>(i)]; },
      [&](int) { return bytes; });
}

void neighbor_alltoallv(const NeighbourRecording& recording, Call call, const int* counts, MPI_Datatype type) {
  const std::vector<int>& targets = recording.targets();
  recording.to_some(
      call, static_cast<int>(targets.size()), [&](int i) { return targets[static_cast<std::size_t>(i)]; },
      [&](int i) { return bytes_of(counts[i], type); });
}

void neighbor_alltoallw(const NeighbourRecording& recording, Call call, const int* counts, const MPI_Datatype* types) {
  const std::vector<int>& targets = recording.targets();
  recording.to_some(
      call, static_cast<int>(targets.size()), [&](int i) { return targets[static_cast<std::size_t>(i)]; },
      [&](int i) { return bytes_of(counts[i], types[i]); });
}

}  // namespace sluice::pmpi::traffic
