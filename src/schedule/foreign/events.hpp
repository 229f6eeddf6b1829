#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/lists.hpp"
#include "sluice/schedule/placed_schedule.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice::detail {

/// What orders the operations of a schedule: the workers, the waits, signals, packets, meetings and messages.
class PlacedEvents {
 public:
  /// Finds what belongs together. Faults of ends and flags are appended to `faults`; the rest is for schedules without.
  PlacedEvents(const PlacedSchedule& schedule, std::vector<Violation>& faults);

  /// The operations in an order that lets all of them end, or why there is none.
  struct Order {
    std::vector<std::int32_t> operations;
    /// Operations that wait, each with the one that it waits for; empty: there is an order.
    std::vector<std::pair<std::int32_t, std::int32_t>> cycle;
  };
  /// `places`: messages under way on a connection at most; 0: a send waits for its receive; -1: no limit.
  [[nodiscard]] Order order(std::int64_t places) const;
  /// Whether there is an order.
  [[nodiscard]] bool is_free(std::int64_t places) const { return order(places).cycle.empty(); }
  /// Whether each message has two ends: there is no fault of ends.
  [[nodiscard]] bool is_paired() const { return is_paired_; }
  /// The largest number of messages of a connection.
  [[nodiscard]] std::int64_t most_messages() const { return most_messages_; }

  /// Calls use(operation) for each one that must come after `operation`, whatever the places.
  template <class Use>
  void for_next(std::int32_t operation, Use use) const {
    const auto at = static_cast<std::size_t>(operation);
    for (const std::int32_t next : next_[at]) use(next);
    if (const std::int32_t receive = receive_of(operation); receive >= 0) use(receive);
  }
  /// The receive of what an operation sends; -1 if it sends nothing.
  [[nodiscard]] std::int32_t receive_of(std::int32_t operation) const {
    const std::int32_t connection = schedule_.operations[static_cast<std::size_t>(operation)].sends;
    if (connection < 0) return -1;
    return receives_[static_cast<std::size_t>(connection)]
                    [static_cast<std::size_t>(sent_[static_cast<std::size_t>(operation)])];
  }
  /// The operations that end together with this one; empty if it is no meeting. In an order, they are in a row.
  [[nodiscard]] std::span<const std::int32_t> meeting_of(std::int32_t operation) const {
    if (meeting_.empty() || meeting_[static_cast<std::size_t>(operation)] < 0) return {};
    return meetings_[static_cast<std::size_t>(meeting_[static_cast<std::size_t>(operation)])];
  }

 private:
  void match_messages(std::vector<Violation>& faults);
  void check_ends(std::vector<Violation>& faults) const;
  void find_edges(std::vector<Violation>& faults);
  void add_waits(std::vector<Violation>& faults);
  void add_packets(std::vector<Violation>& faults);
  void add_signals(std::vector<Violation>& faults);
  void add_edge(std::int32_t from, std::int32_t to) { edges_.emplace_back(from, to); }

  const PlacedSchedule& schedule_;
  Lists<std::int32_t> sends_, receives_;       ///< of each connection
  std::vector<std::int32_t> sent_, received_;  ///< of each operation: which message of its connection
  std::vector<std::pair<std::int32_t, std::int32_t>> edges_;
  Lists<std::int32_t> next_;  ///< of each operation: those that must come after it
  std::vector<std::vector<std::int32_t>> meetings_;
  std::vector<std::int32_t> meeting_;  ///< of each operation; -1: none
  std::int64_t most_messages_ = 0;
  bool is_paired_ = false;
};

/// "gpu 0 tb 1 step 2"; without blocks "rank 0 line 9".
[[nodiscard]] std::string operation_text(const PlacedSchedule& schedule, std::int32_t operation);
/// As above, without the gpu if it is `gpu`.
[[nodiscard]] std::string operation_text(const PlacedSchedule& schedule, std::int32_t operation, std::int32_t gpu);
/// A fault at an operation.
[[nodiscard]] Violation fault_at(const PlacedSchedule& schedule, std::int32_t operation, std::string reason);

}  // namespace sluice::detail
