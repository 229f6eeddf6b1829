#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "run/mpi/redistribute/transport.hpp"
#include "run/mpi/ways/native_exchange.hpp"

namespace sluice::mpi::detail {

/// The messages of one execution for MPI's own collective: messages that do not lie in a row are packed whole.
class PackedMessages {
 public:
  explicit PackedMessages(Channel& channel) : exchange_(channel) {}

  void begin(Transport& data, const OwnSteps& own, Turns::Turn turn);
  Advance advance();
  void abandon() noexcept { exchange_.abandon(); }
  [[nodiscard]] std::int64_t buffer_bytes() const { return buffer_bytes_; }

 private:
  NativeExchange exchange_;
  std::shared_ptr<std::byte[]> memory_;
  std::int64_t buffer_bytes_ = 0;
  std::vector<PlacedMessage> to_;
  std::vector<bool> in_place_;  ///< by message of `to_`
  Transport* data_ = nullptr;
  bool working_ = false;
};

}  // namespace sluice::mpi::detail
