// A matrix redistributed, an exchange and a broadcast in C++: mpirun -np 4 every_call_cpp
#include <mpi.h>

#include <cstdio>
#include <span>
#include <vector>

#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/redistribution.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  {
    // Rows of a 1000 x 700 matrix become columns. Each element is the rank that has its row.
    const sluice::Layout rows{{ranks, 1}, {64, 700}}, columns{{1, ranks}, {1000, 64}};
    sluice::mpi::Redistribution redistribution(MPI_COMM_WORLD, {1000, 700}, rows, columns, sizeof(int));
    const std::vector<int> x(static_cast<std::size_t>(redistribution.source_elements()), rank);
    std::vector<int> y(static_cast<std::size_t>(redistribution.target_elements()));
    redistribution.execute(x.data(), y.data());  // as often as you like
    for (std::size_t n = 0; n < y.size(); ++n) wrong += y[n] != static_cast<int>(n / (y.size() / 1000) / 64) % ranks;

    // Every rank has its number for the next one.
    int came = -1;
    sluice::mpi::Exchange exchange(MPI_COMM_WORLD, {{(rank + 1) % ranks, sizeof rank}});
    exchange.execute(std::as_bytes(std::span(&rank, 1)), std::as_writable_bytes(std::span(&came, 1)));
    wrong += came != (rank + ranks - 1) % ranks;

    double word = rank == 0 ? 42 : 0;
    sluice::mpi::Broadcast broadcast(MPI_COMM_WORLD, 0);
    broadcast.execute(&word, sizeof word);
    wrong += word != 42;

    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) std::printf("C++: %d wrong\n", wrong);
  }
  MPI_Finalize();
}
