#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "input/decimal_number.hpp"

namespace sluice::detail {

/// Without the byte order mark of UTF-8 that some programs begin a file with.
[[nodiscard]] inline std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

/// Walks over the text of a file of numbers, line by line, and names the line of what it finds wrong.
class TextScanner {
 public:
  /// `separator` ends a word, like blanks; `what` is expected in the file. Throws InputError for a file without any
  /// text, and for a file with NUL bytes, which is no text.
  TextScanner(std::string_view text, const std::string& name, char separator = ' ', const char* what = "traffic");

  [[nodiscard]] bool at_end() const { return at_ == end_; }
  [[nodiscard]] std::int64_t line() const { return line_; }
  [[nodiscard]] std::string where() const;
  [[nodiscard]] const char* position() const { return at_; }
  [[nodiscard]] std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }

  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  }
  /// Whether the line ends here: LF, CR LF or the end of the text.
  [[nodiscard]] bool at_line_end() const {
    return at_ == end_ || *at_ == '\n' || (*at_ == '\r' && (at_ + 1 == end_ || at_[1] == '\n'));
  }
  /// Skips to the start of the next line. @pre at_line_end()
  void next_line() {
    if (at_ != end_ && *at_ == '\r') ++at_;
    if (at_ == end_) return;
    ++at_;
    ++line_;
  }
  void skip_to_line_end() {
    while (!at_line_end()) ++at_;
  }
  [[nodiscard]] bool at_char(char c) const { return at_ != end_ && *at_ == c; }
  void take() { ++at_; }

  /// The characters up to the next blank, separator or end of the line.
  [[nodiscard]] std::string_view word() const;
  void skip_word() { at_ += word().size(); }

  /// An unsigned integer, 2^63 - 1 if it is about that or beyond; throws, naming `what`, if none stands here or
  /// something sticks to it.
  [[nodiscard]] std::int64_t integer(const char* what);

  /// A size of at least 0; throws for anything else. `whole`: no point or exponent is allowed.
  [[nodiscard]] DecimalNumber size(bool whole);

  /// Throws: `found` at this line, `expected` instead.
  [[noreturn]] void fail(const std::string& found, const std::string& expected) const;

 private:
  [[nodiscard]] bool at_word_end() const { return at_line_end() || *at_ == ' ' || *at_ == '\t' || *at_ == separator_; }

  const char* at_;
  const char* end_;
  std::int64_t line_ = 1;
  char separator_;
  const std::string* name_;
};

}  // namespace sluice::detail
