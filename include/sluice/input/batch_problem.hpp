#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sluice/index.hpp"
#include "sluice/input/redistribution_problem.hpp"
#include "sluice/input/traffic.hpp"

namespace sluice {

/// Describes one array of a batch.
struct BatchArray {
  RedistributionProblem problem;   ///< its roles have no effect: see BatchProblem
  std::int64_t element_bytes = 8;  ///< at least 1
  /// Numbers the processes of the source grid as senders of the batch, all different. Empty: process i is sender i.
  std::vector<std::int64_t> senders = {};
  std::vector<std::int64_t> receivers = {};  ///< numbers the processes of the target grid as receivers
};

/// Describes several arrays that are redistributed at once, of any shapes, layouts and sizes of elements. All data of
/// sender s for receiver r is one message in bytes: first the message of the first array, then the message of the
/// second array, and so on.
class BatchProblem {
 public:
  /// Makes the batch.
  ///
  ///  - `arrays`: at least one
  ///  - `same_processes`: sender i and receiver i are one process. Data that it sends to itself is a copy, which needs
  ///    no port
  ///
  /// Throws InputError for no array, elements below 1 byte, lists of numbers that do not fit, and more bytes than int64
  /// counts.
  explicit BatchProblem(std::vector<BatchArray> arrays, bool same_processes = false);

  /// Returns the arrays of the batch, at least one.
  [[nodiscard]] std::span<const BatchArray> arrays() const { return arrays_; }
  /// Returns the same arrays among processes that may be senders and receivers at once.
  ///
  ///  - `role_of_process`: sender s is receiver role_of_process[s], or no receiver if that is outside of 0 ..
  ///    receivers() - 1. Entries after the last sender are processes that send nothing
  ///
  /// Throws InputError for too few entries, and for a role given twice.
  [[nodiscard]] BatchProblem with_roles(std::span<const Rank> role_of_process) const;
  /// Returns true if with_roles, or `same_processes`, said which senders are receivers.
  [[nodiscard]] bool has_roles() const { return role_of_sender_.has_value(); }
  /// Returns the receiver that is the same process as `sender`; -1 if there is none, or if roles are unknown.
  [[nodiscard]] std::int64_t role_of(std::int64_t sender) const {
    return has_roles() ? (*role_of_sender_)[static_cast<std::size_t>(sender)] : -1;
  }
  /// Returns the number of senders: the highest number of any sender, plus 1.
  [[nodiscard]] std::int64_t senders() const { return senders_; }
  /// Returns the number of receivers: the highest number of any receiver, plus 1.
  [[nodiscard]] std::int64_t receivers() const { return receivers_; }
  /// Returns the bytes of all arrays that move, including those that stay on their process.
  [[nodiscard]] std::int64_t size_bytes() const { return size_bytes_; }

  /// Returns the array whose messages, times one factor for all pairs of processes, are the messages of the batch. Any
  /// plan of this array is then a plan of the batch. Returns the last array if nothing moves, and -1 if there is no
  /// such array. Arrays count as alike if they have equal layouts, box and part, or are whole slices of equal layouts;
  /// empty arrays do not count.
  [[nodiscard]] std::int64_t pattern() const { return pattern_; }

  /// Returns the number of messages of all arrays, before they are merged. Counting stops beyond `limit`, with a result
  /// above it.
  [[nodiscard]] std::int64_t count_messages(std::int64_t limit) const;
  /// Returns the merged messages in bytes, copies included, by sender, then receiver.
  [[nodiscard]] Traffic traffic() const;
  /// Returns traffic() without data that processes send to themselves.
  [[nodiscard]] Traffic traffic_between_processes() const;
  /// Returns the data that processes send to themselves, in increasing order of sender.
  [[nodiscard]] std::vector<Message> copies() const;

 private:
  std::vector<BatchArray> arrays_;
  std::int64_t senders_ = 0;
  std::int64_t receivers_ = 0;
  std::int64_t size_bytes_ = 0;
  std::int64_t pattern_ = -1;
  std::optional<std::vector<std::int64_t>> role_of_sender_ = {};
};

}  // namespace sluice
