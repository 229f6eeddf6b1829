#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedule/program_messages.hpp"

namespace sluice::detail {

/// What each operation of some messages waits for, in a few arrays. It serves programs that are timed; few of them are
/// ever written down as operations.
struct MessageWaits {
  struct Operation {
    std::uint32_t message = 0;
    bool sends = false;
  };
  struct Named {
    std::uint32_t first = 0, count = 0;
  };
  std::vector<Operation> operations;  ///< in their order
  std::vector<Named> named;           ///< by operation: where what it waits for begins in `positions`
  std::vector<std::uint32_t> positions;

  /// Operations that one waits for, by rising positions.
  [[nodiscard]] std::span<const std::uint32_t> after(std::size_t operation) const {
    return {positions.data() + named[operation].first, named[operation].count};
  }
};

/// See message_waits.cpp. @pre at most 2^22 messages, the limit of ProgramMessages
[[nodiscard]] MessageWaits waits_of(const ProgramMessages& messages, std::int64_t ranks);
/// The operations, if the waits are known.
[[nodiscard]] std::vector<ProgramOperation> operations_of(const ProgramMessages& messages, const MessageWaits& waits);

}  // namespace sluice::detail
