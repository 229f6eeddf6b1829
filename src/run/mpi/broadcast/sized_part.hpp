#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/tree/tree_executor.hpp"
#include "sluice/schedule/broadcast_program.hpp"

namespace sluice::mpi::detail {

/// The part of a rank in a broadcast, for one size of message.
class SizedPart {
 public:
  /// Of `bytes` bytes, by a program for `largest`.
  SizedPart(Channel& channel, const RankProgram& program, std::int64_t bytes, std::int64_t largest);
  SizedPart(const SizedPart&) = delete;
  SizedPart& operator=(const SizedPart&) = delete;

  void begin(void* buffer);
  Advance advance() { return executor_->advance(); }
  void abandon() noexcept { executor_->abandon(); }

 private:
  class Message;

  std::shared_ptr<Message> message_;
  std::optional<TreeExecutor> executor_;
};

}  // namespace sluice::mpi::detail
