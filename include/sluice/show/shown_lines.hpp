#pragma once

#include <cstdint>
#include <string>

namespace sluice {

/// Holds a table for people, cut if it is long.
struct ShownLines {
  std::string text;           ///< title and lines, with their ends
  std::int64_t left_out = 0;  ///< number of lines beyond the limit
};

}  // namespace sluice
