#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Values of options, as users type them.
namespace sluice::command {

/// As parse_size, within `least` and `most`. Throws InputError naming `where`.
[[nodiscard]] std::int64_t parse_count(const std::string& text, const std::string& where, std::int64_t least,
                                       std::int64_t most);

/// A set-up cost that planners take. Throws InputError naming --setup.
[[nodiscard]] double parse_setup(const std::string& text);

/// Bytes of the longest piece of a message. Throws InputError naming `where`.
[[nodiscard]] std::int64_t parse_chunk(const std::string& text, const std::string& where);

/// "A,B,.." as its parts, or what has another character between them; one empty part if there is nothing.
[[nodiscard]] std::vector<std::string> parse_list(const std::string& text, char between = ',');

/// A line of a file that lists something, without the blanks around it.
struct InputLine {
  std::string where;  ///< "FILE:LINE"
  std::string text;
};
/// Reads the lines of a file, or of standard input for "-", except empty lines and comments (% or #). Throws
/// InputError if it cannot be read; `what` is expected there: "dates".
[[nodiscard]] std::vector<InputLine> read_input_lines(const std::string& path, const char* what);

}  // namespace sluice::command
