#pragma once

#include <cstdint>

#include "run/mpi/engine/data.hpp"
#include "run/mpi/runtime/job.hpp"

namespace sluice::mpi::detail {

/// Moves all messages of a job once in each execution.
class MessageCarrier {
 public:
  MessageCarrier() = default;
  virtual ~MessageCarrier() = default;
  MessageCarrier(const MessageCarrier&) = delete;
  MessageCarrier& operator=(const MessageCarrier&) = delete;

  /// Begins an execution, with this data until it is over.
  virtual void begin(Data& data) = 0;
  /// Does what can be done without waiting. Throws as Channel::check, and MpiError.
  virtual Advance advance() = 0;
  /// Ends the execution before it is over, if one is running: nothing more is written into the user's memory, if MPI
  /// can be stopped. Nothing can begin any more.
  virtual void abandon() noexcept = 0;
  [[nodiscard]] virtual std::int64_t buffer_bytes() const = 0;
  /// Between executions: does now what would make some of the next executions slower than later ones.
  virtual void warm_up() {}
};

}  // namespace sluice::mpi::detail
