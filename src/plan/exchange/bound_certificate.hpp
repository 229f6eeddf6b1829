#pragma once

#include <vector>

#include "plan/exchange/demand.hpp"
#include "sluice/schedule/bound_certificate.hpp"

namespace sluice::detail {

/// The certificate of a bound of `demand`: whose load and whose degree are eta, and the prices of lp_bound, if the
/// total is from there. `kind` as in ExchangeBound.
[[nodiscard]] BoundCertificate certificate_of(const Demand& demand, const std::string& kind,
                                              const std::vector<double>& prices);

}  // namespace sluice::detail
