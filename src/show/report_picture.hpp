#pragma once

#include <string>
#include <string_view>

#include "show/svg.hpp"
#include "sluice/show/report.hpp"

/// Parts of the picture that report_svg draws.
namespace sluice::detail {

/// Three digits or more and the unit, for a column.
[[nodiscard]] std::string value_text(double value, std::string_view unit);

/// A matrix below its title, from `top` on.
[[nodiscard]] SvgHeading matrix_part(const ReportMatrix& matrix, double top);

/// Curves over their axes, and below them which is which, from `top` on.
[[nodiscard]] SvgHeading lines_part(const ReportLines& lines, double top);

}  // namespace sluice::detail
