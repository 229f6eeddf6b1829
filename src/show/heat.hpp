#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

/// What pictures of matrices share: cells whose colours are the logarithms of their values.
namespace sluice::detail {

inline constexpr int kShades = 32;
inline constexpr double kHeatLegendWidth = 84;

/// The colour of `shade`, from 0, the smallest value, to kShades - 1.
[[nodiscard]] std::string heat_colour(int shade);

/// Shades for values from the smallest to the largest, by their logarithms.
class HeatScale {
 public:
  /// A scale from the smallest to the largest value. @pre log_least <= log_most
  HeatScale(double log_least, double log_most) : least_(log_least), most_(log_most) {}

  /// The shade of exp(`log_value`), held within the scale; 0 if all values are equal.
  [[nodiscard]] int shade_of_log(double log_value) const;

  /// The colours with five values beside them, below the title `what`. `text`: the text of a value.
  [[nodiscard]] std::string legend(double left, double top, std::string_view what,
                                   const std::function<std::string(double)>& text) const;

 private:
  double least_;
  double most_;
};

/// Appends a rectangle; `style`: its other attributes.
void append_rectangle(std::string& out, double x, double y, double width, double height, std::string_view style);

/// Appends a row of `cells` cells from (left, top) on. Adjacent cells of one shade are one rectangle. `shade_of`: the
/// shade of a column; -1: none, so that the ground is seen.
void append_heat_row(std::string& out, double left, double top, double cell_width, double cell_height,
                     std::size_t cells, const std::function<int(std::size_t)>& shade_of);

}  // namespace sluice::detail
