#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

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

/// Whether `line` names the columns: each field begins with a letter or a quote, or is empty, and none is "nan" or
/// "inf", which are no names but sizes that cannot be.
bool is_header(std::string_view line, char separator) {
  bool named = false;
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  for (std::size_t start = 0; start <= line.size();) {
    const std::size_t end = std::min(line.find(separator, start), line.size());
    std::string_view field = line.substr(start, end - start);
    while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
    while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0; };
    if (!field.empty() && !letter(field.front()) && field.front() != '"' && field.front() != '\'') return false;
    for (const std::string_view no_name : {"nan", "NaN", "NAN", "inf", "Inf", "INF", "infinity", "Infinity"})
      if (field == no_name) return false;
    named = named || !field.empty();
    start = end + 1;
  }
  return named;
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

/// Calls visit(row, column, size) for every field; throws at the first fault.
template <class Visit>
Shape for_each_field(TextScanner& in, const Separator& separator, Visit visit) {
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
  if (is_header(text.substr(0, first_end), separator.character)) {
    in.skip_to_line_end();
    in.next_line();
    if (text.find_first_not_of(" \t\r\n", first_end) == text.npos) in.fail("no sizes below the names", "traffic");
  }
  const TextScanner start = in;
  detail::TrafficBuilder builder(most_messages);
  const Shape shape = for_each_field(
      in, separator,
      [&](std::int64_t row, std::int64_t column, const DecimalNumber& size) { builder.add(row, column, size, in); });
  return builder.take(shape.rows, shape.columns, [&](std::size_t wanted) {
    TextScanner again = start;
    std::size_t message = 0;
    std::string where;
    (void)for_each_field(again, separator, [&](std::int64_t, std::int64_t, const DecimalNumber& size) {
      if (size.digits != 0 && message++ == wanted) where = again.where();
    });
    return where;
  });
}

}  // namespace sluice
