#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::mpi::detail {

/// `bytes` of a message from byte `offset` on, at `at`.
template <class Byte>
struct PartOfMessage {
  Byte* at = nullptr;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

using MessagePart = PartOfMessage<const std::byte>;
/// The place for that part.
using MessageRoom = PartOfMessage<std::byte>;

}  // namespace sluice::mpi::detail
