// A reduction of sets, which differ in size, in C++: mpirun -np 4 own_operation_cpp
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <span>
#include <vector>

#include "sluice/run/mpi/reduction.hpp"

namespace {

std::vector<int> numbers_of(std::span<const std::byte> bytes) {
  std::vector<int> numbers(bytes.size() / sizeof(int));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

/// Two sorted sets become one.
void merge_sets(std::span<const std::byte> left, std::span<const std::byte> right, sluice::mpi::Bytes& result) {
  const std::vector<int> a = numbers_of(left), b = numbers_of(right);
  std::vector<int> both;
  std::ranges::set_union(a, b, std::back_inserter(both));
  const auto bytes = std::as_bytes(std::span(both));
  result.assign(bytes.begin(), bytes.end());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  {
    const std::vector<int> own{rank, rank + 1};
    sluice::mpi::ObjectReduction job(MPI_COMM_WORLD, {merge_sets}, 0, {.measure = true});
    sluice::mpi::Bytes result;
    job.execute(std::as_bytes(std::span(own)), result);  // as often as you like
    if (rank == 0) {
      const std::vector<int> all = numbers_of(result);
      int wrong = static_cast<int>(all.size()) == ranks + 1 ? 0 : 1;
      for (std::size_t i = 0; i < all.size(); ++i) wrong += all[i] != static_cast<int>(i);
      std::printf("C++: %d wrong\n", wrong);
    }
  }
  MPI_Finalize();
}
