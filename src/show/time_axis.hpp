#pragma once

#include <string>

/// What pictures share whose rows are nodes and whose axis is time.
namespace sluice::detail {

inline constexpr double kRowsLeft = 110;
inline constexpr double kRowsTop = 64;
inline constexpr double kRowsWidth = 760;  // of the axis
inline constexpr double kRowsRight = 30;   // beside it
inline constexpr double kRowsBottom = 46;  // below the rows
inline constexpr double kTallestRow = 26;
inline constexpr double kMostRowsHeight = 900;
inline constexpr double kLeastRowForText = 11;

struct TimeAxis {
  double left = 0;
  double width = 0;
  double top = 0;     ///< of the rows
  double bottom = 0;  ///< of the rows; the axis takes some 40 below
  double length = 0;  ///< of time
  std::string unit;   ///< "s", or empty for the unit of the schedule
};

/// Its lines through the rows, with their times, and its title.
[[nodiscard]] std::string time_axis_svg(const TimeAxis& axis);

}  // namespace sluice::detail
