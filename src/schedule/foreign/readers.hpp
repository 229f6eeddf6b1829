#pragma once

#include <istream>
#include <string>

#include "sluice/schedule/placed_schedule.hpp"

/// The readers of the formats of other libraries. Each throws InputError with file and line.
namespace sluice::detail {

[[nodiscard]] PlacedSchedule read_msccl(std::istream& in, const std::string& file);
[[nodiscard]] PlacedSchedule read_mscclpp(std::istream& in, const std::string& file);
[[nodiscard]] PlacedSchedule read_moves(std::istream& in, const std::string& file);
[[nodiscard]] PlacedSchedule read_goal(std::istream& in, const std::string& file);
[[nodiscard]] PlacedSchedule read_trace(std::istream& in, const std::string& file);

}  // namespace sluice::detail
