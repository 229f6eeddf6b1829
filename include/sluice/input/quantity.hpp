#pragma once

#include <cstdint>
#include <string>

/// Reads quantities as people type them and as results print them. A quantity is a number, a multiple and a unit, with
/// at most one blank before the multiple or the unit. Multiples are k, K, M, G (powers of 1000) or Ki, Mi, Gi (powers
/// of 1024). Case matters: "b" is a bit, "B" a byte. All functions throw InputError, naming `where`, for a bad text.
namespace sluice {

/// Reads a whole number from 0 to 2^63 - 1, with or without a multiple: "4096", "64Ki". "1e6" and "1.5Ki" are allowed
/// too, because they are whole, up to 2^53.
[[nodiscard]] std::int64_t parse_size(const std::string& text, const std::string& where);

/// Reads a number of bytes as parse_size does, with or without "B": "1MB", "64KiB", "4096 B".
[[nodiscard]] std::int64_t parse_bytes(const std::string& text, const std::string& where);

/// Reads a finite number of at least 0, with or without a multiple: "0.5", "1e3", "2.5K".
[[nodiscard]] double parse_number(const std::string& text, const std::string& where);

/// Reads a number as parse_number does, above 0.
[[nodiscard]] double parse_positive_number(const std::string& text, const std::string& where);

/// Reads a speed above 0 and returns bytes/s. Units are bits ("bit", "b", "bps") or bytes ("B") per second, with or
/// without "/s": "1Gbit", "1Gb/s", "12.5MB/s", "1Gibit/s".
[[nodiscard]] double parse_speed(const std::string& text, const std::string& where);

/// Reads a time of at least 0 and returns seconds: a number and "s", "ms", "us" or "ns": "1ms", "2.5e-6s".
[[nodiscard]] double parse_time(const std::string& text, const std::string& where);

/// Reads a time as parse_time does, or a number alone, which is in seconds: "0.5", "500ms".
[[nodiscard]] double parse_seconds(const std::string& text, const std::string& where);

}  // namespace sluice
