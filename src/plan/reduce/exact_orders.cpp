/// The reduction that ends first, which `auto` takes for few machines with limits.
///
/// Problem: see include/sluice/plan/reduce.hpp; one part.
/// Method: tries all orders of starting transfers. Each transfer starts as soon as the transfers before it allow. The
/// last one has started, its sender has combined all that it received, its receiver's port is free, and fewer than the
/// limit are under way. In any schedule, moving the transfers forward so in the order of their starts delays none. An
/// order is given up when a machine that is still there is done no earlier than the best result so far.
/// Guarantee: optimal. With limits it can pay to let a transfer wait that could run, or to receive the longer one
/// first, which no schedule of TreeTimer does. Complexity: n! (n - 1)! orders at most, 86400 for 6 machines. O(n)
/// memory besides the result. Deterministic. Source: exhaustive search.
///
/// Example: root 0, only the root combines, c = 1, d = 4 from machine 1, there at 0, and 1 from machine 2, there at 1.
/// Machine 2 first: 1 to 2, then machine 1 from 2 to 6, combined at 7. Machine 1 first: 0 to 4, then machine 2 from 4
/// to 5, both combined at 6.
#include "plan/reduce/exact_orders.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "schedule/combiner.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

class OrderSearch {
 public:
  explicit OrderSearch(const MixedProblem& problem)
      : problem_(problem), costs_(problem.costs()), n_(static_cast<std::int32_t>(problem.machines)) {
    for (std::int32_t v = 0; v < n_; ++v) {
      const double date = problem.date(v);
      machines_.push_back({date, Combiner(date), v, v + 1});
    }
  }

  TimedParents run() {
    best_.length = std::numeric_limits<double>::infinity();
    search(0);
    best_.parent.assign(machines_.size(), -1);
    for (const TimedTransfer& each : best_.transfers)
      best_.parent[static_cast<std::size_t>(each.from)] = static_cast<std::int32_t>(each.to);
    return std::move(best_);
  }

 private:
  struct Machine {
    double port_free;
    Combiner combiner;
    std::int32_t begin, end;  ///< whose elements it has, in order
    bool sent = false;
    bool combines = false;
  };
  Machine& at(std::int32_t machine) { return machines_[static_cast<std::size_t>(machine)]; }

  void search(double last_start) {
    double latest = 0;
    for (const Machine& each : machines_)
      if (!each.sent) latest = std::max(latest, each.combiner.finish());
    if (latest >= best_.length) return;
    if (std::ssize(transfers_) == n_ - 1) {
      best_.length = latest;
      best_.transfers = transfers_;
      return;
    }
    for (std::int32_t from = 0; from < n_; ++from) {
      if (at(from).sent || from == problem_.root) continue;
      for (std::int32_t to = 0; to < n_; ++to)
        if (to != from && !at(to).sent) transfer(from, to, last_start);
    }
  }

  void transfer(std::int32_t from, std::int32_t to, double last_start) {
    const Machine sender = at(from), receiver = at(to);
    if (!problem_.commutative && sender.end != receiver.begin && receiver.end != sender.begin) return;
    if (!receiver.combines && reducers_ >= problem_.max_reducers) return;
    const double start =
        std::max({last_start, sender.combiner.finish(), receiver.port_free, when_fewer_are_under_way()});
    const double end = start + costs_.transfer(from, to);
    at(from).sent = true;
    Machine& after = at(to);
    after.port_free = end;
    after.combiner.combine(end, costs_.compute(to));
    after.begin = std::min(sender.begin, receiver.begin);
    after.end = std::max(sender.end, receiver.end);
    after.combines = true;
    reducers_ += receiver.combines ? 0 : 1;
    transfers_.push_back({from, to, start, end});
    search(start);
    transfers_.pop_back();
    reducers_ -= receiver.combines ? 0 : 1;
    at(to) = receiver;
    at(from) = sender;
  }

  [[nodiscard]] double when_fewer_are_under_way() {
    if (std::ssize(transfers_) < problem_.max_transfers) return 0;
    ends_.clear();
    for (const TimedTransfer& each : transfers_) ends_.push_back(each.end);
    const auto latest = ends_.begin() + static_cast<std::ptrdiff_t>(problem_.max_transfers) - 1;
    std::nth_element(ends_.begin(), latest, ends_.end(), std::greater<>());
    return *latest;
  }

  const MixedProblem& problem_;
  MachineCosts costs_;
  std::int32_t n_;
  std::vector<Machine> machines_;
  std::vector<TimedTransfer> transfers_;
  std::int64_t reducers_ = 0;
  std::vector<double> ends_;
  TimedParents best_;
};

}  // namespace

TimedParents exact_orders(const MixedProblem& problem) {
  SLUICE_ASSERT(problem.machines <= kMostForOrders && problem.segments == 1, "few machines, one part");
  return OrderSearch(problem).run();
}

}  // namespace sluice::detail
