#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sluice::mpi {

/// Sets how a dynamic exchange runs. Every rank must give the same options.
struct DynamicExchangeOptions {
  std::int64_t max_transfers = 1;               ///< k at the start: most transfers at once; at least 1
  bool tune = false;                            ///< finds k from the measured throughput
  std::int64_t chunk_bytes = 32 << 10;          ///< as for Exchange, in bytes, 1 to 2^30
  int window = 2;                               ///< as for Exchange, 1 to 1024
  std::int64_t early_release_bytes = 32 << 10;  ///< as for Exchange, in bytes, at least 0
};

/// Holds a message that has arrived; the receiver owns it.
struct ReceivedMessage {
  int from = 0;                  ///< rank of the sender
  std::vector<std::byte> bytes;  ///< at least one
};

/// Exchanges messages whose pattern nobody knows in advance. Ranks post messages when they learn of them, and learn
/// what is sent to them when it arrives. It runs in rounds; each round is:
///
///     job.post(3, std::as_bytes(std::span(halo)));     // any number of times, between other work
///     for (const ReceivedMessage& message : job.finish()) ...
///
/// Rank 0 decides who sends next, so that at most k transfers run, and each rank takes part in one per direction at a
/// time. The other ranks proceed only as fast as rank 0 calls post, progress or finish.
///
/// Construction and finish are collective; post and progress are not. Memory beyond the messages: O(own messages), on
/// rank 0 O(ranks + all waiting messages). MPI_THREAD_FUNNELED is enough.
class DynamicExchange {
 public:
  /// Makes the job. Collective over `comm`, an intracommunicator. Throws InputError on every rank if the options are
  /// bad on any rank, or differ. Failure: docs/explanation/failure.md, as for all jobs.
  explicit DynamicExchange(MPI_Comm comm, const DynamicExchangeOptions& options = {});
  /// Destroys the job; needs no communication. While an exception passes it makes the other ranks throw JobError.
  /// Messages posted since the last finish are lost.
  ~DynamicExchange();
  DynamicExchange(DynamicExchange&&) noexcept;
  DynamicExchange& operator=(DynamicExchange&&) noexcept;
  DynamicExchange(const DynamicExchange&) = delete;
  DynamicExchange& operator=(const DynamicExchange&) = delete;

  /// Announces a message for rank `to`, and does what needs no waiting.
  ///
  ///  - `to`: a rank of the communicator; may be this rank
  ///  - `bytes`: must not change until finish returns; an empty message is not sent
  ///
  /// Several messages to one rank arrive as several, in any order. Throws InputError for a rank that does not exist and
  /// for a null pointer, and the job goes on; MpiError.
  void post(int to, std::span<const std::byte> bytes);
  /// Does what needs no waiting. Call it on ranks that work long between posts, rank 0 above all.
  void progress();
  /// Ends the round of this rank, which posts nothing more in it. Waits until all messages of all ranks have arrived.
  /// Returns the messages to this rank, in order of arrival. Collective. Throws MpiError.
  [[nodiscard]] std::vector<ReceivedMessage> finish();

  /// Changes k from now on; may be called on any rank, at any time of a round. Throws InputError if it is below 1.
  void set_max_transfers(std::int64_t max_transfers);
  /// Returns k; on rank 0 the one in use.
  [[nodiscard]] std::int64_t max_transfers() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::mpi
