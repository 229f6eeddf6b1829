// Jobs of several communicators in several threads, MPI_THREAD_MULTIPLE. See README.md for the modes.

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"
#include "stress/stress.hpp"
#include "stress/work.hpp"

namespace sluice::stress {
namespace {

/// Two communicators of all ranks, one for each thread.
struct Pair {
  MPI_Comm first = MPI_COMM_NULL;
  MPI_Comm second = MPI_COMM_NULL;

  Pair() {
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
  }
  ~Pair() {
    for (MPI_Comm* each : {&first, &second}) {
      if (*each != MPI_COMM_NULL) MPI_Comm_free(each);
    }
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
};

std::mutex one_at_a_time;  // for what a run counts

/// `part` in a thread of its own; what it throws, and what is wrong, is told of by `run`.
template <class Part>
std::thread thread_of(Run& run, const char* name, Part part) {
  return std::thread([&run, name, part = std::move(part)] {
    try {
      part();
    } catch (const std::exception& e) {
      const std::scoped_lock lock(one_at_a_time);
      run.refused(name, e.what());
    }
  });
}

Kind any_kind(std::mt19937& random) { return static_cast<Kind>(random() % static_cast<unsigned>(Kind::kKinds)); }

/// Made, executed, checked and freed, several times.
void use_jobs(Run& run, MPI_Comm comm, std::mt19937 random, int count) {
  const Comm on(comm);
  for (int i = 0; i < count; ++i) {
    const Kind kind = any_kind(random);
    const std::int64_t bytes = log_uniform(random, run.options().most_bytes);
    const auto drawn = static_cast<unsigned>(random());
    const std::unique_ptr<Work> work = make_work(kind, on, bytes, drawn);
    for (unsigned execution = 0; execution < 1 + drawn % 3; ++execution) {
      work->start(random());
      if (drawn % 2 == 0) {
        while (!work->test()) {
        }
      } else {
        work->wait();
      }
      const std::scoped_lock lock(one_at_a_time);
      work->verify(run);
      run.count_call();
    }
  }
}

/// Two threads with jobs of their own communicators.
void own(Run& run) {
  while (run.next()) {
    const Pair comms;
    const auto seed = static_cast<unsigned>(run.common());
    step("two threads with jobs of their own");
    std::thread other = thread_of(run, "the other thread", [&] { use_jobs(run, comms.second, std::mt19937(seed), 3); });
    std::thread here = thread_of(run, "a thread", [&] { use_jobs(run, comms.first, std::mt19937(seed + 1), 3); });
    here.join();
    other.join();
  }
}

/// One thread destroys jobs that are under way, on all ranks. Another thread waits in a job of another communicator for
/// a rank that comes late, and meanwhile moves on everything that is under way.
void destroy(Run& run) {
  while (run.next()) {
    const Pair comms;
    const Comm first(comms.first);
    const Comm second(comms.second);
    const auto seed = static_cast<unsigned>(run.common());
    std::atomic<bool> over = false;
    step("a thread destroys jobs under way, another one waits");
    std::thread waits = thread_of(run, "the thread that waits", [&] {
      std::mt19937 random(seed);
      for (int i = 0; i < 4; ++i) {
        const std::unique_ptr<Work> work = make_work(Kind::kAllgather, second, 1 << 16, 0);
        if (static_cast<int>(random() % static_cast<unsigned>(run.size())) == run.rank()) {
          for (int looks = 0; looks < 200 && !over; ++looks)
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
        work->start(seed + static_cast<unsigned>(i));
        work->wait();
        const std::scoped_lock lock(one_at_a_time);
        work->verify(run);
      }
    });
    std::thread destroys = thread_of(run, "the thread that destroys", [&] {
      std::mt19937 random(seed + 1);
      for (int i = 0; i < 8; ++i) {
        auto kind = any_kind(random);
        if (kind == Kind::kDynamicExchange) kind = Kind::kExchange;
        const std::int64_t bytes = log_uniform(random, run.options().most_bytes);
        try {
          const std::unique_ptr<Work> work = make_work(kind, first, bytes, static_cast<unsigned>(random()));
          work->start(run.what());
          (void)work->test();
        } catch (const JobError&) {
          // Another rank has destroyed it.
        } catch (const InputError&) {
          // Another rank has destroyed it before this rank came to it.
        }
      }
      over = true;
    });
    destroys.join();
    waits.join();
    run.count_call();
  }
}

/// A thread frees the communicator of a job under way in another thread.
void free_comm(Run& run) {
  while (run.next()) {
    Pair comms;
    const Comm first(comms.first);
    const Kind kind = any_kind(run.common);
    const std::int64_t bytes = log_uniform(run.common, run.options().most_bytes);
    const auto drawn = static_cast<unsigned>(run.common());
    std::unique_ptr<Work> work = make_work(kind, first, bytes, drawn);
    step("a communicator is freed while %s is under way in another thread", name(kind));
    work->start(run.what());
    std::thread waits = thread_of(run, "the thread that waits", [&] {
      work->wait();
      const std::scoped_lock lock(one_at_a_time);
      work->verify(run);
    });
    std::thread frees = thread_of(run, "the thread that frees", [&] {
      MPI_Comm_free(&comms.first);
      use_jobs(run, comms.second, std::mt19937(drawn), 1);
    });
    frees.join();
    waits.join();
    run.count_call();
  }
}

/// Two threads with calls of MPI that a library may take, each on communicators that it makes of one of its own. At
/// first both send on one that nobody has used.
void calls(Run& run) {
  constexpr std::int64_t kLeast = 16 << 10;  // that is taken
  while (run.next()) {
    const Pair comms;
    const Pair fresh;
    const auto seed = static_cast<unsigned>(run.common());
    step("two threads with calls of MPI");
    const auto work = [&](MPI_Comm parent, unsigned first, int tag) {
      std::mt19937 random(first);
      const int to = (run.rank() + 1) % run.size();
      const int from = (run.rank() + run.size() - 1) % run.size();
      int got = -1;
      MPI_Sendrecv(&to, 1, MPI_INT, to, tag, &got, 1, MPI_INT, from, tag, fresh.first, MPI_STATUS_IGNORE);
      if (got != run.rank()) {
        const std::scoped_lock lock(one_at_a_time);
        run.failed("MPI_Sendrecv: wrong number %d", got);
      }
      for (int i = 0; i < 3; ++i) {
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(parent, &copy);
        const std::int64_t bytes = kLeast + log_uniform(random, run.options().most_bytes) / 8 * 8;
        Buffer own;
        Buffer result;
        own.resize(bytes);
        result.resize(bytes);
        for (int again = 0; again < 4; ++again) {
          const std::uint64_t what = random();
          Pattern sum;
          for (int r = 0; r < run.size(); ++r) sum += Pattern::of(what, r);
          Pattern::of(what, run.rank()).write(own.data(), bytes);
          MPI_Allreduce(own.data(), result.data(), static_cast<int>(bytes / 8), MPI_UINT64_T, MPI_SUM, copy);
          MPI_Bcast(own.data(), static_cast<int>(bytes), MPI_BYTE, 0, copy);
          const std::scoped_lock lock(one_at_a_time);
          run.check("MPI_Allreduce", result.data(), bytes, sum);
          run.check("MPI_Bcast", own.data(), bytes, Pattern::of(what, 0));
          run.count_call();
        }
        MPI_Comm_free(&copy);
      }
    };
    std::thread other([&] { work(comms.second, seed, 0); });
    work(comms.first, seed + 1, 1);
    other.join();
  }
}

}  // namespace
}  // namespace sluice::stress

int main(int argc, char** argv) {
  using namespace sluice::stress;
  const Options options = read_options(argc, argv);
  start_watchdog(options);
  step("MPI_Init_thread");
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  start_watchdog(options);  // again, as libraries of MPI have handlers of their own
  if (provided != MPI_THREAD_MULTIPLE) {
    std::fprintf(stderr, "error: no MPI_THREAD_MULTIPLE\n");
    return 2;
  }
  int status = 0;
  {
    Run run(options);
    if (options.mode == "own") {
      own(run);
    } else if (options.mode == "destroy") {
      destroy(run);
    } else if (options.mode == "free") {
      free_comm(run);
    } else if (options.mode == "calls") {
      calls(run);
    } else {
      std::fprintf(stderr, "error: %s: expected own, destroy, free or calls\n", options.mode.c_str());
      return 2;
    }
    status = run.end();
  }
  MPI_Finalize();
  return status;
}
