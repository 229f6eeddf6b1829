#pragma once

#include <string>

#include "redistribute_options.hpp"
#include "sluice/plan/exchange.hpp"

namespace sluice::command {

/// Plans a redistribution by a planner of exchange, which knows nothing of layouts and may cut messages.
[[nodiscard]] ExchangePlan plan_as_exchange(const RedistributeTask& task, const std::string& algorithm);

}  // namespace sluice::command
