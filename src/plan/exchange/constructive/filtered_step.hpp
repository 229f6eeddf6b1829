#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::detail {

/// `percent` percent of `value`: the next threshold after `value`.
[[nodiscard]] constexpr std::int64_t percent_of(std::int64_t value, std::int64_t percent) {
  return value / 100 * percent + value % 100 * percent / 100;
}

/// The duration of a step of filtration (filtration.hpp). A step lasts as long as the rest of one of its messages. It
/// takes the rest with the highest value per time, set-up included; of equal ones the shortest. The value is what the
/// step sends, and `worth_of_end`, a cost, for each message that ends. `rest(i)`: what is left of the i-th of `count`
/// messages, the largest first.
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
