#include "run/mpi/exchange/routed_part.hpp"

#include <algorithm>
#include <utility>

#include "run/mpi/exchange/exchange_part.hpp"
#include "run/mpi/ways/choice.hpp"
#include "schedule/route_index.hpp"

namespace sluice::mpi::detail {
namespace {

using sluice::detail::Phase;
using sluice::detail::RouteIndex;

std::size_t at(std::int64_t rank) { return static_cast<std::size_t>(rank); }

/// The places of every piece on its way.
class Ways {
 public:
  Ways(const std::vector<Route>& routes, int ranks)
      : routes_(routes),
        before_(routes, Phase::kBefore),
        exchange_(routes, Phase::kExchange),
        after_(routes, Phase::kAfter),
        held_bytes_(at(ranks), 0),
        at_carrier_(routes.size(), -1),
        at_landing_(routes.size(), -1) {
    // In the order of crossing: what travels together is held together.
    exchange_.visit_all([&](std::size_t r) {
      const Route& route = routes_[r];
      if (route.carrier != route.from) at_carrier_[r] = hold(route.carrier, route.size);
      if (route.landing != route.to) at_landing_[r] = hold(route.landing, route.size);
    });
  }

  [[nodiscard]] const RouteIndex& index(Phase phase) const {
    return phase == Phase::kBefore ? before_ : phase == Phase::kExchange ? exchange_ : after_;
  }
  [[nodiscard]] std::int64_t held_bytes(std::size_t rank) const { return held_bytes_[rank]; }

  /// The place of the bytes of a transfer at its sender or, if not `sends`, at its receiver.
  [[nodiscard]] std::vector<Fragment> way(Phase phase, const Transfer& transfer, bool sends) const {
    std::vector<Fragment> result;
    index(phase).visit(transfer, [&](std::size_t r, std::int64_t offset, std::int64_t bytes) {
      Fragment piece = place(phase, r, sends);
      piece.offset += offset;
      piece.bytes = bytes;
      if (!result.empty() && result.back().peer == piece.peer &&
          result.back().offset + result.back().bytes == piece.offset) {
        result.back().bytes += bytes;
      } else {
        result.push_back(piece);
      }
    });
    return result;
  }

 private:
  std::int64_t hold(std::int64_t rank, std::int64_t bytes) {
    held_bytes_[at(rank)] += bytes;
    return held_bytes_[at(rank)] - bytes;
  }
  /// The place of the beginning of a route's piece.
  [[nodiscard]] Fragment place(Phase phase, std::size_t r, bool sends) const {
    const Route& route = routes_[r];
    const Fragment source{static_cast<int>(route.to), route.offset, 0};
    const Fragment target{static_cast<int>(route.from), route.offset, 0};
    const Fragment carried = at_carrier_[r] < 0 ? source : Fragment{-1, at_carrier_[r], 0};
    const Fragment landed = at_landing_[r] < 0 ? target : Fragment{-1, at_landing_[r], 0};
    switch (phase) {
      case Phase::kBefore:
        return sends ? source : carried;
      case Phase::kExchange:
        return sends ? carried : landed;
      case Phase::kAfter:
        break;
    }
    return sends ? landed : target;
  }

  const std::vector<Route>& routes_;
  RouteIndex before_;
  RouteIndex exchange_;
  RouteIndex after_;
  std::vector<std::int64_t> held_bytes_;
  std::vector<std::int64_t> at_carrier_;  ///< where a piece is held there; -1: it is the carrier's own
  std::vector<std::int64_t> at_landing_;
};

/// Steps of several phases, one after the other.
class PhaseSteps {
 public:
  void add(Phase phase, const std::vector<Step>& steps) {
    schedule_.steps.insert(schedule_.steps.end(), steps.begin(), steps.end());
    phases_.insert(phases_.end(), steps.size(), phase);
  }
  [[nodiscard]] const StepSchedule& schedule() const { return schedule_; }
  [[nodiscard]] Phase of(std::int64_t step) const { return phases_[static_cast<std::size_t>(step)]; }
  [[nodiscard]] std::int64_t steps() const { return static_cast<std::int64_t>(phases_.size()); }

 private:
  StepSchedule schedule_;
  std::vector<Phase> phases_;  ///< of each step
};

/// How many receives of the list have to be there for each route's piece to be whole.
class Needed {
 public:
  explicit Needed(std::size_t routes) : receives_(routes, 0) {}
  void comes_by(const RouteIndex& index, const Transfer& transfer, std::size_t receive) {
    index.visit(transfer, [&](std::size_t route, std::int64_t /*offset*/, std::int64_t /*bytes*/) {
      receives_[route] = std::max(receives_[route], receive + 1);
    });
  }
  [[nodiscard]] std::size_t of(const RouteIndex& index, const Transfer& transfer) const {
    std::size_t most = 0;
    index.visit(transfer, [&](std::size_t route, std::int64_t /*offset*/, std::int64_t /*bytes*/) {
      most = std::max(most, receives_[route]);
    });
    return most;
  }

 private:
  std::vector<std::size_t> receives_;
};

/// The transfers of a part, converted to transfers of a schedule.
Transfer sent(std::size_t rank, const ExchangePart::Send& t) {
  return {static_cast<std::int64_t>(rank), t.peer, t.offset, t.bytes};
}
Transfer received(std::size_t rank, const ExchangePart::Receive& t) {
  return {t.peer, static_cast<std::int64_t>(rank), t.offset, t.bytes};
}

/// Adds the local transfers as `local`, parts of `steps`, has them.
void add_local(std::vector<ExchangePart>& parts, const std::vector<ExchangePart>& local, const Ways& ways,
               const PhaseSteps& steps, std::size_t routes) {
  Needed carried(routes);
  Needed landed(routes);
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    RoutedPart& routed = parts[rank].routed;
    for (std::size_t i = 0; i < local[rank].transfers_in.size(); ++i) {
      const ExchangePart::Receive& receive = local[rank].transfers_in[i];
      const Transfer transfer = received(rank, receive);
      const Phase phase = steps.of(receive.step);
      if (phase == Phase::kBefore) carried.comes_by(ways.index(Phase::kBefore), transfer, i);
      routed.receives.push_back({receive.peer, receive.bytes, receive.step, ways.way(phase, transfer, false)});
    }
    for (std::size_t i = 0; i < parts[rank].transfers_in.size(); ++i)
      landed.comes_by(ways.index(Phase::kExchange), received(rank, parts[rank].transfers_in[i]), i);
  }
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    RoutedPart& routed = parts[rank].routed;
    for (const ExchangePart::Send& send : local[rank].sends) {
      const Transfer transfer = sent(rank, send);
      const Phase phase = steps.of(send.step);
      routed.sends.push_back({send.peer, send.bytes, send.step, ways.way(phase, transfer, true),
                              phase == Phase::kAfter ? landed.of(ways.index(Phase::kAfter), transfer) : 0});
    }
    for (std::size_t i = 0; i < parts[rank].sends.size(); ++i)
      routed.exchange_sends[i].after = carried.of(ways.index(Phase::kExchange), sent(rank, parts[rank].sends[i]));
  }
}

}  // namespace

std::vector<ExchangePart> split_phases(const StepSchedule& schedule, int ranks, std::int64_t slots, bool in_turn) {
  const LocalPhases& phases = *schedule.local_phases;
  const Ways ways(phases.routes, ranks);
  PhaseSteps exchange;
  PhaseSteps local;
  PhaseSteps& beside = in_turn ? exchange : local;
  beside.add(Phase::kBefore, phases.before.steps);
  exchange.add(Phase::kExchange, schedule.steps);
  beside.add(Phase::kAfter, phases.after.steps);
  const auto steps = static_cast<std::int64_t>(schedule.steps.size());

  std::vector<ExchangePart> parts = in_turn ? split(exchange.schedule(), ranks, ranks) : split(schedule, ranks, slots);
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    ExchangePart& part = parts[rank];
    part.steps = steps;
    part.routed.is = true;
    part.routed.held_bytes = ways.held_bytes(rank);
    part.routed.steps = exchange.steps() + local.steps() - steps;
    for (const ExchangePart::Send& send : part.sends)
      part.routed.exchange_sends.push_back({ways.way(exchange.of(send.step), sent(rank, send), true), 0});
    for (const ExchangePart::Receive& receive : part.transfers_in)
      part.routed.exchange_receives.push_back({ways.way(exchange.of(receive.step), received(rank, receive), false), 0});
  }
  if (in_turn) return parts;

  add_local(parts, split(local.schedule(), ranks, ranks), ways, local, phases.routes.size());
  std::int64_t bytes = 0;
  std::int64_t messages = 0;
  for (const ExchangePart& part : parts) {
    for (const RoutedPart::Local& send : part.routed.sends) bytes += send.bytes;
    messages += static_cast<std::int64_t>(part.routed.sends.size());
  }
  const bool share =
      messages == 0 ||
      choose({JobKind::kExchange, Question::kLocalPhases, Where::kAnywhere, bytes / messages}).by == By::kMemory;
  for (ExchangePart& part : parts) part.routed.shares_memory = share;
  return parts;
}

}  // namespace sluice::mpi::detail
