#include "elapsed.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "terminal.hpp"

namespace sluice::command {

Elapsed::Elapsed(const char* what) {
  if (!shows_progress()) return;
  clock_ = std::jthread([what](const std::stop_token& stop) {
    constexpr const char* kClear = "\r\x1b[K";
    constexpr std::chrono::milliseconds kLook(100);
    constexpr int kFirst = 10, kBetween = 5;  // looks
    const auto start = std::chrono::steady_clock::now();
    bool shown = false;
    for (int look = 1; !stop.stop_requested(); ++look) {
      std::this_thread::sleep_for(kLook);
      if (look < kFirst || look % kBetween != 0) continue;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      std::fputs(fmt::format("{}{} ... {:.0f} s", kClear, what, seconds).c_str(), stderr);
      std::fflush(stderr);
      shown = true;
    }
    if (shown) std::fputs(kClear, stderr);
  });
}

}  // namespace sluice::command
