#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "input/matrix_market_text.hpp"
#include "input/text_scanner.hpp"
#include "input/traffic_builder.hpp"
#include "sluice/error.hpp"
#include "sluice/input/traffic_file.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {

using detail::DecimalNumber;
using detail::TextScanner;

Traffic read_matrix_market(std::string_view text, const std::string& name, std::int64_t most_messages) {
  TextScanner in(detail::without_byte_order_mark(text), name);
  const detail::MatrixMarketHeader header = detail::read_matrix_market_header(in);
  if (!header.array && header.entries > most_messages)  // the values of an array may be 0
    throw InputError(fmt::format("{}:{}", name, header.line), count_text(header.entries, "entry", "entries"),
                     fmt::format("at most {}", most_messages));
  const TextScanner before_entries = in;

  detail::TrafficBuilder builder(most_messages);
  constexpr std::size_t kShortestEntry = 6;  // "1 1 1\n"
  const std::size_t most = in.bytes_left() / kShortestEntry + 1;
  builder.reserve(header.entries < static_cast<std::int64_t>(most) ? static_cast<std::size_t>(header.entries) : most);
  for_each_entry(in, header, [&](std::int64_t row, std::int64_t column, const DecimalNumber& value, std::string_view) {
    builder.add(row, column, value, in);
  });
  return builder.take(header.rows, header.columns, [&](std::size_t wanted) {
    TextScanner again = before_entries;
    std::size_t message = 0;
    std::string where;
    for_each_entry(again, header, [&](std::int64_t, std::int64_t, const DecimalNumber& value, std::string_view) {
      if (value.digits != 0 && message++ == wanted) where = again.where();
    });
    return where;
  });
}

}  // namespace sluice
