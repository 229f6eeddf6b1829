#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/exchange/bounds/node_prices.hpp"
#include "plan/exchange/demand.hpp"
#include "sluice/schedule/bound_certificate.hpp"

namespace sluice::detail {

/// The certificate of a bound of `demand`. It names the nodes whose load and degree make eta. If the total comes from
/// prices, it has the prices of lp_bound and of node_price_bound. `kind` as in ExchangeBound; `decimals` of the
/// traffic.
[[nodiscard]] BoundCertificate certificate_of(const Demand& demand, const std::string& kind,
                                              const std::vector<double>& prices, const NodePrices& node_prices,
                                              std::int32_t decimals);

/// The prices of nodes of a certificate, for a demand whose unit has `decimals`; empty if there are none. `fault`: what
/// is wrong with them, if anything.
[[nodiscard]] NodePrices node_prices_of(const BoundCertificate& certificate, const Demand& demand,
                                        std::int32_t decimals, std::string& fault);

/// A lower bound of all schedules by these prices: one for each message's size and one for each of its pieces. Only the
/// proportions of the prices count. At most `enough`. Steps whose worth is in doubt are examined until the result would
/// be below `enough` or is exact. See verify_bound.hpp.
[[nodiscard]] double bound_by_prices(const Demand& demand, std::vector<double> prices, double enough);

}  // namespace sluice::detail
