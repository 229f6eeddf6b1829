#include "run/mpi/runtime/notice_board.hpp"

#include <algorithm>

#include "sluice/error.hpp"

namespace sluice::mpi::detail {

void NoticeBoard::connect(const Arena& arena) {
  const std::vector<int> reached = arena.reached();
  if (reached.empty() || reached.size() >= kMostRanks) return;
  own_ = reinterpret_cast<Ring*>(arena.home());
  for (const int rank : reached) others_.push_back({rank, reinterpret_cast<Ring*>(arena.home_of(rank))});
}

void NoticeBoard::put_up(const Subject& subject, std::span<const std::uint64_t> numbers) {
  SLUICE_ASSERT(numbers.size() <= kWords, "too many numbers for a notice");
  const std::int64_t number = std::atomic_ref(own_->put_up).load(std::memory_order_relaxed);
  Slot& slot = own_->slot(number);
  std::atomic_ref(slot.count).store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  std::atomic_ref(slot.channel).store(subject.channel, std::memory_order_relaxed);
  std::atomic_ref(slot.round).store(subject.round, std::memory_order_relaxed);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    std::atomic_ref(slot.numbers[i]).store(numbers[i], std::memory_order_relaxed);
  std::atomic_ref(slot.count).store(number + 1, std::memory_order_release);
  std::atomic_ref(own_->put_up).store(number + 1, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // whoever is last sees all others'
  for (Other& other : others_) other.since = -1;
}

void NoticeBoard::tell_failure(std::span<const std::byte> word) {
  SLUICE_ASSERT(word.size() <= kMostFailureBytes, "too long a word of failure");
  if (own_ == nullptr) return;
  ToldFailure copy;
  copy.bytes = static_cast<std::int64_t>(word.size());
  std::ranges::copy(word, std::as_writable_bytes(std::span(copy.data)).begin());
  const std::int64_t number = std::atomic_ref(own_->told).load(std::memory_order_relaxed);
  ToldFailure& place = own_->failures[static_cast<std::size_t>(number) % kFailuresKept];
  // Who sees any of what follows sees that there are `number` words already (read_failure).
  std::atomic_thread_fence(std::memory_order_release);
  std::atomic_ref(place.bytes).store(copy.bytes, std::memory_order_relaxed);
  for (std::size_t i = 0; i < copy.data.size(); ++i)
    std::atomic_ref(place.data[i]).store(copy.data[i], std::memory_order_relaxed);
  std::atomic_ref(own_->told).store(number + 1, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // Beginning
}

bool NoticeBoard::read_failure(Ring& ring, std::int64_t number, ToldFailure& word) {
  ToldFailure& place = ring.failures[static_cast<std::size_t>(number) % kFailuresKept];
  word.bytes = std::atomic_ref(place.bytes).load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < word.data.size(); ++i)
    word.data[i] = std::atomic_ref(place.data[i]).load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  // The word of number `number` + kFailuresKept, which comes to the same place, is written when there are that many.
  const std::int64_t told = std::atomic_ref(ring.told).load(std::memory_order_relaxed);
  return told < number + static_cast<std::int64_t>(kFailuresKept);
}

NoticeBoard::Beginning::Beginning(NoticeBoard& board) : ring_(board.own_) {
  if (ring_ == nullptr) return;
  std::atomic_ref(ring_->beginning).store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

NoticeBoard::Beginning::~Beginning() {
  if (ring_ != nullptr) std::atomic_ref(ring_->beginning).store(0, std::memory_order_release);
}

bool NoticeBoard::others_at_beginning() const {
  return std::ranges::any_of(others_, [](const Other& other) {
    return std::atomic_ref(other.ring->beginning).load(std::memory_order_acquire) != 0;
  });
}

bool NoticeBoard::read_slot(Ring& ring, std::int64_t number, const Subject& subject, std::span<std::uint64_t> numbers) {
  Slot& slot = ring.slot(number);
  // The count is looked at before and after the rest, as no other notice has it. The channel would not do: it may be
  // that of the notice which stood here before, and the round that of the one which is being written over it.
  if (std::atomic_ref(slot.count).load(std::memory_order_acquire) != number + 1) return false;
  const bool is_it = std::atomic_ref(slot.channel).load(std::memory_order_relaxed) == subject.channel &&
                     std::atomic_ref(slot.round).load(std::memory_order_relaxed) == subject.round;
  std::array<std::uint64_t, kWords> found{};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    found[i] = std::atomic_ref(slot.numbers[i]).load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool overwritten = std::atomic_ref(slot.count).load(std::memory_order_relaxed) != number + 1;
  if (!is_it || overwritten) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::max(numbers[i], found[i]);
  return true;
}

NoticeBoard::Notice NoticeBoard::read(std::size_t other, const Subject& subject, std::span<std::uint64_t> numbers) {
  constexpr unsigned kLooksBetweenSearches = 8;
  Other& from = others_[other];
  const auto look_at = [&](std::int64_t number) {
    if (!read_slot(*from.ring, number, subject, numbers)) return false;
    from.next = number + 1;
    return true;
  };
  if (look_at(from.next)) return Notice::kThere;
  const std::int64_t put_up = std::atomic_ref(from.ring->put_up).load(std::memory_order_acquire);
  if (from.since < 0) {
    from.since = put_up;
    from.looks = 0;
  }
  if (from.looks++ % kLooksBetweenSearches != 0) return Notice::kNotYet;
  // Where agreements were given up, it may be anywhere.
  for (std::int64_t number = std::max<std::int64_t>(0, put_up - static_cast<std::int64_t>(kRing)); number < put_up;
       ++number) {
    if (look_at(number)) return Notice::kThere;
  }
  return put_up - from.since > static_cast<std::int64_t>(kRing) ? Notice::kLost : Notice::kNotYet;
}

}  // namespace sluice::mpi::detail
