#pragma once

#include <string>
#include <string_view>

namespace sluice::command {

/// SHA-256 of `bytes` as 64 hexadecimal digits, as sha256sum prints it. Source: FIPS 180-4. O(bytes).
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace sluice::command
