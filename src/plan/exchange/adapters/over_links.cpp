#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "input/distinct_messages.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/shared_links.hpp"
#include "sluice/quantity_text.hpp"
#include "timing/port_clock.hpp"

namespace sluice {
namespace {

using detail::Budget;

/// The share of an effort of 1: a quarter of a second.
constexpr double kShareOfEffort = 0.25;
/// A ratio to the bound that is near enough to stop.
constexpr double kNear = 1.01;
/// By how much random factors change what nodes and links have left to do, try by try; the first try changes nothing.
constexpr double kFactors[] = {0.1, 0.3, 0.6};
/// The weight of all that the ports and links of a message have left to do, added to the most that one of them has.
constexpr double kWeightOfSum = 0.3;

std::size_t at(std::int64_t node) { return static_cast<std::size_t>(node); }

void check_links(const ExchangeProblem& problem, const SharedLinks& links) {
  if (!problem.speeds.empty() || problem.switches != 1)
    throw InputError("links", "given beside speeds of nodes or several switches", "one of these alone");
  if (!(links.transfer_setup >= 0) || !std::isfinite(links.transfer_setup))
    throw InputError("links", fmt::format("a set-up of {} for a transfer", links.transfer_setup),
                     "a finite number of at least 0");
  for (std::size_t i = 0; i < links.links.size(); ++i) {
    const SharedLink& link = links.links[i];
    const std::string where = fmt::format("link {}", i);
    const auto check_nodes = [&](const std::vector<std::int64_t>& nodes, std::int64_t count, const char* name) {
      if (!std::ranges::is_sorted(nodes, std::ranges::less_equal{}))
        throw InputError(where, fmt::format("{}s that do not rise", name), "each once, rising");
      if (!nodes.empty() && (nodes.front() < 0 || nodes.back() >= count))
        throw InputError(where, fmt::format("{} {}", name, nodes.front() < 0 ? nodes.front() : nodes.back()),
                         index_text(count, name));
    };
    check_nodes(link.from, problem.traffic.senders, "sender");
    check_nodes(link.to, problem.traffic.receivers, "receiver");
    if (link.max_transfers < 0)
      throw InputError(where, fmt::format("{} transfers at once", link.max_transfers), "at least 0");
    if (!(link.time_per_unit > 0) || !std::isfinite(link.time_per_unit))
      throw InputError(where, fmt::format("a time of {} a unit", link.time_per_unit), "a finite number above 0");
  }
}

/// The links of a transfer, and its costs. If ports allow more than k transfers, k is one more link, which all use.
class Routes {
 public:
  Routes(const SharedLinks& links, std::int64_t senders, std::int64_t receivers, std::int64_t max_transfers)
      : links_(links), max_transfers_(max_transfers), has_k_(max_transfers < std::min(senders, receivers)) {
    for (const SharedLink& link : links.links) ends_.emplace_back(members(link.from), members(link.to));
  }

  /// Calls visit(number of the link) for each of them.
  template <class Visit>
  void for_each(std::int64_t from, std::int64_t to, Visit&& visit) const {
    for (std::size_t link = 0; link < ends_.size(); ++link)
      if (is_in(ends_[link].first, from) && is_in(ends_[link].second, to)) visit(link);
    if (has_k_) visit(ends_.size());
  }
  [[nodiscard]] double time(std::int64_t from, std::int64_t to, std::int64_t size) const {
    double per_unit = 0;
    for_each(from, to, [&](std::size_t link) {
      if (link < ends_.size()) per_unit = std::max(per_unit, links_.links[link].time_per_unit);
    });
    return links_.transfer_setup + static_cast<double>(size) * (per_unit > 0 ? per_unit : 1);
  }
  [[nodiscard]] std::int64_t most(std::size_t link) const {
    return link < ends_.size() ? links_.links[link].max_transfers : max_transfers_;
  }
  [[nodiscard]] std::size_t links() const { return ends_.size() + (has_k_ ? 1 : 0); }

 private:
  static std::vector<bool> members(const std::vector<std::int64_t>& nodes) {
    std::vector<bool> result(nodes.empty() ? 0 : at(nodes.back()) + 1, false);
    for (const std::int64_t node : nodes) result[at(node)] = true;
    return result;
  }
  static bool is_in(const std::vector<bool>& members, std::int64_t node) {
    return at(node) < members.size() && members[at(node)];
  }

  const SharedLinks& links_;
  std::int64_t max_transfers_;
  bool has_k_;
  std::vector<std::pair<std::vector<bool>, std::vector<bool>>> ends_;
};

/// A whole message.
struct Item {
  Message message;
  double time = 0;
  std::vector<std::size_t> links;  ///< the links that have a limit
};

/// What nodes and links have left to do.
struct Loads {
  std::vector<double> out;
  std::vector<double> in;
  std::vector<double> over;  ///< a link, divided by what it carries at once

  void add(const Item& item, double time, const Routes& routes) {
    out[at(item.message.from)] += time;
    in[at(item.message.to)] += time;
    for (const std::size_t link : item.links) over[link] += time / static_cast<double>(routes.most(link));
  }
  [[nodiscard]] double most() const {
    double result = 0;
    for (const std::vector<double>* const all : {&out, &in, &over})
      for (const double load : *all) result = std::max(result, load);
    return result;
  }
};

/// An order of beginning messages, and its length.
struct Begun {
  std::vector<std::size_t> order;  ///< of the items
  double length = 0;
};

/// One try of list scheduling.
class Listing {
 public:
  Listing(const std::vector<Item>& items, const Routes& routes, const Loads& loads)
      : items_(items),
        routes_(routes),
        loads_(loads),
        sender_free_(loads.out.size(), true),
        receiver_free_(loads.in.size(), true),
        under_way_(loads.over.size(), 0),
        left_(loads.out.size()) {
    for (std::size_t i = 0; i < items.size(); ++i) left_[at(items[i].message.from)].push_back(i);
  }

  /// `factors`: of each item. False if the budget was spent before the end.
  bool run(const std::vector<double>& factors, Budget& budget, Begun& result) {
    double now = 0;
    while (result.order.size() < items_.size()) {
      if (budget.over()) return false;
      begin_what_can(factors, budget, now, result);
      SLUICE_ASSERT(!events_.empty(), "messages that wait for nothing have not begun");
      now = events_.top().first;
      while (!events_.empty() && events_.top().first <= now) {
        end(items_[events_.top().second]);
        events_.pop();
      }
    }
    result.length = now;
    for (; !events_.empty(); events_.pop()) result.length = events_.top().first;
    return true;
  }

 private:
  using Event = std::pair<double, std::size_t>;

  [[nodiscard]] bool has_room(const Item& item) const {
    return std::ranges::all_of(item.links, [&](std::size_t link) { return under_way_[link] < routes_.most(link); });
  }
  [[nodiscard]] bool can_begin(const Item& item) const {
    return sender_free_[at(item.message.from)] && receiver_free_[at(item.message.to)] && has_room(item);
  }
  [[nodiscard]] double urgency(const Item& item) const {
    const double out = loads_.out[at(item.message.from)];
    const double in = loads_.in[at(item.message.to)];
    double most = std::max(out, in);
    double sum = out + in;
    for (const std::size_t link : item.links) {
      most = std::max(most, loads_.over[link]);
      sum += loads_.over[link];
    }
    return most + kWeightOfSum * sum;
  }

  void begin_what_can(const std::vector<double>& factors, Budget& budget, double now, Begun& result) {
    waiting_.clear();
    std::int64_t looked_at = 0;
    for (std::size_t sender = 0; sender < left_.size(); ++sender) {
      if (!sender_free_[sender]) continue;
      looked_at += static_cast<std::int64_t>(left_[sender].size());
      for (const std::size_t i : left_[sender])
        if (can_begin(items_[i])) waiting_.emplace_back(urgency(items_[i]) * factors[i], i);
    }
    constexpr std::int64_t kWorkOfItem = 30;
    budget.spend(kWorkOfItem * (looked_at + static_cast<std::int64_t>(left_.size() + waiting_.size())));
    std::ranges::sort(waiting_, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    for (const auto& [urgency, i] : waiting_) {
      const Item& item = items_[i];
      if (!can_begin(item)) continue;
      sender_free_[at(item.message.from)] = false;
      receiver_free_[at(item.message.to)] = false;
      for (const std::size_t link : item.links) ++under_way_[link];
      std::erase(left_[at(item.message.from)], i);
      events_.emplace(now + item.time, i);
      result.order.push_back(i);
    }
  }
  void end(const Item& item) {
    sender_free_[at(item.message.from)] = true;
    receiver_free_[at(item.message.to)] = true;
    for (const std::size_t link : item.links) --under_way_[link];
    loads_.add(item, -item.time, routes_);
  }

  const std::vector<Item>& items_;
  const Routes& routes_;
  Loads loads_;
  std::vector<bool> sender_free_;
  std::vector<bool> receiver_free_;
  std::vector<std::int64_t> under_way_;         ///< over each link
  std::vector<std::vector<std::size_t>> left_;  ///< of each sender
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<std::pair<double, std::size_t>> waiting_;
};

/// Steps for messages that begin in this order.
std::vector<Step> steps_of(const Begun& begun, const std::vector<Item>& items, const Routes& routes,
                           const Loads& nodes) {
  std::vector<std::size_t> next_of_sender(nodes.out.size(), 0);
  std::vector<std::size_t> next_of_receiver(nodes.in.size(), 0);
  std::vector<std::vector<std::int64_t>> used(routes.links());  // of each link, by step
  std::vector<Step> steps;
  for (const std::size_t i : begun.order) {
    const auto& [message, time, links] = items[i];
    std::size_t step = std::max(next_of_sender[at(message.from)], next_of_receiver[at(message.to)]);
    const auto is_full = [&](std::size_t link) {
      return step < used[link].size() && used[link][step] >= routes.most(link);
    };
    while (std::ranges::any_of(links, is_full)) ++step;
    for (const std::size_t link : links) {
      used[link].resize(std::max(used[link].size(), step + 1), 0);
      ++used[link][step];
    }
    next_of_sender[at(message.from)] = next_of_receiver[at(message.to)] = step + 1;
    if (steps.size() <= step) steps.resize(step + 1);
    steps[step].transfers.push_back({message.from, message.to, 0, message.size});
    steps[step].duration = std::max(steps[step].duration, message.size);
  }
  return steps;
}

}  // namespace

bool SharedLink::limits() const {
  return max_transfers > 0 && max_transfers < static_cast<std::int64_t>(std::min(from.size(), to.size()));
}

double length_over_links(const StepSchedule& schedule, const SharedLinks& links) {
  const Routes routes(links, schedule.senders, schedule.receivers, schedule.max_transfers);
  detail::PortClock clock(at(schedule.senders), at(schedule.receivers));
  for (std::size_t link = 0; link < routes.links(); ++link) clock.add_link(routes.most(link));
  double length = 0;
  for (const Step& step : schedule.steps) {
    std::vector<std::pair<double, const Transfer*>> order;
    for (const Transfer& each : step.transfers) order.emplace_back(clock.ports_free(at(each.from), at(each.to)), &each);
    std::ranges::stable_sort(order, {}, &std::pair<double, const Transfer*>::first);
    for (const auto& [ports, transfer] : order) {
      double start = ports;
      routes.for_each(transfer->from, transfer->to,
                      [&](std::size_t link) { start = std::max(start, clock.link_free(link)); });
      const double end = start + routes.time(transfer->from, transfer->to, transfer->size);
      routes.for_each(transfer->from, transfer->to, [&](std::size_t link) { clock.keep_link(link, end); });
      clock.keep_ports(at(transfer->from), at(transfer->to), end);
      length = std::max(length, end);
    }
  }
  return length;
}

LinkedPlan plan_over_links(const ExchangeProblem& problem, const SharedLinks& links, const ExchangeOptions& options) {
  check_links(problem, links);
  LinkedPlan best{plan_exchange(problem, options).schedule};
  best.length = length_over_links(best.schedule, links);

  const Routes routes(links, problem.traffic.senders, problem.traffic.receivers, problem.max_transfers);
  Loads loads{std::vector<double>(at(problem.traffic.senders), 0),
              std::vector<double>(at(problem.traffic.receivers), 0), std::vector<double>(routes.links(), 0)};
  std::vector<Item> items;
  for (const Message& message : detail::distinct_messages(problem.traffic)) {
    if (message.size == 0) continue;
    Item item{message, routes.time(message.from, message.to, message.size), {}};
    routes.for_each(message.from, message.to, [&](std::size_t link) {
      if (routes.most(link) > 0) item.links.push_back(link);
    });
    loads.add(item, item.time, routes);
    items.push_back(std::move(item));
  }
  best.bound = loads.most();

  Budget budget(kShareOfEffort * options.effort, options.time_limit_s, options.stop);
  std::mt19937_64 random(options.seed);
  std::vector<double> factors(items.size(), 1);
  for (std::size_t number = 0; best.length > kNear * best.bound && !budget.over(); ++number) {
    if (number > 0) {
      const double most = kFactors[number % std::size(kFactors)];
      for (double& factor : factors) factor = 1 + most * (static_cast<double>(random() >> 11) * 0x1p-53);
    }
    Begun begun;
    if (!Listing(items, routes, loads).run(factors, budget, begun) || begun.length >= best.length) continue;
    StepSchedule schedule = best.schedule;
    schedule.steps = steps_of(begun, items, routes, loads);
    const double length = length_over_links(schedule, links);
    if (length >= best.length) continue;
    best.schedule = std::move(schedule);
    best.length = length;
  }
  return best;
}

}  // namespace sluice
