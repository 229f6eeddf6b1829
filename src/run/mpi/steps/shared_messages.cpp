#include "run/mpi/steps/shared_messages.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <utility>

#include "run/mpi/runtime/simulation.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr std::int64_t kRoomOfRank = 2 << 20;
/// Of a message that has not room for all of it twice. A part stays in the cache of the processor that copies it on.
constexpr std::int64_t kLongestPart = 64 << 10;
constexpr std::int64_t kFewestPlaces = 2;

}  // namespace

bool SharedMessages::possible(Context& context) { return !kSimulated && context.shares_memory(); }

SharedMessages::SharedMessages(Channel& channel, std::vector<StepMessage>& sends, std::vector<StepMessage>& receives,
                               std::int64_t granule)
    : channel_(channel), notes_(std::make_shared<Notes>()) {
  const auto add = [&](auto& own, std::vector<StepMessage>& all) {
    using End = decltype(own.front().end);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].bytes == 0) continue;
      own.push_back({i, all[i].peer, End(all[i].bytes)});
      all[i].bytes = 0;
    }
  };
  add(sends_, sends);
  add(receives_, receives);
  to_fill_.reserve(sends_.size());
  to_take_.reserve(receives_.size());
  notes_->received.resize(receives_.size());
  const std::int64_t room = kRoomOfRank / channel.size();
  const std::int64_t part = std::max(std::min(kLongestPart, room / kFewestPlaces) / granule, std::int64_t{1}) * granule;
  std::vector<SharedRing> rings;
  std::int64_t bytes = 0;
  for (const Send& message : sends_) {
    SharedRing& ring = rings.emplace_back();
    const bool whole = 2 * message.end.bytes() <= room;
    ring.part_bytes = whole ? message.end.bytes() : std::min(part, message.end.bytes());
    ring.places = whole ? 2 : std::max(kFewestPlaces, room / ring.part_bytes);
    bytes += ring.all_bytes();
  }
  if (bytes == 0) return;
  block_ = channel.context().arena().allocate(bytes);
  // Its pages are there before the first message comes.
  constexpr std::int64_t kPage = 4096;
  for (std::int64_t byte = 0; byte < bytes; byte += kPage) block_.at[byte] = std::byte{0};
  std::byte* at = block_.at;
  for (std::size_t i = 0; i < sends_.size(); ++i) {
    sends_[i].end.connect(rings[i].put(at));
    notes_->sent.push_back({block_.place.segment, block_.place.offset + (at - block_.at)});
    at += rings[i].all_bytes();
  }
}

SharedMessages::~SharedMessages() {
  if (block_.at == nullptr) return;
  // Others may still read it; after a failure, for ever.
  std::vector<Arena::Awaited> taken;
  for (const Send& message : sends_) taken.push_back({message.end.ring()->taken(), message.end.number()});
  channel_.context().arena().release_after(block_, std::move(taken));
}

void SharedMessages::begin(StepData& data) {
  data_ = &data;
  for (Send& message : sends_) message.end.begin();
  for (Receive& message : receives_) message.end.begin();
  to_fill_.resize(sends_.size());
  to_take_.resize(receives_.size());
  std::iota(to_fill_.begin(), to_fill_.end(), std::size_t{0});
  std::iota(to_take_.begin(), to_take_.end(), std::size_t{0});
  trace_.reset();
  if (channel_.context().log() != nullptr) trace_.emplace();
  if (!connected_ && heard_.empty() && told_.empty()) tell_places();
}

void SharedMessages::tell_places() {
  constexpr int kBytes = sizeof(Arena::Place);
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    heard_.emplace_back(channel_, notes_).receive(&notes_->received[i], kBytes, receives_[i].peer, Tag::kSizes);
  }
  for (std::size_t i = 0; i < sends_.size(); ++i)
    told_.emplace_back(channel_, notes_).send(&notes_->sent[i], kBytes, sends_[i].peer, Tag::kSizes);
}

bool SharedMessages::hear_places() {
  // In the order of the list: those of a rank that is behind are looked at when they are needed.
  while (!heard_.empty() && heard_.front().advance()) {
    Receive& message = receives_[receives_.size() - heard_.size()];
    const Arena::Place& place = notes_->received[receives_.size() - heard_.size()];
    std::atomic_thread_fence(std::memory_order_acquire);
    message.end.connect(reinterpret_cast<SharedRing*>(channel_.context().arena().find(message.peer, place)), 0);
    heard_.pop_front();
  }
  while (!told_.empty() && told_.front().advance()) told_.pop_front();
  return heard_.empty() && told_.empty();
}

bool SharedMessages::fill() {
  bool some = false;
  std::erase_if(to_fill_, [&](std::size_t i) {
    Send& message = sends_[i];
    const SharedRingEnd::Moved moved = message.end.fill([&](std::int64_t offset, std::int64_t bytes, std::byte* place) {
      if (trace_ && offset == 0) trace_->send_started(message.number, message.peer);
      if (const std::byte* const from = data_->outgoing(message.number, offset, bytes); from != nullptr) {
        std::memcpy(place, from, static_cast<std::size_t>(bytes));
      } else {
        data_->pack(message.number, offset, bytes, place);
      }
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
    if (!message.end.connected()) return false;
    const SharedRingEnd::Moved moved = message.end.take([&](std::int64_t offset, std::int64_t bytes, std::byte* place) {
      if (std::byte* const to = data_->incoming(message.number, offset, bytes); to != nullptr) {
        std::memcpy(to, place, static_cast<std::size_t>(bytes));
      } else {
        data_->unpack(message.number, offset, bytes, place);
      }
    });
    some = some || moved.some;
    if (trace_ && moved.all) trace_->receive_ended(message.number, message.peer, message.end.bytes());
    return moved.all;
  });
  return some;
}

Advance SharedMessages::advance() {
  if (data_ == nullptr) return Advance::kOver;
  bool moved = !to_fill_.empty() && fill();
  if (!connected_) connected_ = hear_places();
  moved = (!to_take_.empty() && take()) || moved;
  if (connected_ && to_fill_.empty() && to_take_.empty()) {
    data_ = nullptr;
    if (trace_ && channel_.context().log() != nullptr) trace_->add_to(*channel_.context().log());
    return Advance::kOver;
  }
  if (moved) return Advance::kMoved;
  watch_.looked_in_vain(channel_);
  return Advance::kIdle;
}

void SharedMessages::abandon() noexcept {
  data_ = nullptr;
  heard_.clear();
  told_.clear();
}

}  // namespace sluice::mpi::detail
