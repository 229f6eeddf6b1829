#include "run/mpi/steps/shared_messages.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>

#include "run/mpi/runtime/simulation.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr std::int64_t kMostOfRank = 4 << 20;  // two places for each message

}  // namespace

bool SharedMessages::possible(Context& context) {
  return !kSimulated && context.one_node() && context.board().connected();
}

SharedMessages::SharedMessages(Channel& channel, std::vector<StepMessage>& sends, std::vector<StepMessage>& receives,
                               std::int64_t most_bytes)
    : channel_(channel), notes_(std::make_shared<Notes>()) {
  const std::int64_t most = std::min(most_bytes, kMostOfRank / (std::int64_t{2} * channel.size()));
  const auto add = [&](std::vector<Message>& own, std::vector<StepMessage>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].bytes == 0 || all[i].bytes > most) continue;
      own.push_back({i, all[i].peer, all[i].bytes});
      all[i].bytes = 0;
    }
  };
  add(sends_, sends);
  add(receives_, receives);
  to_fill_.reserve(sends_.size());
  to_take_.reserve(receives_.size());
  notes_->received.resize(receives_.size());
  std::int64_t bytes = 0;
  for (const Message& message : sends_) bytes += std::int64_t{sizeof(Head)} + 2 * round_up(message.bytes);
  if (bytes == 0) return;
  block_ = channel.context().arena().allocate(bytes);
  // Its pages are there before the first message comes.
  constexpr std::int64_t kPage = 4096;
  for (std::int64_t byte = 0; byte < bytes; byte += kPage) block_.at[byte] = std::byte{0};
  std::byte* at = block_.at;
  for (Message& message : sends_) {
    message.head = new (at) Head();
    notes_->sent.push_back({block_.place.segment, block_.place.offset + (at - block_.at)});
    at += std::int64_t{sizeof(Head)} + 2 * round_up(message.bytes);
  }
}

SharedMessages::~SharedMessages() {
  if (block_.at == nullptr) return;
  // Others may still read it; after a failure, for ever.
  std::vector<Arena::Awaited> taken;
  for (const Message& message : sends_) taken.push_back({&message.head->taken, execution_});
  channel_.context().arena().release_after(block_, std::move(taken));
}

std::byte* SharedMessages::place_of(const Message& message) const {
  auto* const first = reinterpret_cast<std::byte*>(message.head + 1);
  return first + execution_ % 2 * round_up(message.bytes);
}

void SharedMessages::begin(StepData& data) {
  data_ = &data;
  ++execution_;
  to_fill_.resize(sends_.size());
  to_take_.resize(receives_.size());
  std::iota(to_fill_.begin(), to_fill_.end(), std::size_t{0});
  std::iota(to_take_.begin(), to_take_.end(), std::size_t{0});
  trace_.reset();
  if (channel_.context().log() != nullptr) trace_.emplace();
  if (execution_ == 1) tell_places();
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
    Message& message = receives_[receives_.size() - heard_.size()];
    const Arena::Place& place = notes_->received[receives_.size() - heard_.size()];
    std::atomic_thread_fence(std::memory_order_acquire);
    message.head = reinterpret_cast<Head*>(channel_.context().arena().find(message.peer, place));
    heard_.pop_front();
  }
  while (!told_.empty() && told_.front().advance()) told_.pop_front();
  return heard_.empty() && told_.empty();
}

bool SharedMessages::fill() {
  return std::erase_if(to_fill_, [&](std::size_t i) {
           const Message& message = sends_[i];
           if (std::atomic_ref(message.head->taken).load(std::memory_order_acquire) < execution_ - 2) return false;
           if (trace_) trace_->send_started(message.number, message.peer);
           if (const std::byte* const from = data_->outgoing(message.number, 0, message.bytes); from != nullptr) {
             std::memcpy(place_of(message), from, static_cast<std::size_t>(message.bytes));
           } else {
             data_->pack(message.number, 0, message.bytes, place_of(message));
           }
           std::atomic_ref(message.head->ready).store(execution_, std::memory_order_release);
           if (trace_) trace_->send_ended(message.number, message.bytes);
           return true;
         }) > 0;
}

bool SharedMessages::take() {
  return std::erase_if(to_take_, [&](std::size_t i) {
           const Message& message = receives_[i];
           if (message.head == nullptr ||
               std::atomic_ref(message.head->ready).load(std::memory_order_acquire) < execution_)
             return false;
           if (std::byte* const to = data_->incoming(message.number, 0, message.bytes); to != nullptr) {
             std::memcpy(to, place_of(message), static_cast<std::size_t>(message.bytes));
           } else {
             data_->unpack(message.number, 0, message.bytes, place_of(message));
           }
           std::atomic_ref(message.head->taken).store(execution_, std::memory_order_release);
           if (trace_) trace_->receive_ended(message.number, message.peer, message.bytes);
           return true;
         }) > 0;
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
