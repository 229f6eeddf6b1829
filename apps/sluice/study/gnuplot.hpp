#pragma once

#include <string>
#include <vector>

namespace sluice::command {

/// Writes `folder`/NAME.gp and lets gnuplot draw NAME.svg and, for print, NAME.pdf with it, whole or not at all. Where
/// there is no gnuplot, or it fails, says so on standard error.
///
/// `script` plots what lies in the folder; terminal, output and the separator of CSV files are set before it.
void draw(const std::string& folder, const std::string& name, const std::string& script, int width = 800,
          int height = 520);

/// The head of a script: seconds against the bytes of a message, both logarithmic, the key outside.
[[nodiscard]] std::string axes_of_times(const std::string& title);

/// Lines of CSV, 0, 0.5, ... 100 percent, with what stands there in each of the lists, which are sorted and not empty.
[[nodiscard]] std::string percent_rows(const std::vector<std::vector<double>>& sorted);

}  // namespace sluice::command
