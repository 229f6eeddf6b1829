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
#include <string>
#include <utility>
#include <vector>

#include "plan/exchange/at_speeds.hpp"
#include "plan/exchange/bounds/bound_certificate.hpp"
#include "plan/exchange/bounds/node_prices.hpp"
#include "plan/exchange/bounds/split_bound.hpp"
#include "plan/exchange/demand.hpp"
#include "schedule/totals.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/bound_certificate.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/time_bound.hpp"

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

/// The least bound for one switch that proves the bound `total` for `switches` switches (bound_on_switches). If the
/// set-up is whole, plans cost whole numbers, so more than total - 1 for each switch is enough.
double enough_for(double total, double setup, std::int64_t switches) {
  constexpr double kSlack = 1e-6;
  constexpr double kExact = 1e15;  // doubles below it have room for kSlack
  const auto count = static_cast<double>(switches);
  const bool whole = setup == std::floor(setup) && total == std::floor(total) && total * count < kExact;
  return whole ? (total - 1) * count + kSlack : total * count;
}

}  // namespace

BoundVerdict verify_bound(const ScheduleFile& file, const Traffic& traffic) {
  const StepSchedule& schedule = file.schedule;
  if (schedule.local_phases) return {{}, "bound not verified: it is of the phase over the backbone alone"};
  // In the smaller unit of the two, so that the sizes of pieces are whole.
  const std::int32_t decimals = std::max(schedule.decimals, traffic.decimals);
  const std::int32_t more = decimals - schedule.decimals;
  Cost stated = schedule.bound;
  bool fits = detail::multiply(stated.transmission, more);
  stated.total = move_decimal_point(stated.total, more);
  Traffic sent = traffic;
  sent.decimals = decimals;
  for (Message& message : sent.messages) fits = fits && detail::multiply(message.size, decimals - traffic.decimals);
  if (!fits)
    return {{{-1, -1, fmt::format("its bound and the traffic do not fit {}", count_text(decimals, "decimal"))}}, ""};
  const auto text = [&](double total) {
    return detail::total_text(move_decimal_point(total, -more), schedule.decimals);
  };
  const auto amount = [&](std::int64_t size) { return decimal_text(size, decimals); };
  NetworkSpeeds speeds = schedule.speeds;
  for (BackboneChange& change : speeds.backbone) change.time = move_decimal_point(change.time, more);
  if (!speeds.empty()) sent = traffic_in_time(sent, speeds);
  const Demand demand = detail::make_demand(sent, schedule.max_transfers, move_decimal_point(schedule.setup, more));
  const Cost eta_of_one = detail::eta(demand);
  Cost eta = bound_on_switches(eta_of_one, demand.setup, schedule.switches);
  const char* of_eta = "eta";
  if (speeds.empty() && detail::exceeds(stated.total, eta.total)) {
    Cost splits = eta_of_one;
    splits.total = detail::split_bound(demand);
    splits = bound_on_switches(splits, demand.setup, schedule.switches);
    if (splits.total > eta.total) {
      eta.total = splits.total;
      of_eta = "splits";
    }
  }
  if (const double by_backbone = detail::backbone_bound(demand, speeds); by_backbone > eta.total) {
    eta.total = by_backbone;
    of_eta = "backbone";
  }
  const auto shared = [&](std::int64_t of_one) {
    return of_one / schedule.switches + (of_one % schedule.switches != 0 ? 1 : 0);
  };

  BoundVerdict verdict;
  const auto report = [&](std::string reason) { verdict.faults.push_back({-1, -1, std::move(reason)}); };
  // Without a certificate, eta itself is what proves them.
  Proven transmission{eta_of_one.transmission, eta_of_one.steps}, steps = transmission;
  std::string loaded = "the messages prove", busy = loaded;
  if (file.certificate) {
    transmission = proven_by(file.certificate->transmission, demand);
    steps = proven_by(file.certificate->steps, demand);
    loaded = name_of(file.certificate->transmission);
    busy = name_of(file.certificate->steps);
  }
  steps.steps = shared(steps.steps);
  transmission.transmission = shared(transmission.transmission);
  if (stated.steps > steps.steps)
    report(fmt::format("the bound is {}, {} {}", count_text(stated.steps, "step"), busy, steps.steps));
  if (stated.transmission > transmission.transmission)
    report(fmt::format("the bound on the transmission is {}, {} {}", amount(stated.transmission), loaded,
                       amount(transmission.transmission)));
  if (file.certificate && file.certificate->size_prices.size() != file.certificate->piece_prices.size())
    report("the certificate has different numbers of size_prices and piece_prices");
  const std::size_t priced = file.certificate ? file.certificate->size_prices.size() : 0;
  if (priced != 0 && priced != demand.edges.size())
    report(fmt::format("the certificate has prices of {}, the traffic has {}", count_text(priced, "message"),
                       demand.edges.size()));
  detail::NodePrices node_prices;
  if (file.certificate) {
    std::string fault;
    node_prices = detail::node_prices_of(*file.certificate, demand, decimals, fault);
    if (!fault.empty()) report(std::move(fault));
  }
  if (!verdict.faults.empty()) return verdict;

  if (!detail::exceeds(stated.total, eta.total)) {
    verdict.text = fmt::format("bound {} verified ({})", text(stated.total), of_eta);
    return verdict;
  }
  if (!file.certificate) {
    verdict.text = fmt::format("bound {} not verified: the file has no certificate; {} verified ({})",
                               text(stated.total), text(eta.total), of_eta);
    return verdict;
  }
  std::vector<double> prices = file.certificate->size_prices;
  prices.insert(prices.end(), file.certificate->piece_prices.begin(), file.certificate->piece_prices.end());
  const double enough = enough_for(stated.total, demand.setup, schedule.switches);
  double by_prices = detail::bound_by_node_prices(demand, node_prices);
  if (by_prices < enough && !prices.empty())
    by_prices = std::max(by_prices, detail::bound_by_prices(demand, std::move(prices), enough));
  if (by_prices >= enough * (1 - 1e-12)) {
    verdict.text = fmt::format("bound {} verified (lp)", text(stated.total));
    return verdict;
  }
  const double best = std::max(by_prices / static_cast<double>(schedule.switches), eta.total);
  if (file.certificate->total == "exact") {
    verdict.text = fmt::format("bound {} not verified: it rests on the search of exact; {} verified ({})",
                               text(stated.total), text(best), best > eta.total ? "lp" : of_eta);
  } else {
    report(fmt::format("the bound on the total is {}, its certificate proves {}", text(stated.total), text(best)));
  }
  return verdict;
}

}  // namespace sluice
