// What jobs cost that are made, executed once and destroyed, on the ranks of one machine. Beside them: the same
// collective of MPI, and a job that is kept. The communicator has its context already.
//
//     cmake --preset release -DSLUICE_BENCH=ON && scripts/build.sh release one_shot
//     scripts/mpirun.sh -np 8 build/release/bin/one_shot [REPETITIONS [GROUP...]]
//
// 401 and all groups unless given: dup, exchange, reduce, broadcast, redistribute.
//
//   kept      execute() of a job made before
//   again     constructor, execute() and destructor; a job with the same arguments was made before, whose plan is kept
//   fresh     the same on a communicator that keeps no plans (set_kept_plans)
//
// Medians of the slowest rank, and the least, which says more if other work runs on the same cores; all of a group
// alternate. `over` is each time over the time of the first line of the group, `goal` its limit. Every result is
// compared with what it must be.

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
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
#include <utility>
#include <vector>

#include "apps/compare/communicator.hpp"
#include "flat_platform.hpp"
#include "sluice/input/block_cyclic.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/reduction.hpp"
#include "sluice/run/mpi/settings.hpp"
#include "turns.hpp"

namespace {

using sluice::compare::Communicator;
using sluice::mpi::Broadcast;
using sluice::mpi::BroadcastOptions;
using sluice::mpi::ElementReduction;
using sluice::mpi::Exchange;
using sluice::mpi::Redistribution;
using sluice::mpi::ReductionOptions;
using turns::Work;

struct Communicators {
  const Communicator& usual;
  const Communicator& forgetful;  ///< keeps no plans
};

struct Goals {
  std::optional<double> kept;
  std::optional<double> one_shot;
};

/// Works that are compared with the first of them.
class Group {
 public:
  explicit Group(const Communicators& comms) : comms_(comms) {}

  void add(Work work, std::optional<double> goal = std::nullopt) {
    works_.push_back(std::move(work));
    goals_.push_back(goal);
  }

  /// `make(comm)` returns a job, `execute(job)` executes it.
  template <class Make, class Execute>
  void add_job(const Work& of, const Goals& goals, Make make, Execute execute) {
    using Job = decltype(make(comms_.usual.get()));
    const auto add_way = [&](const char* way, std::function<void()> run, std::optional<double> goal) {
      add({fmt::format("{}, {}", of.name, way), std::move(run), of.result, of.is_right}, goal);
    };
    const auto kept = std::make_shared<Job>(make(comms_.usual.get()));
    const auto once = [make, execute](MPI_Comm comm) {
      return [=] {
        Job job = make(comm);
        execute(job);
      };
    };
    add_way(
        "kept", [=] { execute(*kept); }, goals.kept);
    add_way("again", once(comms_.usual.get()), goals.one_shot);
    add_way("fresh", once(comms_.forgetful.get()), goals.one_shot);
  }

  void time_and_print(int repetitions) const {
    const std::vector<turns::Timed> times = turns::time_in_turns(comms_.usual, works_, repetitions);
    if (comms_.usual.rank() != 0) return;
    for (std::size_t i = 0; i < works_.size(); ++i) {
      fmt::print("{:<52} {:>10.1f} {:>7.2f} {:>10.1f} {:>7.2f} {:>6}\n", works_[i].name, times[i].median_s * 1e6,
                 times[i].median_s / times.front().median_s, times[i].least_s * 1e6,
                 times[i].least_s / times.front().least_s, goals_[i] ? fmt::format("{}", *goals_[i]) : "");
    }
    fmt::print("\n");
    std::fflush(stdout);
  }

 private:
  Communicators comms_;
  std::vector<Work> works_;
  std::vector<std::optional<double>> goals_;
};

template <class T>
std::span<std::byte> bytes_of(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

void duplicates(const Communicators& comms, int repetitions) {
  Group group(comms);
  group.add({"MPI_Comm_dup + MPI_Comm_free", [&] {
               MPI_Comm copy = MPI_COMM_NULL;
               MPI_Comm_dup(comms.usual.get(), &copy);
               MPI_Comm_free(&copy);
             }});
  group.time_and_print(repetitions);
}

void exchanges(const Communicators& comms, int repetitions) {
  const int rank = comms.usual.rank();
  const int size = comms.usual.size();
  const auto bytes_between = [](int from, int to) { return 1000 + (from * 7919 + to * 104729) % 2001; };
  const auto byte_of = [](int from, int to, int at) { return static_cast<std::byte>(from * 31 + to * 17 + at); };
  std::vector<int> out_counts, out_offsets, in_counts, in_offsets;
  int out_bytes = 0;
  int in_bytes = 0;
  std::vector<sluice::mpi::MessageSize> sends;
  for (int peer = 0; peer < size; ++peer) {
    out_counts.push_back(bytes_between(rank, peer));
    in_counts.push_back(bytes_between(peer, rank));
    out_offsets.push_back(std::exchange(out_bytes, out_bytes + out_counts.back()));
    in_offsets.push_back(std::exchange(in_bytes, in_bytes + in_counts.back()));
    sends.push_back({peer, out_counts.back()});
  }
  std::vector<std::byte> out;
  for (int peer = 0; peer < size; ++peer) {
    for (int at = 0; at < bytes_between(rank, peer); ++at) out.push_back(byte_of(rank, peer, at));
  }
  std::vector<std::byte> in(static_cast<std::size_t>(in_bytes));
  const auto is_right = [&] {
    std::size_t next = 0;
    for (int peer = 0; peer < size; ++peer) {
      for (int at = 0; at < bytes_between(peer, rank); ++at) {
        if (in[next++] != byte_of(peer, rank, at)) return false;
      }
    }
    return true;
  };
  const Goals goals{1.1, 3};
  Group group(comms);
  group.add({"MPI_Alltoallv, 1 to 3 KB to every rank",
             [&] {
               MPI_Alltoallv(out.data(), out_counts.data(), out_offsets.data(), MPI_BYTE, in.data(), in_counts.data(),
                             in_offsets.data(), MPI_BYTE, comms.usual.get());
             },
             in, is_right});
  group.add_job(
      {"Exchange", {}, in, is_right}, goals, [&](MPI_Comm comm) { return Exchange(comm, sends); },
      [&](Exchange& job) { job.execute(out, in); });
  const auto typed_sends = sluice::mpi::typed_messages(out_counts, out_offsets, MPI_BYTE);
  const auto typed_receives = sluice::mpi::typed_messages(in_counts, in_offsets, MPI_BYTE);
  group.add_job(
      {"Exchange, both ends given", {}, in, is_right}, goals,
      [&](MPI_Comm comm) { return Exchange(comm, typed_sends, typed_receives); },
      [&](Exchange& job) { job.execute(static_cast<const void*>(out.data()), in.data()); });
  group.time_and_print(repetitions);
}

void reductions(const Communicators& comms, int repetitions) {
  constexpr int kCount = 1000;
  const int rank = comms.usual.rank();
  const int size = comms.usual.size();
  std::vector<double> own(kCount);
  std::iota(own.begin(), own.end(), static_cast<double>(rank));
  std::vector<double> sum(rank == 0 ? kCount : 0);
  const auto is_right = [&] {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const double expected = static_cast<double>(size) * static_cast<double>(i) + size * (size - 1) / 2.0;
      if (sum[i] != expected) return false;
    }
    return true;
  };
  const Goals goals{{}, 3};
  const auto execute = [&](ElementReduction& job) { job.execute(own.data(), sum.data()); };
  const auto by = [&](const ReductionOptions& options) {
    return [=](MPI_Comm comm) { return ElementReduction(comm, {kCount, MPI_DOUBLE, MPI_SUM}, 0, options); };
  };
  Group group(comms);
  group.add({"MPI_Reduce, 1000 doubles",
             [&] { MPI_Reduce(own.data(), sum.data(), kCount, MPI_DOUBLE, MPI_SUM, 0, comms.usual.get()); },
             bytes_of(sum), is_right});
  group.add_job({"ElementReduction", {}, bytes_of(sum), is_right}, goals, by({}), execute);
  ReductionOptions planned;
  planned.costs = {.transfer = 5e-6, .compute = 1e-6};
  planned.try_native = false;
  group.add_job({"ElementReduction, by its own tree", {}, bytes_of(sum), is_right}, goals, by(planned), execute);
  group.time_and_print(repetitions);
}

void broadcasts(const Communicators& comms, int repetitions) {
  constexpr int kBytes = 8192;
  const int rank = comms.usual.rank();
  std::vector<unsigned char> message(kBytes);
  const auto byte_at = [](std::size_t i) { return static_cast<unsigned char>(i * 37 + 11); };
  const auto fill = [&] {
    for (std::size_t i = 0; i < message.size(); ++i) message[i] = byte_at(i);
  };
  fill();
  // The root's message is no result.
  const std::span<std::byte> result = rank == 0 ? std::span<std::byte>() : bytes_of(message);
  const auto is_right = [&] {
    for (std::size_t i = 0; i < message.size(); ++i) {
      if (message[i] != byte_at(i)) return false;
    }
    return true;
  };
  const Goals goals{{}, 3};
  const auto execute = [&](Broadcast& job) { job.execute(message.data(), kBytes); };
  const auto by = [&](const BroadcastOptions& options) {
    return [=](MPI_Comm comm) { return Broadcast(comm, 0, options); };
  };
  Group group(comms);
  group.add({"MPI_Bcast, 8 KiB", [&] { MPI_Bcast(message.data(), kBytes, MPI_BYTE, 0, comms.usual.get()); }, result,
             is_right});
  group.add_job({"Broadcast", {}, result, is_right}, goals, by({}), execute);
  BroadcastOptions planned;
  planned.platform = flat_platform(comms.usual.size(), 2e-6, 3e9);
  group.add_job({"Broadcast over a platform", {}, result, is_right}, goals, by(planned), execute);
  planned.try_native = false;
  group.add_job({"Broadcast over a platform, nothing tried", {}, result, is_right}, goals, by(planned), execute);
  group.time_and_print(repetitions);
}

void redistributions(const Communicators& comms, int repetitions) {
  constexpr std::int64_t kElements = 100'000;
  const int rank = comms.usual.rank();
  const int size = comms.usual.size();
  const sluice::Axis from{kElements, size, 64, 0};
  const sluice::Axis to{kElements, size, 100, 0};
  const sluice::Coordinate here(rank);
  std::vector<double> source(static_cast<std::size_t>(from.local_extent(here)));
  std::vector<double> target(static_cast<std::size_t>(to.local_extent(here)));
  const auto global_of = [&](const sluice::Axis& axis, std::size_t i) {
    return static_cast<double>(axis.global(here, sluice::LocalIndex(static_cast<std::int64_t>(i))).value);
  };
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = global_of(from, i);
  const auto is_right = [&] {
    for (std::size_t i = 0; i < target.size(); ++i) {
      if (target[i] != global_of(to, i)) return false;
    }
    return true;
  };
  const auto make = [&](MPI_Comm comm) {
    return Redistribution(comm, {kElements}, {{size}, {from.block}}, {{size}, {to.block}}, sizeof(double));
  };
  Group group(comms);
  group.add_job(
      {fmt::format("Redistribution of 10^5 doubles, {0}:64 -> {0}:100", size), {}, bytes_of(target), is_right},
      {{}, 1.5}, make, [&](Redistribution& job) { job.execute(source.data(), target.data()); });
  group.time_and_print(repetitions);
}

constexpr std::array<std::pair<std::string_view, void (*)(const Communicators&, int)>, 5> kGroups{{
    {"dup", duplicates},
    {"exchange", exchanges},
    {"reduce", reductions},
    {"broadcast", broadcasts},
    {"redistribute", redistributions},
}};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 401;
  if (repetitions < 1) {
    std::fputs("usage: one_shot [REPETITIONS [GROUP...]]\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  try {
    const Communicator usual(MPI_COMM_WORLD);
    const Communicator forgetful(MPI_COMM_WORLD);
    sluice::mpi::set_kept_plans(forgetful.get(), 0);
    const Communicators comms{usual, forgetful};
    if (usual.rank() == 0) {
      fmt::print("{} ranks, {} repetitions\n{:<52} {:>10} {:>7} {:>10} {:>7} {:>6}\n", usual.size(), repetitions, "",
                 "median us", "over", "least us", "over", "goal");
      std::fflush(stdout);
    }
    for (const auto& [name, run] : kGroups) {
      const bool asked = std::find(argv + std::min(argc, 2), argv + argc, name) != argv + argc;
      if (argc <= 2 || asked) run(comms, repetitions);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
