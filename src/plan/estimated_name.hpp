#pragma once

#include <string>

namespace sluice::detail {

/// For people: the name of a plan whose length does not come from a replay of all messages.
[[nodiscard]] inline std::string estimated_name(const std::string& name) { return name + ", estimated"; }

}  // namespace sluice::detail
