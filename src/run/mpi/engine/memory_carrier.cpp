#include "run/mpi/engine/memory_carrier.hpp"

#include <fmt/format.h>

#include <atomic>
#include <limits>
#include <map>
#include <new>
#include <numeric>

#include "run/mpi/runtime/cache_line.hpp"
#include "run/mpi/runtime/page.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// A part of this size stays in the cache of the processor that copies it on.
constexpr std::int64_t kLongestPart = 64 << 10;

using EndLists = std::span<const std::vector<std::size_t>>;

/// What a send waits for, and where its bytes lie. Equal keys mean equal bytes: if others were written to these places
/// between two sends, only one of the two would wait for that.
using SendKey = std::pair<std::vector<std::uint32_t>, std::vector<std::int64_t>>;

SendKey key_of(const OwnPart& part, std::size_t end) {
  const std::span<const std::uint32_t> before = part.after_of(end);
  SendKey key{{before.begin(), before.end()}, {}};
  std::ranges::sort(key.first);
  std::vector<std::int64_t>& numbers = key.second;  // store, begin, count of what lies in a row
  for (const OwnPart::Range& range : part.ranges[end]) {
    const std::size_t size = numbers.size();
    if (size > 0 && numbers[size - 3] == range.store && numbers[size - 2] + numbers[size - 1] == range.begin) {
      numbers.back() += range.count;
    } else {
      numbers.insert(numbers.end(), {range.store, range.begin, range.count});
    }
  }
  return key;
}

/// Copies what can be copied of the lists that are left: copy(list) copies the parts that next(end) has, which are in
/// `parts`. Afterwards moved(end, part) tells whether the message is complete, and ended(end) hears of it when its list
/// is. Returns whether anything was copied.
template <class Part, class Next, class Copy, class Moved, class Ended>
bool move_lists(std::vector<std::size_t>& left, EndLists lists, std::vector<Part>& parts, Next next, Copy copy,
                Moved moved, Ended ended) {
  bool some = false;
  std::erase_if(left, [&](std::size_t list) {
    parts.clear();
    for (const std::size_t end : lists[list]) parts.push_back(next(end));
    copy(list);
    bool all = true;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      some = some || parts[i].bytes > 0;
      all = moved(lists[list][i], parts[i]) && all;
    }
    if (all) std::ranges::for_each(lists[list], ended);
    return all;
  });
  return some;
}

}  // namespace

// ---- MemoryRoom

MemoryRoom MemoryRoom::at_once(int ranks, std::int64_t granule) {
  return {.granule = granule,
          .all = 2 << 20,
          .shares = ranks,
          .longest_part = kLongestPart,
          .fewest_places = 2,
          .twice = std::numeric_limits<std::int64_t>::max(),
          .whole = true,
          .most_for_several = 0};
}

MemoryRoom MemoryRoom::of_program(std::int64_t element) {
  return {.unit = element,
          .granule = element,
          .all = 4 << 20,
          .least_part = 4 << 10,
          .longest_part = kLongestPart,
          .fewest_places = 4,
          .twice = 64 << 10,  // so that a sender of short messages does not wait for slow receivers
          .most_for_several = kMostForSeveral};
}

SharedRing MemoryRoom::ring(std::int64_t message, std::int64_t receivers, std::int64_t share) const {
  SharedRing ring;
  ring.receivers = receivers;
  const bool one = receivers == 1;
  const std::int64_t part = one ? std::clamp(share / fewest_places, least_part, longest_part) : longest_part;
  ring.part_bytes =
      whole && 2 * message <= share ? message : std::min(std::max(part / granule, std::int64_t{1}) * granule, message);
  const std::int64_t parts = (message + ring.part_bytes - 1) / ring.part_bytes;
  ring.places = message <= twice ? 2 * parts : parts;
  if (one) ring.places = std::min<std::int64_t>(ring.places, std::max(fewest_places, share / ring.part_bytes));
  return ring;
}

// ---- MemoryCarrier

std::int64_t MemoryCarrier::Table::bytes(int ranks, std::size_t entries) {
  return round_up((ranks + 1) * std::int64_t{sizeof(std::int64_t)} +
                  static_cast<std::int64_t>(entries * sizeof(Entry)));
}

std::span<const MemoryCarrier::Entry> MemoryCarrier::Table::entries_of(int rank) const {
  if (block_ == nullptr) return {};
  return {entries() + begins()[rank], entries() + begins()[rank + 1]};
}

bool MemoryCarrier::possible(Context& context) { return !kSimulated && context.shares_memory(); }

MemoryCarrier::MemoryCarrier(Channel& channel, const OwnPart& part, const MemoryRoom& room)
    : channel_(channel), unit_(room.unit) {
  find_messages(part, room);
  make_block(room);
  // The table has each rank's entries in the order of its receives; from now on the sends of a message are together.
  if (sends_.size() > outgoing_.size()) std::ranges::stable_sort(sends_, {}, &Send::message);
  for (std::size_t i = sends_.size(); i-- > 0;) outgoing_[sends_[i].message].first = i;
}

void MemoryCarrier::find_messages(const OwnPart& part, const MemoryRoom& room) {
  const auto sends = static_cast<std::size_t>(std::ranges::count_if(part.ends, &OwnPart::Own::sends));
  sends_.reserve(sends);
  outgoing_.reserve(sends);
  std::map<SendKey, std::size_t> same;
  for (std::size_t i = 0; i < part.ends.size(); ++i) {
    const OwnPart::Own& own = part.ends[i];
    if (!own.sends) continue;
    const std::int64_t bytes = own.count * unit_;
    std::size_t at = outgoing_.size();
    if (bytes <= room.most_for_several && !part.ranges.empty())
      at = same.try_emplace(key_of(part, i), at).first->second;
    if (at == outgoing_.size()) outgoing_.push_back({SharedRingSender(bytes), 0, 0});
    sends_.push_back({i, own.peer, at, outgoing_[at].receivers++});
  }
}

void MemoryCarrier::make_block(const MemoryRoom& room) {
  const int ranks = channel_.size();
  std::vector<std::int64_t> begins(static_cast<std::size_t>(ranks) + 1, 0);
  std::size_t entries = 0;
  for (const Send& send : sends_) {
    if (outgoing_[send.message].ring.bytes() == 0) continue;
    ++begins[static_cast<std::size_t>(send.to) + 1];
    ++entries;
  }
  if (entries == 0) return;
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::int64_t shares = room.shares;
  if (shares == 0) shares = std::ranges::count(outgoing_, 1, &Outgoing::receivers);
  const std::int64_t share = room.all / std::max<std::int64_t>(shares, 1);
  std::vector<SharedRing> rings;
  std::vector<std::int64_t> places;  // of the rings in the block
  rings.reserve(outgoing_.size());
  places.reserve(outgoing_.size());
  std::int64_t bytes = Table::bytes(ranks, entries);
  for (const Outgoing& message : outgoing_) {
    places.push_back(bytes);
    SharedRing& ring = rings.emplace_back();
    if (message.ring.bytes() == 0) continue;
    ring = room.ring(message.ring.bytes(), message.receivers, share);
    bytes += ring.all_bytes();
  }
  try {
    block_ = channel_.context().arena().allocate(bytes);
  } catch (const std::bad_alloc&) {
    refused_ = true;
    return;
  }
  const Table table(block_.at, ranks);
  std::ranges::copy(begins, table.begins());
  for (const Send& send : sends_) {
    const std::int64_t of_message = outgoing_[send.message].ring.bytes();
    if (of_message == 0) continue;
    std::int64_t& at = begins[static_cast<std::size_t>(send.to)];
    new (table.entries() + at++) Entry{of_message, places[send.message], send.receiver};
  }
  for (std::size_t i = 0; i < outgoing_.size(); ++i) {
    if (outgoing_[i].ring.bytes() > 0) outgoing_[i].ring.connect(rings[i].put(block_.at + places[i]));
  }
}

MemoryCarrier::~MemoryCarrier() {
  if (block_.at == nullptr) return;
  Arena& arena = channel_.context().arena();
  if (!connected_) {
    if (channel_.nobody_went_on()) {
      arena.release(block_);
    } else {
      arena.release_at_end(block_);  // another rank may have come to the end of the agreement
    }
    return;
  }
  std::vector<SharedRing*> rings;
  rings.reserve(outgoing_.size());
  for (const Outgoing& message : outgoing_) {
    if (message.ring.ring() != nullptr) rings.push_back(message.ring.ring());
  }
  arena.release_after(block_, std::move(rings));
}

std::optional<Withdrawn> MemoryCarrier::abandon() noexcept {
  data_ = nullptr;
  for (Incoming& message : incoming_) message.ring.leave();
  return std::nullopt;
}

std::byte* MemoryCarrier::block_of(Channel& channel, int rank, std::span<const std::uint64_t> blocks) {
  const std::uint64_t block = blocks[static_cast<std::size_t>(rank)];
  return block == 0 ? nullptr : channel.context().arena().find(rank, Arena::Place::of_word(block));
}

std::vector<MemoryCarrier::Coming> MemoryCarrier::sent_to(Channel& channel, std::span<const std::uint64_t> blocks) {
  std::vector<Coming> result;
  for (int rank = 0; rank < channel.size(); ++rank) {
    if (rank == channel.rank()) continue;
    const Table table(block_of(channel, rank, blocks), channel.size());
    for (const Entry& entry : table.entries_of(channel.rank())) result.push_back({rank, entry.bytes});
  }
  return result;
}

void MemoryCarrier::connect(const OwnPart& part, std::span<const std::uint64_t> blocks) {
  connected_ = true;
  incoming_.reserve(part.ends.size() - sends_.size());
  std::vector<std::size_t> received(blocks.size(), 0);  // by sender
  for (std::size_t i = 0; i < part.ends.size(); ++i) {
    const OwnPart::Own& own = part.ends[i];
    if (own.sends) continue;
    const std::int64_t bytes = own.count * unit_;
    Incoming& message = incoming_.emplace_back(Incoming{SharedRingReceiver(bytes), i, own.peer});
    if (bytes == 0) continue;
    std::byte* const block = block_of(channel_, own.peer, blocks);
    const std::span<const Entry> entries = Table(block, channel_.size()).entries_of(channel_.rank());
    const std::size_t number = received[static_cast<std::size_t>(own.peer)]++;
    const Entry entry = number < entries.size() ? entries[number] : Entry{};
    SLUICE_ASSERT(entry.bytes == bytes, fmt::format("{} bytes from rank {}, {} due", entry.bytes, own.peer, bytes));
    message.ring.connect(reinterpret_cast<SharedRing*>(block + entry.ring), entry.receiver);
  }
  find_order(part);
}

void MemoryCarrier::find_order(const OwnPart& part) {
  const std::size_t operations = outgoing_.size() + incoming_.size();
  operation_of_.resize(part.ends.size());
  for (const Send& send : sends_) {
    const OwnPart::Own& own = part.ends[send.end];
    SLUICE_ASSERT(own.sends && own.peer == send.to, fmt::format("end {} was a send to rank {}", send.end, send.to));
    operation_of_[send.end] = send.message;
  }
  for (std::size_t i = 0; i < incoming_.size(); ++i) operation_of_[incoming_[i].end] = outgoing_.size() + i;
  waits_.assign(operations, 0);
  may_move_.reserve(operations);
  if (part.after.empty()) return;
  sluice::detail::Lists<std::uint32_t> before(operations);
  std::vector<std::uint32_t> own;
  const auto add = [&](std::size_t operation, std::size_t end) {
    own.clear();
    for (const std::uint32_t each : part.after_of(end)) own.push_back(static_cast<std::uint32_t>(operation_of_[each]));
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    waits_[operation] = own.size();
    before.set(operation, own);
  };
  // All sends of a message wait for the same ends.
  for (std::size_t i = 0; i < outgoing_.size(); ++i) add(i, sends_of(outgoing_[i]).front().end);
  for (std::size_t i = 0; i < incoming_.size(); ++i) add(outgoing_.size() + i, incoming_[i].end);
  frees_ = sluice::detail::inverted(before, operations);
}

void MemoryCarrier::begin(const std::shared_ptr<Data>& data, TransferTrace* trace) {
  data_ = data.get();
  trace_ = trace;
  for (Outgoing& message : outgoing_) message.ring.begin();
  for (Incoming& message : incoming_) message.ring.begin();
  missing_ = waits_;
  may_move_.clear();
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    if (missing_[i] == 0) may_move_.push_back(i);
  }
  together_ = data->together();
  take_out(together_.sends, lists_to_fill_);
  take_out(together_.receives, lists_to_take_);
}

/// Sets `left` to all positions in `lists`; their messages then do not move alone.
void MemoryCarrier::take_out(EndLists lists, std::vector<std::size_t>& left) {
  left.resize(lists.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  for (const std::vector<std::size_t>& list : lists) {
    for (const std::size_t end : list) {
      const std::size_t operation = operation_of_[end];
      SLUICE_ASSERT(missing_[operation] == 0, fmt::format("end {} of a list waits for others", end));
      std::erase(may_move_, operation);
    }
  }
}

SharedRingEnd::Moved MemoryCarrier::fill(Outgoing& message) {
  if (message.ring.bytes() == 0) return {true, true};  // it has no ring
  const std::span<const Send> sends = sends_of(message);
  const SharedRingEnd::Moved moved = message.ring.fill([&](std::int64_t offset, std::int64_t bytes, std::byte* place) {
    if (trace_ != nullptr && offset == 0) {
      for (const Send& send : sends) trace_->send_started(send.end, send.to);
    }
    data_->pack(sends.front().end, offset / unit_, bytes / unit_, place);
  });
  if (trace_ != nullptr && moved.all) {
    for (const Send& send : sends) trace_->send_ended(send.end, message.ring.bytes());
  }
  return moved;
}

SharedRingEnd::Moved MemoryCarrier::take(Incoming& message) {
  if (message.ring.bytes() == 0) return {true, true};
  const SharedRingEnd::Moved moved = message.ring.take([&](std::int64_t offset, std::int64_t bytes, std::byte* place) {
    data_->unpack(message.end, offset / unit_, bytes / unit_, place);
  });
  if (trace_ != nullptr && moved.all) trace_->receive_ended(message.end, message.from, message.ring.bytes());
  return moved;
}

void MemoryCarrier::ended(std::size_t operation) {
  for (const std::uint32_t waiting : frees_[operation]) {
    if (--missing_[waiting] == 0) may_move_.push_back(waiting);
  }
}

bool MemoryCarrier::move_alone() {
  bool some = false;
  // Operations that become free go to the end of the list, and are considered in the same pass.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < may_move_.size(); ++i) {
    const std::size_t operation = may_move_[i];
    const SharedRingEnd::Moved moved =
        operation < outgoing_.size() ? fill(outgoing_[operation]) : take(incoming_[operation - outgoing_.size()]);
    some = some || moved.some;
    if (moved.all) {
      ended(operation);
    } else {
      may_move_[kept++] = operation;
    }
  }
  may_move_.resize(kept);
  return some;
}

bool MemoryCarrier::fill_together() {
  return move_lists(
      lists_to_fill_, together_.sends, room_, [&](std::size_t end) { return outgoing_at(end).ring.room(); },
      [&](std::size_t list) { data_->pack_together(list, room_); },
      [&](std::size_t end, const MessageRoom& filled) {
        Outgoing& message = outgoing_at(end);
        const bool complete = message.ring.fill_room(filled.bytes);
        if (trace_ != nullptr && filled.bytes > 0) {
          if (filled.offset == 0) trace_->send_started(end, sends_of(message).front().to);
          if (complete) trace_->send_ended(end, message.ring.bytes());
        }
        return complete;
      },
      [&](std::size_t end) { ended(operation_of_[end]); });
}

bool MemoryCarrier::take_together() {
  return move_lists(
      lists_to_take_, together_.receives, arrived_, [&](std::size_t end) { return incoming_at(end).ring.rest(); },
      [&](std::size_t list) { data_->unpack_together(list, arrived_); },
      [&](std::size_t end, const MessagePart& taken) {
        Incoming& message = incoming_at(end);
        const bool complete = message.ring.take_rest(taken.bytes);
        if (trace_ != nullptr && complete && taken.bytes > 0)
          trace_->receive_ended(end, message.from, message.ring.bytes());
        return complete;
      },
      [&](std::size_t end) { ended(operation_of_[end]); });
}

void MemoryCarrier::warm_up() {
  // None of these numbers changes, and others may be reading or writing them.
  for (std::int64_t byte = 0; byte < block_.bytes; byte += page_bytes())
    (void)std::atomic_ref(*reinterpret_cast<std::int64_t*>(block_.at + byte)).fetch_add(0, std::memory_order_relaxed);
}

Advance MemoryCarrier::advance() {
  if (data_ == nullptr) return Advance::kOver;
  bool moved = move_alone();
  moved = (!lists_to_fill_.empty() && fill_together()) || moved;
  moved = (!lists_to_take_.empty() && take_together()) || moved;
  if (all_moved()) {
    data_ = nullptr;
    return Advance::kOver;
  }
  if (moved) return Advance::kMoved;
  watch_.looked_in_vain(channel_);
  return Advance::kIdle;
}

}  // namespace sluice::mpi::detail
