#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace sluice::mpi::detail {

/// What the coordinator of mode `list` knows, and the transfers that it starts next. Knows no MPI.
///
/// Problem: messages become known one by one; at most k transfers at once, one per port; end early.
///
/// Method: list scheduling of whole messages. While fewer than k run, the planner considers free ports (sender or
/// receiver) that have a message to a free port. It takes the port with the most bytes waiting, and its message whose
/// other end has the most bytes waiting. Ties go to the lower rank, senders first. The largest load goes first because
/// the last port to end ends the exchange.
///
/// Guarantee: no transfer waits that could be started. So if all messages are known from the start and transfers run at
/// full speed, the time is below 3 times the optimum. Reason: take the last message of the port that ends last; it
/// waited only while one of its ports was busy or k others ran. Seen: 1.05 times the bound.
///
/// Complexity: O(ports considered * their messages) a grant, which is O(log ports) while most ports are free. Memory
/// O(ranks + messages waiting). Deterministic in the order of calls.
///
/// Source: the perspectives of Cohen, Jeannot, Padoy, Wagner, "Messages Scheduling for Parallel Data Redistribution
/// between Clusters" (patterns not known in advance, throughput that varies), which leave the method open.
///
/// Example: k = 1, 0 to 2 with 5 bytes, 1 to 2 with 3, 1 to 3 with 4. Receiver 2 has 8 waiting, the most; its senders
/// have 5 and 7: 1 to 2 comes first. Then sender 0 (5, before receiver 2 as a sender): 0 to 2, then 1 to 3.
class Grants {
 public:
  Grants(int ranks, std::int64_t max_transfers);

  struct Grant {
    std::int64_t id = 0;  ///< for release
    int from = 0;
    int to = 0;
    std::int64_t bytes = 0;
    std::int64_t number = 0;  ///< the sender's own
  };

  /// A message waits from now on; ranks in range, `bytes` at least 1.
  void announce(int from, int to, std::int64_t bytes, std::int64_t number);
  /// The next message to start now; it runs until it is released.
  std::optional<Grant> next();
  /// Returns the bytes of the transfer that runs no longer.
  std::int64_t release(std::int64_t id);
  /// Holds from now on; running transfers are not stopped. At least 1.
  void set_max_transfers(std::int64_t max_transfers) { max_transfers_ = max_transfers; }
  [[nodiscard]] std::int64_t max_transfers() const { return max_transfers_; }
  [[nodiscard]] std::int64_t running() const { return running_; }
  /// Nothing waits and nothing runs.
  [[nodiscard]] bool idle() const { return running_ == 0 && waiting_ == 0; }
  /// Whether k is what keeps messages waiting.
  [[nodiscard]] bool full() const { return running_ >= max_transfers_ && waiting_ > 0; }

 private:
  struct Entry {
    Grant grant;
    bool started = false;
  };
  struct Port {
    std::int64_t load = 0;  ///< bytes waiting
    bool busy = false;
    std::vector<std::int64_t> messages;  ///< ids, including messages that have started until they are met
  };

  [[nodiscard]] std::size_t port_of_sender(int rank) const { return 2 * static_cast<std::size_t>(rank); }
  [[nodiscard]] std::size_t port_of_receiver(int rank) const { return 2 * static_cast<std::size_t>(rank) + 1; }
  void change(std::size_t port, std::int64_t load, bool busy);
  Grant start(std::int64_t id);

  std::int64_t max_transfers_;
  std::int64_t running_ = 0;
  std::int64_t waiting_ = 0;
  std::vector<Entry> entries_;          ///< by id
  std::vector<std::int64_t> free_ids_;  ///< of entries that may be used again
  std::vector<Port> ports_;
  std::set<std::pair<std::int64_t, std::size_t>> free_;  ///< (-load, port) of free ports with load
};

}  // namespace sluice::mpi::detail
