#include "run/mpi/engine/protocol_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "run/mpi/engine/step_executor.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr std::int64_t kPermission = 0;

}  // namespace

ChainProtocol::ChainProtocol(Channel& channel, ChainLinks links, std::int64_t early_bytes)
    : channel_(channel), links_(std::move(links)), release_(early_bytes), fence_(channel) {}

void ChainProtocol::begin(StepExecutor& /*executor*/) {
  waiting_for_.clear();
  for (const ChainLinks::OwnSend& send : links_.sends) waiting_for_.push_back(send.permissions);
  release_.clear();
  for (const std::int64_t bytes : links_.bytes) release_.add(bytes);
  started_ = false;
  if (execution_++ > 0) fence_.enter();
  for (const Channel::Received& message : std::exchange(early_, {})) take(message.from, message.control);
}

void ChainProtocol::permit(const ChainLinks::Send& send) {
  if (send.rank >= 0) channel_.send(send.rank, {kPermission, send.step, 0, 0, execution_});
}

bool ChainProtocol::progress(StepExecutor& executor) {
  bool happened = false;
  while (const auto message = channel_.poll()) {
    happened = true;
    take(message->from, message->control);
  }
  if (!started_ && fence_.open()) {
    started_ = happened = true;
    if (!links_.senders.empty()) permit(links_.senders.front());
  }
  while (const auto released = release_.next()) {
    happened = true;
    executor.note_release(*released);
    if (!links_.successors.empty())
      for (const ChainLinks::Send& successor : links_.successors[*released]) permit(successor);
    if (*released + 1 < links_.senders.size()) permit(links_.senders[*released + 1]);
  }
  return happened;
}

void ChainProtocol::take(int from, const Control& control) {
  if (control.kind == Fence::kExecution) {
    fence_.take(control);
    return;
  }
  if (control.execution > execution_) {
    early_.push_back({from, control});
    return;
  }
  const auto send = std::ranges::lower_bound(links_.sends, control.number, {}, &ChainLinks::OwnSend::step);
  const bool is_one = send != links_.sends.end() && send->step == control.number;
  int* const waiting = is_one ? &waiting_for_[static_cast<std::size_t>(send - links_.sends.begin())] : nullptr;
  SLUICE_ASSERT(is_one && *waiting > 0,
                fmt::format("rank {} permits send of step {} once too often", from, control.number));
  --*waiting;
}

bool ChainProtocol::finish() { return started_ && channel_.sent(); }

}  // namespace sluice::mpi::detail
