#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::mpi::detail {

/// What the messages of a StepExecutor consist of. Messages are counted from 0 in the order of the lists it was given.
class StepData {
 public:
  virtual ~StepData() = default;

  /// Where bytes offset .. offset + bytes - 1 of an outgoing message lie in the user's memory, if they lie there in a
  /// row; else null, and pack will be called.
  virtual const std::byte* outgoing(std::size_t message, std::int64_t offset, std::int64_t bytes) = 0;
  virtual void pack(std::size_t message, std::int64_t offset, std::int64_t bytes, std::byte* buffer) = 0;
  /// The same for an incoming message and unpack.
  virtual std::byte* incoming(std::size_t message, std::int64_t offset, std::int64_t bytes) = 0;
  virtual void unpack(std::size_t message, std::int64_t offset, std::int64_t bytes, const std::byte* buffer) = 0;
  /// Does a part of the work that needs no communication, a few dozen microseconds; false: nothing is left of it.
  virtual bool work() = 0;
};

}  // namespace sluice::mpi::detail
