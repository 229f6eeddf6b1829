#include "apps/sluice/options/interrupt.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>

#include "apps/sluice/command.hpp"
#include "apps/sluice/output/files.hpp"

namespace sluice::command {

namespace {

std::atomic<int> requested_by{0};              ///< the signal; 0: none
std::atomic<std::int64_t> requested_at_ms{0};  ///< on the monotonic clock
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler writes it");
constexpr std::array<int, 2> kRequests{SIGINT, SIGTERM};
std::array<struct sigaction, kRequests.size()> actions_before = {};

/// `timeout`, and others that end jobs, signal the process and then its group: what comes within half a second of the
/// first signal is the same request. A later one ends the process.
constexpr std::int64_t kOneRequest_ms = 500;

std::int64_t now_ms() {
  struct timespec now = {};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

extern "C" void request_stop(int signal) {
  if (requested_by != 0) {
    if (now_ms() - requested_at_ms < kOneRequest_ms) return;
    remove_unfinished();
    (void)::signal(signal, SIG_DFL);
    (void)::raise(signal);  // delivered when this handler returns
    return;
  }
  requested_at_ms = now_ms();
  requested_by = signal;
  static constexpr char kNotice[] = "\ninterrupted: ending with what there is so far; Ctrl-C again ends at once\n";
  if (::isatty(STDERR_FILENO) == 1) (void)!::write(STDERR_FILENO, kNotice, sizeof kNotice - 1);
}

}  // namespace

Interruptible::Interruptible(bool searches) : searches_(searches) {
  if (!searches_) return;
  watch_unfinished();
  struct sigaction action = {};
  action.sa_handler = request_stop;
  for (const int each : kRequests) (void)::sigaddset(&action.sa_mask, each);
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kRequests.size(); ++i) (void)::sigaction(kRequests[i], &action, &actions_before[i]);
}

Interruptible::~Interruptible() {
  if (!searches_) return;
  for (std::size_t i = 0; i < kRequests.size(); ++i) (void)::sigaction(kRequests[i], &actions_before[i], nullptr);
}

bool was_interrupted() { return requested_by != 0; }

int interrupting_signal() { return requested_by; }

std::string interrupted_text() {
  if (!was_interrupted()) return "";
  return requested_by == SIGTERM ? "interrupted by SIGTERM" : "interrupted by Ctrl-C";
}

StopRequest stop_at_interrupt() {
  return [] { return was_interrupted(); };
}

TimeLimit::TimeLimit(double seconds) {
  constexpr double kLongest_s = 1e9;  // more does not fit the clock
  if (seconds < kLongest_s)
    end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

StopRequest TimeLimit::stop() const {
  return [end = end_, reached = reached_] {
    if (end && Clock::now() >= *end) *reached = true;
    return *reached || was_interrupted();
  };
}

int status_unless_interrupted(int status) {
  if (status != kDone || !was_interrupted()) return status;
  return requested_by == SIGTERM ? kTerminated : kInterrupted;
}

std::string end_of_search_text(bool stopped) {
  if (was_interrupted()) return "; " + interrupted_text();
  return stopped ? "; stopped by the time limit" : "";
}

bool searches(const std::string& algorithm) { return algorithm == "auto" || algorithm == "exact"; }

}  // namespace sluice::command
