#include "input/append_text.hpp"

#include <iterator>

namespace sluice::detail {

void append_formatted(std::string& out, fmt::string_view format, fmt::format_args values) {
  fmt::vformat_to(std::back_inserter(out), format, values);
}

}  // namespace sluice::detail
