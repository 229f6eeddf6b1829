#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "run/mpi/runtime/collective.hpp"

namespace sluice::mpi::detail {

/// Whether the best way of a job still takes its usual time: a network may change its speed while a program runs.
/// Executions are examined in windows of three, by the times of all ranks:
///
///  - slower: some rank took at least 1.3 times the usual time in each of them;
///  - faster: no rank took more than the usual time over 1.3 in any of them.
///
/// Then the ways are measured again. Ranks that come late to every execution look like a slow network. So if measuring
/// again does not change the way, twice as many windows in a row have to be off before it is measured once more.
class WayWatch {
 public:
  static constexpr int kWindow = 3;
  static constexpr double kOff = 1.3;
  /// Shorter executions are not watched: what their ranks say to each other would cost more than they could win.
  static constexpr double kShortest_s = 1e-3;

  /// The way takes that long on the slowest rank, from now on. `as_before`: it is the way that was watched before.
  void expect(double usual_s, bool as_before) {
    usual_s_ = usual_s;
    patience_ = as_before ? 2 * patience_ : 1;
    off_ = 0;
    restart();
  }
  [[nodiscard]] bool watches() const { return usual_s_ >= kShortest_s; }

  /// What an execution took on this rank.
  void add(double time_s) {
    ++executions_;
    least_s_ = std::min(least_s_, time_s);
    most_s_ = std::max(most_s_, time_s);
  }
  [[nodiscard]] bool full() const { return executions_ >= kWindow; }
  /// Ends the window. Returns the words of this rank: all ranks need the largest of each.
  [[nodiscard]] std::vector<std::uint64_t> end_window() {
    std::vector<std::uint64_t> words{ordered_word(least_s_), ordered_word(most_s_)};
    restart();
    return words;
  }
  /// Whether the ways are to be measured again, by the largest words of a window.
  [[nodiscard]] bool judge(const std::vector<std::uint64_t>& largest) {
    const double least_s = number_of(largest.at(0));
    const double most_s = number_of(largest.at(1));
    const bool off = least_s > kOff * usual_s_ || most_s < usual_s_ / kOff;
    off_ = off ? off_ + 1 : 0;
    return off_ >= patience_;
  }

 private:
  void restart() {
    executions_ = 0;
    least_s_ = std::numeric_limits<double>::infinity();
    most_s_ = 0;
  }

  double usual_s_ = 0;  ///< 0: nothing is watched
  std::int64_t patience_ = 1;
  std::int64_t off_ = 0;  ///< windows in a row
  int executions_ = 0;    ///< of the window
  double least_s_ = std::numeric_limits<double>::infinity();
  double most_s_ = 0;
};

}  // namespace sluice::mpi::detail
