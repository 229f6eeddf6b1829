#include "apps/compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "apps/compare/peak_memory.hpp"
#include "apps/compare/quantile.hpp"
#include "apps/compare/recorded_transfers.hpp"
#include "apps/compare/turn_order.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::compare {
namespace {

/// See stop_comparisons_at.
std::function<int()>& stop_signal() {
  static std::function<int()> signal = [] { return 0; };
  return signal;
}

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

class Comparer {
 public:
  Comparer(const Communicator& comm, ComparedJob& job, const std::vector<std::string>& methods, int repetitions,
           bool record)
      : comm_(comm), job_(job), record_(record) {
    result_.ranks = comm.size();
    result_.bytes_moved = job.bytes_moved();
    result_.asked = repetitions;
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
    for (MethodResult& method : result_.methods) settle(method);
    if (result_.failures.empty()) {
      take_turns();
    }
    result_.verified = result_.failures.empty();
    if (result_.interrupted_by != 0 && result_.repetitions == result_.asked) result_.interrupted_by = 0;  // too late
    return std::move(result_);
  }

 private:
  void execute(Method& method) { method.execute(job_.source(), job_.target()); }
  /// Prepares a method and executes it: once to verify it and to see how much memory that takes, then until it has
  /// decided how to go on, which later jobs keep.
  void settle(MethodResult& result) {
    job_.reset_target();
    barrier(comm_);
    set_freed_memory(FreedMemory::kGiveBack);
    PeakMemory memory;
    const bool started = memory.start();
    const std::unique_ptr<Method> method = job_.make(result.name);
    execute(*method);
    const std::optional<std::int64_t> extra = started ? memory.extra() : std::nullopt;
    const bool known = largest(std::int64_t{extra ? 0 : 1}, comm_) == 0;
    if (!known) result_.peak_measured = false;
    // Buffers may lie in memory that a method before has touched already.
    result.peak_extra_bytes = largest(std::max(known ? *extra : 0, method->held_bytes()), comm_);
    verify(result.name, "first executed");
    set_freed_memory(FreedMemory::kKeep);  // otherwise MPI's own methods are slower
    method->settle(job_.source(), job_.target());
    // What it has come to hold by then.
    result.peak_extra_bytes = std::max(result.peak_extra_bytes, largest(method->held_bytes(), comm_));
  }

  void verify(const std::string& method, const char* when) {
    const auto wrong = text_of_lowest(job_.check_target(), comm_);
    if (wrong)
      result_.failures.push_back(fmt::format("{}, {}: rank {}: {}", method, when, wrong->first, wrong->second));
  }

  void take_turns() {
    std::vector<std::unique_ptr<Method>> methods;
    for (const MethodResult& result : result_.methods) {
      methods.push_back(job_.make(result.name));
      execute(*methods.back());  // touches its buffers
    }
    const std::size_t count = methods.size();
    std::vector<std::vector<double>> seconds(count);
    while (result_.repetitions < result_.asked && take_round(methods, seconds)) ++result_.repetitions;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<double>& times = seconds[i];
      times.resize(static_cast<std::size_t>(result_.repetitions));  // without the times of a round that was cut short
      MethodResult& result = result_.methods[i];
      result.samples_s = times;
      std::sort(times.begin(), times.end());
      result.lower_quartile_s = quantile(times, 0.25);
      result.upper_quartile_s = quantile(times, 0.75);
      result.median_s = quantile(times, 0.5);
      result.min_s = times.front();
      result.max_s = times.back();
      result.predicted_s = methods[i]->predicted_s();
      result.how = methods[i]->how();
      job_.reset_target();
      execute(*methods[i]);
      verify(result.name, "after the repetitions");
      if (record_ && i == 0) result_.timeline = recorded_transfers(comm_, [&] { execute(*methods[i]); });
    }
  }

  /// Whether the round was finished, and another one may follow.
  bool take_round(const std::vector<std::unique_ptr<Method>>& methods, std::vector<std::vector<double>>& seconds) {
    if (result_.interrupted_by != 0) return false;  // in the first round, which is always finished
    for (const std::size_t i : order_of_round(methods.size(), static_cast<std::size_t>(result_.repetitions))) {
      const TimedTurn turn = timed_turn(
          comm_, [&] { execute(*methods[i]); }, stop_signal());
      seconds[i].push_back(turn.seconds);
      if (turn.flag != 0) result_.interrupted_by = turn.flag;
      if (turn.flag != 0 && result_.repetitions > 0) return false;
    }
    return true;
  }

  const Communicator& comm_;
  ComparedJob& job_;
  bool record_;
  Comparison result_;
};

}  // namespace

void stop_comparisons_at(std::function<int()> signal) { stop_signal() = std::move(signal); }

void check_comparison(const Communicator& comm, const std::vector<std::string>& methods, int repetitions) {
  expect_same(comm, fmt::format("{} {}", repetitions, fmt::join(methods, " ")));
  if (repetitions < 1) throw InputError("repetitions", fmt::format("{}", repetitions), "at least 1");
}

Comparison run_comparison(const Communicator& comm, ComparedJob& job, const std::vector<std::string>& methods,
                          int repetitions, bool record) {
  return Comparer(comm, job, methods, repetitions, record).run();
}

}  // namespace sluice::compare
