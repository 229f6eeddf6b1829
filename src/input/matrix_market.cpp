#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "input/shown_text.hpp"
#include "input/text_scanner.hpp"
#include "input/traffic_builder.hpp"
#include "sluice/error.hpp"
#include "sluice/input/traffic_file.hpp"

/// Matrix Market coordinate files. Source of the format: Boisvert, Pozo, Remington, "The Matrix Market Exchange
/// Formats: Initial Design" (NISTIR 5935, 1996). More lenient than it: comments and blank lines may stand between
/// entries too.
namespace sluice {
namespace {

using detail::DecimalNumber;
using detail::shown;
using detail::TextScanner;

constexpr std::int64_t kLargestDimension = std::numeric_limits<std::int32_t>::max();

std::string lower_case(std::string_view word) {
  std::string result(word);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

struct SizeLine {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
  std::int64_t line = 0;
};

/// Whether the values are integers.
bool read_banner(TextScanner& in) {
  constexpr auto kExpected = "'%%MatrixMarket matrix coordinate integer general', or 'real' for 'integer'";
  const auto next = [&] {
    in.skip_blanks();
    const std::string_view word = in.word();
    in.skip_word();
    return word;
  };
  const auto refuse = [&](std::string_view word) {
    in.fail(word.empty() ? "the end of the header" : fmt::format("'{}' in the header", shown(word)), kExpected);
  };
  if (const std::string_view banner = next(); lower_case(banner) != "%%matrixmarket")
    in.fail(banner.empty() ? "an empty line" : fmt::format("'{}'", shown(banner)), kExpected);
  for (const std::string_view wanted : {"matrix", "coordinate"})
    if (const std::string_view word = next(); lower_case(word) != wanted) refuse(word);
  const std::string_view field = next();
  const bool whole = lower_case(field) == "integer";
  if (!whole && lower_case(field) != "real") refuse(field);
  if (const std::string_view symmetry = next(); lower_case(symmetry) != "general") refuse(symmetry);
  in.skip_blanks();
  if (!in.at_line_end()) refuse(in.word());
  in.next_line();
  return whole;
}

/// To the next line that holds something but a comment; false at the end of the file.
bool skip_to_content(TextScanner& in) {
  while (!in.at_end()) {
    in.skip_blanks();
    if (in.at_char('%')) in.skip_to_line_end();
    if (!in.at_line_end()) return true;
    in.next_line();
  }
  return false;
}

void end_of_numbers(TextScanner& in, const char* expected) {
  in.skip_blanks();
  if (!in.at_line_end()) in.fail(fmt::format("'{}' at the end of the line", shown(in.word())), expected);
}

SizeLine read_size_line(TextScanner& in) {
  if (!skip_to_content(in)) in.fail("the end of the file", "a line with the numbers of rows, columns and entries");
  SizeLine size;
  size.line = in.line();
  const auto dimension = [&](const char* what) {
    in.skip_blanks();
    const std::int64_t value = in.integer(what);
    if (value > kLargestDimension)
      in.fail(fmt::format("a {} beyond 2^31 - 1", what), fmt::format("at most {}", kLargestDimension));
    return value;
  };
  size.rows = dimension("number of rows");
  size.columns = dimension("number of columns");
  in.skip_blanks();
  size.entries = in.integer("number of entries");
  end_of_numbers(in, "rows, columns and entries only");
  in.next_line();
  return size;
}

std::int64_t read_index(TextScanner& in, const char* what, std::int64_t count) {
  in.skip_blanks();
  const std::int64_t index = in.integer(what);
  if (index < 1 || index > count)
    in.fail(fmt::format("{} {}", what, index),
            count == 0 ? fmt::format("no entry: there is no {}", what) : fmt::format("a {} from 1 to {}", what, count));
  return index - 1;
}

/// Calls visit(row, column, size) for every entry, from 0; throws at the first fault.
template <class Visit>
void for_each_entry(TextScanner& in, const SizeLine& size, bool whole, Visit visit) {
  std::int64_t entries = 0;
  for (; skip_to_content(in); ++entries) {
    if (entries == size.entries)
      in.fail(fmt::format("an entry more than {}", size.entries),
              fmt::format("{} entries, as line {} says", size.entries, size.line));
    const std::int64_t row = read_index(in, "row", size.rows);
    const std::int64_t column = read_index(in, "column", size.columns);
    in.skip_blanks();
    const DecimalNumber value = in.size(whole);
    visit(row, column, value);
    end_of_numbers(in, "row, column and size only");
    in.next_line();
  }
  if (entries < size.entries)
    in.fail(fmt::format("the end of the file after {} {}", entries, entries == 1 ? "entry" : "entries"),
            fmt::format("{} entries, as line {} says", size.entries, size.line));
}

}  // namespace

Traffic read_matrix_market(std::string_view text, const std::string& name) {
  TextScanner in(text, name);
  const bool whole = read_banner(in);
  const SizeLine size = read_size_line(in);
  const TextScanner before_entries = in;

  detail::TrafficBuilder builder;
  constexpr std::size_t kShortestEntry = 6;  // "1 1 1\n"
  const std::size_t most = in.bytes_left() / kShortestEntry + 1;
  builder.reserve(size.entries < static_cast<std::int64_t>(most) ? static_cast<std::size_t>(size.entries) : most);
  for_each_entry(in, size, whole, [&](std::int64_t row, std::int64_t column, const DecimalNumber& value) {
    if (!builder.add(row, column, value)) in.fail("a size beyond 2^63 - 1", "one that fits a 64-bit integer");
  });
  return builder.take(size.rows, size.columns, [&](std::size_t wanted) {
    TextScanner again = before_entries;
    std::size_t message = 0;
    std::string where;
    for_each_entry(again, size, whole, [&](std::int64_t, std::int64_t, const DecimalNumber& value) {
      if (value.digits != 0 && message++ == wanted) where = again.where();
    });
    return where;
  });
}

}  // namespace sluice
