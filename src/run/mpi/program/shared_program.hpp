#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "run/mpi/program/program_data.hpp"
#include "run/mpi/program/program_part.hpp"
#include "run/mpi/runtime/arena.hpp"
#include "run/mpi/runtime/cache_line.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/memory_watch.hpp"
#include "run/mpi/runtime/transfer_trace.hpp"

namespace sluice::mpi::detail {

/// Carries out a rank's part of a program where all ranks share memory: a sender copies its message into memory that
/// the two share, and the receiver copies or combines it from there. Messages of MPI cost both ranks more time than
/// these copies do, and ranks that share processors wait for each other less often. What one rank sends to several,
/// the same bytes at the same point of the program, is put there once for all of them.
///
/// A message goes in parts through a ring of places. Two numbers tell how far it has come, counted over all executions:
/// parts that are ready, and parts that a receiver has taken. A sender fills a place when all receivers have taken what
/// was in it before; so none waits for its receivers at the end of an execution, if the ring has room for the message.
///
/// No deadlock: if the ring has less room than the message, its sender waits for its one receiver, which validate()
/// allows for (ProgramExecutor). What goes to several receivers has room for all of it, so its sender waits for
/// executions before this one alone.
class SharedProgram {
 public:
  /// Whether the context's ranks can do so; the same on all of them.
  [[nodiscard]] static bool possible(Context& context);
  /// Bytes. Longer messages to several receivers are put up for each of them.
  static constexpr std::int64_t kMostTogether = 4 << 20;

  /// Of the part that `data` was made for. Collective; throws as Channel::check, and if the system refuses memory that
  /// others could map.
  SharedProgram(Channel& channel, const ElementOperation& operation, std::shared_ptr<ProgramData> data,
                const ProgramPart& part);
  ~SharedProgram();
  SharedProgram(const SharedProgram&) = delete;
  SharedProgram& operator=(const SharedProgram&) = delete;

  /// Whether it serves, which is the same on all ranks: not where some rank has no memory for it, or elements that are
  /// no run of bytes.
  [[nodiscard]] bool connected() const { return connected_; }

  /// Begins an execution with what ProgramData::use was given.
  void begin();
  /// Does what can be done without waiting. Throws as Channel::check, and what combining throws.
  Advance advance();
  /// Ends the execution before it is over: nothing more is written into the user's memory.
  void abandon() noexcept { running_ = false; }

  [[nodiscard]] std::int64_t buffer_bytes() const { return block_.bytes; }

 private:
  /// At the start of the memory of a message. The numbers of parts taken follow, one for each receiver, and the ring.
  struct alignas(kCacheLine) Head {
    std::int64_t ready = 0;
    std::int64_t receivers = 0;
    std::int64_t elements = 0;  ///< of a part; the last part of a message may have fewer
    std::int64_t places = 0;    ///< of the ring

    [[nodiscard]] std::int64_t* taken() { return reinterpret_cast<std::int64_t*>(this + 1); }
    [[nodiscard]] std::byte* ring() {
      const std::int64_t numbers = receivers * std::int64_t{sizeof(std::int64_t)};
      return reinterpret_cast<std::byte*>(this + 1) + round_up(numbers);
    }
  };
  /// Where a receiver finds a message, from the start of the sender's block.
  struct Entry {
    std::int64_t head = 0;
    std::int64_t receiver = 0;  ///< which of the numbers taken is its own
  };
  /// How many parts of a message the executions before this one had, and this one so far.
  struct Progress {
    std::int64_t elements = 0;  ///< of the message
    std::int64_t before = 0;
    std::int64_t parts = 0;
  };
  /// Sends of the same bytes at the same point of the program.
  struct Outgoing {
    std::vector<std::size_t> sends;
    std::vector<int> to;
    Progress progress;
    Head* head = nullptr;
    std::int64_t free = 0;  ///< parts that may be filled, as far as it has been looked
  };
  struct Incoming {
    std::size_t receive = 0;
    int from = 0;
    std::int64_t number = 0;  ///< of the messages of that sender to this rank
    Progress progress;
    Head* head = nullptr;
    std::int64_t* taken = nullptr;
  };

  void find_messages(const ProgramPart& part);
  void find_order(const ProgramPart& part);
  /// Room for all that is sent, and where it is; says where the block is, 0 if it has none.
  [[nodiscard]] std::uint64_t make_block();
  void connect(const std::vector<std::uint64_t>& blocks);

  [[nodiscard]] std::int64_t part_elements(const Head& head, const Progress& progress) const;
  [[nodiscard]] static std::int64_t parts_of(const Head& head, const Progress& progress);
  /// Fills what may be filled; whether that was something, and whether the message is complete.
  struct Moved {
    bool some = false;
    bool all = false;
  };
  Moved fill(Outgoing& message);
  Moved take(Incoming& message);
  void ended(std::size_t operation);

  Channel& channel_;
  std::shared_ptr<ProgramData> data_;
  std::int64_t extent_ = 1;
  bool dense_ = false;
  bool connected_ = false;
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
  Arena::Block block_;
  /// By operation, those of outgoing_ before those of incoming_: how many others it waits for, and which wait for it.
  std::vector<std::size_t> waits_;
  std::vector<std::vector<std::size_t>> frees_;

  // The present execution.
  bool running_ = false;
  std::vector<std::size_t> missing_;   ///< by operation: those it waits for that have not ended
  std::vector<std::size_t> may_move_;  ///< operations that wait for none, and have not ended
  MemoryWatch watch_;
  std::optional<TransferTrace> trace_;
};

}  // namespace sluice::mpi::detail
