#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "timing/flow_rates.hpp"
#include "timing/replay.hpp"

namespace sluice::detail {

/// What waits for each end of each message of a replay.
struct ReplayWaiting {
  std::vector<std::size_t> first;                        ///< by end, 2 m at the sender of m, 2 m + 1 at its receiver
  std::vector<std::pair<std::size_t, ReplayEnd>> freed;  ///< from first[end] to first[end + 1]

  [[nodiscard]] std::span<const std::pair<std::size_t, ReplayEnd>> of(std::size_t end) const {
    return {freed.data() + first[end], first[end + 1] - first[end]};
  }
};

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
    double work_s = 0;           // as ReplayMessage
  };
  struct Way {
    std::span<const FlowRates::Passed> passes;
    double latency_s = 0;
    double least_s = 0;  // it flows for at least this long, even if it has all it passes for itself
    double overhead_s = 0;
  };

  /// Considers only things with a number below `things`.
  ReplayFloor(std::vector<Message> messages, std::vector<Way> ways, const ReplayWaiting& waiting, std::size_t things,
              std::size_t ranks);

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
  void find_ends(const ReplayWaiting& waiting);
  void find_loads(const ReplayWaiting& waiting, std::size_t ranks);

  std::vector<Message> messages_;
  std::vector<Way> ways_;
  std::vector<double> from_start_, after_flow_;  // by message
  std::vector<Load> loads_;                      // by thing
  double at_start_ = 0;
};

}  // namespace sluice::detail
