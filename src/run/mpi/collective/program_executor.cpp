#include "run/mpi/collective/program_executor.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "run/mpi/runtime/element_layout.hpp"
#include "run/mpi/runtime/simulation.hpp"

namespace sluice::mpi::detail {
namespace {

/// kReceives: messages asked for at once. kBytesAhead: the buffers of messages that come to buffers.
constexpr int kReceives = 256;
constexpr std::int64_t kBytesAhead = 8 << 20;

}  // namespace

ProgramTask program_task(const Channel& channel, const ElementOperation& operation, const ProgramPart& part) {
  ProgramTask task;
  task.data = std::make_shared<ProgramData>(operation, part);
  const ProgramData& data = *task.data;
  // The number of each operation of the part among the sends, or among the receives.
  std::vector<std::size_t> place(part.operations.size());
  for (std::size_t i = 0; i < data.sends().size(); ++i) place[data.sends()[i]] = i;
  for (std::size_t i = 0; i < data.receives().size(); ++i) place[data.receives()[i]] = i;
  const auto add_after = [&](auto& what, const PartOperation& op) {
    for (const std::int64_t each : op.after) {
      const auto before = static_cast<std::size_t>(each);
      const bool send = part.operations[before].kind == ProgramOperation::Kind::kSend;
      (send ? what.after_sends : what.after).push_back(place[before]);
    }
    for (const PartRange& range : op.ranges) what.count += range.count;
  };
  for (const std::size_t i : data.receives()) {
    const PartOperation& op = part.operations[i];
    TreeReceive receive;
    receive.from = static_cast<int>(op.peer);
    receive.combine = op.kind == ProgramOperation::Kind::kCombine;
    add_after(receive, op);
    task.receives.push_back(std::move(receive));
  }
  for (const std::size_t i : data.sends()) {
    TreeSend send;
    send.to = static_cast<int>(part.operations[i].peer);
    send.port_s = part.operations[i].pace.port_s;
    send.connection_s = part.operations[i].pace.connection_s;
    add_after(send, part.operations[i]);
    task.sends.push_back(std::move(send));
  }
  const std::int64_t longest = data.longest_buffered() * ElementLayout(operation.type).size;
  task.limits.type = operation.type;
  task.limits.receives = task.limits.ahead =
      longest == 0 ? kReceives : static_cast<int>(std::clamp<std::int64_t>(kBytesAhead / longest, 2, kReceives));
  task.limits.overtake = true;
  task.limits.keep_pace = kSimulated;  // queues of the network do not exist there
  task.limits.may_sleep = channel.context().crowded();
  return task;
}

ProgramExecutor::ProgramExecutor(Channel& channel, const ElementOperation& operation, const ProgramPart& part,
                                 ProgressThread* thread) {
  ProgramTask task = program_task(channel, operation, part);
  data_ = task.data;
  if (SharedProgram::possible(channel.context())) {
    shared_ = std::make_unique<SharedProgram>(channel, operation, data_, part);
    if (shared_->connected()) return;
    shared_.reset();
  }
  executor_.emplace(channel, std::move(task.data), std::move(task.receives), std::move(task.sends), task.limits,
                    thread);
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

std::int64_t ProgramExecutor::held_bytes() const {
  return data_->held_bytes() + (shared_ ? shared_->buffer_bytes() : 0);
}

}  // namespace sluice::mpi::detail
