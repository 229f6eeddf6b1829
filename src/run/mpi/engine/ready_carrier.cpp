#include "run/mpi/engine/ready_carrier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "run/mpi/runtime/progress_thread.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// Shorter operations are over before a thread is awake.
constexpr double kWorthAThread_s = 100e-6;

}  // namespace

ReadyCarrier::ReadyCarrier(Channel& channel, OwnPart part, const Limits& limits, ProgressThread* thread)
    : channel_(channel),
      part_(std::move(part)),
      limits_(limits),
      thread_(thread),
      transport_(channel, limits.type),
      waits_(part_),
      queue_of_(part_.ends.size()),
      last_operation_s_(std::numeric_limits<double>::infinity()) {
  SLUICE_ASSERT(limits_.receives >= 1 && limits_.ahead >= 1 && limits_.sends >= 1,
                fmt::format("{} receives, {} ahead, {} sends", limits_.receives, limits_.ahead, limits_.sends));
  part_.ranges = {};  // the data knows
  std::map<int, std::size_t> queue_to;
  for (std::size_t i = 0; i < part_.ends.size(); ++i) {
    const OwnPart::Own& end = part_.ends[i];
    if (!end.sends) {
      receives_.push_back(i);
      by_sender_[end.peer].push_back(i);
      continue;
    }
    ++sends_;
    const auto [at, is_new] = queue_to.try_emplace(end.peer, queues_.size());
    if (is_new) queues_.emplace_back();
    queues_[at->second].sends.push_back(i);
    queue_of_[i] = at->second;
  }
}

void ReadyCarrier::begin(const std::shared_ptr<Data>& data, TransferTrace* trace) {
  running_ = true;
  data_ = data.get();
  trace_ = trace;
  stage_.assign(part_.ends.size(), Stage::kWaiting);
  waits_.begin();
  for (const auto& [from, list] : by_sender_) next_of_[from] = 0;
  next_receive_ = begun_ = done_ = sent_ = 0;
  for (SendQueue& queue : queues_) queue.next = queue.under_way = 0, queue.free = 0;
  port_free_ = 0;
  transport_.begin(data, part_.ends.size());  // which is all that can be under way
}

Advance ReadyCarrier::advance() {
  if (!finished()) {
    // A look costs simulated time: under simulation, look only if nothing else tells what has come.
    const bool progress = step(!kSimulated || limits_.any_order);
    if (const auto next = next_arrived(); next != open_.end()) {
      handle(*next);
    } else if (kSimulated && !progress && !limits_.any_order && transport_.any_under_way()) {
      wait_simulated();
    } else if (!progress) {
      return Advance::kIdle;
    }
  }
  if (!finished()) return Advance::kMoved;
  running_ = false;
  return Advance::kOver;
}

std::optional<Withdrawn> ReadyCarrier::abandon() noexcept {
  const bool running = std::exchange(running_, false);
  Withdrawn withdrawn = transport_.withdrawn(running);
  withdrawn.add_senders = [this, running](std::vector<int>& senders) {
    for (const std::size_t i : receives_) {
      const bool arrived = running && i < stage_.size() && stage_[i] == Stage::kArrived;
      if (!arrived) senders.push_back(part_.ends[i].peer);
    }
  };
  withdrawn.add_receivers = [this](std::vector<int>& receivers) {
    for (const SendQueue& queue : queues_) receivers.push_back(part_.ends[queue.sends.front()].peer);
  };
  return withdrawn;
}

void ReadyCarrier::wait_simulated() {
  const double wait_s = paced_for();
  if (wait_s < std::numeric_limits<double>::infinity()) {
    if (wait_s <= 0) return;
    constexpr double kLook_s = 1e-5;  // what one takes there
    // A message that comes meanwhile may free a send to another rank.
    if (wait_s < kLook_s || !transport_.look_at_one(*this)) sleep_simulated(wait_s);
    return;
  }
  transport_.wait(*this);
}

std::deque<std::size_t>::iterator ReadyCarrier::next_arrived() {
  // Messages are combined in the order of the plan. With `overtake`, a message that is there and waits for nothing need
  // not wait for earlier ones. A message that is kept is done when it is there.
  for (auto at = open_.begin(); at != open_.end(); ++at) {
    if (stage_[*at] == Stage::kArrived && !waits_.waits(*at)) return at;
    if (part_.ends[*at].combines() && !limits_.overtake) break;
  }
  return open_.end();
}

bool ReadyCarrier::step(bool look) {
  const bool posted = limits_.any_order ? post_any() : post_receives();
  const bool started = start_sends();
  // If ranks share cores, a look costs a rank its turn. So everything that can be started goes first.
  if (posted || started) return true;
  if (!look) return false;
  if (transport_.any_under_way()) return transport_.finish(*this);
  channel_.check();  // only word of failures may be on its way
  return false;
}

void ReadyCarrier::sent(std::size_t number, std::int64_t bytes) {
  if (trace_ != nullptr) trace_->send_ended(number, bytes);
  --queues_[queue_of_[number]].under_way;
  ++sent_;
  data_->sent(number);
  waits_.done(number);
}

void ReadyCarrier::received(std::size_t number, std::int64_t bytes) {
  if (trace_ != nullptr) trace_->receive_ended(number, part_.ends[number].peer, bytes);
  if (!is_short(part_.ends[number])) --long_posted_;
  stage_[number] = Stage::kArrived;
}

// ---- receives

bool ReadyCarrier::is_short(const OwnPart::Own& receive) const {
  return receive.count != kAnyCount && receive.count <= limits_.short_bytes / transport_.bytes_of_element();
}

bool ReadyCarrier::may_post(std::size_t receive) const {
  if (open_.size() >= static_cast<std::size_t>(limits_.ahead)) return false;
  const OwnPart::Own& next = part_.ends[receive];
  if (!next.combines() && waits_.waits(receive)) return false;
  if (transport_.in_pieces(false, next.peer)) return false;
  // A message does not get in the way of an earlier message of the same sender.
  return long_posted_ < limits_.receives || is_short(next) || (next.count != kAnyCount && next.peer == posted_from_);
}

bool ReadyCarrier::post_receives() {
  bool posted = false;
  while (next_receive_ < receives_.size() && may_post(receives_[next_receive_])) {
    post(receives_[next_receive_++]);
    posted = true;
  }
  return posted;
}

bool ReadyCarrier::post_any() {
  std::size_t senders = 0;
  for (const auto& [from, next] : next_of_) senders += next < by_sender_.at(from).size() ? 1 : 0;
  bool posted = false;
  for (auto& [from, next] : next_of_) {
    const std::vector<std::size_t>& list = by_sender_.at(from);
    if (next == list.size() || !may_post(list[next]) || !data_->welcome(list[next])) continue;
    if (senders > 1) {
      int there = 0;
      SLUICE_MPI(MPI_Iprobe(from, channel_.tag(Tag::kData), channel_.comm(), &there, MPI_STATUS_IGNORE));
      if (there == 0) continue;
    }
    post(list[next++]);
    posted = true;
  }
  return posted;
}

void ReadyCarrier::post(std::size_t number) {
  const OwnPart::Own& receive = part_.ends[number];
  transport_.receive(number, receive.peer, receive.count);
  stage_[number] = Stage::kPosted;
  open_.push_back(number);
  if (!is_short(receive)) {
    ++long_posted_;
    posted_from_ = receive.peer;
  }
}

// ---- sends

double ReadyCarrier::free_at(const SendQueue& queue) const {
  const bool port = !limits_.keep_pace && static_cast<int>(begun_ - sent_) < limits_.sends;
  const bool connection = !limits_.keep_pace && queue.under_way == 0;
  return std::max(port ? 0 : port_free_, connection ? 0 : queue.free);
}

ReadyCarrier::SendQueue* ReadyCarrier::next_queue() {
  SendQueue* next = nullptr;
  for (SendQueue& queue : queues_) {
    if (queue.next == queue.sends.size() || (next != nullptr && next->head() < queue.head())) continue;
    if (limits_.overtake && !may_start(queue)) continue;
    next = &queue;
  }
  return next != nullptr && (limits_.overtake || may_start(*next)) ? next : nullptr;
}

bool ReadyCarrier::may_start(const SendQueue& queue) const {
  const std::size_t send = queue.head();
  if (waits_.waits(send) || transport_.in_pieces(true, part_.ends[send].peer)) return false;
  const double free = free_at(queue);
  return free == 0 || (free < std::numeric_limits<double>::infinity() && MPI_Wtime() >= free);
}

double ReadyCarrier::paced_for() const {
  double free = std::numeric_limits<double>::infinity();
  std::size_t first = part_.ends.size();
  for (const SendQueue& queue : queues_) {
    if (queue.next == queue.sends.size()) continue;
    const std::size_t send = queue.head();
    // Without overtaking, all wait for the first.
    if (!limits_.overtake && send > first) continue;
    if (!limits_.overtake) free = std::numeric_limits<double>::infinity();
    first = std::min(first, send);
    if (!waits_.waits(send) && !transport_.in_pieces(true, part_.ends[send].peer))
      free = std::min(free, free_at(queue));
  }
  return free - MPI_Wtime();
}

bool ReadyCarrier::start_sends() {
  bool started = false;
  for (SendQueue* queue = next_queue(); queue != nullptr; queue = next_queue()) {
    begin(*queue);
    started = true;
  }
  return started;
}

void ReadyCarrier::begin(SendQueue& queue) {
  const std::size_t number = queue.sends[queue.next++];
  ++begun_;
  const OwnPart::Own& send = part_.ends[number];
  const SendPace& pace = pace_of(number);
  if (trace_ != nullptr) trace_->send_started(number, send.peer);
  const bool paced = std::min(pace.port_s, pace.connection_s) < std::numeric_limits<double>::infinity();
  const double now = paced && std::max(pace.port_s, pace.connection_s) > 0 ? MPI_Wtime() : 0;
  transport_.send(number, send.peer, send.count);
  ++queue.under_way;
  port_free_ = pace.port_s > 0 ? now + pace.port_s : 0;
  queue.free = pace.connection_s > 0 ? now + pace.connection_s : 0;
}

// ---- messages that are there

void ReadyCarrier::handle(std::size_t number) {
  if (!part_.ends[number].combines()) {
    data_->arrived(number, {});
  } else {
    const double begin = MPI_Wtime();
    const bool nothing_else = !transport_.any_under_way() && done_ + open_.size() == receives_.size();
    if (thread_ != nullptr && !nothing_else && last_operation_s_ > kWorthAThread_s) {
      thread_->during([&] { data_->arrived(number, {}); }, [this] { return step(); });
    } else if (thread_ == nullptr && !nothing_else) {
      data_->arrived(number, [this] { (void)step(); });
    } else {
      data_->arrived(number, {});
    }
    last_operation_s_ = MPI_Wtime() - begin;
  }
  open_.erase(std::ranges::find(open_, number));  // others may have been posted meanwhile
  ++done_;
  waits_.done(number);
}

}  // namespace sluice::mpi::detail
