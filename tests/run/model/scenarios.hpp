#pragma once

#include <memory>
#include <vector>

#include "engine.hpp"

namespace sluice::model {

/// What ranks do with a ring, a board, a log of calls or leavers, small enough for every schedule that matters.
[[nodiscard]] std::vector<std::unique_ptr<Scenario>> scenarios();
/// The same with an owner that uses memory for something else before all have left it, so that a schedule fails.
[[nodiscard]] std::vector<std::unique_ptr<Scenario>> faulty_owners();

}  // namespace sluice::model
