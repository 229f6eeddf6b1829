#include "input/json_text.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sluice/error.hpp"

namespace sluice::detail {

std::string json_string(const std::string& text, const char* field) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    throw InputError(field, "text that is not UTF-8", "UTF-8");
  }
}

void append_json_number(std::string& out, double value, const char* field) {
  if (!std::isfinite(value)) throw InputError(field, fmt::format("{}", value), "a finite number");
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (value > -kLimit && value < kLimit && value == std::trunc(value))
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}"), static_cast<std::int64_t>(value));
  else
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}"), value);
}

}  // namespace sluice::detail
