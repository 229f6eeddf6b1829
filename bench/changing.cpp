// A job on a network that changes its speed: executions of an exchange by default options, everybody to everybody, each
// with the way that it went. Between changes the ways are timed side by side, so that one sees which is best.
//
//     changing [BYTES [EXECUTIONS [FILE]]]      65536 for each other rank, 30, and no FILE unless given
//
// With FILE, rank 0 makes that file after EXECUTIONS, waits until somebody has changed the network and removed the
// file, and goes on for as many; bench/changing_lab.sh does that, in a lab. The result after EXECUTIONS is compared
// with what it must be.

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "apps/compare/communicator.hpp"
#include "apps/compare/known_contents.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "turns.hpp"

namespace {

using sluice::compare::Communicator;

/// Everybody to everybody else.
class AllToAll {
 public:
  AllToAll(const Communicator& comm, std::int64_t bytes, const sluice::mpi::ExchangeOptions& options)
      : comm_(comm), job_(comm.get(), sends(comm, bytes), options) {
    out_.resize(static_cast<std::size_t>(job_.send_bytes()));
    in_.resize(static_cast<std::size_t>(job_.receive_bytes()));
    std::span<std::byte> left(out_);
    for (const auto& message : job_.sends()) {
      sluice::compare::fill_known(left.first(static_cast<std::size_t>(message.bytes)), comm.rank(), message.peer);
      left = left.subspan(static_cast<std::size_t>(message.bytes));
    }
  }

  void execute() { job_.execute(out_, in_); }
  /// Seconds on the slowest rank. Throws std::runtime_error if a byte is wrong.
  double timed() {
    std::ranges::fill(in_, std::byte{0xA5});
    const double seconds = sluice::compare::time_of_slowest(comm_, [this] { execute(); });
    if (!is_right()) throw std::runtime_error("a wrong result");
    return seconds;
  }
  [[nodiscard]] turns::Work work(const std::string& name) {
    return {name, [this] { execute(); }, in_, [this] { return is_right(); }};
  }
  [[nodiscard]] std::string way() const {
    if (!job_.settled()) return "in turns";
    return job_.native() ? "MPI" : "plan";
  }

 private:
  static std::vector<sluice::mpi::MessageSize> sends(const Communicator& comm, std::int64_t bytes) {
    std::vector<sluice::mpi::MessageSize> all;
    for (int to = 0; to < comm.size(); ++to)
      if (to != comm.rank()) all.push_back({to, bytes});
    return all;
  }
  [[nodiscard]] bool is_right() const {
    std::span<const std::byte> left(in_);
    return std::ranges::all_of(job_.receives(), [&](const auto& message) {
      const auto bytes = left.first(static_cast<std::size_t>(message.bytes));
      left = left.subspan(bytes.size());
      return sluice::compare::first_wrong(bytes, message.peer, comm_.rank()) < 0;
    });
  }

  const Communicator& comm_;
  sluice::mpi::Exchange job_;
  std::vector<std::byte> out_, in_;
};

/// What MPI does by itself.
void all_to_all(std::int64_t bytes, const std::vector<std::byte>& out, std::vector<std::byte>& in) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoall(out.data(), static_cast<int>(bytes), MPI_BYTE, in.data(), static_cast<int>(bytes), MPI_BYTE,
                MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void run(std::int64_t bytes, int executions, const std::string& file) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto print = [&](const std::string& line) {
    if (comm.rank() != 0) return;
    fmt::print("{}\n", line);
    (void)std::fflush(stdout);
  };
  sluice::mpi::ExchangeOptions by_plan;
  by_plan.try_native = false;
  AllToAll planned(comm, bytes, by_plan);
  AllToAll job(comm, bytes, {});
  std::vector<std::byte> out(static_cast<std::size_t>(bytes * comm.size())), in(out.size());
  const std::vector<turns::Work> ways{planned.work("the plan"),
                                      {.name = "MPI_Ialltoall", .run = [&] { all_to_all(bytes, out, in); }}};
  for (int part = 0; part < (file.empty() ? 1 : 2); ++part) {
    if (part > 0) {
      if (comm.rank() == 0) {
        std::ofstream(file) << "change the network, and remove this\n";
        while (std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      sluice::compare::barrier(comm);
      print("-- the network has changed");
    }
    for (int i = 1; i <= executions; ++i) {
      const double seconds = job.timed();
      print(fmt::format("{:3} {:9.2f} ms  {}", i, 1e3 * seconds, job.way()));
    }
    const std::vector<turns::Timed> times = turns::time_in_turns(comm, ways, 7);
    print(fmt::format("medians of 7 in turns: the plan {:.2f} ms, MPI_Ialltoall {:.2f} ms", 1e3 * times[0].median_s,
                      1e3 * times[1].median_s));
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    run(argc > 1 ? std::atoll(argv[1]) : 65536, argc > 2 ? std::atoi(argv[2]) : 30, argc > 3 ? argv[3] : "");
  } catch (const std::exception& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    status = 1;
    MPI_Abort(MPI_COMM_WORLD, status);
  }
  MPI_Finalize();
  return status;
}
