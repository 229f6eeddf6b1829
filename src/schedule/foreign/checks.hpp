#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schedule/foreign/events.hpp"
#include "schedule/foreign/placed_cells.hpp"
#include "sluice/schedule/judge.hpp"

/// The conditions of a schedule whose events have an order.
namespace sluice::detail {

/// Appends a fault for each two operations that may meet in a chunk if one writes it. A rank that may end before its
/// output is written is a fault too. `order`: of all operations.
void check_races(const PlacedSchedule& schedule, const PlacedEvents& events, const PlacedCells& cells,
                 std::span<const std::int32_t> order, std::optional<Collective> problem,
                 std::vector<Violation>& faults);

/// Appends a fault for each chunk of the output that has not what it must at the end.
void check_data(const PlacedSchedule& schedule, const PlacedCells& cells, std::span<const std::int32_t> order,
                Collective problem, std::vector<Violation>& faults);

/// What is necessary for `problem` in a schedule that has only sizes: every rank is reached by those it needs.
void check_reach(const PlacedSchedule& schedule, const PlacedEvents& events, std::span<const std::int32_t> order,
                 Collective problem, std::int64_t root, std::vector<Violation>& faults);

/// What executors do not take, in words: "RCCL: 70 thread blocks on GPU 0, 64 allowed".
[[nodiscard]] std::vector<std::string> beyond_limits(const PlacedSchedule& schedule, Executor executor);

}  // namespace sluice::detail
