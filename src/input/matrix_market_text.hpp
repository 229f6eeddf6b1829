#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "input/decimal_number.hpp"
#include "input/text_scanner.hpp"

/// The text of a Matrix Market coordinate file: what its readers share. Source of the format: Boisvert, Pozo,
/// Remington, "The Matrix Market Exchange Formats: Initial Design" (NISTIR 5935, 1996). More lenient than it: comments
/// and blank lines may stand between entries too. All throw InputError naming file and line.
namespace sluice::detail {

struct MatrixMarketHeader {
  bool whole = false;  ///< the values are integers
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
  std::int64_t line = 0;  ///< where the three stand
};

/// The first line and the line of sizes; `in` stands behind them afterwards.
[[nodiscard]] MatrixMarketHeader read_matrix_market_header(TextScanner& in);

/// To the next line that holds something but a comment; false at the end of the file.
bool skip_to_content(TextScanner& in);

/// The position that stands next, from 0, of `count`; `what` is "row" or "column".
[[nodiscard]] std::int64_t read_index(TextScanner& in, const char* what, std::int64_t count);

/// Throws unless nothing follows on the line but blanks.
void check_line_end(TextScanner& in, const char* expected);

/// Calls visit(row, column, value, text of the value) for every entry, from 0, while `in` stands in its line; throws at
/// the first fault.
template <class Visit>
void for_each_entry(TextScanner& in, const MatrixMarketHeader& header, Visit visit) {
  std::int64_t entries = 0;
  for (; skip_to_content(in); ++entries) {
    if (entries == header.entries)
      in.fail(fmt::format("an entry more than {}", header.entries),
              fmt::format("{} entries, as line {} says", header.entries, header.line));
    const std::int64_t row = read_index(in, "row", header.rows);
    const std::int64_t column = read_index(in, "column", header.columns);
    in.skip_blanks();
    const char* const written = in.position();
    const DecimalNumber value = in.size(header.whole);
    visit(row, column, value, std::string_view(written, static_cast<std::size_t>(in.position() - written)));
    check_line_end(in, "row, column and size only");
    in.next_line();
  }
  if (entries < header.entries)
    in.fail(fmt::format("the end of the file after {} {}", entries, entries == 1 ? "entry" : "entries"),
            fmt::format("{} entries, as line {} says", header.entries, header.line));
}

}  // namespace sluice::detail
