#include "plan/reduce/tree_timer.hpp"

#include <algorithm>
#include <functional>

#include "sluice/error.hpp"

namespace sluice::detail {

TreeTimer::TreeTimer(const MixedProblem& problem)
    : problem_(problem),
      costs_(problem.costs()),
      machines_(static_cast<std::size_t>(problem.machines)),
      segments_(static_cast<std::size_t>(problem.segments)),
      offers_(machines_) {}

TimedParents TreeTimer::times(const Parents& parent) {
  TimedParents result;
  result.length = run(parent, &result.transfers);
  result.parent = parent;
  return result;
}

/// Children by parent, in the order of their numbers.
void TreeTimer::list_children(const Parents& parent) {
  first_child_.assign(machines_ + 1, 0);
  for (const std::int32_t to : parent)
    if (to >= 0) ++first_child_[static_cast<std::size_t>(to) + 1];
  for (std::size_t v = 0; v < machines_; ++v) first_child_[v + 1] += first_child_[v];
  children_.resize(machines_ - 1);
  std::vector<std::int32_t> next(first_child_.begin(), first_child_.end() - 1);
  std::int32_t root = -1;
  for (std::size_t v = 0; v < machines_; ++v) {
    if (parent[v] < 0)
      root = static_cast<std::int32_t>(v);
    else
      children_[static_cast<std::size_t>(next[static_cast<std::size_t>(parent[v])]++)] = static_cast<std::int32_t>(v);
  }
  from_root_.assign(1, root);
  from_root_.reserve(machines_);
  to_root_.assign(machines_, 0);
  for (std::size_t i = 0; i < from_root_.size(); ++i) {
    const std::int32_t v = from_root_[i];
    const auto at = static_cast<std::size_t>(v);
    if (parent[at] >= 0)
      to_root_[at] =
          to_root_[static_cast<std::size_t>(parent[at])] + costs_.transfer(v, parent[at]) + costs_.compute(parent[at]);
    for (std::int32_t k = first_child_[at]; k < first_child_[at + 1]; ++k)
      from_root_.push_back(children_[static_cast<std::size_t>(k)]);
  }
  SLUICE_ASSERT(from_root_.size() == machines_, "a tree of all machines");
}

void TreeTimer::offer(std::int32_t from, std::int32_t segment) {
  const std::int32_t to = (*parent_)[static_cast<std::size_t>(from)];
  std::vector<Offer>& heap = offers_[static_cast<std::size_t>(to)];
  heap.push_back({segment, costs_.transfer(from, to), from});
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

void TreeTimer::ready(std::int32_t from, std::int32_t segment) {
  if (!problem_.commutative) {
    const std::int32_t to = (*parent_)[static_cast<std::size_t>(from)];
    const std::int32_t next = (from < to ? next_left_ : next_right_)[cell(to, segment)];
    if (children_[static_cast<std::size_t>(next)] != from) {
      early_[cell(from, segment)] = 1;
      return;
    }
  }
  offer(from, segment);
}

void TreeTimer::start(std::int32_t to, double now, std::vector<TimedTransfer>* transfers) {
  const auto at = static_cast<std::size_t>(to);
  std::vector<Offer>& heap = offers_[at];
  const Offer chosen = heap.front();
  std::pop_heap(heap.begin(), heap.end(), std::greater<>());
  heap.pop_back();
  const double end = now + chosen.cost;
  combiner_[at].combine(end, costs_.compute(to));
  receiving_[at] = 1;
  ++running_;
  events_.push({end, to, -1, true});
  const bool is_root = (*parent_)[at] < 0;
  if (--left_[cell(to, chosen.segment)] == 0 && !is_root)
    events_.push({combiner_[at].finish(), to, chosen.segment, false});
  if (!problem_.commutative) {
    const bool from_left = chosen.from < to;
    std::int32_t& next = (from_left ? next_left_ : next_right_)[cell(to, chosen.segment)];
    next += from_left ? -1 : 1;
    if (next >= first_child_[at] && next < first_child_[at + 1]) {
      const std::int32_t following = children_[static_cast<std::size_t>(next)];
      if ((following < to) == from_left && early_[cell(following, chosen.segment)] != 0)
        offer(following, chosen.segment);
    }
  }
  if (transfers != nullptr) transfers->push_back({chosen.from, to, now, end, chosen.segment});
}

double TreeTimer::run(const Parents& parent, std::vector<TimedTransfer>* transfers) {
  if (machines_ == 1) return problem_.date(0);
  parent_ = &parent;
  list_children(parent);
  const auto segments = static_cast<std::int32_t>(segments_);
  combiner_.clear();
  left_.assign(machines_ * segments_, 0);
  receiving_.assign(machines_, 1);
  waits_.assign(machines_, 0);
  running_ = 0;
  if (!problem_.commutative) {
    next_left_.assign(machines_ * segments_, 0);
    next_right_.assign(machines_ * segments_, 0);
    early_.assign(machines_ * segments_, 0);
  }
  for (std::int32_t v = 0; v < problem_.machines; ++v) {
    const auto at = static_cast<std::size_t>(v);
    const double date = problem_.date(v);
    combiner_.emplace_back(date);
    const std::int32_t children = first_child_[at + 1] - first_child_[at];
    if (children > 0) events_.push({date, v, -1, false});
    const auto* const begin = children_.data() + first_child_[at];
    const auto right = static_cast<std::int32_t>(std::lower_bound(begin, begin + children, v) - children_.data());
    for (std::int32_t s = 0; s < segments; ++s) {
      left_[cell(v, s)] = children;
      if (!problem_.commutative) {
        next_left_[cell(v, s)] = right - 1;
        next_right_[cell(v, s)] = right;
      }
      if (children == 0) events_.push({date, v, s, false});
    }
  }
  std::vector<std::int32_t> touched;
  while (!events_.empty()) {
    const double now = events_.top().time;
    touched.clear();
    while (!events_.empty() && events_.top().time == now) {
      const Event event = events_.top();
      events_.pop();
      if (event.segment < 0) {
        receiving_[static_cast<std::size_t>(event.machine)] = 0;
        if (event.ends_transfer) --running_;
        touched.push_back(event.machine);
      } else {
        ready(event.machine, event.segment);
        touched.push_back(parent[static_cast<std::size_t>(event.machine)]);
      }
    }
    for (const std::int32_t to : touched) {
      const auto at = static_cast<std::size_t>(to);
      if (receiving_[at] != 0 || offers_[at].empty() || waits_[at] != 0) continue;
      waits_[at] = 1;
      waiting_.emplace(to_root_[at], to);
    }
    while (!waiting_.empty() && running_ < problem_.max_transfers) {
      const std::int32_t to = waiting_.top().second;
      waiting_.pop();
      waits_[static_cast<std::size_t>(to)] = 0;
      start(to, now, transfers);
    }
  }
  return combiner_[static_cast<std::size_t>(from_root_.front())].finish();
}

}  // namespace sluice::detail
