#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sluice/schedule/timeline.hpp"

namespace sluice::detail {

/// What a node sends, or receives, at the same time stands side by side: each transfer in the first lane that is free
/// when it starts. Nodes of one port need one lane.
struct Lanes {
  std::vector<std::int64_t> send;     ///< by transfer: its lane at the sender, from 0
  std::vector<std::int64_t> receive;  ///< by transfer: its lane at the receiver, from 0
  std::vector<std::int64_t> sends;    ///< by sender: how many lanes, at least 1
  std::vector<std::int64_t> receives;
};

/// O(m log m + m l) for m transfers and l lanes.
[[nodiscard]] Lanes lanes_of(const Timeline& timeline);

}  // namespace sluice::detail
