#include "run/mpi/exchange/message_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/checked.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {

void check_messages(const std::vector<MessageSize>& messages, const char* where, int ranks) {
  std::vector<int> peers;
  std::int64_t total = 0;
  for (const MessageSize& message : messages) {
    if (message.peer < 0 || message.peer >= ranks) {
      throw InputError(where, fmt::format("rank {}", message.peer), fmt::format("0 to {}", ranks - 1));
    }
    if (message.bytes < 0) {
      throw InputError(where, fmt::format("{} bytes for rank {}", message.bytes, message.peer), "at least 0");
    }
    total = checked::add(total, message.bytes, where);
    peers.push_back(message.peer);
  }
  std::ranges::sort(peers);
  const auto twice = std::ranges::adjacent_find(peers);
  if (twice != peers.end()) throw InputError(where, fmt::format("rank {} twice", *twice), "one message a peer");
}

}  // namespace sluice::mpi::detail
