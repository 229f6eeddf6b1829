#include "run/mpi/engine/shared_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <numeric>
#include <utility>

#include "run/mpi/runtime/cache_line.hpp"
#include "run/mpi/runtime/page.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr std::int64_t kRoomOfRank = 2 << 20;
/// For a message that does not fit twice. A part stays in the cache of the processor that copies it on.
constexpr std::int64_t kLongestPart = 64 << 10;
constexpr std::int64_t kFewestPlaces = 2;

using Lists = std::span<const std::vector<std::size_t>>;

/// The message with this number in Data.
template <class Message>
Message& with_number(std::vector<Message>& messages, std::size_t number) {
  return *std::ranges::lower_bound(messages, number, {}, &Message::number);
}

/// Sets `left` to all positions in `lists`, and takes the messages of the lists out of `alone`.
template <class Message>
void take_out(std::vector<std::size_t>& alone, std::vector<Message>& messages, Lists lists,
              std::vector<std::size_t>& left) {
  left.resize(lists.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  for (const std::vector<std::size_t>& list : lists) {
    for (const std::size_t number : list)
      std::erase(alone, static_cast<std::size_t>(&with_number(messages, number) - messages.data()));
  }
}

/// Copies what can be copied of the lists that are left: copy(list) copies the parts that next(message) has, which are
/// in `parts`. Afterwards moved(message, part) tells whether the message is complete. Returns whether anything was
/// copied.
template <class Message, class Part, class Next, class Copy, class Moved>
bool move_lists(std::vector<std::size_t>& left, Lists lists, std::vector<Message>& messages, std::vector<Part>& parts,
                Next next, Copy copy, Moved moved) {
  bool some = false;
  std::erase_if(left, [&](std::size_t list) {
    parts.clear();
    for (const std::size_t number : lists[list]) parts.push_back(next(with_number(messages, number)));
    copy(list);
    bool all = true;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      some = some || parts[i].bytes > 0;
      all = moved(with_number(messages, lists[list][i]), parts[i]) && all;
    }
    return all;
  });
  return some;
}

}  // namespace

bool SharedMessages::possible(Context& context) { return !kSimulated && context.shares_memory(); }

SharedMessages::SharedMessages(Channel& channel, const std::vector<StepMessage>& sends, std::int64_t granule)
    : channel_(channel) {
  sends_.reserve(sends.size());
  for (std::size_t i = 0; i < sends.size(); ++i)
    if (sends[i].bytes > 0) sends_.push_back({sends[i].end, sends[i].peer, SharedRingSender(sends[i].bytes)});
  if (sends_.empty()) return;
  to_fill_.reserve(sends_.size());
  const std::int64_t room = kRoomOfRank / channel.size();
  const std::int64_t part = std::max(std::min(kLongestPart, room / kFewestPlaces) / granule, std::int64_t{1}) * granule;
  const std::int64_t table = round_up(std::int64_t{sizeof(Entry)} * channel.size());
  std::vector<SharedRing> rings;
  rings.reserve(sends_.size());
  std::int64_t bytes = table;
  for (const Send& message : sends_) {
    SharedRing& ring = rings.emplace_back();
    const bool whole = 2 * message.end.bytes() <= room;
    ring.part_bytes = whole ? message.end.bytes() : std::min(part, message.end.bytes());
    ring.places = whole ? 2 : std::max(kFewestPlaces, room / ring.part_bytes);
    bytes += ring.all_bytes();
  }
  try {
    block_ = channel.context().arena().allocate(bytes);
  } catch (const std::bad_alloc&) {
    refused_ = true;
    return;
  }
  auto* const entries = new (block_.at) Entry[static_cast<std::size_t>(channel.size())]();
  std::int64_t offset = table;
  for (std::size_t i = 0; i < sends_.size(); ++i) {
    entries[sends_[i].peer] = {sends_[i].end.bytes(), offset};
    sends_[i].end.connect(rings[i].put(block_.at + offset));
    offset += rings[i].all_bytes();
  }
}

SharedMessages::~SharedMessages() {
  if (block_.at == nullptr) return;
  Arena& arena = channel_.context().arena();
  if (!connected_) {
    if (channel_.nobody_went_on()) {
      arena.release(block_);
    } else {
      arena.release_at_end(block_);
    }
    return;
  }
  std::vector<SharedRing*> rings;
  rings.reserve(sends_.size());
  for (const Send& message : sends_) rings.push_back(message.end.ring());
  arena.release_after(block_, std::move(rings));
}

void SharedMessages::abandon() noexcept {
  data_ = nullptr;
  for (Receive& message : receives_) message.end.leave();
}

std::byte* SharedMessages::block_of(Channel& channel, int rank, std::uint64_t block) {
  return block == 0 ? nullptr : channel.context().arena().find(rank, Arena::Place::of_word(block));
}

SharedMessages::Entry SharedMessages::entry_of(const Channel& channel, const std::byte* block) {
  return block == nullptr ? Entry{} : reinterpret_cast<const Entry*>(block)[channel.rank()];
}

std::vector<StepMessage> SharedMessages::sent_to(Channel& channel, std::span<const std::uint64_t> blocks) {
  std::vector<StepMessage> result;
  for (int rank = 0; rank < channel.size(); ++rank) {
    if (rank == channel.rank()) continue;
    const Entry entry = entry_of(channel, block_of(channel, rank, blocks[static_cast<std::size_t>(rank)]));
    if (entry.bytes > 0) result.push_back({rank, entry.bytes, 0});
  }
  return result;
}

void SharedMessages::connect(const std::vector<StepMessage>& receives, std::span<const std::uint64_t> blocks) {
  connected_ = true;
  receives_.reserve(receives.size());
  for (std::size_t i = 0; i < receives.size(); ++i) {
    const auto& [peer, bytes, number] = receives[i];
    if (bytes == 0) continue;
    std::byte* const block = block_of(channel_, peer, blocks[static_cast<std::size_t>(peer)]);
    const Entry entry = entry_of(channel_, block);
    SLUICE_ASSERT(entry.bytes == bytes, fmt::format("{} bytes from rank {}, {} due", entry.bytes, peer, bytes));
    receives_.push_back({number, peer, SharedRingReceiver(bytes)});
    receives_.back().end.connect(reinterpret_cast<SharedRing*>(block + entry.ring), 0);
  }
  to_take_.reserve(receives_.size());
  room_.reserve(sends_.size());
  arrived_.reserve(receives_.size());
}

void SharedMessages::begin(Data& data) {
  data_ = &data;
  working_ = true;
  for (Send& message : sends_) message.end.begin();
  for (Receive& message : receives_) message.end.begin();
  to_fill_.resize(sends_.size());
  to_take_.resize(receives_.size());
  std::iota(to_fill_.begin(), to_fill_.end(), std::size_t{0});
  std::iota(to_take_.begin(), to_take_.end(), std::size_t{0});
  together_ = data.together();
  take_out(to_fill_, sends_, together_.sends, lists_to_fill_);
  take_out(to_take_, receives_, together_.receives, lists_to_take_);
  if (channel_.context().log() != nullptr)
    trace_.emplace();
  else
    trace_.reset();
}

bool SharedMessages::fill() {
  bool some = false;
  std::erase_if(to_fill_, [&](std::size_t i) {
    Send& message = sends_[i];
    const SharedRingEnd::Moved moved = message.end.fill([&](std::int64_t offset, std::int64_t bytes, std::byte* place) {
      if (trace_ && offset == 0) trace_->send_started(message.number, message.peer);
      data_->pack(message.number, offset, bytes, place);
    });
    some = some || moved.some;
    if (trace_ && moved.all) trace_->send_ended(message.number, message.end.bytes());
    return moved.all;
  });
  return some;
}

bool SharedMessages::take() {
  bool some = false;
  std::erase_if(to_take_, [&](std::size_t i) {
    Receive& message = receives_[i];
    const SharedRingEnd::Moved moved = message.end.take([&](std::int64_t offset, std::int64_t bytes, std::byte* place) {
      data_->unpack(message.number, offset, bytes, place);
    });
    some = some || moved.some;
    if (trace_ && moved.all) trace_->receive_ended(message.number, message.peer, message.end.bytes());
    return moved.all;
  });
  return some;
}

bool SharedMessages::fill_together() {
  return move_lists(
      lists_to_fill_, together_.sends, sends_, room_, [](Send& message) { return message.end.room(); },
      [&](std::size_t list) { data_->pack_together(list, room_); },
      [&](Send& message, const MessageRoom& filled) {
        const bool complete = message.end.fill_room(filled.bytes);
        if (trace_ && filled.bytes > 0) {
          if (filled.offset == 0) trace_->send_started(message.number, message.peer);
          if (complete) trace_->send_ended(message.number, message.end.bytes());
        }
        return complete;
      });
}

bool SharedMessages::take_together() {
  return move_lists(
      lists_to_take_, together_.receives, receives_, arrived_, [](Receive& message) { return message.end.rest(); },
      [&](std::size_t list) { data_->unpack_together(list, arrived_); },
      [&](Receive& message, const MessagePart& taken) {
        const bool complete = message.end.take_rest(taken.bytes);
        if (trace_ && complete && taken.bytes > 0)
          trace_->receive_ended(message.number, message.peer, message.end.bytes());
        return complete;
      });
}

void SharedMessages::warm_up() {
  // None of these numbers changes, and others may be reading or writing them.
  for (std::int64_t byte = 0; byte < block_.bytes; byte += page_bytes())
    (void)std::atomic_ref(*reinterpret_cast<std::int64_t*>(block_.at + byte)).fetch_add(0, std::memory_order_relaxed);
}

Advance SharedMessages::advance() {
  if (data_ == nullptr) return Advance::kOver;
  bool moved = !to_fill_.empty() && fill();
  moved = (!lists_to_fill_.empty() && fill_together()) || moved;
  moved = (!to_take_.empty() && take()) || moved;
  moved = (!lists_to_take_.empty() && take_together()) || moved;
  if (!moved && working_) {
    working_ = data_->work();
    moved = true;
  }
  if (to_fill_.empty() && lists_to_fill_.empty() && to_take_.empty() && lists_to_take_.empty() && !working_) {
    data_ = nullptr;
    if (trace_ && channel_.context().log() != nullptr) trace_->add_to(*channel_.context().log());
    return Advance::kOver;
  }
  if (moved) return Advance::kMoved;
  watch_.looked_in_vain(channel_);
  return Advance::kIdle;
}

}  // namespace sluice::mpi::detail
