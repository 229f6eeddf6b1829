// Computing while data travels: start(), then computing for as long as the transfer takes, with test() now and then,
// then wait(). Beside it the same non-blocking collective of MPI, if there is one.
//
//     overlap [REPETITIONS [INTERVAL_US [sleep|busy [GROUP...]]]]      9, 1000, sleep and all groups unless given
//
// Groups: exchange, redistribute, reduce, broadcast. INTERVAL_US: microseconds of computing between two calls of
// test(). `sleep`: the computing is somebody else's, as of a device, so that ranks that share cores do not take them
// from each other; `busy`: arithmetic, so much as takes INTERVAL_US on a core of its own.
//
// Medians of the slowest rank in ms, alternating: the transfer alone, computing alone (with as many slices), both
// together, and that over the longer of the two, with a limit of 1.15. Every result is compared with what it
// must be. bench/overlap_lab.sh runs it on hosts of a shaped network; on one machine:
//
//     scripts/mpirun.sh -np 2 build/release/bin/overlap 21 100 busy

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "apps/compare/communicator.hpp"
#include "flat_platform.hpp"
#include "sluice/input/block_cyclic.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/reduction.hpp"
#include "turns.hpp"

namespace {

using sluice::compare::Communicator;

// ---- Computing

void add_up(std::int64_t rounds) {
  volatile double sum = 0;
  for (std::int64_t i = 0; i < rounds; ++i) sum = sum + 1.0;
}

/// Takes `interval_s`, in either way.
class Slice {
 public:
  Slice(double interval_s, bool busy) : interval_s_(interval_s) {
    if (!busy) return;
    // The fastest of several tries had a core of its own.
    constexpr std::int64_t kRounds = 100'000;
    double least_s = 1;
    for (int i = 0; i < 50; ++i) {
      const double start = MPI_Wtime();
      add_up(kRounds);
      least_s = std::min(least_s, MPI_Wtime() - start);
    }
    rounds_ = static_cast<std::int64_t>(std::ceil(interval_s / least_s * static_cast<double>(kRounds)));
  }

  void compute() const {
    if (rounds_ > 0) {
      add_up(rounds_);
    } else {
      std::this_thread::sleep_for(std::chrono::duration<double>(interval_s_));
    }
  }
  [[nodiscard]] double seconds() const { return interval_s_; }

 private:
  double interval_s_;
  std::int64_t rounds_ = 0;
};

// ---- Transfers

struct Transfer {
  std::string name;
  std::function<void()> start;
  std::function<void()> test;
  std::function<void()> wait;
  std::span<std::byte> result;
  std::function<bool()> is_right;
};

/// `start(job)` starts an execution.
template <class Job, class Start>
Transfer of_job(std::string name, const std::shared_ptr<Job>& job, Start start, std::span<std::byte> result,
                std::function<bool()> is_right) {
  return {std::move(name), [=] { start(*job); }, [=] { (void)job->test(); }, [=] { job->wait(); },
          result,          std::move(is_right)};
}

/// `start(request)` starts a collective of MPI's own.
template <class Start>
Transfer of_mpi(std::string name, Start start, std::span<std::byte> result, std::function<bool()> is_right) {
  const auto request = std::make_shared<MPI_Request>(MPI_REQUEST_NULL);
  return {std::move(name),
          [=] { start(request.get()); },
          [=] {
            int done = 0;
            MPI_Test(request.get(), &done, MPI_STATUS_IGNORE);
          },
          [=] { MPI_Wait(request.get(), MPI_STATUS_IGNORE); },
          result,
          std::move(is_right)};
}

struct Measurement {
  const Communicator& comm;
  const Slice& slice;
  int repetitions;
};

void measure(const Measurement& how, const std::vector<Transfer>& transfers) {
  std::vector<turns::Work> alone;
  for (const Transfer& transfer : transfers) {
    const auto run = [&transfer] {
      transfer.start();
      transfer.wait();
    };
    alone.push_back({transfer.name, run, transfer.result, transfer.is_right});
  }
  constexpr int kToFindOut = 5;
  const std::vector<turns::Timed> first = turns::time_in_turns(how.comm, alone, kToFindOut);

  std::vector<turns::Work> works;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const Transfer& transfer = transfers[i];
    const auto slices = std::max(1, static_cast<int>(std::lround(first[i].median_s / how.slice.seconds())));
    works.push_back(alone[i]);
    works.push_back({transfer.name + ", computing", [&how, slices] {
                       for (int at = 0; at < slices; ++at) how.slice.compute();
                     }});
    const auto together = [&how, &transfer, slices] {
      transfer.start();
      for (int at = 0; at < slices; ++at) {
        how.slice.compute();
        transfer.test();
      }
      transfer.wait();
    };
    works.push_back({transfer.name + ", together", together, transfer.result, transfer.is_right});
  }
  const std::vector<turns::Timed> times = turns::time_in_turns(how.comm, works, how.repetitions);
  if (how.comm.rank() != 0) return;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const double transfer_s = times[3 * i].median_s;
    const double computing_s = times[3 * i + 1].median_s;
    const double together_s = times[3 * i + 2].median_s;
    fmt::print("{:<44} {:>10.2f} {:>10.2f} {:>10.2f} {:>6.2f}\n", transfers[i].name, transfer_s * 1e3,
               computing_s * 1e3, together_s * 1e3, together_s / std::max(transfer_s, computing_s));
  }
  std::fflush(stdout);
}

// ---- What is transferred

template <class T>
std::span<std::byte> bytes_of(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

void exchange(const Measurement& how) {
  const int rank = how.comm.rank();
  const int size = how.comm.size();
  const auto bytes_between = [](int from, int to) {
    return from == to ? 0 : 200'000 + (from * 1'299'709 + to * 15'485'863) % 400'001;
  };
  const auto byte_of = [](int from, int to, int at) { return static_cast<std::byte>(from * 31 + to * 17 + at); };
  std::vector<int> out_counts, out_offsets, in_counts, in_offsets;
  int out_bytes = 0;
  int in_bytes = 0;
  for (int peer = 0; peer < size; ++peer) {
    out_counts.push_back(bytes_between(rank, peer));
    in_counts.push_back(bytes_between(peer, rank));
    out_offsets.push_back(std::exchange(out_bytes, out_bytes + out_counts.back()));
    in_offsets.push_back(std::exchange(in_bytes, in_bytes + in_counts.back()));
  }
  std::vector<std::byte> out;
  for (int peer = 0; peer < size; ++peer) {
    for (int at = 0; at < out_counts[static_cast<std::size_t>(peer)]; ++at) out.push_back(byte_of(rank, peer, at));
  }
  std::vector<std::byte> in(static_cast<std::size_t>(in_bytes));
  const auto is_right = [&] {
    std::size_t next = 0;
    for (int peer = 0; peer < size; ++peer) {
      for (int at = 0; at < in_counts[static_cast<std::size_t>(peer)]; ++at) {
        if (in[next++] != byte_of(peer, rank, at)) return false;
      }
    }
    return true;
  };
  sluice::mpi::ExchangeOptions options;
  options.mode = sluice::mpi::ExchangeMode::kChain;
  const auto job = std::make_shared<sluice::mpi::Exchange>(
      how.comm.get(), sluice::mpi::typed_messages(out_counts, out_offsets, MPI_BYTE),
      sluice::mpi::typed_messages(in_counts, in_offsets, MPI_BYTE), options);
  const auto start_native = [&](MPI_Request* request) {
    MPI_Ialltoallv(out.data(), out_counts.data(), out_offsets.data(), MPI_BYTE, in.data(), in_counts.data(),
                   in_offsets.data(), MPI_BYTE, how.comm.get(), request);
  };
  measure(how, {of_job(
                    "Exchange, chain, 200 to 600 KB to every rank", job,
                    [&](auto& j) { j.start(static_cast<const void*>(out.data()), in.data()); }, in, is_right),
                of_mpi("  MPI_Ialltoallv", start_native, in, is_right)});
}

void redistribute(const Measurement& how) {
  constexpr std::int64_t kExtent = 2048;
  const std::int64_t size = how.comm.size();
  std::int64_t rows = 1;
  for (std::int64_t i = 1; i * i <= size; ++i) {
    if (size % i == 0) rows = i;
  }
  const sluice::Layout from{{rows, size / rows}, {64, 64}};
  const sluice::Layout to{{size / rows, rows}, {100, 100}};
  const std::array<std::int64_t, 2> shape{kExtent, kExtent};
  const sluice::Rank here(how.comm.rank());
  /// The global place of every element, one after the other.
  const auto places = [&](const sluice::Layout& layout) {
    const sluice::Distribution all(layout, shape);
    const std::vector<std::int64_t> local = all.local_shape(here);
    const std::vector<sluice::Coordinate> at = all.coordinates(here);
    std::vector<double> values;
    for (std::int64_t i = 0; i < local[0]; ++i) {
      const std::int64_t row = all.axis(0).global(at[0], sluice::LocalIndex(i)).value;
      for (std::int64_t j = 0; j < local[1]; ++j) {
        values.push_back(static_cast<double>(row * kExtent + all.axis(1).global(at[1], sluice::LocalIndex(j)).value));
      }
    }
    return values;
  };
  const std::vector<double> source = places(from);
  const std::vector<double> expected = places(to);
  std::vector<double> target(expected.size());
  sluice::mpi::RedistributionOptions options;
  options.try_native = false;
  const auto job = std::make_shared<sluice::mpi::Redistribution>(
      how.comm.get(), std::vector<std::int64_t>(shape.begin(), shape.end()), from, to, sizeof(double), options);
  measure(how, {of_job(
                   fmt::format("Redistribution, 2048^2 doubles, {} -> {}", to_string(from), to_string(to)), job,
                   [&](auto& j) { j.start(source.data(), target.data()); }, bytes_of(target),
                   [&] { return target == expected; })});
}

void reduce(const Measurement& how) {
  constexpr int kCount = (1 << 20) / sizeof(double);
  const int rank = how.comm.rank();
  const int size = how.comm.size();
  std::vector<double> own(kCount);
  std::iota(own.begin(), own.end(), static_cast<double>(rank));
  std::vector<double> sum(rank == 0 ? kCount : 0);
  const auto is_right = [&] {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      if (sum[i] != static_cast<double>(size) * static_cast<double>(i) + size * (size - 1) / 2.0) return false;
    }
    return true;
  };
  const sluice::mpi::ElementOperation operation{kCount, MPI_DOUBLE, MPI_SUM};
  const auto job = std::make_shared<sluice::mpi::ElementReduction>(how.comm.get(), operation);
  const auto start_native = [&](MPI_Request* request) {
    MPI_Ireduce(own.data(), sum.data(), kCount, MPI_DOUBLE, MPI_SUM, 0, how.comm.get(), request);
  };
  measure(how, {of_job(
                    "ElementReduction, 1 MiB of doubles", job, [&](auto& j) { j.start(own.data(), sum.data()); },
                    bytes_of(sum), is_right),
                of_mpi("  MPI_Ireduce", start_native, bytes_of(sum), is_right)});
}

void broadcast(const Measurement& how) {
  constexpr int kBytes = 1 << 20;
  const int rank = how.comm.rank();
  std::vector<unsigned char> message(kBytes);
  const auto byte_at = [](std::size_t i) { return static_cast<unsigned char>(i * 37 + 11); };
  for (std::size_t i = 0; i < message.size(); ++i) message[i] = byte_at(i);
  const std::span<std::byte> result = rank == 0 ? std::span<std::byte>() : bytes_of(message);  // the root's is none
  const auto is_right = [&] {
    for (std::size_t i = 0; i < message.size(); ++i) {
      if (message[i] != byte_at(i)) return false;
    }
    return true;
  };
  const char* const speed = std::getenv("SLUICE_LAB_HOST_MBIT");
  constexpr double kMemory = 3e9;
  sluice::mpi::BroadcastOptions options;
  options.platform = flat_platform(how.comm.size(), speed != nullptr ? 5e-5 : 2e-6,
                                   speed != nullptr ? std::atof(speed) * 1e6 / 8 : kMemory);
  options.try_native = false;
  const auto job = std::make_shared<sluice::mpi::Broadcast>(how.comm.get());
  const auto planned = std::make_shared<sluice::mpi::Broadcast>(how.comm.get(), 0, options);
  const auto start = [&](auto& j) { j.start(message.data(), kBytes); };
  const auto start_native = [&](MPI_Request* request) {
    MPI_Ibcast(message.data(), kBytes, MPI_BYTE, 0, how.comm.get(), request);
  };
  measure(how, {of_job("Broadcast, 1 MiB", job, start, result, is_right),
                of_job("Broadcast over a platform", planned, start, result, is_right),
                of_mpi("  MPI_Ibcast", start_native, result, is_right)});
}

constexpr std::array<std::pair<std::string_view, void (*)(const Measurement&)>, 4> kGroups{{
    {"exchange", exchange},
    {"redistribute", redistribute},
    {"reduce", reduce},
    {"broadcast", broadcast},
}};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 9;
  const double interval_us = argc > 2 ? std::atof(argv[2]) : 1000;
  const std::string_view computing = argc > 3 ? argv[3] : "sleep";
  if (repetitions < 1 || !(interval_us > 0) || (computing != "sleep" && computing != "busy")) {
    std::fputs("usage: overlap [REPETITIONS [INTERVAL_US [sleep|busy [GROUP...]]]]\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  try {
    const Communicator comm(MPI_COMM_WORLD);
    const Slice slice(interval_us * 1e-6, computing == "busy");
    if (comm.rank() == 0) {
      fmt::print("{} ranks, medians of {}, {} for {} us between tests\n{:<44} {:>10} {:>10} {:>10} {:>6}\n",
                 comm.size(), repetitions, computing, interval_us, "", "transfer", "computing", "together", "over");
      std::fflush(stdout);
    }
    for (const auto& [name, run] : kGroups) {
      const bool asked = std::find(argv + std::min(argc, 4), argv + argc, name) != argv + argc;
      if (argc <= 4 || asked) run({comm, slice, repetitions});
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
