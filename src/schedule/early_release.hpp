#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sluice::detail {

/// When a receiver lets the next message go. Messages are released in order. A message is released when a part of it
/// has come and at most `early_bytes` of it and of the messages before it together are missing. So the next message
/// starts while the last bytes of this one are on their way, and never more than that overlaps.
class EarlyRelease {
 public:
  explicit EarlyRelease(std::int64_t early_bytes) : early_bytes_(early_bytes) {}

  /// Nothing is due.
  void clear() {
    due_.clear();
    front_ = 0;
    missing_before_ = 0;
  }
  /// The next message in order; its bytes are at least 1.
  void add(std::int64_t bytes) { due_.push_back({bytes, bytes}); }

  void received(std::size_t message, std::int64_t bytes) {
    due_[message].missing -= bytes;
    if (message < front_) missing_before_ -= bytes;
  }

  /// The next message to be released, if one is; each is told once.
  std::optional<std::size_t> next() {
    if (front_ == due_.size()) return std::nullopt;
    const Due& due = due_[front_];
    if (due.missing == due.bytes || missing_before_ + due.missing > early_bytes_) return std::nullopt;
    missing_before_ += due.missing;
    return front_++;
  }

 private:
  struct Due {
    std::int64_t bytes = 0;
    std::int64_t missing = 0;
  };

  std::int64_t early_bytes_;
  std::vector<Due> due_;
  std::size_t front_ = 0;            ///< the first that has not been released
  std::int64_t missing_before_ = 0;  ///< of the messages that have
};

}  // namespace sluice::detail
