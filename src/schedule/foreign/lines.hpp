#pragma once

#include <charconv>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/text_scanner.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

/// The lines of a text, one after the other, without a byte order mark and in bounded memory.
class TextLines {
 public:
  TextLines(std::istream& in, std::string file) : in_(in), file_(std::move(file)) {}

  /// Goes to the next line; false at the end. Throws InputError for a byte of zero, and beyond 2^16 bytes.
  bool next() {
    constexpr std::size_t kLongest = 1 << 16;
    text_.clear();
    std::streambuf* const buffer = in_.rdbuf();
    constexpr auto kEnd = std::streambuf::traits_type::eof();
    auto c = buffer == nullptr ? kEnd : buffer->sbumpc();
    if (c == kEnd) return false;
    ++line_;
    for (; c != kEnd && c != '\n'; c = buffer->sbumpc()) {
      if (c == 0) fail("a byte of zero", "text");
      if (text_.size() == kLongest) fail("a line of more than 65536 bytes", "a shorter one");
      text_ += static_cast<char>(c);
    }
    if (!text_.empty() && text_.back() == '\r') text_.pop_back();
    if (line_ == 1) text_ = std::string(without_byte_order_mark(text_));
    return true;
  }

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::int64_t line() const { return line_; }
  [[noreturn]] void fail(const std::string& found, const std::string& expected) const {
    throw InputError(file_ + ":" + std::to_string(line_), found, expected);
  }

 private:
  std::istream& in_;
  std::string file_;
  std::string text_;
  std::int64_t line_ = 0;
};

/// The number that a text is; nullopt if it is none, or not from `least` to `most`.
[[nodiscard]] inline std::optional<std::int64_t> whole_number(std::string_view text, std::int64_t least,
                                                              std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    return std::nullopt;
  return value;
}

/// The words of a text, which blanks separate.
[[nodiscard]] inline std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (true) {
    at = text.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) return words;
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
}

}  // namespace sluice::detail
