#pragma once

#include <cstdint>
#include <string>

#include "apps/sluice/options/redistribute.hpp"
#include "sluice/plan/exchange.hpp"

namespace sluice::command {

/// plan_pieces of a task, with a line on standard error that says how far it is. `effort` as add_effort_option has it.
[[nodiscard]] ExchangePlan plan_as_exchange(const RedistributeTask& task, const std::string& algorithm,
                                            std::int64_t effort);

}  // namespace sluice::command
