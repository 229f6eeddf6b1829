#pragma once

#include <string>

namespace sluice::detail {

/// For people: of what has a length that is not that of a replay of all messages.
[[nodiscard]] inline std::string estimated_name(const std::string& name) { return name + ", estimated"; }

}  // namespace sluice::detail
