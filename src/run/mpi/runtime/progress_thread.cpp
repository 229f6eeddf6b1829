#include "run/mpi/runtime/progress_thread.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>

#include "run/mpi/runtime/node_room.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// The pause between two looks when nothing has happened, each longer by an eighth than the previous one. It is short
/// compared with the time waited so far, and with any message that needs progress. It is long enough to leave a single
/// processor to the work.
constexpr std::chrono::nanoseconds kShortestPause{50'000};
constexpr std::chrono::nanoseconds kLongestPause{400'000};

}  // namespace

bool ProgressThread::possible() {
#ifdef SMPI_H
  return false;  // a simulated rank has one thread, and messages move without it
#else
  int provided = MPI_THREAD_SINGLE;
  SLUICE_MPI(MPI_Query_thread(&provided));
  return provided == MPI_THREAD_MULTIPLE;
#endif
}

ProgressThread::ProgressThread() : thread_([this] { run(); }) {}

ProgressThread::~ProgressThread() {
  if (forked_child()) {
    thread_.detach();  // it is the parent's, and its mutex may be held there
    return;
  }
  {
    const std::scoped_lock lock(mutex_);
    task_ = Task::kEnd;
  }
  changed_.notify_all();
  thread_.join();
}

void ProgressThread::during(const std::function<void()>& work, const std::function<bool()>& step) {
  {
    const std::scoped_lock lock(mutex_);
    task_ = Task::kStep;
    step_ = &step;
    failure_ = nullptr;
  }
  changed_.notify_all();
  const auto stop = [this] {
    std::unique_lock lock(mutex_);
    task_ = Task::kNone;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !busy_; });
  };
  try {
    work();
  } catch (...) {
    stop();
    throw;
  }
  stop();
  if (failure_) std::rethrow_exception(failure_);
}

void ProgressThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return task_ != Task::kNone; });
    if (task_ == Task::kEnd) return;
    busy_ = true;
    std::chrono::nanoseconds pause = kShortestPause;
    while (task_ == Task::kStep && !failure_) {
      lock.unlock();
      bool progress = false;
      std::exception_ptr failure;
      try {
        progress = (*step_)();
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      failure_ = failure;
      if (progress) {
        pause = kShortestPause;
      } else if (!failure_) {
        changed_.wait_for(lock, pause, [this] { return task_ != Task::kStep; });
        pause = std::min(kLongestPause, pause + pause / 8);
      }
    }
    changed_.wait(lock, [this] { return task_ != Task::kStep; });
    busy_ = false;
    changed_.notify_all();
    if (task_ == Task::kEnd) return;
  }
}

}  // namespace sluice::mpi::detail
