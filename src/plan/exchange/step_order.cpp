#include "plan/exchange/step_order.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <random>
#include <utility>

#include "plan/exchange/shuffle.hpp"

namespace sluice::detail {

namespace {

constexpr std::size_t kMostPiecesToTry = std::size_t{1} << 15;
constexpr int kShuffles = 5;

/// Executions of a plan's pieces without barriers, in one order of its steps after the other.
class Executions {
 public:
  Executions(const Demand& demand, const PieceSteps& steps)
      : max_transfers_(static_cast<std::size_t>(demand.max_transfers)) {
    // Senders and receivers are numbered together.
    nodes_.resize(static_cast<std::size_t>(demand.lefts) + static_cast<std::size_t>(demand.rights));
    first_of_step_.reserve(steps.size() + 1);
    for (const std::vector<Piece>& step : steps) {
      first_of_step_.push_back(transfers_.size());
      for (const Piece& piece : step) {
        if (piece.size == 0) continue;
        const Edge& edge = demand.edges[static_cast<std::size_t>(piece.edge)];
        transfers_.push_back({static_cast<std::size_t>(edge.left), static_cast<std::size_t>(demand.lefts + edge.right),
                              demand.setup + static_cast<double>(piece.size)});
      }
    }
    first_of_step_.push_back(transfers_.size());
    for (const Transfer& transfer : transfers_) {
      total_ += transfer.duration;
      for (const std::size_t node : {transfer.left, transfer.right}) {
        ++nodes_[node].count;
        nodes_[node].busy += transfer.duration;
      }
    }
    std::size_t first = 0;
    for (Node& node : nodes_) {
      node.first = first;
      first += node.count;
    }
    of_node_.resize(first);
    in_order_.resize(transfers_.size());
    ends_ready_.resize(transfers_.size());
  }

  /// No order takes less: what the busiest node has to do, and all of it over k.
  [[nodiscard]] double least() const {
    double busiest = 0;
    for (const Node& node : nodes_) busiest = std::max(busiest, node.busy);
    return std::max(busiest, total_ / static_cast<double>(max_transfers_));
  }

  /// How long they take in this order; `limit` if that is no less.
  double run(const std::vector<std::size_t>& order, double limit) {
    put_in(order);
    double now = 0;
    double not_started = total_;
    double ends = 0;  // the sum of the end times of transfers under way
    for (const Node& node : nodes_)
      if (node.count > 0) offer(of_node_[node.first]);
    while (true) {
      for (; running_.size() < max_transfers_ && !ready_.empty(); ready_.pop()) {
        const double duration = in_order_[ready_.top()].duration;
        running_.emplace(now + duration, ready_.top());
        not_started -= duration;
        ends += now + duration;
      }
      if (running_.empty()) return now;
      const auto [end, ended] = running_.top();
      running_.pop();
      now = end;
      ends -= end;
      const double under_way = ends - static_cast<double>(running_.size()) * now;
      if (now + (not_started + under_way) / static_cast<double>(max_transfers_) >= limit) return limit;
      for (const std::size_t n : {in_order_[ended].left, in_order_[ended].right}) {
        Node& node = nodes_[n];
        node.to_do -= in_order_[ended].duration;
        if (now + node.to_do >= limit) return limit;
        if (++node.done < node.count) offer(of_node_[node.first + node.done]);
      }
    }
  }

 private:
  struct Transfer {
    std::size_t left, right;
    double duration;
  };
  struct Node {
    std::size_t first = 0, count = 0;  ///< its transfers in of_node_
    double busy = 0;                   ///< the time of all its transfers
    std::size_t done = 0;
    double to_do = 0;  ///< what its transfers that have not ended take
  };

  void put_in(const std::vector<std::size_t>& order) {
    std::size_t count = 0;
    for (Node& node : nodes_) node.done = 0;
    for (const std::size_t s : order) {
      for (std::size_t t = first_of_step_[s]; t < first_of_step_[s + 1]; ++t) {
        in_order_[count] = transfers_[t];
        for (const std::size_t n : {transfers_[t].left, transfers_[t].right})
          of_node_[nodes_[n].first + nodes_[n].done++] = count;
        ++count;
      }
    }
    for (Node& node : nodes_) {
      node.done = 0;
      node.to_do = node.busy;
    }
    std::fill(ends_ready_.begin(), ends_ready_.end(), 0);
    ready_ = {};
    running_ = {};
  }

  /// One end is ready for the transfer; the transfer is ready when both ends are.
  void offer(std::size_t transfer) {
    if (++ends_ready_[transfer] == 2) ready_.push(transfer);
  }

  std::size_t max_transfers_;
  double total_ = 0;                 ///< that all transfers take
  std::vector<Transfer> transfers_;  ///< of one step after the other
  std::vector<std::size_t> first_of_step_;
  std::vector<Node> nodes_;
  std::vector<Transfer> in_order_;
  std::vector<std::size_t> of_node_;  ///< of one node after the other: positions in in_order_
  std::vector<char> ends_ready_;      ///< by position: how many of its two ends have come to it
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready_;
  std::priority_queue<std::pair<double, std::size_t>, std::vector<std::pair<double, std::size_t>>, std::greater<>>
      running_;
};

}  // namespace

double time_without_barriers(const Demand& demand, const PieceSteps& steps, const std::vector<std::size_t>& order) {
  return Executions(demand, steps).run(order, std::numeric_limits<double>::infinity());
}

std::vector<std::size_t> order_of_steps(const Demand& demand, const PieceSteps& steps) {
  std::vector<std::int64_t> left_load(static_cast<std::size_t>(demand.lefts), 0);
  std::vector<std::int64_t> right_load(static_cast<std::size_t>(demand.rights), 0);
  for (const Edge& edge : demand.edges) {
    left_load[static_cast<std::size_t>(edge.left)] += edge.weight;
    right_load[static_cast<std::size_t>(edge.right)] += edge.weight;
  }
  struct Key {
    std::int64_t duration = 0;
    std::int64_t busiest = 0;
    double idle = 0;  // of k ports
  };
  std::vector<Key> keys(steps.size());
  std::size_t pieces = 0;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    pieces += steps[s].size();
    double volume = 0;
    for (const Piece& piece : steps[s]) {
      const Edge& edge = demand.edges[static_cast<std::size_t>(piece.edge)];
      keys[s].duration = std::max(keys[s].duration, piece.size);
      keys[s].busiest = std::max({keys[s].busiest, left_load[static_cast<std::size_t>(edge.left)],
                                  right_load[static_cast<std::size_t>(edge.right)]});
      volume += static_cast<double>(piece.size);
    }
    keys[s].idle = static_cast<double>(keys[s].duration) * demand.max_transfers - volume;
  }

  std::vector<std::size_t> longest(steps.size());
  std::iota(longest.begin(), longest.end(), std::size_t{0});
  std::stable_sort(longest.begin(), longest.end(), [&](std::size_t a, std::size_t b) {
    if (keys[a].duration != keys[b].duration) return keys[a].duration > keys[b].duration;
    return keys[a].busiest > keys[b].busiest;
  });
  if (pieces > kMostPiecesToTry) return longest;

  std::vector<std::size_t> best = longest;
  Executions executions(demand, steps);
  const double bound = executions.least();
  double least = executions.run(best, std::numeric_limits<double>::infinity());
  const auto consider = [&](const std::vector<std::size_t>& order) {
    if (least <= bound) return;
    const double time = executions.run(order, least);
    if (time >= least) return;
    least = time;
    best = order;
  };
  std::vector<std::size_t> order = longest;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a].idle < keys[b].idle; });
  consider(order);
  for (std::size_t i = 0, front = 0, back = longest.size(); front < back; ++i)
    order[i] = i % 2 == 0 ? longest[front++] : longest[--back];
  consider(order);
  std::mt19937_64 random(1);
  for (int round = 0; round < kShuffles; ++round) {
    shuffle(order, random);
    consider(order);
  }
  return best;
}

}  // namespace sluice::detail
