#include "sluice/run/mpi/exchange.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>

#include "run/any_rank_failed.hpp"
#include "run/exchange_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/measure.hpp"
#include "sluice/run/mpi/transfer_record.hpp"

namespace {

/// Sends of data that this rank's MPI carries out before it fails one; -1: all of them.
int sends_before_failure = -1;

/// Whether a send is to fail: of data, not of what the library says beside it.
bool fails(int bytes) { return bytes >= 1000 && sends_before_failure >= 0 && sends_before_failure-- == 0; }

}  // namespace

// The profiling interface of MPI lets a program put itself between the library and MPI.

extern "C" int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  return fails(count) ? MPI_ERR_OTHER : PMPI_Isend(buffer, count, type, to, tag, comm, request);
}
extern "C" int MPI_Issend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                          MPI_Request* request) {
  return fails(count) ? MPI_ERR_OTHER : PMPI_Issend(buffer, count, type, to, tag, comm, request);
}

namespace sluice::mpi {
namespace {

using testing::any_rank_failed;
using testing::Draw;
using testing::on_one_node;
using testing::rank;
using testing::rank_in;
using testing::size;
using testing::size_of;
using testing::TrafficTable;

/// What kAuto chooses from.
constexpr std::array kWays{ExchangeMode::kChain, ExchangeMode::kLocal, ExchangeMode::kBarrier, ExchangeMode::kList,
                           ExchangeMode::kAtOnce};
constexpr std::array kModes{ExchangeMode::kAuto,    ExchangeMode::kChain, ExchangeMode::kLocal,
                            ExchangeMode::kBarrier, ExchangeMode::kList,  ExchangeMode::kAtOnce};

ExchangeOptions random_options(Draw& draw) {
  ExchangeOptions options;
  options.max_transfers = draw.between(0, 4);
  options.algorithm = draw.one_of<std::string>({"oggp", "ggp", "weights", "greedy"});
  options.setup_bytes = draw.one_of<double>({0, 50, 1000});
  options.chunk_bytes = draw.one_of<std::int64_t>({0, 1000, 4096});
  options.window = static_cast<int>(draw.one_of<std::int64_t>({0, 1, 3}));
  options.early_release_bytes = draw.one_of<std::int64_t>({0, 1000, 32768});
  return options;
}

/// Sometimes keeps this rank back for a moment, at random and not as on other ranks.
void dawdle() {
  thread_local std::minstd_rand random(static_cast<unsigned>(rank()) + 1);
  if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
}

/// Executes `rounds` times with other bytes each time.
void run(MPI_Comm comm, const std::vector<MessageSize>& sends, const ExchangeOptions& options,
         const TrafficTable& table, int rounds) {
  const int own = rank_in(comm);
  dawdle();
  Exchange job(comm, sends, options);
  std::vector<MessageSize> expected;
  for (std::size_t from = 0; from < table.size(); ++from) {
    const std::int64_t bytes = table[from][static_cast<std::size_t>(own)];
    if (bytes > 0) expected.push_back({static_cast<int>(from), bytes});
  }
  ASSERT_EQ(job.receives(), expected);
  ASSERT_EQ(job.sends(), sends);
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::byte> out(static_cast<std::size_t>(job.send_bytes()));
    std::vector<std::byte> in(static_cast<std::size_t>(job.receive_bytes()));
    testing::fill(sends, own, round, out);
    dawdle();
    job.execute(out, in);
    EXPECT_EQ(testing::wrong_byte(job.receives(), own, round, in), "") << "round " << round;
  }
}

/// A rank that only sends ends its executions long before the others take what it has sent.
TEST(Exchange, ASenderThroughMemoryIsNotTooFarAhead) {
  ExchangeOptions options;
  options.mode = ExchangeMode::kAtOnce;
  options.try_native = false;
  std::vector<MessageSize> sends;
  for (int to = 1; rank() == 0 && to < size(); ++to) sends.push_back({to, 100 * to});
  Exchange job(MPI_COMM_WORLD, sends, options);
  std::vector<std::byte> send(static_cast<std::size_t>(job.send_bytes()));
  std::vector<std::byte> receive(static_cast<std::size_t>(job.receive_bytes()));
  for (int execution = 0; execution < 20; ++execution) {
    testing::fill(job.sends(), rank(), execution, send);
    if (rank() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(rank() % 3));
    job.execute(send, receive);
    EXPECT_EQ(testing::wrong_byte(job.receives(), rank(), execution, receive), "") << execution;
  }
}

/// A rank that is slow reads where its messages will come when the job of another rank, which told it, is gone.
TEST(Exchange, JobsThatAreDestroyedAtOnce) {
  const int jobs = on_one_node() ? 3000 : 20;
  for (int number = 0; number < jobs; ++number) {
    const auto bytes = [&](int from, int to) { return 1 + (7 * from + 3 * to + number) % 50; };
    std::vector<MessageSize> sends, expected;
    for (int peer = 0; peer < size(); ++peer) {
      // Other ranks each time.
      if ((rank() + peer + number) % 3 != 0) sends.push_back({peer, bytes(rank(), peer)});
      if ((rank() + peer + number) % 3 != 0) expected.push_back({peer, bytes(peer, rank())});
    }
    if (number % 100 == rank()) dawdle();
    const Exchange job(MPI_COMM_WORLD, sends);
    ASSERT_EQ(job.receives(), expected) << number;
  }
}

/// Messages of one host go through memory: other bytes each time, ranks that are late, several jobs at once, and new
/// jobs in the memory of those that were just destroyed.
TEST(Exchange, MessagesThroughMemoryAgainAndAgain) {
  Draw draw(7);
  for (int jobs = 0; jobs < 6; ++jobs) {
    const bool some_too_long = jobs == 3;
    const std::int64_t longest = some_too_long ? 600'000 : 20'000;
    const int executions = some_too_long ? 4 : 12;
    struct One {
      std::vector<MessageSize> sends;
      std::unique_ptr<Exchange> job;
      std::vector<std::byte> send, receive;
    };
    std::vector<One> all(3);
    for (One& one : all) {
      const TrafficTable table = testing::random_traffic(draw, size(), longest);
      ExchangeOptions options;
      options.mode = ExchangeMode::kAtOnce;
      options.try_native = jobs % 2 == 1;
      for (int r = 0; r < size(); ++r) {
        std::vector<MessageSize> sends = testing::sends_of(table, r, draw);
        if (r == rank()) one.sends = std::move(sends);
      }
      one.job = std::make_unique<Exchange>(MPI_COMM_WORLD, one.sends, options);
      one.send.resize(static_cast<std::size_t>(one.job->send_bytes()));
      one.receive.resize(static_cast<std::size_t>(one.job->receive_bytes()));
    }
    for (int execution = 0; execution < executions; ++execution) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        One& one = all[i];
        testing::fill(one.job->sends(), rank(), execution, one.send);
        std::ranges::fill(one.receive, std::byte{0xEE});
        dawdle();
        one.job->start(one.send, one.receive);
      }
      for (std::size_t i = all.size(); i-- > 0;) {
        One& one = all[i];
        if (execution % 2 == 0) {
          one.job->wait();
        } else {
          while (!one.job->test()) dawdle();
        }
        // What was sent may change as soon as the execution has ended.
        std::ranges::fill(one.send, std::byte{0xDD});
        EXPECT_EQ(testing::wrong_byte(one.job->receives(), rank(), execution, one.receive), "") << execution;
      }
    }
  }
}

/// SLUICE_EXCHANGES=1000 in the environment sets the number of exchanges.
TEST(Exchange, RandomTraffic) {
  Draw draw(21);
  const char* const asked = std::getenv("SLUICE_EXCHANGES");
  const int cases = asked != nullptr ? std::atoi(asked) : size() < 5 ? 12 : 6;
  for (int i = 0; i < cases && !any_rank_failed(); ++i) {
    const TrafficTable table = testing::random_traffic(draw, size(), 20000);
    ExchangeOptions options = random_options(draw);
    std::vector<MessageSize> own;
    for (int r = 0; r < size(); ++r) {
      std::vector<MessageSize> sends = testing::sends_of(table, r, draw);
      if (r == rank()) own = std::move(sends);
    }
    for (const ExchangeMode mode : kModes) {
      options.mode = mode;
      SCOPED_TRACE("case " + std::to_string(i) + ", mode " + to_string(mode));
      run(MPI_COMM_WORLD, own, options, table, 2);
    }
  }
}

bool same_on_all_ranks(bool value) {
  std::array<int, 2> found{value ? 1 : 0, value ? 0 : 1};
  MPI_Allreduce(MPI_IN_PLACE, found.data(), 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return found[0] + found[1] == 1;
}

/// With the defaults: the plan and MPI's own collective take turns, until one of them serves.
TEST(Exchange, BothWays) {
  Draw draw(22);
  for (int i = 0; i < 6 && !any_rank_failed(); ++i) {
    const TrafficTable table = testing::random_traffic(draw, size(), 20000);
    std::vector<MessageSize> own;
    for (int r = 0; r < size(); ++r) {
      std::vector<MessageSize> sends = testing::sends_of(table, r, draw);
      if (r == rank()) own = std::move(sends);
    }
    SCOPED_TRACE("case " + std::to_string(i));
    run(MPI_COMM_WORLD, own, {}, table, 12);
  }
  Exchange job(MPI_COMM_WORLD, {{(rank() + 1) % size(), 100}});
  std::vector<std::byte> out(100);
  std::vector<std::byte> in(100);
  for (int round = 0; round < 12; ++round) {
    job.execute(out, in);
    EXPECT_TRUE(same_on_all_ranks(job.native()));
  }
}

/// Farther apart than MPI's collective can count.
TEST(Exchange, FarApart) {
  constexpr std::size_t kRoom = std::size_t{5} << 30;  // the test touches almost nothing of it
  void* const memory = mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::span<std::byte> room(static_cast<std::byte*>(memory), kRoom);
  std::vector<MessageSize> sends;
  std::vector<std::int64_t> from;
  std::vector<std::int64_t> to;
  for (int peer = 0; peer < size(); ++peer) {
    sends.push_back({peer, 1000});
    from.push_back(peer % 2 == 0 ? 1000 * peer : (std::int64_t{2} << 30) + 1000 * peer);
    to.push_back((std::int64_t{peer % 2 == 0 ? 4 : 3} << 30) + 1000 * peer);
  }
  Exchange job(MPI_COMM_WORLD, sends);
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const auto at = room.subspan(static_cast<std::size_t>(from[i]), 1000);
      std::ranges::fill(at, static_cast<std::byte>(17 * rank() + 5 * static_cast<int>(i) + round));
    }
    job.execute(room, from, room, to);
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const auto is = room.subspan(static_cast<std::size_t>(to[i]), 1000);
      const auto expected = static_cast<std::byte>(17 * static_cast<int>(i) + 5 * rank() + round);
      EXPECT_EQ(std::ranges::count(is, expected), 1000) << "round " << round << " from rank " << i;
    }
  }
  munmap(memory, kRoom);
}

/// Every rank has about `bytes` bytes for every rank.
std::vector<MessageSize> to_everybody(std::int64_t bytes) {
  std::vector<MessageSize> sends;
  for (int to = 0; to < size(); ++to) sends.push_back({to, bytes + 10 * to + rank()});
  return sends;
}

struct Span {
  double start = 0;
  double end = 0;
};

/// The most of these that overlap; one that ends as another starts does not.
std::int64_t most_at_once(const std::vector<Span>& spans) {
  std::vector<std::pair<double, int>> events;
  for (const Span& span : spans) {
    events.emplace_back(span.start, 1);
    events.emplace_back(span.end, -1);
  }
  std::ranges::sort(events);
  std::int64_t most = 0;
  std::int64_t now = 0;
  for (const auto& [time, change] : events) most = std::max(most, now += change);
  return most;
}

TEST(Exchange, OverlapsAreCounted) {
  EXPECT_EQ(most_at_once({}), 0);
  EXPECT_EQ(most_at_once({{1, 2}, {2, 3}}), 1);
  EXPECT_EQ(most_at_once({{1, 2.5}, {2, 3}, {2.2, 2.4}}), 3);
}

/// All transfers recorded, on rank 0: from the start at the sender to the release at the receiver, or to
/// the end there.
struct Recorded {
  int from = 0;
  int to = 0;
  Span span;
};

std::vector<Recorded> all_transfers(const TransferRecord& record, bool released) {
  std::vector<double> own;
  for (const TransferTimes& t : record.sent()) own.insert(own.end(), {0, double(t.peer), double(t.bytes), t.start_s});
  for (const TransferTimes& t : record.received()) {
    own.insert(own.end(), {1, double(t.peer), double(t.bytes), released ? t.release_s : t.end_s});
  }
  const int count = static_cast<int>(own.size());
  std::vector<int> counts(static_cast<std::size_t>(size()));
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  std::vector<double> all(static_cast<std::size_t>(rank() == 0 ? offsets.back() + counts.back() : 0));
  MPI_Gatherv(own.data(), count, MPI_DOUBLE, all.data(), counts.data(), offsets.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank() != 0) return {};
  // Transfers of one pair are in one order at both ends.
  std::map<std::pair<int, int>, std::array<std::vector<std::pair<double, double>>, 2>> pairs;  // (bytes, time)
  for (std::size_t r = 0; r < counts.size(); ++r) {
    for (int i = 0; i < counts[r]; i += 4) {
      const double* entry = &all[static_cast<std::size_t>(offsets[r] + i)];
      const int peer = static_cast<int>(entry[1]);
      const int self = static_cast<int>(r);
      const bool in = entry[0] > 0;
      pairs[in ? std::pair(peer, self) : std::pair(self, peer)][in ? 1 : 0].emplace_back(entry[2], entry[3]);
    }
  }
  std::vector<Recorded> result;
  for (const auto& [pair, ends] : pairs) {
    EXPECT_EQ(ends[0].size(), ends[1].size());
    for (std::size_t i = 0; i < std::min(ends[0].size(), ends[1].size()); ++i) {
      EXPECT_EQ(ends[0][i].first, ends[1][i].first);
      EXPECT_LT(ends[0][i].second, ends[1][i].second);
      result.push_back({pair.first, pair.second, {ends[0][i].second, ends[1][i].second}});
    }
  }
  return result;
}

/// Never more than k transfers that have started and are not released, and one per receiver. With barriers, never more
/// than k that have started and not ended.
TEST(Exchange, Concurrency) {
  for (const ExchangeMode mode : {ExchangeMode::kChain, ExchangeMode::kList, ExchangeMode::kBarrier}) {
    for (const std::int64_t k : {1, 3}) {
      SCOPED_TRACE(to_string(mode) + ", k = " + std::to_string(k));
      ExchangeOptions options;
      options.mode = mode;
      options.max_transfers = k;
      options.algorithm = "oggp";
      options.setup_bytes = 100;
      options.chunk_bytes = 4096;
      options.early_release_bytes = 4096;
      Exchange job(MPI_COMM_WORLD, to_everybody(20000), options);
      std::vector<std::byte> out(static_cast<std::size_t>(job.send_bytes()));
      std::vector<std::byte> in(static_cast<std::size_t>(job.receive_bytes()));
      TransferRecord record(MPI_COMM_WORLD);
      for (int again = 0; again < 2; ++again) {
        record.clear();
        job.execute(out, in);
        const std::vector<Recorded> transfers = all_transfers(record, mode != ExchangeMode::kBarrier);
        if (rank() != 0) continue;
        EXPECT_GE(static_cast<int>(transfers.size()), size() * (size() - 1));
        std::vector<Span> spans;
        std::map<int, std::vector<Span>> of_receiver;
        std::map<int, std::vector<Span>> of_sender;
        for (const Recorded& t : transfers) {
          spans.push_back(t.span);
          of_receiver[t.to].push_back(t.span);
          of_sender[t.from].push_back(t.span);
        }
        EXPECT_LE(most_at_once(spans), k);
        for (const auto& [receiver, own] : of_receiver) EXPECT_LE(most_at_once(own), 1) << "receiver " << receiver;
        if (mode == ExchangeMode::kChain) continue;  // a sender's last pieces may be on their way
        for (const auto& [sender, own] : of_sender) EXPECT_LE(most_at_once(own), 1) << "sender " << sender;
      }
    }
  }
}

TEST(Exchange, ModesByName) {
  for (const ExchangeMode mode : kModes) EXPECT_EQ(parse_exchange_mode(to_string(mode)), mode);
  EXPECT_THROW((void)parse_exchange_mode("chains"), InputError);
}

TEST(Exchange, ModeByItself) {
  ExchangeOptions options;
  options.algorithm = "weights";
  // On one node; over several, see lab/check.sh.
  const ExchangeMode without_k = on_one_node() ? ExchangeMode::kAtOnce : ExchangeMode::kLocal;
  EXPECT_EQ(Exchange(MPI_COMM_WORLD, to_everybody(100), options).mode(), without_k);
  options.max_transfers = 1;
  const Exchange one(MPI_COMM_WORLD, to_everybody(100), options);
  EXPECT_EQ(one.mode(), size() > 1 ? ExchangeMode::kChain : without_k);
  EXPECT_EQ(one.max_transfers(), 1);
  options.max_transfers = 100;
  const Exchange all(MPI_COMM_WORLD, to_everybody(100), options);
  EXPECT_EQ(all.mode(), without_k);
  EXPECT_EQ(all.max_transfers(), std::max(size(), 1));
}

TEST(Exchange, ThePlanDoesNotDependOnTheClock) {
  if (size() < 4) return;  // k = 2 limits nothing
  Draw draw(41);
  Traffic traffic{size(), size(), {}};
  std::vector<MessageSize> sends;
  for (int from = 0; from < size(); ++from) {
    for (int to = 0; to < size(); ++to) {
      if (from == to) continue;
      traffic.messages.push_back({from, to, draw.between(1, 1'000'000)});
      if (from == rank()) sends.push_back({to, traffic.messages.back().size});
    }
  }
  ExchangeOptions options;
  options.max_transfers = 2;
  const Exchange job(MPI_COMM_WORLD, sends, options);
  EXPECT_EQ(job.mode(), ExchangeMode::kChain);
  if (rank() != 0) {
    EXPECT_EQ(job.planning_bytes(), 0);
    return;
  }
  sluice::ExchangeOptions how;
  how.effort = options.effort;  // without a time limit
  const StepSchedule planned = plan_exchange({traffic, 2, options.setup_bytes}, how).schedule;
  EXPECT_EQ(job.steps(), static_cast<std::int64_t>(planned.steps.size()));
  // All that is held is a few numbers for each message and each transfer.
  std::size_t items = traffic.messages.size();
  for (const Step& step : planned.steps) items += step.transfers.size();
  const auto bytes = static_cast<std::size_t>(job.planning_bytes());
  EXPECT_GE(bytes, items * 4 * sizeof(std::int64_t));
  EXPECT_LE(bytes, items * 24 * sizeof(std::int64_t));
}

/// {} is an address to the compiler, not a span.
TEST(Exchange, ARankWithoutMessagesGivesNothing) {
  const int own = rank(), last = size() - 1;
  std::vector<MessageSize> sends;
  if (own == 0 && last > 0) sends.push_back({last, 5});
  Exchange job(MPI_COMM_WORLD, sends);
  std::vector<std::byte> out(5, std::byte{7}), in(5);
  for (int round = 0; round < 3; ++round) {
    if (own == 0 && last > 0)
      job.execute(out, {});
    else if (own == last && last > 0)
      job.execute({}, in);
    else
      job.execute({}, {});
    EXPECT_TRUE(own != last || last == 0 || in == out);
  }
  if (last == 0) return;
  EXPECT_THROW(job.execute({}, {}), InputError);  // on all ranks, as it is bad on two
}

TEST(Exchange, AtOffsets) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks";
  // To the next rank only, in the middle of larger buffers.
  const int next = (rank() + 1) % size();
  const int before = (rank() + size() - 1) % size();
  Exchange job(MPI_COMM_WORLD, {{next, 5}});
  std::vector<std::byte> out(20);
  std::vector<std::byte> in(20, std::byte{99});
  for (std::size_t b = 0; b < 5; ++b) out[7 + b] = static_cast<std::byte>(10 * rank() + static_cast<int>(b));
  const std::array<std::int64_t, 1> from{7};
  const std::array<std::int64_t, 1> to{15};
  job.execute(out, from, in, to);
  for (std::size_t b = 0; b < 15; ++b) EXPECT_EQ(in[b], std::byte{99});
  for (std::size_t b = 0; b < 5; ++b) EXPECT_EQ(in[15 + b], static_cast<std::byte>(10 * before + static_cast<int>(b)));
  const std::array<std::int64_t, 1> beyond{16};
  EXPECT_THROW(job.execute(out, from, in, beyond), InputError);
}

/// Jobs of one communicator and of parts of it, alive at once and executed by turns, while the caller waits for a
/// message of his own.
TEST(Exchange, SeveralAtOnce) {
  Draw draw(5);
  MPI_Comm parts[2];
  MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, rank(), &parts[0]);
  MPI_Comm_split(MPI_COMM_WORLD, rank() < size() / 2 ? 0 : 1, -rank(), &parts[1]);
  char mail = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&mail, 1, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  struct Alive {
    MPI_Comm comm;
    Exchange job;
  };
  std::vector<Alive> jobs;
  for (const ExchangeMode mode : kModes) {
    for (MPI_Comm comm : {MPI_COMM_WORLD, parts[0], parts[1]}) {
      ExchangeOptions options;
      options.mode = mode;
      options.max_transfers = 1 + static_cast<std::int64_t>(jobs.size() % 3);
      options.algorithm = "weights";
      options.chunk_bytes = 500;
      std::vector<MessageSize> sends;
      for (int to = 0; to < size_of(comm); ++to) {
        sends.push_back({to, draw.between(0, 3) == 0 ? 0 : 700 + 11 * rank_in(comm) + to});
      }
      jobs.push_back({comm, Exchange(comm, sends, options)});
    }
  }
  for (int round = 0; round < 3; ++round) {
    for (Alive& each : jobs) {
      std::vector<std::byte> out(static_cast<std::size_t>(each.job.send_bytes()));
      std::vector<std::byte> in(static_cast<std::size_t>(each.job.receive_bytes()));
      testing::fill(each.job.sends(), rank_in(each.comm), round, out);
      dawdle();
      each.job.execute(out, in);
      EXPECT_EQ(testing::wrong_byte(each.job.receives(), rank_in(each.comm), round, in), "");
    }
  }
  const char own = static_cast<char>(rank() + 1);
  MPI_Send(&own, 1, MPI_CHAR, (rank() + 1) % size(), 7, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(mail, static_cast<char>((rank() + size() - 1) % size() + 1));
  jobs.clear();
  for (MPI_Comm& comm : parts) MPI_Comm_free(&comm);
}

/// On any rank at any time, the last moment before the end included; nothing of it is left to later jobs.
TEST(Exchange, KChangesBetweenExecutions) {
  for (int again = 0; again < 5; ++again) {
    ExchangeOptions options;
    options.mode = ExchangeMode::kList;
    options.max_transfers = 1;
    const std::vector<MessageSize> sends = to_everybody(20);
    Exchange job(MPI_COMM_WORLD, sends, options);
    std::vector<std::byte> out(static_cast<std::size_t>(job.send_bytes()));
    std::vector<std::byte> in(static_cast<std::size_t>(job.receive_bytes()));
    testing::fill(sends, rank(), 0, out);
    for (const int speaker : {size() - 1, 0}) {
      const std::int64_t k = 2 + speaker;
      if (rank() == speaker) job.set_max_transfers(k);
      dawdle();
      job.execute(out, in);
      if (rank() == 0) {
        EXPECT_EQ(job.max_transfers(), k);
      }
      EXPECT_EQ(testing::wrong_byte(job.receives(), rank(), 0, in), "");
    }
    for (int i = 0; i < 3; ++i) job.set_max_transfers(7);
  }
}

TEST(Exchange, MeasuredK) {
  const TransferRamp ramp = measure_max_transfers(MPI_COMM_WORLD, to_everybody(10), 0.02);
  EXPECT_GE(ramp.max_transfers, 1);
  EXPECT_LE(ramp.max_transfers, std::max(1, size() / 2));
  ASSERT_EQ(ramp.levels.empty(), size() == 1);
  for (std::size_t i = 0; i < ramp.levels.size(); ++i) {
    EXPECT_EQ(ramp.levels[i].transfers, std::min<std::int64_t>(std::int64_t{1} << i, size() / 2));
    EXPECT_GE(ramp.levels[i].bytes_per_s, 0);
  }
  // Nobody sends anything, or a rank asks for nonsense.
  EXPECT_TRUE(measure_max_transfers(MPI_COMM_WORLD, {}, 0.02).levels.empty());
  EXPECT_THROW((void)measure_max_transfers(MPI_COMM_WORLD, {}, rank() == 0 ? 0 : 0.02), InputError);
}

TEST(Exchange, DenseRows) {
  const std::vector<std::int64_t> row{0, 7, 0, 9};
  EXPECT_EQ(message_sizes(row), (std::vector<MessageSize>{{1, 7}, {3, 9}}));
}

// ---- Bad arguments: InputError on every rank, and none left waiting.

std::string error_of(const std::vector<MessageSize>& sends, const ExchangeOptions& options) {
  try {
    const Exchange job(MPI_COMM_WORLD, sends, options);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

struct Case {
  std::vector<MessageSize> sends;
  ExchangeOptions options;
};

TEST(Exchange, BadArguments) {
  const std::vector<std::pair<std::string, std::function<void(Case&)>>> spoil{
      {"sends",
       [](Case& c) {
         c.sends.push_back({size(), 1});
       }},
      {"sends",
       [](Case& c) {
         c.sends.push_back({-1, 1});
       }},
      {"sends", [](Case& c) { c.sends[0].bytes = -1; }},
      {"sends", [](Case& c) { c.sends.push_back(c.sends.front()); }},
      {"sends", [](Case& c) { c.sends[0].bytes = size() > 1 ? std::numeric_limits<std::int64_t>::max() : -5; }},
      {"max_transfers", [](Case& c) { c.options.max_transfers = -1; }},
      {"mode", [](Case& c) { c.options.mode = static_cast<ExchangeMode>(17); }},
      {"setup_bytes", [](Case& c) { c.options.setup_bytes = -1; }},
      {"setup_bytes", [](Case& c) { c.options.setup_bytes = std::nan(""); }},
      {"chunk_bytes", [](Case& c) { c.options.chunk_bytes = std::int64_t{1} << 31; }},
      {"effort", [](Case& c) { c.options.effort = 0; }},
      {"time_limit_s", [](Case& c) { c.options.time_limit_s = -1; }},
      {"window", [](Case& c) { c.options.window = 1025; }},
      {"early_release_bytes", [](Case& c) { c.options.early_release_bytes = -1; }},
      {"tune", [](Case& c) { c.options.tune = true; }},
      {"receives",
       [](Case& c) {
         c.options.receives = std::vector<MessageSize>{{0, 3}};
       }},
  };
  const auto good = [] {
    Case c{to_everybody(50), {}};
    c.options.algorithm = "weights";
    return c;
  };
  ASSERT_EQ(error_of(good().sends, good().options), "");
  for (const bool everywhere : {true, false}) {
    for (std::size_t i = 0; i < spoil.size(); ++i) {
      const int culprit = static_cast<int>(i) % size();
      Case mine = good();
      if (everywhere || rank() == culprit) spoil[i].second(mine);
      const std::string error = error_of(mine.sends, mine.options);
      EXPECT_NE(error.find(spoil[i].first), std::string::npos) << "number " << i << ": " << error;
      if (!everywhere && rank() != culprit) {
        EXPECT_NE(error.find("on rank " + std::to_string(culprit)), std::string::npos) << error;
      }
    }
  }
  if (size() > 1) {
    Case mine = good();
    mine.options.algorithm = "fastest";
    EXPECT_NE(error_of(mine.sends, mine.options).find("algorithm"), std::string::npos);
  }
  EXPECT_EQ(error_of(good().sends, good().options), "");
}

TEST(Exchange, GoodButDifferent) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const std::vector<std::function<void(ExchangeOptions&)>> changes{
      [](auto& o) { o.max_transfers = 2; },      [](auto& o) { o.mode = ExchangeMode::kList; },
      [](auto& o) { o.algorithm = "degrees"; },  [](auto& o) { o.setup_bytes += 1; },
      [](auto& o) { o.chunk_bytes = 77; },       [](auto& o) { o.window = 3; },
      [](auto& o) { o.early_release_bytes = 1; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    ExchangeOptions mine;
    if (rank() == size() - 1) changes[i](mine);
    EXPECT_NE(error_of(to_everybody(10), mine).find("different"), std::string::npos) << "change " << i;
  }
}

TEST(Exchange, ExpectedReceives) {
  ExchangeOptions options;
  options.algorithm = "weights";
  std::vector<MessageSize> expected;
  for (int from = size() - 1; from >= 0; --from) expected.push_back({from, 50 + 10 * rank() + from});
  options.receives = expected;
  EXPECT_EQ(error_of(to_everybody(50), options), "");
  for (const int change : {0, 1, 2}) {
    options.receives = expected;
    if (rank() == 0) {
      if (change == 0) options.receives->pop_back();
      if (change == 1) options.receives->front().bytes += 1;
      if (change == 2) options.receives->clear();
    }
    EXPECT_NE(error_of(to_everybody(50), options).find("receives"), std::string::npos) << change;
  }
}

// ---- Faults in an execution.

TEST(Exchange, SmallBuffers) {
  for (const ExchangeMode mode : kWays) {
    for (const bool of_send : {false, true}) {
      SCOPED_TRACE(to_string(mode));
      ExchangeOptions options;
      options.mode = mode;
      options.algorithm = "weights";
      options.max_transfers = 2;
      options.chunk_bytes = 1000;
      const std::vector<MessageSize> sends = to_everybody(3000);
      Exchange job(MPI_COMM_WORLD, sends, options);
      const int culprit = size() - 1;
      std::vector<std::byte> out(static_cast<std::size_t>(job.send_bytes()));
      std::vector<std::byte> in(static_cast<std::size_t>(job.receive_bytes()));
      testing::fill(sends, rank(), 0, out);
      job.execute(out, in);
      EXPECT_EQ(testing::wrong_byte(job.receives(), rank(), 0, in), "");
      const auto error_with = [&](std::span<const std::byte> send, std::span<std::byte> receive) -> std::string {
        try {
          job.execute(send, receive);
        } catch (const InputError& e) {
          return e.what();
        }
        return "no error";
      };
      const std::size_t missing = rank() == culprit ? 1 : 0;
      const std::string error = of_send ? error_with(std::span(out).first(out.size() - missing), in)
                                        : error_with(out, std::span(in).first(in.size() - missing));
      const std::string where = of_send ? "send: " : "receive: ";
      const std::string on_others = where + "on rank " + std::to_string(culprit) + ": ";
      EXPECT_EQ(error.find(rank() == culprit ? where : on_others), 0U) << error;
      // The job is of no further use.
      EXPECT_EQ(error_with(out, in).find("exchange: "), 0U);
    }
  }
}

/// A rank that has nothing to do with the message hears of it too.
TEST(Exchange, ASmallBufferOfOthers) {
  if (size() < 3) GTEST_SKIP() << "needs 3 ranks";
  for (const ExchangeMode mode : kWays) {
    SCOPED_TRACE(to_string(mode));
    ExchangeOptions options;
    options.mode = mode;
    options.algorithm = "weights";
    Exchange job(MPI_COMM_WORLD, rank() == 0 ? std::vector<MessageSize>{{1, 100}} : std::vector<MessageSize>{},
                 options);
    std::vector<std::byte> out(rank() == 0 ? 100 : 0);
    std::vector<std::byte> in(rank() == 1 ? 99 : 0);
    bool thrown = false;
    try {
      job.execute(out, in);
    } catch (const InputError&) {
      thrown = true;
    }
    EXPECT_TRUE(thrown || rank() != 1);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_THROW(job.execute(out, in), InputError);
  }
}

TEST(Exchange, ARankThatThrowsBeforeExecute) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks";
  for (const ExchangeMode mode : kWays) {
    SCOPED_TRACE(to_string(mode));
    ExchangeOptions options;
    options.mode = mode;
    options.algorithm = "weights";
    options.max_transfers = 2;
    try {
      Exchange job(MPI_COMM_WORLD, to_everybody(200000), options);
      std::vector<std::byte> out(static_cast<std::size_t>(job.send_bytes()));
      std::vector<std::byte> in(static_cast<std::size_t>(job.receive_bytes()));
      if (rank() == 1) throw std::runtime_error("out of luck");
      job.execute(out, in);
      ADD_FAILURE() << "done without rank 1";
    } catch (const JobError& e) {
      EXPECT_NE(rank(), 1);
      EXPECT_STREQ(e.what(), "exchange given up by rank 1: destroyed by an exception");
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "out of luck");
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST(Exchange, ACallThatFails) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks";
  for (const ExchangeMode mode : kWays) {
    if (mode == ExchangeMode::kAtOnce && on_one_node()) continue;  // sends nothing by MPI there
    for (const int after : {0, 3}) {
      SCOPED_TRACE(to_string(mode));
      ExchangeOptions options;
      options.mode = mode;
      options.algorithm = "weights";
      options.max_transfers = 2;
      options.chunk_bytes = 40000;
      Exchange job(MPI_COMM_WORLD, to_everybody(200000), options);
      std::vector<std::byte> out(static_cast<std::size_t>(job.send_bytes()));
      std::vector<std::byte> in(static_cast<std::size_t>(job.receive_bytes()));
      const int culprit = size() - 1;
      sends_before_failure = rank() == culprit ? after : -1;
      try {
        job.execute(out, in);
        ADD_FAILURE() << "done although a call failed";
      } catch (const MpiError& e) {
        EXPECT_EQ(rank(), culprit);
        EXPECT_EQ(e.call(), mode == ExchangeMode::kLocal || mode == ExchangeMode::kAtOnce ? "MPI_Isend" : "MPI_Issend");
      } catch (const JobError& e) {
        EXPECT_NE(rank(), culprit);
        EXPECT_EQ(e.rank(), culprit) << e.what();
      }
      sends_before_failure = -1;
      EXPECT_THROW(job.execute(out, in), InputError) << "a job that failed";
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

}  // namespace
}  // namespace sluice::mpi
