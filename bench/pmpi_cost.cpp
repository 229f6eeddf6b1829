// What libsluice_pmpi.so adds to a call that it forwards, or records: calls by their MPI_ and PMPI_ names alternate in
// one job. Without the library preloaded both are one function, and their difference tells what the measurement is
// worth.
//
//     scripts/mpirun.sh -np 2 env LD_PRELOAD=$PWD/build/release/lib/libsluice_pmpi.so build/release/bin/pmpi_cost
//     scripts/mpirun.sh -np 2 env LD_PRELOAD=... SLUICE_RECORD=/tmp/record build/release/bin/pmpi_cost
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

constexpr int kCalls = 500;  ///< of a turn

struct Pair {
  const char* name;
  std::function<void()> with;
  std::function<void()> without;
};

double turn(const std::function<void()>& call) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double start = PMPI_Wtime();
  for (int i = 0; i < kCalls; ++i) call();
  return (PMPI_Wtime() - start) / kCalls;
}

double median(std::vector<double>& values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int turns = argc > 1 ? std::atoi(argv[1]) : 301;
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double value = 1;
  double sum = 0;
  const int right = (rank + 1) % size;
  const int left = (rank + size - 1) % size;
  std::vector<double> out(1 << 17, 1);
  std::vector<double> in(out.size());
  const std::vector<Pair> pairs{
      // What a call costs without a network: the difference is the library's.
      {"MPI_Bcast, 8 bytes, one rank", [&] { MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_SELF); },
       [&] { PMPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_SELF); }},
      {"MPI_Allreduce, 8 bytes, one rank", [&] { MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF); },
       [&] { PMPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF); }},
      {"MPI_Bcast, 64 KiB, one rank", [&] { MPI_Bcast(out.data(), 1 << 13, MPI_DOUBLE, 0, MPI_COMM_SELF); },
       [&] { PMPI_Bcast(out.data(), 1 << 13, MPI_DOUBLE, 0, MPI_COMM_SELF); }},
      {"MPI_Bcast, 8 bytes", [&] { MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); },
       [&] { PMPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); }},
      {"MPI_Allreduce, 8 bytes", [&] { MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); },
       [&] { PMPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }},
      {"MPI_Bcast, 64 KiB", [&] { MPI_Bcast(out.data(), 1 << 13, MPI_DOUBLE, 0, MPI_COMM_WORLD); },
       [&] { PMPI_Bcast(out.data(), 1 << 13, MPI_DOUBLE, 0, MPI_COMM_WORLD); }},
      {"MPI_Sendrecv, 8 bytes, on a ring",
       [&] {
         MPI_Sendrecv(out.data(), 1, MPI_DOUBLE, right, 0, in.data(), 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE);
       },
       [&] {
         PMPI_Sendrecv(out.data(), 1, MPI_DOUBLE, right, 0, in.data(), 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
       }},
      {"MPI_Sendrecv, 8 KiB, on a ring",
       [&] {
         MPI_Sendrecv(out.data(), 1024, MPI_DOUBLE, right, 0, in.data(), 1024, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE);
       },
       [&] {
         PMPI_Sendrecv(out.data(), 1024, MPI_DOUBLE, right, 0, in.data(), 1024, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
       }},
  };
  if (rank == 0) std::printf("%-34s %12s %12s %8s\n", "call", "MPI_ ns", "PMPI_ ns", "ratio");
  for (const Pair& pair : pairs) {
    std::vector<double> with;
    std::vector<double> without;
    for (int i = 0; i < turns; ++i) {
      // Who goes first changes.
      if (i % 2 == 0) with.push_back(turn(pair.with));
      without.push_back(turn(pair.without));
      if (i % 2 != 0) with.push_back(turn(pair.with));
    }
    std::array<double, 2> own{median(with), median(without)};
    std::array<double, 2> slowest{};
    PMPI_Reduce(own.data(), slowest.data(), 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      std::printf("%-34s %12.1f %12.1f %8.3f\n", pair.name, slowest[0] * 1e9, slowest[1] * 1e9,
                  slowest[0] / slowest[1]);
      std::fflush(stdout);
    }
  }
  MPI_Finalize();
  return 0;
}
