#include "option_values.hpp"

#include <fmt/format.h>

#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"

namespace sluice::command {

std::int64_t parse_count(const std::string& text, const std::string& where, std::int64_t least, std::int64_t most) {
  const std::int64_t value = parse_size(text, where);
  if (value < least || value > most)
    throw InputError(where, fmt::format("'{}'", text), fmt::format("{} to {}", least, most));
  return value;
}

}  // namespace sluice::command
