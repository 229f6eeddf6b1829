#include "pmpi/record/record_writer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <exception>
#include <system_error>

#include "pmpi/said.hpp"

namespace sluice::pmpi {
namespace {

constexpr char kStop = 's';
constexpr char kTerminated = 't';

/// What wakes the thread: a signal handler may write to it.
std::array<int, 2> wake{-1, -1};
pid_t process = 0;

void terminated(int signal) {
  if (getpid() != process) {  // a child that was forked has no thread to do it
    (void)std::signal(signal, SIG_DFL);
    (void)raise(signal);
    return;
  }
  const int kept = errno;
  (void)!write(wake[1], &kTerminated, 1);
  errno = kept;
}

}  // namespace

RecordWriter::RecordWriter(const RecordFolder& folder, double interval_s) : folder_(folder), interval_s_(interval_s) {
  try {
    if (pipe2(wake.data(), O_CLOEXEC | O_NONBLOCK) != 0)
      throw std::system_error(errno, std::generic_category(), "pipe");
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
  (void)!::write(wake[1], &kStop, 1);
  thread_.join();
  struct sigaction now {};
  if (sigaction(SIGTERM, nullptr, &now) == 0 && now.sa_handler == terminated) (void)std::signal(SIGTERM, SIG_DFL);
}

void RecordWriter::write() {
  const std::scoped_lock lock(writing_);
  try {
    folder_.write_part();
    if (folder_.rank() == 0) folder_.write_files();
  } catch (const std::exception& error) {
    say_once("SLUICE_RECORD", error.what());
  }
}

void RecordWriter::run() {
  using Clock = std::chrono::steady_clock;
  constexpr double kMostOfTime = 0.01;  // so much of it goes into writing
  constexpr double kForOthers_s = 0.1;
  double wait_s = interval_s_;
  for (;;) {
    pollfd look{wake[0], POLLIN, 0};
    const int woken = poll(&look, 1, static_cast<int>(std::min(wait_s, 1e6) * 1000));
    char what = 0;
    const bool told = woken > 0 && read(wake[0], &what, 1) == 1;
    if (told && what == kStop) return;
    // All ranks are told to end at about the same time: rank 0 writes what they have written.
    if (told && folder_.rank() == 0) std::this_thread::sleep_for(std::chrono::duration<double>(kForOthers_s));
    const Clock::time_point start = Clock::now();
    write();
    wait_s = std::max(interval_s_, std::chrono::duration<double>(Clock::now() - start).count() / kMostOfTime);
    if (!told) continue;
    (void)std::signal(SIGTERM, SIG_DFL);
    (void)kill(getpid(), SIGTERM);
    return;
  }
}

}  // namespace sluice::pmpi
