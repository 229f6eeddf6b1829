#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::detail {

/// The rank that begins a line of a trace: "3", "p3" or "rank-3"; nullopt if it is none.
[[nodiscard]] std::optional<std::int64_t> trace_rank(std::string_view word);

}  // namespace sluice::detail
