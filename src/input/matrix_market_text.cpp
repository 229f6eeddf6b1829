#include "input/matrix_market_text.hpp"

#include <limits>
#include <string>

#include "input/shown_text.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {
namespace {

constexpr std::int64_t kLargestDimension = std::numeric_limits<std::int32_t>::max();

std::string lower_case(std::string_view word) {
  std::string result(word);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

void read_banner(TextScanner& in, MatrixMarketHeader& header) {
  constexpr auto kExpected =
      "'%%MatrixMarket matrix coordinate integer general', or array, real or pattern, symmetric instead";
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
  if (const std::string_view object = next(); lower_case(object) != "matrix") refuse(object);
  const std::string_view format = next();
  header.array = lower_case(format) == "array";
  if (!header.array && lower_case(format) != "coordinate") refuse(format);
  const std::string_view field = next();
  header.pattern = lower_case(field) == "pattern" && !header.array;
  // SciPy writes "unsigned-integer", other libraries "double".
  header.whole = lower_case(field) == "integer" || lower_case(field) == "unsigned-integer";
  if (!header.pattern && !header.whole && lower_case(field) != "real" && lower_case(field) != "double") refuse(field);
  const std::string_view symmetry = next();
  header.symmetric = lower_case(symmetry) == "symmetric";
  if (!header.symmetric && lower_case(symmetry) != "general") refuse(symmetry);
  in.skip_blanks();
  if (!in.at_line_end()) refuse(in.word());
  in.next_line();
}

void read_size_line(TextScanner& in, MatrixMarketHeader& header) {
  const char* const numbers = header.array ? "rows and columns" : "rows, columns and entries";
  if (!skip_to_content(in)) in.fail("the end of the file", fmt::format("a line with the numbers of {}", numbers));
  header.line = in.line();
  const auto dimension = [&](const char* what) {
    in.skip_blanks();
    const std::int64_t value = in.integer(what);
    if (value > kLargestDimension)
      in.fail(fmt::format("a {} beyond 2^31 - 1", what), fmt::format("at most {}", kLargestDimension));
    return value;
  };
  header.rows = dimension("number of rows");
  header.columns = dimension("number of columns");
  if (header.symmetric && header.rows != header.columns)
    in.fail(fmt::format("{} and {}", count_text(header.rows, "row"), count_text(header.columns, "column")),
            "as many of both: it is symmetric");
  in.skip_blanks();
  if (header.array) {
    header.entries = header.symmetric ? header.rows * (header.rows + 1) / 2 : header.rows * header.columns;
    check_line_end(in, "rows and columns only");
  } else {
    header.entries = in.integer("number of entries");
    check_line_end(in, "rows, columns and entries only");
  }
  in.next_line();
}

}  // namespace

MatrixMarketHeader read_matrix_market_header(TextScanner& in) {
  MatrixMarketHeader header;
  read_banner(in, header);
  read_size_line(in, header);
  return header;
}

bool skip_to_content(TextScanner& in) {
  while (!in.at_end()) {
    in.skip_blanks();
    if (in.at_char('%')) in.skip_to_line_end();
    if (!in.at_line_end()) return true;
    in.next_line();
  }
  return false;
}

void check_line_end(TextScanner& in, const char* expected) {
  in.skip_blanks();
  if (!in.at_line_end()) in.fail(fmt::format("'{}' at the end of the line", shown(in.word())), expected);
}

std::int64_t read_index(TextScanner& in, const char* what, std::int64_t count) {
  in.skip_blanks();
  const std::int64_t index = in.integer(what);
  if (index < 1 || index > count)
    in.fail(fmt::format("{} {}", what, index),
            count == 0 ? fmt::format("no entry: there is no {}", what) : fmt::format("a {} from 1 to {}", what, count));
  return index - 1;
}

}  // namespace sluice::detail
