#pragma once

#include <fmt/format.h>

#include <string>

/// Writing text, JSON above all: what the writers of our files and pictures share.
namespace sluice::detail {

/// Appends what fmt::vformat makes.
void append_formatted(std::string& out, fmt::string_view format, fmt::format_args values);

/// Appends what fmt::format makes, without a string in between. fmt::format_to does the same, but every file that calls
/// it compiles all of fmt's formatting, which takes seconds; so one file does.
template <class... Values>
void append_text(std::string& out, fmt::format_string<Values...> format, Values&&... values) {
  append_formatted(out, format, fmt::make_format_args(values...));
}

/// `text` in quotation marks. Throws InputError naming `field` if it is not UTF-8.
[[nodiscard]] std::string json_string(const std::string& text, const char* field);

/// Appends the shortest text that reads back as `value`; without a fraction or an exponent if it is an integer within
/// int64. Throws InputError naming `field` if it is not finite.
void append_json_number(std::string& out, double value, const char* field);

}  // namespace sluice::detail
