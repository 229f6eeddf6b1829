#pragma once

#include <string>
#include <vector>

namespace sluice::command {

/// Writes `folder`/NAME.gp and lets gnuplot draw NAME.svg and, for print, NAME.pdf with it, whole or not at all. Where
/// there is no gnuplot, or it fails, says so on standard error.
///
/// `script` plots what lies in the folder; terminal, output, line styles, a key below the picture and the separator of
/// CSV files are set before it, and titles are folded. All pictures are 480 units wide, and their text is 12 units
/// high; `height` in the same unit.
void draw(const std::string& folder, const std::string& name, const std::string& script, int height = 340);

/// For a script with horizontal bars: room left of them for names of up to 26 characters, and the title in the middle
/// of the picture.
inline constexpr const char* kNamesBesideBars =
    "set lmargin at screen 0.4\nset rmargin at screen 0.95\nset title offset screen -0.175, 0\n";

/// The head of a script: seconds against the bytes of a message, both logarithmic.
[[nodiscard]] std::string axes_of_times(const std::string& title);

/// Lines of CSV, 0, 0.5, ... 100 percent, with what stands there in each of the lists, which are sorted and not empty.
[[nodiscard]] std::string percent_rows(const std::vector<std::vector<double>>& sorted);

}  // namespace sluice::command
