#include "input/positions.hpp"

#include <algorithm>

namespace sluice::detail {

namespace {

/// 0 + 1 + ... + n - 1, modulo 2^64.
std::uint64_t triangle(std::int64_t n) {
  const auto m = static_cast<std::uint64_t>(n);
  return n % 2 == 0 ? m / 2 * (m - 1) : (m - 1) / 2 * m;
}

}  // namespace

Positions::Positions(const IndexRuns& runs) : extent_(runs.extent), period_(runs.period), count_(runs.count()) {
  if (runs.runs.empty()) return;
  origin_ = std::min<std::int64_t>(0, runs.runs.front().first);
  lead_ = -origin_;
  std::int64_t covered_to = 0;
  std::uint64_t sum = 0;
  for (const IndexRun& run : runs.runs) {
    const std::int64_t place = run.first - origin_;
    sum += static_cast<std::uint64_t>(per_period_) * static_cast<std::uint64_t>(place - covered_to);
    runs_.push_back({place, per_period_, sum, run.length});
    sum += static_cast<std::uint64_t>(per_period_) * static_cast<std::uint64_t>(run.length) + triangle(run.length);
    per_period_ += run.length;
    covered_to = place + run.length;
  }
  sum_of_period_ = sum + static_cast<std::uint64_t>(per_period_) * static_cast<std::uint64_t>(period_ - covered_to);
  sum_of_lead_ = covered(lead_).sum;
}

std::int64_t Positions::at(std::int64_t k) const {
  const std::int64_t period = (k + lead_) / per_period_;
  const std::int64_t rest = (k + lead_) - period * per_period_;
  const auto run = std::ranges::upper_bound(runs_, rest, {}, &Run::first) - 1;
  return origin_ + period * period_ + run->place + rest - run->first;
}

Positions::Covered Positions::covered(std::int64_t place) const {
  const std::int64_t periods = place / period_;
  const std::int64_t rest = place - periods * period_;
  Covered result;
  std::uint64_t sum = 0;
  if (const auto after = std::ranges::upper_bound(runs_, rest, {}, &Run::place); after != runs_.begin()) {
    const Run& run = *(after - 1);
    const std::int64_t inside = std::min(rest - run.place, run.length);
    result.positions = run.first + inside;
    sum = run.sum_before + static_cast<std::uint64_t>(run.first) * static_cast<std::uint64_t>(inside) +
          triangle(inside) +
          static_cast<std::uint64_t>(result.positions) * static_cast<std::uint64_t>(rest - run.place - inside);
  }
  const auto n = static_cast<std::uint64_t>(periods);
  const auto each = static_cast<std::uint64_t>(per_period_);
  result.sum = n * sum_of_period_ + each * static_cast<std::uint64_t>(period_) * triangle(periods) +
               n * each * static_cast<std::uint64_t>(rest) + sum;
  result.positions += periods * per_period_;
  return result;
}

std::int64_t Positions::below(std::int64_t place) const {
  if (place <= 0 || runs_.empty()) return 0;
  if (place >= extent_) return count_;
  return covered(place - origin_).positions - lead_;
}

std::uint64_t Positions::sum_to(std::int64_t place) const {
  if (place <= 0 || runs_.empty()) return 0;
  const std::int64_t inside = std::min(place, extent_);
  return covered(inside - origin_).sum - sum_of_lead_ -
         static_cast<std::uint64_t>(lead_) * static_cast<std::uint64_t>(inside) +
         static_cast<std::uint64_t>(count_) * static_cast<std::uint64_t>(place - inside);
}

std::uint64_t Positions::sum_below(std::int64_t first, std::int64_t last) const { return sum_to(last) - sum_to(first); }

PartEdge part_edge(MatrixPart part, bool unit_diagonal, std::int64_t rows, std::int64_t columns, bool inner_rows) {
  // Upper: row < column + shift; lower: row >= column + shift.
  const bool upper = part == MatrixPart::kUpper;
  const std::int64_t unit = unit_diagonal ? 1 : 0;
  const std::int64_t shift =
      upper ? std::max<std::int64_t>(0, rows - columns) + 1 - unit : unit - std::max<std::int64_t>(0, columns - rows);
  return inner_rows ? PartEdge{upper, shift} : PartEdge{!upper, 1 - shift};
}

std::int64_t count_in_part(const IndexRuns& rows, const IndexRuns& columns, MatrixPart part, bool unit_diagonal) {
  const PartEdge edge = part_edge(part, unit_diagonal, rows.extent, columns.extent, /*inner_rows=*/true);
  const Positions inner(rows);
  std::uint64_t below = 0;
  std::int64_t number = 0;
  columns.for_each([&](const IndexRun& run) {
    below += inner.sum_below(run.first + edge.shift, run.first + run.length + edge.shift);
    number += run.length;
  });
  return edge.below ? static_cast<std::int64_t>(below) : number * inner.count() - static_cast<std::int64_t>(below);
}

}  // namespace sluice::detail
