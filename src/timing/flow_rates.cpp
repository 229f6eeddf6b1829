/// Rates of flows that share what they pass: max-min fair, with weights.
///
/// Problem: flows pass ports, connections and links, each with a capacity. If a thing on its way has too little
/// capacity, a flow takes the share that its weight gives it, and leaves the rest to others.
/// Method: progressive filling. The rates of all flows rise as level * weight. A flow stops when a thing that it passes
/// is used up, which then holds it, or when it needs no more. The levels of these events are taken from a heap, the
/// least first. All flows that begin or end in one moment are handled together, and only flows that need new rates get
/// them. At first these are the flows that begin, and the flows held by things that beginning or ending flows pass. All
/// others keep their rates, and what they leave free is filled. Then every thing that the reached flows pass is
/// checked. A flow that has more there than the level at its exhaustion has to give. A flow that the thing held may
/// rise if the thing is no longer used up, or if other flows there are above it. These flows are reached as well, and
/// all is filled again, until there are none. That is exact: rates within all capacities are the max-min fair rates if
/// and only if each flow has what it needs or is held. A thing that holds it is used up and gives no flow a higher
/// level. If the rounds of a moment have visited as many flows of things as there are under way, the rest is reached at
/// once: all flows that share something that may be used up, directly or through others. So the work is at most three
/// times the work of filling everything anew. If very many flows are under way, a moment lasts. What begins waits until
/// the moment is closed, and what has left leaves its share unused until then. Both last at most a small part of the
/// time that the flow takes or seems to take. If that part is a thousandth, a thing wastes some thousandths of its
/// capacity, and a chain of flows takes longer by about as much. Thousands of flows that begin at once, and end one
/// after the other, take a fraction of the work. A heap has one end for each flow under way, which moves as its rate
/// changes.
/// Complexity: O(r (p + k log k)) for a moment that reaches k flows in r rounds; the things they pass are passed p
/// times in all. O(log f) for each end that moves among f flows under way. Deterministic.
/// Source: Bertsekas, Gallager, "Data Networks" (1992), section 6.5.2, also for the condition; the lazy updates of
/// SimGrid also use that most changes stay near (Velho, Legrand 2009). The rounds are ours.
///
/// Example: two flows of weights 1 and 2 pass a thing that either would keep for 1 s alone. Both rise until it is used
/// up, at a third: they take 1/3 and 2/3 of it. When the second has ended after 1.5 s, half of the first is left. The
/// first then has all of the thing, and ends after 2 s.
#include "timing/flow_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/infinity.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

/// For a heap with the lowest level on top. Without branches, which the processor cannot predict here.
constexpr auto kHigher = [](const std::pair<double, std::size_t>& a, const std::pair<double, std::size_t>& b) {
  const int higher = static_cast<int>(a.first > b.first);
  const int same = static_cast<int>(a.first == b.first) & static_cast<int>(a.second > b.second);
  return (higher | same) != 0;
};

}  // namespace

std::size_t FlowRates::add_way(std::span<const Passed> passes, double least_s, double weight) {
  ways_.push_back({passed_.size(), passes.size(), least_s, weight, 1 / (least_s * weight)});
  passed_.insert(passed_.end(), passes.begin(), passes.end());
  for (const Passed& each : passes) {
    if (each.thing < things_.size()) continue;
    things_.resize(each.thing + 1);
    uses_.resize(each.thing + 1);
  }
  return ways_.size() - 1;
}

void FlowRates::begin(std::size_t f, std::size_t number, double now) {
  open_moment(now);
  if (f >= slots_.size()) slots_.resize(f + 1, kNoSlot);
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
    began_.push_back(0);
  }
  const std::uint32_t slot = slots_[f] = free_slots_.back();
  free_slots_.pop_back();
  Flow& flow = flows_[slot] = {};
  flow.flow = static_cast<std::uint32_t>(f);
  flow.way = static_cast<std::uint32_t>(number);
  flow.since = began_[slot] = now;
  const Way& way = ways_[number];
  passages_ += static_cast<double>(way.passes);
  double sharing = 1;  // where most do
  for (const auto& [thing, seconds] : passed_by(flow)) {
    sharing = std::max(sharing, uses_[thing].wanted);
    things_[thing].flows.push_back({slot, seconds, way.weight * seconds});
    uses_[thing].wanted += seconds / way.least;
    if (may_be_used_up(thing)) reach_held(thing);
  }
  reach(slot);
  moment_lasts(now, sharing * way.least);
}

void FlowRates::leave(std::size_t f, double now) {
  const std::uint32_t slot = slots_[f];
  open_moment(now);
  moment_lasts(now, now - began_[slot]);
  Flow& flow = flows_[slot];
  flow.over = true;
  over_.push_back(slot);
  const Way& way = ways_[flow.way];
  passages_ -= static_cast<double>(way.passes);
  for (const auto& [thing, seconds] : passed_by(flow)) {
    std::vector<Passing>& flows = things_[thing].flows;
    const bool used_up = may_be_used_up(thing);
    flows.erase(std::ranges::find(flows, slot, &Passing::slot));
    uses_[thing].wanted = flows.empty() ? 0 : uses_[thing].wanted - seconds / way.least;
    if (used_up) reach_held(thing);
  }
}

void FlowRates::open_moment(double now) {
  SLUICE_ASSERT(!open_ || now >= moment_, fmt::format("{} in the moment {}", now, moment_));
  moment_ = now;
  if (open_) return;
  open_ = true;
  lasts_until_ = kInfinity;
  ++mark_;
  reached_.clear();
  met_.clear();
}

/// For no more than a part of the time that a flow takes which begins or leaves now.
void FlowRates::moment_lasts(double now, double flow_s) { lasts_until_ = std::min(lasts_until_, now + part_ * flow_s); }

void FlowRates::close_moment() {
  open_ = false;
  std::erase_if(reached_, [&](std::uint32_t slot) { return flows_[slot].over; });
  free_slots_.insert(free_slots_.end(), over_.begin(), over_.end());
  over_.clear();
  if (met_.empty()) {
    // Nothing that they pass can be used up.
    found_ += static_cast<double>(reached_.size());
    for (const std::uint32_t slot : reached_) {
      Flow& flow = flows_[slot];
      const Way& way = ways_[flow.way];
      flow.level = way.enough;
      flow.held_by = kNoSlot;
      flow.next = 1 / way.least;
      set_rate(slot, moment_);
    }
  } else if (!reached_.empty()) {
    settle(moment_);
  }
}

void FlowRates::meet(std::size_t thing) {
  if (uses_[thing].mark == mark_) return;
  uses_[thing].mark = mark_;
  met_.push_back(static_cast<std::uint32_t>(thing));
}

/// Gives a flow a new rate, and checks things that it passes and that may be used up.
void FlowRates::reach(std::uint32_t slot) {
  Flow& flow = flows_[slot];
  if (flow.mark == mark_) return;
  flow.mark = mark_;
  reached_.push_back(slot);
  for (const Passed& each : passed_by(flow))
    if (may_be_used_up(each.thing)) meet(each.thing);
}

/// Reaches the flows that a thing holds, because others begin or end there.
void FlowRates::reach_held(std::size_t t) {
  meet(t);
  Thing& thing = things_[t];
  if (thing.held_mark == mark_) return;  // flows that have begun there since are reached anyway
  thing.held_mark = mark_;
  for (const Passing& each : thing.flows)
    if (flows_[each.slot].held_by == t) reach(each.slot);
}

/// New rates for the flows reached, and for all others that need them.
void FlowRates::settle(double now) {
  const double before = work_;
  fill();
  while (reach_more()) {
    if (work_ - before > passages_) reach_all();
    fill();
  }
  for (const std::uint32_t slot : reached_) set_rate(slot, now);
}

/// Rates for the flows reached, in what all others leave free.
void FlowRates::fill() {
  found_ += static_cast<double>(reached_.size());
  levels_.clear();
  for (std::size_t r = 0; r < reached_.size(); ++r) {
    Flow& flow = flows_[reached_[r]];
    flow.fixed = false;
    levels_.emplace_back(ways_[flow.way].enough, r);
  }
  for (const std::uint32_t t : met_) {
    Thing& thing = things_[t];
    work_ += static_cast<double>(thing.flows.size());
    thing.free = 1;
    thing.weights = 0;
    thing.open = 0;
    thing.used_up = kInfinity;
    thing.top = 0;
    for (const auto& [slot, seconds, weight] : thing.flows) {
      const Flow& flow = flows_[slot];
      if (flow.mark == mark_) {
        thing.weights += weight;
        ++thing.open;
      } else {
        thing.free -= flow.rate * seconds;
      }
    }
    thing.free = std::max(0.0, thing.free);
    if (thing.open > 0) levels_.emplace_back(level_of(thing), reached_.size() + t);
  }
  std::make_heap(levels_.begin(), levels_.end(), kHigher);
  for (std::size_t open = reached_.size(); open > 0;) {
    SLUICE_ASSERT(!levels_.empty(), fmt::format("{} flows", open));
    std::pop_heap(levels_.begin(), levels_.end(), kHigher);
    const auto [level, what] = levels_.back();
    levels_.pop_back();
    if (what < reached_.size()) {
      const std::uint32_t slot = reached_[what];
      if (flows_[slot].fixed) continue;
      fix(slot, level, kNoSlot);
      --open;
      continue;
    }
    const std::size_t t = what - reached_.size();
    Thing& thing = things_[t];
    if (thing.open == 0) continue;
    // Flows that stopped at lower levels have left more to this thing, so its level rose. It is checked again when its
    // turn comes.
    const double now_at = level_of(thing);
    if (now_at > level * (1 + kRateRounding)) {
      levels_.emplace_back(now_at, what);
      std::push_heap(levels_.begin(), levels_.end(), kHigher);
      continue;
    }
    thing.used_up = level;
    for (const Passing& each : thing.flows) {
      if (flows_[each.slot].mark != mark_ || flows_[each.slot].fixed) continue;
      fix(each.slot, level, static_cast<std::uint32_t>(t));
      --open;
    }
  }
}

void FlowRates::fix(std::uint32_t slot, double level, std::uint32_t held_by) {
  Flow& flow = flows_[slot];
  const Way& way = ways_[flow.way];
  flow.fixed = true;
  flow.level = level;
  flow.held_by = held_by;
  flow.next = std::min(level * way.weight, 1 / way.least);
  for (const Passed& each : passed_by(flow)) {
    if (uses_[each.thing].mark != mark_) continue;
    Thing& thing = things_[each.thing];
    thing.free = std::max(0.0, thing.free - flow.next * each.seconds);
    const double weight = way.weight * each.seconds;
    thing.weights -= weight;
    // Rounding: a thing that no flow waits for has no weights, and after a far heavier flow no weight may be left.
    constexpr double kLost = 1e-9;
    if (--thing.open == 0)
      thing.weights = 0;
    else if (thing.weights < kLost * weight)
      thing.weights = weights_left(thing);
    thing.top = std::max(thing.top, level);
  }
}

/// The sum of the weights of flows that have no rate yet.
double FlowRates::weights_left(const Thing& thing) const {
  double sum = 0;
  for (const Passing& each : thing.flows)
    if (flows_[each.slot].mark == mark_ && !flows_[each.slot].fixed) sum += each.weight;
  return sum;
}

/// Messages may pass in no time.
double FlowRates::level_of(const Thing& thing) { return thing.weights > 0 ? thing.free / thing.weights : kInfinity; }

/// Reaches the flows that have to give or may rise; whether there are any.
bool FlowRates::reach_more() {
  const std::size_t reached = reached_.size(), met = met_.size();
  for (std::size_t m = 0; m < met; ++m) {
    const std::size_t t = met_[m];
    const Thing& thing = things_[t];
    const bool used_up = thing.used_up < kInfinity || thing.free <= kRateRounding;
    const double gives_above = thing.used_up * (1 + kRateRounding);
    const double rises_below = used_up ? thing.top * (1 - kRateRounding) : kInfinity;
    for (const Passing& each : thing.flows) {
      const Flow& flow = flows_[each.slot];
      if (flow.mark == mark_) continue;
      if (flow.level > gives_above || (flow.held_by == t && flow.level < rises_below)) reach(each.slot);
    }
  }
  return reached_.size() > reached;
}

/// Reaches all flows that share something which may be used up with the reached flows, directly or through others.
void FlowRates::reach_all() {
  for (std::size_t m = 0; m < met_.size(); ++m)  // grows meanwhile
    for (const Passing& each : things_[met_[m]].flows) reach(each.slot);
}

void FlowRates::set_rate(std::uint32_t slot, double now) {
  Flow& flow = flows_[slot];
  constexpr double kSame = 1e-12;
  if (flow.place != kNoSlot && std::abs(flow.next - flow.rate) <= kSame * flow.next) return;
  flow.left = std::max(0.0, flow.left - flow.rate * (now - flow.since));
  flow.since = now;
  flow.rate = flow.next;
  set_end(slot, now + flow.left / flow.rate);
}

// ---- the heap of ends

FlowRates::End FlowRates::take_end() {
  const SlotEnd end = ends_.front();
  flows_[end.slot].place = kNoSlot;
  const SlotEnd last = ends_.back();
  ends_.pop_back();
  if (!ends_.empty()) sink(0, last);
  return {end.time, end.number, flows_[end.slot].flow};
}

void FlowRates::set_end(std::uint32_t slot, double time) {
  const SlotEnd end{time, number_++, slot};
  std::size_t at = flows_[slot].place;
  if (at == kNoSlot) {
    at = ends_.size();
    ends_.push_back(end);
  }
  while (at > 0 && ends_[(at - 1) / 2] < end) {
    place(at, ends_[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  sink(at, end);
}

void FlowRates::sink(std::size_t at, const SlotEnd& end) {
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child + 1 < ends_.size() && ends_[child] < ends_[child + 1]) ++child;
    if (child >= ends_.size() || !(end < ends_[child])) break;
    place(at, ends_[child]);
    at = child;
  }
  place(at, end);
}

void FlowRates::place(std::size_t at, const SlotEnd& end) {
  ends_[at] = end;
  flows_[end.slot].place = static_cast<std::uint32_t>(at);
}

}  // namespace sluice::detail
