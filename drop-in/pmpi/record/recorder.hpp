#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pmpi/record/recorded_calls.hpp"

/// Counts what each rank sends to whom, by communicator and call, where SLUICE_RECORD asks for it.
///
/// A call costs two readings of a counter of the processor, one look for its communicator, which is the last one more
/// often than not, and a few additions without a lock: each thread of the program has tables of its own, which others
/// only read. Communicators of the same ranks in the same order share a table, so that no message is needed to know
/// which one is meant on all ranks. Only what a rank sends is counted, on that rank.
namespace sluice::pmpi {

/// A clock in a unit of its own, as cheap as there is.
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
/// Bin 0 is that of 0 bytes, bin i that of the sizes above 2^(i - 2) up to 2^(i - 1).
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
  std::array<SizeBin, kSizeBins> sizes;
  Counter to_each;                    ///< bytes to every other rank
  std::atomic<Counter*> to{nullptr};  ///< bytes by rank, besides; null: none
  std::unique_ptr<Counter[]> owned;   ///< `to`
};

struct CommTable {
  const RecordedRanks* ranks = nullptr;
  CommTable* next = nullptr;  ///< of the same thread
  std::array<std::atomic<CallTable*>, kCallNames.size()> calls{};
};

/// What a communicator has attached.
struct RecordedComm {
  const RecordedRanks* ranks = nullptr;  ///< null: an intercommunicator, or ranks of another world
  bool neighbours_known = false;
  std::vector<int> targets;  ///< those this rank sends to in neighbourhood collectives
};

/// One call of the program: made before MPI does it; one of the others says afterwards what it was.
class Recording {
 public:
  explicit Recording(MPI_Comm comm) : comm_(comm), start_(ticks()) {}

  /// The rank in the communicator; -1 where it is not recorded.
  [[nodiscard]] int rank();
  [[nodiscard]] int size();
  [[nodiscard]] const std::vector<int>& targets();

  /// Sent so many bytes to `peer`, which may be MPI_PROC_NULL or the rank itself: nothing then.
  void to(Call call, int peer, std::int64_t bytes);
  /// Sent to every other rank, by a call whose size is `size`. `of_rank`: only if this rank is that one.
  void to_each(Call call, std::int64_t bytes, std::int64_t size);
  void to_each_from(Call call, int of_rank, std::int64_t bytes);
  /// Sent bytes_to(i) to rank peer_of(i), for i up to n.
  template <class PeerOf, class BytesTo>
  void to_some(Call call, int n, PeerOf&& peer_of, BytesTo&& bytes_to) {
    CallTable* const table = this->table(call);
    if (table == nullptr) return;
    Counter* const row = this->row(*table);
    std::int64_t sum = 0;
    for (int i = 0; i < n; ++i) {
      const int peer = peer_of(i);
      if (peer < 0) continue;
      const std::int64_t bytes = bytes_to(i);
      sum += bytes;
      if (peer != rank() && bytes > 0) row[peer].add(bytes);
    }
    count(*table, sum);
  }

 private:
  void look_up();
  [[nodiscard]] CallTable* table(Call call);
  [[nodiscard]] Counter* row(CallTable& table) const;
  void count(CallTable& table, std::int64_t bytes) const;

  MPI_Comm comm_;
  std::int64_t start_;
  RecordedComm* recorded_ = nullptr;
  CommTable* comm_table_ = nullptr;
  bool looked_up_ = false;
};

/// After MPI_Init: what tables are to know of MPI.
void start_recorder();

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
