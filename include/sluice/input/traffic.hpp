#pragma once

#include <cstdint>
#include <vector>

namespace sluice {

/// Describes the message of one sender to one receiver. Sizes are at least 0, in the unit of the problem (elements or
/// bytes), or, if that is not whole, in decimal parts of it (Traffic::decimals).
struct Message {
  std::int64_t from = 0;  ///< 0 .. Traffic::senders - 1
  std::int64_t to = 0;    ///< 0 .. Traffic::receivers - 1
  std::int64_t size = 0;  ///< at least 0

  friend bool operator==(const Message&, const Message&) = default;
};

/// Says who sends how much to whom. Senders 0..senders-1 and receivers 0..receivers-1 are separate index spaces,
/// whether or not they are the same processes. Two messages between one pair add up to one.
struct Traffic {
  std::int64_t senders = 0;
  std::int64_t receivers = 0;
  std::vector<Message> messages;
  std::int32_t decimals = 0;  ///< sizes are in units of 10^-decimals of what the user wrote, 0 to kMaxDecimals
};

}  // namespace sluice
