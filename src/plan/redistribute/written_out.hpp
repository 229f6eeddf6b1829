#pragma once

#include <fmt/format.h>

#include "sluice/error.hpp"
#include "sluice/input/redistribution_problem.hpp"

namespace sluice::detail {

/// Throws InputError if the problem has too many messages for a schedule of all of them.
inline void check_written_out(const RedistributionProblem& problem) {
  if (count_messages(problem, kMostListedMessages) > kMostListedMessages)
    throw InputError("plan", fmt::format("more than {} transfers to write out", kMostListedMessages),
                     "less, or the costs, or the part of one process");
}

}  // namespace sluice::detail
