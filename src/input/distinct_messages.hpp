#pragma once

#include <vector>

#include "sluice/input/traffic.hpp"

namespace sluice::detail {

/// The messages of `traffic` that hold anything, sorted by (from, to). Messages of one pair are added up to one.
///
/// Throws InputError if an index is out of range, a size is negative or a sum does not fit an int64.
[[nodiscard]] std::vector<Message> distinct_messages(const Traffic& traffic);

}  // namespace sluice::detail
