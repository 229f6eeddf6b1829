#include "plan/exchange/step_order.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <queue>
#include <random>
#include <utility>

#include "plan/exchange/shuffle.hpp"

namespace sluice::detail {

namespace {

constexpr std::size_t kMostPiecesToTry = std::size_t{1} << 15;
constexpr int kShuffles = 5;

/// The pieces in the order in which their nodes come to them.
class Execution {
 public:
  Execution(const Demand& demand, const PieceSteps& steps, const std::vector<std::size_t>& order)
      : setup_(demand.setup),
        max_transfers_(static_cast<std::size_t>(demand.max_transfers)),
        left_(static_cast<std::size_t>(demand.lefts)),
        right_(static_cast<std::size_t>(demand.rights)) {
    for (const std::size_t s : order) {
      for (const Piece& piece : steps[s]) {
        if (piece.size == 0) continue;
        const Edge& edge = demand.edges[static_cast<std::size_t>(piece.edge)];
        const std::size_t transfer = transfers_.size();
        transfers_.push_back({static_cast<std::size_t>(edge.left), static_cast<std::size_t>(edge.right), piece.size});
        left_[transfers_.back().left].pieces.push_back(transfer);
        right_[transfers_.back().right].pieces.push_back(transfer);
      }
    }
  }

  double run() {
    double now = 0;
    for (const Node& node : left_)
      if (!node.pieces.empty()) offer(node.pieces.front());
    while (true) {
      for (; running_.size() < max_transfers_ && !ready_.empty(); ready_.pop()) {
        const Transfer& transfer = transfers_[ready_.top()];
        running_.emplace(now + setup_ + static_cast<double>(transfer.size), ready_.top());
      }
      if (running_.empty()) return now;
      const std::size_t ended = running_.top().second;
      now = running_.top().first;
      running_.pop();
      Node& left = left_[transfers_[ended].left];
      Node& right = right_[transfers_[ended].right];
      ++left.done;
      ++right.done;
      // A piece that is next at both ends is offered by one of them only.
      const std::size_t next_of_left = left.done < left.pieces.size() ? left.pieces[left.done] : ended;
      const std::size_t next_of_right = right.done < right.pieces.size() ? right.pieces[right.done] : ended;
      if (next_of_left != ended) offer(next_of_left);
      if (next_of_right != ended && next_of_right != next_of_left) offer(next_of_right);
    }
  }

 private:
  struct Transfer {
    std::size_t left, right;
    std::int64_t size;
  };
  struct Node {
    std::vector<std::size_t> pieces;
    std::size_t done = 0;
  };

  void offer(std::size_t transfer) {
    const auto is_next = [&](const Node& node) { return node.pieces[node.done] == transfer; };
    if (is_next(left_[transfers_[transfer].left]) && is_next(right_[transfers_[transfer].right])) ready_.push(transfer);
  }

  double setup_;
  std::size_t max_transfers_;
  std::vector<Transfer> transfers_;
  std::vector<Node> left_, right_;
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready_;
  std::priority_queue<std::pair<double, std::size_t>, std::vector<std::pair<double, std::size_t>>, std::greater<>>
      running_;
};

}  // namespace

double time_without_barriers(const Demand& demand, const PieceSteps& steps, const std::vector<std::size_t>& order) {
  return Execution(demand, steps, order).run();
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
  double least = time_without_barriers(demand, steps, best);
  const auto consider = [&](const std::vector<std::size_t>& order) {
    const double time = time_without_barriers(demand, steps, order);
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
