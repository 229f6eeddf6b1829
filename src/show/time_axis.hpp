#pragma once

#include <string>

#include "show/svg.hpp"

/// Shared parts of pictures with nodes as rows and time as axis.
namespace sluice::detail {

inline constexpr double kRowsLeft = 64;
inline constexpr double kRowsHead = 24;   // between what is above and the rows: the name of what a row is
inline constexpr double kRowsRight = 32;  // beside the axis, whose last time is centred at its end
inline constexpr double kRowsWidth = kPictureWidth - kRowsLeft - kRowsRight;  // of the axis
inline constexpr double kRowsBottom = 46;                                     // below the rows
inline constexpr double kTallestRow = 26;
inline constexpr double kMostRowsHeight = 600;
inline constexpr double kLeastRowForText = 13;

struct TimeAxis {
  double left = 0;
  double width = 0;
  double top = 0;     ///< of the rows
  double bottom = 0;  ///< of the rows; the axis takes some 40 below
  double length = 0;  ///< of time
  std::string unit;   ///< "s", or empty for the unit of the schedule
};

/// The lines of the axis through the rows, with their times, and its title.
[[nodiscard]] std::string time_axis_svg(const TimeAxis& axis);

}  // namespace sluice::detail
