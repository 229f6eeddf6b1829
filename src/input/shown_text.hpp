#pragma once

#include <string>
#include <string_view>

namespace sluice::detail {

/// `text` from a file for a message: one line, printable, at most 40 characters of it.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace sluice::detail
