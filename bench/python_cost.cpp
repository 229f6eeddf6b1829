// Part of bench/python_cost.sh: what bench/python_cost.py does, in C++.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "sluice/run/mpi/redistribution.hpp"

int main(int argc, char** argv) {
  constexpr std::int64_t kSize = 2048;  // 32 MiB of doubles
  constexpr int kTried = 12;            // executions before any counts, of which some try MPI's own way
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    sluice::mpi::Redistribution job(MPI_COMM_WORLD, {kSize, kSize}, {{2, 2}, {64, 64}}, {{4, 1}, {100, 100}},
                                    sizeof(double));
    const std::vector<double> source(static_cast<std::size_t>(job.source_elements()), 1);
    std::vector<double> target(static_cast<std::size_t>(job.target_elements()));
    std::vector<double> times;
    const int executions = kTried + (argc > 1 ? std::atoi(argv[1]) : 41);
    for (int i = 0; i < executions; ++i) {
      MPI_Barrier(MPI_COMM_WORLD);
      double time = -MPI_Wtime();
      job.execute(source.data(), target.data());
      time += MPI_Wtime();
      MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (i >= kTried) times.push_back(time);
    }
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    if (rank == 0) std::printf("%.9f\n", *middle);
  }
  MPI_Finalize();
}
