#pragma once

#include <istream>
#include <string>

namespace sluice::command {

/// SHA-256 of what is left in `in`, as 64 hexadecimal digits, as sha256sum prints it.
[[nodiscard]] std::string sha256(std::istream& in);

}  // namespace sluice::command
