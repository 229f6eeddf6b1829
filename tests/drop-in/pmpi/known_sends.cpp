// Sends of known sizes, for the tests of recording. With an argument: what to do then instead of MPI_Finalize.
//
//     known_sends [sleep|abort|nothing]
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string then = argc > 1 ? argv[1] : "";
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size;
  const int left = (rank + size - 1) % size;
  std::vector<double> out(1000, 1);
  std::vector<double> in(1000 * static_cast<std::size_t>(size));

  MPI_Request request = MPI_REQUEST_NULL;  // 3 times (rank + 1) * 8 bytes along the ring
  for (int i = 0; i < 3; ++i) {
    MPI_Isend(out.data(), rank + 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(in.data(), 1000, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Send_init(out.data(), 5, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &request);  // twice 40 bytes
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&request);
    MPI_Recv(in.data(), 1000, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  MPI_Bcast(out.data(), 100, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
  MPI_Reduce(out.data(), in.data(), 10, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Allreduce(out.data(), in.data(), 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  std::vector<int> counts(static_cast<std::size_t>(size));
  std::vector<int> receive_counts(counts.size());
  std::vector<int> offsets(counts.size(), 0);
  for (int i = 0; i < size; ++i) {
    counts[static_cast<std::size_t>(i)] = rank + 2 * i;
    receive_counts[static_cast<std::size_t>(i)] = i + 2 * rank;
  }
  std::vector<int> receive_offsets(counts.size(), 0);
  for (std::size_t i = 1; i < counts.size(); ++i) receive_offsets[i] = receive_offsets[i - 1] + receive_counts[i - 1];
  MPI_Alltoallv(out.data(), counts.data(), offsets.data(), MPI_DOUBLE, in.data(), receive_counts.data(),
                receive_offsets.data(), MPI_DOUBLE, MPI_COMM_WORLD);

  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Bcast(out.data(), 7, MPI_DOUBLE, 0, half);
  MPI_Comm_free(&half);

  if (then == "sleep") {
    std::puts("asleep");
    std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::seconds(30));
  }
  if (then == "abort" && rank == size - 1) MPI_Abort(MPI_COMM_WORLD, 3);
  if (then == "abort") MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  std::puts("finalized");
  return 0;
}
