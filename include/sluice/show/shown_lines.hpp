#pragma once

#include <cstdint>
#include <string>

namespace sluice {

/// A table for people, cut where it would be long.
struct ShownLines {
  std::string text;           ///< the title and the lines, with their ends
  std::int64_t left_out = 0;  ///< lines beyond the limit
};

}  // namespace sluice
