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

/// One array of a batch.
struct BatchArray {
  RedistributionProblem problem;   ///< its roles do not count: see BatchProblem
  std::int64_t element_bytes = 8;  ///< at least 1
  /// The number of each process of the source grid among the senders of the batch, all different. Empty: process i is
  /// sender i.
  std::vector<std::int64_t> senders = {};
  std::vector<std::int64_t> receivers = {};  ///< the same for the target grid
};

/// Several arrays that are redistributed at once, of any shapes, layouts and sizes of elements. What sender s has for
/// receiver r, of all arrays, is one message in bytes: first the message of the first array, behind it that of the
/// second one, and so on.
class BatchProblem {
 public:
  /// `same_processes`: sender i and receiver i are one process, and what it sends itself is a copy, which needs no
  /// port. Throws InputError for no array, elements below 1 byte, lists of numbers that do not fit, and more bytes than
  /// int64 counts.
  explicit BatchProblem(std::vector<BatchArray> arrays, bool same_processes = false);

  /// Returns the arrays of the batch, at least one.
  [[nodiscard]] std::span<const BatchArray> arrays() const { return arrays_; }
  /// Returns the same arrays among processes some of which are senders and receivers at once: sender s is receiver
  /// role_of_process[s], or none where that is outside of 0 .. receivers() - 1; entries beyond those of the senders are
  /// processes that send nothing. Throws InputError for too few entries, and for a role given twice.
  [[nodiscard]] BatchProblem with_roles(std::span<const Rank> role_of_process) const;
  /// Returns true if with_roles, or `same_processes`, said which senders are receivers.
  [[nodiscard]] bool has_roles() const { return role_of_sender_.has_value(); }
  /// Returns the receiver that is the same process as `sender`; -1 if there is none, or if roles are not known.
  [[nodiscard]] std::int64_t role_of(std::int64_t sender) const {
    return has_roles() ? (*role_of_sender_)[static_cast<std::size_t>(sender)] : -1;
  }
  /// Returns the number of senders: the highest number of any sender, plus 1.
  [[nodiscard]] std::int64_t senders() const { return senders_; }
  /// Returns the number of receivers: the highest number of any receiver, plus 1.
  [[nodiscard]] std::int64_t receivers() const { return receivers_; }
  /// Returns the bytes of all arrays that move, including those that stay on their process.
  [[nodiscard]] std::int64_t size_bytes() const { return size_bytes_; }

  /// Returns the array whose messages, times one factor for all pairs of processes, are the messages of the batch: any
  /// plan of this array is then a plan of the batch. The last array if nothing moves; -1 where there is none. Arrays
  /// count as alike if they have the same layouts, box and part, or are whole slices of the same layouts; empty ones do
  /// not count.
  [[nodiscard]] std::int64_t pattern() const { return pattern_; }

  /// Returns the messages of all arrays, before they are merged; counting stops beyond `limit`, with a result above it.
  [[nodiscard]] std::int64_t count_messages(std::int64_t limit) const;
  /// Returns the merged messages in bytes, copies included, by sender, then receiver.
  [[nodiscard]] Traffic traffic() const;
  /// As traffic(), without what processes send themselves.
  [[nodiscard]] Traffic traffic_between_processes() const;
  /// Returns what processes send themselves, in increasing order of sender.
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
