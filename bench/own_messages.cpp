// A message of the program's own while ranks wait in a collective: rank 0 has sent 20 MB to rank 1 without waiting, and
// enters an allreduce; rank 1 receives the message first, the others wait. How long that takes beside MPI_Allreduce,
// which calls MPI all the time it waits.
//
//     own_messages [REPETITIONS]      9 unless given
//
// Medians of the slowest rank in ms; both alternate. If one process cannot read the other one's memory, the sender has
// to move the bytes. If ranks also outnumber processors, a rank that only sleeps keeps them waiting:
//
//     scripts/mpirun.sh -np 3 --mca btl_vader_single_copy_mechanism none build/release/bin/own_messages
//     scripts/mpirun.sh -np 3 --mca btl self,tcp build/release/bin/own_messages

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <vector>

#include "apps/compare/communicator.hpp"
#include "sluice/run/mpi/collectives.hpp"
#include "turns.hpp"

namespace {

/// Sends a message from rank 0 to rank 1, with the allreduce before rank 0 waits for its end.
void send_beside(const sluice::compare::Communicator& comm, std::vector<char>& message,
                 const std::function<void()>& allreduce) {
  const auto bytes = static_cast<int>(message.size());
  MPI_Request sent = MPI_REQUEST_NULL;
  if (comm.rank() == 0) MPI_Isend(message.data(), bytes, MPI_CHAR, 1, 0, comm.get(), &sent);
  if (comm.rank() == 1) MPI_Recv(message.data(), bytes, MPI_CHAR, 0, 0, comm.get(), MPI_STATUS_IGNORE);
  allreduce();
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

void measure(int repetitions) {
  constexpr int kElements = 1000, kMessage = 20 << 20;
  const sluice::compare::Communicator comm(MPI_COMM_WORLD);
  std::vector<int> own(kElements), result(kElements);
  std::vector<char> message(kMessage);
  sluice::mpi::Allreduce job(comm.get(), {kElements, MPI_INT, MPI_SUM});
  const auto by_job = [&] { job.execute(own.data(), result.data()); };
  const auto by_mpi = [&] { MPI_Allreduce(own.data(), result.data(), kElements, MPI_INT, MPI_SUM, comm.get()); };
  constexpr int kUntilSettled = 12;  // executions until a job has chosen its way
  for (int i = 0; i < kUntilSettled; ++i) by_job();
  const std::vector<turns::Timed> times =
      turns::time_in_turns(comm,
                           {{"Allreduce", [&] { send_beside(comm, message, by_job); }},
                            {"MPI_Allreduce", [&] { send_beside(comm, message, by_mpi); }}},
                           repetitions);
  if (comm.rank() == 0)
    fmt::print("Allreduce {:.1f} ms, MPI_Allreduce {:.1f} ms, medians of {}\n", 1e3 * times[0].median_s,
               1e3 * times[1].median_s, repetitions);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) {
    fmt::print(stderr, "own_messages: 1 rank, expected at least 2\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  measure(argc > 1 ? std::max(1, std::atoi(argv[1])) : 9);
  MPI_Finalize();
  return 0;
}
