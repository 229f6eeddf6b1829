#include "sluice/input/communication_grid.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "input/modular.hpp"
#include "sluice/checked.hpp"

namespace sluice {

using detail::floor_divide;
using detail::floor_modulo;
using detail::Int128;
using detail::inverse_modulo;
using detail::multiply_modulo;

namespace {

/// vol(k): number of pairs (x, y) with y - x = k, 0 <= x < r, 0 <= y < s, summed over k, k + step, ... <= last.
/// The trapezoid rises by 1 up to min(0, s - r), is flat up to max(0, s - r), then falls; each part is arithmetic.
Int128 trapezoid_sum(std::int64_t k, std::int64_t last, std::int64_t step, std::int64_t r, std::int64_t s) {
  Int128 sum = 0;
  const auto take = [&](std::int64_t end, std::int64_t constant, std::int64_t slope) {
    if (k > std::min(end, last)) return;
    const std::int64_t count = (std::min(end, last) - k) / step + 1;
    const Int128 first_value = constant + static_cast<Int128>(slope) * k;
    sum += count * first_value + static_cast<Int128>(slope) * step * (static_cast<Int128>(count) * (count - 1) / 2);
    k += count * step;
  };
  take(std::min<std::int64_t>(0, s - r), r, 1);
  take(std::max<std::int64_t>(0, s - r), std::min(r, s), 0);
  take(last, s, -1);
  return sum;
}

std::int64_t narrow(Int128 value, const char* what) {
  if (value > std::numeric_limits<std::int64_t>::max()) checked::overflow(what);
  return static_cast<std::int64_t>(value);
}

}  // namespace

CommunicationGrid::CommunicationGrid(const Axis& from, const Axis& to, std::int64_t from_start, std::int64_t to_start)
    : senders_(from.processes), receivers_(to.processes), from_block_(from.block), to_block_(to.block) {
  const std::int64_t from_cycle = checked::multiply(from.processes, from.block, "grid times block");
  const std::int64_t to_cycle = checked::multiply(to.processes, to.block, "grid times block");
  divisor_ = std::gcd(from.block, to.block);
  r_ = from.block / divisor_;
  s_ = to.block / divisor_;
  residues_ = std::gcd(from_cycle, to_cycle) / divisor_;
  // Only c mod g matters; it is taken from starts reduced to one cycle each, so that no difference overflows.
  const std::int64_t c = floor_modulo(from_start % from_cycle - to_start % to_cycle, residues_ * divisor_);
  offset_ = c / divisor_;
  offset_rest_ = c % divisor_;
  first_kappa_ = 1 - r_;
  last_kappa_ = offset_rest_ == 0 ? s_ - 1 : s_;
  classes_ = std::min(last_kappa_ - first_kappa_ + 1, residues_);

  row_period_ = std::gcd(s_, senders_);
  column_period_ = std::gcd(r_, receivers_);
  const std::int64_t rows = senders_ / row_period_;
  const std::int64_t columns = receivers_ / column_period_;
  lift_ = std::gcd(rows, columns);
  row_blocks_ = rows / lift_;
  column_blocks_ = columns / lift_;
  row_inverse_ = inverse_modulo(r_, row_period_);
  column_inverse_ = inverse_modulo(s_, column_period_);
  row_factor_ = s_ / row_period_ % lift_;
  row_factor_inverse_ = inverse_modulo(row_factor_, lift_);
  column_factor_ = r_ / column_period_ % lift_;
  column_factor_inverse_ = inverse_modulo(column_factor_, lift_);
  SLUICE_ASSERT(residues_ == row_period_ * column_period_ * lift_, "Lemma 3: g = r' s' g0");
}

std::int64_t CommunicationGrid::class_length(std::int64_t number) const {
  // kappa = first_kappa_ + number, + residues_, ... up to last_kappa_ are the differences k = d kappa - offset_rest_.
  const std::int64_t first = first_kappa_ + number;
  const std::int64_t last = first + (last_kappa_ - first) / residues_ * residues_;
  return narrow(trapezoid_sum(divisor_ * first - offset_rest_, divisor_ * last - offset_rest_, divisor_ * residues_,
                              from_block_, to_block_),
                "length of a message in one slice");
}

std::int64_t CommunicationGrid::class_of(std::int64_t sender, std::int64_t receiver) const {
  // p r < P r and q s < Q s fit; their difference does too.
  const std::int64_t number = floor_modulo(
      floor_modulo(sender * r_ - receiver * s_, residues_) - floor_modulo(offset_ + first_kappa_, residues_),
      residues_);
  return number < classes_ ? number : -1;
}

std::int64_t CommunicationGrid::length(std::int64_t sender, std::int64_t receiver) const {
  const std::int64_t number = class_of(sender, receiver);
  return number < 0 ? 0 : class_length(number);
}

std::int64_t CommunicationGrid::max_messages_of_sender() const {
  return column_blocks_ * ((classes_ + row_period_ - 1) / row_period_);
}

std::int64_t CommunicationGrid::max_messages_of_receiver() const {
  return row_blocks_ * ((classes_ + column_period_ - 1) / column_period_);
}

std::int64_t CommunicationGrid::optimal_steps() const {
  return std::max(max_messages_of_sender(), max_messages_of_receiver());
}

CommunicationGrid::ClassPosition CommunicationGrid::class_position(std::int64_t number) const {
  // p r - q s = kappa + offset (mod g) with p = a + s' x and q = b + r' y. Modulo s' it fixes a, modulo r' it fixes b;
  // what is left is a multiple of s' r': x r'' - y s'' = E (mod g0). In lifts i = x / s'' and j = y / r'' that
  // is i - j = E / (r'' s'').
  const std::int64_t target = first_kappa_ + number + offset_;
  ClassPosition result;
  result.row_residue = multiply_modulo(floor_modulo(target, row_period_), row_inverse_, row_period_);
  result.column_residue = multiply_modulo(floor_modulo(-target, column_period_), column_inverse_, column_period_);
  const std::int64_t rest = target - result.row_residue * r_ + result.column_residue * s_;
  const std::int64_t e = floor_modulo(floor_divide(rest, row_period_ * column_period_), lift_);
  result.shift = multiply_modulo(multiply_modulo(e, row_factor_inverse_, lift_), column_factor_inverse_, lift_);
  return result;
}

CommunicationGrid::QuotientPosition CommunicationGrid::position_of_sender(std::int64_t sender) const {
  const std::int64_t x = sender / row_period_;
  return {sender % row_period_, x / lift_, multiply_modulo(x % lift_, row_factor_inverse_, lift_)};
}

CommunicationGrid::QuotientPosition CommunicationGrid::position_of_receiver(std::int64_t receiver) const {
  const std::int64_t y = receiver / column_period_;
  return {receiver % column_period_, y / lift_, multiply_modulo(y % lift_, column_factor_inverse_, lift_)};
}

std::int64_t CommunicationGrid::sender_at(const QuotientPosition& position) const {
  const std::int64_t x = position.block * lift_ + multiply_modulo(position.lift, row_factor_, lift_);
  return position.residue + row_period_ * x;
}

std::int64_t CommunicationGrid::receiver_at(const QuotientPosition& position) const {
  const std::int64_t y = position.block * lift_ + multiply_modulo(position.lift, column_factor_, lift_);
  return position.residue + column_period_ * y;
}

std::int64_t CommunicationGrid::first_class_of_row(std::int64_t residue) const {
  // a = target / r mod s', so target = a r: the class numbers of row residue a are those = a r - first - offset mod s'.
  return floor_modulo(multiply_modulo(residue, r_, row_period_) - floor_modulo(first_kappa_ + offset_, row_period_),
                      row_period_);
}

std::int64_t CommunicationGrid::first_class_of_column(std::int64_t residue) const {
  return floor_modulo(
      -multiply_modulo(residue, s_, column_period_) - floor_modulo(first_kappa_ + offset_, column_period_),
      column_period_);
}

}  // namespace sluice
