#pragma once

#include <cstdint>
#include <string>

namespace sluice::command {

/// As parse_size, within `least` and `most`. Throws InputError naming `where`.
[[nodiscard]] std::int64_t parse_count(const std::string& text, const std::string& where, std::int64_t least,
                                       std::int64_t most);

}  // namespace sluice::command
