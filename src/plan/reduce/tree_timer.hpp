#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "plan/reduce/mixed_problem.hpp"
#include "schedule/combiner.hpp"

namespace sluice::detail {

/// Times of given trees: no transfer waits that could run. If a machine has several to choose from, it receives the
/// lowest part first, and for one part the shortest transfer. If not all may run, the receiver with the longest way to
/// the root goes first. O(transfers log transfers) a tree. Deterministic.
///
/// If the operation does not commute, each machine receives from the inside out.
///
/// Apart from Clock (timing/clock.hpp), as its machines have costs instead of a platform, and it decides the order.
class TreeTimer {
 public:
  /// `problem` must outlive it.
  explicit TreeTimer(const MixedProblem& problem);

  /// @pre every subtree is a run of consecutive machines unless the operation commutes
  [[nodiscard]] double length(const Parents& parent) { return run(parent, nullptr); }
  [[nodiscard]] TimedParents times(const Parents& parent);

 private:
  /// A part of a machine that may be received; the least comes first.
  struct Offer {
    std::int32_t segment;
    double cost;
    std::int32_t from;

    friend bool operator>(const Offer& a, const Offer& b) {
      if (a.segment != b.segment) return a.segment > b.segment;
      if (a.cost != b.cost) return a.cost > b.cost;
      return a.from > b.from;
    }
  };
  /// At `time` a part of a machine is ready to be sent, or (segment -1) its port is free to receive.
  struct Event {
    double time;
    std::int32_t machine;
    std::int32_t segment;
    bool ends_transfer;

    friend bool operator>(const Event& a, const Event& b) { return a.time > b.time; }
  };

  double run(const Parents& parent, std::vector<TimedTransfer>* transfers);
  void list_children(const Parents& parent);
  void offer(std::int32_t from, std::int32_t segment);
  void ready(std::int32_t from, std::int32_t segment);
  void start(std::int32_t to, double now, std::vector<TimedTransfer>* transfers);
  [[nodiscard]] std::size_t cell(std::int32_t machine, std::int32_t segment) const {
    return static_cast<std::size_t>(machine) * segments_ + static_cast<std::size_t>(segment);
  }

  const MixedProblem& problem_;
  MachineCosts costs_;
  std::size_t machines_;
  std::size_t segments_;
  const Parents* parent_ = nullptr;
  std::vector<std::int32_t> first_child_, children_;
  std::vector<std::int32_t> from_root_;  // parents before their children
  std::vector<double> to_root_;          // the longest way from a machine to the root, without waiting
  std::vector<Combiner> combiner_;
  std::vector<std::int32_t> left_;          // by cell: children whose part has not been received
  std::vector<std::vector<Offer>> offers_;  // by receiver, a heap
  std::vector<char> receiving_;
  // In order: the next machine on the left and on the right of a receiver, by cell; what has come too early, by cell.
  std::vector<std::int32_t> next_left_, next_right_;
  std::vector<char> early_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::priority_queue<std::pair<double, std::int32_t>>
      waiting_;  // receivers that could start, by their way to the root
  std::vector<char> waits_;
  std::int64_t running_ = 0;
};

}  // namespace sluice::detail
