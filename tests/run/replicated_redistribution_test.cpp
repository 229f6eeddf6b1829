#include <gtest/gtest.h>

#include <algorithm>

#include "run/any_rank_failed.hpp"
#include "run/redistribution_check.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/redistribution.hpp"

namespace sluice::mpi {
namespace {

using testing::add_gaps;
using testing::any_rank_failed;
using testing::Case;
using testing::check_every_byte;
using testing::Draw;
using testing::random_copies;
using testing::rank;
using testing::size;

/// Random copies, on the same ranks as the source or on others; some are long enough for chains between them.
void check_random_copies(std::uint64_t seed, bool apart) {
  Draw draw(seed);
  int chains = 0;
  for (int i = 0; i < 40 && !any_rank_failed(); ++i) {
    Case c = random_copies(draw, apart);
    if (draw.chance(2)) {
      c.element_size = 1000;
      c.options.chunk_bytes = draw.one_of<std::int64_t>({0, 1 << 17, 3000});
    }
    Draw own(static_cast<std::uint64_t>(i * size() + rank()));
    if (draw.chance(2)) add_gaps(c, rank(), own);
    chains += check_every_byte(c).find("chains") != std::string::npos ? 1 : 0;
  }
  EXPECT_TRUE(chains > 0 || size() < 4);
}

// A chain may end with ranks that are sources.
TEST(ReplicatedRedistribution, RandomCopiesOnTheSameRanks) {
  if (size() > 1) check_random_copies(20240401, false);  // one rank has no room for two copies
}

TEST(ReplicatedRedistribution, RandomCopiesOnRanksApart) {
  if (size() > 2) check_random_copies(20240402, true);
}

TEST(ReplicatedRedistribution, LongMessagesPassThroughAChain) {
  // 1 MiB goes from one rank to all others. Each of them has a copy of its own.
  if (size() < 3) return;
  for (const ExchangeMode mode : {ExchangeMode::kLocal, ExchangeMode::kChain}) {
    for (const std::int64_t shared_from : {-1, 4096}) {
      Case c{{1 << 17}, {{1}, {64}}, {{1}, {100}}, 8, {}};
      c.options.to_replicas = size() - 1;
      c.options.from_ranks = {0};
      for (int r = 1; r < size(); ++r) c.options.to_ranks.push_back(r);
      c.options.mode = mode;
      c.options.shared_from_bytes = shared_from;
      EXPECT_NE(check_every_byte(c).find("chains of " + std::to_string(size() - 1)), std::string::npos);
      c.options.forward = false;
      EXPECT_EQ(check_every_byte(c).find("chains"), std::string::npos);
      // A copy on that rank, too: it is the last of the chain, and has everything.
      c.options.forward = true;
      c.options.to_replicas = size();
      c.options.to_ranks = {0};
      for (int r = 1; r < size(); ++r) c.options.to_ranks.push_back(r);
      EXPECT_NE(check_every_byte(c).find("chains of " + std::to_string(size())), std::string::npos);
    }
  }
}

TEST(ReplicatedRedistribution, EveryCopyCombinesWhatItGets) {
  if (size() < 2) return;
  Case c{{1000}, {{1}, {64}}, {{1}, {10}}, 8, {}};
  c.options.to_replicas = size();
  c.options.forward = false;
  c.options.combine = scale_and_add<double>(2, 1);
  std::vector<double> source(rank() == 0 ? 1000 : 0), target(1000, rank());
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<double>(i);
  Redistribution job(MPI_COMM_WORLD, c.shape, c.from, c.to, c.element_size, c.options);
  EXPECT_EQ(job.to_ranks().size(), static_cast<std::size_t>(size()));
  job.execute(source.data(), target.data());
  for (std::size_t i = 0; i < target.size(); ++i) EXPECT_EQ(target[i], rank() + 2.0 * static_cast<double>(i));
}

/// Several copies of the source send pieces of one message: of some the last ones alone.
TEST(ReplicatedRedistribution, AMessageComesInPiecesFromSeveralCopies) {
  if (size() < 11) return;
  for (const bool transpose : {false, true}) {
    for (const char* algorithm : {"oggp", "auto"}) {
      Case c{{2, 7, 8, 5}, {{2, 1, 1, 1}, {3, 3, 1, 3}}, {{1, 1, 3, 1}, {1, 1, 1, 1}}, 1000, {}};
      c.options.transpose = transpose;
      c.options.from_replicas = 3;
      c.options.to_replicas = 2;
      c.options.to_ranks = {1, 7, 5, 3, 2, 10};
      c.options.algorithm = algorithm;
      EXPECT_NE(check_every_byte(c).find("3 x 2 copies"), std::string::npos);
    }
  }
}

TEST(ReplicatedRedistribution, RefusesWhatMakesNoSense) {
  const Case good{{100}, {{1}, {3}}, {{1}, {5}}, 8, {}};
  const auto refuses = [&](auto&& spoil) {
    Case c = good;
    spoil(c.options);
    EXPECT_THROW(Redistribution(MPI_COMM_WORLD, c.shape, c.from, c.to, c.element_size, c.options), InputError);
  };
  refuses([](RedistributionOptions& o) { o.from_replicas = 0; });
  refuses([](RedistributionOptions& o) { o.to_replicas = -3; });
  refuses([](RedistributionOptions& o) { o.to_replicas = size() + 1; });
  refuses([](RedistributionOptions& o) { o.from_replicas = std::int64_t{1} << 40; });
  if (size() < 2) return;
  refuses([](RedistributionOptions& o) { o.to_replicas = 2, o.relabel = true; });
  refuses([](RedistributionOptions& o) { o.to_replicas = 2, o.algorithm = "classes"; });
  refuses([](RedistributionOptions& o) { o.to_replicas = 2, o.from_ranks = {0, 1}; });
  refuses([](RedistributionOptions& o) { o.to_replicas = rank() == 0 ? 2 : 1; });
  refuses([](RedistributionOptions& o) {
    o.to_replicas = 2;
    if (rank() == 1) o.combine = scale_and_add<double>(2, 1);
  });
}

}  // namespace
}  // namespace sluice::mpi
