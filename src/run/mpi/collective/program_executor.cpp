#include "run/mpi/collective/program_executor.hpp"

#include <algorithm>

#include "run/mpi/runtime/element_layout.hpp"
#include "run/mpi/runtime/simulation.hpp"

namespace sluice::mpi::detail {
namespace {

/// kReceives: messages asked for at once. kBytesAhead: the buffers of messages that come to buffers.
constexpr int kReceives = 256;
constexpr std::int64_t kBytesAhead = 8 << 20;

}  // namespace

TreeExecutor::Limits limits_of_program(const Channel& channel, MPI_Datatype type, const ProgramData& data) {
  const std::int64_t longest = data.longest_buffered() * ElementLayout(type).size;
  TreeExecutor::Limits limits;
  limits.type = type;
  limits.receives = limits.ahead =
      longest == 0 ? kReceives : static_cast<int>(std::clamp<std::int64_t>(kBytesAhead / longest, 2, kReceives));
  limits.pace = {};
  limits.overtake = true;
  limits.keep_pace = kSimulated;  // queues of the network do not exist there
  limits.may_sleep = channel.context().crowded();
  return limits;
}

ProgramExecutor::ProgramExecutor(Channel& channel, const ElementOperation& operation, const Program& shape,
                                 const OwnPart& part, ProgressThread* thread)
    : data_(std::make_shared<ProgramData>(operation, shape, channel.rank(), part)) {
  if (SharedProgram::possible(channel.context())) {
    shared_ = std::make_unique<SharedProgram>(channel, operation, data_, shape, part);
    if (shared_->connected()) return;
    shared_.reset();
  }
  executor_.emplace(channel, data_, part, limits_of_program(channel, operation.type, *data_), thread);
}

void ProgramExecutor::begin(const void* own, void* result) {
  data_->use(own, result);
  if (shared_) {
    shared_->begin();
  } else {
    executor_->begin();
  }
}

Advance ProgramExecutor::advance() {
  const Advance come = shared_ ? shared_->advance() : executor_->advance();
  if (come == Advance::kOver) data_->finish();
  return come;
}

void ProgramExecutor::abandon() noexcept {
  if (shared_) {
    shared_->abandon();
  } else {
    executor_->abandon();
  }
}

std::int64_t ProgramExecutor::buffer_bytes() const {
  return data_->held_bytes() + (shared_ ? shared_->buffer_bytes() : 0);
}

}  // namespace sluice::mpi::detail
