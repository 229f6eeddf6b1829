#include "pmpi/record/record_writer.hpp"

#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <exception>
#include <system_error>
#include <vector>

#include "pmpi/said.hpp"

namespace sluice::pmpi {
namespace {

/// Wakes the thread. It is no descriptor, because programs close descriptors that they do not know, and open others in
/// their place. A signal handler may post it.
sem_t wake;
std::atomic<bool> stopping = false;
std::atomic<bool> is_terminated = false;
pid_t process = 0;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

timespec in_seconds(double seconds) {
  timespec time{};
  (void)clock_gettime(CLOCK_REALTIME, &time);
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  const std::int64_t sum = time.tv_nsec + static_cast<std::int64_t>(seconds * 1e9);
  time.tv_sec += static_cast<time_t>(sum / kNanoseconds);
  time.tv_nsec = static_cast<long>(sum % kNanoseconds);
  return time;
}

void terminated(int signal) {
  if (getpid() != process) {  // a child that was forked has no thread to do it
    (void)std::signal(signal, SIG_DFL);
    (void)raise(signal);
    return;
  }
  const int kept = errno;
  is_terminated = true;
  (void)sem_post(&wake);
  errno = kept;
}

}  // namespace

RecordWriter::RecordWriter(RecordFolder& folder, double interval_s) : folder_(folder), interval_s_(interval_s) {
  try {
    if (sem_init(&wake, 0, 0) != 0) throw std::system_error(errno, std::generic_category(), "semaphore");
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the program's threads
    try {
      thread_ = std::thread([this] { run(); });
    } catch (...) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  } catch (const std::system_error& error) {
    say_once("SLUICE_RECORD", std::string("written at the end only: ") + error.what());
    return;
  }
  process = getpid();
  struct sigaction now {};
  if (sigaction(SIGTERM, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction ours {};
  ours.sa_handler = terminated;
  ours.sa_flags = SA_RESTART;
  sigemptyset(&ours.sa_mask);
  (void)sigaction(SIGTERM, &ours, nullptr);
}

void RecordWriter::stop() {
  if (!thread_.joinable()) return;
  struct sigaction now {};
  if (sigaction(SIGTERM, nullptr, &now) == 0 && now.sa_handler == terminated) (void)std::signal(SIGTERM, SIG_DFL);
  stopping = true;
  (void)sem_post(&wake);
  thread_.join();
  if (is_terminated) (void)kill(getpid(), SIGTERM);  // it came when the thread was on its way out
}

void RecordWriter::write(bool files) {
  const std::scoped_lock lock(writing_);
  if (finished_) return;
  try {
    folder_.write_part();
    if (files) folder_.write_files();
  } catch (const std::exception& error) {
    say_once("SLUICE_RECORD", error.what());
  }
}

void RecordWriter::finish() {
  const std::vector<std::string> parts = folder_.gather_parts();
  {
    const std::scoped_lock lock(writing_);
    finished_ = true;
    try {
      if (folder_.rank() == 0) folder_.write_last(parts);
    } catch (const std::exception& error) {
      say_once("SLUICE_RECORD", error.what());
    }
  }
  folder_.close();
  stop();
}

void RecordWriter::run() {
  using Clock = std::chrono::steady_clock;
  constexpr double kMostOfTime = 0.01;  // the share of time that writing may take
  constexpr double kForOthers_s = 0.1;
  const bool is_first = folder_.rank() == 0;
  double wait_s = interval_s_;
  for (;;) {
    const timespec until = in_seconds(std::min(wait_s, 1e6));
    while (sem_timedwait(&wake, &until) != 0 && errno == EINTR) continue;
    const bool told = is_terminated.exchange(false);
    if (!told && stopping) return;
    const Clock::time_point start = Clock::now();
    write(is_first);
    // All ranks are told to end at about the same time: if there is time, rank 0 writes what they have written.
    if (told && is_first) {
      std::this_thread::sleep_for(std::chrono::duration<double>(kForOthers_s));
      write(true);
    }
    wait_s = std::max(interval_s_, std::chrono::duration<double>(Clock::now() - start).count() / kMostOfTime);
    if (!told) continue;
    (void)std::signal(SIGTERM, SIG_DFL);
    (void)kill(getpid(), SIGTERM);
    return;
  }
}

}  // namespace sluice::pmpi
