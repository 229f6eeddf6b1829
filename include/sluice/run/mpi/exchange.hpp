#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sluice/input/speeds.hpp"
#include "sluice/plan/aggregation.hpp"
#include "sluice/run/mpi/exchange_mode.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice::mpi {

/// Gives the size of a message between this rank and `peer`, which may be this rank.
struct MessageSize {
  int peer = 0;            ///< rank in the communicator
  std::int64_t bytes = 0;  ///< at least 0

  friend bool operator==(const MessageSize&, const MessageSize&) = default;
};

/// Sets how an exchange is planned and executed. Every rank must give the same options, except `receives`.
struct ExchangeOptions {
  /// k: how many transfers at once the network carries at full speed. 0 means as many as the ports allow. With kAuto
  /// between hosts, 0 means the measured k (sluice/run/mpi/network.hpp), if nearly all of a long exchange goes over one
  /// link.
  std::int64_t max_transfers = 0;
  ExchangeMode mode = ExchangeMode::kAuto;  ///< says what keeps transfers apart

  std::string algorithm = "auto";  ///< names the algorithm, as for plan_exchange; not used by kList and kAtOnce
  /// beta: set-up cost of a step, in bytes that could be sent instead. If k is the limit, most of it is hidden, because
  /// the next transfer is released early. If ports are the limit, each piece of a message costs work on two processors,
  /// so values below 32 KiB count as 32 KiB.
  double setup_bytes = 8 << 10;
  /// Limits the search of "auto" and "exact" on rank 0, in about seconds of one core; the other ranks wait. Steps of
  /// the search are counted, not timed, so that equal arguments give equal plans on every machine. More than 0.
  double effort = 0.25;
  double time_limit_s = std::numeric_limits<double>::infinity();  ///< limits the search, in seconds; at least 0
  /// Gives each rank's speed as a sender and as a receiver, and the backbone over time. Use it if ranks differ in speed
  /// or the backbone changes; the plan's times are then bytes at a speed of 1. A given backbone sets k at each time,
  /// and max_transfers must be 0 or the largest k. Needs a mode with a plan; kAuto means kChain here, because it keeps
  /// k at every step.
  NetworkSpeeds speeds = {};

  /// Lets pieces take a detour through neighbours if the plan gets cheaper (sluice/plan/aggregation.hpp; the unit is a
  /// byte). Use it if senders and receivers are two clusters with fast networks of their own. These local phases run
  /// beside the exchange: a transfer waits only for the pieces that it carries. With kBarrier phases follow each other.
  /// Needs a mode with a plan and no `speeds`.
  std::optional<LocalLinks> local_links = std::nullopt;
  /// Executes this schedule instead of planning one. It is of problem "exchange", in bytes, and must deliver what the
  /// ranks send. The schedule of rank 0 counts on all ranks. It brings its own algorithm, k and set-up cost, and needs
  /// a mode with a plan.
  std::shared_ptr<const StepSchedule> schedule = nullptr;
  /// Names the senders' ranks. With `schedule`: the rank of each sender 0, 1, ...; empty: rank i is sender i. With
  /// `local_links`: the ranks of the sending cluster; empty: all ranks that send anything. A rank may be a sender and a
  /// receiver.
  std::vector<int> sender_ranks = {};
  std::vector<int> receiver_ranks = {};  ///< names the receivers' ranks in the same way

  /// Most bytes of a piece; longer messages travel in several. 1 to 2^30; 0: 32 KiB, or 1 MiB for kLocal, which need
  /// not know how far a message has come, or 2^30 for kAtOnce.
  std::int64_t chunk_bytes = 0;
  /// Most pieces that a rank has under way to the network at once, 1 to 1024. 0: 2, or 16 for kLocal, or 1024 for
  /// kAtOnce. If chunk_bytes is given, 0 means as many pieces as have this number of bytes together, at least 1. Larger
  /// windows fill deep queues a little better, but make shallow queues overflow.
  int window = 0;
  /// Bytes of the present transfer that are missing when the receiver releases the next one; at least 0. Used by kChain
  /// and kList only. With too few bytes the network is idle between transfers; with too many, transfers overlap.
  std::int64_t early_release_bytes = 32 << 10;
  bool tune = false;  ///< with kList: finds k from the measured throughput, starting at max_transfers

  /// Compares the plan with MPI_Ialltoallw, if the library may choose mode, k and algorithm. Some of the first nine
  /// executions use MPI_Ialltoallw, and all later ones do if it was faster on the slowest rank. Beyond 64 ranks this
  /// needs messages from every rank for at least half of the ranks. A compared execution begins when all ranks have
  /// started it. Between hosts the job chooses again when executions of 1 ms or more change by a factor of 1.3
  /// (docs/explanation/run.md).
  bool try_native = true;

  /// The messages that this rank expects, in any order, if it knows them. Empty messages may be left out. The job
  /// compares them with what the other ranks send.
  std::optional<std::vector<MessageSize>> receives = std::nullopt;
};

/// Gives a message of elements of any datatype, and its place in a buffer.
struct TypedMessage {
  int peer = 0;                  ///< rank in the communicator
  std::int64_t offset = 0;       ///< bytes from the buffer's start to the first element
  std::int64_t count = 0;        ///< at least 0; may be beyond 2^31
  MPI_Datatype type = MPI_BYTE;  ///< committed; must exist as long as the job
};

/// Sends messages between any ranks, planned once and executed any number of times, in place of MPI_Alltoallv. Use it
/// if the network carries only a limited number of transfers at full speed:
///
///     const std::vector<sluice::mpi::MessageSize> sends{{3, 1 << 20}, {5, 40000}};
///     sluice::mpi::Exchange job(comm, sends, {.max_transfers = 4});
///     std::vector<std::byte> in(job.receive_bytes());
///     job.execute(out, in);
///
/// It serves one group of ranks, two coupled groups, or groups that overlap: the sizes say who sends what to whom.
/// Construction and execution are collective. Sizes may be beyond 2^31. Empty messages cost nothing.
/// MPI_THREAD_FUNNELED is enough. Failure: docs/explanation/failure.md, as for all jobs.
///
/// Memory: each rank holds O(own transfers) and no buffers, with three exceptions.
///
///  - Up to 64 ranks of one host share 2 MiB per rank with kAtOnce.
///  - Messages of types with gaps are packed whole.
///  - In local phases a rank holds what it forwards.
///
/// In modes with a plan (all but kAtOnce and kList), rank 0 plans for all and holds O(transfers of all) while it does.
/// In modes without a plan, senders tell receivers what to expect, and no rank holds more than its own.
class Exchange {
 public:
  /// Makes the job. Collective over `comm`.
  ///
  ///  - `comm`: an intracommunicator
  ///  - `sends`: this rank's messages, at most one for each peer
  ///  - `options`: equal on all ranks, except `receives`
  ///
  /// Throws InputError on every rank if an argument is bad on any rank, if options differ, or if what a rank expects
  /// differs from what it is sent.
  Exchange(MPI_Comm comm, const std::vector<MessageSize>& sends, const ExchangeOptions& options = {});
  /// Makes a job of messages of any datatypes, from and to any places, as MPI_Alltoallw has them. Both sides are given,
  /// with at most one message for each peer on each side. A message has equal bytes at both ends. `options.receives`
  /// must be left out.
  Exchange(MPI_Comm comm, const std::vector<TypedMessage>& sends, const std::vector<TypedMessage>& receives,
           const ExchangeOptions& options = {});
  /// Destroys the job; needs no communication. During an execution, or while an exception passes, it makes the other
  /// ranks throw JobError.
  ~Exchange();
  Exchange(Exchange&&) noexcept;
  Exchange& operator=(Exchange&&) noexcept;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Moves the data. Collective; a rank returns when its own part is done.
  ///
  ///  - `send`: the messages of sends() in their order, without gaps, send_bytes() bytes
  ///  - `receive`: room for the messages of receives(), receive_bytes() bytes; must not overlap `send`
  ///
  /// Throws InputError if a buffer is too small; MpiError; JobError.
  void execute(std::span<const std::byte> send, std::span<std::byte> receive);
  /// Moves the data from and to given offsets: message i of sends() begins at byte send_offsets[i] of `send`, message i
  /// of receives() at byte receive_offsets[i] of `receive`.
  void execute(std::span<const std::byte> send, std::span<const std::int64_t> send_offsets,
               std::span<std::byte> receive, std::span<const std::int64_t> receive_offsets);
  /// Moves the data of a job of typed messages. `send` may be MPI_IN_PLACE: the data to send is then in `receive`, and
  /// is copied first.
  void execute(const void* send, void* receive);

  /// Starts an execution and returns; wait() or test() ends it. Arguments are as for execute(). The memory and the
  /// offsets must stay until wait() returns or test() returns true.
  void start(std::span<const std::byte> send, std::span<std::byte> receive);
  /// Starts an execution with offsets as for execute().
  void start(std::span<const std::byte> send, std::span<const std::int64_t> send_offsets, std::span<std::byte> receive,
             std::span<const std::int64_t> receive_offsets);
  /// Starts an execution of a job of typed messages.
  void start(const void* send, void* receive);
  /// Advances the execution without waiting. Returns true if it has ended, or if none was started. Throws MpiError,
  /// JobError.
  [[nodiscard]] bool test();
  /// Waits until the execution has ended; returns at once if none was started. Throws MpiError, JobError.
  void wait();

  /// Makes the other ranks throw JobError in this execution instead of waiting for this rank. Call it if this rank
  /// cannot prepare the arguments, because of `why`. The job cannot be used afterwards.
  void give_up(const std::exception_ptr& why) noexcept;

  /// Returns this rank's messages, as given to the constructor.
  [[nodiscard]] const std::vector<MessageSize>& sends() const;
  /// Returns the messages that this rank gets, by rank of the sender, without empty ones.
  [[nodiscard]] const std::vector<MessageSize>& receives() const;
  /// Returns the number of bytes of all messages of sends().
  [[nodiscard]] std::int64_t send_bytes() const;
  /// Returns the number of bytes of all messages of receives().
  [[nodiscard]] std::int64_t receive_bytes() const;

  /// Returns what keeps transfers apart; never kAuto.
  [[nodiscard]] ExchangeMode mode() const;
  /// Returns true if the job has chosen between the plan and MPI_Ialltoallw. Becomes false while the two are compared
  /// again because the network has changed.
  [[nodiscard]] bool settled() const;
  /// Returns true if the job uses MPI_Ialltoallw because it is faster than the plan.
  [[nodiscard]] bool native() const;
  /// Returns k, at most what ports allow. With kList, rank 0 returns the k in use.
  [[nodiscard]] std::int64_t max_transfers() const;
  /// Changes k from now on, for kList only. May be called on any rank, at any time, also during an execution.
  /// `max_transfers`: at least 1.
  void set_max_transfers(std::int64_t max_transfers);
  /// Returns the number of steps of the plan; 0 without a plan.
  [[nodiscard]] std::int64_t steps() const;
  /// Returns the number of steps of the local phases before and after the exchange; 0 without local phases.
  [[nodiscard]] std::int64_t local_steps() const;
  /// Returns what executes the exchange and why, as one line of text: "chain, 12 steps, k = 3; the plan took 98.2 ms,
  /// MPI_Ialltoallw 120 ms".
  [[nodiscard]] std::string explanation() const;
  /// Returns the bytes of buffers that this rank holds beyond the user's.
  [[nodiscard]] std::int64_t peak_extra_bytes() const;
  /// Returns the bytes that this rank held while it planned for all: the messages of all ranks and their plan. On rank
  /// 0 this grows with the messages and transfers. It is 0 on other ranks, and without a plan.
  [[nodiscard]] std::int64_t planning_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Makes the messages of a dense row. `bytes_by_rank`: bytes for rank 0, 1, ..., as for MPI_Alltoallv. Empty messages
/// are left out.
[[nodiscard]] std::vector<MessageSize> message_sizes(std::span<const std::int64_t> bytes_by_rank);

/// Makes the typed messages of one side of MPI_Alltoallv.
///
///  - `counts`: elements of the message of each rank
///  - `offsets`: place of each message, in extents of `type`
///  - `type`: datatype of the elements
///
/// Throws InputError for lists of different lengths and negative counts.
[[nodiscard]] std::vector<TypedMessage> typed_messages(std::span<const int> counts, std::span<const int> offsets,
                                                       MPI_Datatype type);
/// Makes the typed messages of one side of MPI_Alltoallw: `types` holds a datatype for each rank, and `offsets` are in
/// bytes.
[[nodiscard]] std::vector<TypedMessage> typed_messages(std::span<const int> counts, std::span<const int> offsets,
                                                       std::span<const MPI_Datatype> types);

/// Holds the two sides of MPI_Neighbor_alltoallv on a communicator with a distributed graph.
struct NeighborMessages {
  std::vector<TypedMessage> sends;     ///< in the order of the destinations
  std::vector<TypedMessage> receives;  ///< in the order of the sources
};
/// Makes typed messages of the arguments of MPI_Neighbor_alltoallv. Offsets are in extents of the types.
///
/// Throws InputError for a communicator without a distributed graph, for a neighbour that is listed twice, as its
/// messages could not be told apart, and as typed_messages does; MpiError.
[[nodiscard]] NeighborMessages neighbor_messages(MPI_Comm graph, std::span<const int> send_counts,
                                                 std::span<const int> send_offsets, MPI_Datatype send_type,
                                                 std::span<const int> receive_counts,
                                                 std::span<const int> receive_offsets, MPI_Datatype receive_type);

}  // namespace sluice::mpi
