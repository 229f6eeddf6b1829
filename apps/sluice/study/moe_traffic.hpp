#pragma once

#include <cstdint>

#include "sluice/input/traffic.hpp"

namespace sluice::command {

/// What `ranks` ranks send each other to route tokens to experts, in bytes: instance `number`, the same on every
/// machine.
Traffic moe_traffic(std::int64_t ranks, std::uint64_t seed, std::int64_t number);

}  // namespace sluice::command
