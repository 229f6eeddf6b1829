#pragma once

#include <span>

#include "sluice/input/traffic.hpp"
#include "sluice/plan/exchange.hpp"

namespace sluice::detail {

/// Plans the messages of a redistribution by exchange, like plan_exchange. What processes send themselves are `copies`,
/// in no step.
[[nodiscard]] ExchangePlan pieces_of(const ExchangeProblem& messages, std::span<const Message> copies,
                                     const ExchangeOptions& how);

}  // namespace sluice::detail
