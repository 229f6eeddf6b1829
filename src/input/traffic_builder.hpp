#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "input/decimal_number.hpp"
#include "input/text_scanner.hpp"
#include "sluice/input/traffic.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

/// Gathers the messages of a file, and at the end makes integers of their sizes: see traffic_file.hpp for the rule.
///
/// 24 bytes per message, and 4 more once a size has a fraction.
class TrafficBuilder {
 public:
  explicit TrafficBuilder(std::int64_t most_messages) : most_messages_(most_messages) {}

  void reserve(std::size_t messages) { messages_.reserve(messages); }

  /// Adds one entry, at the place of `in`; an empty one is left out. Throws InputError if there are too many, or `size`
  /// is beyond int64. @pre not negative, unless zero
  void add(std::int64_t from, std::int64_t to, const DecimalNumber& size, const TextScanner& in) {
    if (size.digits == 0) return;
    if (std::ssize(messages_) == most_messages_)
      in.fail(fmt::format("more than {} above 0", count_text(most_messages_, "size")),
              fmt::format("at most {}", most_messages_));
    if (!add_message(from, to, size)) in.fail("a size beyond 2^63 - 1", "one that fits a 64-bit integer");
  }

  /// The traffic; the builder is empty then. `where(i)` names the place of the i-th entry that was not empty, for
  /// errors: a total beyond int64, and a size that would become 0. @pre as many entries as add() was given
  [[nodiscard]] Traffic take(std::int64_t senders, std::int64_t receivers,
                             const std::function<std::string(std::size_t)>& where);

 private:
  /// The digits of a size that is no integer, which Message::size cannot hold.
  struct Fraction {
    std::int16_t exponent = 0;  ///< cut to -100, which leaves nothing of 19 digits
    bool more = false;
    bool round_up = false;
  };

  [[nodiscard]] bool add_message(std::int64_t from, std::int64_t to, const DecimalNumber& size) {
    if (size.exponent < 0 || size.more) return add_fraction(from, to, size);
    std::int64_t units = static_cast<std::int64_t>(size.digits);
    if (size.exponent > 0 || units < 0) {
      const auto whole = scaled(size, 0);
      if (!whole) return false;
      units = *whole;
    }
    messages_.push_back({from, to, units});
    if (!fractions_.empty()) fractions_.push_back({});
    return true;
  }

  bool add_fraction(std::int64_t from, std::int64_t to, const DecimalNumber& size);
  [[nodiscard]] DecimalNumber size(std::size_t message) const;
  [[nodiscard]] std::int32_t choose_decimals(std::int32_t needed) const;
  [[nodiscard]] bool total_fits(std::int32_t decimals, std::int64_t limit) const;
  [[noreturn]] void fail_total(const std::function<std::string(std::size_t)>& where) const;

  std::int64_t most_messages_;
  std::vector<Message> messages_;
  std::vector<Fraction> fractions_;  ///< empty if all sizes are integers, otherwise one per message
};

}  // namespace sluice::detail
