#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace sluice::mpi::detail {

/// A thread that drives MPI while the thread it belongs to is busy with something else. The two never drive it at the
/// same time: what one of them did is visible to the other.
///
/// Both may nevertheless call MPI at the same time, because the work may: MPI_THREAD_MULTIPLE is needed.
class ProgressThread {
 public:
  ProgressThread();
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  /// Whether MPI was started so that there can be one.
  [[nodiscard]] static bool possible();

  /// Does `work` here while the thread calls `step` over and over; `step` says whether anything has come to pass, and
  /// is left alone for a while if not. Both are over on return. Throws what either throws, `work` first.
  void during(const std::function<void()>& work, const std::function<bool()>& step);

 private:
  enum class Task { kNone, kStep, kEnd };

  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  Task task_ = Task::kNone;
  bool busy_ = false;  ///< the thread is between the start of a task and its end
  const std::function<bool()>* step_ = nullptr;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace sluice::mpi::detail
