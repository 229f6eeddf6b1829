#include "sluice/schedule/tree_validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "schedule/combiner.hpp"
#include "schedule/machine_costs.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {
namespace {

using detail::Combiner;

/// Consecutive machines [begin, end).
struct Run {
  std::int64_t begin;
  std::int64_t end;
};

class TreeValidator {
 public:
  explicit TreeValidator(const TreeSchedule& schedule)
      : s_(schedule),
        costs_(schedule.machines, schedule.transfer, schedule.transfer_costs, schedule.compute,
               schedule.compute_costs) {}

  std::vector<Violation> run() {
    if (!check_fields()) return std::move(violations_);
    double longest = s_.length;
    for (const TimedTransfer& t : s_.transfers)
      if (std::isfinite(t.end)) longest = std::max(longest, t.end);
    tolerance_ = 1e-12 * longest;
    check_transfers();
    if (s_.problem == "broadcast") {
      check_broadcast();
    } else {
      check_reduction();
      check_concurrency();
    }
    if (before(s_.bound.upper, s_.bound.lower))
      report(-1, "the lower bound is {}, the upper one {}", s_.bound.lower, s_.bound.upper);
    if (before(s_.length, s_.bound.lower))
      report(-1, "the lower bound is {}, the length {}", s_.bound.lower, s_.length);
    return std::move(violations_);
  }

 private:
  template <class... Args>
  void report(std::int64_t machine, fmt::format_string<Args...> reason, Args&&... args) {
    violations_.push_back({-1, machine, fmt::format(reason, std::forward<Args>(args)...)});
  }

  /// Whether time `a` is before time `b` by more than rounding.
  [[nodiscard]] bool before(double a, double b) const { return b - a > tolerance_; }

  /// False if the rest cannot be judged.
  bool check_fields() {
    const std::size_t known = violations_.size();
    if (s_.problem != "reduce" && s_.problem != "broadcast")
      report(-1, "the problem is '{}', must be 'reduce' or 'broadcast'", s_.problem);
    const auto at_least_one = [&](const char* what, std::int64_t count) {
      if (count < 1) report(-1, "{} is {}, must be at least 1", what, count);
    };
    if (s_.over_links && (s_.problem != "reduce" || s_.transfer != 0 || s_.compute != 0 || s_.max_transfers))
      report(-1, "over links there are reductions only, without costs and limits of transfers");
    at_least_one("the number of machines", s_.machines);
    at_least_one("the number of segments", s_.segments);
    if (s_.max_transfers) at_least_one("max_transfers", *s_.max_transfers);
    if (s_.max_reducers) at_least_one("max_reducers", *s_.max_reducers);
    if (s_.root < 0 || s_.root >= s_.machines)
      report(s_.root, "root {} is not one of the {}, counted from 0", s_.root, count_text(s_.machines, "machine"));
    const auto time = [&](const char* what, double value) {
      if (!std::isfinite(value) || value < 0) report(-1, "{} is {}, must be finite and at least 0", what, value);
    };
    time("the cost of a transfer", s_.transfer);
    time("the cost of combining", s_.compute);
    time("the length", s_.length);
    time("the lower bound", s_.bound.lower);
    time("the upper bound", s_.bound.upper);
    if (!s_.arrivals.empty() && std::cmp_not_equal(s_.arrivals.size(), s_.machines))
      report(-1, "{} of arrival for {}", count_text(s_.arrivals.size(), "date"), count_text(s_.machines, "machine"));
    for (std::size_t v = 0; v < s_.arrivals.size(); ++v)
      if (!std::isfinite(s_.arrivals[v]) || s_.arrivals[v] < 0)
        report(static_cast<std::int64_t>(v), "machine {} arrives at {}, must be finite and at least 0", v,
               s_.arrivals[v]);
    check_costs();
    if (violations_.size() > known) return false;

    // Every part goes over machines - 1 transfers: what is below is too small to allocate by machines and segments.
    std::int64_t needed = 0;
    if (__builtin_mul_overflow(s_.machines - 1, s_.segments, &needed))
      needed = std::numeric_limits<std::int64_t>::max();
    const auto transfers = static_cast<std::int64_t>(s_.transfers.size());
    constexpr std::int64_t kListed = 1024;  // so few are listed one by one
    if (needed > 2 * transfers + kListed || s_.segments > transfers + kListed) {
      report(-1, "{}, {} and {} need {}", count_text(transfers, "transfer"), count_text(s_.machines, "machine"),
             count_text(s_.segments, "segment"), needed);
      return false;
    }
    return true;
  }

  void check_costs() {
    const auto costs = [&](const char* what, const std::vector<double>& list, double for_all, bool counts) {
      if (list.empty()) return;
      if (s_.problem != "reduce" || s_.over_links) report(-1, "{} are for reductions, not over links", what);
      if (for_all != 0) report(-1, "{} besides a cost that is the same for all, {}", what, for_all);
      if (!counts) report(-1, "{} {} for {}", list.size(), what, count_text(s_.machines, "machine"));
      for (std::size_t i = 0; i < list.size(); ++i)
        if (!std::isfinite(list[i]) || list[i] < 0)
          report(-1, "entry {} of the {} is {}, must be finite and at least 0", i, what, list[i]);
    };
    costs("costs of transfers", s_.transfer_costs, s_.transfer,
          detail::is_for_each(s_.transfer_costs, s_.machines) ||
              detail::is_for_each_pair(s_.transfer_costs, s_.machines));
    costs("costs of combining", s_.compute_costs, s_.compute, detail::is_for_each(s_.compute_costs, s_.machines));
  }

  void check_transfers() {
    sound_.resize(s_.transfers.size(), true);
    for (std::size_t i = 0; i < s_.transfers.size(); ++i) {
      const std::size_t known = violations_.size();
      const TimedTransfer& t = s_.transfers[i];
      const auto in_range = [&](const char* what, std::int64_t machine) {
        if (machine < 0 || machine >= s_.machines)
          report(machine, "transfer {}: {} {} is not one of the {} machines, counted from 0", i, what, machine,
                 s_.machines);
      };
      in_range("sender", t.from);
      in_range("receiver", t.to);
      if (t.from == t.to) report(t.from, "transfer {}: machine {} sends to itself", i, t.from);
      if (!std::isfinite(t.port) || t.port < 0)
        report(t.from, "transfer {}: keeps its port for {}, must be finite and at least 0", i, t.port);
      else if (s_.problem == "reduce" && t.port != 0)
        report(t.from, "transfer {}: keeps its port for {}, which is for broadcasts to state", i, t.port);
      if (t.segment < 0 || t.segment >= s_.segments)
        report(t.from, "transfer {}: segment {} is not one of the {}, counted from 0", i, t.segment, s_.segments);
      if (!std::isfinite(t.start) || !std::isfinite(t.end) || t.start < 0 || before(t.end, t.start))
        report(t.from, "transfer {}: from {} to {}, must be finite, at least 0 and in this order", i, t.start, t.end);
      else if (std::isfinite(t.port) && before(t.end - t.start, t.port))
        report(t.from, "transfer {}: takes {}, leaves its port after {}", i, t.end - t.start, t.port);
      sound_[i] = violations_.size() == known;
      if (!sound_[i] || s_.problem != "reduce" || s_.over_links) continue;
      const double cost = costs_.transfer(t.from, t.to);
      if (!before(t.end - t.start, cost) && !before(cost, t.end - t.start)) continue;
      report(t.from, "transfer {}: takes {}, a transfer costs {}", i, t.end - t.start, cost);
      sound_[i] = false;
    }
    order_.resize(s_.transfers.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto by_start = [&](std::size_t a, std::size_t b) { return s_.transfers[a].start < s_.transfers[b].start; };
    std::erase_if(order_, [&](std::size_t i) { return !sound_[i]; });
    if (std::is_sorted(order_.begin(), order_.end(), by_start)) return;
    for (std::size_t i = 1; i < order_.size(); ++i) {
      if (!before(s_.transfers[order_[i]].start, s_.transfers[order_[i - 1]].start)) continue;
      report(-1, "transfer {} starts before transfer {}, must be in order of their start", order_[i], order_[i - 1]);
      break;
    }
    std::stable_sort(order_.begin(), order_.end(), by_start);
  }

  [[nodiscard]] std::size_t cell(std::int64_t machine, std::int64_t segment) const {
    return static_cast<std::size_t>(machine * s_.segments + segment);
  }
  [[nodiscard]] double arrival(std::int64_t machine) const {
    return s_.arrivals.empty() ? 0 : s_.arrivals[static_cast<std::size_t>(machine)];
  }
  /// How a machine's part is called.
  [[nodiscard]] std::string part(std::int64_t segment) const {
    return s_.segments == 1 ? std::string("its data") : fmt::format("segment {}", segment);
  }

  void check_reduction() {
    const auto machines = static_cast<std::size_t>(s_.machines);
    const std::size_t cells = machines * static_cast<std::size_t>(s_.segments);
    std::vector<Combiner> combiner;
    combiner.reserve(machines);
    std::vector<double> receiving_until(machines, 0);
    std::vector<double> sending_until(machines, 0);
    std::vector<char> receives(machines, 0);
    std::vector<double> ready(cells, 0);  // of a part: when all that has come in so far is combined
    std::vector<char> sent(cells, 0);
    std::vector<Run> held;
    for (std::int64_t v = 0; v < s_.machines; ++v) {
      combiner.emplace_back(arrival(v));
      for (std::int64_t part = 0; part < s_.segments; ++part) {
        ready[cell(v, part)] = arrival(v);
        if (!s_.commutative) held.push_back({v, v + 1});
      }
    }

    for (const std::size_t i : order_) {
      const TimedTransfer& t = s_.transfers[i];
      const auto from = static_cast<std::size_t>(t.from);
      const auto to = static_cast<std::size_t>(t.to);
      const std::size_t source = cell(t.from, t.segment);
      const std::size_t target = cell(t.to, t.segment);
      if (t.from == s_.root) report(t.from, "transfer {}: root {} sends", i, t.from);
      if (sent[source]) report(t.from, "transfer {}: machine {} has sent {} already", i, t.from, part(t.segment));
      if (sent[target]) report(t.to, "transfer {}: machine {} receives after it has sent {}", i, t.to, part(t.segment));
      if (before(t.start, ready[source]))
        report(t.from, "transfer {}: starts at {}, machine {} is ready at {}", i, t.start, t.from, ready[source]);
      if (!s_.over_links && before(t.start, arrival(t.to)))
        report(t.to, "transfer {}: starts at {}, machine {} arrives at {}", i, t.start, t.to, arrival(t.to));
      if (!s_.over_links && before(t.start, receiving_until[to]))
        report(t.to, "transfer {}: starts at {}, machine {} receives until {}", i, t.start, t.to, receiving_until[to]);
      if (!s_.over_links && before(t.start, sending_until[from]))
        report(t.from, "transfer {}: starts at {}, machine {} sends until {}", i, t.start, t.from, sending_until[from]);
      sent[source] = 1;
      receives[to] = 1;
      receiving_until[to] = std::max(receiving_until[to], t.end);
      sending_until[from] = std::max(sending_until[from], t.end);
      combiner[to].combine(t.end, costs_.compute(t.to));
      // Over links a later transfer may end first, and combining takes no time.
      ready[target] = s_.over_links ? std::max(ready[target], t.end) : combiner[to].finish();
      if (!s_.commutative) join(i, held[target], held[source]);
    }

    for (std::int64_t v = 0; v < s_.machines; ++v) {
      if (v == s_.root) continue;
      for (std::int64_t segment = 0; segment < s_.segments; ++segment)
        if (!sent[cell(v, segment)]) report(v, "machine {} never sends {}", v, part(segment));
    }
    const auto reducers = static_cast<std::int64_t>(std::count(receives.begin(), receives.end(), 1));
    if (s_.max_reducers && reducers > *s_.max_reducers)
      report(-1, "{} machines combine, at most {} may", reducers, *s_.max_reducers);
    const double finish = combiner[static_cast<std::size_t>(s_.root)].finish();
    if (violations_.empty() && (before(s_.length, finish) || before(finish, s_.length)))
      report(s_.root, "the length is {}, root {} has the result at {}", s_.length, s_.root, finish);
  }

  void join(std::size_t i, Run& to, const Run& from) {
    const TimedTransfer& t = s_.transfers[i];
    if (from.end == to.begin) {
      to.begin = from.begin;
    } else if (to.end == from.begin) {
      to.end = from.end;
    } else {
      report(t.to,
             "transfer {}: machines {} to {} do not adjoin {} to {} that machine {} holds, and the operation does "
             "not commute",
             i, from.begin, from.end - 1, to.begin, to.end - 1, t.to);
    }
  }

  void check_concurrency() {
    if (!s_.max_transfers || std::cmp_greater_equal(*s_.max_transfers, order_.size())) return;
    const auto limit = static_cast<std::size_t>(*s_.max_transfers);
    std::priority_queue<double, std::vector<double>, std::greater<>> ends;  // of running transfers
    for (const std::size_t i : order_) {
      const double start = s_.transfers[i].start;
      while (!ends.empty() && !before(start, ends.top())) ends.pop();
      ends.push(s_.transfers[i].end);
      if (ends.size() <= limit) continue;
      report(-1, "transfer {}: more than {} at once, at {}", i, count_text(limit, "transfer"), start);
      return;
    }
  }

  void check_broadcast() {
    const std::size_t cells = static_cast<std::size_t>(s_.machines) * static_cast<std::size_t>(s_.segments);
    constexpr double kNever = std::numeric_limits<double>::infinity();
    std::vector<double> arrived(cells, kNever);
    for (std::int64_t segment = 0; segment < s_.segments; ++segment) arrived[cell(s_.root, segment)] = arrival(s_.root);
    std::vector<double> sending_until(static_cast<std::size_t>(s_.machines), 0);
    double last = 0;
    for (const std::size_t i : order_) {
      const TimedTransfer& t = s_.transfers[i];
      double& sends_until = sending_until[static_cast<std::size_t>(t.from)];
      if (before(t.start, sends_until))
        report(t.from, "transfer {}: starts at {}, machine {} sends until {}", i, t.start, t.from, sends_until);
      sends_until = std::max(sends_until, t.start + t.port);
      const double here = arrived[cell(t.from, t.segment)];
      if (here == kNever)
        report(t.from, "transfer {}: machine {} has not received {}", i, t.from, part(t.segment));
      else if (before(t.start, here))
        report(t.from, "transfer {}: starts at {}, machine {} is ready at {}", i, t.start, t.from, here);
      if (arrived[cell(t.to, t.segment)] != kNever)
        report(t.to, "transfer {}: machine {} has {} already", i, t.to, part(t.segment));
      else
        arrived[cell(t.to, t.segment)] = t.end;
      last = std::max(last, t.end);
    }
    for (std::int64_t v = 0; v < s_.machines; ++v)
      for (std::int64_t segment = 0; segment < s_.segments; ++segment)
        if (arrived[cell(v, segment)] == kNever) report(v, "machine {} never receives {}", v, part(segment));
    if (before(s_.length, last)) report(-1, "the length is {}, the last transfer ends at {}", s_.length, last);
  }

  const TreeSchedule& s_;
  detail::MachineCosts costs_;
  double tolerance_ = 0;
  std::vector<char> sound_;         // of each transfer
  std::vector<std::size_t> order_;  // the sound ones by their start
  std::vector<Violation> violations_;
};

}  // namespace

std::vector<Violation> validate(const TreeSchedule& schedule) { return TreeValidator(schedule).run(); }

}  // namespace sluice
