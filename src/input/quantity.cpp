#include "sluice/input/quantity.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

#include "sluice/error.hpp"

namespace sluice {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

constexpr std::array<Unit, 8> kMultiples{{{"", 1},
                                          {"k", 1'000},
                                          {"K", 1'000},
                                          {"M", 1'000'000},
                                          {"G", 1'000'000'000},
                                          {"Ki", 1LL << 10},
                                          {"Mi", 1LL << 20},
                                          {"Gi", 1LL << 30}}};

/// What a multiple stands for; nothing for other text.
std::optional<std::int64_t> multiple(std::string_view name) {
  for (const Unit& unit : kMultiples)
    if (unit.name == name) return unit.factor;
  return {};
}

/// Removes `ending` from the end of `text`, if it is there.
bool remove_ending(std::string_view& text, std::string_view ending) {
  if (text.size() < ending.size() || text.substr(text.size() - ending.size()) != ending) return false;
  text.remove_suffix(ending.size());
  return true;
}

/// A result is printed as "1.05 MB": the blank before a unit may come back.
void skip_blank(std::string_view& text) {
  if (text.size() > 1 && text.front() == ' ') text.remove_prefix(1);
}

struct Parts {
  double value = 0;
  std::string_view rest;  ///< what stands behind the number
};

/// A finite number of at least 0 at the start of `text`.
std::optional<Parts> number_of(std::string_view text) {
  Parts parts;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, parts.value);
  if (error != std::errc() || !std::isfinite(parts.value) || parts.value < 0) return {};
  parts.rest = text.substr(static_cast<std::size_t>(rest - text.data()));
  return parts;
}

InputError unexpected(const std::string& where, const std::string& text, const char* expected) {
  return {where, fmt::format("'{}'", text), expected};
}

std::int64_t parse_whole(const std::string& text, const std::string& where, bool bytes) {
  const char* const expected = bytes ? "whole bytes, such as 4096, 64Ki, 64KiB or 1.5MB"
                                     : "a whole number, with K, M, G, Ki, Mi or Gi behind it if you like";
  constexpr auto kTooLarge = "at most 2^63 - 1";
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) throw unexpected(where, text, kTooLarge);
  if (error == std::errc() && value < 0) throw unexpected(where, text, "at least 0");
  const auto factor_of = [&](std::string_view unit) {
    skip_blank(unit);
    if (bytes) remove_ending(unit, "B");
    return multiple(unit);
  };
  if (error == std::errc()) {
    if (const auto factor = factor_of({rest, static_cast<std::size_t>(end - rest)})) {
      if (__builtin_mul_overflow(value, *factor, &value)) throw unexpected(where, text, kTooLarge);
      return value;
    }
  }
  // "1e6", "1.5Ki": whole numbers although they have an exponent or a point.
  const auto number = number_of(text);
  const auto factor = number ? factor_of(number->rest) : std::nullopt;
  if (!factor) throw unexpected(where, text, expected);
  const double product = number->value * static_cast<double>(*factor);
  constexpr double kExact = 9007199254740992;  // 2^53: beyond it digits would be lost
  if (product != std::floor(product)) throw unexpected(where, text, expected);
  if (product > kExact) throw unexpected(where, text, "at most 2^53 where it has a point or an exponent");
  return static_cast<std::int64_t>(product);
}

}  // namespace

std::int64_t parse_size(const std::string& text, const std::string& where) { return parse_whole(text, where, false); }

std::int64_t parse_bytes(const std::string& text, const std::string& where) { return parse_whole(text, where, true); }

namespace {

/// What parse_number takes; nothing for other text.
std::optional<double> number_with_multiple(const std::string& text) {
  const auto number = number_of(text);
  const auto factor = number ? multiple(number->rest) : std::nullopt;
  if (!factor) return {};
  const double value = number->value * static_cast<double>(*factor);
  if (!std::isfinite(value)) return {};
  return value + 0.0;  // 0 for -0
}

}  // namespace

double parse_number(const std::string& text, const std::string& where) {
  if (const auto number = number_with_multiple(text)) return *number;
  throw unexpected(where, text, "a number of at least 0");
}

double parse_positive_number(const std::string& text, const std::string& where) {
  if (const auto number = number_with_multiple(text); number && *number > 0) return *number;
  throw unexpected(where, text, "a number above 0");
}

double parse_speed(const std::string& text, const std::string& where) {
  if (auto number = number_of(text)) {
    std::string_view& unit = number->rest;
    skip_blank(unit);
    const bool per_second = remove_ending(unit, "/s");
    const bool bits =
        remove_ending(unit, "bit") || remove_ending(unit, "b") || (!per_second && remove_ending(unit, "bps"));
    const bool known = bits || remove_ending(unit, "B");
    if (const auto factor = multiple(unit); factor && known) {
      const double speed = number->value * static_cast<double>(*factor) / (bits ? 8 : 1);
      if (std::isfinite(speed) && speed > 0) return speed;
    }
  }
  throw unexpected(where, text, "a speed above 0, such as 100Mbit, 1Gbit, 1Gb/s or 12.5MB (a second)");
}

namespace {

/// A number and a part of a second, in seconds; without one if `bare`.
std::optional<double> time_of(const std::string& text, bool bare) {
  constexpr std::array<Unit, 5> kParts{
      {{"s", 1}, {"ms", 1'000}, {"us", 1'000'000}, {"\u00b5s", 1'000'000}, {"ns", 1'000'000'000}}};
  auto number = number_of(text);
  if (!number) return {};
  if (bare && number->rest.empty()) return number->value;
  skip_blank(number->rest);
  for (const Unit& part : kParts)
    if (part.name == number->rest) return number->value / static_cast<double>(part.factor);
  return {};
}

}  // namespace

double parse_time(const std::string& text, const std::string& where) {
  if (const auto time = time_of(text, false)) return *time;
  throw unexpected(where, text, "a time of at least 0, such as 1ms, 20us or 1s");
}

double parse_seconds(const std::string& text, const std::string& where) {
  if (const auto time = time_of(text, true)) return *time;
  throw unexpected(where, text, "seconds, at least 0, or a time such as 500ms");
}

}  // namespace sluice
