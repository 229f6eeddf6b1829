#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

/// What several programs have in common. They call collectives with random arguments, and compare every byte of every
/// buffer with what PMPI_ makes of the same arguments.
namespace sluice::testing {

using Bytes = std::vector<unsigned char>;

inline int failures = 0;

inline void expect_equal(const Bytes& is, const Bytes& should, const char* call, int round, MPI_Comm comm) {
  if (is == should) return;
  const auto at = std::mismatch(is.begin(), is.end(), should.begin()).first - is.begin();
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::printf("%s of round %d, rank %d: byte %td of %zu differs\n", call, round, rank, at, is.size());
  std::fflush(stdout);
  ++failures;
}

/// Types of 24 bytes that lie in memory in different ways. A rank may send elements of one type to a rank that receives
/// another one.
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

/// Room for `elements` elements of any of these types, with random bytes in it.
inline constexpr std::size_t kElement = 64;
inline Bytes filled(std::size_t elements, std::mt19937& random) {
  Bytes bytes(elements * kElement + kElement);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
  return bytes;
}

/// Elements that every call has besides those that are drawn.
inline int least_count = 0;

inline int any_count(std::mt19937& random) {
  const int most[4] = {1, 20, 400, 6000};
  return least_count + static_cast<int>(random() % static_cast<unsigned>(most[random() % 4] + 1));
}

inline void halves(void* in, void* in_out, int* count, MPI_Datatype* /*type*/) {  // does not commute
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

/// Operations with types they are defined for; one is ours, and does not commute.
struct Operations {
  struct Choice {
    MPI_Datatype type;
    MPI_Op op;
  };
  MPI_Op own = MPI_OP_NULL;
  MPI_Datatype pair_of_ints = MPI_DATATYPE_NULL;

  Operations() {
    MPI_Op_create(halves, 0, &own);
    MPI_Type_contiguous(2, MPI_INT32_T, &pair_of_ints);
    MPI_Type_commit(&pair_of_ints);
  }
  ~Operations() {
    MPI_Type_free(&pair_of_ints);
    MPI_Op_free(&own);
  }
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;
  [[nodiscard]] Choice any(std::mt19937& random) const {
    const Choice all[] = {{MPI_INT, MPI_SUM},       {MPI_INT, MPI_BXOR},         {MPI_DOUBLE, MPI_SUM},
                          {MPI_DOUBLE, MPI_MAX},    {MPI_FLOAT, MPI_MIN},        {MPI_LONG_LONG, MPI_PROD},
                          {MPI_2INT, MPI_MAXLOC},   {MPI_UINT8_T, MPI_BOR},      {pair_of_ints, own},
                          {MPI_UINT16_T, MPI_LAND}, {MPI_DOUBLE_INT, MPI_MINLOC}};
    return all[random() % (sizeof all / sizeof all[0])];
  }
};

inline std::size_t bytes_of(std::int64_t count, MPI_Datatype type) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(type, &lower, &extent);
  return static_cast<std::size_t>(count * extent);
}

/// Elements whose results need no rounding.
inline Bytes elements(std::int64_t count, MPI_Datatype type, std::mt19937& random) {
  Bytes bytes((bytes_of(count, type) + 31) / 16 * 16);
  if (type == MPI_DOUBLE || type == MPI_DOUBLE_INT) {
    fill_small<double>(bytes, random);
  } else if (type == MPI_FLOAT) {
    fill_small<float>(bytes, random);
  } else {
    fill_small<std::int32_t>(bytes, random);
  }
  return bytes;
}

/// What lies between elements, and is nobody's, is 0 then.
inline void clear_gaps(Bytes& bytes, MPI_Datatype type) {
  if (type != MPI_DOUBLE_INT) return;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % 16 >= 12) bytes[i] = 0;
  }
}

struct Round {
  int number;
  MPI_Comm comm;
  std::mt19937& common;  ///< the same on all ranks
  std::mt19937& own;
  const Types& types;
  const Operations& operations;
  int rank = 0;
  int size = 1;
};

inline int any_root(const Round& round) { return static_cast<int>(round.common() % static_cast<unsigned>(round.size)); }

inline const void* in_place_or(bool in_place, const Bytes& own) {
  return in_place ? MPI_IN_PLACE : static_cast<const void*>(own.data());
}

/// Calls by both names, call(function, memory), each with memory of its own that holds `first`, and compares what is in
/// it then; settle(bytes) where some of them may be anything.
template <class Function, class CallOf, class Settle = void (*)(Bytes&)>
void expect_same(
    const Round& round, const char* name, Function* by_mpi, Function* by_us, const Bytes& first, const CallOf& call,
    const Settle& settle = [](Bytes&) {}) {
  Bytes should = first;
  Bytes is = first;
  call(by_mpi, should.data());
  call(by_us, is.data());
  settle(should);
  settle(is);
  expect_equal(is, should, name, round.number, round.comm);
}

using Call = void (*)(const Round&);

/// The random rounds: `calls` on any communicator, some of them made for one call, and then `again`, the same arguments
/// again and again, so that what is kept is used. The exit status.
inline int random_calls(int argc, char** argv, const std::vector<Call>& calls, const std::vector<Call>& again) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 60;
  const unsigned seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  least_count = argc > 3 ? std::atoi(argv[3]) : 0;
  int world = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  std::mt19937 common(seed);
  std::mt19937 own(seed + 1000 + static_cast<unsigned>(world));
  {
    const Types types;
    const Operations operations;
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world, &reversed);
    MPI_Comm_split(MPI_COMM_WORLD, world % 2, world, &half);
    const auto round_of = [&](int number, MPI_Comm comm, std::mt19937& together) {
      Round round{number, comm, together, own, types, operations};
      MPI_Comm_rank(comm, &round.rank);
      MPI_Comm_size(comm, &round.size);
      return round;
    };
    for (int number = 0; number < rounds; ++number) {
      MPI_Comm copy = MPI_COMM_NULL;
      const auto which = static_cast<unsigned>(common() % 8);
      if (which == 0) MPI_Comm_dup(MPI_COMM_WORLD, &copy);
      const MPI_Comm comm = which == 0 ? copy : which < 3 ? reversed : which < 5 ? half : MPI_COMM_WORLD;
      const std::size_t call = common() % calls.size();
      // Ranks of both halves draw the same arguments, each half for itself.
      std::mt19937 together(static_cast<unsigned>(common()));
      calls[call](round_of(number, comm, together));
      if (copy != MPI_COMM_NULL) MPI_Comm_free(&copy);
    }
    std::mt19937 same(7);
    for (int number = rounds; number < rounds + 20; ++number) {
      constexpr unsigned kArguments[3] = {25, 26, 36};  // no count is 0, and reductions are in place or not
      const unsigned arguments = kArguments[same() % 3];
      for (const Call call : again) {
        std::mt19937 together(arguments);
        call(round_of(number, MPI_COMM_WORLD, together));
      }
    }
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&half);
  }
  int all = 0;
  PMPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (world == 0) std::printf("%d wrong\n", all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}

}  // namespace sluice::testing
