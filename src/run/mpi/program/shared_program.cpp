#include "run/mpi/program/shared_program.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <new>
#include <numeric>
#include <tuple>
#include <utility>

#include "run/mpi/runtime/collective.hpp"
#include "run/mpi/runtime/element_layout.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {
namespace {

using Kind = ProgramOperation::Kind;

/// A part stays in the cache of the processor that copies it on.
constexpr std::int64_t kPartBytes = 64 << 10;
constexpr std::int64_t kLeastPartBytes = 4 << 10;
/// Messages up to this size have room for two executions, so that a sender does not wait for slow receivers.
constexpr std::int64_t kTwiceBytes = 64 << 10;
/// What the messages of a rank that have one receiver each take together, unless they are very many.
constexpr std::int64_t kRoomBytes = 4 << 20;
constexpr std::int64_t kLeastPlaces = 4;

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

bool SharedProgram::possible(Context& context) {
  return !kSimulated && context.one_node() && context.board().connected();
}

SharedProgram::SharedProgram(Channel& channel, const ElementOperation& operation, std::shared_ptr<ProgramData> data,
                             const ProgramPart& part)
    : channel_(channel), data_(std::move(data)) {
  const ElementLayout layout(operation.type);
  extent_ = layout.extent;
  dense_ = layout.size > 0 && layout.extent == layout.size && layout.true_lower == 0 && is_one_run(operation.type);
  find_messages(part);
  find_order(part);
  const std::vector<std::uint64_t> blocks = numbers_by_memory(channel_, make_block());
  connected_ = std::ranges::find(blocks, std::uint64_t{0}) == blocks.end();
  if (connected_) {
    connect(blocks);
  } else {
    channel_.context().arena().release(std::exchange(block_, {}));
  }
}

SharedProgram::~SharedProgram() {
  if (block_.at == nullptr) return;
  // Others may still read it; after a failure, for ever.
  std::vector<Arena::Awaited> taken;
  for (const Outgoing& message : outgoing_) {
    for (std::int64_t i = 0; i < message.head->receivers; ++i)
      taken.push_back({message.head->taken() + i, message.progress.before + message.progress.parts});
  }
  channel_.context().arena().release_after(block_, std::move(taken));
}

void SharedProgram::find_messages(const ProgramPart& part) {
  const std::int64_t most = kMostTogether / std::max<std::int64_t>(extent_, 1);
  std::map<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>, std::size_t> same;
  std::map<int, std::int64_t> received;
  std::size_t sends = 0, receives = 0;
  for (const PartOperation& op : part.operations) {
    const int peer = static_cast<int>(op.peer);
    std::int64_t elements = 0;
    for (const PartRange& range : op.ranges) elements += range.count;
    if (op.kind != Kind::kSend) {
      incoming_.push_back({receives++, peer, received[peer]++, {elements, 0, 0}, nullptr, nullptr});
      continue;
    }
    std::size_t at = outgoing_.size();
    if (elements <= most) {
      std::vector<std::int64_t> after = op.after;
      std::ranges::sort(after);
      at = same.try_emplace({std::move(after), data_->places_of(sends)}, at).first->second;
    }
    if (at == outgoing_.size()) outgoing_.push_back({{}, {}, {elements, 0, 0}, nullptr, 0});
    outgoing_[at].sends.push_back(sends++);
    outgoing_[at].to.push_back(peer);
  }
}

void SharedProgram::find_order(const ProgramPart& part) {
  std::vector<std::size_t> of_send(data_->sends().size());
  for (std::size_t i = 0; i < outgoing_.size(); ++i) {
    for (const std::size_t send : outgoing_[i].sends) of_send[send] = i;
  }
  std::vector<std::size_t> operation_of;  // by operation of the part
  std::size_t sends = 0, receives = 0;
  for (const PartOperation& op : part.operations)
    operation_of.push_back(op.kind == Kind::kSend ? of_send[sends++] : outgoing_.size() + receives++);
  waits_.assign(outgoing_.size() + incoming_.size(), 0);
  frees_.resize(waits_.size());
  std::vector<char> known(waits_.size(), 0);
  for (std::size_t i = 0; i < operation_of.size(); ++i) {
    const std::size_t own = operation_of[i];
    if (std::exchange(known[own], 1) != 0) continue;  // sends of one message wait for the same
    std::vector<std::size_t> before;
    for (const std::int64_t each : part.operations[i].after)
      before.push_back(operation_of[static_cast<std::size_t>(each)]);
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
  std::vector<Head> heads;
  std::map<std::pair<int, std::size_t>, Entry> entries;  // by receiver, then by send: as its receives are counted
  std::size_t count = 0;
  for (const Outgoing& message : outgoing_) count += message.to.size();
  const std::int64_t lists = std::int64_t{sizeof(std::int64_t)} * static_cast<std::int64_t>(ranks);
  std::int64_t bytes = round_up(lists + static_cast<std::int64_t>(count * sizeof(Entry)));
  for (const Outgoing& message : outgoing_) {
    Head head;
    head.receivers = static_cast<std::int64_t>(message.to.size());
    const bool together = head.receivers > 1;
    const std::int64_t part_bytes =
        together ? kPartBytes : std::clamp(room_each / kLeastPlaces, kLeastPartBytes, kPartBytes);
    head.elements =
        std::clamp<std::int64_t>(part_bytes / extent_, 1, std::max<std::int64_t>(message.progress.elements, 1));
    const std::int64_t parts = parts_of(head, message.progress);
    const bool twice = message.progress.elements * extent_ <= kTwiceBytes;
    const std::int64_t room = std::max(kLeastPlaces, room_each / (head.elements * extent_));
    head.places = std::min(twice ? 2 * parts : parts, together ? 2 * parts : room);
    for (std::size_t i = 0; i < message.to.size(); ++i)
      entries[{message.to[i], message.sends[i]}] = {bytes, static_cast<std::int64_t>(i)};
    heads.push_back(head);
    bytes += std::int64_t{sizeof(Head)} + round_up(head.receivers * std::int64_t{sizeof(std::int64_t)}) +
             round_up(head.places * head.elements * extent_);
  }
  try {
    block_ = channel_.context().arena().allocate(bytes);
  } catch (const std::bad_alloc&) {
    return 0;
  }
  // Where the list of entries of each rank begins; the lists; and the messages.
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
    Head* const head = new (block_.at + at) Head(heads[i]);
    std::fill_n(head->taken(), head->receivers, 0);
    outgoing_[i].head = head;
    outgoing_[i].free = head->places;
    at = head->ring() - block_.at + round_up(head->places * head->elements * extent_);
  }
  // Segments are fewer than 2^8, and shorter than 2^48.
  constexpr int kOffsetBits = 48;
  return (static_cast<std::uint64_t>(block_.place.segment + 1) << kOffsetBits) |
         static_cast<std::uint64_t>(block_.place.offset);
}

void SharedProgram::connect(const std::vector<std::uint64_t>& blocks) {
  constexpr int kOffsetBits = 48;
  constexpr std::uint64_t kOffset = (std::uint64_t{1} << kOffsetBits) - 1;
  for (Incoming& message : incoming_) {
    const std::uint64_t word = blocks[static_cast<std::size_t>(message.from)];
    const Arena::Place place{static_cast<std::int64_t>(word >> kOffsetBits) - 1,
                             static_cast<std::int64_t>(word & kOffset)};
    std::byte* const block = channel_.context().arena().find(message.from, place);
    std::int64_t list = 0;
    std::memcpy(&list, block + static_cast<std::size_t>(channel_.rank()) * sizeof list, sizeof list);
    Entry entry;
    std::memcpy(&entry, block + list + message.number * std::int64_t{sizeof entry}, sizeof entry);
    message.head = reinterpret_cast<Head*>(block + entry.head);
    message.taken = message.head->taken() + entry.receiver;
  }
}

std::int64_t SharedProgram::parts_of(const Head& head, const Progress& progress) {
  return divided_up(progress.elements, head.elements);
}

std::int64_t SharedProgram::part_elements(const Head& head, const Progress& progress) const {
  return std::min(head.elements, progress.elements - progress.parts * head.elements);
}

void SharedProgram::begin() {
  running_ = true;
  trace_.reset();
  if (channel_.context().log() != nullptr) trace_.emplace();
  const auto begin_message = [](Progress& progress) { progress.before += std::exchange(progress.parts, 0); };
  for (Outgoing& message : outgoing_) begin_message(message.progress);
  for (Incoming& message : incoming_) begin_message(message.progress);
  missing_ = waits_;
  may_move_.clear();
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    if (missing_[i] == 0) may_move_.push_back(i);
  }
}

SharedProgram::Moved SharedProgram::fill(Outgoing& message) {
  Head& head = *message.head;
  Progress& progress = message.progress;
  const std::int64_t parts = parts_of(head, progress);
  Moved moved;
  while (progress.parts < parts) {
    const std::int64_t number = progress.before + progress.parts;
    if (number >= message.free) {
      std::int64_t least = number;
      for (std::int64_t i = 0; i < head.receivers; ++i)
        least = std::min(least, std::atomic_ref(head.taken()[i]).load(std::memory_order_acquire));
      message.free = least + head.places;
      if (number >= message.free) return moved;
    }
    if (trace_ && progress.parts == 0) {
      for (std::size_t i = 0; i < message.sends.size(); ++i) trace_->send_started(message.sends[i], message.to[i]);
    }
    data_->copy_out(message.sends.front(), progress.parts * head.elements, part_elements(head, progress),
                    head.ring() + number % head.places * head.elements * extent_);
    ++progress.parts;
    std::atomic_ref(head.ready).store(number + 1, std::memory_order_release);
    moved.some = true;
  }
  if (trace_) {
    for (const std::size_t send : message.sends) trace_->send_ended(send, progress.elements * extent_);
  }
  moved.all = true;
  return moved;
}

SharedProgram::Moved SharedProgram::take(Incoming& message) {
  Head& head = *message.head;
  Progress& progress = message.progress;
  const std::int64_t parts = parts_of(head, progress);
  const std::int64_t ready = std::atomic_ref(head.ready).load(std::memory_order_acquire);
  Moved moved;
  while (progress.parts < parts) {
    const std::int64_t number = progress.before + progress.parts;
    if (number >= ready) return moved;
    data_->copy_in(message.receive, progress.parts * head.elements, part_elements(head, progress),
                   head.ring() + number % head.places * head.elements * extent_);
    ++progress.parts;
    std::atomic_ref(*message.taken).store(number + 1, std::memory_order_release);
    moved.some = true;
  }
  if (trace_) trace_->receive_ended(message.receive, message.from, progress.elements * extent_);
  moved.all = true;
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
  // Those that become free are at the end of the list, and looked at in the same pass.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < may_move_.size(); ++i) {
    const std::size_t operation = may_move_[i];
    const Moved moved =
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
