#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pmpi/record/recorded_calls.hpp"

/// Counts what each rank sends to each other rank, by communicator and call, if SLUICE_RECORD asks for it.
///
/// A call costs one look for its communicator, which is the last one more often than not, and a few additions without a
/// lock: each thread of the program has tables of its own, which others only read. Reading a clock twice takes longer
/// than all of this, so of many calls in quick succession few are timed: see Recording. Communicators of the same ranks
/// in the same order share a table, so that no message is needed to know which one is meant on all ranks. Only what a
/// rank sends is counted, on that rank.
namespace sluice::pmpi {

/// A clock in a unit of its own, as cheap as possible.
[[nodiscard]] inline std::int64_t ticks() {
#if defined(__x86_64__)
  return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#else
  return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
}

/// Written by one thread, read by any.
class Counter {
 public:
  void add(std::int64_t value) { value_.store(get() + value, std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

/// Calls of sizes up to a power of two.
struct SizeBin {
  Counter calls;
  Counter bytes;
  Counter ticks;
};
inline constexpr std::size_t kSizeBins = 64;
/// Bin 0 is for 0 bytes, bin i for sizes above 2^(i - 2) up to 2^(i - 1).
[[nodiscard]] inline std::size_t size_bin(std::int64_t bytes) {
  return bytes <= 0 ? 0 : 1 + static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes - 1)));
}

/// The ranks of a communicator, by their numbers in MPI_COMM_WORLD.
struct RecordedRanks {
  std::vector<int> world_ranks;
  int own = 0;  ///< this process's rank among them
};

/// What a thread has done by one call with a communicator.
struct CallTable {
  Counter to_each;                    ///< bytes to every other rank
  std::atomic<Counter*> to{nullptr};  ///< bytes by rank, besides; null: none
  std::unique_ptr<Counter[]> owned;   ///< `to`
  std::array<SizeBin, kSizeBins> sizes;
};

struct CommTable {
  const RecordedRanks* ranks = nullptr;
  CommTable* next = nullptr;  ///< the next table of the same thread
  std::array<std::atomic<CallTable*>, kCallNames.size()> calls{};
};

/// The communicator that a thread used last, and its tables by ranks; when its last calls were.
struct OfThread {
  MPI_Comm comm{};
  std::uint64_t freed = ~std::uint64_t{0};  ///< of no communicator yet
  CommTable* table = nullptr;               ///< null: the communicator is not recorded
  std::int64_t timed = 0;                   ///< the end of the last call that was timed, in ticks
  std::int64_t untimed = 0;                 ///< calls before the next one that is timed
  int quick = 0;                            ///< calls that were timed in quick succession
  std::uint32_t lot = 1;
  CommTable* all = nullptr;  ///< of this thread
};
/// At a place that is known when the library is loaded, which saves a call each time.
extern constinit thread_local OfThread of_thread __attribute__((tls_model("initial-exec")));

/// Changes whenever a communicator is freed, because MPI may give its handle to another one.
extern constinit std::atomic<std::uint64_t> freed_communicators;

/// One call of the program. It is made before MPI does the call; another member says afterwards what the call was. Only
/// the constructor examines the communicator, because the program may free it while MPI still carries the call out.
/// Another thread does so if another rank tells it that the message has arrived. Tables are never freed.
///
/// Each call is timed, until kQuickCalls in a row have ended within kQuickTicks of the end of the previous call. From
/// then on, one in kTimedOneIn is timed on average. The distances are random, but equal on all ranks. The time of such
/// a call counts kTimedOneIn-fold on average, but at most as the time that has passed since the last timed call. So the
/// sum never exceeds the time passed. It ends when a timed call shows that calls take longer again, or come less often.
class Recording {
 public:
  static constexpr std::int64_t kTimedOneIn = 16;
  static constexpr std::int64_t kQuickTicks = 10'000;  ///< some microseconds: timing a call is 1 % of it
  static constexpr int kQuickCalls = 16;

  explicit Recording(MPI_Comm comm) : Recording(table_of(comm)) {}
  /// For a call on a communicator of these ranks; null: a communicator that is not recorded.
  explicit Recording(const RecordedRanks* ranks) : Recording(ranks == nullptr ? nullptr : &table_of(*ranks)) {}

  /// The ranks of a communicator, which stay when it is freed; null if it is not recorded.
  [[nodiscard]] static const RecordedRanks* ranks_of(MPI_Comm comm) {
    const CommTable* const table = table_of(comm);
    return table == nullptr ? nullptr : table->ranks;
  }
  /// The rank in the communicator; -1 if it is not recorded.
  [[nodiscard]] int rank() const { return comm_ == nullptr ? -1 : comm_->ranks->own; }
  [[nodiscard]] int size() const { return comm_ == nullptr ? 0 : static_cast<int>(comm_->ranks->world_ranks.size()); }

  // If the communicator is not recorded, the following functions count nothing.

  /// `bytes` were sent to `peer`. Counts nothing if `peer` is MPI_PROC_NULL or the rank itself.
  void to(Call call, int peer, std::int64_t bytes) const {
    if (comm_ == nullptr) return;
    CallTable& table = call_table(*comm_, call);
    if (peer >= 0 && peer != comm_->ranks->own && bytes > 0) row(*comm_, table)[peer].add(bytes);
    count(table, bytes);
  }
  /// Bytes were sent to every other rank, by a call whose size is `size`. `of_rank`: only if this rank is `of_rank`.
  void to_each(Call call, std::int64_t bytes, std::int64_t size) const {
    if (comm_ == nullptr) return;
    CallTable& table = call_table(*comm_, call);
    table.to_each.add(bytes);
    count(table, size);
  }
  void to_each_from(Call call, int of_rank, std::int64_t bytes) const {
    if (comm_ == nullptr) return;
    CallTable& table = call_table(*comm_, call);
    if (comm_->ranks->own == of_rank) table.to_each.add(bytes);
    count(table, bytes);
  }
  /// Sent bytes_to(i) to rank peer_of(i), for i up to n.
  template <class PeerOf, class BytesTo>
  void to_some(Call call, int n, PeerOf&& peer_of, BytesTo&& bytes_to) const {
    if (comm_ == nullptr) return;
    CallTable& table = call_table(*comm_, call);
    Counter* const row = this->row(*comm_, table);
    std::int64_t sum = 0;
    for (int i = 0; i < n; ++i) {
      const int peer = peer_of(i);
      if (peer < 0) continue;
      const std::int64_t bytes = bytes_to(i);
      sum += bytes;
      if (peer != comm_->ranks->own && bytes > 0) row[peer].add(bytes);
    }
    count(table, sum);
  }

 private:
  explicit Recording(CommTable* comm) : comm_(comm) {
    OfThread& last = of_thread;
    if (last.untimed > 0) {
      --last.untimed;
      return;
    }
    weight_ = last.quick < kQuickCalls ? 1 : kTimedOneIn;
    start_ = ticks();
  }
  /// Null if the communicator is not recorded.
  [[nodiscard]] static CommTable* table_of(MPI_Comm comm) {
    const OfThread& last = of_thread;
    if (last.comm == comm && last.freed == freed_communicators.load(std::memory_order_relaxed)) [[likely]]
      return last.table;
    return look_up(comm);
  }
  static CommTable* look_up(MPI_Comm comm);
  [[nodiscard]] static CommTable& table_of(const RecordedRanks& ranks);
  [[nodiscard]] static CallTable& call_table(CommTable& comm, Call call) {
    CallTable* const table = comm.calls[static_cast<std::size_t>(call)].load(std::memory_order_relaxed);
    return table != nullptr ? *table : make_call_table(comm, call);
  }
  static CallTable& make_call_table(CommTable& comm, Call call);
  [[nodiscard]] static Counter* row(const CommTable& comm, CallTable& table) {
    Counter* const row = table.to.load(std::memory_order_relaxed);
    return row != nullptr ? row : make_row(comm, table);
  }
  static Counter* make_row(const CommTable& comm, CallTable& table);
  void count(CallTable& table, std::int64_t bytes) const {
    SizeBin& bin = table.sizes[size_bin(bytes)];
    bin.calls.add(1);
    bin.bytes.add(bytes);
    if (weight_ == 0) return;
    const std::int64_t end = ticks();
    OfThread& last = of_thread;
    const std::int64_t passed = end - last.timed;
    bin.ticks.add(weight_ == 1 ? end - start_ : std::min(weight_ * (end - start_), passed));
    last.quick = passed < weight_ * kQuickTicks ? std::min(last.quick + 1, kQuickCalls) : 0;
    last.timed = end;
    if (last.quick < kQuickCalls) return;
    last.lot = last.lot * 1664525U + 1013904223U;  // Knuth's generator: its highest bits are the most random
    last.untimed = (last.lot >> 16U) % (2 * kTimedOneIn - 1);
  }

  CommTable* comm_;
  std::int64_t weight_ = 0;  ///< how many calls this call's time counts for; 0: it is not timed
  std::int64_t start_ = 0;   ///< in ticks, if it is timed
};

/// A call of a neighbourhood collective.
class NeighbourRecording : public Recording {
 public:
  explicit NeighbourRecording(MPI_Comm comm) : Recording(comm), targets_(targets_of(comm)) {}

  /// The ranks that this rank sends to; none if the communicator is not recorded.
  [[nodiscard]] const std::vector<int>& targets() const { return *targets_; }

 private:
  static std::shared_ptr<const std::vector<int>> targets_of(MPI_Comm comm);

  std::shared_ptr<const std::vector<int>> targets_;
};

/// After MPI_Init: what tables are to know of MPI. False if MPI refuses.
[[nodiscard]] bool start_recorder();

/// What has been counted so far by all threads of this process, for record_parts.
struct CountedCall {
  Call call = Call::kSend;
  std::int64_t to_each = 0;
  std::vector<std::pair<int, std::int64_t>> to;  ///< not 0
  struct Bin {
    std::size_t bin = 0;
    std::int64_t calls = 0;
    std::int64_t bytes = 0;
    double seconds = 0;
  };
  std::vector<Bin> sizes;
};
struct CountedComm {
  const RecordedRanks* ranks = nullptr;
  std::vector<CountedCall> calls;
};
[[nodiscard]] std::vector<CountedComm> counted();
/// Since start_recorder.
[[nodiscard]] double recorded_seconds();

}  // namespace sluice::pmpi
