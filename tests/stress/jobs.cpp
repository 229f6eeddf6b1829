// Every job of sluice::mpi, made, executed, checked byte by byte and freed, with random arguments on communicators that
// come and go. See README.md for the modes.

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "stress/stress.hpp"
#include "stress/work.hpp"

namespace sluice::stress {
namespace {

/// Jobs that are alive, some of them under way.
class Works {
 public:
  explicit Works(Run& run) : run_(run) {}

  [[nodiscard]] std::size_t count() const { return works_.size(); }

  void make_one(const Comm& on) {
    std::mt19937& random = run_.common;
    const auto kind = static_cast<Kind>(random() % static_cast<unsigned>(Kind::kKinds));
    const std::int64_t bytes = log_uniform(random, run_.options().most_bytes);
    const auto drawn = static_cast<unsigned>(random());
    make(kind, on, bytes, drawn);
  }

  void make(Kind kind, const Comm& on, std::int64_t bytes, unsigned drawn) {
    works_.push_back(nullptr);
    if (on.comm == MPI_COMM_NULL) return;
    step("making %s of %lld bytes on %d ranks", name(kind), static_cast<long long>(bytes), on.size);
    guarded("constructor", [&] { works_.back() = make_work(kind, on, bytes, drawn); });
  }

  void execute(std::size_t which, unsigned how) {
    run_.count_call();
    Work* const work = works_[which].get();
    if (work == nullptr) return;
    step("executing %s", work->text().c_str());
    const bool done = guarded("execution", [&] {
      work->start(run_.what());
      if (how == 0) {
        while (!work->test()) {
        }
      } else {
        work->wait();
      }
    });
    if (done) {
      work->verify(run_);
    } else {
      works_[which] = nullptr;  // of no further use
    }
  }

  /// All of them at the same time.
  void execute_all(bool with_trouble) {
    std::vector<Work*> under_way;
    for (const std::unique_ptr<Work>& work : works_) {
      run_.count_call();
      if (work == nullptr) continue;
      step("starting %s", work->text().c_str());
      if (guarded("start", [&] { work->start(run_.what()); })) under_way.push_back(work.get());
    }
    if (with_trouble) run_.strike();
    for (Work* const work : under_way) {
      step("waiting for %s", work->text().c_str());
      if (guarded("wait", [&] { work->wait(); })) {
        work->verify(run_);
      } else {
        std::ranges::replace_if(
            works_, [&](const auto& each) { return each.get() == work; }, nullptr);
      }
    }
  }

  void free_one(std::size_t which) {
    step("destroying a job");
    works_.erase(works_.begin() + static_cast<std::ptrdiff_t>(which));
  }

 private:
  template <class Part>
  bool guarded(const char* what, const Part& part) {
    try {
      part();
      return true;
    } catch (const std::exception& e) {
      run_.refused(what, (std::string(step_text.data()) + ": " + e.what()).c_str());
      return false;
    }
  }

  Run& run_;
  std::vector<std::unique_ptr<Work>> works_;
};

std::vector<std::unique_ptr<Work>> kept;  // they outlive MPI_Finalize

void mix(Run& run) {
  // Not to be touched by a child that ends by exit.
  if (run.options().trouble == "fork") {
    kept.push_back(make_work(Kind::kAllgather, Comm(MPI_COMM_WORLD), 1 << 20, 0));
    kept.back()->start(run.what());
    kept.back()->wait();
  }
  Comms comms(run);
  Works works(run);  // jobs may go after their communicator, or before
  std::mt19937& random = run.common;
  while (run.next()) {
    if (run.begins_anew()) {
      while (works.count() > 0) works.free_one(0);
      comms.free_all();
    }
    if (comms.count() == 0 || (comms.count() < 6 && random() % 4 == 0)) comms.make_one();
    const std::size_t where = random() % comms.count();
    works.make_one(comms[where]);
    const auto times = static_cast<int>(1 + random() % 3);
    for (int i = 0; i < times; ++i) works.execute(works.count() - 1, random() % 2);
    const auto then = static_cast<unsigned>(random() % 6);
    if (then == 0) works.execute_all(run.options().trouble == "fork");
    if (then == 1) comms.free_one(where);
    if (then == 2) works.free_one(works.count() - 1);
    plain_call(run);
    if (then == 3) comms.free_one(random() % comms.count());
    while (works.count() > 6) works.free_one(random() % works.count());
  }
}

/// A communicator, a job of 1 MiB, and both are freed.
void loop(Run& run) {
  constexpr std::int64_t kBytes = 1 << 20;
  std::mt19937& random = run.common;
  while (run.next()) {
    MPI_Comm copy = MPI_COMM_NULL;
    step("MPI_Comm_dup");
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const bool comm_first = random() % 2 == 0;
    {
      Works works(run);
      const Comm on(copy);
      const auto kind = static_cast<Kind>(random() % static_cast<unsigned>(Kind::kKinds));
      works.make(kind, on, kBytes, static_cast<unsigned>(random()));
      works.execute(0, 1);
      if (comm_first) {
        step("MPI_Comm_free");
        MPI_Comm_free(&copy);
      }
      step("destroying a job");
    }
    step("MPI_Comm_free");
    if (!comm_first) MPI_Comm_free(&copy);
  }
}

/// Jobs fail on one rank, one after the other on one communicator, and a good job serves after each. What they leave
/// behind is bounded: the second half never has more memory than the first half. `planned`: no job fails in a
/// collective of MPI's own, because the library then begins anew and keeps nothing.
void failures(Run& run, bool planned) {
  constexpr std::int64_t kBytes = 1 << 20;
  std::mt19937& random = run.common;
  const Comm world(MPI_COMM_WORLD);
  double most_mib[2] = {0, 0};  // of each half
  while (run.next()) {
    const auto rank = static_cast<int>(run.round() % run.size());
    auto what = static_cast<unsigned>(random() % 3);
    auto kind = static_cast<Kind>(random() % static_cast<unsigned>(Kind::kKinds));
    // What is bad there does no harm, and objects may be any.
    if (kind == Kind::kDynamicExchange || (what == 0 && kind == Kind::kObjectReduction)) kind = Kind::kAllreduce;
    if (planned) {
      kind = static_cast<Kind>(static_cast<unsigned>(Kind::kScatter) + random() % 6);  // up to ReduceScatter
      what %= 2;
    }
    const auto drawn = static_cast<unsigned>(random());
    std::unique_ptr<Work> work;
    std::string error;
    step("making %s, to fail on rank %d", name(kind), rank);
    try {
      if (what == 2) {
        work = std::make_unique<Join>(world, kBytes, rank, true);
      } else {
        work = make_work(kind, world, kBytes, drawn, !planned);
      }
      step("%s on rank %d: %s", what == 0 ? "a bad argument" : what == 1 ? "destroyed" : "throws", rank, name(kind));
      // The others come to wait for this one.
      constexpr auto kLate = std::chrono::milliseconds(5);
      if (what == 0 && run.rank() == rank) {
        std::this_thread::sleep_for(kLate);
        work->start_badly();
        run.failed("%s: no error for a bad argument", name(kind));
      } else {
        work->start(run.what());
        if (what == 1 && run.rank() == rank) {
          std::this_thread::sleep_for(kLate);
          work = nullptr;
        } else {
          work->wait();
        }
      }
    } catch (const std::exception& e) {
      error = e.what();
    }
    if (error.empty() && run.size() > 1 && (what == 2 || (what == 0 && run.rank() == rank))) {
      run.failed("%s: no error", name(kind));
    }
    step("destroying a job that failed");
    work = nullptr;
    run.count_call();
    Works good(run);
    good.make(Kind::kAllreduce, world, 1 + drawn % kBytes, drawn);
    good.execute(0, 1);
    const double mib = Run::shared_mib();
    double& most = most_mib[run.round() > run.options().rounds / 2 ? 1 : 0];
    most = std::max(most, mib);
    if (run.rank() == 0 && (run.round() == 1 || run.round() == run.options().rounds)) {
      std::printf("stress: %lld jobs have failed: %.1f MiB shared\n", static_cast<long long>(run.round()), mib);
    }
  }
  run.expect_at_most("growth of shared memory by the second half of the jobs that fail", most_mib[1] - most_mib[0]);
}

/// Jobs of static variables, which outlive MPI_Finalize; `running`: it comes while they are under way.
void finalize(Run& run, bool running) {
  const Comm world(MPI_COMM_WORLD);
  for (int kind = 0; kind < static_cast<int>(Kind::kKinds); ++kind) {
    step("making %s", name(static_cast<Kind>(kind)));
    kept.push_back(make_work(static_cast<Kind>(kind), world, 1 << 20, run.options().seed));
    kept.back()->start(run.what());
    // What is posted to a dynamic exchange may be left there.
    if (running) continue;
    kept.back()->wait();
    kept.back()->verify(run);
  }
}

}  // namespace
}  // namespace sluice::stress

int main(int argc, char** argv) {
  using namespace sluice::stress;
  const Options options = read_options(argc, argv);
  start_watchdog(options);
  step("MPI_Init");
  MPI_Init(&argc, &argv);
  start_watchdog(options);  // again, as libraries of MPI have handlers of their own
  int status = 0;
  {
    Run run(options);
    if (options.mode == "mix") {
      mix(run);
    } else if (options.mode == "loop") {
      loop(run);
    } else if (options.mode == "failures" || options.mode == "failures-kept") {
      failures(run, options.mode == "failures-kept");
    } else if (options.mode == "finalize" || options.mode == "finalize-running") {
      finalize(run, options.mode == "finalize-running");
      status = run.bad() ? 1 : 0;
      step("MPI_Finalize");
      MPI_Finalize();
      step("the end of the program");
      return status;
    } else {
      std::fprintf(stderr, "error: %s: expected mix, loop, failures, failures-kept, finalize or finalize-running\n",
                   options.mode.c_str());
      return 2;
    }
    status = run.end();
  }
  MPI_Finalize();
  return status;
}
