#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sluice/run/mpi/exchange.hpp"

namespace sluice::mpi::detail {

/// The offsets of the messages of a list if they lie one after the other; one more entry, the end of the last.
inline std::vector<std::int64_t> message_offsets(const std::vector<MessageSize>& messages) {
  std::vector<std::int64_t> offsets{0};
  for (const MessageSize& message : messages) offsets.push_back(offsets.back() + message.bytes);
  return offsets;
}

/// Throws InputError naming `where` unless there is one message for each peer at most, all of them ranks.
void check_messages(const std::vector<MessageSize>& messages, const char* where, int ranks);

/// Throws InputError unless `receives`, by rank, is what the rank expects, which may be in any order.
void check_expected(const std::vector<MessageSize>& receives, std::vector<MessageSize> expected);

/// Whether a buffer of `bytes` holds all messages at these offsets.
[[nodiscard]] bool fit_at(const std::vector<MessageSize>& messages, std::span<const std::int64_t> offsets,
                          std::size_t bytes);

/// Whether a message to send, at its offset behind `send`, shares a byte with a message to receive.
[[nodiscard]] bool overlap(const std::vector<MessageSize>& sends, std::span<const std::int64_t> at_send,
                           const std::byte* send, const std::vector<MessageSize>& receives,
                           std::span<const std::int64_t> at_receive, const std::byte* receive);

}  // namespace sluice::mpi::detail
