#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "input/decimal_number.hpp"
#include "input/text_scanner.hpp"
#include "sluice/quantity_text.hpp"

/// The text of a Matrix Market file, coordinate or array: what its readers share. Source of the format: Boisvert, Pozo,
/// Remington, "The Matrix Market Exchange Formats: Initial Design" (NISTIR 5935, 1996). More lenient than it: comments
/// and blank lines may stand between entries too. All throw InputError naming file and line.
namespace sluice::detail {

struct MatrixMarketHeader {
  bool whole = false;      ///< the values are integers
  bool array = false;      ///< every value stands there, column by column, without its indices
  bool symmetric = false;  ///< only the lower triangle stands there; each entry counts at both places
  bool pattern = false;    ///< no values: each entry is a 1
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;  ///< that stand in the file
  std::int64_t line = 0;     ///< where the three stand
};

/// The first line and the line of sizes; `in` stands behind them afterwards.
[[nodiscard]] MatrixMarketHeader read_matrix_market_header(TextScanner& in);

/// Skips to the next line that holds something but a comment; false at the end of the file.
bool skip_to_content(TextScanner& in);

/// The position that stands next, from 0, of `count`; `what` is "row" or "column".
[[nodiscard]] std::int64_t read_index(TextScanner& in, const char* what, std::int64_t count);

/// Throws unless nothing follows on the line but blanks.
void check_line_end(TextScanner& in, const char* expected);

/// Calls visit(row, column, value, text of the value) for every entry, from 0, while `in` stands in its line; also for
/// its mirror image if the matrix is symmetric. Throws at the first fault.
template <class Visit>
void for_each_entry(TextScanner& in, const MatrixMarketHeader& header, Visit visit) {
  constexpr std::string_view kOne = "1";
  const char* const end_of_line = header.array     ? "one value per line"
                                  : header.pattern ? "row and column only"
                                                   : "row, column and size only";
  std::int64_t entries = 0, next_row = 0, next_column = 0;  // next_row and next_column: for an array
  for (; skip_to_content(in); ++entries) {
    if (entries == header.entries)
      in.fail(fmt::format("an entry more than {}", header.entries),
              fmt::format("{}, as line {} says", count_text(header.entries, "entry", "entries"), header.line));
    const std::int64_t row = header.array ? next_row : read_index(in, "row", header.rows);
    const std::int64_t column = header.array ? next_column : read_index(in, "column", header.columns);
    if (header.symmetric && row < column)
      in.fail(fmt::format("row {}, column {} of a symmetric matrix", row + 1, column + 1), "the lower triangle alone");
    in.skip_blanks();
    DecimalNumber value{.digits = 1};
    std::string_view written = kOne;
    if (!header.pattern) {
      const char* const start = in.position();
      value = in.size(header.whole);
      written = {start, static_cast<std::size_t>(in.position() - start)};
    }
    visit(row, column, value, written);
    if (header.symmetric && row != column) visit(column, row, value, written);
    check_line_end(in, end_of_line);
    in.next_line();
    if (++next_row == header.rows) {
      ++next_column;
      next_row = header.symmetric ? next_column : 0;
    }
  }
  if (entries < header.entries)
    in.fail(fmt::format("the end of the file after {} {}", entries, entries == 1 ? "entry" : "entries"),
            fmt::format("{}, as line {} says", count_text(header.entries, "entry", "entries"), header.line));
}

}  // namespace sluice::detail
