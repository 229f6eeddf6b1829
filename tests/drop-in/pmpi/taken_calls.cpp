// Calls MPI_Bcast, MPI_Reduce, MPI_Alltoall, MPI_Alltoallv and four calls of neighbours with random types, counts,
// roots and communicators.
//
//     taken_calls [ROUNDS [SEED [ELEMENTS]]]      ELEMENTS: that every call has besides those that are drawn
#include "random_calls.hpp"

namespace {

using namespace sluice::testing;

void bcast(const Round& round) {
  const int count = any_count(round.common);
  const int root = any_root(round);
  const MPI_Datatype type = round.types.any(round.own);  // signatures are equal, types need not be
  expect_same(round, "MPI_Bcast", PMPI_Bcast, MPI_Bcast, filled(static_cast<std::size_t>(count), round.own),
              [&](auto* bcast, void* buffer) { bcast(buffer, count, type, root, round.comm); });
}

void reduce(const Round& round) {
  const auto [type, op] = round.operations.any(round.common);
  const int count = any_count(round.common);
  const int root = any_root(round);
#ifdef MPICH_VERSION
  const bool in_place = false;  // MPICH 4.0 itself reads from MPI_IN_PLACE in some of these
#else
  const bool in_place = round.common() % 3 == 0 && round.rank == root;
#endif
  const Bytes mine = elements(count, type, round.own);
  expect_same(
      round, "MPI_Reduce", PMPI_Reduce, MPI_Reduce, in_place ? mine : Bytes(mine.size(), 0x5a),
      [&, type = type, op = op](auto* reduce, void* to) {
        reduce(in_place_or(in_place, mine), to, count, type, op, root, round.comm);
      },
      [&, type = type](Bytes& bytes) {
        if (round.rank != root) bytes.clear();  // not significant
        clear_gaps(bytes, type);
      });
}

void alltoall(const Round& round) {
  const int count = any_count(round.common) / 4;
  const bool in_place = round.common() % 4 == 0;
  const MPI_Datatype send_type = round.types.any(round.own);
  const MPI_Datatype type = round.types.any(round.own);
  const std::size_t elements = static_cast<std::size_t>(count) * static_cast<std::size_t>(round.size);
  const Bytes out = filled(elements, round.own);
  expect_same(round, "MPI_Alltoall", PMPI_Alltoall, MPI_Alltoall, filled(elements, round.own),
              [&](auto* alltoall, void* to) {
                alltoall(in_place_or(in_place, out), count, send_type, to, count, type, round.comm);
              });
}

/// Places for messages of `counts` elements, in any order, with some elements between them.
std::vector<int> scattered(const std::vector<int>& counts, std::mt19937& random, std::size_t& elements) {
  std::vector<std::size_t> order(counts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  std::vector<int> places(counts.size());
  int at = 0;
  for (const std::size_t i : order) {
    places[i] = at;
    at += counts[i] + static_cast<int>(random() % 3);
  }
  elements = static_cast<std::size_t>(at);
  return places;
}

void alltoallv(const Round& round) {
  // All ranks draw all of it, so that both ends know.
  const bool in_place = round.common() % 4 == 0;
  const auto n = static_cast<std::size_t>(round.size);
  std::vector<std::vector<int>> counts(n, std::vector<int>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      counts[i][j] = round.common() % 3 == 0 ? 0 : any_count(round.common) / 4;
      if (in_place && j < i) counts[i][j] = counts[j][i];
    }
  }
  const auto own = static_cast<std::size_t>(round.rank);
  std::vector<int> receive_counts(n);
  for (std::size_t i = 0; i < n; ++i) receive_counts[i] = counts[i][own];
  std::size_t out_elements = 0;
  std::size_t in_elements = 0;
  const std::vector<int> offsets = scattered(counts[own], round.own, out_elements);
  const std::vector<int> receive_offsets = scattered(receive_counts, round.own, in_elements);
  const MPI_Datatype send_type = round.types.any(round.own);
  const MPI_Datatype type = round.types.any(round.own);
  const Bytes out = filled(out_elements, round.own);
  Bytes is = filled(in_elements, round.own);
  const Bytes first = is;
  Bytes should = is;
  const void* const from = in_place_or(in_place, out);
  PMPI_Alltoallv(from, counts[own].data(), offsets.data(), send_type, should.data(), receive_counts.data(),
                 receive_offsets.data(), type, round.comm);
  for (int again = 0; again < 2; ++again) {  // the second time the pattern is known
    is = first;
    MPI_Alltoallv(from, counts[own].data(), offsets.data(), send_type, is.data(), receive_counts.data(),
                  receive_offsets.data(), type, round.comm);
    expect_equal(is, should, "MPI_Alltoallv", round.number, round.comm);
  }
}

/// A ring, in which each rank sends to one or two others, or a torus of two dimensions that may end at its edges.
struct Topology {
  MPI_Comm comm = MPI_COMM_NULL;
  int neighbours = 0;  ///< on each side

  explicit Topology(const Round& round) {
    if (round.common() % 2 == 0) {
      const int left = (round.rank + round.size - 1) % round.size;
      const int right = (round.rank + 1) % round.size;
      const int second = (round.rank + 2) % round.size;
      const int before = (round.rank + round.size - 2) % round.size;
      const int sources[2] = {left, before};
      const int targets[2] = {right, second};
      neighbours = round.common() % 2 == 0 && round.size > 2 ? 2 : 1;
      MPI_Dist_graph_create_adjacent(round.comm, neighbours, sources, MPI_UNWEIGHTED, neighbours, targets,
                                     MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    } else {
      int dimensions[2] = {0, 0};
      const int periods[2] = {static_cast<int>(round.common() % 2), 0};
      MPI_Dims_create(round.size, 2, dimensions);
      MPI_Cart_create(round.comm, 2, dimensions, periods, 0, &comm);
      neighbours = 4;
    }
  }
  ~Topology() { MPI_Comm_free(&comm); }  // with the jobs that were made for it
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;
};

void neighbor_alltoallv(const Round& round) {
  const Topology topology(round);
  const int count = 1 + any_count(round.common) / 4;
  const std::vector<int> counts(static_cast<std::size_t>(topology.neighbours), count);
  std::size_t out_elements = 0;
  std::size_t in_elements = 0;
  const std::vector<int> offsets = scattered(counts, round.own, out_elements);
  const std::vector<int> receive_offsets = scattered(counts, round.own, in_elements);
  const MPI_Datatype send_type = round.types.any(round.own);
  const MPI_Datatype type = round.types.any(round.own);
  const Bytes data = filled(out_elements, round.own);
  expect_same(round, "MPI_Neighbor_alltoallv", PMPI_Neighbor_alltoallv, MPI_Neighbor_alltoallv,
              filled(in_elements, round.own), [&](auto* alltoallv, void* to) {
                alltoallv(data.data(), counts.data(), offsets.data(), send_type, to, counts.data(),
                          receive_offsets.data(), type, topology.comm);
              });
}

/// Calls whose messages are equally long; `one_block`: and the same for all neighbours.
template <class Function>
void to_neighbours(const Round& round, const char* name, Function* by_mpi, Function* by_us, bool one_block) {
  const Topology topology(round);
  const int count = 1 + any_count(round.common) / 4;
  const auto n = static_cast<std::size_t>(topology.neighbours);
  const auto block = static_cast<std::size_t>(count);
  const MPI_Datatype send_type = round.types.any(round.own);
  const MPI_Datatype type = round.types.any(round.own);
  const Bytes data = filled(one_block ? block : n * block, round.own);
  expect_same(round, name, by_mpi, by_us, filled(n * block, round.own),
              [&](auto* call, void* to) { call(data.data(), count, send_type, to, count, type, topology.comm); });
}

void neighbor_allgather(const Round& round) {
  to_neighbours(round, "MPI_Neighbor_allgather", PMPI_Neighbor_allgather, MPI_Neighbor_allgather, true);
}

void neighbor_alltoall(const Round& round) {
  to_neighbours(round, "MPI_Neighbor_alltoall", PMPI_Neighbor_alltoall, MPI_Neighbor_alltoall, false);
}

void neighbor_allgatherv(const Round& round) {
  const Topology topology(round);
  const int count = 1 + any_count(round.common) / 4;
  const std::vector<int> counts(static_cast<std::size_t>(topology.neighbours), count);
  std::size_t elements = 0;
  const std::vector<int> offsets = scattered(counts, round.own, elements);
  const MPI_Datatype send_type = round.types.any(round.own);
  const MPI_Datatype type = round.types.any(round.own);
  const Bytes data = filled(static_cast<std::size_t>(count), round.own);
  expect_same(round, "MPI_Neighbor_allgatherv", PMPI_Neighbor_allgatherv, MPI_Neighbor_allgatherv,
              filled(elements, round.own), [&](auto* allgatherv, void* to) {
                allgatherv(data.data(), count, send_type, to, counts.data(), offsets.data(), type, topology.comm);
              });
}

}  // namespace

int main(int argc, char** argv) {
  return random_calls(argc, argv,
                      {bcast, reduce, alltoall, alltoallv, neighbor_alltoallv, neighbor_allgather, neighbor_allgatherv,
                       neighbor_alltoall},
                      {bcast, alltoallv});
}
