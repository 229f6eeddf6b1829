// MPI's own operations and types: which are defined for each other, that jobs combine those as MPI does and refuse all
// others, and that ranks compare which ones they are.

#include "sluice/run/mpi/predefined.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "run/mpi/runtime/element_layout.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/collectives.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi {
namespace {

using testing::rank;
using testing::size;

/// Where the arguments of both jobs are wrong, by what they throw; "" if they are made.
std::string refused_argument(const ElementOperation& operation, const ReductionOptions& options = {}) {
  std::string reduction;
  std::string allreduce;
  try {
    const ElementReduction job(MPI_COMM_WORLD, operation, 0, options);
  } catch (const InputError& error) {
    reduction = error.where();
  }
  try {
    const Allreduce job(MPI_COMM_WORLD, operation);
  } catch (const InputError& error) {
    allreduce = error.where();
  }
  EXPECT_EQ(reduction, allreduce);
  return reduction;
}

struct Combination {
  const char* name;
  MPI_Datatype type;
  MPI_Op op;
};

TEST(Predefined, WhatIsDefinedIsCombinedAsMpiDoes) {
  const std::vector<Combination> defined{{"int, SUM", MPI_INT, MPI_SUM},
                                         {"int, LXOR", MPI_INT, MPI_LXOR},
                                         {"char, MAX", MPI_CHAR, MPI_MAX},
                                         {"byte, BXOR", MPI_BYTE, MPI_BXOR},
                                         {"double, MIN", MPI_DOUBLE, MPI_MIN},
                                         {"complex, SUM", MPI_C_FLOAT_COMPLEX, MPI_SUM},
                                         {"bool, LAND", MPI_C_BOOL, MPI_LAND},
                                         {"address, SUM", MPI_AINT, MPI_SUM},
                                         {"count, BAND", MPI_COUNT, MPI_BAND},
                                         {"double and int, MAXLOC", MPI_DOUBLE_INT, MPI_MAXLOC},
                                         {"INTEGER, BOR", MPI_INTEGER, MPI_BOR},
                                         {"REAL, MAX", MPI_REAL, MPI_MAX},
                                         {"COMPLEX, SUM", MPI_COMPLEX, MPI_SUM},
                                         {"LOGICAL, LOR", MPI_LOGICAL, MPI_LOR},
                                         {"2INTEGER, MINLOC", MPI_2INTEGER, MPI_MINLOC},
                                         {"2REAL, MAXLOC", MPI_2REAL, MPI_MAXLOC},
                                         {"2DOUBLE_PRECISION, MINLOC", MPI_2DOUBLE_PRECISION, MPI_MINLOC}};
  for (const auto& [name, type, op] : defined) {
    if (type == MPI_DATATYPE_NULL) continue;  // an MPI without Fortran
    SCOPED_TRACE(name);
    EXPECT_TRUE(is_defined(op_number(op), type_number(type)));
    constexpr std::int64_t kCount = 40;
    const auto bytes = static_cast<std::size_t>(detail::ElementLayout(type).extent * kCount);
    std::vector<std::byte> own(bytes);
    // A small number in each of any kind of integer, and none that is too large for exact sums of any other.
    for (std::size_t b = 0; b < bytes; b += 4)
      own[b] = static_cast<std::byte>((b / 4 + 3 * static_cast<unsigned>(rank())) % 2);
    std::vector<std::byte> expected(bytes), reduced(bytes), all(bytes);
    MPI_Allreduce(own.data(), expected.data(), kCount, type, op, MPI_COMM_WORLD);
    ElementReduction(MPI_COMM_WORLD, {kCount, type, op}, 0).execute(own.data(), reduced.data());
    Allreduce(MPI_COMM_WORLD, {kCount, type, op}).execute(own.data(), all.data());
    EXPECT_TRUE(rank() != 0 || reduced == expected);
    EXPECT_EQ(all, expected);
  }
}

TEST(Predefined, WhatIsNotDefinedIsRefused) {
  const std::vector<Combination> undefined{{"int, MAXLOC", MPI_INT, MPI_MAXLOC},
                                           {"int, REPLACE", MPI_INT, MPI_REPLACE},
                                           {"int, NO_OP", MPI_INT, MPI_NO_OP},
                                           {"byte, SUM", MPI_BYTE, MPI_SUM},
                                           {"double, BAND", MPI_DOUBLE, MPI_BAND},
                                           {"double, LAND", MPI_DOUBLE, MPI_LAND},
                                           {"complex, MAX", MPI_C_DOUBLE_COMPLEX, MPI_MAX},
                                           {"bool, SUM", MPI_C_BOOL, MPI_SUM},
                                           {"double and int, SUM", MPI_DOUBLE_INT, MPI_SUM},
                                           {"wchar, SUM", MPI_WCHAR, MPI_SUM},
                                           {"DOUBLE_PRECISION, BAND", MPI_DOUBLE_PRECISION, MPI_BAND},
                                           {"COMPLEX, MAX", MPI_COMPLEX, MPI_MAX},
                                           {"LOGICAL, SUM", MPI_LOGICAL, MPI_SUM}};
  for (const auto& [name, type, op] : undefined) {
    if (type == MPI_DATATYPE_NULL) continue;
    EXPECT_EQ(refused_argument({10, type, op}), "op") << name;
  }
}

TEST(Predefined, ACopyOfATypeIsThatType) {
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  MPI_Datatype twice = MPI_DATATYPE_NULL;
  MPI_Type_dup(MPI_INT, &copy);
  MPI_Type_dup(copy, &twice);
  const int own = rank() + 1;
  int sum = 0;
  Allreduce(MPI_COMM_WORLD, {1, rank() == 0 ? twice : MPI_INT, MPI_SUM}).execute(&own, &sum);
  EXPECT_EQ(sum, size() * (size() + 1) / 2);
  EXPECT_EQ(refused_argument({1, twice, MPI_MAXLOC}), "op");
  MPI_Type_free(&twice);
  MPI_Type_free(&copy);
}

TEST(Predefined, OthersOnOneRankAreRefusedOnAll) {
  if (size() == 1) GTEST_SKIP() << "one rank";
  const bool odd = rank() == size() - 1;
  EXPECT_EQ(refused_argument({1000, MPI_DOUBLE, odd ? MPI_MAX : MPI_SUM}), "arguments");
  EXPECT_EQ(refused_argument({1000, odd ? MPI_LONG : MPI_UNSIGNED_LONG, MPI_MAX}), "arguments");
  EXPECT_EQ(refused_argument({1000, odd ? MPI_DOUBLE : MPI_C_FLOAT_COMPLEX, MPI_SUM}), "arguments");
}

}  // namespace
}  // namespace sluice::mpi
