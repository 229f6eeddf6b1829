#include "input/shown_text.hpp"

#include <fmt/format.h>

namespace sluice::detail {

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string result;
  for (const char c : text.substr(0, kLongest)) {
    if (c >= ' ' && c <= '~')
      result.push_back(c);
    else
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  if (text.size() > kLongest) result += "...";
  return result;
}

}  // namespace sluice::detail
