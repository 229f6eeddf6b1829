#pragma once

#include <cstdint>
#include <string>

/// Formats times, amounts of data and counts for people: in results of the command, in texts of jobs and in errors.
namespace sluice {

/// Formats a time with three significant digits and a unit: "870 ns", "12.3 us", "1.05 ms", "2.5 s".
[[nodiscard]] std::string seconds_text(double seconds);

/// Formats an amount of data: exact below 1000, otherwise three significant digits in powers of 1000: "512 B", "134
/// MB".
[[nodiscard]] std::string bytes_text(std::int64_t bytes);

/// Formats a count: "1 rank", "2 ranks". `many` is `one` with an s unless given.
[[nodiscard]] std::string count_text(std::int64_t count, const std::string& one, const std::string& many = "");

/// Formats the valid indices of `count` things that are counted from 0: "0 to 7", "0, the only rank", "none: there is
/// no rank".
[[nodiscard]] std::string index_text(std::int64_t count, const std::string& one);

}  // namespace sluice
