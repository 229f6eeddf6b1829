#include "plan/exchange/adapters/on_switches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

/// kMostChanges: changes of the balance for each step of the plan. kMostLooks: the most steps that all changes
/// consider.
constexpr std::size_t kMostChanges = 8;
constexpr std::size_t kMostLooks = std::size_t{1} << 26;

/// A step, or a part of a step, as a switch sees it.
struct Slice {
  std::size_t step = 0;     ///< of the plan for one switch
  std::int64_t begin = 0;   ///< of its duration
  std::int64_t length = 0;  ///< at least 1
};

/// What each switch goes through.
class Spread {
 public:
  Spread(double setup, std::int64_t switches)
      : setup_(setup), slices_(as_size(switches)), transmission_(as_size(switches), 0) {}

  [[nodiscard]] std::size_t switches() const { return slices_.size(); }
  [[nodiscard]] const std::vector<Slice>& on(std::size_t s) const { return slices_[s]; }
  /// When a switch ends.
  [[nodiscard]] double end(std::size_t s) const {
    return static_cast<double>(transmission_[s]) + setup_ * static_cast<double>(slices_[s].size());
  }
  [[nodiscard]] double end() const { return end(last()); }
  [[nodiscard]] std::size_t last() const {
    return extreme([](double a, double b) { return a > b; });
  }
  [[nodiscard]] std::size_t first() const {
    return extreme([](double a, double b) { return a < b; });
  }

  void add(std::size_t s, const Slice& slice) {
    slices_[s].push_back(slice);
    transmission_[s] += slice.length;
  }
  Slice take(std::size_t s, std::size_t place) {
    const Slice slice = slices_[s][place];
    slices_[s][place] = slices_[s].back();
    slices_[s].pop_back();
    transmission_[s] -= slice.length;
    return slice;
  }
  /// Leaves `length` of a slice; what was behind it.
  Slice cut(std::size_t s, std::size_t place, std::int64_t length) {
    Slice& slice = slices_[s][place];
    const Slice rest{slice.step, slice.begin + length, slice.length - length};
    slice.length = length;
    transmission_[s] -= rest.length;
    return rest;
  }

 private:
  template <class Beats>
  [[nodiscard]] std::size_t extreme(Beats beats) const {
    std::size_t best = 0;
    double best_end = end(0);
    for (std::size_t s = 1; s < slices_.size(); ++s) {
      const double here = end(s);
      if (!beats(here, best_end)) continue;
      best = s;
      best_end = here;
    }
    return best;
  }

  double setup_;
  std::vector<std::vector<Slice>> slices_;
  std::vector<std::int64_t> transmission_;
};

/// Gives work of the switch that ends last away, a whole slice, maybe in exchange for another one; false if nothing
/// helps. Among all ways it takes the one that makes the later of the two switches end first.
bool exchange_slices(Spread& spread, double setup) {
  const std::size_t from = spread.last();
  const double late = spread.end(from);
  double least = late;
  std::size_t to = from, given = 0, taken = 0;
  const auto offer = [&](std::size_t s, std::size_t give, std::size_t take, double moved) {
    const double later = std::max(late - moved, spread.end(s) + moved);
    if (later >= least) return;
    least = later;
    to = s;
    given = give;
    taken = take;
  };
  // The best partner of a slice is one about as much shorter as half the distance: theirs are sorted to find it.
  std::vector<std::pair<std::int64_t, std::size_t>> theirs;
  for (std::size_t s = 0; s < spread.switches(); ++s) {
    const double distance = late - spread.end(s);
    if (s == from || distance <= 0) continue;
    theirs.clear();
    for (std::size_t i = 0; i < spread.on(s).size(); ++i) theirs.emplace_back(spread.on(s)[i].length, i);
    std::sort(theirs.begin(), theirs.end());
    for (std::size_t i = 0; i < spread.on(from).size(); ++i) {
      const std::int64_t length = spread.on(from)[i].length;
      offer(s, i, theirs.size(), static_cast<double>(length) + setup);
      const auto wanted = length - static_cast<std::int64_t>(std::min(distance / 2, 4e18));
      auto near = std::lower_bound(theirs.begin(), theirs.end(), std::pair(wanted, std::size_t{0}));
      for (int side = 0; side < 2; ++side) {
        if (near != theirs.end() && near->first < length)
          offer(s, i, near->second, static_cast<double>(length - near->first));
        if (near == theirs.begin()) break;
        --near;
      }
    }
  }
  if (to == from) return false;
  const bool in_exchange = taken < spread.on(to).size();
  const Slice mine = spread.take(from, given);
  if (in_exchange) spread.add(from, spread.take(to, taken));
  spread.add(to, mine);
  return true;
}

/// Cuts a slice of the last switch, so that it and the first one end at the same time; false if that does not help.
bool equalize(Spread& spread, double setup) {
  const std::size_t from = spread.last(), to = spread.first();
  const double distance = spread.end(from) - spread.end(to);
  const double moved = std::ceil((distance - setup) / 2);
  if (from == to || moved < 1 || spread.end(to) + setup + moved >= spread.end(from)) return false;
  // The longest: what is left of it, and what goes, are steps that are not lost in set-ups.
  const std::vector<Slice>& mine = spread.on(from);
  const auto longest = static_cast<std::size_t>(
      std::max_element(mine.begin(), mine.end(), [](const Slice& a, const Slice& b) { return a.length < b.length; }) -
      mine.begin());
  const std::int64_t most = mine[longest].length - 1;
  if (most < 1) return false;
  const auto goes = static_cast<std::int64_t>(std::min(moved, static_cast<double>(most)));
  spread.add(to, spread.cut(from, longest, mine[longest].length - goes));
  return true;
}

/// The first way. `enough`: when it is no use to go on.
Spread balanced(const std::vector<Slice>& longest_first, double setup, std::int64_t switches, double enough) {
  Spread spread(setup, switches);
  using End = std::pair<double, std::size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  for (std::size_t s = 0; s < as_size(switches); ++s) ends.emplace(0, s);
  for (const Slice& slice : longest_first) {
    const std::size_t s = ends.top().second;
    ends.pop();
    spread.add(s, slice);
    ends.emplace(spread.end(s), s);
  }
  Spread best = spread;
  const std::size_t count = longest_first.size() + as_size(switches);
  const std::size_t most = std::min(kMostChanges * count, kMostLooks / count);
  for (std::size_t change = 0; change < most && best.end() > enough; ++change) {
    if (!exchange_slices(spread, setup) && !equalize(spread, setup)) break;
    if (spread.end() < best.end()) best = spread;
  }
  return best;
}

/// The second way. `until`: the time of the guarantee.
Spread wrapped(const std::vector<Slice>& longest_first, double setup, std::int64_t switches, double until) {
  Spread spread(setup, switches);
  std::size_t s = 0;
  for (Slice slice : longest_first) {
    while (true) {
      const double room = std::floor(until - spread.end(s) - setup);
      if (static_cast<double>(slice.length) <= room || s + 1 == spread.switches()) {
        spread.add(s, slice);
        break;
      }
      if (room >= 1) {
        const auto here = static_cast<std::int64_t>(room);
        spread.add(s, {slice.step, slice.begin, here});
        slice.begin += here;
        slice.length -= here;
      }
      ++s;
    }
  }
  return spread;
}

}  // namespace

double cost(const SwitchedSteps& plan, double setup) {
  std::map<std::int64_t, double> ends;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const std::int64_t duration = duration_of(plan.steps[s]);
    if (duration > 0) ends[plan.on_switch[s]] += static_cast<double>(duration) + setup;
  }
  double last = 0;
  for (const auto& [on_switch, end] : ends) last = std::max(last, end);
  return last;
}

SwitchedSteps spread_over_switches(const Demand& demand, PieceSteps one, std::int64_t switches) {
  SLUICE_ASSERT(switches >= 1, fmt::format("{} switches", switches));
  std::vector<Slice> slices;
  double total = 0;
  for (std::size_t s = 0; s < one.size(); ++s) {
    const std::int64_t duration = duration_of(one[s]);
    if (duration == 0) continue;
    slices.push_back({s, 0, duration});
    total += static_cast<double>(duration) + demand.setup;
  }
  std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.length > b.length; });
  const double until =
      std::ceil((total + static_cast<double>(switches - 1) * (demand.setup + 1)) / static_cast<double>(switches));
  // Less than one unit of size above it is as good as it gets.
  Spread best = balanced(slices, demand.setup, switches, total / static_cast<double>(switches) + 0.5);
  Spread other = wrapped(slices, demand.setup, switches, until);
  if (other.end() < best.end()) best = std::move(other);

  SwitchedSteps result;
  for (std::size_t s = 0; s < best.switches(); ++s) {
    for (const Slice& slice : best.on(s)) {
      std::vector<Piece>& step = result.steps.emplace_back();
      result.on_switch.push_back(static_cast<std::int64_t>(s));
      for (const Piece& piece : one[slice.step]) {
        const std::int64_t size = std::min(piece.size - slice.begin, slice.length);
        if (size > 0) step.push_back({piece.edge, size});
      }
    }
  }
  return result;
}

}  // namespace sluice::detail
