#pragma once

#include <vector>

#include "sluice/plan/batch.hpp"

namespace sluice::detail {

/// The front of the merged messages of a batch of any arrays, sent whole. It uses the search of `exact`, message by
/// message, starting from the schedules of stepwise, greedy and coloring. Throws InputError for more than 2^20
/// messages.
[[nodiscard]] BatchFront front_of_merged(const BatchProblem& problem, std::vector<Message> of_batch,
                                         const BatchOptions& options);

}  // namespace sluice::detail
