#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "run/mpi/collective/program_data.hpp"
#include "run/mpi/runtime/arena.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/memory_watch.hpp"
#include "run/mpi/runtime/shared_ring.hpp"
#include "run/mpi/runtime/transfer_trace.hpp"
#include "schedule/own_part.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::mpi::detail {

/// Carries out a rank's part of a program if all ranks share memory: a sender copies its message into shared memory,
/// and the receiver copies or combines it from there. Messages of MPI cost both ranks more time than these copies do,
/// and ranks that share processors wait for each other less often. If a rank sends the same bytes to several ranks at
/// the same point of the program, it copies them once for all.
///
/// Each message goes through a SharedRing.
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

  /// For the part that `data` was made for; `shape`: the program without its operations. Collective. Throws as
  /// Channel::check, if the system refuses memory that others could map, and InputError on all ranks if their parts are
  /// of programs of different sizes.
  SharedProgram(Channel& channel, const ElementOperation& operation, std::shared_ptr<ProgramData> data,
                const Program& shape, const OwnPart& part);
  ~SharedProgram();
  SharedProgram(const SharedProgram&) = delete;
  SharedProgram& operator=(const SharedProgram&) = delete;

  /// Whether it serves, equal on all ranks. It does not if some rank has no memory for it, or if elements are no run of
  /// bytes.
  [[nodiscard]] bool connected() const { return connected_; }

  /// Begins an execution with what ProgramData::use was given.
  void begin();
  /// Does what can be done without waiting. Throws as Channel::check, and what combining throws.
  Advance advance();
  /// Ends the execution before it is over, and is not executed again: nothing more is written into the user's memory,
  /// and nothing is read that others have put up.
  void abandon() noexcept;

  [[nodiscard]] std::int64_t buffer_bytes() const { return block_.bytes; }

 private:
  /// The place of a message for a receiver, from the start of the sender's block.
  struct Entry {
    std::int64_t ring = 0;
    std::int64_t receiver = 0;  ///< which of the numbers taken is the receiver's own
  };
  /// Sends of the same bytes at the same point of the program.
  struct Outgoing {
    std::vector<std::size_t> sends;  ///< ends of the part
    std::vector<int> to;
    SharedRingSender end;
  };
  struct Incoming {
    std::size_t receive = 0;  ///< an end of the part
    int from = 0;
    std::int64_t number = 0;  ///< its number among the messages of `from` to this rank
    SharedRingReceiver end;
  };

  void find_messages(const OwnPart& part);
  void find_order(const OwnPart& part);
  /// Room for all that is sent, and where it is; says where the block is, 0 if it has none.
  [[nodiscard]] std::uint64_t make_block();
  void connect(const std::vector<std::uint64_t>& blocks);

  /// Do what can be done without waiting.
  SharedRingEnd::Moved fill(Outgoing& message);
  SharedRingEnd::Moved take(Incoming& message);
  void ended(std::size_t operation);

  Channel& channel_;
  std::shared_ptr<ProgramData> data_;
  std::int64_t extent_ = 1;
  bool dense_ = false;
  bool connected_ = false;
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
  Arena::Block block_;
  /// By operation, operations of outgoing_ before operations of incoming_: the number of operations that it waits for,
  /// and the operations that wait for it.
  std::vector<std::size_t> waits_;
  std::vector<std::vector<std::size_t>> frees_;

  // The present execution.
  bool running_ = false;
  std::vector<std::size_t> missing_;   ///< by operation: how many that it waits for have not ended
  std::vector<std::size_t> may_move_;  ///< operations that wait for no other, and have not ended
  MemoryWatch watch_;
  std::optional<TransferTrace> trace_;
};

}  // namespace sluice::mpi::detail
