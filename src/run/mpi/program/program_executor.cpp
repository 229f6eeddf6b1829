#include "run/mpi/program/program_executor.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "run/mpi/runtime/element_layout.hpp"
#include "run/mpi/runtime/simulation.hpp"

namespace sluice::mpi::detail {
namespace {

/// Messages asked for at once, and what those may take that come to buffers.
constexpr int kReceives = 256;
constexpr std::int64_t kBytesAhead = 8 << 20;

}  // namespace

ProgramExecutor::ProgramExecutor(Channel& channel, const ElementOperation& operation, const ProgramPart& part,
                                 ProgressThread* thread)
    : data_(std::make_shared<ProgramData>(operation, part)) {
  // Where each operation of the part stands among the sends, or among the receives.
  std::vector<std::size_t> place(part.operations.size());
  for (std::size_t i = 0; i < data_->sends().size(); ++i) place[data_->sends()[i]] = i;
  for (std::size_t i = 0; i < data_->receives().size(); ++i) place[data_->receives()[i]] = i;
  const auto add_after = [&](auto& what, const PartOperation& op) {
    for (const std::int64_t each : op.after) {
      const auto before = static_cast<std::size_t>(each);
      const bool send = part.operations[before].kind == ProgramOperation::Kind::kSend;
      (send ? what.after_sends : what.after).push_back(place[before]);
    }
    for (const PartRange& range : op.ranges) what.count += range.count;
  };
  std::vector<TreeReceive> receives;
  for (const std::size_t i : data_->receives()) {
    const PartOperation& op = part.operations[i];
    TreeReceive receive;
    receive.from = static_cast<int>(op.peer);
    receive.combine = op.kind == ProgramOperation::Kind::kCombine;
    add_after(receive, op);
    receives.push_back(std::move(receive));
  }
  std::vector<TreeSend> sends;
  for (const std::size_t i : data_->sends()) {
    TreeSend send;
    send.to = static_cast<int>(part.operations[i].peer);
    // A connection carries one message after the other. SMPI makes each a flow of its own, and many that begin at once
    // arrive together, too late to be passed on one by one: there a message waits for the time of the one before.
    send.port_s = 0;
    send.connection_s = kSimulated ? part.operations[i].connection_s : 0;
    add_after(send, part.operations[i]);
    sends.push_back(std::move(send));
  }
  const std::int64_t longest = data_->longest_buffered() * ElementLayout(operation.type).size;
  TreeExecutor::Limits limits;
  limits.type = operation.type;
  limits.receives = limits.ahead =
      longest == 0 ? kReceives : static_cast<int>(std::clamp<std::int64_t>(kBytesAhead / longest, 2, kReceives));
  limits.overtake = true;
  limits.keep_pace = kSimulated;
  limits.may_sleep = channel.context().crowded();
  executor_.emplace(channel, data_, std::move(receives), std::move(sends), limits, thread);
}

void ProgramExecutor::begin(const void* own, void* result) {
  data_->use(own, result);
  executor_->begin();
}

Advance ProgramExecutor::advance() {
  const Advance come = executor_->advance();
  if (come == Advance::kOver) data_->finish();
  return come;
}

}  // namespace sluice::mpi::detail
