/// Rates of flows that share what they pass: max-min fair, with weights.
///
/// Problem: flows pass ports, connections and links, each of which carries so much. A flow takes what its weight gives
/// it of the thing that is short on its way, and leaves the rest to others. Method: progressive filling. The rates of
/// all flows rise as level * weight; a flow stays where a thing that it passes is used up, or where it needs no more.
/// Levels at which that happens are taken from a heap, the least first; flows that need no more from the same level on
/// are one kind. When a flow begins or ends, that is done anew for those flows alone that share something which may be
/// used up with it, directly or through others. A heap has one end for each flow under way, which moves as its rate
/// changes. Complexity: O(p + (k + t) log(k + t)) for a change that reaches flows of k kinds which pass t things that
/// may be used up, p times in all, and O(log f) for each end that moves among f flows under way. Deterministic. Source:
/// Bertsekas, Gallager, "Data Networks" (1992), section 6.5.2.
///
/// Example: two flows of weights 1 and 2 pass a thing which either would keep for 1 s alone. Both rise until it is used
/// up, at a third: they take 1/3 and 2/3 of it. When the second has ended after 1.5 s, the first, half of which is
/// left, has all of it, and ends after 2 s.
#include "plan/broadcast/flow_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "sluice/error.hpp"

namespace sluice::detail {

void FlowRates::add(std::span<const Passed> passes, double least_s, double weight) {
  Flow flow;
  flow.passed = passed_.size();
  flow.passes = passes.size();
  flow.least = least_s;
  flow.weight = weight;
  flows_.push_back(flow);
  passed_.insert(passed_.end(), passes.begin(), passes.end());
  for (const Passed& each : passes) {
    if (each.thing < things_.size()) continue;
    things_.resize(each.thing + 1);
    wanted_.resize(each.thing + 1, 0);
  }
}

void FlowRates::list_kinds() {
  const auto level = [](const Flow& flow) { return 1 / (flow.least * flow.weight); };
  for (const Flow& flow : flows_) kinds_.push_back(level(flow));
  std::sort(kinds_.begin(), kinds_.end());
  kinds_.erase(std::unique(kinds_.begin(), kinds_.end()), kinds_.end());
  of_kind_.resize(kinds_.size());
  for (Flow& flow : flows_)
    flow.kind = static_cast<std::size_t>(std::lower_bound(kinds_.begin(), kinds_.end(), level(flow)) - kinds_.begin());
}

void FlowRates::begin(std::size_t f, double now) {
  if (kinds_.empty()) list_kinds();
  Flow& flow = flows_[f];
  flow.since = now;
  for (const Passed& each : passed_by(flow)) {
    things_[each.thing].flows.push_back(f);
    wanted_[each.thing] += each.seconds / flow.least;
  }
  begin_change(flow);
  affect(f);
  share(now);
}

void FlowRates::leave(std::size_t f, double now) {
  const Flow& flow = flows_[f];
  begin_change(flow);
  for (const Passed& each : passed_by(flow)) {
    std::vector<std::size_t>& flows = things_[each.thing].flows;
    flows.erase(std::find(flows.begin(), flows.end(), f));
    double& wanted = wanted_[each.thing];
    wanted = flows.empty() ? 0 : wanted - each.seconds / flow.least;
  }
  share(now);
}

bool FlowRates::may_be_used_up(std::size_t thing) const {
  constexpr double kRounding = 1e-9;
  return wanted_[thing] > 1 + kRounding;
}

/// With what `flow` passes and may be used up.
void FlowRates::begin_change(const Flow& flow) {
  ++mark_;
  affected_.clear();
  met_.clear();
  ways_.clear();
  for (const Passed& each : passed_by(flow))
    if (may_be_used_up(each.thing)) meet(each.thing);
}

void FlowRates::meet(std::size_t thing) {
  Thing& each = things_[thing];
  if (each.mark == mark_) return;
  each.mark = mark_;
  each.free = 1;
  each.weights = 0;
  each.open = 0;
  met_.push_back(thing);
}

/// The change reaches a flow, and what that passes and may be used up.
void FlowRates::affect(std::size_t f) {
  Flow& flow = flows_[f];
  if (flow.mark == mark_) return;
  flow.mark = mark_;
  affected_.push_back(f);
  flow.way = ways_.size();
  for (const Passed& each : passed_by(flow)) {
    if (!may_be_used_up(each.thing)) continue;
    meet(each.thing);
    Thing& thing = things_[each.thing];
    thing.weights += flow.weight * each.seconds;
    ++thing.open;
    ways_.push_back(each);
  }
  flow.way_end = ways_.size();
}

/// New rates for all flows under way that the change reaches.
void FlowRates::share(double now) {
  for (std::size_t m = 0; m < met_.size(); ++m)  // grows meanwhile
    for (const std::size_t f : things_[met_[m]].flows) affect(f);
  found_ += static_cast<double>(affected_.size());
  levels_.clear();
  for (const std::size_t f : affected_) {
    const std::size_t kind = flows_[f].kind;
    if (of_kind_[kind].empty()) levels_.emplace_back(kinds_[kind], kind);
    of_kind_[kind].push_back(f);
  }
  for (const std::size_t t : met_) levels_.emplace_back(things_[t].free / things_[t].weights, kinds_.size() + t);
  std::make_heap(levels_.begin(), levels_.end(), std::greater<>());
  std::size_t open = affected_.size();
  while (!levels_.empty()) {
    std::pop_heap(levels_.begin(), levels_.end(), std::greater<>());
    const auto [level, what] = levels_.back();
    levels_.pop_back();
    if (what < kinds_.size()) {
      for (const std::size_t f : of_kind_[what]) open -= fix(f, level, now);
      of_kind_[what].clear();
      continue;
    }
    if (open == 0) continue;
    const Thing& thing = things_[what - kinds_.size()];
    if (thing.open == 0) continue;
    // What others took at lower levels has raised its level: it is looked at again when its turn comes.
    constexpr double kRounding = 1e-9;
    const double now_at = thing.free / thing.weights;
    if (now_at > level * (1 + kRounding)) {
      levels_.emplace_back(now_at, what);
      std::push_heap(levels_.begin(), levels_.end(), std::greater<>());
      continue;
    }
    for (const std::size_t f : thing.flows) open -= fix(f, level, now);
  }
  SLUICE_ASSERT(open == 0, fmt::format("{} flows", open));
}

/// Gives a flow its rate, if it has none yet: 1, else 0.
std::size_t FlowRates::fix(std::size_t f, double level, double now) {
  Flow& flow = flows_[f];
  if (flow.fixed == mark_) return 0;
  flow.fixed = mark_;
  const double rate = std::min(level * flow.weight, 1 / flow.least);
  for (std::size_t w = flow.way; w < flow.way_end; ++w) {
    Thing& thing = things_[ways_[w].thing];
    thing.free = std::max(0.0, thing.free - rate * ways_[w].seconds);
    // Rounding: what nobody waits for any more has no weights.
    thing.weights = --thing.open == 0 ? 0 : thing.weights - flow.weight * ways_[w].seconds;
  }
  set_rate(f, rate, now);
  return 1;
}

void FlowRates::set_rate(std::size_t f, double rate, double now) {
  Flow& flow = flows_[f];
  constexpr double kSame = 1e-12;
  if (flow.place != kNowhere && std::abs(rate - flow.rate) <= kSame * rate) return;
  flow.left = std::max(0.0, flow.left - flow.rate * (now - flow.since));
  flow.since = now;
  flow.rate = rate;
  set_end(f, now + flow.left / rate);
}

// ---- the heap of ends

FlowRates::End FlowRates::take_end() {
  const End end = ends_.front();
  flows_[end.flow].place = kNowhere;
  const End last = ends_.back();
  ends_.pop_back();
  if (!ends_.empty()) sink(0, last);
  return end;
}

void FlowRates::set_end(std::size_t f, double time) {
  const End end{time, number_++, f};
  std::size_t at = flows_[f].place;
  if (at == kNowhere) {
    at = ends_.size();
    ends_.push_back(end);
  }
  while (at > 0 && ends_[(at - 1) / 2] < end) {
    place(at, ends_[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  sink(at, end);
}

void FlowRates::sink(std::size_t at, const End& end) {
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child + 1 < ends_.size() && ends_[child] < ends_[child + 1]) ++child;
    if (child >= ends_.size() || !(end < ends_[child])) break;
    place(at, ends_[child]);
    at = child;
  }
  place(at, end);
}

void FlowRates::place(std::size_t at, const End& end) {
  ends_[at] = end;
  flows_[end.flow].place = at;
}

}  // namespace sluice::detail
