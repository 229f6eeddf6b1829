#pragma once

#include <cstdint>
#include <string>

namespace sluice::detail {

/// What a person calls a reduction through the tree of this algorithm.
[[nodiscard]] std::string method_of(const std::string& algorithm, std::int64_t segments);

}  // namespace sluice::detail
