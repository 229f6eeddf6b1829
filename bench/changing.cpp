// A job on a network that changes its speed: executions by default options, each with the way that it went. Between
// changes the ways are timed side by side, so that one sees which is best.
//
//     changing [BYTES [EXECUTIONS [FILE [JOB]]]]      65536, 30, and no FILE unless given
//
// JOB: exchange, BYTES from everybody to everybody else; broadcast, BYTES from rank 0; reduce, sums of BYTES of
// integers to rank 0. With a FILE, rank 0 makes that file after EXECUTIONS, waits until somebody has changed the
// network and removed the file, and goes on for as many; bench/changing_lab.sh does that, in a lab. Every result is
// compared with what it must be.

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
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "apps/compare/communicator.hpp"
#include "apps/compare/known_contents.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/reduction.hpp"
#include "turns.hpp"

namespace {

using sluice::compare::Communicator;

/// A job of any kind by default options, and what MPI does by itself.
class Subject {
 public:
  explicit Subject(const Communicator& comm) : comm_(comm) {}
  virtual ~Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  virtual void execute() = 0;
  /// "plan", "MPI", or "alternating".
  [[nodiscard]] virtual std::string way() = 0;
  [[nodiscard]] virtual bool is_right() const = 0;
  /// Where the result comes, which is spoiled before executions that are checked; empty: nowhere on this rank.
  [[nodiscard]] virtual std::span<std::byte> result() = 0;

  /// Seconds on the slowest rank. Throws std::runtime_error if a byte is wrong.
  double timed() {
    std::ranges::fill(result(), std::byte{0xA5});
    const double seconds = sluice::compare::time_of_slowest(comm_, [this] { execute(); });
    if (!is_right()) throw std::runtime_error("a wrong result");
    return seconds;
  }
  [[nodiscard]] turns::Work work(const std::string& name) {
    return {name, [this] { execute(); }, result(), [this] { return is_right(); }};
  }

 protected:
  [[nodiscard]] const Communicator& comm() const { return comm_; }
  [[nodiscard]] static std::string way_of(bool settled, bool native) {
    return !settled ? "alternating" : native ? "MPI" : "plan";
  }

 private:
  const Communicator& comm_;
};

/// Everybody to everybody else.
class AllToAll final : public Subject {
 public:
  AllToAll(const Communicator& comm, std::int64_t bytes, bool try_native)
      : Subject(comm), job_(comm.get(), sends(comm, bytes), {.try_native = try_native}) {
    out_.resize(static_cast<std::size_t>(job_.send_bytes()));
    in_.resize(static_cast<std::size_t>(job_.receive_bytes()));
    std::span<std::byte> left(out_);
    for (const auto& message : job_.sends()) {
      sluice::compare::fill_known(left.first(static_cast<std::size_t>(message.bytes)), comm.rank(), message.peer);
      left = left.subspan(static_cast<std::size_t>(message.bytes));
    }
  }

  void execute() override { job_.execute(out_, in_); }
  [[nodiscard]] std::string way() override { return way_of(job_.settled(), job_.native()); }
  [[nodiscard]] std::span<std::byte> result() override { return in_; }
  [[nodiscard]] bool is_right() const override {
    std::span<const std::byte> left(in_);
    return std::ranges::all_of(job_.receives(), [&](const auto& message) {
      const auto bytes = left.first(static_cast<std::size_t>(message.bytes));
      left = left.subspan(bytes.size());
      return sluice::compare::first_wrong(bytes, message.peer, comm().rank()) < 0;
    });
  }

 private:
  static std::vector<sluice::mpi::MessageSize> sends(const Communicator& comm, std::int64_t bytes) {
    std::vector<sluice::mpi::MessageSize> all;
    for (int to = 0; to < comm.size(); ++to)
      if (to != comm.rank()) all.push_back({to, bytes});
    return all;
  }

  sluice::mpi::Exchange job_;
  std::vector<std::byte> out_, in_;
};

/// From rank 0 to all.
class FromOne final : public Subject {
 public:
  FromOne(const Communicator& comm, std::int64_t bytes, bool try_native)
      : Subject(comm), buffer_(static_cast<std::size_t>(bytes)), job_(comm.get(), 0, options(comm, try_native)) {
    if (comm.rank() == 0) sluice::compare::fill_known(buffer_, 0, 0);
  }

  void execute() override { job_.execute(buffer_.data(), bytes()); }
  [[nodiscard]] std::string way() override {
    return way_of(job_.settled(bytes()), job_.chosen(bytes()).method == "native");
  }
  [[nodiscard]] std::span<std::byte> result() override {
    return comm().rank() == 0 ? std::span<std::byte>() : std::span<std::byte>(buffer_);
  }
  [[nodiscard]] bool is_right() const override { return sluice::compare::first_wrong(buffer_, 0, 0) < 0; }

 private:
  /// Without a platform nothing but MPI_Bcast is left where it may not be tried: hosts that are all alike.
  static sluice::mpi::BroadcastOptions options(const Communicator& comm, bool try_native) {
    sluice::mpi::BroadcastOptions result;
    result.try_native = try_native;
    if (try_native) return result;
    sluice::Platform alike;
    alike.ranks = comm.size();
    alike.clusters.resize(1);
    for (int rank = 0; rank < comm.size(); ++rank) alike.clusters.front().ranks.push_back(rank);
    alike.clusters.front().latency_s = 100e-6;
    alike.clusters.front().gap = sluice::GapTable({{1, 1e-5}, {1 << 20, 0.09}});
    result.platform = alike;
    return result;
  }
  [[nodiscard]] std::int64_t bytes() const { return static_cast<std::int64_t>(buffer_.size()); }

  std::vector<std::byte> buffer_;
  sluice::mpi::Broadcast job_;
};

/// The sum of integers of all ranks, to rank 0.
class ToOne final : public Subject {
 public:
  ToOne(const Communicator& comm, std::int64_t bytes, bool try_native)
      : Subject(comm),
        own_(static_cast<std::size_t>(bytes) / sizeof(std::int32_t), comm.rank() + 1),
        sum_(own_.size()),
        job_(comm.get(), {static_cast<std::int64_t>(own_.size()), MPI_INT32_T, MPI_SUM}, 0,
             {.try_native = try_native}) {}

  void execute() override { job_.execute(own_.data(), sum_.data()); }
  [[nodiscard]] std::string way() override { return way_of(job_.settled(), job_.summary().native); }
  [[nodiscard]] std::span<std::byte> result() override { return std::as_writable_bytes(std::span(sum_)); }
  [[nodiscard]] bool is_right() const override {
    const int all = comm().size() * (comm().size() + 1) / 2;
    return comm().rank() != 0 || std::ranges::all_of(sum_, [&](std::int32_t each) { return each == all; });
  }

 private:
  std::vector<std::int32_t> own_, sum_;
  sluice::mpi::ElementReduction job_;
};

std::unique_ptr<Subject> subject_of(const std::string& job, const Communicator& comm, std::int64_t bytes,
                                    bool try_native) {
  if (job == "exchange") return std::make_unique<AllToAll>(comm, bytes, try_native);
  if (job == "broadcast") return std::make_unique<FromOne>(comm, bytes, try_native);
  if (job == "reduce") return std::make_unique<ToOne>(comm, bytes, try_native);
  throw std::runtime_error("job '" + job + "', expected exchange, broadcast or reduce");
}

/// What MPI does by itself.
void by_mpi(const std::string& job, std::int64_t bytes, const std::vector<std::byte>& out, std::vector<std::byte>& in) {
  MPI_Request request = MPI_REQUEST_NULL;
  const auto count = static_cast<int>(bytes);
  if (job == "exchange") {
    MPI_Ialltoall(out.data(), count, MPI_BYTE, in.data(), count, MPI_BYTE, MPI_COMM_WORLD, &request);
  } else if (job == "broadcast") {
    MPI_Ibcast(in.data(), count, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  } else {
    MPI_Ireduce(out.data(), in.data(), count / 4, MPI_INT32_T, MPI_SUM, 0, MPI_COMM_WORLD, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void run(std::int64_t bytes, int executions, const std::string& file, const std::string& name) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto print = [&](const std::string& line) {
    if (comm.rank() != 0) return;
    fmt::print("{}\n", line);
    (void)std::fflush(stdout);
  };
  const std::unique_ptr<Subject> planned = subject_of(name, comm, bytes, false);
  const std::unique_ptr<Subject> job = subject_of(name, comm, bytes, true);
  std::vector<std::byte> out(static_cast<std::size_t>(bytes * comm.size())), in(out.size());
  const std::vector<turns::Work> ways{planned->work("the plan"),
                                      {.name = "MPI", .run = [&] { by_mpi(name, bytes, out, in); }}};
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
      const double seconds = job->timed();
      print(fmt::format("{:3} {:9.2f} ms  {}", i, 1e3 * seconds, job->way()));
    }
    const std::vector<turns::Timed> times = turns::time_in_turns(comm, ways, 7);
    print(fmt::format("medians of 7, alternating: the plan {:.2f} ms, MPI {:.2f} ms", 1e3 * times[0].median_s,
                      1e3 * times[1].median_s));
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    run(argc > 1 ? std::atoll(argv[1]) : 65536, argc > 2 ? std::atoi(argv[2]) : 30, argc > 3 ? argv[3] : "",
        argc > 4 ? argv[4] : "exchange");
  } catch (const std::exception& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    status = 1;
    MPI_Abort(MPI_COMM_WORLD, status);
  }
  MPI_Finalize();
  return status;
}
