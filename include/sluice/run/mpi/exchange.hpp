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

/// The size of the message that a rank sends to another rank, or to itself, or receives from it.
struct MessageSize {
  int peer = 0;            ///< rank of the communicator
  std::int64_t bytes = 0;  ///< at least 0

  friend bool operator==(const MessageSize&, const MessageSize&) = default;
};

/// How to plan an exchange and carry it out. Every rank must give the same options, except `receives`.
struct ExchangeOptions {
  /// k: how many transfers at once the network carries at full speed; 0: as many as the ports allow, or, for kAuto
  /// between hosts, what the network was found to carry (sluice/run/mpi/network.hpp) where nearly all of a long
  /// exchange goes over one link.
  std::int64_t max_transfers = 0;
  ExchangeMode mode = ExchangeMode::kAuto;  ///< what keeps transfers apart

  std::string algorithm = "auto";  ///< as for plan_exchange; not used by kList and kAtOnce
  /// beta: set-up cost of a step, in bytes that could be sent instead. Where k is the limit, most of it is hidden,
  /// because a transfer is released before the one before it has ended. Where ports are the limit, each piece of a
  /// message costs work on two processors, and a value below 32 KiB counts as 32 KiB.
  double setup_bytes = 8 << 10;
  /// For "auto" and "exact": how much rank 0 searches, in about seconds of one core, while the others wait. It is
  /// counted, so that the same arguments give the same plan on every machine. More than 0.
  double effort = 0.25;
  double time_limit_s = std::numeric_limits<double>::infinity();  ///< cuts the search short; at least 0
  /// Where ranks differ in speed or the backbone changes: the speed of every rank as a sender and as a receiver; the
  /// plan's times are bytes at a speed of 1. If the backbone is given, it says what k is at each time, and
  /// max_transfers must be 0 or the largest of these. They need a mode with a plan; kAuto is kChain, which keeps the k
  /// that the plan counts on at every step.
  NetworkSpeeds speeds = {};

  /// Where the ranks that send, and those that receive, are two clusters with fast networks of their own: pieces may
  /// take a detour through neighbours where the plan is cheaper for it (sluice/plan/aggregation.hpp), the unit being a
  /// byte. Such local phases run beside the exchange: a transfer waits only for the pieces that it carries. With
  /// kBarrier phases follow each other. They need a mode with a plan and no `speeds`.
  std::optional<LocalLinks> local_links = std::nullopt;
  /// A schedule to carry out instead of planning one: of problem "exchange", in bytes, and delivering what the ranks
  /// send. The schedule of rank 0 is used, whatever the others give. It brings its own algorithm, k and set-up cost,
  /// and needs a mode with a plan.
  std::shared_ptr<const StepSchedule> schedule = nullptr;
  /// Plans for hosts instead of ranks, where ranks share hosts. All data from one host to another becomes one message,
  /// from the rank that sends most of it to the rank that receives most of it. Before and after, the ranks of a host
  /// pass this data on through the memory that they share, as they do with messages inside the host. So a host sends
  /// one stream at a time. As local_links, this needs a mode with a plan and no `speeds`.
  bool by_host = false;
  /// With `schedule`: the ranks that its senders 0, 1, ... and its receivers are; empty: the ranks of these numbers.
  /// With `local_links`: the two clusters; empty: the ranks that send anything, and those that receive. A rank may be
  /// in both.
  std::vector<int> sender_ranks = {};
  std::vector<int> receiver_ranks = {};  ///< the same for receivers

  /// Messages travel in pieces of at most this many bytes, 1 to 2^30; 0: 32 KiB, 1 MiB for kLocal, which need not know
  /// how far a message has come, 2^30 for kAtOnce.
  std::int64_t chunk_bytes = 0;
  /// Pieces that a rank has under way to the network at once, 1 to 1024; 0: 2; 16 for kLocal, 1024 for kAtOnce; if
  /// chunk_bytes is given, as many as have the same number of bytes together, at least 1. More of them fill deep queues
  /// a little better, but make shallow ones overflow.
  int window = 0;
  /// A receiver releases the next transfer when this many bytes of the present one are missing; at least 0, and used by
  /// kChain and kList only. With too few bytes the network is idle between transfers; with too many, transfers overlap.
  std::int64_t early_release_bytes = 32 << 10;
  bool tune = false;  ///< kList: find k by the throughput measured, starting from max_transfers

  /// Where mode, k and algorithm are left to the library: carry out some of the first nine executions by
  /// MPI_Ialltoallw, and all later ones if that was faster on the slowest rank. Beyond 64 ranks only where every rank
  /// has messages for at least half of them. These executions begin when all ranks have started them. Between nodes
  /// the decision is taken back where executions of 1 ms or more change by a factor of 1.3 (docs/explanation/run.md).
  bool try_native = true;

  /// The messages that this rank expects, if it knows them, in any order; empty ones may be left out. They are compared
  /// with what the others send.
  std::optional<std::vector<MessageSize>> receives = std::nullopt;
};

/// A message of elements of any datatype, where it lies in a buffer.
struct TypedMessage {
  int peer = 0;                  ///< rank of the communicator
  std::int64_t offset = 0;       ///< bytes from the buffer's start to the first element
  std::int64_t count = 0;        ///< at least 0; may be beyond 2^31
  MPI_Datatype type = MPI_BYTE;  ///< committed; must last as long as the job
};

/// The job of sending everybody's messages to everybody else, planned once and executed as often as you like, over a
/// network that carries only so many transfers at full speed:
///
///     sluice::mpi::Exchange job(comm, {{3, 1 << 20}, {5, 40000}}, {.max_transfers = 4});
///     std::vector<std::byte> in(job.receive_bytes());
///     job.execute(out, in);
///
/// In place of MPI_Alltoallv, for one group of ranks or for two that are coupled, or any overlap: who sends what to
/// whom is up to the sizes. Construction and execution are collective. Sizes may be beyond 2^31. Empty messages cost
/// nothing. MPI_THREAD_FUNNELED is enough. Failure: docs/explanation/failure.md, the same for all jobs.
///
/// Memory: each rank holds O(own transfers) and no buffers, but for 2 MiB that ranks of one node share (kAtOnce, up to
/// 64 ranks): pieces travel from the user's memory and to it, except messages of types that lie in memory with gaps,
/// which are packed whole, and what a rank passes on for others in local phases, which it holds. Where there is a plan
/// (all modes but kAtOnce and kList), rank 0 makes it for all and holds O(transfers of all) while it does. Else ranks
/// that do not know what they get are told by those that send it, and no rank holds more than its own.
class Exchange {
 public:
  /// Collective over `comm`, an intracommunicator.
  ///
  /// `sends`: this rank's messages, one for each peer at most.
  /// Throws InputError on every rank if an argument is bad on any rank, options differ, or what a rank expects differs
  /// from what it is sent.
  Exchange(MPI_Comm comm, const std::vector<MessageSize>& sends, const ExchangeOptions& options = {});
  /// The same for messages of any types, from and to any places, both ends given, as MPI_Alltoallw has them: one for
  /// each peer at most on each side. A message takes as many bytes at both ends. `options.receives` must be left out.
  Exchange(MPI_Comm comm, const std::vector<TypedMessage>& sends, const std::vector<TypedMessage>& receives,
           const ExchangeOptions& options = {});
  /// Local. While an exception passes, or during an execution, it makes the other ranks throw.
  ~Exchange();
  Exchange(Exchange&&) noexcept;
  Exchange& operator=(Exchange&&) noexcept;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Moves the data. Collective; a rank is done when its own part is. `send` holds the messages one after the other in
  /// the order of sends(), `receive` has room for those of receives(). The two must not overlap.
  ///
  /// Throws InputError if a buffer is too small, MpiError, JobError.
  void execute(std::span<const std::byte> send, std::span<std::byte> receive);
  /// The same with message i of sends() at byte send_offsets[i], that of receives() at receive_offsets[i].
  void execute(std::span<const std::byte> send, std::span<const std::int64_t> send_offsets,
               std::span<std::byte> receive, std::span<const std::int64_t> receive_offsets);
  /// Of a job of typed messages. `send` may be MPI_IN_PLACE: what is sent lies in `receive` then, and is copied first.
  void execute(const void* send, void* receive);

  /// The same in parts: the memory, and the offsets, must stay until wait() returns or test() says true.
  void start(std::span<const std::byte> send, std::span<std::byte> receive);
  /// With offsets as for execute().
  void start(std::span<const std::byte> send, std::span<const std::int64_t> send_offsets, std::span<std::byte> receive,
             std::span<const std::int64_t> receive_offsets);
  /// Of a job of typed messages.
  void start(const void* send, void* receive);
  /// Goes on with the execution without waiting. True where it has ended, or none was started. Throws MpiError,
  /// JobError.
  [[nodiscard]] bool test();
  /// Returns when the execution has ended; at once where none was started. Throws MpiError, JobError.
  void wait();

  /// For a caller that cannot prepare the arguments of an execution, because of `why`: the other ranks throw in this
  /// execution instead of waiting for this rank. The job is of no further use.
  void give_up(const std::exception_ptr& why) noexcept;

  /// This rank's messages, as given to the constructor.
  [[nodiscard]] const std::vector<MessageSize>& sends() const;
  /// What this rank gets, by rank of the sender, without empty ones.
  [[nodiscard]] const std::vector<MessageSize>& receives() const;
  /// Bytes of all messages of sends().
  [[nodiscard]] std::int64_t send_bytes() const;
  /// Bytes of all messages of receives().
  [[nodiscard]] std::int64_t receive_bytes() const;

  /// What keeps transfers apart; never kAuto.
  [[nodiscard]] ExchangeMode mode() const;
  /// Whether the choice between the plan and MPI_Ialltoallw has been made. False again while the two are measured anew
  /// because the network has changed.
  [[nodiscard]] bool settled() const;
  /// Whether MPI_Ialltoallw was found to be faster, and is used instead of the plan.
  [[nodiscard]] bool native() const;
  /// The k that is kept, no more than ports allow. With kList, on rank 0: the one in use.
  [[nodiscard]] std::int64_t max_transfers() const;
  /// kList only: changes k from now on, on any rank, at any time, also while it runs. At least 1.
  void set_max_transfers(std::int64_t max_transfers);
  /// Steps of the plan; 0 without one.
  [[nodiscard]] std::int64_t steps() const;
  /// Steps of the local phases before and after; 0 without.
  [[nodiscard]] std::int64_t local_steps() const;
  /// What carries it out and why, in one line of text: "chain, 12 steps, k = 3; the plan took 98.2 ms, MPI_Ialltoallw
  /// 120 ms".
  [[nodiscard]] std::string explanation() const;
  /// Bytes of buffers that this rank holds beyond the user's.
  [[nodiscard]] std::int64_t peak_extra_bytes() const;
  /// Bytes that this rank held of the messages of all ranks, and of their plan, while it was made: on rank 0, in
  /// proportion to the messages and transfers; 0 on other ranks, and where nobody plans for others.
  [[nodiscard]] std::int64_t planning_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Makes the messages of a dense row, which has the bytes for rank 0, 1, ... as MPI_Alltoallv does; empty messages are
/// left out.
[[nodiscard]] std::vector<MessageSize> message_sizes(std::span<const std::int64_t> bytes_by_rank);

/// One side of the arguments of MPI_Alltoallv, `offsets` in extents of the type, or of MPI_Alltoallw, `offsets` in
/// bytes: an entry for each rank. Throws InputError for lists of different lengths and negative counts.
[[nodiscard]] std::vector<TypedMessage> typed_messages(std::span<const int> counts, std::span<const int> offsets,
                                                       MPI_Datatype type);
/// The same with a type for each rank.
[[nodiscard]] std::vector<TypedMessage> typed_messages(std::span<const int> counts, std::span<const int> offsets,
                                                       std::span<const MPI_Datatype> types);

/// The two sides of MPI_Neighbor_alltoallv on a communicator with a distributed graph, offsets in extents of the types.
/// A neighbour that is there twice is refused: its messages could not be told apart.
struct NeighborMessages {
  std::vector<TypedMessage> sends;     ///< in the order of the destinations
  std::vector<TypedMessage> receives;  ///< in the order of the sources
};
/// Makes them of the arguments of MPI_Neighbor_alltoallv. Throws InputError for a communicator without such a graph,
/// and as typed_messages does; MpiError.
[[nodiscard]] NeighborMessages neighbor_messages(MPI_Comm graph, std::span<const int> send_counts,
                                                 std::span<const int> send_offsets, MPI_Datatype send_type,
                                                 std::span<const int> receive_counts,
                                                 std::span<const int> receive_offsets, MPI_Datatype receive_type);

}  // namespace sluice::mpi
