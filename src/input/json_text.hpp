#pragma once

#include <string>

/// Writing JSON: what the writers of our files share.
namespace sluice::detail {

/// `text` in quotation marks. Throws InputError naming `field` if it is not UTF-8.
[[nodiscard]] std::string json_string(const std::string& text, const char* field);

/// Appends the shortest text that reads back as `value`; without a fraction or an exponent if it is an integer within
/// int64. Throws InputError naming `field` if it is not finite.
void append_json_number(std::string& out, double value, const char* field);

}  // namespace sluice::detail
