#include "input/text_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "input/shown_text.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

TextScanner::TextScanner(std::string_view text, const std::string& name, char separator, const char* what)
    : at_(text.data()), end_(text.data() + text.size()), separator_(separator), name_(&name) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) fail("an empty file", what);
  if (const std::size_t nul = text.find('\0'); nul != text.npos) {
    line_ += std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
    fail("a NUL byte, as in a binary file", "text");
  }
}

std::string TextScanner::where() const { return fmt::format("{}:{}", *name_, line_); }

std::string_view TextScanner::word() const {
  TextScanner ahead = *this;
  while (!ahead.at_word_end()) ++ahead.at_;
  return {at_, static_cast<std::size_t>(ahead.at_ - at_)};
}

std::int64_t TextScanner::integer(const char* what) {
  constexpr std::int64_t kLimit = std::numeric_limits<std::int64_t>::max();
  const TextScanner before = *this;
  std::int64_t value = 0;
  for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_)
    value = value < kLimit / 10 ? value * 10 + (*at_ - '0') : kLimit;
  if (at_ != before.at_ && at_word_end()) return value;
  const std::string_view found = before.word();
  before.fail(found.empty() ? fmt::format("no {}", what) : fmt::format("'{}'", shown(found)),
              fmt::format("an integer, the {}", what));
}

DecimalNumber TextScanner::size(bool whole) {
  const TextScanner before = *this;
  DecimalNumber number;
  const bool is_number = parse_decimal(at_, end_, number) && at_word_end();
  const std::string_view written(before.at_, static_cast<std::size_t>(at_ - before.at_));
  const bool in_range = !number.negative || number.digits == 0;
  if (is_number && in_range && (!whole || written.find_first_of(".eE") == written.npos)) return number;
  const std::string_view found = before.word();
  before.fail(found.empty() ? "no size" : fmt::format("'{}'", shown(found)),
              whole ? "an integer of at least 0" : "a number of at least 0");
}

void TextScanner::fail(const std::string& found, const std::string& expected) const {
  throw InputError(where(), found, expected);
}

}  // namespace sluice::detail
