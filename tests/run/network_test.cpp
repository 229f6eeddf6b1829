#include "sluice/run/mpi/network.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/mpi/network/learn.hpp"
#include "run/mpi/network/network_cache.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/pretended_hosts.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi {
namespace {

using testing::Arrays;
using testing::Case;
using testing::difference;
using testing::make_arrays;
using testing::PretendedHosts;
using testing::rank;
using testing::size;

/// A communicator of all ranks whose context knows nothing yet.
class NewCommunicator {
 public:
  explicit NewCommunicator(bool forget = true) {
    if (forget) detail::forget_networks();
  }
  operator MPI_Comm() const { return comm_.get(); }

 private:
  testing::Comm comm_;
};

void expect_same_everywhere(const HostNetwork& network) {
  const std::string own = to_text(network) + to_json(to_platform(network));
  std::string first = own;
  first.resize(4096, ' ');
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  std::string padded = own;
  padded.resize(4096, ' ');
  EXPECT_EQ(padded, first);
}

TEST(Network, OneHostHasNothingToMeasure) {
  const NewCommunicator comm;
  const PretendedHosts hosts(size());
  const HostNetwork network = mpi::network(comm);
  EXPECT_EQ(network.hosts(), 1);
  EXPECT_EQ(to_text(network), "1 host");
  EXPECT_EQ(to_platform(network).ranks, size());
}

TEST(Network, IsMeasuredOnceAndTheSameOnAllRanks) {
  for (const int each : {1, 2}) {
    const NewCommunicator comm;
    const PretendedHosts hosts(each);
    const HostNetwork network = mpi::network(comm);
    EXPECT_EQ(network.hosts(), (size() + each - 1) / each);
    EXPECT_EQ(network.source, "measured");
    for (int r = 0; r < size(); ++r) EXPECT_EQ(network.host_of_rank[static_cast<std::size_t>(r)], r / each);
    EXPECT_NO_THROW(check_platform(to_platform(network), "network"));
    expect_same_everywhere(network);
    EXPECT_EQ(mpi::network(comm).measured_s, network.measured_s) << "measured again";
  }
}

TEST(Network, PartsOfACommunicatorInherit) {
  const NewCommunicator comm;
  const PretendedHosts hosts(1);
  const HostNetwork all = mpi::network(comm);
  // The other way round, odd ranks and even ones apart.
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(comm, rank() % 2, -rank(), &part);
  const HostNetwork own = mpi::network(part);
  int members = 0;
  MPI_Comm_size(part, &members);
  EXPECT_EQ(own.measured_s, all.measured_s);
  EXPECT_EQ(own.hosts(), members);
  for (int r = 0; r < members; ++r) EXPECT_EQ(own.host_of_rank[static_cast<std::size_t>(r)], r);
  EXPECT_NO_THROW(check_platform(to_platform(own), "network"));
  MPI_Comm_free(&part);
}

/// A file of this test's, the same name on all ranks; it ends with the object.
class SharedPath {
 public:
  SharedPath() {
    std::string name = std::filesystem::temp_directory_path() / ("sluice-network-" + std::to_string(::getpid()));
    name.resize(200, '\0');
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    path_ = name.c_str();
  }
  ~SharedPath() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) std::filesystem::remove(path_);
  }
  SharedPath(const SharedPath&) = delete;
  SharedPath& operator=(const SharedPath&) = delete;
  [[nodiscard]] const std::string& name() const { return path_; }
  [[nodiscard]] std::string content() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& text) const {
    if (rank() == 0) std::ofstream(path_) << text;
    MPI_Barrier(MPI_COMM_WORLD);
  }

 private:
  std::string path_;
};

/// A variable of the environment while it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(NetworkCache, ServesTheNextRunOnTheSameHosts) {
  const SharedPath path;
  const Variable variable("SLUICE_PLATFORM_CACHE", path.name());
  const PretendedHosts hosts(1);
  const HostNetwork first = mpi::network(NewCommunicator());
  EXPECT_EQ(first.source, "measured");
  const HostNetwork second = mpi::network(NewCommunicator());
  EXPECT_EQ(second.source, path.name());
  EXPECT_EQ(second.measured_s, 0);
  EXPECT_EQ(to_json(to_platform(second)), to_json(to_platform(first)));
  expect_same_everywhere(second);
}

TEST(NetworkCache, AFileOfOthersOrABrokenOneIsMeasuredAnewAndWritten) {
  const SharedPath path;
  const Variable variable("SLUICE_PLATFORM_CACHE", path.name());
  const PretendedHosts hosts(1);
  (void)mpi::network(NewCommunicator());
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string good = path.content();
  ASSERT_NE(good.find("sluice-network 2 "), std::string::npos) << good;
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<std::string> bad{"", "nothing", "sluice-network 1 0\n", good.substr(0, good.size() / 2), good + "1\n"};
  std::string other_key = good;
  other_key[good.find("sluice-network 2 ") + 17] ^= 1;
  bad.push_back(other_key);
  // Every number in turn is another one: refused, or a network that still is one.
  const std::size_t head = good.find('\n', good.find("sluice-network 2 "));
  const int every = size() <= 2 ? 1 : 5;  // where it takes long
  int line = 0;
  for (std::size_t at = head; at != std::string::npos && at + 1 < good.size(); at = good.find('\n', at + 1)) {
    if (line++ % every != 0) continue;
    bad.push_back(good.substr(0, at + 1) + "-77" + good.substr(good.find('\n', at + 1)));
  }
  for (const std::string& text : bad) {
    path.write(text);
    const HostNetwork network = mpi::network(NewCommunicator());
    EXPECT_EQ(network.hosts(), size()) << text;
    EXPECT_NO_THROW(check_platform(to_platform(network), "network")) << text;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  path.write(other_key);
  EXPECT_EQ(mpi::network(NewCommunicator()).source, "measured");
  EXPECT_EQ(mpi::network(NewCommunicator()).source, path.name()) << "not written again";
}

TEST(NetworkCache, AFileOfSomethingElseIsLeftAsItIs) {  // 32 of tests/docs/newcomer.md
  const SharedPath path;
  const Variable variable("SLUICE_PLATFORM_CACHE", path.name());
  const PretendedHosts hosts(1);
  const std::string text = to_json(to_platform(mpi::network(NewCommunicator())));
  path.write(text);
  EXPECT_EQ(mpi::network(NewCommunicator()).source, "measured");
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(path.content(), text);
}

TEST(NetworkCache, AFolderThatIsNotThereIsSaidAndNoReasonToFail) {
  const Variable variable("SLUICE_PLATFORM_CACHE", "/nowhere/at/all/network");
  const PretendedHosts hosts(1);
  EXPECT_EQ(mpi::network(NewCommunicator()).hosts(), size());
}

TEST(NetworkOfVariable, IsUsedWhereItFits) {
  const SharedPath path;
  const PretendedHosts hosts(1);
  const HostNetwork measured = mpi::network(NewCommunicator());
  for (const bool fits : {true, false}) {
    Platform platform = to_platform(measured);
    if (!fits) {
      platform.ranks += 1;
      platform.clusters.front().ranks.push_back(size());
      platform.clusters.front().gap = GapTable({{1, 1e-5}});
    }
    path.write(to_json(platform));
    const Variable variable("SLUICE_PLATFORM", path.name());
    const NewCommunicator comm;
    const auto context = detail::Context::of(comm);
    detail::Channel channel(context, context->take_number(), "a test");
    const auto found = detail::platform_of_variable(channel);
    EXPECT_EQ(found != nullptr, fits);
    if (found) {
      EXPECT_EQ(*found, platform);
    }
  }
  path.write("{");
  const Variable variable("SLUICE_PLATFORM", path.name());
  const NewCommunicator comm;
  const auto context = detail::Context::of(comm);
  detail::Channel channel(context, context->take_number(), "a test");
  EXPECT_EQ(detail::platform_of_variable(channel), nullptr);
}

TEST(NetworkOfVariable, AWordThatIsNeither0Nor1IsSaid) {  // 33
  const NewCommunicator comm;
  const auto context = detail::Context::of(comm);
  detail::Channel channel(context, context->take_number(), "a test");
  for (const std::string value : {"0", "1", "", "no"}) {
    const Variable variable("SLUICE_MEASURE", value);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(detail::may_measure(channel), value != "0") << value;
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(said, value == "no" && rank() == 0 ? "sluice: ignored: SLUICE_MEASURE: 'no', expected 1 or 0\n" : "");
  }
}

TEST(NetworkOfVariable, BroadcastsEndInClustersByMpiWhereThatIsFaster) {  // 31
  const SharedPath path;
  const PretendedHosts hosts(1);
  Platform platform = to_platform(mpi::network(NewCommunicator()));
  PlatformCluster cluster;
  cluster.latency_s = 1e-2;
  cluster.gap = GapTable({{1, 1e-2}, {1 << 20, 1}});
  cluster.broadcast = GapTable({{1, 1e-6}, {1 << 20, 1e-4}});
  // One cluster of all ranks, then two.
  for (const int clusters : {1, 2}) {
    platform.clusters.assign(static_cast<std::size_t>(clusters), cluster);
    platform.links.clear();
    for (int r = 0; r < size(); ++r) platform.clusters[static_cast<std::size_t>(r % clusters)].ranks.push_back(r);
    for (int c = 0; c < clusters; ++c) platform.clusters[static_cast<std::size_t>(c)].name = "c" + std::to_string(c);
    if (clusters == 2) platform.links.push_back({0, 1, 1e-5, GapTable({{1, 1e-5}, {1 << 20, 1e-2}})});
    if (size() < 2 * clusters) return;
    path.write(to_json(platform));
    const Variable variable("SLUICE_PLATFORM", path.name());
    const NewCommunicator comm;
    Broadcast broadcast(comm, size() - 1);
    for (int execution = 0; execution < 10; ++execution) {
      const auto value = static_cast<std::byte>(17 + execution);
      std::vector<std::byte> message(200'000, rank() == size() - 1 ? value : std::byte{0});
      broadcast.execute(message.data(), static_cast<std::int64_t>(message.size()));
      EXPECT_EQ(message, std::vector<std::byte>(message.size(), value)) << clusters << " clusters, " << execution;
    }
  }
}

TEST(BetweenHosts, JobsTakeTheirDefaultsThereAndMoveEveryByte) {
  const PretendedHosts hosts(1);
  const NewCommunicator comm;
  Case c{{900, 260}, {{size(), 1}, {7, 260}}, {{1, size()}, {900, 9}}, 8, {}};
  Redistribution redistribution(comm, c.shape, c.from, c.to, c.element_size, c.options);
  EXPECT_EQ(redistribution.mode(), size() > 1 ? ExchangeMode::kChain : ExchangeMode::kLocal);
  // Long enough for the network to matter.
  constexpr std::int64_t kBytes = 300'000;
  Exchange exchange(comm, {{(rank() + 1) % size(), kBytes}});
  Broadcast broadcast(comm, 0);
  for (int execution = 0; execution < 10; ++execution) {
    Arrays arrays = make_arrays(c, rank(), static_cast<std::uint64_t>(execution));
    redistribution.execute(arrays.source.data(), arrays.target.data());
    EXPECT_EQ(difference(arrays.target, arrays.expected), "") << "execution " << execution;

    const std::vector<std::byte> out(kBytes, static_cast<std::byte>(rank() + execution));
    std::vector<std::byte> in(kBytes);
    exchange.execute(out, in);
    const auto from = static_cast<std::byte>((rank() + size() - 1) % size() + execution);
    EXPECT_EQ(in, std::vector<std::byte>(kBytes, from)) << "execution " << execution;

    std::vector<std::byte> message(100'000, static_cast<std::byte>(rank() == 0 ? execution + 7 : 0));
    broadcast.execute(message.data(), 100'000);
    EXPECT_EQ(message, std::vector<std::byte>(100'000, static_cast<std::byte>(execution + 7)));
  }
  EXPECT_NE(redistribution.explanation(), "");
  EXPECT_NE(exchange.explanation(), "");
  EXPECT_NE(broadcast.explanation(100'000), "");
}

TEST(BetweenHosts, ARedistributionInWhichNothingIsSentDoesWithoutMpi) {
  const PretendedHosts hosts(1);
  const NewCommunicator comm;
  const Case c{{8L * size()}, {{size()}, {4}}, {{size()}, {4}}, 8, {}};
  Redistribution job(comm, c.shape, c.from, c.to, c.element_size, c.options);
  EXPECT_TRUE(job.settled()) << "no way to be tried";
  Arrays arrays = make_arrays(c, rank(), 1);
  job.execute(arrays.source.data(), arrays.target.data());
  EXPECT_EQ(difference(arrays.target, arrays.expected), "");
}

/// A network with one rank per host, in two halves whose link carries one connection.
HostNetwork two_halves() {
  HostNetwork network;
  network.groups.resize(2);
  for (int r = 0; r < size(); ++r) {
    network.host_of_rank.push_back(r);
    network.groups[2 * r < size() ? 0 : 1].hosts.push_back(r);
  }
  for (HostGroup& group : network.groups) group.bytes_per_s = 1e7;
  network.links.push_back({0, 1, 1e-4, 1e7, 1});
  return network;
}

TEST(BetweenHosts, MessagesThatShareALinkArePlannedForIt) {
  if (size() < 4) GTEST_SKIP() << "a half of one host shares no link";
  const PretendedHosts hosts(1);
  const NewCommunicator comm;
  detail::Context::of(comm)->network() = std::make_shared<const HostNetwork>(two_halves());
  constexpr std::int64_t kBytes = 200'000;
  std::vector<MessageSize> sends;
  for (int to = 0; to < size(); ++to)
    if (to != rank()) sends.push_back({to, kBytes + to});
  Exchange exchange(comm, sends);
  EXPECT_NE(exchange.explanation().find("by shared links"), std::string::npos) << exchange.explanation();
  for (int execution = 0; execution < 3; ++execution) {
    std::vector<std::byte> out;
    std::vector<std::byte> expected;
    for (const MessageSize& message : sends)
      out.insert(out.end(), static_cast<std::size_t>(message.bytes), static_cast<std::byte>(rank() + execution));
    for (int from = 0; from < size(); ++from)
      if (from != rank())
        expected.insert(expected.end(), static_cast<std::size_t>(kBytes + rank()),
                        static_cast<std::byte>(from + execution));
    std::vector<std::byte> in(expected.size());
    exchange.execute(out, in);
    EXPECT_EQ(in, expected) << "execution " << execution;
  }
  // Nothing else goes between the halves: k of their link is the k of all.
  const int other = (rank() + size() / 2) % size();
  Exchange across(comm, size() % 2 == 0 ? std::vector<MessageSize>{{other, 300'000}} : std::vector<MessageSize>{});
  EXPECT_EQ(across.explanation().find("by shared links"), std::string::npos) << across.explanation();
}

TEST(BetweenHosts, RedistributionsArePlannedForALinkToo) {
  if (size() < 4) GTEST_SKIP() << "a half of one host shares no link";
  const PretendedHosts hosts(1);
  const NewCommunicator comm;
  detail::Context::of(comm)->network() = std::make_shared<const HostNetwork>(two_halves());
  const Case c{{1L << 18}, {{size()}, {64}}, {{size()}, {100}}, 8, {}};
  for (int job = 0; job < 2; ++job) {  // the second one takes the plan that is kept
    Redistribution redistribution(comm, c.shape, c.from, c.to, c.element_size, c.options);
    EXPECT_NE(redistribution.explanation().find("by shared links"), std::string::npos) << redistribution.explanation();
    for (int execution = 0; execution < 3; ++execution) {
      Arrays arrays = make_arrays(c, rank(), static_cast<std::uint64_t>(execution));
      redistribution.execute(arrays.source.data(), arrays.target.data());
      EXPECT_EQ(difference(arrays.target, arrays.expected), "") << "execution " << execution;
    }
  }
  // Ranks that keep the plan while others do not make it again together.
  detail::PlanCache& plans = detail::Context::of(comm)->plans();
  const std::size_t capacity = plans.capacity();
  if (rank() == 0) plans.set_capacity(0);
  plans.set_capacity(capacity);
  Redistribution again(comm, c.shape, c.from, c.to, c.element_size, c.options);
  EXPECT_NE(again.explanation().find("by shared links"), std::string::npos) << again.explanation();
  Arrays arrays = make_arrays(c, rank(), 9);
  again.execute(arrays.source.data(), arrays.target.data());
  EXPECT_EQ(difference(arrays.target, arrays.expected), "");
  // An order that was asked for stays, and a short array is not worth a look.
  RedistributionOptions stepwise;
  stepwise.algorithm = "stepwise";
  const Redistribution named(comm, c.shape, c.from, c.to, c.element_size, stepwise);
  EXPECT_EQ(named.explanation().find("by shared links"), std::string::npos) << named.explanation();
  const Redistribution tiny(comm, {1000}, c.from, c.to, 8);
  EXPECT_EQ(tiny.explanation().find("by shared links"), std::string::npos) << tiny.explanation();
}

TEST(BetweenHosts, WhatQueuesHoldKeepsNoPorts) {
  const PretendedHosts hosts(1);
  const NewCommunicator comm;
  const auto mode_of = [&](std::int64_t bytes) { return Exchange(comm, {{(rank() + 1) % size(), bytes}}).mode(); };
  EXPECT_EQ(mode_of(1000), size() > 1 ? ExchangeMode::kLocal : ExchangeMode::kAtOnce);
  EXPECT_EQ(mode_of(200'000), size() > 1 ? ExchangeMode::kChain : ExchangeMode::kAtOnce);
  // Short for each sender, and not for their receiver.
  const Exchange to_one(comm, rank() == 0 ? std::vector<MessageSize>{} : std::vector<MessageSize>{{0, 100'000}});
  EXPECT_EQ(to_one.mode(), size() > 2   ? ExchangeMode::kChain
                           : size() > 1 ? ExchangeMode::kLocal
                                        : ExchangeMode::kAtOnce);
  const std::vector<MessageSize> next{{(rank() + 1) % size(), 1000}};
  const Exchange limited(comm, next, {.max_transfers = 1});
  EXPECT_EQ(limited.mode(), size() > 1 ? ExchangeMode::kChain : ExchangeMode::kAtOnce);
  const Redistribution redistribution(comm, {1000}, {{size()}, {7}}, {{size()}, {3}}, 8);
  EXPECT_EQ(redistribution.mode(), ExchangeMode::kLocal);
}

TEST(BetweenHosts, ReductionsGoByTheNetworkWhereTheOrderDoesNotMatter) {
  const PretendedHosts hosts(1);
  const NewCommunicator comm;
  constexpr int kCount = 40'000;
  const std::vector<int> mine(kCount, rank() + 1);
  std::vector<int> sum(kCount);
  ElementReduction integers(comm, {kCount, MPI_INT, MPI_SUM}, 0, {.try_native = false});
  ElementReduction tried(comm, {kCount, MPI_INT, MPI_SUM}, 0);
  for (int execution = 0; execution < 4; ++execution) {
    for (ElementReduction* const job : {&integers, &tried}) {
      std::ranges::fill(sum, -1);
      job->execute(mine.data(), sum.data());
      EXPECT_EQ(sum, std::vector<int>(kCount, rank() == 0 ? size() * (size() + 1) / 2 : -1)) << execution;
    }
  }
  EXPECT_EQ(integers.summary().predicted_s > 0, size() > 1) << integers.explanation();
  EXPECT_TRUE(tried.summary().native || tried.summary().predicted_s > 0 || size() == 1) << tried.explanation();
}

/// Where the order matters, or is asked for, nothing that was measured decides: nobody measures.
TEST(BetweenHosts, ReductionsGoByAUsualNetworkWhereTheOrderMatters) {
  const PretendedHosts hosts(1);
  const NewCommunicator comm;
  constexpr int kCount = 40'000;
  const std::vector<double> mine(kCount, 0.1 * (rank() + 1));
  std::vector<double> sum(kCount), again(kCount);
  for (std::vector<double>* const result : {&sum, &again}) {
    ElementReduction doubles(comm, {kCount, MPI_DOUBLE, MPI_SUM}, 0);
    doubles.execute(mine.data(), result->data());
    EXPECT_EQ(doubles.summary().predicted_s, 0);
    EXPECT_FALSE(doubles.summary().native);
  }
  EXPECT_EQ(sum, again);  // to the last bit
  if (rank() == 0) {
    EXPECT_NEAR(sum[kCount - 1], 0.05 * size() * (size() + 1), 1e-9);
  }
  const ElementReduction asked(comm, {kCount, MPI_INT, MPI_SUM}, 0, {.reproducible = true, .try_native = false});
  EXPECT_EQ(asked.summary().predicted_s, 0);
  EXPECT_EQ(detail::Context::of(comm)->network(), nullptr);
  // Parts are cut as over a network: what is short goes by a tree of whole elements.
  const ElementReduction one(comm, {10, MPI_DOUBLE, MPI_SUM}, 0);
  EXPECT_EQ(one.summary().method.find("part"), std::string::npos) << one.explanation();
}

void add_slowly(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const auto* const first = static_cast<const std::int64_t*>(in);
  auto* const second = static_cast<std::int64_t*>(inout);
  for (int i = 0; i < *count; ++i) second[i] += first[i];
  std::this_thread::sleep_for(*count * std::chrono::nanoseconds(100));
}

/// Nobody knows how long it takes: short elements are combined in shares, as it may take long.
TEST(BetweenHosts, OwnOperationsOnShortElementsAreSharedAmongTheRanks) {
  const PretendedHosts hosts(1);
  const NewCommunicator comm;
  MPI_Op add = MPI_OP_NULL;
  ASSERT_EQ(MPI_Op_create(add_slowly, 1, &add), MPI_SUCCESS);
  for (const int count : {4'096, 8'193, 16'384}) {
    for (int root = 0; root < std::min(size(), 3); ++root) {
      std::vector<std::int64_t> mine(count), sum(count, -1);
      for (int i = 0; i < count; ++i) mine[i] = i * (rank() + 1);
      ElementReduction job(comm, {count, MPI_INT64_T, add}, root);
      job.execute(mine.data(), sum.data());
      for (int i = 0; rank() == root && i < count; ++i)
        ASSERT_EQ(sum[i], std::int64_t{i} * size() * (size() + 1) / 2) << i << " of " << count;
      const bool shared = job.summary().method == "neighbours-first";
      EXPECT_EQ(shared, count < 16'384 && size() > 1) << job.explanation();
    }
  }
  MPI_Op_free(&add);
}

TEST(BetweenHosts, NothingIsMeasuredWhereTheVariableSaysSo) {
  const Variable variable("SLUICE_MEASURE", "0");
  const PretendedHosts hosts(1);
  const NewCommunicator comm;
  Broadcast broadcast(comm, 0);
  std::vector<std::byte> message(100'000, static_cast<std::byte>(rank() == 0 ? 3 : 0));
  broadcast.execute(message.data(), 100'000);
  EXPECT_EQ(message, std::vector<std::byte>(100'000, std::byte{3}));
  EXPECT_EQ(detail::Context::of(comm)->network(), nullptr);
}

}  // namespace
}  // namespace sluice::mpi
