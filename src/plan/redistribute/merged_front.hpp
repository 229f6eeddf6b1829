#pragma once

#include <vector>

#include "sluice/plan/batch.hpp"

namespace sluice::detail {

/// The front of the merged messages of a batch, sent whole, whatever its arrays are: the search of `exact`, message by
/// message, from what stepwise, greedy and coloring make of them. Throws InputError for more than 2^20 messages.
[[nodiscard]] BatchFront front_of_merged(const BatchProblem& problem, std::vector<Message> of_batch,
                                         const BatchOptions& options);

}  // namespace sluice::detail
