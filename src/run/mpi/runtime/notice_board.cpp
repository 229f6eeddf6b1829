#include "run/mpi/runtime/notice_board.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "sluice/error.hpp"

namespace sluice::mpi::detail {

void NoticeBoard::connect(Arena& arena) {
  const std::vector<int> reached = arena.reached();
  if (reached.empty() || reached.size() >= kMostRanks) return;
  // The first block of every rank is at the same place of its memory, which is zeros.
  const Arena::Block block = arena.allocate(sizeof(Ring));
  own_ = reinterpret_cast<Ring*>(block.at);
  for (const int rank : reached) others_.push_back({reinterpret_cast<Ring*>(arena.find(rank, block.place))});
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

void NoticeBoard::note_failure() {
  if (own_ != nullptr) std::atomic_ref(own_->failures).fetch_add(1, std::memory_order_release);
}

bool NoticeBoard::failures_noted() {
  bool any = false;
  for (Other& other : others_) {
    const std::int64_t noted = std::atomic_ref(other.ring->failures).load(std::memory_order_acquire);
    if (std::exchange(other.failures, noted) != noted) any = true;
  }
  return any;
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
  const std::int64_t put_up = std::atomic_ref(from.ring->put_up).load(std::memory_order_acquire);
  if (from.since < 0) {
    from.since = put_up;
    from.looks = 0;
  }
  const auto look_at = [&](std::int64_t number) {
    if (!read_slot(*from.ring, number, subject, numbers)) return false;
    from.next = number + 1;
    return true;
  };
  if (look_at(from.next)) return Notice::kThere;
  if (from.looks++ % kLooksBetweenSearches != 0) return Notice::kNotYet;
  // Where agreements were given up, it may be anywhere.
  for (std::int64_t number = std::max<std::int64_t>(0, put_up - static_cast<std::int64_t>(kRing)); number < put_up;
       ++number) {
    if (look_at(number)) return Notice::kThere;
  }
  return put_up - from.since > static_cast<std::int64_t>(kRing) ? Notice::kLost : Notice::kNotYet;
}

}  // namespace sluice::mpi::detail
