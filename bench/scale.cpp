// What every rank holds and does in a job of many ranks: each job is constructed once and executed once, and what
// arrives is verified. bench/scale.sh starts it on simulated machines, a thousand and more; it runs under any MPI.
//
//     scale [JOB...]      all jobs but list and dynamic unless named
//
// A line for each job, of its construction and of its execution:
//
//   time       seconds from a common start to the end on the slowest rank. In a simulation these are simulated seconds,
//              and computing takes no time.
//   cpu        processor time, the sum of all ranks divided by their number. If ranks are simulated it is the time of
//   the
//              whole process; the simulation of messages takes by far the most.
//   heap       bytes allocated by operator new and not freed, of a rank: mean and largest of all ranks, and of rank 0.
//              It is all that the library allocates, and nothing of MPI. `kept` after the phase, `peak` within it, both
//              beyond what was there before it. The heap of an execution leaves out what is kept before its start.
//   process    growth of the heap of the whole process over the phase, a rank, MPI's part included. For simulated ranks
//              only, as they share the process (mallinfo2).
//
// Jobs:
//
//   context             the first job of a communicator, an exchange without messages; always run.
//   nothing             a barrier of MPI, which ends every phase: what cpu and process contain in any case.
//   redistribution      256 doubles per rank, from blocks of a P x Q grid to blocks of another grid.
//   sparse              an exchange at once: each rank with its 26 neighbours in a periodic grid of three dimensions,
//                       4 KiB over faces, 512 bytes over edges, 64 over corners.
//   planned             the traffic of sparse in mode chain, planned by rank 0.
//   list                the traffic of sparse in mode list.
//   dynamic             a DynamicExchange, 512 bytes to the next rank.
//   elements            1024 doubles, added up by messages of the library's.
//   short-elements      8 doubles with the default options, which are MPI_Reduce's.
//   objects             64 bytes each, combined in the order of the ranks.
//   broadcast           64 KiB by MPI_Bcast.
//   platform-broadcast  64 KiB, planned by rank 0 over a platform of clusters of 32 ranks; a second time with the plan.
//
// In list and dynamic every message takes three short ones through rank 0, so their time grows with all messages.
// Meanwhile the other ranks look for their messages without end: simulating that takes the square of the ranks.

#include <fmt/format.h>
#include <malloc.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "run/mpi/runtime/simulation.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/dynamic_exchange.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace {

/// The heap of this rank. Simulated ranks have a copy of the program's variables each.
std::int64_t heap_bytes = 0;
std::int64_t heap_peak = 0;

void count(void* at) {
  heap_bytes += static_cast<std::int64_t>(malloc_usable_size(at));
  heap_peak = std::max(heap_peak, heap_bytes);
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const at = std::malloc(bytes == 0 ? 1 : bytes);
  if (at == nullptr) throw std::bad_alloc();
  count(at);
  return at;
}
[[gnu::noinline]] void* operator new[](std::size_t bytes) { return operator new(bytes); }
[[gnu::noinline]] void operator delete(void* at) noexcept {
  if (at == nullptr) return;
  heap_bytes -= static_cast<std::int64_t>(malloc_usable_size(at));
  std::free(at);
}
[[gnu::noinline]] void operator delete[](void* at) noexcept { operator delete(at); }
[[gnu::noinline]] void operator delete(void* at, std::size_t /*bytes*/) noexcept { operator delete(at); }
[[gnu::noinline]] void operator delete[](void* at, std::size_t /*bytes*/) noexcept { operator delete(at); }

namespace {

using namespace sluice;
using mpi::detail::kSimulated;

int rank = 0;
int ranks = 0;

double processor_seconds() {
  timespec time{};
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double process_bytes() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

void start_together() {
  double now = MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &now, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (!kSimulated) return;
  constexpr double kLongEnough_s = 0.1;
  mpi::detail::sleep_simulated(now + kLongEnough_s - MPI_Wtime());
}

struct Spread {
  double mean = 0;
  double largest = 0;
  double of_rank_0 = 0;
};

Spread spread_of(double own) {
  Spread spread{0, 0, own};
  MPI_Allreduce(&own, &spread.mean, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&own, &spread.largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  spread.mean /= ranks;
  return spread;
}

/// Known on rank 0 only, except `seconds`.
struct Phase {
  Spread seconds;
  Spread kept;
  Spread peak;
  double cpu = 0;
  double process = 0;
};

Phase measured(const std::function<void()>& part) {
  start_together();
  const double cpu = processor_seconds();
  const double process = process_bytes();
  const std::int64_t before = heap_bytes;
  heap_peak = heap_bytes;
  const double start = MPI_Wtime();
  part();
  const double end = MPI_Wtime();
  const auto kept = static_cast<double>(heap_bytes - before);
  const auto peak = static_cast<double>(heap_peak - before);
  MPI_Barrier(MPI_COMM_WORLD);
  const double cpu_end = processor_seconds();
  const double process_end = process_bytes();
  Phase phase{spread_of(end - start), spread_of(kept), spread_of(peak), cpu_end - cpu, 0};
  phase.cpu = kSimulated ? phase.cpu / ranks : spread_of(phase.cpu).mean;
  if (kSimulated) phase.process = (process_end - process) / ranks;
  return phase;
}

void print_heading() {
  if (rank != 0) return;
  std::printf("%d ranks%s\n", ranks, kSimulated ? ", simulated" : "");
  std::printf("%-20s %-10s %12s %12s %26s %26s %10s\n", "job", "phase", "time, ms", "cpu, ms",
              "heap kept: mean, max, 0", "heap peak: mean, max, 0", "process");
}

void print(const char* job, const char* name, const Phase& phase) {
  if (rank != 0) return;
  const auto text = [](const Spread& s) { return fmt::format("{:.0f} {:.0f} {:.0f}", s.mean, s.largest, s.of_rank_0); };
  std::printf("%-20s %-10s %12.3f %12.3f %26s %26s %10.0f\n", job, name, 1e3 * phase.seconds.largest, 1e3 * phase.cpu,
              text(phase.kept).c_str(), text(phase.peak).c_str(), phase.process);
  std::fflush(stdout);
}

void demand(bool right, const char* job) {
  int wrong = right ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (wrong != 0) throw std::runtime_error(fmt::format("{}: wrong data", job));
}

/// A value that depends on all three.
std::byte byte_of(int from, int to, std::int64_t offset) {
  std::uint64_t z = static_cast<std::uint64_t>(from) * 0x9e3779b97f4a7c15ULL +
                    static_cast<std::uint64_t>(to) * 0xbf58476d1ce4e5b9ULL + static_cast<std::uint64_t>(offset);
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<std::byte>(z >> 56);
}

// ---- Traffic: neighbours in a grid

/// Three factors of the number of ranks, as near to each other as they are found from the cube root down.
std::array<int, 3> grid_of_three() {
  const auto divisor_below = [](int number, double most) {
    int best = 1;
    for (int d = 1; d <= static_cast<int>(most + 1e-6); ++d) best = number % d == 0 ? d : best;
    return best;
  };
  const int x = divisor_below(ranks, std::cbrt(static_cast<double>(ranks)));
  const int y = divisor_below(ranks / x, std::sqrt(static_cast<double>(ranks / x)));
  return {x, y, ranks / x / y};
}

/// Messages to the neighbours in that grid, around its edges too.
std::vector<mpi::MessageSize> neighbours() {
  constexpr std::array<std::int64_t, 4> kBytes{0, 4096, 512, 64};
  const auto [x, y, z] = grid_of_three();
  const int i = rank / (y * z), j = rank / z % y, k = rank % z;
  std::vector<mpi::MessageSize> sizes;
  for (int to = 0; to < 27; ++to) {
    const int di = to / 9 - 1, dj = to / 3 % 3 - 1, dk = to % 3 - 1;
    const int differ = std::abs(di) + std::abs(dj) + std::abs(dk);
    const int peer = (((i + di + x) % x) * y + (j + dj + y) % y) * z + (k + dk + z) % z;
    const bool known = std::ranges::find(sizes, peer, &mpi::MessageSize::peer) != sizes.end();
    if (peer != rank && !known) sizes.push_back({peer, kBytes[static_cast<std::size_t>(differ)]});
  }
  return sizes;
}

// ---- Jobs

void nothing(const char* name) {
  print(name, "-", measured([] {}));
}

void context(const char* name) {
  std::unique_ptr<mpi::Exchange> job;
  mpi::ExchangeOptions options;
  options.mode = mpi::ExchangeMode::kAtOnce;
  print(name, "construct", measured([&] {
          job = std::make_unique<mpi::Exchange>(MPI_COMM_WORLD, std::vector<mpi::MessageSize>{}, options);
        }));
}

void redistribution(const char* name) {
  std::int64_t p = 1, q_to = 1;
  for (int d = 1; d * d <= ranks; ++d) p = ranks % d == 0 ? d : p;
  const std::int64_t q = ranks / p;
  for (int d = 1; d < q; ++d) q_to = ranks % d == 0 ? d : q_to;
  const std::int64_t p_to = ranks / q_to;
  constexpr std::int64_t kEdge = 16;
  const std::vector<std::int64_t> shape{kEdge * p, kEdge * q};
  const Layout from{{p, q}, {kEdge, kEdge}};
  const Layout to{{p_to, q_to}, {(shape[0] + p_to - 1) / p_to, (shape[1] + q_to - 1) / q_to}};
  std::unique_ptr<mpi::Redistribution> job;
  print(name, "construct", measured([&] {
          job = std::make_unique<mpi::Redistribution>(MPI_COMM_WORLD, shape, from, to, sizeof(double));
        }));
  // Every element is its global index.
  const auto fill = [&](const Layout& layout, std::vector<double>& data) {
    const auto local = Distribution(layout, shape).local_shape(Rank(rank));
    const std::int64_t row = rank / layout.grid[1] * layout.block[0];
    const std::int64_t column = rank % layout.grid[1] * layout.block[1];
    std::size_t at = 0;
    for (std::int64_t i = 0; i < local[0]; ++i)
      for (std::int64_t j = 0; j < local[1]; ++j)
        data.at(at++) = static_cast<double>((row + i) * shape[1] + column + j);
  };
  std::vector<double> source(static_cast<std::size_t>(job->source_elements()));
  std::vector<double> target(static_cast<std::size_t>(job->target_elements()), -1);
  std::vector<double> due(target.size());
  fill(from, source);
  fill(to, due);
  print(name, "execute", measured([&] { job->execute(source.data(), target.data()); }));
  demand(target == due, name);
}

void exchange(const char* name, mpi::ExchangeMode mode) {
  const std::vector<mpi::MessageSize> sends = neighbours();
  mpi::ExchangeOptions options;
  options.mode = mode;
  std::unique_ptr<mpi::Exchange> job;
  print(name, "construct", measured([&] { job = std::make_unique<mpi::Exchange>(MPI_COMM_WORLD, sends, options); }));
  std::vector<std::byte> out;
  for (const auto& [to, bytes] : job->sends())
    for (std::int64_t i = 0; i < bytes; ++i) out.push_back(byte_of(rank, to, i));
  std::vector<std::byte> in(static_cast<std::size_t>(job->receive_bytes()));
  print(name, "execute", measured([&] { job->execute(out, in); }));
  std::size_t at = 0;
  bool right = job->receives().size() == sends.size();
  for (const auto& [from, bytes] : job->receives())
    for (std::int64_t i = 0; i < bytes; ++i) right = in[at++] == byte_of(from, rank, i) && right;
  demand(right, name);
}

void dynamic(const char* name) {
  constexpr std::int64_t kBytes = 512;
  const int next = (rank + 1) % ranks;
  mpi::DynamicExchangeOptions options;
  options.max_transfers = ranks;
  std::unique_ptr<mpi::DynamicExchange> job;
  print(name, "construct", measured([&] { job = std::make_unique<mpi::DynamicExchange>(MPI_COMM_WORLD, options); }));
  std::vector<std::byte> out;
  for (std::int64_t i = 0; i < kBytes; ++i) out.push_back(byte_of(rank, next, i));
  std::vector<mpi::ReceivedMessage> in;
  print(name, "execute", measured([&] {
          job->post(next, out);
          in = job->finish();
        }));
  bool right = in.size() == 1 && in[0].from == (rank + ranks - 1) % ranks && in[0].bytes.size() == kBytes;
  for (std::int64_t i = 0; right && i < kBytes; ++i)
    right = in[0].bytes[static_cast<std::size_t>(i)] == byte_of(in[0].from, rank, i);
  demand(right, name);
}

void elements(const char* name, std::int64_t number, bool by_tree) {
  mpi::ReductionOptions options;
  options.try_native = !by_tree;
  std::unique_ptr<mpi::ElementReduction> job;
  print(name, "construct", measured([&] {
          job = std::make_unique<mpi::ElementReduction>(MPI_COMM_WORLD,
                                                        mpi::ElementOperation{number, MPI_DOUBLE, MPI_SUM}, 0, options);
        }));
  std::vector<double> own(static_cast<std::size_t>(number));
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<double>(rank) + static_cast<double>(i);
  std::vector<double> result(own.size());
  print(name, "execute", measured([&] { job->execute(own.data(), result.data()); }));
  const double n = ranks;
  bool right = true;  // whole numbers, exact in doubles
  for (std::size_t i = 0; i < result.size(); ++i)
    right = right && (rank != 0 || result[i] == n * (n - 1) / 2 + n * static_cast<double>(i));
  demand(right, name);
}

void objects(const char* name) {
  // Intervals of ranks, which must be joined in order; the rest of an object is what it began with.
  struct Run {
    std::array<std::int64_t, 8> numbers{};
  };
  mpi::ObjectOperation join;
  join.commutative = false;
  join.combine = [](std::span<const std::byte> left, std::span<const std::byte> right, mpi::Bytes& result) {
    Run a, b;
    std::memcpy(&a, left.data(), sizeof a);
    std::memcpy(&b, right.data(), sizeof b);
    if (a.numbers[1] != b.numbers[0]) throw std::runtime_error("objects out of order");
    a.numbers[1] = b.numbers[1];
    result.resize(sizeof a);
    std::memcpy(result.data(), &a, sizeof a);
  };
  std::unique_ptr<mpi::ObjectReduction> job;
  print(name, "construct", measured([&] { job = std::make_unique<mpi::ObjectReduction>(MPI_COMM_WORLD, join); }));
  Run own;
  own.numbers = {rank, rank + 1};
  mpi::Bytes result;
  print(name, "execute", measured([&] { job->execute(std::as_bytes(std::span(&own, 1)), result); }));
  bool right = true;
  if (rank == 0) {
    std::memcpy(&own, result.data(), sizeof own);
    right = result.size() == sizeof own && own.numbers[0] == 0 && own.numbers[1] == ranks;
  }
  demand(right, name);
}

/// Clusters of 32 ranks with the links of bench/scale.sh, ten times the latency between them.
Platform clusters_of_32() {
  Platform platform;
  platform.ranks = ranks;
  constexpr double kLatency_s = 10e-6;
  constexpr double kLong = 1 << 20;
  const GapTable gap({{1, 2e-6}, {1 << 20, 2e-6 + kLong / 1.25e9}});
  for (int first = 0; first < ranks; first += 32) {
    PlatformCluster& cluster = platform.clusters.emplace_back();
    cluster.name = fmt::format("c{}", first / 32);
    cluster.ranks.resize(static_cast<std::size_t>(std::min(32, ranks - first)));
    std::iota(cluster.ranks.begin(), cluster.ranks.end(), first);
    cluster.latency_s = kLatency_s;
    cluster.gap = gap;
  }
  const auto clusters = static_cast<std::int64_t>(platform.clusters.size());
  for (std::int64_t a = 0; a < clusters; ++a)
    for (std::int64_t b = a + 1; b < clusters; ++b) platform.links.push_back({a, b, 10 * kLatency_s, gap, 1});
  return platform;
}

void broadcast(const char* name, bool over_platform) {
  constexpr std::int64_t kBytes = 64 << 10;
  mpi::BroadcastOptions options;
  options.try_native = false;
  if (over_platform) options.platform = clusters_of_32();
  std::unique_ptr<mpi::Broadcast> job;
  print(name, "construct", measured([&] { job = std::make_unique<mpi::Broadcast>(MPI_COMM_WORLD, 0, options); }));
  std::vector<std::byte> data(kBytes);
  for (int round = 1; round <= 2; ++round) {  // the first one plans
    for (std::int64_t i = 0; i < kBytes; ++i)
      data[static_cast<std::size_t>(i)] = rank == 0 ? byte_of(0, round, i) : std::byte{0};
    print(name, round == 1 ? "execute" : "again", measured([&] { job->execute(data.data(), kBytes); }));
    bool right = true;
    for (std::int64_t i = 0; i < kBytes; ++i)
      right = right && data[static_cast<std::size_t>(i)] == byte_of(0, round, i);
    demand(right, name);
  }
}

int run(const std::vector<std::string>& only) {
  const std::vector<std::pair<const char*, std::function<void(const char*)>>> jobs{
      {"context", context},
      {"nothing", nothing},
      {"redistribution", redistribution},
      {"sparse", [](const char* name) { exchange(name, mpi::ExchangeMode::kAtOnce); }},
      {"planned", [](const char* name) { exchange(name, mpi::ExchangeMode::kChain); }},
      {"list", [](const char* name) { exchange(name, mpi::ExchangeMode::kList); }},
      {"dynamic", dynamic},
      {"elements", [](const char* name) { elements(name, 1024, true); }},
      {"short-elements", [](const char* name) { elements(name, 8, false); }},
      {"objects", objects},
      {"broadcast", [](const char* name) { broadcast(name, false); }},
      {"platform-broadcast", [](const char* name) { broadcast(name, true); }},
  };
  for (const std::string& name : only) {
    if (std::ranges::find(jobs, name, [](const auto& job) { return std::string(job.first); }) != jobs.end()) continue;
    if (rank == 0)
      fmt::print(stderr, "error: {}: no such job, expected one of those at the top of bench/scale.cpp\n", name);
    return 2;
  }
  print_heading();
  for (const auto& [name, job] : jobs) {
    const bool slow = std::strcmp(name, "list") == 0 || std::strcmp(name, "dynamic") == 0;
    const bool asked = only.empty() ? !slow : std::ranges::find(only, name) != only.end();
    if (asked || std::strcmp(name, "context") == 0) job(name);  // not as a part of what is asked for
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int status = 1;
  try {
    status = run({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: rank %d: %s\n", rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
