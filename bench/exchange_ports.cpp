// Exchanges where the ports of the hosts are what is short (k = n): everybody sends to everybody over links that are
// slower than the backbone. Times over the bound of the ports, the most bytes that one of them sends or receives at the
// speed of its link; the framing of TCP over Ethernet alone takes 1.046 of it.
//
//     exchange_ports [REPETITIONS [SEED...]]      7 and 1 unless given; bench/exchange_lab.sh starts it
//
// Traffic: `uniform`, messages of 200 to 600 KB; `lognormal`, of a median of 250 KB, sigma 0.8; `skewed`, where the
// receiver j = 1, 2, ... gets messages of 900 KB / j^0.7, times 0.5 to 1.5. Methods: Exchange by default, which has
// chosen between its plan and MPI's own way in executions before; its plan alone, and with mode local; MPI_Alltoallv;
// and pairs of MPI_Isend and MPI_Irecv, in round d with the ranks d further on. Medians of the slowest rank in ms; the
// methods alternate. Every result is compared with what it must be.

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/compare/communicator.hpp"
#include "apps/compare/mpi_exchange.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "turns.hpp"

namespace {

using sluice::compare::Communicator;

/// Bytes by sender and receiver, the same on all ranks.
using Sizes = std::vector<std::vector<std::int64_t>>;

Sizes draw(const std::string& kind, int ranks, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double least, double most) {
    constexpr int kSpare = 64 - 53;
    return least + (most - least) * std::ldexp(static_cast<double>(random() >> kSpare), -53);
  };
  const auto draw_one = [&](int to) {
    if (kind == "uniform") return uniform(200e3, 600e3);
    if (kind == "skewed") return 900e3 * std::pow(to + 1, -0.7) * uniform(0.5, 1.5);
    // Box and Muller.
    const double radius = std::sqrt(-2 * std::log(1 - uniform(0, 1)));
    return 250e3 * std::exp(0.8 * radius * std::cos(uniform(0, 2 * std::numbers::pi)));
  };
  Sizes sizes(static_cast<std::size_t>(ranks), std::vector<std::int64_t>(static_cast<std::size_t>(ranks)));
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) {
      if (from != to) sizes[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] = std::llround(draw_one(to));
    }
  }
  return sizes;
}

double setting(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) throw std::runtime_error(std::string(name) + " is not set: start it by lab/run.sh");
  return std::atof(value);
}

/// The least time by the links of the hosts, and by the backbone between the two halves of them.
double bound_s(const Sizes& sizes) {
  const std::size_t ranks = sizes.size();
  const auto side = [&](std::size_t rank) { return 2 * rank / ranks; };
  double port = 0;
  double crossing[2] = {0, 0};
  for (std::size_t i = 0; i < ranks; ++i) {
    double out = 0;
    double in = 0;
    for (std::size_t j = 0; j < ranks; ++j) {
      out += static_cast<double>(sizes[i][j]);
      in += static_cast<double>(sizes[j][i]);
      if (side(i) != side(j)) crossing[side(i)] += static_cast<double>(sizes[i][j]);
    }
    port = std::max({port, out, in});
  }
  constexpr double kBytesOfMbit = 1e6 / 8;
  return std::max(port / (setting("SLUICE_LAB_HOST_MBIT") * kBytesOfMbit),
                  std::max(crossing[0], crossing[1]) / (setting("SLUICE_LAB_BACKBONE_MBIT") * kBytesOfMbit));
}

void measure(const Communicator& comm, const std::string& kind, std::uint64_t seed, int repetitions) {
  const Sizes sizes = draw(kind, comm.size(), seed);
  const auto rank = static_cast<std::size_t>(comm.rank());
  sluice::compare::PlacedMessages sends;
  sluice::compare::PlacedMessages receives;
  for (std::size_t peer = 0; peer < sizes.size(); ++peer) {
    sends.add(static_cast<int>(peer), sizes[rank][peer]);
    receives.add(static_cast<int>(peer), sizes[peer][rank]);
  }
  const auto byte_of = [](std::int64_t from, std::int64_t to, std::int64_t at) {
    return static_cast<std::byte>(from * 31 + to * 17 + at + (at >> 8));
  };
  std::vector<std::byte> out(static_cast<std::size_t>(sends.bytes));
  for (const auto& [peer, bytes, offset] : sends.messages) {
    for (std::int64_t at = 0; at < bytes; ++at)
      out[static_cast<std::size_t>(offset + at)] = byte_of(comm.rank(), peer, at);
  }
  std::vector<std::byte> in(static_cast<std::size_t>(receives.bytes));
  const auto is_right = [&] {
    for (const auto& [peer, bytes, offset] : receives.messages) {
      for (std::int64_t at = 0; at < bytes; ++at) {
        if (in[static_cast<std::size_t>(offset + at)] != byte_of(peer, comm.rank(), at)) return false;
      }
    }
    return true;
  };

  const auto make_job = [&](sluice::mpi::ExchangeMode mode, bool try_native) {
    sluice::mpi::ExchangeOptions options;
    options.mode = mode;
    options.try_native = try_native;
    return sluice::mpi::Exchange(comm.get(), sluice::mpi::message_sizes(sizes[rank]), options);
  };
  sluice::mpi::Exchange usual = make_job(sluice::mpi::ExchangeMode::kAuto, true);
  while (!usual.settled()) usual.execute(out, in);
  sluice::mpi::Exchange planned = make_job(sluice::mpi::ExchangeMode::kAuto, false);
  sluice::mpi::Exchange local = make_job(sluice::mpi::ExchangeMode::kLocal, false);
  const auto pairwise = sluice::compare::make_mpi_exchange("pairwise", comm, sends, receives);
  const auto alltoallv = sluice::compare::make_mpi_exchange("alltoallv", comm, sends, receives);
  const std::vector<turns::Work> works{
      {"Exchange", [&] { usual.execute(out, in); }, in, is_right},
      {"its plan (" + to_string(planned.mode()) + ")", [&] { planned.execute(out, in); }, in, is_right},
      {"its plan, local", [&] { local.execute(out, in); }, in, is_right},
      {"pairwise", [&] { pairwise->execute(out.data(), in.data()); }, in, is_right},
      {"MPI_Alltoallv", [&] { alltoallv->execute(out.data(), in.data()); }, in, is_right}};
  const std::vector<turns::Timed> times = turns::time_in_turns(comm, works, repetitions);
  if (comm.rank() != 0) return;
  const double bound = bound_s(sizes);
  fmt::print("{}, seed {}, bound {:.1f} ms; Exchange: {}\n", kind, seed, bound * 1e3, usual.explanation());
  for (std::size_t i = 0; i < works.size(); ++i) {
    fmt::print("  {:<24} {:>10.1f} {:>7.3f} {:>10.1f} {:>7.3f}\n", works[i].name, times[i].median_s * 1e3,
               times[i].median_s / bound, times[i].least_s * 1e3, times[i].least_s / bound);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 7;
  std::vector<std::uint64_t> seeds;
  for (int i = 2; i < argc; ++i) seeds.push_back(std::strtoull(argv[i], nullptr, 10));
  if (seeds.empty()) seeds.push_back(1);
  if (repetitions < 1) {
    std::fputs("usage: exchange_ports [REPETITIONS [SEED...]]\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  try {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.rank() == 0) {
      fmt::print("{} ranks, {} repetitions\n{:<26} {:>10} {:>7} {:>10} {:>7}\n", comm.size(), repetitions, "",
                 "median ms", "over", "least ms", "over");
      std::fflush(stdout);
    }
    for (const std::uint64_t seed : seeds) {
      for (const char* const kind : {"uniform", "lognormal", "skewed"}) measure(comm, kind, seed, repetitions);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
