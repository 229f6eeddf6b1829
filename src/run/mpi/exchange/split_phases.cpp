#include "run/mpi/exchange/split_phases.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "run/mpi/ways/choice.hpp"
#include "schedule/own_part.hpp"
#include "schedule/route_index.hpp"

namespace sluice::mpi::detail {
namespace {

using sluice::detail::Phase;
using sluice::detail::RouteIndex;
using Range = OwnPart::Range;

std::size_t at(std::int64_t rank) { return static_cast<std::size_t>(rank); }

/// The places of every piece on its way.
class PlacesOnTheWay {
 public:
  PlacesOnTheWay(const std::vector<Route>& routes, int ranks)
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
  [[nodiscard]] std::vector<Range> of(Phase phase, const Transfer& transfer, bool sends) const {
    std::vector<Range> result;
    index(phase).visit(transfer, [&](std::size_t r, std::int64_t offset, std::int64_t bytes) {
      Range piece = place(phase, r, sends);
      piece.begin += offset;
      piece.count = bytes;
      if (!result.empty() && result.back().store == piece.store &&
          result.back().begin + result.back().count == piece.begin) {
        result.back().count += bytes;
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
  [[nodiscard]] Range place(Phase phase, std::size_t r, bool sends) const {
    const Route& route = routes_[r];
    const Range source{route.offset, 0, false, static_cast<int>(route.to)};
    const Range target{route.offset, 0, false, static_cast<int>(route.from)};
    const Range carried = at_carrier_[r] < 0 ? source : Range{at_carrier_[r], 0, false, ExchangePart::kHeld};
    const Range landed = at_landing_[r] < 0 ? target : Range{at_landing_[r], 0, false, ExchangePart::kHeld};
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

/// By route: the receives, as ends of their rank's part, that bring its piece.
class Bringing {
 public:
  explicit Bringing(std::size_t routes) : ends_(routes) {}
  void brings(const RouteIndex& index, const Transfer& transfer, std::uint32_t end) {
    index.visit(transfer, [&](std::size_t route, std::int64_t /*offset*/, std::int64_t /*bytes*/) {
      if (ends_[route].empty() || ends_[route].back() != end) ends_[route].push_back(end);
    });
  }
  /// What the transfer has to wait for.
  [[nodiscard]] std::vector<std::uint32_t> before(const RouteIndex& index, const Transfer& transfer) const {
    std::vector<std::uint32_t> result;
    index.visit(transfer, [&](std::size_t route, std::int64_t /*offset*/, std::int64_t /*bytes*/) {
      result.insert(result.end(), ends_[route].begin(), ends_[route].end());
    });
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

 private:
  std::vector<std::vector<std::uint32_t>> ends_;
};

/// An end of a rank's part, converted to a transfer of a schedule.
Transfer transfer_of(std::int64_t rank, const OwnPart& part, std::size_t end) {
  const OwnPart::Own& own = part.ends[end];
  const Range& range = part.ranges[end].front();
  return own.sends ? Transfer{rank, own.peer, range.begin, range.count}
                   : Transfer{own.peer, rank, range.begin, range.count};
}

/// Joins the parts of a rank: `crossing` of the transfers in `exchange`, and `beside` of those in `local`. `carried`
/// and `landed` gather what brings pieces before the backbone, and over it.
OwnPart joined(std::int64_t rank, const OwnPart& crossing, const PhaseSteps& exchange, const OwnPart& beside,
               const PhaseSteps& local, const PlacesOnTheWay& places, Bringing& carried, Bringing& landed) {
  const auto count = static_cast<std::uint32_t>(crossing.ends.size());
  const auto for_all = [&](auto use) {
    for (std::size_t i = 0; i < crossing.ends.size(); ++i)
      use(static_cast<std::uint32_t>(i), crossing.ends[i], exchange.of(crossing.ends[i].step),
          transfer_of(rank, crossing, i));
    for (std::size_t i = 0; i < beside.ends.size(); ++i)
      use(count + static_cast<std::uint32_t>(i), beside.ends[i], local.of(beside.ends[i].step),
          transfer_of(rank, beside, i));
  };
  for_all([&](std::uint32_t i, const OwnPart::Own& end, Phase phase, const Transfer& transfer) {
    if (end.sends || phase == Phase::kAfter || beside.ends.empty()) return;
    (phase == Phase::kBefore ? carried : landed).brings(places.index(phase), transfer, i);
  });
  OwnPart part;
  for_all([&](std::uint32_t i, OwnPart::Own end, Phase phase, const Transfer& transfer) {
    std::vector<std::uint32_t> before;
    if (end.sends && phase != Phase::kBefore && !beside.ends.empty())
      before = (phase == Phase::kExchange ? carried : landed).before(places.index(phase), transfer);
    end.lane = i < count ? 0 : ExchangePart::kLocal;
    (void)part.add(end, places.of(phase, transfer, end.sends), before);
  });
  part.permits = crossing.permits;
  part.grants = crossing.grants;
  if (!part.permits.empty()) part.permits.resize(part.ends.size(), 0);
  return part;
}

}  // namespace

std::vector<ExchangePart> split_phases(const StepSchedule& schedule, int ranks,
                                       const sluice::detail::Lists<std::uint32_t>& waits, bool in_turn) {
  const LocalPhases& phases = *schedule.local_phases;
  const PlacesOnTheWay places(phases.routes, ranks);
  PhaseSteps exchange;
  PhaseSteps local;
  PhaseSteps& beside = in_turn ? exchange : local;
  beside.add(Phase::kBefore, phases.before.steps);
  exchange.add(Phase::kExchange, schedule.steps);
  beside.add(Phase::kAfter, phases.after.steps);
  const auto steps = static_cast<std::int64_t>(schedule.steps.size());

  const std::vector<OwnPart> crossing =
      sluice::detail::cut(exchange.schedule(), ranks, in_turn ? sluice::detail::Lists<std::uint32_t>() : waits);
  const std::vector<OwnPart> locals = sluice::detail::cut(local.schedule(), ranks, {});
  std::vector<ExchangePart> parts(at(ranks));
  Bringing carried(phases.routes.size()), landed(phases.routes.size());
  std::int64_t bytes = 0;
  std::int64_t messages = 0;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    ExchangePart& part = parts[rank];
    part.steps = steps;
    part.routed.is = true;
    part.routed.held_bytes = places.held_bytes(rank);
    part.routed.steps = exchange.steps() + local.steps() - steps;
    part.own =
        joined(static_cast<std::int64_t>(rank), crossing[rank], exchange, locals[rank], local, places, carried, landed);
    for (const OwnPart::Own& end : locals[rank].ends) {
      if (!end.sends) continue;
      bytes += end.count;
      ++messages;
    }
  }
  if (in_turn) return parts;
  const bool share =
      messages == 0 ||
      choose({JobKind::kExchange, Question::kLocalPhases, Where::kAnywhere, bytes / messages}).by == By::kMemory;
  for (ExchangePart& part : parts) part.routed.shares_memory = share;
  return parts;
}

}  // namespace sluice::mpi::detail
