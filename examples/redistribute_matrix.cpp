// A matrix moved from one block-cyclic layout to another under MPI: mpirun -np 4 redistribute_matrix
#include <mpi.h>

#include <cstdio>
#include <vector>

#include "sluice/run/mpi/redistribution.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    const std::vector<std::int64_t> shape{1000, 700};
    const sluice::Layout from{{2, 2}, {64, 64}}, to{{4, 1}, {100, 100}};
    // Planned once; every rank keeps its own messages alone.
    sluice::mpi::Redistribution job(MPI_COMM_WORLD, shape, from, to, sizeof(double));

    // Element (i, j) is 1000 i + j, wherever it lies.
    const sluice::Distribution source(from, shape), target(to, shape);
    const auto each = [&](const sluice::Distribution& distribution, auto&& visit) {
      const auto at = distribution.coordinates(sluice::Rank(rank));
      const auto extent = distribution.local_shape(sluice::Rank(rank));
      for (std::int64_t i = 0, n = 0; i < extent[0]; ++i) {
        for (std::int64_t j = 0; j < extent[1]; ++j, ++n) {
          visit(static_cast<std::size_t>(n),
                1000.0 * static_cast<double>(distribution.axis(0).global(at[0], sluice::LocalIndex(i)).value) +
                    static_cast<double>(distribution.axis(1).global(at[1], sluice::LocalIndex(j)).value));
        }
      }
    };
    std::vector<double> x(static_cast<std::size_t>(job.source_elements()));
    std::vector<double> y(static_cast<std::size_t>(job.target_elements()));
    each(source, [&](std::size_t n, double value) { x[n] = value; });

    job.execute(x.data(), y.data());  // as often as you like

    int wrong = 0, wrong_anywhere = 0;
    each(target, [&](std::size_t n, double value) { wrong += y[n] != value; });
    MPI_Allreduce(&wrong, &wrong_anywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
      std::printf("%lld steps, %d wrong elements\n", static_cast<long long>(job.plan().steps()), wrong_anywhere);
  }
  MPI_Finalize();
}
