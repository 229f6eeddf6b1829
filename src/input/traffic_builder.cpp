#include "input/traffic_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {
namespace {

constexpr std::int64_t kLargestTotal = std::numeric_limits<std::int64_t>::max();
/// With decimals the total stays below a half of int64: planners add set-ups and paddings to it.
constexpr std::int64_t kLargestScaledTotal = std::int64_t{1} << 62;

}  // namespace

bool TrafficBuilder::add_fraction(std::int64_t from, std::int64_t to, const DecimalNumber& size) {
  if (!scaled(size, 0)) return false;
  if (fractions_.empty()) {
    fractions_.reserve(messages_.capacity());
    fractions_.resize(messages_.size());
  }
  messages_.push_back({from, to, static_cast<std::int64_t>(size.digits)});
  const auto exponent = static_cast<std::int16_t>(std::max<std::int64_t>(size.exponent, -100));
  fractions_.push_back({exponent, size.more, size.round_up});
  return true;
}

DecimalNumber TrafficBuilder::size(std::size_t message) const {
  DecimalNumber number;
  number.digits = static_cast<std::uint64_t>(messages_[message].size);
  if (!fractions_.empty()) {
    const Fraction& fraction = fractions_[message];
    number.exponent = fraction.exponent;
    number.more = fraction.more;
    number.round_up = fraction.round_up;
  }
  return number;
}

bool TrafficBuilder::total_fits(std::int32_t decimals, std::int64_t limit) const {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const auto units = scaled(size(i), decimals);
    if (!units || __builtin_add_overflow(total, *units, &total) || total > limit) return false;
  }
  return true;
}

std::int32_t TrafficBuilder::choose_decimals(std::int32_t needed) const {
  // The number to start from: the total, up to rounding, allows no more.
  double total = 0;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const DecimalNumber number = size(i);
    total += static_cast<double>(number.digits) * std::pow(10, static_cast<double>(number.exponent));
  }
  std::int32_t decimals = std::min(needed, kMaxDecimals);
  while (decimals > 0 && total * static_cast<double>(power_of_ten(decimals)) > 1.001 * kLargestScaledTotal) --decimals;
  while (decimals > 0 && !total_fits(decimals, kLargestScaledTotal)) --decimals;
  return decimals;
}

void TrafficBuilder::fail_total(const std::function<std::string(std::size_t)>& where) const {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const auto units = scaled(size(i), 0);
    if (!units || __builtin_add_overflow(total, *units, &total))
      throw InputError(where(i), "sizes that add up to more than 2^63 - 1", "a total that fits a 64-bit integer");
  }
  SLUICE_ASSERT(false, fmt::format("the total of {} messages fits", messages_.size()));
}

Traffic TrafficBuilder::take(std::int64_t senders, std::int64_t receivers,
                             const std::function<std::string(std::size_t)>& where) {
  Traffic traffic;
  traffic.senders = senders;
  traffic.receivers = receivers;
  std::int32_t needed = 0;
  for (std::size_t i = 0; i < fractions_.size(); ++i) needed = std::max(needed, decimals_needed(size(i)));
  if (needed > 0) traffic.decimals = choose_decimals(needed);
  if (traffic.decimals == 0 && !total_fits(0, kLargestTotal)) fail_total(where);
  if (needed > 0) {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      const auto units = scaled(size(i), traffic.decimals);
      SLUICE_ASSERT(units.has_value(), fmt::format("message {}, {} decimals", i, traffic.decimals));
      if (*units == 0)
        throw InputError(where(i),
                         fmt::format("a size that becomes 0 with {}, all that the total of the file allows",
                                     count_text(traffic.decimals, "decimal")),
                         "sizes that span fewer digits");
      messages_[i].size = *units;
    }
    fractions_.clear();
  }
  traffic.messages = std::move(messages_);
  messages_.clear();
  return traffic;
}

}  // namespace sluice::detail
