#pragma once

#include <cstdint>
#include <string>

/// Quantities as people type them and as results print them: a number, a multiple k, K, M, G (powers of 1000) or Ki,
/// Mi, Gi (powers of 1024), a unit, with at most one blank before the multiple or the unit. Case matters: "b" is a bit,
/// "B" a byte. All throw InputError, naming `where`, for anything else.
namespace sluice {

/// Returns a whole number of at least 0, at most 2^63 - 1, with or without a multiple: "4096", "64Ki"; "1e6" and
/// "1.5Ki" too, as they are whole, up to 2^53.
[[nodiscard]] std::int64_t parse_size(const std::string& text, const std::string& where);

/// Returns the same for bytes, with or without "B" behind: "1MB", "64KiB", "4096 B".
[[nodiscard]] std::int64_t parse_bytes(const std::string& text, const std::string& where);

/// Returns a finite number of at least 0, with or without a multiple: "0.5", "1e3", "2.5K".
[[nodiscard]] double parse_number(const std::string& text, const std::string& where);

/// Returns the same, and above 0.
[[nodiscard]] double parse_positive_number(const std::string& text, const std::string& where);

/// Returns a speed above 0, in bytes/s: bits ("bit", "b", "bps") or bytes ("B") per second, with or without "/s" behind
/// them: "1Gbit", "1Gb/s", "12.5MB/s", "1Gibit/s".
[[nodiscard]] double parse_speed(const std::string& text, const std::string& where);

/// Returns a time of at least 0, in seconds: a number and "s", "ms", "us" or "ns": "1ms", "2.5e-6s".
[[nodiscard]] double parse_time(const std::string& text, const std::string& where);

/// Returns the same, or a number alone, which is in seconds: "0.5", "500ms".
[[nodiscard]] double parse_seconds(const std::string& text, const std::string& where);

}  // namespace sluice
