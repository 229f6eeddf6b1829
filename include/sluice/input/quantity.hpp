#pragma once

#include <cstdint>
#include <string>

/// Quantities as people type them: a number, a multiple K, M, G (powers of 1000) or Ki, Mi, Gi (powers of 1024), a
/// unit; nothing in between, case matters. All throw InputError, naming `where`, for anything else.
namespace sluice {

/// A whole number of at least 0, at most 2^63 - 1, with or without a multiple: "4096", "64Ki".
[[nodiscard]] std::int64_t parse_size(const std::string& text, const std::string& where);

/// A finite number of at least 0, with or without a multiple: "0.5", "1e3", "2.5K".
[[nodiscard]] double parse_number(const std::string& text, const std::string& where);

/// A speed above 0, in bytes/s: bits ("bit") or bytes ("B") a second, with or without "/s" behind them: "1Gbit",
/// "12.5MB/s", "1Gibit/s".
[[nodiscard]] double parse_speed(const std::string& text, const std::string& where);

/// A time of at least 0, in seconds: a number and "s", "ms", "us" or "ns": "1ms", "2.5e-6s".
[[nodiscard]] double parse_time(const std::string& text, const std::string& where);

}  // namespace sluice
