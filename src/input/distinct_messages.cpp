#include "input/distinct_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sluice/checked.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {
namespace {

void require_index(std::int64_t index, std::int64_t count, const char* side) {
  if (index < 0 || index >= count)
    throw InputError("traffic", fmt::format("{} {}", side, index), fmt::format("one of {} {}s, from 0", count, side));
}

}  // namespace

std::vector<Message> distinct_messages(const Traffic& traffic) {
  std::vector<Message> messages;
  messages.reserve(traffic.messages.size());
  for (const Message& message : traffic.messages) {
    require_index(message.from, traffic.senders, "sender");
    require_index(message.to, traffic.receivers, "receiver");
    if (message.size < 0)
      throw InputError("traffic",
                       fmt::format("{} units from sender {} to receiver {}", message.size, message.from, message.to),
                       "a size of at least 0");
    if (message.size > 0) messages.push_back(message);
  }

  const auto by_sender = [](const Message& a, const Message& b) { return a.from < b.from; };
  const auto before = [](const Message& a, const Message& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  };
  if (!std::is_sorted(messages.begin(), messages.end(), by_sender)) {
    std::sort(messages.begin(), messages.end(), before);
  } else {
    // Traffic often comes sender by sender, and short runs are sorted faster than all of it.
    for (auto begin = messages.begin(); begin != messages.end();) {
      const auto end = std::find_if(begin, messages.end(), [begin](const Message& m) { return m.from != begin->from; });
      if (!std::is_sorted(begin, end, before)) std::sort(begin, end, before);
      begin = end;
    }
  }

  std::size_t kept = 0;
  for (const Message& message : messages) {
    if (kept > 0 && messages[kept - 1].from == message.from && messages[kept - 1].to == message.to)
      messages[kept - 1].size = checked::add(messages[kept - 1].size, message.size, "size of a message");
    else
      messages[kept++] = message;
  }
  messages.resize(kept);
  return messages;
}

}  // namespace sluice::detail
