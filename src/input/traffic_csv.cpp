#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "input/shown_text.hpp"
#include "input/text_scanner.hpp"
#include "input/traffic_builder.hpp"
#include "sluice/error.hpp"
#include "sluice/input/traffic_file.hpp"

namespace sluice {
namespace {

using detail::DecimalNumber;
using detail::shown;
using detail::TextScanner;

constexpr std::int64_t kLargestDimension = std::numeric_limits<std::int32_t>::max();

struct Shape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

std::string columns_text(std::int64_t columns) {
  return fmt::format("{} {}", columns, columns == 1 ? "column" : "columns");
}

/// What stands between the sizes of a line.
struct Separator {
  char character;
  const char* name;
};

/// Of the first line: a semicolon if it has one, a comma, a tab; a comma if it has none of them.
Separator separator_of(std::string_view text) {
  constexpr Separator kComma{',', "a comma"};
  const std::string_view line = text.substr(0, text.find('\n'));
  if (line.find(';') != line.npos) return {';', "a semicolon"};
  if (line.find(',') != line.npos) return kComma;
  return line.find('\t') != line.npos ? Separator{'\t', "a tab"} : kComma;
}

/// The first character of UTF-8 text of three bytes at most; 0 for a longer one, or for what is no UTF-8.
char32_t first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  if (byte(0) < 0x80) return byte(0);
  if ((byte(0) & 0xe0) == 0xc0) return (byte(0) & 0x1fU) << 6 | (byte(1) & 0x3fU);
  if ((byte(0) & 0xf0) == 0xe0) return (byte(0) & 0xfU) << 12 | (byte(1) & 0x3fU) << 6 | (byte(2) & 0x3fU);
  return 0;
}

/// Of any script, but for those of four bytes. Digits of other scripts, signs such as U+2212, which is a minus, and
/// blanks such as U+00A0 stand in sizes that were copied from elsewhere.
bool is_letter(char32_t character) {
  if (character < 0x80) return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
  if (character < 0xc0) return false;
  if ((character >= 0x2000 && character < 0x2c00) || (character >= 0x3000 && character < 0x3040)) return false;
  constexpr char32_t kZeros[] = {0x660,  0x6f0,  0x7c0,  0x966,  0x9e6,  0xa66,  0xae6,  0xb66,  0xbe6,
                                 0xc66,  0xce6,  0xd66,  0xde6,  0xe50,  0xed0,  0xf20,  0x1040, 0x1090,
                                 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40,
                                 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10};
  return std::ranges::none_of(kZeros, [&](char32_t zero) { return character >= zero && character < zero + 10; });
}

/// The fields of a line without blanks and quotes around them; a separator in quotes is part of its field.
std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  for (std::size_t start = 0; start <= line.size();) {
    start = std::min(line.find_first_not_of(' ', start), line.size());
    const char quote = start < line.size() && (line[start] == '"' || line[start] == '\'') ? line[start] : '\0';
    const std::size_t closed = quote == '\0' ? line.npos : line.find(quote, start + 1);
    const std::size_t end = std::min(line.find(separator, closed == line.npos ? start : closed), line.size());
    std::string_view field = line.substr(start, end - start);
    while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
    if (quote != '\0') field.remove_prefix(1);
    if (quote != '\0' && !field.empty() && field.back() == quote) field.remove_suffix(1);
    fields.push_back(field);
    start = end + 1;
  }
  return fields;
}

/// How many columns `line` names, 0 if it names none but holds sizes: each field of names begins with a letter, or is
/// empty, and none is "nan" or "inf", which are no names but sizes that cannot be.
std::int64_t names_in(std::string_view line, char separator) {
  const std::vector<std::string_view> fields = fields_of(line, separator);
  for (const std::string_view field : fields) {
    if (!field.empty() && !is_letter(first_character(field))) return 0;
    for (const std::string_view no_name : {"nan", "NaN", "NAN", "inf", "Inf", "INF", "infinity", "Infinity"})
      if (field == no_name) return 0;
  }
  const bool named = std::ranges::any_of(fields, [](std::string_view field) { return !field.empty(); });
  return named ? std::ssize(fields) : 0;
}

/// Blanks that separate nothing.
void skip_blanks(TextScanner& in, char separator) {
  while (in.at_char(' ') || (separator != '\t' && in.at_char('\t'))) in.take();
}

/// Reads one line of sizes, calling visit(column, size), and returns how many it has. Stands at the end of the line.
template <class Visit>
std::int64_t read_row(TextScanner& in, const Separator& separator, Visit visit) {
  for (std::int64_t column = 0;; ++column) {
    skip_blanks(in, separator.character);
    visit(column, in.size(false));
    skip_blanks(in, separator.character);
    if (in.at_line_end()) return column + 1;
    if (!in.at_char(separator.character)) in.fail(fmt::format("'{}' behind a size", shown(in.word())), separator.name);
    in.take();
  }
}

/// Calls visit(row, column, size) for every field; throws at the first fault. `names`: of columns on the line above, 0
/// without such a line.
template <class Visit>
Shape for_each_field(TextScanner& in, const Separator& separator, std::int64_t names, Visit visit) {
  Shape shape;
  const std::int64_t first_line = in.line();
  while (!in.at_end()) {
    in.skip_blanks();
    if (in.at_line_end()) {
      const TextScanner blank = in;
      while (!in.at_end() && in.at_line_end()) {
        in.next_line();
        in.skip_blanks();
      }
      if (!in.at_end()) blank.fail("an empty line", "sizes, or the end of the file");
      return shape;
    }
    if (shape.rows == kLargestDimension) in.fail("a line beyond 2^31 - 1", fmt::format("at most {}", shape.rows));
    const std::int64_t columns = read_row(
        in, separator, [&](std::int64_t column, const DecimalNumber& size) { visit(shape.rows, column, size); });
    if (columns > kLargestDimension)
      in.fail("more than 2^31 - 1 columns", fmt::format("at most {}", kLargestDimension));
    if (shape.rows == 0 && names > 0 && columns != names)
      in.fail(columns_text(columns), fmt::format("{}, as the line above names", columns_text(names)));
    if (shape.rows > 0 && columns != shape.columns)
      in.fail(columns_text(columns), fmt::format("{}, as line {} has", columns_text(shape.columns), first_line));
    shape.columns = columns;
    ++shape.rows;
    in.next_line();
  }
  return shape;
}

}  // namespace

Traffic read_traffic_csv(std::string_view text, const std::string& name, std::int64_t most_messages) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    throw InputError(name + ":1", "UTF-16, as spreadsheets write \"Unicode text\"", "UTF-8");
  const Separator separator = separator_of(text);
  TextScanner in(text, name, separator.character);
  const std::size_t first_end = std::min(text.find('\n'), text.size());
  const std::int64_t names = names_in(text.substr(0, first_end), separator.character);
  if (names > 0) {
    in.skip_to_line_end();
    in.next_line();
    if (text.find_first_not_of(" \t\r\n", first_end) == text.npos) in.fail("no sizes below the names", "traffic");
  }
  const TextScanner start = in;
  detail::TrafficBuilder builder(most_messages);
  const Shape shape = for_each_field(
      in, separator, names,
      [&](std::int64_t row, std::int64_t column, const DecimalNumber& size) { builder.add(row, column, size, in); });
  return builder.take(shape.rows, shape.columns, [&](std::size_t wanted) {
    TextScanner again = start;
    std::size_t message = 0;
    std::string where;
    (void)for_each_field(again, separator, names, [&](std::int64_t, std::int64_t, const DecimalNumber& size) {
      if (size.digits != 0 && message++ == wanted) where = again.where();
    });
    return where;
  });
}

}  // namespace sluice
