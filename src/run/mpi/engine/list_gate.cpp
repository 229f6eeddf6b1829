#include "run/mpi/engine/list_gate.hpp"

#include <chrono>
#include <utility>

#include "run/mpi/engine/ordered_carrier.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr int kCoordinator = 0;

enum Kind : std::int64_t {
  kAnnounce,      // number, rank: the receiver, bytes
  kPostedAll,     //
  kReleased,      // number: the coordinator's
  kMaxTransfers,  // number
  kSend,          // number: the sender's
  kReceive,       // number: the coordinator's, rank: the sender, bytes
};

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

ListGate::ListGate(Channel& channel, ListedMessages& messages, const Limits& limits)
    : channel_(channel), messages_(messages), k_(limits.max_transfers), release_(limits.early_bytes), fence_(channel) {
  if (channel.rank() != kCoordinator) return;
  coordinator_.emplace(Coordinator{Grants(channel.size(), k_), std::nullopt, 0});
  if (limits.tune) coordinator_->tuner.emplace(k_, 1, channel.size());
}

void ListGate::begin(OrderedCarrier& carrier) {
  ++execution_;
  carrier.clear();
  posted_.clear();
  numbers_.clear();
  incoming_.clear();
  release_.clear();
  announced_ = 0;
  unsent_bytes_ = 0;
  posted_all_ = told_ = started_ = entered_ = false;
}

void ListGate::post(int to, std::int64_t bytes, std::int64_t number) {
  posted_.push_back({to, bytes});
  numbers_.push_back(number);
  unsent_bytes_ += bytes;
}

void ListGate::tell(int rank, std::int64_t kind, std::int64_t number, std::int64_t other, std::int64_t bytes) {
  channel_.send(rank, {kind, number, other, bytes, execution_});
}

void ListGate::set_max_transfers(std::int64_t max_transfers) {
  if (coordinator_) {
    coordinator_->grants.set_max_transfers(max_transfers);
  } else {
    wanted_ = max_transfers;
  }
}

void ListGate::announce() {
  // Before the word that all is posted: behind it the coordinator may listen no more.
  if (wanted_ && !told_) tell(kCoordinator, kMaxTransfers, *std::exchange(wanted_, std::nullopt));
  for (; announced_ < posted_.size(); ++announced_) {
    const Posted& message = posted_[announced_];
    tell(kCoordinator, kAnnounce, static_cast<std::int64_t>(announced_), message.to, message.bytes);
  }
  if (!posted_all_ || told_) return;
  tell(kCoordinator, kPostedAll, 0);
  told_ = true;
}

bool ListGate::progress(OrderedCarrier& carrier) {
  started_ = started_ || fence_.open();
  if (started_) announce();
  bool happened = false;
  while (const auto released = release_.next()) {
    happened = true;
    carrier.note_release(*released);
    tell(kCoordinator, kReleased, incoming_[*released]);
  }
  for (const Channel::Received& message : std::exchange(early_, {})) take(message, carrier);
  while (const auto message = channel_.poll()) {
    happened = true;
    take(*message, carrier);
  }
  if (coordinator_) grant();
  return happened;
}

void ListGate::take(const Channel::Received& message, OrderedCarrier& carrier) {
  const Control& control = message.control;
  if (control.kind == Fence::kExecution) {
    fence_.take(control);
  } else if (control.execution > execution_) {
    early_.push_back(message);
  } else if (control.kind == kSend) {
    const auto at = static_cast<std::size_t>(control.number);
    messages_.sending(numbers_[at]);
    carrier.add_send(posted_[at].to, posted_[at].bytes);
  } else if (control.kind == kReceive) {
    messages_.receiving(static_cast<int>(control.rank), control.bytes);
    incoming_.push_back(control.number);
    release_.add(control.bytes);
    carrier.add_receive(static_cast<int>(control.rank), control.bytes);
  } else {
    coordinate(message);
  }
}

void ListGate::coordinate(const Channel::Received& message) {
  const Control& control = message.control;
  Coordinator& coordinator = *coordinator_;
  switch (static_cast<Kind>(control.kind)) {
    case kAnnounce:
      coordinator.grants.announce(message.from, static_cast<int>(control.rank), control.bytes, control.number);
      break;
    case kPostedAll:
      ++coordinator.ranks_done;
      break;
    case kReleased: {
      const bool full = coordinator.grants.full();
      const std::int64_t bytes = coordinator.grants.release(control.number);
      if (coordinator.tuner) {
        coordinator.grants.set_max_transfers(coordinator.tuner->released(bytes, now_s(), full));
      }
      break;
    }
    case kMaxTransfers:
      coordinator.grants.set_max_transfers(control.number);
      break;
    case kSend:
    case kReceive:
      break;
  }
}

void ListGate::grant() {
  while (const auto grant = coordinator_->grants.next()) {
    tell(grant->to, kReceive, grant->id, grant->from, grant->bytes);
    tell(grant->from, kSend, grant->number);
  }
}

void ListGate::sent(std::size_t /*send*/, std::int64_t bytes) { unsent_bytes_ -= bytes; }

bool ListGate::finish() {
  if (!entered_) {
    if (!told_ || unsent_bytes_ > 0 || !channel_.sent()) return false;
    if (coordinator_) {
      if (coordinator_->ranks_done < channel_.size() || !coordinator_->grants.idle()) return false;
      coordinator_->ranks_done = 0;
    }
    fence_.enter();
    entered_ = true;
  }
  return fence_.open();
}

}  // namespace sluice::mpi::detail
