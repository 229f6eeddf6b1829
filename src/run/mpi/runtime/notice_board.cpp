#include "run/mpi/runtime/notice_board.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>

#include "sluice/error.hpp"

namespace sluice::mpi::detail {

void NoticeBoard::connect(Arena& arena, const std::vector<int>& ranks, int own_rank) {
  if (ranks.size() < 2 || ranks.size() > kMostRanks) return;
  const bool all = std::ranges::all_of(ranks, [&](int rank) { return rank == own_rank || arena.reaches(rank); });
  if (!all) return;
  // The first block of every rank is at the same place of its memory, which is zeros.
  const Arena::Block block = arena.allocate(sizeof(Ring));
  own_ = reinterpret_cast<Ring*>(block.at);
  lowest_ = own_;
  if (ranks.front() != own_rank) lowest_ = reinterpret_cast<Ring*>(arena.find(ranks.front(), block.place));
  for (const int rank : ranks) {
    if (rank != own_rank) others_.push_back({reinterpret_cast<Ring*>(arena.find(rank, block.place))});
  }
}

void NoticeBoard::put_up(const Subject& subject, std::span<const std::uint64_t> numbers) {
  SLUICE_ASSERT(numbers.size() <= kWords, "too many numbers for a notice");
  const std::int64_t number = std::atomic_ref(own_->put_up).load(std::memory_order_relaxed);
  Slot& slot = own_->slots[static_cast<std::size_t>(number) % kRing];
  std::atomic_ref(slot.channel).store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  std::atomic_ref(slot.round).store(subject.round, std::memory_order_relaxed);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    std::atomic_ref(slot.numbers[i]).store(numbers[i], std::memory_order_relaxed);
  std::atomic_ref(slot.channel).store(subject.channel + 1, std::memory_order_release);
  std::atomic_ref(own_->put_up).store(number + 1, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // whoever is last sees all others'
  for (Other& other : others_) other.since = -1;
}

bool NoticeBoard::read_slot(Slot& slot, const Subject& subject, std::span<std::uint64_t> numbers) {
  const auto is_it = [&](std::memory_order order) {
    return std::atomic_ref(slot.channel).load(order) == subject.channel + 1 &&
           std::atomic_ref(slot.round).load(std::memory_order_relaxed) == subject.round;
  };
  if (!is_it(std::memory_order_acquire)) return false;
  std::array<std::uint64_t, kWords> found{};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    found[i] = std::atomic_ref(slot.numbers[i]).load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (!is_it(std::memory_order_relaxed)) return false;  // overwritten meanwhile
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
    if (!read_slot(from.ring->slots[static_cast<std::size_t>(number) % kRing], subject, numbers)) return false;
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

std::uint32_t NoticeBoard::epoch() const { return std::atomic_ref(lowest_->epoch).load(std::memory_order_acquire); }

void NoticeBoard::sleep(std::uint32_t epoch) {
  const timespec longest{0, 500'000};
  (void)syscall(SYS_futex, &lowest_->epoch, FUTEX_WAIT, epoch, &longest, nullptr,
                0);  // however it ends, all look again
}

void NoticeBoard::wake_all() {
  std::atomic_ref(lowest_->epoch).fetch_add(1, std::memory_order_acq_rel);
  (void)syscall(SYS_futex, &lowest_->epoch, FUTEX_WAKE, static_cast<int>(kMostRanks), nullptr, nullptr, 0);
}

}  // namespace sluice::mpi::detail
