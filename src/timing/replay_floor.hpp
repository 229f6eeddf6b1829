#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedule/message_graph.hpp"
#include "timing/flow_rates.hpp"

namespace sluice::detail {

/// A lower bound on the length of a replay, before it and while it runs. So a replay that is sure to be longer than
/// another is given up, mostly long before it gets that far. See replay_floor.cpp.
class ReplayFloor {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;
  /// A message, numbered as in the replay.
  struct Message {
    std::size_t from = 0, to = 0;  // ranks
    std::size_t way = 0;
    std::size_t behind = kNone;  // the next one from rank to rank
    double connection_s = 0;     // the next one starts at least this much later
    double work_s = 0;           // of its receiver on it
  };
  struct Way {
    std::span<const FlowRates::Passed> passes;
    double latency_s = 0;
    double least_s = 0;  // it flows for at least this long, even if it has all it passes for itself
    double overhead_s = 0;
  };

  /// Considers only things with a number below `things`. `waiting`: for each end, what waits for it.
  ReplayFloor(std::vector<Message> messages, std::vector<Way> ways, const Lists<MessageEnd>& waiting,
              std::size_t things, std::size_t ranks);

  /// The least length of the whole replay.
  [[nodiscard]] double at_start() const { return at_start_; }
  /// From the start of a message to the end of the replay.
  [[nodiscard]] double from_start(std::size_t message) const { return from_start_[message]; }
  /// A message flows from now on.
  void flows(std::size_t message);
  /// When the replay ends, at the earliest, by what is still to flow. O(flows under way and what they pass, things).
  [[nodiscard]] double end_from(double now, const FlowRates& rates);

 private:
  /// What is still to pass a thing.
  struct Load {
    std::size_t messages = 0;  // that do not flow yet
    double to_come = 0;        // for so long they will keep it
    double under_way = 0;      // and flows under way will, while that is looked up
    double after_s = 0;        // after the flow of any message that passes it, so long at least
  };
  void find_ends(const Lists<MessageEnd>& waiting);
  void find_loads(const Lists<MessageEnd>& waiting, std::size_t ranks);

  std::vector<Message> messages_;
  std::vector<Way> ways_;
  std::vector<double> from_start_, after_flow_;  // by message
  std::vector<Load> loads_;                      // by thing
  double at_start_ = 0;
};

}  // namespace sluice::detail
