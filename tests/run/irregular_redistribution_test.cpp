#include <gtest/gtest.h>

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
using testing::processes_of;
using testing::random_irregular;
using testing::rank;
using testing::size;

TEST(IrregularRedistribution, RandomCutsInOneToThreeDimensions) {
  Draw draw(20250401);
  int cut = 0;
  for (int i = 0; i < 80 && !any_rank_failed(); ++i) {
    Case c = random_irregular(draw, size());
    Draw own(static_cast<std::uint64_t>(i * size() + rank()));
    if (draw.chance(2)) add_gaps(c, rank(), own);
    cut += check_every_byte(c).find("messages cut by") != std::string::npos ? 1 : 0;
  }
  EXPECT_TRUE(cut > 0 || size() == 1);
}

TEST(IrregularRedistribution, OfSeveralCopies) {
  if (size() == 1) return;  // no room for two copies
  Draw draw(20250402);
  for (int i = 0; i < 20 && !any_rank_failed(); ++i) {
    Case c = random_irregular(draw, static_cast<int>(std::max<std::int64_t>(1, size() / draw.between(2, 4))));
    RedistributionOptions& o = c.options;
    o.from_replicas = draw.between(1, size() / processes_of(c.from));
    o.to_replicas = draw.between(o.from_replicas == 1 ? 2 : 1, size() / processes_of(c.to));
    o.from_ranks.clear();
    o.to_ranks.clear();
    o.algorithm = "auto";
    check_every_byte(c);
  }
}

TEST(IrregularRedistribution, GivesRolesToRanksThatHaveMost) {
  // The same blocks, dealt the other way round: nothing needs to move.
  Cuts there{{0}, {}}, back{{0}, {}};
  for (int i = 0; i < size(); ++i) {
    there.at.push_back(there.at.back() + 10 + i);
    there.owners.push_back(i);
    back.owners.push_back(size() - 1 - i);
  }
  back.at = there.at;
  Case c{{there.at.back()}, {{size()}, {1}, {there}}, {{size()}, {1}, {back}}, 8, {}};
  c.options.relabel = true;
  const Redistribution job(MPI_COMM_WORLD, c.shape, c.from, c.to, c.element_size, c.options);
  for (int r = 0; r < size(); ++r) EXPECT_EQ(job.to_ranks()[static_cast<std::size_t>(r)], size() - 1 - r);
  EXPECT_EQ(job.plan().steps(), 0);
  c.options.to_ranks = job.to_ranks();
  c.options.relabel = false;
  check_every_byte(c);
}

TEST(IrregularRedistribution, LongMessagesAreCutWherePortsAreShort) {
  // One rank has nearly everything, in both layouts another one.
  if (size() < 3) return;
  const std::int64_t extent = 1 << 17;
  Cuts from{{0}, {}}, to{{0}, {}};
  for (int i = 1; i < size(); ++i) from.at.push_back(100 * i), to.at.push_back(extent - 100 * (size() - i));
  from.at.push_back(extent);
  to.at.push_back(extent);
  Case c{{extent}, {{size()}, {1}, {from}}, {{size()}, {1}, {to}}, 8, {}};
  for (const ExchangeMode mode : {ExchangeMode::kLocal, ExchangeMode::kChain}) {
    c.options.mode = mode;
    check_every_byte(c);
    c.options.algorithm = "oggp";
    EXPECT_NE(check_every_byte(c).find("messages cut by oggp"), std::string::npos);
    c.options.algorithm = "auto";
  }
}

TEST(IrregularRedistribution, RefusesWhatMakesNoSense) {
  const Case good{{100}, {{1}, {1}, {{{0, 30, 100}, {}}}}, {{1}, {5}}, 8, {}};
  const auto refuses = [&](auto&& spoil) {
    Case c = good;
    spoil(c);
    EXPECT_THROW(Redistribution(MPI_COMM_WORLD, c.shape, c.from, c.to, c.element_size, c.options), InputError);
  };
  refuses([](Case& c) { c.shape = {101}; });
  refuses([](Case& c) { c.from.cuts[0].at = {0, 30, 30, 100}; });
  refuses([](Case& c) { c.from.cuts[0].owners = {0, 1}; });
  refuses([](Case& c) { c.from.cuts[0].owners = {0}; });
  refuses([](Case& c) { c.from.cuts.push_back({}); });
  refuses([](Case& c) { c.options.from_first = {1}; });
  refuses([](Case& c) { c.options.algorithm = "caterpillar"; });
  refuses([](Case& c) { c.options.algorithm = "classes"; });
  refuses([](Case& c) { c.options.algorithm = "none of them"; });
  if (size() == 1) return;
  // All ranks hear of one that has other cuts.
  refuses([](Case& c) { c.from.cuts[0].at[1] += rank() == 1 ? 1 : 0; });
  refuses([](Case& c) { c.from.cuts[0].at[1] = rank() == 0 ? 200 : 30; });
  // And none is left waiting where one that has something for every rank gives a null pointer.
  Redistribution job(MPI_COMM_WORLD, {100}, {{size()}, {1}, {{{0, 50, 100}, {0, 1}}}}, {{size()}, {5}}, 8);
  std::vector<double> source(static_cast<std::size_t>(job.source_elements())),
      target(static_cast<std::size_t>(job.target_elements()));
  EXPECT_ANY_THROW(job.execute(rank() == 0 ? nullptr : source.data(), target.data()));
}

}  // namespace
}  // namespace sluice::mpi
