#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sluice::mpi {

/// How a dynamic exchange runs. Every rank must give the same.
struct DynamicExchangeOptions {
  std::int64_t max_transfers = 1;               ///< k at the start: how many transfers at once; at least 1
  bool tune = false;                            ///< find k by the throughput measured
  std::int64_t chunk_bytes = 32 << 10;          ///< as for Exchange, 1 to 2^30
  int window = 2;                               ///< as for Exchange, 1 to 1024
  std::int64_t early_release_bytes = 32 << 10;  ///< as for Exchange, at least 0
};

/// A message that came; the receiver owns it.
struct ReceivedMessage {
  int from = 0;                  ///< rank of the sender
  std::vector<std::byte> bytes;  ///< at least one
};

/// An exchange whose pattern nobody knows in advance: ranks post messages as they learn of them, and learn what is sent
/// to them when it comes. It runs in rounds; each round is:
///
///     job.post(3, std::as_bytes(std::span(halo)));     // any number of times, between other work
///     for (const ReceivedMessage& message : job.finish()) ...
///
/// Rank 0 coordinates: it says who sends next, so that never more than k transfers run and each rank takes part in one
/// per direction at a time. The other ranks proceed only as fast as rank 0 calls post, progress or finish.
///
/// Construction and finish are collective; post and progress are not. Memory beyond the messages: O(own
/// messages), on rank 0 O(ranks + all that wait). MPI_THREAD_FUNNELED is enough.
class DynamicExchange {
 public:
  /// Collective over `comm`, an intracommunicator. Throws InputError on every rank if the options are bad on any, or
  /// differ. Failure: docs/explanation/failure.md, the same for all jobs.
  explicit DynamicExchange(MPI_Comm comm, const DynamicExchangeOptions& options = {});
  /// Local. While an exception passes it makes the other ranks throw. What was posted since the last finish is lost.
  ~DynamicExchange();
  DynamicExchange(DynamicExchange&&) noexcept;
  DynamicExchange& operator=(DynamicExchange&&) noexcept;
  DynamicExchange(const DynamicExchange&) = delete;
  DynamicExchange& operator=(const DynamicExchange&) = delete;

  /// Announces a message for rank `to`, which may be this one, and does what can be done without waiting. `bytes` must
  /// stay as they are until finish returns; if there are none, nothing is sent. Several to one rank arrive as several,
  /// in any order. Throws InputError for a rank that does not exist and for a null pointer, which do no harm; MpiError.
  void post(int to, std::span<const std::byte> bytes);
  /// Does what can be done without waiting: for ranks that work long between posts, rank 0 above all.
  void progress();
  /// Nothing more is posted in this round. Waits until everything posted by any rank has come, and returns what came to
  /// this one, in the order in which it came. Throws MpiError.
  [[nodiscard]] std::vector<ReceivedMessage> finish();

  /// Changes k from now on; may be called on any rank, at any time of a round. Throws InputError below 1.
  void set_max_transfers(std::int64_t max_transfers);
  /// k: on rank 0 the one in use.
  [[nodiscard]] std::int64_t max_transfers() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::mpi
