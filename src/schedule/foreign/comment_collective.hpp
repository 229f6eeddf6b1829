#pragma once

#include <string_view>

#include "schedule/foreign/placed_builder.hpp"

namespace sluice::detail {

/// Takes the collective from a comment that begins with its name, for formats that have no place for it: "broadcast of
/// 4096 bytes from rank 0". The rank after "rank" is the root.
void take_comment_collective(std::string_view comment, PlacedBuilder& builder);

}  // namespace sluice::detail
