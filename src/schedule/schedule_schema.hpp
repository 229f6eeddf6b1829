#pragma once

namespace sluice::detail {

/// What files of schedules name as their "schema", of steps and of trees.
inline constexpr const char* kScheduleSchema = "sluice.schedule/1";
inline constexpr const char* kScheduleFamily = "sluice.schedule/";
/// As above, for files of programs.
inline constexpr const char* kProgramSchema = "sluice.program/1";
inline constexpr const char* kProgramFamily = "sluice.program/";

}  // namespace sluice::detail
