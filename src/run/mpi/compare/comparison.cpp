#include "run/mpi/compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "run/mpi/agreement.hpp"
#include "run/mpi/collective.hpp"
#include "run/mpi/compare/peak_memory.hpp"
#include "run/mpi/median.hpp"
#include "run/mpi/simulation.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// One message of a size that MPI sends with a handshake between every two ranks, and a short one: what MPI sets up
/// with the first message to a peer must not count for the method that happens to come first.
void meet_everybody(const Communicator& comm) {
  if (kSimulated) return;  // nothing is set up there
  std::vector<std::byte> out(256 << 10);
  std::vector<std::byte> in(out.size());
  for (int distance = 1; distance < comm.size(); ++distance) {
    const int to = (comm.rank() + distance) % comm.size();
    const int from = (comm.rank() + comm.size() - distance) % comm.size();
    for (const int bytes : {64, static_cast<int>(out.size())}) {
      SLUICE_MPI(MPI_Sendrecv(out.data(), bytes, MPI_BYTE, to, 0, in.data(), bytes, MPI_BYTE, from, 0, comm.get(),
                              MPI_STATUS_IGNORE));
    }
  }
}

/// The text of the lowest rank that has one, with its rank, on all ranks; "" if none has.
std::string first_text(const std::string& text, const Communicator& comm) {
  const int speaker = comm.size() - largest(text.empty() ? 0 : comm.size() - comm.rank(), comm);
  if (speaker == comm.size()) return "";
  std::array<char, 256> buffer{};
  if (comm.rank() == speaker) text.copy(buffer.data(), buffer.size() - 1);
  SLUICE_MPI(MPI_Bcast(buffer.data(), static_cast<int>(buffer.size()), MPI_CHAR, speaker, comm.get()));
  return fmt::format("rank {}: {}", speaker, buffer.data());
}

class Comparer {
 public:
  Comparer(const Communicator& comm, ComparedJob& job, const std::vector<std::string>& methods, int repetitions)
      : comm_(comm), job_(job) {
    result_.ranks = comm.size();
    result_.bytes_moved = job.bytes_moved();
    result_.repetitions = repetitions;
    result_.peak_measured = true;
    for (const std::string& name : methods) {
      const std::string why = job.beyond(name);
      if (why.empty()) {
        result_.methods.emplace_back().name = name;
      } else {
        result_.left_out.push_back(fmt::format("{}: {}", name, why));
      }
    }
    if (result_.methods.empty() && !methods.empty()) {
      throw InputError("methods", result_.left_out.front(), "one that can do the job");
    }
  }

  Comparison run() {
    meet_everybody(comm_);
    set_freed_memory(FreedMemory::kGiveBack);
    for (MethodResult& method : result_.methods) watch(method);
    set_freed_memory(FreedMemory::kKeep);
    if (result_.failures.empty()) {
      take_turns();
    }
    result_.verified = result_.failures.empty();
    return std::move(result_);
  }

 private:
  void execute(Method& method) { method.execute(job_.source(), job_.target()); }

  /// Prepares and executes a method for the first time, and sees how much memory that takes.
  void watch(MethodResult& result) {
    job_.reset_target();
    barrier(comm_);
    PeakMemory memory;
    const bool started = memory.start();
    const std::unique_ptr<Method> method = job_.make(result.name);
    execute(*method);
    const std::optional<std::int64_t> extra = started ? memory.extra() : std::nullopt;
    const int unknown = largest(extra ? 0 : 1, comm_);
    if (unknown != 0) result_.peak_measured = false;
    const std::array<std::int64_t, 2> peaks{largest(extra.value_or(0), comm_), largest(method->held_bytes(), comm_)};
    result.peak_extra_bytes = unknown != 0 ? peaks[1] : peaks[0];
    verify(result.name, "first executed");
  }

  void verify(const std::string& method, const char* when) {
    const std::string wrong = first_text(job_.check_target(), comm_);
    if (!wrong.empty()) result_.failures.push_back(fmt::format("{}, {}: {}", method, when, wrong));
  }

  void take_turns() {
    std::vector<std::unique_ptr<Method>> methods;
    for (const MethodResult& result : result_.methods) {
      methods.push_back(job_.make(result.name));
      execute(*methods.back());  // touches its buffers
    }
    const std::size_t count = methods.size();
    std::vector<std::vector<double>> seconds(count);
    for (int round = 0; round < result_.repetitions; ++round) {
      for (std::size_t turn = 0; turn < count; ++turn) {
        // Each round begins with another method.
        const std::size_t i = (turn + static_cast<std::size_t>(round)) % count;
        seconds[i].push_back(time_of_slowest(comm_, [&] { execute(*methods[i]); }));
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<double>& times = seconds[i];
      MethodResult& result = result_.methods[i];
      result.median_s = median(times);
      result.min_s = std::ranges::min(times);
      result.max_s = std::ranges::max(times);
      result.predicted_s = methods[i]->predicted_s();
      result.how = methods[i]->how();
      job_.reset_target();
      execute(*methods[i]);
      verify(result.name, "after the repetitions");
    }
  }

  const Communicator& comm_;
  ComparedJob& job_;
  Comparison result_;
};

}  // namespace

void check_comparison(const Communicator& comm, const std::vector<std::string>& methods, int repetitions) {
  std::exception_ptr failure;
  Fingerprint print;
  print.add(repetitions);
  for (const std::string& name : methods) print.add(name);
  if (repetitions < 1) {
    failure = std::make_exception_ptr(InputError("repetitions", fmt::format("{}", repetitions), "at least 1"));
  }
  agree(comm, print.value(), failure);
}

Comparison compare(const Communicator& comm, ComparedJob& job, const std::vector<std::string>& methods,
                   int repetitions) {
  return Comparer(comm, job, methods, repetitions).run();
}

}  // namespace sluice::mpi::detail
