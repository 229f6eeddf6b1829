#include <fmt/format.h>

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

/// Reads one line of sizes, calling visit(column, size), and returns how many it has. Stands at the end of the line.
template <class Visit>
std::int64_t read_row(TextScanner& in, Visit visit) {
  for (std::int64_t column = 0;; ++column) {
    in.skip_blanks();
    visit(column, in.size(false));
    in.skip_blanks();
    if (in.at_line_end()) return column + 1;
    if (!in.at_char(',')) in.fail(fmt::format("'{}' behind a size", shown(in.word())), "a comma");
    in.take();
  }
}

/// Calls visit(row, column, size) for every field; throws at the first fault.
template <class Visit>
Shape for_each_field(TextScanner& in, Visit visit) {
  Shape shape;
  while (!in.at_end()) {
    in.skip_blanks();
    if (in.at_line_end()) {
      const TextScanner blank = in;
      while (!in.at_end() && in.at_line_end()) {
        in.next_line();
        in.skip_blanks();
      }
      if (!in.at_end()) blank.fail("an empty line", "sizes separated by commas");
      return shape;
    }
    if (shape.rows == kLargestDimension) in.fail("a line beyond 2^31 - 1", fmt::format("at most {}", shape.rows));
    const std::int64_t columns =
        read_row(in, [&](std::int64_t column, const DecimalNumber& size) { visit(shape.rows, column, size); });
    if (columns > kLargestDimension)
      in.fail("more than 2^31 - 1 columns", fmt::format("at most {}", kLargestDimension));
    if (shape.rows > 0 && columns != shape.columns)
      in.fail(columns_text(columns), fmt::format("{}, as line 1 has", columns_text(shape.columns)));
    shape.columns = columns;
    ++shape.rows;
    in.next_line();
  }
  return shape;
}

}  // namespace

Traffic read_traffic_csv(std::string_view text, const std::string& name) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  TextScanner in(text, name, ',');
  const TextScanner start = in;
  detail::TrafficBuilder builder;
  const Shape shape = for_each_field(in, [&](std::int64_t row, std::int64_t column, const DecimalNumber& size) {
    if (!builder.add(row, column, size)) in.fail("a size beyond 2^63 - 1", "one that fits a 64-bit integer");
  });
  return builder.take(shape.rows, shape.columns, [&](std::size_t wanted) {
    TextScanner again = start;
    std::size_t message = 0;
    std::string where;
    (void)for_each_field(again, [&](std::int64_t, std::int64_t, const DecimalNumber& size) {
      if (size.digits != 0 && message++ == wanted) where = again.where();
    });
    return where;
  });
}

}  // namespace sluice
