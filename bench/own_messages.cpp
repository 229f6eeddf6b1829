// A message of the program's own while ranks wait in a collective: rank 0 has sent 20 MB to rank 1 without waiting, and
// enters an allreduce; rank 1 receives the message first, the others wait. How long that takes beside MPI_Allreduce,
// which calls MPI all the time it waits.
//
//     own_messages [REPETITIONS]      9 unless given
//
// Medians of rank 0, in turns, in ms. It is the sender that has to move the bytes, so that a rank which only sleeps
// keeps them waiting, where one process cannot read the other one's memory and ranks outnumber processors:
//
//     scripts/mpirun.sh -np 3 --mca btl_vader_single_copy_mechanism none build/release/bin/own_messages
//     scripts/mpirun.sh -np 3 --mca btl self,tcp build/release/bin/own_messages

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <vector>

#include "sluice/run/mpi/collectives.hpp"

namespace {

constexpr int kMessage = 20 << 20;

double median_ms(std::vector<double> seconds) {
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return 1e3 * *middle;
}

/// Until the message and the allreduce are done on this rank.
double once(const std::function<void()>& allreduce, std::vector<char>& message) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  MPI_Request sent = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Isend(message.data(), kMessage, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &sent);
  if (rank == 1) MPI_Recv(message.data(), kMessage, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  allreduce();
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  return MPI_Wtime() - start;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int repetitions = argc > 1 ? std::max(1, std::atoi(argv[1])) : 9;
  if (ranks < 2) {
    fmt::print(stderr, "own_messages: 1 rank, expected at least 2\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  {
    constexpr int kElements = 1000;
    std::vector<int> own(kElements), result(kElements);
    sluice::mpi::Allreduce job(MPI_COMM_WORLD, {kElements, MPI_INT, MPI_SUM});
    const std::function<void()> by_job = [&] { job.execute(own.data(), result.data()); };
    const std::function<void()> by_mpi = [&] {
      MPI_Allreduce(own.data(), result.data(), kElements, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    };
    constexpr int kUntilSettled = 12;  // executions after which a job has chosen its way
    for (int i = 0; i < kUntilSettled; ++i) by_job();
    std::vector<char> message(kMessage);
    std::vector<double> job_s, mpi_s;
    for (int i = 0; i < repetitions; ++i) {
      job_s.push_back(once(by_job, message));
      mpi_s.push_back(once(by_mpi, message));
    }
    if (rank == 0)
      fmt::print("Allreduce {:.1f} ms, MPI_Allreduce {:.1f} ms, medians of {}\n", median_ms(job_s), median_ms(mpi_s),
                 repetitions);
  }
  MPI_Finalize();
  return 0;
}
