#include "apps/sluice/output/cost_text.hpp"

#include <fmt/format.h>

#include "sluice/input/decimal.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

std::string steps_text(const Cost& cost) { return fmt::format("{}", cost.steps); }

std::string transmission_text(const Cost& cost, std::int32_t decimals) {
  return decimal_text(cost.transmission, decimals);
}

std::string total_text(const Cost& cost, std::int32_t decimals) {
  return number_text(move_decimal_point(cost.total, -decimals));
}

std::string setup_text(double setup, std::int32_t decimals) {
  return number_text(move_decimal_point(setup, -decimals));
}

}  // namespace sluice::command
