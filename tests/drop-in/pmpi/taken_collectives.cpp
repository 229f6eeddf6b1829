// Calls MPI_Allreduce, MPI_Reduce_scatter, MPI_Reduce_scatter_block, MPI_Allgather, MPI_Allgatherv, MPI_Scatter and
// MPI_Gather with random types, counts, roots and communicators.
//
//     taken_collectives [ROUNDS [SEED [ELEMENTS]]]      ELEMENTS: that every call has besides those that are drawn
#include <numeric>

#include "random_calls.hpp"

namespace {

using namespace sluice::testing;

void allreduce(const Round& round) {
  const auto [type, op] = round.operations.any(round.common);
  const int count = any_count(round.common);
  const bool in_place = round.common() % 3 == 0;
  const Bytes mine = elements(count, type, round.own);
  const Bytes first = in_place ? mine : Bytes(mine.size(), 0x5a);
  expect_same(
      round, "MPI_Allreduce", PMPI_Allreduce, MPI_Allreduce, first,
      [&, type = type, op = op](auto* allreduce, void* to) {
        allreduce(in_place_or(in_place, mine), to, count, type, op, round.comm);
      },
      [type = type](Bytes& bytes) { clear_gaps(bytes, type); });
}

void reduce_scatter_block(const Round& round) {
  const auto [type, op] = round.operations.any(round.common);
  const int count = any_count(round.common) / 4;
  const bool in_place = round.common() % 3 == 0;
  const Bytes mine = elements(static_cast<std::int64_t>(count) * round.size, type, round.own);
  const Bytes first = in_place ? mine : Bytes(bytes_of(count, type) + 16, 0x5a);
  expect_same(
      round, "MPI_Reduce_scatter_block", PMPI_Reduce_scatter_block, MPI_Reduce_scatter_block, first,
      [&, type = type, op = op](auto* reduce_scatter, void* to) {
        reduce_scatter(in_place_or(in_place, mine), to, count, type, op, round.comm);
      },
      [&, type = type](Bytes& bytes) {
        if (in_place) bytes.resize(bytes_of(count, type));  // what is behind the block may be anything
        clear_gaps(bytes, type);
      });
}

void allgather(const Round& round) {
  const int count = any_count(round.common) / 4;
  const bool in_place = round.common() % 3 == 0;
  const MPI_Datatype send_type = round.types.any(round.own);
  const MPI_Datatype type = round.types.any(round.own);
  const auto block = static_cast<std::size_t>(count);
  const Bytes mine = filled(block, round.own);
  expect_same(round, "MPI_Allgather", PMPI_Allgather, MPI_Allgather,
              filled(block * static_cast<std::size_t>(round.size), round.own), [&](auto* allgather, void* to) {
                allgather(in_place_or(in_place, mine), count, send_type, to, count, type, round.comm);
              });
}

/// A count for each rank, some of them 0, and not all.
std::vector<int> any_counts(const Round& round) {
  const int most = any_count(round.common) / 2;
  std::vector<int> counts(static_cast<std::size_t>(round.size));
  for (int& count : counts)
    count = round.common() % 4 == 0 ? 0 : most - static_cast<int>(round.common() % 3) * most / 6;
  counts[static_cast<std::size_t>(any_root(round))] = most + 1;
  return counts;
}

void reduce_scatter(const Round& round) {
  const auto [type, op] = round.operations.any(round.common);
  const std::vector<int> counts = any_counts(round);
  const bool in_place = round.common() % 3 == 0;
  const int share = counts[static_cast<std::size_t>(round.rank)];
  const Bytes mine = elements(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), type, round.own);
  const Bytes first = in_place ? mine : Bytes(bytes_of(share, type) + 16, 0x5a);
  expect_same(
      round, "MPI_Reduce_scatter", PMPI_Reduce_scatter, MPI_Reduce_scatter, first,
      [&, type = type, op = op](auto* reduce_scatter, void* to) {
        reduce_scatter(in_place_or(in_place, mine), to, counts.data(), type, op, round.comm);
      },
      [&, type = type](Bytes& bytes) {
        if (in_place) bytes.resize(bytes_of(share, type));  // what is behind the share may be anything
        clear_gaps(bytes, type);
      });
}

void allgatherv(const Round& round) {
  const std::vector<int> counts = any_counts(round);
  const bool in_place = round.common() % 3 == 0;
  const bool apart = round.own() % 2 == 0;  // or one behind the other
  std::vector<int> offsets;
  int at = 0;
  for (const int count : counts) {
    offsets.push_back(at);
    at += count + (apart ? 2 : 0);
  }
  const int count = counts[static_cast<std::size_t>(round.rank)];
  const MPI_Datatype send_type = round.types.any(round.own);
#ifdef MPICH_VERSION
  const MPI_Datatype type = round.types.any(round.common);  // MPICH 4.0 itself fails if types differ between ranks
#else
  const MPI_Datatype type = round.types.any(round.own);
#endif
  const Bytes mine = filled(static_cast<std::size_t>(count), round.own);
  expect_same(round, "MPI_Allgatherv", PMPI_Allgatherv, MPI_Allgatherv, filled(static_cast<std::size_t>(at), round.own),
              [&](auto* allgatherv, void* to) {
                allgatherv(in_place_or(in_place, mine), count, send_type, to, counts.data(), offsets.data(), type,
                           round.comm);
              });
}

void scatter(const Round& round) {
  const int count = any_count(round.common) / 4;
  const int root = any_root(round);
  const bool is_root = round.rank == root;
  const bool in_place = round.common() % 3 == 0 && is_root;
  // What is not looked at need not be anything.
  const MPI_Datatype send_type = is_root ? round.types.any(round.own) : MPI_DATATYPE_NULL;
  const MPI_Datatype type = in_place ? MPI_DATATYPE_NULL : round.types.any(round.own);
  const auto block = static_cast<std::size_t>(count);
  const Bytes all = filled(block * static_cast<std::size_t>(round.size), round.own);
  expect_same(round, "MPI_Scatter", PMPI_Scatter, MPI_Scatter, filled(block, round.own), [&](auto* scatter, void* to) {
    scatter(is_root ? all.data() : nullptr, is_root ? count : -1, send_type, in_place ? MPI_IN_PLACE : to,
            in_place ? -1 : count, type, root, round.comm);
  });
}

void gather(const Round& round) {
  const int count = any_count(round.common) / 4;
  const int root = any_root(round);
  const bool is_root = round.rank == root;
  const bool in_place = round.common() % 3 == 0 && is_root;
  const MPI_Datatype send_type = in_place ? MPI_DATATYPE_NULL : round.types.any(round.own);
  const MPI_Datatype type = is_root ? round.types.any(round.own) : MPI_DATATYPE_NULL;
  const auto block = static_cast<std::size_t>(count);
  const Bytes mine = filled(block, round.own);
  const Bytes first = filled(is_root ? block * static_cast<std::size_t>(round.size) : 0, round.own);
  expect_same(round, "MPI_Gather", PMPI_Gather, MPI_Gather, first, [&](auto* gather, void* to) {
    gather(in_place_or(in_place, mine), in_place ? -1 : count, send_type, is_root ? to : nullptr, is_root ? count : -1,
           type, root, round.comm);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Call> calls{allreduce, reduce_scatter, reduce_scatter_block, allgather, allgatherv,
                                scatter,   gather};
  return random_calls(argc, argv, calls, calls);
}
