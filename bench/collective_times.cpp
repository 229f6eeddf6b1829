// Times MPI's own collectives, whatever algorithms the library is told to take: a line "CALL BYTES SECONDS" for each,
// the median of some executions, each the longest time of any rank from when all are there. BYTES are a rank's: the
// message, one block, or all that is combined.
//
//     mpirun ... collective_times REPETITIONS CALL:BYTES...

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

/// Whether there is such a call.
bool carry_out(const std::string& call, int bytes, std::vector<char>& source, std::vector<char>& target) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const MPI_Comm world = MPI_COMM_WORLD;
  const int words = bytes / static_cast<int>(sizeof(double));
  void* const from = source.data();
  void* const to = target.data();
  if (call == "bcast") return MPI_Bcast(to, bytes, MPI_BYTE, 0, world) == MPI_SUCCESS;
  if (call == "reduce") return MPI_Reduce(from, to, words, MPI_DOUBLE, MPI_SUM, 0, world) == MPI_SUCCESS;
  if (call == "allreduce") return MPI_Allreduce(from, to, words, MPI_DOUBLE, MPI_SUM, world) == MPI_SUCCESS;
  if (call == "allgather") return MPI_Allgather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, world) == MPI_SUCCESS;
  if (call == "alltoall") return MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, world) == MPI_SUCCESS;
  if (call == "gather") return MPI_Gather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, 0, world) == MPI_SUCCESS;
  if (call == "scatter") return MPI_Scatter(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, 0, world) == MPI_SUCCESS;
  if (call == "reduce_scatter") {
    std::vector<int> shares;
    for (int rank = 0; rank < ranks; ++rank) shares.push_back(words / ranks + (rank < words % ranks ? 1 : 0));
    return MPI_Reduce_scatter(from, to, shares.data(), MPI_DOUBLE, MPI_SUM, world) == MPI_SUCCESS;
  }
  if (call == "reduce_scatter_block")
    return MPI_Reduce_scatter_block(from, to, words / ranks, MPI_DOUBLE, MPI_SUM, world) == MPI_SUCCESS;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int repetitions = argc > 2 ? std::max(1, std::atoi(argv[1])) : 0;
  for (int i = 2; i < argc && status == 0; ++i) {
    const std::string item = argv[i];
    const std::size_t colon = item.find(':');
    const std::string call = item.substr(0, colon);
    const int bytes = colon == std::string::npos ? 0 : std::atoi(item.c_str() + colon + 1);
    std::vector<char> source(static_cast<std::size_t>(bytes) * static_cast<std::size_t>(ranks)), target(source.size());
    std::vector<double> seconds;
    for (int r = -1; r < repetitions && status == 0; ++r) {  // the first one makes connections
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      if (!carry_out(call, bytes, source, target)) status = 2;
      double own = MPI_Wtime() - begin, longest = 0;
      MPI_Allreduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (r >= 0) seconds.push_back(longest);
    }
    if (rank != 0) continue;
    if (status != 0) {
      std::fprintf(stderr, "error: '%s', expected CALL:BYTES\n", item.c_str());
    } else {
      std::sort(seconds.begin(), seconds.end());
      std::printf("%s %d %.9f\n", call.c_str(), bytes, seconds[seconds.size() / 2]);
    }
  }
  MPI_Finalize();
  return status;
}
