#include "sluice/input/latency_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "input/decimal_number.hpp"
#include "input/matrix_market_text.hpp"
#include "input/shown_text.hpp"
#include "input/text_scanner.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/read_file.hpp"

namespace sluice {
namespace {

constexpr const char* kFileOfLatencies = "a file of latencies";

/// An entry of a file; backward if it stands below the diagonal.
struct FoundPair {
  LatencyPair pair;
  bool backward = false;
};

bool before(const FoundPair& x, const FoundPair& y) {
  if (x.pair.a != y.pair.a) return x.pair.a < y.pair.a;
  return x.pair.b != y.pair.b ? x.pair.b < y.pair.b : x.backward < y.backward;
}

bool same_pair(const FoundPair& x, const FoundPair& y) { return x.pair.a == y.pair.a && x.pair.b == y.pair.b; }

/// Throws at the second entry where `entry` is. `in` stands before the entries.
void fail_at_second(detail::TextScanner in, const detail::MatrixMarketHeader& header, const FoundPair& entry) {
  const std::int64_t row = entry.backward ? entry.pair.b : entry.pair.a;
  const std::int64_t column = entry.backward ? entry.pair.a : entry.pair.b;
  bool first = true;
  detail::for_each_entry(in, header, [&](std::int64_t r, std::int64_t c, const auto&, std::string_view) {
    if (r != row || c != column) return;
    if (!first) in.fail(fmt::format("row {}, column {} again", row + 1, column + 1), "every entry once");
    first = false;
  });
}

}  // namespace

LatencyMatrix::LatencyMatrix(std::int64_t nodes, std::vector<LatencyPair> pairs, const std::string& where)
    : nodes_(nodes), pairs_(std::move(pairs)) {
  if (nodes < 0 || nodes > kMostNodes)
    throw InputError(where, count_text(nodes, "node"), fmt::format("0 to {}", kMostNodes));
  const auto order = [](const LatencyPair& x, const LatencyPair& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; };
  if (!std::is_sorted(pairs_.begin(), pairs_.end(), order)) std::sort(pairs_.begin(), pairs_.end(), order);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const LatencyPair& pair = pairs_[i];
    if (pair.a < 0 || pair.a >= pair.b || pair.b >= nodes)
      throw InputError(where, fmt::format("a pair of nodes {} and {}", pair.a, pair.b),
                       fmt::format("two of 0 to {}, the smaller one first", nodes - 1));
    if (!std::isfinite(pair.latency_s) || pair.latency_s <= 0)
      throw InputError(where, fmt::format("{} s between {} and {}", pair.latency_s, pair.a, pair.b),
                       "a finite time above 0");
    if (i > 0 && !order(pairs_[i - 1], pair))
      throw InputError(where, fmt::format("the pair of {} and {} twice", pair.a, pair.b), "every pair once");
  }
}

LatencyMatrix read_latency_matrix(std::string_view text, const std::string& name) {
  detail::TextScanner in(detail::without_byte_order_mark(text), name, ' ', "latencies");
  const detail::MatrixMarketHeader header = detail::read_matrix_market_header(in);
  const auto where_of_sizes = fmt::format("{}:{}", name, header.line);
  if (header.rows != header.columns)
    throw InputError(where_of_sizes,
                     fmt::format("{} and {}", count_text(header.rows, "row"), count_text(header.columns, "column")),
                     "a square matrix");
  if (header.rows > LatencyMatrix::kMostNodes)
    throw InputError(where_of_sizes, count_text(header.rows, "node"),
                     fmt::format("at most {}", LatencyMatrix::kMostNodes));
  const detail::TextScanner before_entries = in;
  std::vector<FoundPair> entries;
  detail::for_each_entry(
      in, header, [&](std::int64_t row, std::int64_t column, const detail::DecimalNumber&, std::string_view written) {
        if (row == column) return;
        const double latency = detail::nearest_double(written, 0);
        if (!std::isfinite(latency) || latency <= 0)
          in.fail(fmt::format("a latency of {}", detail::shown(written)),
                  "a time in seconds above 0; no entry for a pair that was not measured");
        const auto low = static_cast<std::int32_t>(std::min(row, column));
        const auto high = static_cast<std::int32_t>(std::max(row, column));
        entries.push_back({{low, high, latency}, row > column});
      });
  std::sort(entries.begin(), entries.end(), before);
  const auto twice = std::adjacent_find(entries.begin(), entries.end(), [](const FoundPair& x, const FoundPair& y) {
    return same_pair(x, y) && x.backward == y.backward;
  });
  if (twice != entries.end()) fail_at_second(before_entries, header, *twice);
  std::vector<LatencyPair> pairs;
  pairs.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    LatencyPair pair = entries[i].pair;
    if (i + 1 < entries.size() && same_pair(entries[i], entries[i + 1])) {
      const FoundPair& next = entries[++i];
      pair.latency_s = pair.latency_s / 2 + next.pair.latency_s / 2;
    }
    pairs.push_back(pair);
  }
  return {header.rows, std::move(pairs), name};
}

LatencyMatrix read_latency_matrix(const std::string& path) {
  return read_latency_matrix(read_file(path, kFileOfLatencies).text(), shown_path(path));
}

}  // namespace sluice
