#include "run/mpi/exchange/message_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "run/mpi/runtime/memory_range.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::mpi {

std::vector<MessageSize> message_sizes(std::span<const std::int64_t> bytes_by_rank) {
  std::vector<MessageSize> sizes;
  for (std::size_t rank = 0; rank < bytes_by_rank.size(); ++rank) {
    if (bytes_by_rank[rank] != 0) sizes.push_back({static_cast<int>(rank), bytes_by_rank[rank]});
  }
  return sizes;
}

namespace detail {

void check_messages(const std::vector<MessageSize>& messages, const char* where, int ranks) {
  std::vector<int> peers;
  std::int64_t total = 0;
  for (const MessageSize& message : messages) {
    if (message.peer < 0 || message.peer >= ranks) {
      throw InputError(where, fmt::format("rank {}", message.peer), index_text(ranks, "rank"));
    }
    if (message.bytes < 0) {
      throw InputError(where, fmt::format("{} for rank {}", count_text(message.bytes, "byte"), message.peer),
                       "at least 0");
    }
    total = checked::add(total, message.bytes, where);
    peers.push_back(message.peer);
  }
  std::ranges::sort(peers);
  const auto twice = std::ranges::adjacent_find(peers);
  if (twice != peers.end()) throw InputError(where, fmt::format("rank {} twice", *twice), "one message a peer");
}

void check_expected(const std::vector<MessageSize>& receives, std::vector<MessageSize> expected) {
  std::erase_if(expected, [](const MessageSize& m) { return m.bytes == 0; });
  std::ranges::sort(expected, {}, &MessageSize::peer);
  const auto [is, should] = std::mismatch(receives.begin(), receives.end(), expected.begin(), expected.end());
  if (is == receives.end() && should == expected.end()) return;
  const bool more = should == expected.end() || (is != receives.end() && is->peer < should->peer);
  const bool less = is == receives.end() || (should != expected.end() && should->peer < is->peer);
  const int peer = more ? is->peer : should->peer;
  throw InputError("receives", fmt::format("{} from rank {}", count_text(less ? 0 : is->bytes, "byte"), peer),
                   fmt::format("{}", more ? 0 : should->bytes));
}

bool fit_at(const std::vector<MessageSize>& messages, std::span<const std::int64_t> offsets, std::size_t bytes) {
  if (offsets.size() < messages.size()) return false;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::int64_t size = messages[i].bytes;
    if (size > 0 && (offsets[i] < 0 || offsets[i] > static_cast<std::int64_t>(bytes) - size)) return false;
  }
  return true;
}

namespace {

/// From the first byte of all messages to behind the last one; empty if there are none.
MemoryRange span_of(const std::vector<MessageSize>& messages, std::span<const std::int64_t> offsets,
                    const std::byte* start) {
  MemoryRange all;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].bytes == 0) continue;
    const MemoryRange each = memory_range(start + offsets[i], messages[i].bytes);
    all = all.begin == all.end ? each : MemoryRange{std::min(all.begin, each.begin), std::max(all.end, each.end)};
  }
  return all;
}

}  // namespace

bool overlap(const std::vector<MessageSize>& sends, std::span<const std::int64_t> at_send, const std::byte* send,
             const std::vector<MessageSize>& receives, std::span<const std::int64_t> at_receive,
             const std::byte* receive) {
  if (!overlap(span_of(sends, at_send, send), span_of(receives, at_receive, receive))) return false;
  // Messages of the two may take turns in one memory.
  std::vector<MemoryRange> sent;
  for (std::size_t i = 0; i < sends.size(); ++i) {
    if (sends[i].bytes > 0) sent.push_back(memory_range(send + at_send[i], sends[i].bytes));
  }
  std::ranges::sort(sent, {}, &MemoryRange::begin);
  for (std::size_t i = 1; i < sent.size(); ++i) sent[i].end = std::max(sent[i].end, sent[i - 1].end);
  for (std::size_t i = 0; i < receives.size(); ++i) {
    if (receives[i].bytes == 0) continue;
    const MemoryRange each = memory_range(receive + at_receive[i], receives[i].bytes);
    // The last one that begins before the end of this one; earlier ones have no later end.
    const auto behind = std::ranges::lower_bound(sent, each.end, {}, &MemoryRange::begin);
    if (behind != sent.begin() && std::prev(behind)->end > each.begin) return true;
  }
  return false;
}

}  // namespace detail
}  // namespace sluice::mpi
