// Part of bench/python_cost.sh: what bench/python_cost.py does, in C++.
#include <mpi.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "run/mpi/runtime/median.hpp"
#include "sluice/run/mpi/redistribution.hpp"

namespace {

/// Memory as NumPy takes it for arrays of 4 MiB or more: in large pages, where the system gives them to who asks.
std::vector<double> array_of(std::int64_t elements, double value) {
  constexpr std::uintptr_t kPage = 4096;
  const auto size = static_cast<std::size_t>(elements);
  std::vector<double> result;
  result.reserve(size);
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(result.data()) / kPage * kPage + kPage;
  (void)madvise(reinterpret_cast<void*>(begin), size * sizeof(double) - kPage, MADV_HUGEPAGE);
  result.assign(size, value);
  return result;
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::int64_t kSize = 2048;  // 32 MiB of doubles
  constexpr int kTried = 12;            // executions that do not count; some try MPI's own way
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);  // as mpi4py
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  {
    const int side = ranks == 1 ? 1 : 2;
    sluice::mpi::Redistribution job(MPI_COMM_WORLD, {kSize, kSize}, {{side, side}, {64, 64}},
                                    {{side * side, 1}, {100, 100}}, sizeof(double));
    const std::vector<double> source = array_of(job.source_elements(), 1);
    std::vector<double> target = array_of(job.target_elements(), 0);
    std::vector<double> elapsed, processor;
    const int executions = kTried + (argc > 1 ? std::atoi(argv[1]) : 41);
    for (int i = 0; i < executions; ++i) {
      MPI_Barrier(MPI_COMM_WORLD);
      double work = -processor_seconds();
      double time = -MPI_Wtime();
      job.execute(source.data(), target.data());
      time += MPI_Wtime();
      work += processor_seconds();
      MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (i < kTried) continue;
      elapsed.push_back(time);
      processor.push_back(work);
    }
    using sluice::mpi::detail::median;
    if (rank == 0) std::printf("%.9f %.9f\n", median(elapsed), median(processor));
  }
  MPI_Finalize();
}
