#include "interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>

#include "command.hpp"

namespace sluice::command {

namespace {

std::atomic<bool> requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");
struct sigaction action_before = {};

extern "C" void request_stop(int /*signal*/) {
  requested = true;
  static constexpr char kNotice[] = "\ninterrupted: ending with the best plan so far; Ctrl-C again ends at once\n";
  if (::isatty(STDERR_FILENO) == 1) (void)!::write(STDERR_FILENO, kNotice, sizeof kNotice - 1);
}

}  // namespace

Interruptible::Interruptible(bool searches) : searches_(searches) {
  if (!searches_) return;
  struct sigaction action = {};
  action.sa_handler = request_stop;
  // The handler is removed after the first signal.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  ::sigaction(SIGINT, &action, &action_before);
}

Interruptible::~Interruptible() {
  if (searches_) ::sigaction(SIGINT, &action_before, nullptr);
}

bool was_interrupted() { return requested; }

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

int status_unless_interrupted(int status) { return status == kDone && was_interrupted() ? kInterrupted : status; }

std::string end_of_search_text(bool stopped) {
  if (was_interrupted()) return "; interrupted by Ctrl-C";
  return stopped ? "; stopped by the time limit" : "";
}

bool searches(const std::string& algorithm) { return algorithm == "auto" || algorithm == "exact"; }

}  // namespace sluice::command
