#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::detail {

/// The threshold after that of `value`: so many percent of it.
[[nodiscard]] constexpr std::int64_t percent_of(std::int64_t value, std::int64_t percent) {
  return value / 100 * percent + value % 100 * percent / 100;
}

/// How long a step of filtration lasts (filtration.hpp): as long as what is left of one of its messages, that for which
/// the sum of what it sends and of `worth_of_end`, a cost, for each message that ends is the most for the time that it
/// takes, set-up included; of equal ones the shortest. `rest(i)`: what is left of the i-th of `count` messages, the
/// largest first.
template <class Rest>
[[nodiscard]] std::int64_t best_duration(std::size_t count, Rest rest, double setup, double worth_of_end) {
  double best = -1;
  std::int64_t duration = 0;
  double ended = 0;  // sum of the rests that are shorter
  for (std::size_t i = count; i > 0; --i) {
    const std::int64_t whole = rest(i - 1);
    const auto longest = static_cast<double>(whole);
    if (i == 1 || rest(i - 2) > whole) {  // the last of equal ones
      const auto ending = static_cast<double>(count - i + 1);
      const double value = ended + longest * static_cast<double>(i) + worth_of_end * ending;
      const double rate = value / (longest + setup);
      if (rate > best) {
        best = rate;
        duration = whole;
      }
    }
    ended += longest;
  }
  return duration;
}

}  // namespace sluice::detail
