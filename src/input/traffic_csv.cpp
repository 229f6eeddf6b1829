#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "input/csv_layout.hpp"
#include "input/shown_text.hpp"
#include "input/text_scanner.hpp"
#include "input/traffic_builder.hpp"
#include "sluice/error.hpp"
#include "sluice/input/traffic_file.hpp"

namespace sluice {
namespace {

using detail::CsvLayout;
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

/// Blanks that separate nothing.
void skip_blanks(TextScanner& in, char separator) {
  while (in.at_char(' ') || (separator != '\t' && in.at_char('\t'))) in.take();
}

/// Skips to the end of a field that is a name.
void skip_name(TextScanner& in, char separator) {
  const auto at_end = [&] {
    return in.at_line_end() || in.at_char(separator) || (separator == ' ' && in.at_char('\t'));
  };
  for (const char quote : {'"', '\''}) {
    TextScanner ahead = in;
    if (!ahead.at_char(quote)) continue;
    ahead.take();
    while (!ahead.at_line_end() && !ahead.at_char(quote)) ahead.take();
    if (ahead.at_char(quote)) in = ahead;  // a quote that nothing closes is a character as any other
  }
  while (!at_end()) in.take();
}

/// Reads one line, calling visit(column, size), and returns how many sizes it has. Stands at the end of the line.
template <class Visit>
std::int64_t read_row(TextScanner& in, const CsvLayout& layout, Visit visit) {
  const char separator = layout.separator.character;
  const auto take_separator = [&](const char* behind) {
    if (separator == ' ') return;  // skipped as a blank
    if (!in.at_char(separator)) in.fail(fmt::format("'{}' behind {}", shown(in.word()), behind), layout.separator.name);
    in.take();
  };
  if (layout.row_names) {
    skip_blanks(in, separator);
    skip_name(in, separator);
    skip_blanks(in, separator);
    if (in.at_line_end()) return 0;
    take_separator("a name");
  }
  for (std::int64_t column = 0;; ++column) {
    skip_blanks(in, separator);
    visit(column, in.size(false));
    skip_blanks(in, separator);
    if (in.at_line_end()) return column + 1;
    take_separator("a size");
    if (!layout.trailing) continue;
    skip_blanks(in, separator);
    if (in.at_line_end()) return column + 1;
  }
}

/// Skips the comment lines that stand here.
void skip_comments(TextScanner& in) {
  while (!in.at_end()) {
    TextScanner ahead = in;
    ahead.skip_blanks();
    if (!ahead.at_char('#')) return;
    in.skip_to_line_end();
    in.next_line();
  }
}

/// Calls visit(row, column, size) for every field, and end_row() behind each line; throws at the first fault.
template <class Visit, class EndRow>
Shape for_each_field(TextScanner& in, const CsvLayout& layout, Visit visit, EndRow end_row) {
  Shape shape;
  skip_comments(in);
  const std::int64_t first_line = in.line();
  for (; !in.at_end(); skip_comments(in)) {
    const TextScanner start = in;
    in.skip_blanks();
    if (in.at_line_end()) {
      const TextScanner blank = in;
      while (!in.at_end() && in.at_line_end()) {
        in.next_line();
        skip_comments(in);
        in.skip_blanks();
      }
      if (!in.at_end()) blank.fail("an empty line", "sizes, or the end of the file");
      return shape;
    }
    if (layout.separator.character == '\t') in = start;
    if (shape.rows == kLargestDimension) in.fail("a line beyond 2^31 - 1", fmt::format("at most {}", shape.rows));
    const std::int64_t columns =
        read_row(in, layout, [&](std::int64_t column, const DecimalNumber& size) { visit(shape.rows, column, size); });
    if (columns > kLargestDimension)
      in.fail("more than 2^31 - 1 columns", fmt::format("at most {}", kLargestDimension));
    if (shape.rows == 0 && layout.names > 0 && columns != layout.names)
      in.fail(columns_text(columns), fmt::format("{}, as the line above names", columns_text(layout.names)));
    if (shape.rows > 0 && columns != shape.columns)
      in.fail(columns_text(columns), fmt::format("{}, as line {} has", columns_text(shape.columns), first_line));
    end_row();
    shape.columns = columns;
    ++shape.rows;
    in.next_line();
  }
  return shape;
}

/// Finds the place of message number `wanted` among the messages that have a size.
class MessageFinder {
 public:
  MessageFinder(const TextScanner& in, std::size_t wanted) : in_(in), wanted_(wanted) {}

  void see(const DecimalNumber& size) {
    if (size.digits != 0 && message_++ == wanted_) where_ = in_.where();
  }
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  const TextScanner& in_;
  std::size_t wanted_;
  std::size_t message_ = 0;
  std::string where_;
};

Traffic read_matrix(const TextScanner& start, const CsvLayout& layout, std::int64_t most_messages) {
  TextScanner in = start;
  detail::TrafficBuilder builder(most_messages);
  const auto nothing = [] {};
  const Shape shape = for_each_field(
      in, layout,
      [&](std::int64_t row, std::int64_t column, const DecimalNumber& size) { builder.add(row, column, size, in); },
      nothing);
  return builder.take(shape.rows, shape.columns, [&](std::size_t wanted) {
    TextScanner again = start;
    MessageFinder finder(again, wanted);
    (void)for_each_field(
        again, layout, [&](std::int64_t, std::int64_t, const DecimalNumber& size) { finder.see(size); }, nothing);
    return finder.where();
  });
}

/// A whole number, however it is written.
std::int64_t rank_of(const DecimalNumber& number, const TextScanner& in) {
  const auto value = number.exponent < 0 || number.more ? std::nullopt : scaled(number, 0);
  if (!value) in.fail("a rank with a fraction, or beyond 2^63 - 1", "a whole number from 0");
  if (*value >= kLargestDimension)
    in.fail(fmt::format("rank {}", *value), fmt::format("at most {}", kLargestDimension - 1));
  return *value;
}

/// `from_one` becomes whether ranks are counted from 1.
Traffic read_edges(const TextScanner& start, const CsvLayout& layout, std::int64_t most_messages, bool& from_one) {
  TextScanner in = start;
  detail::TrafficBuilder builder(most_messages);
  std::array<DecimalNumber, 3> edge;
  std::int64_t least = kLargestDimension, most = -1;
  const auto set = [&](std::int64_t column, const DecimalNumber& number) {
    if (column >= 3) in.fail("a fourth column", "the sender, the receiver and the size of an edge alone");
    edge[static_cast<std::size_t>(layout.roles[static_cast<std::size_t>(column)])] = number;
  };
  const Shape shape = for_each_field(
      in, layout, [&](std::int64_t, std::int64_t column, const DecimalNumber& number) { set(column, number); },
      [&] {
        const std::int64_t from = rank_of(edge[0], in), to = rank_of(edge[1], in);
        least = std::min({least, from, to});
        most = std::max({most, from, to});
        builder.add(from, to, edge[2], in);
      });
  if (shape.rows > 0 && shape.columns != 3)
    start.fail(columns_text(shape.columns), "the sender, the receiver and the size of each edge");
  from_one = shape.rows > 0 && least > 0;
  const std::int64_t first = from_one ? 1 : 0;
  Traffic traffic = builder.take(most + 1 - first, most + 1 - first, [&](std::size_t wanted) {
    TextScanner again = start;
    MessageFinder finder(again, wanted);
    (void)for_each_field(
        again, layout, [&](std::int64_t, std::int64_t column, const DecimalNumber& number) { set(column, number); },
        [&] { finder.see(edge[2]); });
    return finder.where();
  });
  for (Message& message : traffic.messages) {
    message.from -= first;
    message.to -= first;
  }
  return traffic;
}

std::string names_text(const CsvLayout& layout) {
  if (layout.column_names && layout.row_names) return "names of rows and columns";
  if (layout.row_names) return "names of rows";
  return layout.column_names ? "names of columns" : "";
}

}  // namespace

Traffic read_traffic_csv(std::string_view text, const std::string& name, const TrafficFormat& format,
                         TrafficReading& reading, std::int64_t most_messages) {
  text = detail::without_byte_order_mark(text);
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    throw InputError(name + ":1", "UTF-16, as spreadsheets write \"Unicode text\"", "UTF-8");
  TextScanner whole(text, name);  // refuses what is no text
  const CsvLayout layout = detail::find_csv_layout(text, name, format, reading.warnings);
  TextScanner in(text, name, layout.separator.character);
  skip_comments(in);
  if (layout.column_names) {
    TextScanner blank = in;
    blank.skip_blanks();
    if (blank.at_line_end()) in.fail("an empty line", "the names of the columns");
    in.skip_to_line_end();
    in.next_line();
    TextScanner rest = in;
    for (skip_comments(rest); !rest.at_end() && (rest.skip_blanks(), rest.at_line_end()); skip_comments(rest))
      rest.next_line();
    if (rest.at_end()) in.fail("no sizes below the names", "traffic");
  }
  if (!layout.edges) {
    reading.taken_for = names_text(layout);
    return read_matrix(in, layout, most_messages);
  }
  bool from_one = false;
  Traffic traffic = read_edges(in, layout, most_messages, from_one);
  reading.taken_for = fmt::format("edges, ranks from {}", from_one ? 1 : 0);
  return traffic;
}

Traffic read_traffic_csv(std::string_view text, const std::string& name, std::int64_t most_messages) {
  TrafficReading reading;
  return read_traffic_csv(text, name, {}, reading, most_messages);
}

}  // namespace sluice
