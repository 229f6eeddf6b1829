#pragma once

#include <cstdint>
#include <string>

/// Times and amounts of data as people read them, in the results of the command and in what jobs say of themselves.
namespace sluice {

/// Three significant digits and a unit: "870 ns", "12.3 us", "1.05 ms", "2.5 s".
[[nodiscard]] std::string seconds_text(double seconds);

/// Exact below 1000, else three significant digits in powers of 1000: "512 B", "134 MB".
[[nodiscard]] std::string bytes_text(std::int64_t bytes);

}  // namespace sluice
