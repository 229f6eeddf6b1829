#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace sluice::compare {

/// Whether SimGrid's SMPI simulates the machines: MPI_Wtime is then one clock for all ranks, and all are one process.
#ifdef SMPI_H
inline constexpr bool kSimulated = true;
#else
inline constexpr bool kSimulated = false;
#endif

/// A duplicate of a communicator. Its errors come back as codes.
class Communicator {
 public:
  /// Collective.
  explicit Communicator(MPI_Comm user);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] MPI_Comm get() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
};

// Collective calls. Those that may wait long give way meanwhile: a rank that is done must not take the core of one that
// is not.

void barrier(const Communicator& comm);

/// The largest value of all ranks, on all ranks.
[[nodiscard]] std::int64_t largest(std::int64_t value, const Communicator& comm);
[[nodiscard]] double largest(double value, const Communicator& comm);
[[nodiscard]] std::int64_t sum(std::int64_t value, const Communicator& comm);

/// Seconds that `run` takes on the slowest rank, all starting together.
[[nodiscard]] double time_of_slowest(const Communicator& comm, const std::function<void()>& run);

/// What all ranks know of an execution.
struct TimedTurn {
  double seconds = 0;  ///< on the slowest rank
  int flag = 0;        ///< the largest that any rank had behind it
};
/// As time_of_slowest, and agrees on a flag in the same message.
[[nodiscard]] TimedTurn timed_turn(const Communicator& comm, const std::function<void()>& run,
                                   const std::function<int()>& flag);

/// The lowest rank whose text is not empty, and its first 1023 characters, on all ranks.
[[nodiscard]] std::optional<std::pair<int, std::string>> text_of_lowest(const std::string& text,
                                                                        const Communicator& comm);

/// Runs `prepare`, which only works on its own rank, on all of them. If it throws on one, all ranks throw: that one
/// what `prepare` threw, the others InputError with what the lowest such rank says.
void prepare_together(const Communicator& comm, const std::function<void()>& prepare);

/// Throws InputError on all ranks unless all give the same text.
void expect_same(const Communicator& comm, const std::string& arguments);

}  // namespace sluice::compare
