// What planning an exchange costs rank 0 of a large job: time and memory. In a periodic grid of X x Y x Z ranks, each
// rank has messages for its 26 neighbours: much for those at faces, less at edges, little at corners, each size times a
// random factor of 0.5 to 1.5.
//
//     exchange_scale [X Y Z [K...]]      22 22 21 (10164 ranks), K = as many transfers as ports, and 100
//
// Memory is the growth of the peak of the process (VmHWM); the traffic itself, 24 bytes per message, comes on top.

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "apps/compare/peak_memory.hpp"
#include "run/mpi/engine/chain_order.hpp"
#include "schedule/own_part.hpp"
#include "sluice/plan/exchange.hpp"

namespace {

using sluice::Traffic;

Traffic halo(std::int64_t x, std::int64_t y, std::int64_t z) {
  constexpr std::int64_t kBytes[] = {0, 1'000'000, 10'000, 100};  // by the number of coordinates that differ
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> factor(0.5, 1.5);
  Traffic traffic{x * y * z, x * y * z, {}};
  const auto rank = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return (((i + x) % x) * y + (j + y) % y) * z + (k + z) % z;
  };
  for (std::int64_t i = 0; i < x; ++i)
    for (std::int64_t j = 0; j < y; ++j)
      for (std::int64_t k = 0; k < z; ++k)
        for (int to = 0; to < 27; ++to) {
          const int di = to / 9 - 1, dj = to / 3 % 3 - 1, dk = to % 3 - 1;
          const std::int64_t peer = rank(i + di, j + dj, k + dk);
          if (peer == rank(i, j, k)) continue;
          const std::int64_t bytes = kBytes[std::abs(di) + std::abs(dj) + std::abs(dk)];
          traffic.messages.push_back(
              {rank(i, j, k), peer, static_cast<std::int64_t>(static_cast<double>(bytes) * factor(random))});
        }
  return traffic;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void plan(const Traffic& traffic, std::int64_t k) {
  sluice::compare::set_freed_memory(sluice::compare::FreedMemory::kGiveBack);
  sluice::compare::PeakMemory memory;
  const bool watched = memory.start();
  const auto start = std::chrono::steady_clock::now();
  sluice::ExchangeOptions options;
  options.effort = options.time_limit_s = 0.25;  // as Exchange takes by default
  const sluice::ExchangePlan planned = sluice::plan_exchange({traffic, k, 32 << 10}, options);
  const double plan_s = seconds_since(start);
  const auto split_start = std::chrono::steady_clock::now();
  const auto parts = sluice::detail::cut(planned.schedule, traffic.senders,
                                         sluice::mpi::detail::waits_in_chain(planned.schedule, k, {}));
  const double split_s = seconds_since(split_start);
  std::size_t transfers = 0;
  for (const auto& part : parts) transfers += ends_of(part, true).size();
  const auto extra = watched ? memory.extra() : std::nullopt;
  fmt::print("{:>8} {:>8} {:>10} {:>10.3f} {:>10.3f} {:>10}\n", k, planned.schedule.steps.size(), transfers, plan_s,
             split_s, extra ? fmt::format("{:.0f}", static_cast<double>(*extra) / 1e6) : "-");
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int at, std::int64_t otherwise) { return at < argc ? std::atoll(argv[at]) : otherwise; };
  const Traffic traffic = halo(argument(1, 22), argument(2, 22), argument(3, 21));
  fmt::print("{} ranks, {} messages\n{:>8} {:>8} {:>10} {:>10} {:>10} {:>10}\n", traffic.senders,
             traffic.messages.size(), "k", "steps", "transfers", "plan s", "split s", "MB");
  std::vector<std::int64_t> limits{traffic.senders, 100};
  if (argc > 4) limits.clear();
  for (int i = 4; i < argc; ++i) limits.push_back(std::atoll(argv[i]));
  for (const std::int64_t k : limits) plan(traffic, k);
}
