#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "run/mpi/engine/data.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/transfer_trace.hpp"
#include "run/mpi/runtime/withdraw.hpp"

namespace sluice::mpi::detail {

/// Moves messages of a rank's part, all of them once in each execution of an Engine.
class Carrier {
 public:
  Carrier() = default;
  virtual ~Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  /// Begins an execution. `data` lives as long as MPI may use it. `trace`, null or for as long as the execution, hears
  /// of the messages, by their ends.
  virtual void begin(const std::shared_ptr<Data>& data, TransferTrace* trace) = 0;
  /// Does what can be done without waiting. kOver, again and again, once all messages are done on this rank. Throws as
  /// Channel::check, and MpiError.
  virtual Advance advance() = 0;
  /// Ends the execution before it is over, if one is running, and nothing can begin any more. Nothing more is written
  /// into the user's memory, once withdraw() has been called with what this returns: what MPI works on, if anything.
  [[nodiscard]] virtual std::optional<Withdrawn> abandon() noexcept = 0;
  /// Bytes of its own.
  [[nodiscard]] virtual std::int64_t buffer_bytes() const = 0;
  /// Between executions: does now what would make some of the next executions slower than later ones.
  virtual void warm_up() {}
};

}  // namespace sluice::mpi::detail
