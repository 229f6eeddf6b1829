#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace sluice::detail {

/// For messages: "3 to 5", or "3" where that is the first and the last number.
[[nodiscard]] inline std::string range_text(std::int64_t first, std::int64_t last) {
  return first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last);
}

}  // namespace sluice::detail
