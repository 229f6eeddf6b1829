#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "run/mpi/runtime/message_part.hpp"

namespace sluice::mpi::detail {

/// What the messages of a StepExecutor consist of. Messages are counted from 0 in the order of the lists it was given.
class StepData {
 public:
  virtual ~StepData() = default;

  /// The place of bytes offset .. offset + bytes - 1 of an outgoing message in the user's memory, if they lie there in
  /// a row; otherwise null, and pack will be called.
  virtual const std::byte* outgoing(std::size_t message, std::int64_t offset, std::int64_t bytes) = 0;
  virtual void pack(std::size_t message, std::int64_t offset, std::int64_t bytes, std::byte* buffer) = 0;
  /// As outgoing(), for an incoming message and unpack().
  virtual std::byte* incoming(std::size_t message, std::int64_t offset, std::int64_t bytes) = 0;
  virtual void unpack(std::size_t message, std::int64_t offset, std::int64_t bytes, const std::byte* buffer) = 0;

  /// Lists of messages that had better be packed, or unpacked, at the same time; none is in two of them.
  struct Together {
    std::span<const std::vector<std::size_t>> sends;
    std::span<const std::vector<std::size_t>> receives;
  };
  /// A carrier that asks for these lists in an execution packs and unpacks their messages only by the calls below.
  virtual Together together() { return {}; }
  /// Packs what it can of the messages of list number `list`. `room` is where the next bytes of each may go; its
  /// `bytes` become the bytes that are there.
  virtual void pack_together(std::size_t /*list*/, std::span<MessageRoom> /*room*/) {}
  /// Unpacks what it can. `arrived` is what is there of each message from the first needed byte on; its `bytes` become
  /// the bytes that are no longer needed.
  virtual void unpack_together(std::size_t /*list*/, std::span<MessagePart> /*arrived*/) {}

  /// Does a part of the work that needs no communication, a few dozen microseconds; false: nothing is left of it.
  virtual bool work() = 0;
};

}  // namespace sluice::mpi::detail
