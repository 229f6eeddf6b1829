#include "sluice/run/mpi/redistribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "bad_input.hpp"
#include "run/any_rank_failed.hpp"
#include "run/redistribution_check.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi {
namespace {

using testing::add_gaps;
using testing::any_rank_failed;
using testing::Arrays;
using testing::byte_of;
using testing::Case;
using testing::check_every_byte;
using testing::difference;
using testing::Draw;
using testing::for_each_moved;
using testing::make_arrays;
using testing::Part;
using testing::random_case;
using testing::random_part;
using testing::rank;
using testing::rank_in;
using testing::size;
using testing::size_of;
using testing::source_part;
using testing::target_part;
using testing::to_text;

Redistribution make_job(MPI_Comm comm, const Case& c) {
  return {comm, c.shape, c.from, c.to, c.element_size, c.options};
}

void check(MPI_Comm comm, const Case& c) {
  Arrays arrays = make_arrays(c, rank_in(comm));
  Redistribution job = make_job(comm, c);
  EXPECT_EQ(job.source_elements(), source_part(c, rank_in(comm)).size()) << to_text(c);
  EXPECT_EQ(job.target_elements(), target_part(c, rank_in(comm)).size()) << to_text(c);
  EXPECT_EQ(job.source_extent() * c.element_size, static_cast<std::int64_t>(arrays.source.size())) << to_text(c);
  EXPECT_EQ(job.target_extent() * c.element_size, static_cast<std::int64_t>(arrays.target.size())) << to_text(c);
  const std::int64_t chunk_bytes = c.options.chunk_bytes > 0 ? c.options.chunk_bytes : 64 << 10;
  const int window = c.options.window > 0 ? c.options.window : 4;
  const int ahead = job.mode() == ExchangeMode::kChain ? 2 : 0;
  const std::int64_t in_pieces = (2 * window + ahead) * (chunk_bytes + 63);
  const std::int64_t in_rings = c.options.shared_from_bytes < 0 ? 0 : (2 << 20) + 256 * (size_of(comm) + 1);
  EXPECT_LE(job.peak_extra_bytes(), std::max(in_pieces, in_rings)) << to_text(c);
  const std::vector<std::byte> source = arrays.source;
  job.execute(arrays.source.data(), arrays.target.data());
  EXPECT_EQ(difference(arrays.target, arrays.expected), "") << to_text(c);
  EXPECT_EQ(difference(arrays.source, source), "") << "the source was written to: " << to_text(c);
}

TEST(Redistribution, ByHand) {
  // Ten elements from blocks of 2 on all ranks to blocks of 3 on one.
  const Layout from{{size()}, {2}};
  const Layout to{{1}, {3}};
  std::vector<int> source;
  for (int g = 0; g < 10; ++g) {
    if (g / 2 % size() == rank()) source.push_back(g);
  }
  std::vector<int> target(rank() == 0 ? 10 : 0, -1);
  Redistribution job(MPI_COMM_WORLD, {10}, from, to, sizeof(int));
  EXPECT_EQ(job.source_elements(), static_cast<std::int64_t>(source.size()));
  EXPECT_EQ(job.target_elements(), static_cast<std::int64_t>(target.size()));
  job.execute(source.data(), target.data());
  for (std::size_t i = 0; i < target.size(); ++i) EXPECT_EQ(target[i], static_cast<int>(i));
}

/// On one host; a plan is made only for those who ask.
TEST(Redistribution, GoesAtOnceUnlessAnOrderIsAskedFor) {
  Case c{{size() * 30}, {{size()}, {2}}, {{size()}, {3}}, 8, {}};
  const Redistribution job = make_job(MPI_COMM_WORLD, c);
  EXPECT_EQ(job.explanation(), "all at once (on one host: without a plan)");
  const RedistributionPlan plan = plan_redistribution(job.plan().problem(), "auto", c.options.setup, 0);
  EXPECT_EQ(job.plan().steps(), plan.steps());
  EXPECT_EQ(job.plan().algorithm(), plan.algorithm());
  c.options.mode = ExchangeMode::kLocal;
  const std::string told = make_job(MPI_COMM_WORLD, c).explanation();
  EXPECT_NE(told.find(", local"), std::string::npos) << told;
  EXPECT_EQ(told.find('('), std::string::npos) << "no rule chose it: " << told;
  c.options.mode = ExchangeMode::kAuto;
  c.options.algorithm = "caterpillar";
  EXPECT_EQ(make_job(MPI_COMM_WORLD, c).explanation().find("caterpillar, "), 0U);
}

TEST(Redistribution, RanksCopyWhatTheySendThemselves) {
  // Equal layouts, and layouts that a shift makes equal once ranks are relabelled: no steps, and all arrives.
  Case c{{8L * size(), 6}, {{size(), 1}, {4, 6}}, {{size(), 1}, {4, 6}}, 8, {}};
  EXPECT_EQ(make_job(MPI_COMM_WORLD, c).plan().steps(), 0);
  check(MPI_COMM_WORLD, c);
  c.options.to_first = {1 % size(), 0};
  EXPECT_EQ(make_job(MPI_COMM_WORLD, c).plan().steps(), size() == 1 ? 0 : 1);
  c.options.relabel = true;
  const Redistribution job = make_job(MPI_COMM_WORLD, c);
  EXPECT_EQ(job.plan().steps(), 0);
  for (int process = 0; process < size(); ++process)
    EXPECT_EQ(job.to_ranks().at(static_cast<std::size_t>((process + 1) % size())), process);
}

TEST(Redistribution, RelabelledRanksGetTheirParts) {
  Draw draw(20240302);
  for (int i = 0; i < 60 && !any_rank_failed(); ++i) {
    Case c = random_case(draw, size());
    c.options.relabel = true;
    c.options.source_leading.clear();
    c.options.target_leading.clear();
    Redistribution job = make_job(MPI_COMM_WORLD, c);
    // Who may have a role: those who were given, or else any rank of either grid.
    if (!c.options.to_ranks.empty()) {
      EXPECT_TRUE(std::ranges::is_permutation(job.to_ranks(), c.options.to_ranks)) << to_text(c);
    }
    std::int64_t kept = 0, kept_before = 0;
    const auto add_kept = [&](const std::vector<int>& to_ranks, std::int64_t& sum) {
      for (const Message& message : job.plan().problem().traffic().messages) {
        const auto from = static_cast<std::size_t>(message.from), to = static_cast<std::size_t>(message.to);
        const int sender = c.options.from_ranks.empty() ? static_cast<int>(from) : c.options.from_ranks[from];
        if (sender == (to_ranks.empty() ? static_cast<int>(to) : to_ranks[to])) sum += message.size;
      }
    };
    add_kept(job.to_ranks(), kept);
    add_kept(c.options.to_ranks, kept_before);
    EXPECT_GE(kept, kept_before) << to_text(c);
    Case relabelled = c;
    relabelled.options.to_ranks = job.to_ranks();
    Arrays arrays = make_arrays(relabelled, rank());
    ASSERT_EQ(job.target_extent() * c.element_size, static_cast<std::int64_t>(arrays.target.size())) << to_text(c);
    job.execute(arrays.source.data(), arrays.target.data());
    EXPECT_EQ(difference(arrays.target, arrays.expected), "") << to_text(c);
  }
}

TEST(Redistribution, LeadingDimensionByHand) {
  // A 3 x 4 matrix on one rank, to columns of their own on all ranks: column-major, then row-major.
  const Layout whole{{1, 1}, {1, 1}};
  const Layout columns{{1, size()}, {1, 1}};
  const std::int64_t own = (4 - rank() + size() - 1) / size();
  for (const StorageOrder order : {StorageOrder::kColumnMajor, StorageOrder::kRowMajor}) {
    const bool row_major = order == StorageOrder::kRowMajor;
    RedistributionOptions options;
    options.order = order;
    options.source_leading = {5};
    options.target_leading = {6 + rank()};
    Redistribution job(MPI_COMM_WORLD, {3, 4}, whole, columns, sizeof(int), options);
    EXPECT_EQ(job.source_elements(), rank() == 0 ? 12 : 0);
    EXPECT_EQ(job.source_extent(), rank() > 0 ? 0 : row_major ? 2 * 5 + 4 : 3 * 5 + 3);
    EXPECT_EQ(job.target_elements(), 3 * std::max<std::int64_t>(0, own));
    const auto place = [&](std::int64_t i, std::int64_t j, std::int64_t leading) {
      return static_cast<std::size_t>(row_major ? i * leading + j : j * leading + i);
    };
    std::vector<int> source(rank() == 0 ? 20 : 0, -7);
    for (std::int64_t i = 0; i < 3 && rank() == 0; ++i) {
      for (std::int64_t j = 0; j < 4; ++j) source[place(i, j, 5)] = static_cast<int>(10 * i + j);
    }
    std::vector<int> target(60, -1);
    std::vector<int> expected = target;
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < own; ++j)
        expected[place(i, j, options.target_leading[0])] = static_cast<int>(10 * i + rank() + j * size());
    }
    job.execute(source.data(), target.data());
    EXPECT_EQ(target, expected);
  }
}

TEST(Redistribution, GapsOfOneJobAreNotThoseOfTheNext) {
  // The jobs differ only in their gaps, which change on some ranks: plans are kept for later jobs.
  Draw own(static_cast<std::uint64_t>(rank()));
  for (const StorageOrder order : {StorageOrder::kRowMajor, StorageOrder::kColumnMajor}) {
    Case c{{31, 29}, {{1, size()}, {3, 4}}, {{size(), 1}, {5, 7}}, 8, {}};
    c.options.order = order;
    for (int round = 0; round < 6 && !any_rank_failed(); ++round) {
      const bool changes = (round + rank()) % 2 == 0;
      if (changes) add_gaps(c, rank(), own);
      check(MPI_COMM_WORLD, c);
    }
  }
}

TEST(Redistribution, GapsInSharedMemoryAndInMessages) {
  for (const std::int64_t shared_from : {-1, 0}) {
    for (const StorageOrder order : {StorageOrder::kRowMajor, StorageOrder::kColumnMajor}) {
      // Messages of several chunks; whole rows on one side, where nothing may be taken for one long row.
      Case c{{300, 260}, {{size(), 1}, {7, 260}}, {{1, size()}, {300, 9}}, 8, {}};
      c.options.order = order;
      c.options.shared_from_bytes = shared_from;
      c.options.chunk_bytes = 4096;
      Draw own(static_cast<std::uint64_t>(77 + rank()));
      add_gaps(c, rank(), own);
      check(MPI_COMM_WORLD, c);
      c.to = c.from;  // what a rank sends itself
      c.options.target_leading.clear();
      check(MPI_COMM_WORLD, c);
    }
  }
}

TEST(Redistribution, TransposedByHand) {
  // 3 x 4, rows dealt to all ranks; 4 x 3 on one, as C and as Fortran store it.
  for (const StorageOrder order : {StorageOrder::kRowMajor, StorageOrder::kColumnMajor}) {
    std::vector<int> source;
    const int own_rows = (3 - rank() + size() - 1) / size();
    for (int at = 0; at < 4 * own_rows; ++at) {
      const bool row_major = order == StorageOrder::kRowMajor;
      const int row = row_major ? at / 4 : at % own_rows;
      const int column = row_major ? at % 4 : at / own_rows;
      source.push_back(10 * (row * size() + rank()) + column);
    }
    std::vector<int> target(rank() == 0 ? 12 : 0, -1);
    RedistributionOptions options;
    options.transpose = true;
    options.order = order;
    Redistribution job(MPI_COMM_WORLD, {3, 4}, {{size(), 1}, {1, 1}}, {{1, 1}, {1, 1}}, sizeof(int), options);
    job.execute(source.data(), target.data());
    if (rank() != 0) continue;
    EXPECT_EQ(target, order == StorageOrder::kRowMajor
                          ? (std::vector<int>{0, 10, 20, 1, 11, 21, 2, 12, 22, 3, 13, 23})
                          : (std::vector<int>{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}));
  }
}

/// There is only one row, and the step to the next row is as long as a part of it, not as the whole row.
TEST(Redistribution, APartOfATransposedRowGoesToItsPlace) {
  if (size() < 2) return;
  for (const std::int64_t shared_from : {-1, 0, 4096}) {
    for (const char* algorithm : {"auto", "oggp"}) {
      RedistributionOptions options;
      options.transpose = true;
      options.shared_from_bytes = shared_from;
      options.algorithm = algorithm;
      Redistribution job(MPI_COMM_WORLD, {1, 16}, {{1, 2}, {1, 15}}, {{1, 1}, {1, 1}}, sizeof(int), options);
      std::vector<int> source;
      for (int i = rank() == 0 ? 0 : 15; i < (rank() == 0 ? 15 : 16) && rank() < 2; ++i) source.push_back(i);
      std::vector<int> target(rank() == 0 ? 16 : 0, -1), expected(target.size());
      std::iota(expected.begin(), expected.end(), 0);
      job.execute(source.data(), target.data());
      EXPECT_EQ(target, expected) << algorithm << ", shared from " << shared_from;
    }
  }
}

TEST(Redistribution, RelabellingATransposedMatrixMovesNothing) {
  // The transposed array of rows is one of columns: each rank has what it needs, whatever its number there.
  RedistributionOptions options;
  options.transpose = true;
  options.relabel = true;
  options.to_first = {0, size() - 1};
  const std::int64_t rows = 3 * size();
  Redistribution job(MPI_COMM_WORLD, {rows, 5}, {{size(), 1}, {1, 1}}, {{1, size()}, {1, 1}}, 1, options);
  EXPECT_EQ(job.plan().steps(), 0);
  for (int p = 0; p < size(); ++p) {
    const int has_rows = (p + 1) % size();
    EXPECT_EQ(job.to_ranks()[static_cast<std::size_t>(p)], has_rows);
  }
  std::vector<std::byte> source(15);
  std::vector<std::byte> target(15);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i + 15 * std::size_t(rank()));
  job.execute(source.data(), target.data());
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(target[j * 3 + i], source[i * 5 + j]);
  }
}

TEST(Redistribution, ScalesAddsAndConjugates) {
  using Number = std::complex<double>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Layout rows{{size(), 1}, {1, 1}};
  const auto at = [](std::int64_t i, std::int64_t j) {
    return Number(static_cast<double>(i), static_cast<double>(j) + 1);
  };
  for (const Number beta : {Number(0, 0), Number(1, 0), Number(0.5, -2)}) {
    RedistributionOptions options;
    options.transpose = true;
    options.combine = scale_and_add(Number(3, 1), beta, /*conjugate=*/true);
    Redistribution job(MPI_COMM_WORLD, {2 * size(), 3}, rows, rows, sizeof(Number), options);
    std::vector<Number> source;
    for (std::int64_t i = rank(); i < 2 * size(); i += size()) {
      for (std::int64_t j = 0; j < 3; ++j) source.push_back(at(i, j));
    }
    // What has the factor 0 is not read.
    const Number before = beta == Number() ? Number(nan, nan) : Number(7, -1);
    std::vector<Number> target(static_cast<std::size_t>(job.target_elements()), before);
    job.execute(source.data(), target.data());
    std::size_t place = 0;
    for (std::int64_t j = rank(); j < 3; j += size()) {
      for (std::int64_t i = 0; i < 2 * size(); ++i, ++place) {
        const Number expected = Number(3, 1) * std::conj(at(i, j)) + (beta == Number() ? Number() : beta * before);
        EXPECT_LT(std::abs(target[place] - expected), 1e-12) << i << ", " << j;
      }
    }
    EXPECT_EQ(place, target.size());
  }
}

TEST(Redistribution, CombinesEveryElementThatMovesOnce) {
  Draw draw(20261121);
  Draw own(static_cast<std::uint64_t>(900 + rank()));
  for (int i = 0; i < 80 && !any_rank_failed(); ++i) {
    Case c = draw.chance(3) ? random_part(draw, size()) : testing::random_case(draw, size());
    if (draw.chance(2)) add_gaps(c, rank(), own);
    c.options.chunk_bytes = std::max(c.options.chunk_bytes, c.element_size);
    const auto bytes = static_cast<std::size_t>(c.element_size);
    const auto combined = [](std::byte in, std::byte there) {
      return static_cast<std::byte>(std::to_integer<int>(in) + 3 * std::to_integer<int>(there));
    };
    c.options.combine = [&](const std::byte* in, std::byte* inout, std::int64_t count) {
      for (std::size_t b = 0; b < bytes * static_cast<std::size_t>(count); ++b) inout[b] = combined(in[b], inout[b]);
    };
    Arrays arrays = make_arrays(c, rank());
    Redistribution job = make_job(MPI_COMM_WORLD, c);
    std::vector<std::byte> expected = arrays.target;
    // As long as MPI's own way is tried, too.
    const int executions = c.options.algorithm == "auto" && c.options.mode == ExchangeMode::kAuto ? 11 : 2;
    for (int e = 0; e < executions; ++e) {
      job.execute(arrays.source.data(), arrays.target.data());
      const Part from = source_part(c, rank());
      for_each_moved(c, rank(), [&](std::int64_t place, const testing::Indices& source) {
        for (std::size_t b = 0; b < bytes; ++b) {
          std::byte& there = expected[static_cast<std::size_t>(place) * bytes + b];
          there = combined(byte_of(from.linear(source), static_cast<std::int64_t>(b), 0), there);
        }
      });
      ASSERT_EQ(difference(arrays.target, expected), "") << "execution " << e << ": " << to_text(c);
    }
  }
}

TEST(Redistribution, ACombinationThatThrowsEndsItOnAllRanks) {
  if (size() == 1) return;
  RedistributionOptions options;
  options.combine = [](const std::byte* /*in*/, std::byte* /*inout*/, std::int64_t /*count*/) {
    if (rank() == 0) throw std::runtime_error("no such number");
  };
  Redistribution job(MPI_COMM_WORLD, {240, 240}, {{size(), 1}, {8, 8}}, {{1, size()}, {8, 8}}, 8, options);
  std::vector<double> source(static_cast<std::size_t>(job.source_elements()));
  std::vector<double> target(static_cast<std::size_t>(job.target_elements()));
  const auto repeat = [&] {
    for (int i = 0; i < 100; ++i) job.execute(source.data(), target.data());
  };
  if (rank() == 0) {
    EXPECT_THROW(repeat(), std::runtime_error);
  } else {
    EXPECT_THROW(repeat(), JobError);
  }
}

TEST(Redistribution, CombinedElementsAreNotCut) {
  RedistributionOptions options;
  options.combine = [](const std::byte*, std::byte*, std::int64_t) {};
  options.chunk_bytes = 15;
  EXPECT_EQ(sluice::testing::error_of([&] {
              Redistribution(MPI_COMM_WORLD, {8}, {{1}, {1}}, {{1}, {1}}, 16, options);
            }),
            "combine: elements of 16 bytes, expected at most 15, what travels at once");
}

TEST(Redistribution, TrapezoidByHand) {
  // The lower part without the diagonal, of a box of 3 x 4 that begins in the second row.
  RedistributionOptions options;
  options.from_start = {1, 0};
  options.to_start = {0, 0};
  options.extent = {3, 4};
  options.to_shape = {3, 4};
  options.part = MatrixPart::kLower;
  options.unit_diagonal = true;
  std::vector<int> source;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j)
      if (j % size() == rank()) source.push_back(10 * i + j);
  }
  std::vector<int> target(rank() == 0 ? 12 : 0, -1);
  Redistribution job(MPI_COMM_WORLD, {4, 4}, {{1, size()}, {1, 1}}, {{1, 1}, {2, 2}}, sizeof(int), options);
  job.execute(source.data(), target.data());
  if (rank() == 0) {
    EXPECT_EQ(target, (std::vector<int>{10, -1, -1, -1, 20, 21, -1, -1, 30, 31, 32, -1}));
  }
}

TEST(Redistribution, PartsOfLongRowsInManyPieces) {
  for (const std::int64_t shared_from : {-1, 0}) {
    for (const MatrixPart part : {MatrixPart::kUpper, MatrixPart::kLower}) {
      for (const StorageOrder order : {StorageOrder::kRowMajor, StorageOrder::kColumnMajor}) {
        Case c{{300, 260}, {{size(), 1}, {7, 260}}, {{1, size()}, {300, 9}}, 8, {}};
        c.options.order = order;
        c.options.part = part;
        c.options.shared_from_bytes = shared_from;
        c.options.chunk_bytes = 4096;
        check(MPI_COMM_WORLD, c);
        c.to = c.from;  // what a rank sends itself
        check(MPI_COMM_WORLD, c);
      }
    }
  }
}

TEST(Redistribution, PartsAgainAndAgain) {
  // By MPI's own collective too, which takes messages whole.
  Draw draw(5);
  for (int i = 0; i < 8 && !any_rank_failed(); ++i) {
    Case c = random_part(draw, size());
    c.options.algorithm = "auto";
    Redistribution job = make_job(MPI_COMM_WORLD, c);
    for (std::uint64_t salt = 0; salt < 10; ++salt) {
      Arrays arrays = make_arrays(c, rank(), salt);
      job.execute(arrays.source.data(), arrays.target.data());
      EXPECT_EQ(difference(arrays.target, arrays.expected), "") << to_text(c) << " round " << salt;
    }
  }
}

TEST(Redistribution, PartsOfArraysThatAreNoMatrix) {
  RedistributionOptions options;
  options.part = MatrixPart::kUpper;
  EXPECT_THROW(Redistribution(MPI_COMM_WORLD, {5}, {{size()}, {1}}, {{1}, {1}}, 8, options), InputError);
}

TEST(Redistribution, ClassesWhereTheyApply) {
  Draw draw(7);
  int applied = 0;
  for (int i = 0; i < 60 && !any_rank_failed(); ++i) {
    Case c = random_case(draw, size());
    c.options.algorithm = "classes";
    try {
      check(MPI_COMM_WORLD, c);
      ++applied;
    } catch (const InputError&) {
      // Says so on every rank: the next collective call would not match otherwise.
    }
  }
  EXPECT_GT(applied, 5);
}

TEST(Redistribution, MatrixWithTheDefaults) {
  const int n = size();
  check(MPI_COMM_WORLD, {{517, 389}, {{n, 1}, {64, 64}}, {{1, n}, {50, 30}}, 8, {}});
  check(MPI_COMM_WORLD, {{517, 389}, {{1, n}, {1, 1}}, {{1, n}, {3, 2}}, 8, {}});
  Case big{{1100, 1000}, {{n, 1}, {8, 8}}, {{1, n}, {1000, 1}}, 8, {}};
  check(MPI_COMM_WORLD, big);  // messages of several chunks
  big.options.order = StorageOrder::kColumnMajor;
  check(MPI_COMM_WORLD, big);
}

/// Several senders fill rows of the target between them: a rank puts these rows together before it writes them. Rows of
/// the source that are dealt out to several receivers are read once.
TEST(Redistribution, ShortRunsOfArraysThatOutgrowTheCache) {
  Draw draw(23);
  const int n = size();
  for (const std::int64_t block : {1, 3, 5, 32}) {
    for (const StorageOrder order : {StorageOrder::kRowMajor, StorageOrder::kColumnMajor}) {
      Case c{{190 * n, 740}, {{1, n}, {7, block}}, {{n, 1}, {190, 740}}, 8, {}};
      if (n % 2 == 0 && draw.chance(2)) c.from = {{2, n / 2}, {5, block}};
      if (order == StorageOrder::kColumnMajor) {
        for (std::vector<std::int64_t>* const numbers :
             {&c.shape, &c.from.grid, &c.from.block, &c.to.grid, &c.to.block})
          std::ranges::reverse(*numbers);
      }
      if (draw.chance(2)) std::swap(c.from, c.to);
      c.options.order = order;
      c.options.try_native = false;
      if (draw.chance(2)) {
        c.options.from_start = {1, 2};
        c.options.to_start = {2, 1};
        c.options.extent = {c.shape[0] - 2, c.shape[1] - 3};
      }
      if (draw.chance(2)) add_gaps(c, rank(), draw);
      check_every_byte(c);
    }
  }
}

TEST(Redistribution, TheSameLayoutTwiceIsACopy) {
  const Layout layout{{1, size()}, {7, 5}};
  check(MPI_COMM_WORLD, {{40, 43}, layout, layout, 8, {}});
  Redistribution job(MPI_COMM_WORLD, {40, 43}, layout, layout, 8);
  EXPECT_EQ(job.peak_extra_bytes(), 0);
}

TEST(Redistribution, NothingToMove) {
  const Layout layout{{size()}, {2}};
  check(MPI_COMM_WORLD, {{0}, layout, {{1}, {1}}, 8, {}});
  Redistribution huge_but_empty(MPI_COMM_WORLD, {0, 1000000000000, 1000000000000}, {{1, size(), 1}, {1, 1, 1}},
                                {{1, 1, size()}, {2, 2, 2}}, 8);
  EXPECT_EQ(huge_but_empty.source_elements(), 0);
  huge_but_empty.execute(nullptr, nullptr);
  Redistribution job(MPI_COMM_WORLD, {0}, layout, layout, 8);
  job.execute(nullptr, nullptr);
  RedistributionOptions empty_box;
  empty_box.from_start = {5};
  empty_box.to_start = {3};
  empty_box.extent = {0};
  check(MPI_COMM_WORLD, {{11}, layout, layout, 8, empty_box});
}

TEST(Redistribution, DisjointGrids) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks";
  RedistributionOptions options;
  const int half = size() / 2;
  for (int r = 0; r < half; ++r) options.from_ranks.push_back(r);
  for (int r = half; r < size(); ++r) options.to_ranks.push_back(r);
  check(MPI_COMM_WORLD, {{1000}, {{half}, {3}}, {{size() - half}, {5}}, 8, options});
}

TEST(Redistribution, ExecutedAgainAndAgain) {
  Draw draw(3);
  for (int i = 0; i < 12 && !any_rank_failed(); ++i) {
    Case c = random_case(draw, size());
    if (i % 2 == 0) c.options.algorithm = "auto";  // by MPI's own collective too
    Redistribution job = make_job(MPI_COMM_WORLD, c);
    for (std::uint64_t salt = 0; salt < 10; ++salt) {
      Arrays arrays = make_arrays(c, rank(), salt);
      job.execute(arrays.source.data(), arrays.target.data());
      EXPECT_EQ(difference(arrays.target, arrays.expected), "") << to_text(c) << " round " << salt;
    }
  }
}

TEST(Redistribution, JobsOnOneCommunicatorKeepOutOfEachOthersWay) {
  Draw draw(4);
  const Case a = random_case(draw, size());
  const Case b = random_case(draw, size());
  Redistribution job_a = make_job(MPI_COMM_WORLD, a);
  Redistribution job_b = make_job(MPI_COMM_WORLD, b);
  // A message of the user's own, with any tag, under way meanwhile.
  int sent = rank();
  int received = -1;
  MPI_Request requests[2];
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  for (std::uint64_t salt = 0; salt < 4; ++salt) {
    Arrays arrays_a = make_arrays(a, rank(), salt);
    Arrays arrays_b = make_arrays(b, rank(), salt);
    job_a.execute(arrays_a.source.data(), arrays_a.target.data());
    job_b.execute(arrays_b.source.data(), arrays_b.target.data());
    EXPECT_EQ(difference(arrays_a.target, arrays_a.expected), "") << to_text(a);
    EXPECT_EQ(difference(arrays_b.target, arrays_b.expected), "") << to_text(b);
  }
  MPI_Isend(&sent, 1, MPI_INT, (rank() + 1) % size(), 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT_EQ(received, (rank() + size() - 1) % size());
}

TEST(Redistribution, OnPartsOfTheWorld) {
  // The odd and the even ranks, in reverse order, each with problems of their own at the same time.
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, -rank(), &half);
  Draw draw(static_cast<std::uint64_t>(50 + rank() % 2));
  for (int i = 0; i < 20 && !any_rank_failed(half); ++i) check(half, random_case(draw, size_of(half)));
  MPI_Comm_free(&half);
}

TEST(Redistribution, OutlivesTheCommunicatorItWasMadeOn) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const Case c{{100}, {{size()}, {3}}, {{size()}, {5}}, 8, {}};
  Redistribution job = make_job(copy, c);
  MPI_Comm_free(&copy);
  Arrays arrays = make_arrays(c, rank());
  job.execute(arrays.source.data(), arrays.target.data());
  EXPECT_EQ(difference(arrays.target, arrays.expected), "");
}

TEST(Redistribution, CanBeMoved) {
  const Case c{{100}, {{size()}, {3}}, {{size()}, {5}}, 8, {}};
  std::optional<Redistribution> first = make_job(MPI_COMM_WORLD, c);
  Redistribution second = std::move(*first);
  first.reset();
  Redistribution third = make_job(MPI_COMM_WORLD, {{4}, {{1}, {1}}, {{1}, {1}}, 8, {}});
  third = std::move(second);
  Arrays arrays = make_arrays(c, rank());
  third.execute(arrays.source.data(), arrays.target.data());
  EXPECT_EQ(difference(arrays.target, arrays.expected), "");
}

TEST(Redistribution, ManyJobsDoNotUseUpTheCommunicators) {
  if (size() > 1) GTEST_SKIP() << "one rank shows it as well, sooner";
  Case c{{10}, {{1}, {1}}, {{1}, {2}}, 8, {}};
  c.options.shared_from_bytes = 0;
  for (int i = 0; i < 3000; ++i) (void)make_job(MPI_COMM_WORLD, c);  // MPICH has 2048 of them at a time
}

}  // namespace
}  // namespace sluice::mpi
