#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "run/exchange_testing.hpp"
#include "run/mpi/runtime/context.hpp"
#include "run/pretended_hosts.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/collectives.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/reduction.hpp"

// Jobs name the rule that they follow (run/mpi/ways/choice.hpp).

namespace sluice::mpi {
namespace {

using testing::size;

/// A communicator whose jobs find `ranks_per_host` ranks on each host.
class Ranks {
 public:
  explicit Ranks(int ranks_per_host) : hosts_(ranks_per_host) { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
  ~Ranks() { MPI_Comm_free(&comm_); }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  [[nodiscard]] MPI_Comm comm() const { return comm_; }

 private:
  testing::PretendedHosts hosts_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

std::vector<MessageSize> to_all(std::int64_t bytes) {
  std::vector<MessageSize> sends;
  for (int to = 0; to < size(); ++to) sends.push_back({to, bytes});
  return sends;
}

/// `rule` in brackets, once.
void expect_rule(const std::string& explanation, const std::string& rule) {
  const std::string brackets = " (" + rule + ")";
  const auto at = explanation.find(brackets);
  EXPECT_NE(at, std::string::npos) << explanation << " without" << brackets;
  EXPECT_EQ(explanation.find('(', at + 2), std::string::npos) << explanation;
}

void expect_no_rule(const std::string& explanation) {
  EXPECT_NE(explanation, "");
  EXPECT_EQ(explanation.find('('), std::string::npos) << explanation;
}

TEST(Explanation, NamesTheRuleOnOneHost) {
  const Ranks all(size());
  if (size() == 1 || !detail::Context::of(all.comm())->shares_memory()) GTEST_SKIP() << "no memory to share";
  Broadcast broadcast(all.comm(), 0);
  expect_rule(broadcast.explanation(0), "0 bytes: by MPI's own call");
  for (const std::int64_t bytes : {1, 100'000, 10'000'000})
    expect_rule(broadcast.explanation(bytes), "on one host that shares memory: by memory");
  const ElementReduction sum(all.comm(), {1 << 20, MPI_INT, MPI_SUM}, 0);
  expect_rule(sum.explanation(), sum.summary().rule);
  // The number of processors decides.
  const bool root_combines = std::min(detail::Context::of(all.comm())->processors(), size()) <= 2;
  EXPECT_NE(sum.summary().rule.find(root_combines ? "by memory, all by the root" : "by memory, each rank a share"),
            std::string::npos)
      << sum.explanation();
  expect_rule(Alltoall(all.comm(), 1000).explanation(), "on one host that shares memory: by memory");
  expect_rule(Exchange(all.comm(), to_all(1000)).explanation(), "on one host: without a plan");
  ExchangeOptions limited;
  limited.max_transfers = 1;
  expect_rule(Exchange(all.comm(), to_all(1000), limited).explanation(), "if k or speeds are limits: by mode chain");
}

/// Short enough to measure no network.
TEST(Explanation, NamesTheRuleBetweenHosts) {
  if (size() == 1) return;
  const Ranks each(1);
  Broadcast broadcast(each.comm(), 0);
  expect_rule(broadcast.explanation(2 << 10), "up to 2 KiB between hosts: by a tree without a plan");
  const std::string segments = broadcast.explanation(32 << 10);
  EXPECT_EQ(segments.rfind("circulant, ", 0), 0U) << segments;
  expect_rule(segments, "more than 2 KiB and up to 32 KiB between hosts: in segments");
  const ElementReduction sum(each.comm(), {100, MPI_INT, MPI_SUM}, 0);
  expect_rule(sum.explanation(), "less than 32 KiB between hosts: by a tree for usual costs");
  expect_rule(Alltoall(each.comm(), 100).explanation(),
              "less than 32 KiB and up to 256 ranks between hosts: by a plan of each rank");
  expect_rule(Exchange(each.comm(), to_all(1000)).explanation(), "up to 128 KiB between hosts: by mode local");
  const Redistribution blocks(each.comm(), {1000}, {{size()}, {7}}, {{size()}, {3}}, 8);
  expect_rule(blocks.explanation(), "up to 128 KiB between hosts: by mode local");
}

TEST(Explanation, NamesNoRuleIfTheUserChooses) {
  const Ranks each(1);
  ExchangeOptions chain;
  chain.mode = ExchangeMode::kChain;
  expect_no_rule(Exchange(each.comm(), to_all(1000), chain).explanation());
  RedistributionOptions local;
  local.mode = ExchangeMode::kLocal;
  expect_no_rule(Redistribution(each.comm(), {1000}, {{size()}, {7}}, {{size()}, {3}}, 8, local).explanation());
  ReductionOptions binomial;
  binomial.algorithm = "binomial";
  expect_no_rule(ElementReduction(each.comm(), {100, MPI_INT, MPI_SUM}, 0, binomial).explanation());
  CollectiveOptions ring;
  ring.algorithm = "ring";
  expect_no_rule(Allgather(each.comm(), 100, ring).explanation());
}

}  // namespace
}  // namespace sluice::mpi
