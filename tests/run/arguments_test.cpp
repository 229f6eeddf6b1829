// Bad arguments: InputError on every rank, and none left waiting.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/redistribution.hpp"

namespace sluice::mpi {
namespace {

using testing::Arrays;
using testing::Case;
using testing::difference;
using testing::make_arrays;
using testing::rank;
using testing::size;

/// What the constructor throws, "" if nothing.
std::string error_of(const Case& c) {
  try {
    Redistribution job(MPI_COMM_WORLD, c.shape, c.from, c.to, c.element_size, c.options);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

const Case kGood{{20, 30}, {{1, 1}, {4, 4}}, {{1, 1}, {3, 5}}, 8, {}};

/// Ways to spoil the arguments, and what the message must name.
const std::vector<std::pair<std::string, std::function<void(Case&)>>>& bad_arguments() {
  static const std::vector<std::pair<std::string, std::function<void(Case&)>>> kList{
      {"element_size", [](Case& c) { c.element_size = 0; }},
      {"element_size", [](Case& c) { c.element_size = -8; }},
      {"from", [](Case& c) { c.from.grid[0] = 0; }},
      {"from", [](Case& c) { c.from.block[1] = -1; }},
      {"to", [](Case& c) { c.to.grid = {1}; }},
      {"to",
       [](Case& c) {
         c.to = {{1}, {1}};
       }},
      {"from", [](Case& c) { c.shape = {20}; }},
      {"from", [](Case& c) { c.shape[1] = -1; }},
      {"from",
       [](Case& c) {
         c.shape = {std::int64_t{1} << 40, std::int64_t{1} << 40};
       }},
      {"bytes",
       [](Case& c) {
         c.shape = {std::int64_t{1} << 31, std::int64_t{1} << 31};
       }},
      {"from", [](Case& c) { c.from.grid[0] = size() + 1; }},
      {"to",
       [](Case& c) {
         c.to.grid = {100000, 100000};
       }},
      {"from",
       [](Case& c) {
         c.options.from_first = {1, 0};
       }},
      {"to", [](Case& c) { c.options.to_first = {0}; }},
      {"from_start",
       [](Case& c) {
         c.options.from_start = {0, 31};
       }},
      {"sub-array", [](Case& c) { c.options.extent = {5}; }},
      {"sub-array",
       [](Case& c) {
         c.options.extent = {21, 30};
       }},
      {"from_ranks",
       [](Case& c) {
         c.options.from_ranks = {0, 1};
       }},
      {"from_ranks", [](Case& c) { c.options.from_ranks = {size()}; }},
      {"to_ranks", [](Case& c) { c.options.to_ranks = {-1}; }},
      {"chunk_bytes", [](Case& c) { c.options.chunk_bytes = -1; }},
      {"chunk_bytes", [](Case& c) { c.options.chunk_bytes = std::int64_t{1} << 31; }},
      {"mode", [](Case& c) { c.options.mode = ExchangeMode::kBarrier; }},
      {"window", [](Case& c) { c.options.window = -1; }},
      {"effort", [](Case& c) { c.options.effort = -1; }},
      {"effort", [](Case& c) { c.options.effort = std::numeric_limits<double>::quiet_NaN(); }},
      {"algorithm", [](Case& c) { c.options.algorithm = "quickest"; }},
      {"shape",
       [](Case& c) {
         c.options.to_shape = {20, 31};
       }},
  };
  return kList;
}

TEST(Arguments, BadOnAllRanks) {
  ASSERT_EQ(error_of(kGood), "");
  for (std::size_t i = 0; i < bad_arguments().size(); ++i) {
    Case bad = kGood;
    bad_arguments()[i].second(bad);
    const std::string error = error_of(bad);
    EXPECT_NE(error, "") << "number " << i;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(Arguments, BadOnOneRank) {
  for (std::size_t i = 0; i < bad_arguments().size(); ++i) {
    const int culprit = static_cast<int>(i) % size();
    Case mine = kGood;
    if (rank() == culprit) bad_arguments()[i].second(mine);
    const std::string error = error_of(mine);
    EXPECT_NE(error, "") << "number " << i;
    if (rank() != culprit) {
      EXPECT_NE(error.find("on rank " + std::to_string(culprit)), std::string::npos) << error;
    }
  }
  // The communicator is as good as before.
  EXPECT_EQ(error_of(kGood), "");
}

TEST(Arguments, TheMessageNamesTheArgument) {
  for (const auto& [name, spoil] : bad_arguments()) {
    Case bad = kGood;
    spoil(bad);
    EXPECT_NE(error_of(bad).find(name), std::string::npos) << error_of(bad);
  }
}

TEST(Arguments, TransposedShapesThatDoNotFit) {
  // The target of a transposed 20 x 30 array is 30 x 20, and what moves into it has its extents the other way round.
  Case good = kGood;
  good.options.transpose = true;
  good.options.to_shape = {30, 20};
  EXPECT_EQ(error_of(good), "");
  const auto with = [&](auto&& spoil) {
    Case bad = good;
    spoil(bad.options);
    return bad;
  };
  const std::vector<std::pair<Case, std::string>> cases{
      {with([](RedistributionOptions& o) {
         o.to_shape = {20, 30};
       }),
       "30 elements from 0 on in a target of 20"},
      {with([](RedistributionOptions& o) {
         o.extent = {10, 30};
         o.to_start = {0, 11};
       }),
       "10 elements from 11 on in a target of 20"},
  };
  for (const auto& [bad, message] : cases) {
    // The argument is bad on all ranks, and then on one rank; the others hear of it.
    EXPECT_EQ(error_of(bad), "sub-array: " + message + ", expected a sub-array inside the array");
    const std::string error = error_of(rank() == size() - 1 ? bad : good);
    EXPECT_NE(error.find(message), std::string::npos) << error;
  }
  EXPECT_EQ(error_of(good), "");
}

TEST(Arguments, LeadingDimensions) {
  // Every rank has 20 rows and some columns of both arrays.
  const Layout columns{{1, size()}, {4, 3}};
  Case good{{20, 12 * size()}, columns, columns, 8, {}};
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  for (const StorageOrder order : {StorageOrder::kRowMajor, StorageOrder::kColumnMajor}) {
    good.options.order = order;
    const std::int64_t least = order == StorageOrder::kRowMajor ? 12 : 20;
    for (const bool of_source : {true, false}) {
      const std::string name = of_source ? "source_leading" : "target_leading";
      const auto with = [&](const std::vector<std::int64_t>& leading) {
        Case c = good;
        (of_source ? c.options.source_leading : c.options.target_leading) = leading;
        return c;
      };
      for (const std::vector<std::int64_t>& bad :
           {std::vector{least - 1}, {0}, {-1}, {-huge - 1}, {huge}, {huge / 8}, {huge / 64}, {30, 30}}) {
        for (const int culprit : {-1, 0, size() - 1}) {
          const bool is_bad = culprit < 0 || culprit == rank();
          const std::string error = error_of(with(is_bad ? bad : std::vector{least}));
          EXPECT_NE(error.find(name), std::string::npos) << error;
          if (!is_bad) {
            EXPECT_NE(error.find("on rank " + std::to_string(culprit)), std::string::npos) << error;
          }
        }
      }
      EXPECT_EQ(error_of(with({least + rank()})), "");
      EXPECT_EQ(error_of(with(rank() == 0 ? std::vector<std::int64_t>{} : std::vector{least + 1})), "");
    }
  }
  // In one dimension there is nothing to say; nor does it matter what a row without elements takes.
  Case c{{20}, {{size()}, {1}}, {{1}, {1}}, 8, {}};
  c.options.source_leading = {20};
  EXPECT_NE(error_of(c).find("source_leading"), std::string::npos) << error_of(c);
  Case empty{{0, 5}, {{1, 1}, {1, 1}}, {{1, 1}, {1, 1}}, 8, {}};
  empty.options.target_leading = {huge};
  EXPECT_EQ(error_of(empty), "");
}

TEST(Arguments, RanksThatDoNotDifferAreRefused) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks";
  Case twice = kGood;
  twice.from.grid = {2, 1};
  twice.options.from_ranks = {1, 1};
  EXPECT_NE(error_of(twice).find("twice"), std::string::npos) << error_of(twice);
}

TEST(Arguments, GoodButDifferent) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const std::vector<std::function<void(Case&)>> changes{
      [](Case& c) { c.shape[0] += 1; },
      [](Case& c) { c.to.block[0] += 1; },
      [](Case& c) { c.element_size = 4; },
      [](Case& c) { c.options.order = StorageOrder::kColumnMajor; },
      [](Case& c) { c.options.algorithm = "caterpillar"; },
      [](Case& c) { c.options.chunk_bytes = 1000; },
      [](Case& c) { c.options.window += 1; },
      [](Case& c) { c.options.mode = ExchangeMode::kChain; },
      [](Case& c) { c.options.setup = 2; },
      [](Case& c) { c.options.shared_from_bytes = 1; },
      [](Case& c) { c.options.to_ranks = {1}; },
      [](Case& c) { std::swap(c.from, c.to); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Case mine = kGood;
    if (rank() == size() - 1) changes[i](mine);
    EXPECT_NE(error_of(mine).find("different"), std::string::npos) << "change " << i << ": " << error_of(mine);
  }
}

TEST(Arguments, AlgorithmThatDoesNotApply) {
  // Where r divides Q s, the classes are not enough; every rank says so.
  Case c{{48}, {{1}, {2}}, {{size()}, {3}}, 8, {}};
  c.options.algorithm = "classes";
  std::string outcome = error_of(c);
  int failed = outcome.empty() ? 0 : 1;
  int sum = 0;
  MPI_Allreduce(&failed, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_TRUE(sum == 0 || sum == size()) << outcome;
}

TEST(Arguments, NotACommunicator) {
  EXPECT_THROW(Redistribution(MPI_COMM_NULL, {1}, {{1}, {1}}, {{1}, {1}}, 1), InputError);
}

/// The library's own communicator returns errors whatever the user's does; a failing call names itself and the rank.
TEST(Arguments, MpiErrorNamesCallAndRank) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  try {
    SLUICE_MPI(MPI_Send(nullptr, 0, MPI_BYTE, size() + 5, 0, comm));
    FAIL() << "a send to a rank that is not there";
  } catch (const MpiError& e) {
    EXPECT_EQ(e.call(), "MPI_Send");
    EXPECT_EQ(e.rank(), rank());
    EXPECT_NE(std::string(e.what()).find("MPI_Send on rank " + std::to_string(rank())), std::string::npos) << e.what();
  }
  MPI_Comm_free(&comm);
}

/// Whether execute throws InputError on this rank.
bool throws(Redistribution& job, const void* source, void* target) {
  try {
    job.execute(source, target);
  } catch (const InputError&) {
    return true;
  }
  return false;
}

TEST(Arguments, NullPointers) {
  for (const bool shared : {true, false}) {
    for (const bool of_source : {true, false}) {
      // Every rank has something for every rank.
      Case c{{600}, {{size()}, {1}}, {{size()}, {size()}}, 8, {}};
      c.options.shared_from_bytes = shared ? 0 : -1;
      c.options.chunk_bytes = 64;
      Redistribution job(MPI_COMM_WORLD, c.shape, c.from, c.to, c.element_size, c.options);
      const bool culprit = rank() == size() - 1;
      Arrays arrays = make_arrays(c, rank());
      EXPECT_FALSE(throws(job, arrays.source.data(), arrays.target.data()));
      EXPECT_EQ(difference(arrays.target, arrays.expected), "");
      const bool thrown = throws(job, culprit && of_source ? nullptr : arrays.source.data(),
                                 culprit && !of_source ? nullptr : arrays.target.data());
      EXPECT_TRUE(thrown || (!of_source && !culprit)) << "all should have heard from the last rank";
      MPI_Barrier(MPI_COMM_WORLD);
      // The job is of no further use.
      EXPECT_TRUE(throws(job, arrays.source.data(), arrays.target.data()));
    }
  }
}

}  // namespace
}  // namespace sluice::mpi
