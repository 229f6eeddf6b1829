#include "run/mpi/engine/chain_gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "run/mpi/engine/ordered_carrier.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr std::int64_t kPermission = 0;

}  // namespace

ChainGate::ChainGate(Channel& channel, const OwnPart& part, std::int64_t early_bytes)
    : channel_(channel),
      part_(part),
      sends_(ends_of(part, /*sends=*/true)),
      receives_(ends_of(part, /*sends=*/false)),
      release_(early_bytes),
      fence_(channel) {}

void ChainGate::begin(OrderedCarrier& /*carrier*/) {
  waiting_for_.clear();
  for (const std::uint32_t send : sends_) waiting_for_.push_back(part_.permits.empty() ? 1 : part_.permits[send]);
  release_.clear();
  for (const std::uint32_t receive : receives_) release_.add(own(receive).count);
  started_ = false;
  if (execution_++ > 0) fence_.enter();
  for (const Channel::Received& message : std::exchange(early_, {})) take(message.from, message.control);
}

void ChainGate::permit(int rank, std::int64_t step) { channel_.send(rank, {kPermission, step, 0, 0, execution_}); }

bool ChainGate::progress(OrderedCarrier& carrier) {
  bool happened = false;
  while (const auto message = channel_.poll()) {
    happened = true;
    take(message->from, message->control);
  }
  if (!started_ && fence_.open()) {
    started_ = happened = true;
    if (!receives_.empty()) go(0);
  }
  while (const auto released = release_.next()) {
    happened = true;
    carrier.note_release(*released);
    if (!part_.grants.empty())
      for (const OwnPart::Hears& other : part_.grants[receives_[*released]]) permit(other.rank, other.step);
    if (*released + 1 < receives_.size()) go(*released + 1);
  }
  return happened;
}

void ChainGate::take(int from, const Control& control) {
  if (control.kind == Fence::kExecution) {
    fence_.take(control);
    return;
  }
  if (control.execution > execution_) {
    early_.push_back({from, control});
    return;
  }
  const auto send = std::ranges::lower_bound(sends_, control.number, {}, [this](auto end) { return own(end).step; });
  const bool is_one = send != sends_.end() && own(*send).step == control.number;
  int* const waiting = is_one ? &waiting_for_[static_cast<std::size_t>(send - sends_.begin())] : nullptr;
  SLUICE_ASSERT(is_one && *waiting > 0,
                fmt::format("rank {} permits send of step {} once too often", from, control.number));
  --*waiting;
}

bool ChainGate::finish() { return started_ && channel_.sent(); }

}  // namespace sluice::mpi::detail
