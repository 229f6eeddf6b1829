#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/input/traffic_file.hpp"

/// What the fields of a CSV file of traffic are, by its text: sizes, names, or the ranks of an edge list.
namespace sluice::detail {

/// What stands between the fields of a line.
struct Separator {
  char character;  ///< a blank stands for any run of blanks and tabs
  const char* name;
};

struct CsvLayout {
  Separator separator{',', "a comma"};
  bool edges = false;
  bool column_names = false;  ///< the first line names the columns
  bool row_names = false;     ///< the first column names the rows; of an edge list: it numbers the lines
  bool trailing = false;      ///< every line of sizes ends with a separator
  std::int64_t names = 0;     ///< the number of columns of sizes that the first line names; 0 if it names none
  /// What each column of an edge list is: 0 the sender, 1 the receiver, 2 the size. A column of names does not count.
  std::array<int, 3> roles{0, 1, 2};
};

/// Whether a line is a comment: its first character that is no blank is '#'.
[[nodiscard]] bool is_comment(std::string_view line);

/// Looks at the whole text. Throws InputError if it could be two things and `format` does not tell which; adds to
/// `warnings` if one of them is much more likely. @pre no byte order mark
[[nodiscard]] CsvLayout find_csv_layout(std::string_view text, const std::string& name, const TrafficFormat& format,
                                        std::vector<std::string>& warnings);

}  // namespace sluice::detail
