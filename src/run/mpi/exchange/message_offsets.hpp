#pragma once

#include <cstdint>
#include <vector>

#include "sluice/run/mpi/exchange.hpp"

namespace sluice::mpi::detail {

/// Where the messages of a list lie when they lie one behind the other; one entry more, the end of the last.
inline std::vector<std::int64_t> message_offsets(const std::vector<MessageSize>& messages) {
  std::vector<std::int64_t> offsets{0};
  for (const MessageSize& message : messages) offsets.push_back(offsets.back() + message.bytes);
  return offsets;
}

}  // namespace sluice::mpi::detail
