#include "apps/sluice/output/elapsed.hpp"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>

#include "apps/sluice/output/terminal.hpp"

namespace sluice::command {

Elapsed::Elapsed(const char* what) {
  if (!shows_progress()) return;
  clock_ = std::jthread([what](const std::stop_token& stop) {
    constexpr const char* kClear = "\r\x1b[K";
    constexpr std::chrono::milliseconds kFirst(1000), kBetween(500);
    const auto start = std::chrono::steady_clock::now();
    std::mutex mutex;  // nobody else's: the wait, which ends at once when it is to stop, takes one
    std::condition_variable_any nothing;
    std::unique_lock lock(mutex);
    bool shown = false;
    while (!nothing.wait_for(lock, stop, shown ? kBetween : kFirst, [] { return false; }) && !stop.stop_requested()) {
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      std::fputs(fmt::format("{}{} ... {:.0f} s", kClear, what, seconds).c_str(), stderr);
      std::fflush(stderr);
      shown = true;
    }
    if (shown) std::fputs(kClear, stderr);
  });
}

}  // namespace sluice::command
