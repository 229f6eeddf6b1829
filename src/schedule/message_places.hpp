#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sluice/schedule/step_schedule.hpp"

namespace sluice::detail {

/// The places of a schedule's messages in the buffers of devices that are sender and receiver at once.
class MessagePlaces {
 public:
  /// Throws InputError for a schedule that cannot be exported (export.hpp).
  explicit MessagePlaces(const StepSchedule& schedule);

  struct PlacedMessage {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t size = 0;
    std::int64_t send_offset = 0;     ///< in the sender's buffer
    std::int64_t receive_offset = 0;  ///< in the receiver's buffer
  };

  [[nodiscard]] std::int64_t devices() const { return static_cast<std::int64_t>(send_sizes_.size()); }
  [[nodiscard]] std::int64_t device_of_receiver(std::int64_t receiver) const;
  [[nodiscard]] const std::vector<std::int64_t>& send_sizes() const { return send_sizes_; }
  [[nodiscard]] const std::vector<std::int64_t>& receive_sizes() const { return receive_sizes_; }
  /// By sender, then receiver.
  [[nodiscard]] const std::vector<PlacedMessage>& messages() const { return messages_; }
  /// The message that a transfer is a piece of.
  [[nodiscard]] const PlacedMessage& message_of(const Transfer& transfer) const;

 private:
  std::vector<std::int64_t> device_of_receiver_;  ///< empty: each is the device of its number
  std::vector<PlacedMessage> messages_;
  std::vector<std::int64_t> send_sizes_;
  std::vector<std::int64_t> receive_sizes_;
};

}  // namespace sluice::detail
