#pragma once

#include <fmt/format.h>

#include <string>

namespace sluice::detail {

/// Appends what fmt::vformat makes.
void append_formatted(std::string& out, fmt::string_view format, fmt::format_args values);

/// Appends what fmt::format makes, without a string in between. fmt::format_to does this too, but every file that calls
/// it compiles all of fmt's formatting, which takes seconds. So only one file calls it.
template <class... Values>
void append_text(std::string& out, fmt::format_string<Values...> format, Values&&... values) {
  append_formatted(out, format, fmt::make_format_args(values...));
}

}  // namespace sluice::detail
