/// See include/sluice/plan/verify_bound.hpp.
///
/// Example: k = 2, beta = 1, sizes (0,0) = (1,1) = (2,2) = 2. Prices 0 of sizes and 1/3 of pieces sum to 1. A step of
/// duration 2 is worth 2/3 at most and costs 3, one of duration 1 is worth 1/3 and costs 2; the larger of 2/9 and 1/6
/// makes the bound 1 / (2/9) = 4.5, which no whole cost below 5 satisfies.
#include "sluice/plan/verify_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "plan/exchange/demand.hpp"
#include "plan/exchange/limited_matching.hpp"
#include "plan/exchange/step_program.hpp"
#include "schedule/totals.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/schedule/bound_certificate.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice {

namespace {

using detail::as_size;
using detail::Demand;

/// What the messages of a witness prove.
struct Proven {
  std::int64_t transmission = 0;
  std::int64_t steps = 0;
};

Proven proven_by(const BoundCertificate::Witness& witness, const Demand& demand) {
  Proven result;
  for (const Edge& edge : demand.edges) {
    const bool counts = witness.of == "all" ||
                        (witness.of == "sender" && demand.sender_of_left[as_size(edge.left)] == witness.node) ||
                        (witness.of == "receiver" && demand.receiver_of_right[as_size(edge.right)] == witness.node);
    if (!counts) continue;
    result.transmission += edge.weight;
    ++result.steps;
  }
  if (witness.of == "all" && demand.max_transfers > 0) {
    const std::int64_t k = demand.max_transfers;
    result.transmission = result.transmission / k + (result.transmission % k != 0 ? 1 : 0);
    result.steps = result.steps / k + (result.steps % k != 0 ? 1 : 0);
  }
  return result;
}

/// The subject and the verb of a sentence.
std::string name_of(const BoundCertificate::Witness& witness) {
  return witness.of == "all" ? "all messages prove" : fmt::format("{} {} proves", witness.of, witness.node);
}

/// No schedule costs less than this, by these prices, one of each message's size and one of its pieces. Steps whose
/// worth is in doubt are looked into until the result would be below `enough`, or is exact.
double bound_by_prices(const Demand& demand, std::vector<double> prices, double enough) {
  const detail::StepProgram program(demand);
  const double sum = std::accumulate(prices.begin(), prices.end(), 0.0);
  if (!(sum > 0) || !std::isfinite(sum)) return 0;
  // Sums of m doubles err by less.
  const double rounding = 1e-12 + static_cast<double>(demand.edges.size()) * 0x1p-50;
  double largest = sum / (enough / program.scale()) * (1 - rounding);  // worth over cost that is still good enough
  detail::LimitedMatching matching(demand.lefts, demand.rights, demand.edges, demand.max_transfers);
  std::vector<double> values(program.edge_count());
  detail::Budget unlimited;
  const std::vector<std::int64_t>& durations = program.durations();
  for (std::size_t i = durations.size(); i-- > 0;) {
    const double cost = program.cost(durations[i]);
    program.values(durations[i], prices, values);
    if (matching.bound(values) <= largest * cost) continue;
    (void)matching.solve(values, unlimited);
    largest = std::max(largest, matching.bound(values) / cost);
  }
  return sum / largest * (1 - rounding) * program.scale();
}

/// The least number below or at which a bound of `total` is proven: plans cost whole numbers where the set-up is whole,
/// so that more than total - 1 is enough.
double enough_for(double total, double setup) {
  constexpr double kSlack = 1e-6;
  constexpr double kExact = 1e15;  // doubles below it have room for kSlack
  const bool whole = setup == std::floor(setup) && total == std::floor(total) && total < kExact;
  return whole ? total - 1 + kSlack : total;
}

}  // namespace

BoundVerdict verify_bound(const ScheduleFile& file, const Traffic& traffic) {
  const StepSchedule& schedule = file.schedule;
  if (schedule.local_phases) return {{}, "bound not verified: it is of the phase over the backbone alone"};
  // In the smaller unit of the two, in which the sizes of pieces are whole.
  const std::int32_t decimals = std::max(schedule.decimals, traffic.decimals);
  const std::int32_t more = decimals - schedule.decimals;
  Cost stated = schedule.bound;
  bool fits = detail::multiply(stated.transmission, more);
  stated.total = move_decimal_point(stated.total, more);
  Traffic sent = traffic;
  sent.decimals = decimals;
  for (Message& message : sent.messages) fits = fits && detail::multiply(message.size, decimals - traffic.decimals);
  if (!fits) return {{{-1, -1, fmt::format("its bound and the traffic do not fit {} decimals", decimals)}}, ""};
  const auto text = [&](double total) {
    return detail::total_text(move_decimal_point(total, -more), schedule.decimals);
  };
  const auto amount = [&](std::int64_t size) { return decimal_text(size, decimals); };
  const Demand demand = detail::make_demand(sent, schedule.max_transfers, move_decimal_point(schedule.setup, more));
  const Cost eta = detail::eta(demand);

  BoundVerdict verdict;
  const auto report = [&](std::string reason) { verdict.faults.push_back({-1, -1, std::move(reason)}); };
  // Without a certificate, eta itself is what proves them.
  Proven transmission{eta.transmission, eta.steps}, steps = transmission;
  std::string loaded = "the messages prove", busy = loaded;
  if (file.certificate) {
    transmission = proven_by(file.certificate->transmission, demand);
    steps = proven_by(file.certificate->steps, demand);
    loaded = name_of(file.certificate->transmission);
    busy = name_of(file.certificate->steps);
  }
  if (stated.steps > steps.steps) report(fmt::format("the bound is {} steps, {} {}", stated.steps, busy, steps.steps));
  if (stated.transmission > transmission.transmission)
    report(fmt::format("the bound on the transmission is {}, {} {}", amount(stated.transmission), loaded,
                       amount(transmission.transmission)));
  if (file.certificate && file.certificate->size_prices.size() != file.certificate->piece_prices.size())
    report("the certificate has different numbers of size_prices and piece_prices");
  const std::size_t priced = file.certificate ? file.certificate->size_prices.size() : 0;
  if (priced != 0 && priced != demand.edges.size())
    report(fmt::format("the certificate has prices of {} messages, the traffic has {}", priced, demand.edges.size()));
  if (!verdict.faults.empty()) return verdict;

  if (!detail::exceeds(stated.total, eta.total)) {
    verdict.text = fmt::format("bound {} verified (eta)", text(stated.total));
    return verdict;
  }
  if (!file.certificate) {
    verdict.text = fmt::format("bound {} not verified: the file has no certificate; {} verified (eta)",
                               text(stated.total), text(eta.total));
    return verdict;
  }
  std::vector<double> prices = file.certificate->size_prices;
  prices.insert(prices.end(), file.certificate->piece_prices.begin(), file.certificate->piece_prices.end());
  const double enough = enough_for(stated.total, demand.setup);
  const double by_prices = prices.empty() ? 0 : bound_by_prices(demand, std::move(prices), enough);
  if (by_prices >= enough * (1 - 1e-12)) {
    verdict.text = fmt::format("bound {} verified (lp)", text(stated.total));
    return verdict;
  }
  const double best = std::max(by_prices, eta.total);
  if (file.certificate->total == "exact") {
    verdict.text = fmt::format("bound {} not verified: it rests on the search of exact; {} verified ({})",
                               text(stated.total), text(best), best > eta.total ? "lp" : "eta");
  } else {
    report(fmt::format("the bound on the total is {}, its certificate proves {}", text(stated.total), text(best)));
  }
  return verdict;
}

}  // namespace sluice
