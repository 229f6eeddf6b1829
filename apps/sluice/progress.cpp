#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace sluice::command {

namespace {
constexpr const char* kClearLine = "\r\x1b[K";
}

Progress::Progress(std::int64_t total) : total_(total), on_terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (on_terminal_) std::fputs(kClearLine, stderr);
}

void Progress::show(std::int64_t done, const std::string& what) const {
  if (!on_terminal_) return;
  constexpr std::int64_t kWidth = 30;
  const std::int64_t filled = kWidth * std::min(done, total_) / std::max<std::int64_t>(total_, 1);
  const std::string line =
      fmt::format("{}[{:#<{}}{:{}}] {}/{} {}", kClearLine, "", filled, "", kWidth - filled, done, total_, what);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace sluice::command
