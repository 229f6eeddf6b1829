#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "sluice/error.hpp"

namespace sluice::detail {

/// Throws InputError for a message below 0 bytes, or beyond 2^62, whose segments cannot be counted.
inline void check_broadcast_size(std::int64_t bytes) {
  if (bytes < 0) throw InputError("size", fmt::format("{}", bytes), "at least 0");
  if (bytes > std::int64_t{1} << 62) throw InputError("size", fmt::format("{}", bytes), "at most 2^62");
}

}  // namespace sluice::detail
