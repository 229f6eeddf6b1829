#pragma once

#include <cstddef>
#include <string>

namespace sluice::testing {

/// How often `part` stands in a text.
inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++times;
  return times;
}

}  // namespace sluice::testing
