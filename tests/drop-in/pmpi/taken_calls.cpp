// Calls MPI_Bcast, MPI_Reduce, MPI_Alltoall, MPI_Alltoallv and MPI_Neighbor_alltoallv with random types, counts, roots
// and communicators, and compares every byte of every buffer with what PMPI_ makes of the same.
//
//     taken_calls [ROUNDS [SEED]]
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

using Bytes = std::vector<unsigned char>;

int failures = 0;

void expect_equal(const Bytes& is, const Bytes& should, const char* call, int round, MPI_Comm comm) {
  if (is == should) return;
  const auto at = std::mismatch(is.begin(), is.end(), should.begin()).first - is.begin();
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::printf("%s of round %d, rank %d: byte %td of %zu differs\n", call, round, rank, at, is.size());
  std::fflush(stdout);
  ++failures;
}

/// Types of which elements of any rank may go to any other one: all of 24 bytes, in memory in different ways.
struct Types {
  MPI_Datatype row = MPI_DATATYPE_NULL;      ///< in a row
  MPI_Datatype gaps = MPI_DATATYPE_NULL;     ///< with gaps
  MPI_Datatype swapped = MPI_DATATYPE_NULL;  ///< without gaps, in another order
  MPI_Datatype shifted = MPI_DATATYPE_NULL;  ///< behind its address
  MPI_Datatype none = MPI_DATATYPE_NULL;

  Types() {
    const int lengths[3] = {1, 1, 1};
    const int places[3] = {2, 0, 1};
    const int further[3] = {1, 2, 3};
    MPI_Type_contiguous(3, MPI_DOUBLE, &row);
    MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &gaps);
    MPI_Type_indexed(3, lengths, places, MPI_DOUBLE, &swapped);
    MPI_Type_indexed(3, lengths, further, MPI_DOUBLE, &shifted);
    for (MPI_Datatype* type : {&row, &gaps, &swapped, &shifted}) MPI_Type_commit(type);
  }
  ~Types() {
    for (MPI_Datatype* type : {&row, &gaps, &swapped, &shifted}) MPI_Type_free(type);
  }
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;
  [[nodiscard]] MPI_Datatype any(std::mt19937& random) const {
    const MPI_Datatype all[4] = {row, gaps, swapped, shifted};
    return all[random() % 4];
  }
};

/// Room for so many elements of any of these types, and what is in it at first.
constexpr std::size_t kElement = 64;
Bytes filled(std::size_t elements, std::mt19937& random) {
  Bytes bytes(elements * kElement + kElement);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
  return bytes;
}

struct Round {
  int number;
  MPI_Comm comm;
  std::mt19937& common;  ///< the same on all ranks
  std::mt19937& own;
  const Types& types;
  int rank = 0;
  int size = 1;
};

int any_count(std::mt19937& random) {
  const int most[4] = {1, 20, 400, 6000};
  return static_cast<int>(random() % static_cast<unsigned>(most[random() % 4] + 1));
}

void bcast(const Round& round) {
  const int count = any_count(round.common);
  const int root = static_cast<int>(round.common() % static_cast<unsigned>(round.size));
  const MPI_Datatype type = round.types.any(round.own);  // signatures are equal, types need not be
  Bytes is = filled(static_cast<std::size_t>(count), round.own);
  Bytes should = is;
  PMPI_Bcast(should.data(), count, type, root, round.comm);
  MPI_Bcast(is.data(), count, type, root, round.comm);
  expect_equal(is, should, "MPI_Bcast", round.number, round.comm);
}

void halves(void* in, void* in_out, int* count, MPI_Datatype* /*type*/) {  // does not commute
  const auto* left = static_cast<const std::int32_t*>(in);
  auto* right = static_cast<std::int32_t*>(in_out);
  for (int i = 0; i + 1 < 2 * *count; i += 2) {  // (a, b)(c, d) = (ac, ad + b), modulo 2^32
    const auto a = static_cast<std::uint32_t>(left[i]);
    const auto c = static_cast<std::uint32_t>(right[i]);
    right[i + 1] = static_cast<std::int32_t>(a * static_cast<std::uint32_t>(right[i + 1]) +
                                             static_cast<std::uint32_t>(left[i + 1]));
    right[i] = static_cast<std::int32_t>(a * c);
  }
}

/// Numbers whose sums and products are exact in every order.
template <class T>
void fill_small(Bytes& bytes, std::mt19937& random) {
  auto* const numbers = reinterpret_cast<T*>(bytes.data());
  for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) numbers[i] = static_cast<T>(random() % 8);
}

void reduce(const Round& round, MPI_Op own_op, MPI_Datatype pair_of_ints) {
  struct Choice {
    MPI_Datatype type;
    MPI_Op op;
  };
  const Choice all[] = {{MPI_INT, MPI_SUM},      {MPI_INT, MPI_BXOR},    {MPI_DOUBLE, MPI_SUM},
                        {MPI_DOUBLE, MPI_MAX},   {MPI_FLOAT, MPI_MIN},   {MPI_LONG_LONG, MPI_PROD},
                        {MPI_2INT, MPI_MAXLOC},  {MPI_UINT8_T, MPI_BOR}, {pair_of_ints, own_op},
                        {MPI_UINT16_T, MPI_LAND}};
  const Choice chosen = all[round.common() % (sizeof all / sizeof all[0])];
  const int count = any_count(round.common);
  const int root = static_cast<int>(round.common() % static_cast<unsigned>(round.size));
#ifdef MPICH_VERSION
  const bool in_place = false;  // MPICH 4.0 itself reads from MPI_IN_PLACE in some of these
#else
  const bool in_place = round.common() % 3 == 0 && round.rank == root;
#endif
  int size = 0;
  MPI_Type_size(chosen.type, &size);
  const std::size_t bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(size) + 16;
  Bytes mine(bytes - bytes % 16);
  if (chosen.type == MPI_DOUBLE) {
    fill_small<double>(mine, round.own);
  } else if (chosen.type == MPI_FLOAT) {
    fill_small<float>(mine, round.own);
  } else {
    fill_small<std::int32_t>(mine, round.own);
  }
  Bytes is(mine.size(), 0x5a);
  if (in_place) is = mine;
  Bytes should = is;
  const void* const from = in_place ? MPI_IN_PLACE : static_cast<const void*>(mine.data());
  PMPI_Reduce(from, should.data(), count, chosen.type, chosen.op, root, round.comm);
  MPI_Reduce(from, is.data(), count, chosen.type, chosen.op, root, round.comm);
  if (round.rank != root) is = should;  // not significant
  expect_equal(is, should, "MPI_Reduce", round.number, round.comm);
}

void alltoall(const Round& round) {
  const int count = any_count(round.common) / 4;
  const bool in_place = round.common() % 4 == 0;
  const MPI_Datatype send_type = round.types.any(round.own);
  const MPI_Datatype type = round.types.any(round.own);
  const std::size_t elements = static_cast<std::size_t>(count) * static_cast<std::size_t>(round.size);
  const Bytes out = filled(elements, round.own);
  Bytes is = filled(elements, round.own);
  Bytes should = is;
  const void* const from = in_place ? MPI_IN_PLACE : static_cast<const void*>(out.data());
  PMPI_Alltoall(from, count, send_type, should.data(), count, type, round.comm);
  MPI_Alltoall(from, count, send_type, is.data(), count, type, round.comm);
  expect_equal(is, should, "MPI_Alltoall", round.number, round.comm);
}

/// Where messages of so many elements lie, in any order, some elements between them.
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
  const void* const from = in_place ? MPI_IN_PLACE : static_cast<const void*>(out.data());
  PMPI_Alltoallv(from, counts[own].data(), offsets.data(), send_type, should.data(), receive_counts.data(),
                 receive_offsets.data(), type, round.comm);
  for (int again = 0; again < 2; ++again) {  // the second time the pattern is known
    is = first;
    MPI_Alltoallv(from, counts[own].data(), offsets.data(), send_type, is.data(), receive_counts.data(),
                  receive_offsets.data(), type, round.comm);
    expect_equal(is, should, "MPI_Alltoallv", round.number, round.comm);
  }
}

/// Along a ring, and on a torus of two dimensions.
void neighbor_alltoallv(const Round& round) {
  MPI_Comm topology = MPI_COMM_NULL;
  int in = 0;
  int out = 0;
  if (round.common() % 2 == 0) {
    const int left = (round.rank + round.size - 1) % round.size;
    const int right = (round.rank + 1) % round.size;
    const int second = (round.rank + 2) % round.size;
    const int before = (round.rank + round.size - 2) % round.size;
    const int sources[2] = {left, before};
    const int targets[2] = {right, second};
    in = out = round.common() % 2 == 0 && round.size > 2 ? 2 : 1;
    MPI_Dist_graph_create_adjacent(round.comm, in, sources, MPI_UNWEIGHTED, out, targets, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &topology);
  } else {
    int dimensions[2] = {0, 0};
    const int periods[2] = {static_cast<int>(round.common() % 2), 0};
    MPI_Dims_create(round.size, 2, dimensions);
    MPI_Cart_create(round.comm, 2, dimensions, periods, 0, &topology);
    in = out = 4;
  }
  const int count = 1 + any_count(round.common) / 4;
  std::vector<int> counts(static_cast<std::size_t>(out), count);
  std::size_t out_elements = 0;
  std::size_t in_elements = 0;
  const std::vector<int> offsets = scattered(counts, round.own, out_elements);
  const std::vector<int> receive_offsets = scattered(counts, round.own, in_elements);
  const MPI_Datatype send_type = round.types.any(round.own);
  const MPI_Datatype type = round.types.any(round.own);
  const Bytes data = filled(out_elements, round.own);
  Bytes is = filled(in_elements, round.own);
  Bytes should = is;
  PMPI_Neighbor_alltoallv(data.data(), counts.data(), offsets.data(), send_type, should.data(), counts.data(),
                          receive_offsets.data(), type, topology);
  MPI_Neighbor_alltoallv(data.data(), counts.data(), offsets.data(), send_type, is.data(), counts.data(),
                         receive_offsets.data(), type, topology);
  expect_equal(is, should, "MPI_Neighbor_alltoallv", round.number, round.comm);
  MPI_Comm_free(&topology);  // with the jobs that were made for it
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 60;
  const unsigned seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  int world = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  std::mt19937 common(seed);
  std::mt19937 own(seed + 1000 + static_cast<unsigned>(world));
  {
    const Types types;
    MPI_Op op = MPI_OP_NULL;
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Op_create(halves, 0, &op);
    MPI_Type_contiguous(2, MPI_INT32_T, &pair);
    MPI_Type_commit(&pair);
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world, &reversed);
    MPI_Comm_split(MPI_COMM_WORLD, world % 2, world, &half);
    for (int number = 0; number < rounds; ++number) {
      MPI_Comm copy = MPI_COMM_NULL;
      const auto which = static_cast<unsigned>(common() % 8);
      if (which == 0) MPI_Comm_dup(MPI_COMM_WORLD, &copy);
      const MPI_Comm comm = which == 0 ? copy : which < 3 ? reversed : which < 5 ? half : MPI_COMM_WORLD;
      const auto call = static_cast<unsigned>(common() % 5);
      const auto next = static_cast<unsigned>(common());
      // Ranks of both halves draw the same, each half for itself.
      std::mt19937 together(next);
      Round round{number, comm, together, own, types};
      MPI_Comm_rank(comm, &round.rank);
      MPI_Comm_size(comm, &round.size);
      if (call == 0) bcast(round);
      if (call == 1) reduce(round, op, pair);
      if (call == 2) alltoall(round);
      if (call == 3) alltoallv(round);
      if (call == 4) neighbor_alltoallv(round);
      if (copy != MPI_COMM_NULL) MPI_Comm_free(&copy);
    }
    // The same again and again, so that what is kept is used.
    std::mt19937 same(7);
    for (int number = rounds; number < rounds + 20; ++number) {
      std::mt19937 together(static_cast<unsigned>(same() % 3));
      Round round{number, MPI_COMM_WORLD, together, own, types};
      MPI_Comm_rank(MPI_COMM_WORLD, &round.rank);
      MPI_Comm_size(MPI_COMM_WORLD, &round.size);
      bcast(round);
      alltoallv(round);
    }
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&half);
    MPI_Type_free(&pair);
    MPI_Op_free(&op);
  }
  int all = 0;
  PMPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (world == 0) std::printf("%d wrong\n", all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
