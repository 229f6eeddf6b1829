#include "run/mpi/collective/shared_program.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/element_layout.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// A part stays in the cache of the processor that copies it on.
constexpr std::int64_t kPartBytes = 64 << 10;
constexpr std::int64_t kLeastPartBytes = 4 << 10;
/// Messages up to this size have room for two executions, so that a sender does not wait for slow receivers.
constexpr std::int64_t kTwiceBytes = 64 << 10;
/// The room for all messages of a rank that have one receiver each, unless they are very many.
constexpr std::int64_t kRoomBytes = 4 << 20;
constexpr std::int64_t kLeastPlaces = 4;

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

bool SharedProgram::possible(Context& context) { return !kSimulated && context.shares_memory(); }

SharedProgram::SharedProgram(Channel& channel, const ElementOperation& operation, std::shared_ptr<ProgramData> data,
                             const Program& shape, const OwnPart& part)
    : channel_(channel), data_(std::move(data)) {
  const ElementLayout layout(operation.type);
  extent_ = layout.extent;
  dense_ = layout.size > 0 && layout.extent == layout.size && layout.true_lower == 0 && is_one_run(operation.type);
  find_messages(part);
  find_order(part);
  // If these were not the same on all ranks, ranks would wait for each other for ever.
  Arguments alike("program in memory");
  alike.add_all(shape.problem, shape.size_bytes, shape.root);
  std::vector<std::uint64_t> blocks;
  Comparison own{.block = make_block(), .blocks = &blocks};
  try {
    (void)agree(channel_, alike.fingerprint(), nullptr, own);
  } catch (...) {
    Arena& arena = channel_.context().arena();
    if (channel_.nobody_went_on()) {
      arena.release(block_);
    } else {
      arena.release_at_end(block_);  // another rank may have come to the end of the agreement
    }
    throw;
  }
  connected_ = std::ranges::find(blocks, std::uint64_t{0}) == blocks.end();
  if (connected_) {
    connect(blocks);
  } else {
    channel_.context().arena().release(std::exchange(block_, {}));
  }
}

SharedProgram::~SharedProgram() {
  if (block_.at == nullptr) return;
  std::vector<SharedRing*> rings;
  for (const Outgoing& message : outgoing_) rings.push_back(message.end.ring());
  channel_.context().arena().release_after(block_, std::move(rings));
}

void SharedProgram::abandon() noexcept {
  running_ = false;
  for (Incoming& message : incoming_) message.end.leave();
}

void SharedProgram::find_messages(const OwnPart& part) {
  const std::int64_t most = kMostTogether / std::max<std::int64_t>(extent_, 1);
  std::map<std::pair<std::vector<std::uint32_t>, std::vector<std::int64_t>>, std::size_t> same;
  std::map<int, std::int64_t> received;
  for (std::size_t i = 0; i < part.ends.size(); ++i) {
    const OwnPart::Own& own = part.ends[i];
    if (!own.sends) {
      incoming_.push_back({i, own.peer, received[own.peer]++, SharedRingReceiver(own.count * extent_)});
      continue;
    }
    std::size_t at = outgoing_.size();
    if (own.count <= most) {
      const std::span<const std::uint32_t> before = part.after_of(i);
      std::vector<std::uint32_t> after(before.begin(), before.end());
      std::ranges::sort(after);
      at = same.try_emplace({std::move(after), data_->places_of(i)}, at).first->second;
    }
    if (at == outgoing_.size()) outgoing_.push_back({{}, {}, SharedRingSender(own.count * extent_)});
    outgoing_[at].sends.push_back(i);
    outgoing_[at].to.push_back(own.peer);
  }
}

void SharedProgram::find_order(const OwnPart& part) {
  std::vector<std::size_t> operation_of(part.ends.size());  // by end
  for (std::size_t i = 0; i < outgoing_.size(); ++i) {
    for (const std::size_t send : outgoing_[i].sends) operation_of[send] = i;
  }
  for (std::size_t i = 0; i < incoming_.size(); ++i) operation_of[incoming_[i].receive] = outgoing_.size() + i;
  waits_.assign(outgoing_.size() + incoming_.size(), 0);
  frees_.resize(waits_.size());
  std::vector<char> known(waits_.size(), 0);
  for (std::size_t i = 0; i < operation_of.size(); ++i) {
    const std::size_t own = operation_of[i];
    if (std::exchange(known[own], 1) != 0) continue;  // sends of one message wait for the same operations
    std::vector<std::size_t> before;
    for (const std::uint32_t each : part.after_of(i)) before.push_back(operation_of[each]);
    std::ranges::sort(before);
    before.erase(std::unique(before.begin(), before.end()), before.end());
    waits_[own] = before.size();
    for (const std::size_t each : before) frees_[each].push_back(own);
  }
}

std::uint64_t SharedProgram::make_block() {
  if (!dense_) return 0;
  const auto ranks = static_cast<std::size_t>(channel_.size());
  const auto alone = std::ranges::count_if(outgoing_, [](const Outgoing& each) { return each.to.size() == 1; });
  const std::int64_t room_each = kRoomBytes / std::max<std::int64_t>(alone, 1);
  std::vector<SharedRing> rings;
  std::map<std::pair<int, std::size_t>, Entry> entries;  // by receiver, then by send: as its receives are counted
  std::size_t count = 0;
  for (const Outgoing& message : outgoing_) count += message.to.size();
  const std::int64_t lists = std::int64_t{sizeof(std::int64_t)} * static_cast<std::int64_t>(ranks);
  std::int64_t bytes = round_up(lists + static_cast<std::int64_t>(count * sizeof(Entry)));
  for (const Outgoing& message : outgoing_) {
    SharedRing ring;
    ring.receivers = static_cast<std::int64_t>(message.to.size());
    const bool together = ring.receivers > 1;
    const std::int64_t part_bytes =
        together ? kPartBytes : std::clamp(room_each / kLeastPlaces, kLeastPartBytes, kPartBytes);
    const std::int64_t elements = std::max<std::int64_t>(message.end.bytes() / extent_, 1);
    ring.part_bytes = std::clamp<std::int64_t>(part_bytes / extent_, 1, elements) * extent_;
    const std::int64_t parts = divided_up(message.end.bytes(), ring.part_bytes);
    const bool twice = message.end.bytes() <= kTwiceBytes;
    const std::int64_t room = std::max(kLeastPlaces, room_each / ring.part_bytes);
    ring.places = std::min(twice ? 2 * parts : parts, together ? 2 * parts : room);
    for (std::size_t i = 0; i < message.to.size(); ++i)
      entries[{message.to[i], message.sends[i]}] = {bytes, static_cast<std::int64_t>(i)};
    rings.push_back(ring);
    bytes += ring.all_bytes();
  }
  try {
    block_ = channel_.context().arena().allocate(bytes);
  } catch (const std::bad_alloc&) {
    return 0;
  }
  // The block holds the begin of each rank's list of entries; then the lists; then the messages.
  std::int64_t list = lists;
  auto entry = entries.begin();
  for (int rank = 0; rank < channel_.size(); ++rank) {
    std::memcpy(block_.at + static_cast<std::size_t>(rank) * sizeof list, &list, sizeof list);
    for (; entry != entries.end() && entry->first.first == rank; ++entry) {
      std::memcpy(block_.at + list, &entry->second, sizeof entry->second);
      list += std::int64_t{sizeof entry->second};
    }
  }
  std::int64_t at = round_up(list);
  for (std::size_t i = 0; i < outgoing_.size(); ++i) {
    outgoing_[i].end.connect(rings[i].put(block_.at + at));
    at += rings[i].all_bytes();
  }
  return block_.place().word();
}

void SharedProgram::connect(const std::vector<std::uint64_t>& blocks) {
  for (Incoming& message : incoming_) {
    const Arena::Place place = Arena::Place::of_word(blocks[static_cast<std::size_t>(message.from)]);
    std::byte* const block = channel_.context().arena().find(message.from, place);
    std::int64_t list = 0;
    std::memcpy(&list, block + static_cast<std::size_t>(channel_.rank()) * sizeof list, sizeof list);
    Entry entry;
    std::memcpy(&entry, block + list + message.number * std::int64_t{sizeof entry}, sizeof entry);
    message.end.connect(reinterpret_cast<SharedRing*>(block + entry.ring), entry.receiver);
  }
}

void SharedProgram::begin() {
  running_ = true;
  if (channel_.context().log() != nullptr)
    trace_.emplace();
  else
    trace_.reset();
  for (Outgoing& message : outgoing_) message.end.begin();
  for (Incoming& message : incoming_) message.end.begin();
  missing_ = waits_;
  may_move_.clear();
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    if (missing_[i] == 0) may_move_.push_back(i);
  }
}

SharedRingEnd::Moved SharedProgram::fill(Outgoing& message) {
  const SharedRingEnd::Moved moved = message.end.fill([&](std::int64_t offset, std::int64_t bytes, std::byte* place) {
    if (trace_ && offset == 0) {
      for (std::size_t i = 0; i < message.sends.size(); ++i) trace_->send_started(message.sends[i], message.to[i]);
    }
    data_->pack(message.sends.front(), offset / extent_, bytes / extent_, place);
  });
  if (trace_ && moved.all) {
    for (const std::size_t send : message.sends) trace_->send_ended(send, message.end.bytes());
  }
  return moved;
}

SharedRingEnd::Moved SharedProgram::take(Incoming& message) {
  const SharedRingEnd::Moved moved = message.end.take([&](std::int64_t offset, std::int64_t bytes, std::byte* place) {
    data_->unpack(message.receive, offset / extent_, bytes / extent_, place);
  });
  if (trace_ && moved.all) trace_->receive_ended(message.receive, message.from, message.end.bytes());
  return moved;
}

void SharedProgram::ended(std::size_t operation) {
  for (const std::size_t waiting : frees_[operation]) {
    if (--missing_[waiting] == 0) may_move_.push_back(waiting);
  }
}

Advance SharedProgram::advance() {
  if (!running_) return Advance::kOver;
  bool some = false;
  // Operations that become free go to the end of the list, and are considered in the same pass.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < may_move_.size(); ++i) {
    const std::size_t operation = may_move_[i];
    const SharedRingEnd::Moved moved =
        operation < outgoing_.size() ? fill(outgoing_[operation]) : take(incoming_[operation - outgoing_.size()]);
    some = some || moved.some || moved.all;
    if (moved.all) {
      ended(operation);
    } else {
      may_move_[kept++] = operation;
    }
  }
  may_move_.resize(kept);
  if (may_move_.empty()) {
    running_ = false;
    if (trace_ && channel_.context().log() != nullptr) trace_->add_to(*channel_.context().log());
    return Advance::kOver;
  }
  if (some) return Advance::kMoved;
  watch_.looked_in_vain(channel_);
  return Advance::kIdle;
}

}  // namespace sluice::mpi::detail
