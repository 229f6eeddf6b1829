#include "run/mpi/tree/tree_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "run/mpi/runtime/progress_thread.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "run/mpi/runtime/withdraw.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// MPI counts in int.
constexpr std::int64_t kMostBytesAtOnce = 1 << 30;
/// Shorter operations are over before a thread is awake.
constexpr double kWorthAThread_s = 100e-6;

}  // namespace

TreeExecutor::TreeExecutor(Channel& channel, std::shared_ptr<TreeData> data, std::vector<TreeReceive> receives,
                           std::vector<TreeSend> sends, const Limits& limits, ProgressThread* thread)
    : channel_(channel),
      memory_(std::make_shared<Memory>()),
      receives_(std::move(receives)),
      sends_(std::move(sends)),
      limits_(limits),
      thread_(thread),
      frees_(receives_.size() + sends_.size()),
      last_operation_s_(std::numeric_limits<double>::infinity()) {
  SLUICE_ASSERT(limits_.receives >= 1 && limits_.ahead >= 1 && limits_.sends >= 1,
                fmt::format("{} receives, {} ahead, {} sends", limits_.receives, limits_.ahead, limits_.sends));
  memory_->data = std::move(data);
  leftover_.push_back({{}, memory_});
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  int size = 0;
  SLUICE_MPI(MPI_Type_get_extent(limits_.type, &lower, &extent));
  SLUICE_MPI(MPI_Type_size(limits_.type, &size));
  extent_ = extent;
  size_ = std::max(size, 1);
  const auto note = [&](std::size_t waiting, const auto& what) {
    for (const std::size_t receive : what.after) frees_.at(receive).push_back(waiting);
    for (const std::size_t send : what.after_sends) frees_.at(operation_of(send)).push_back(waiting);
    may_be_in_pieces_ = may_be_in_pieces_ || what.count == kAnyCount || what.count > kMostBytesAtOnce / size_;
  };
  for (std::size_t i = 0; i < receives_.size(); ++i) note(i, receives_[i]);
  for (std::size_t i = 0; i < sends_.size(); ++i) note(operation_of(i), sends_[i]);
  for (std::size_t i = 0; i < receives_.size(); ++i) by_sender_[receives_[i].from].push_back(i);
  std::map<int, std::size_t> queue_of;
  for (std::size_t i = 0; i < sends_.size(); ++i) {
    const auto [at, is_new] = queue_of.try_emplace(sends_[i].to, queues_.size());
    if (is_new) queues_.emplace_back();
    queues_[at->second].sends.push_back(i);
  }
}

void TreeExecutor::begin() {
  running_ = true;
  trace_.reset();
  if (channel_.context().log() != nullptr) trace_.emplace();
  stage_.assign(receives_.size(), Stage::kWaiting);
  missing_.clear();
  for (const TreeReceive& receive : receives_) missing_.push_back(receive.after.size() + receive.after_sends.size());
  for (const TreeSend& send : sends_) missing_.push_back(send.after.size() + send.after_sends.size());
  for (const auto& [from, list] : by_sender_) next_of_[from] = 0;
  next_receive_ = begun_ = done_ = sent_ = 0;
  for (SendQueue& queue : queues_) queue.next = queue.under_way = 0, queue.free = 0;
  port_free_ = 0;
  leftover_.front().requests.reserve(receives_.size() + sends_.size());  // which is all that can be under way
}

Advance TreeExecutor::advance() {
  if (!finished()) {
    // Looking costs simulated time: there, only where nothing else tells what has come.
    const bool progress = step(!kSimulated || limits_.any_order);
    if (const auto next = next_arrived(); next != open_.end()) {
      handle(*next);
    } else if (kSimulated && !progress && !limits_.any_order && !requests_.empty()) {
      wait_simulated();
    } else if (!progress) {
      return Advance::kIdle;
    }
  }
  if (!finished()) return Advance::kMoved;
  running_ = false;
  if (trace_ && channel_.context().log() != nullptr) trace_->add_to(*channel_.context().log());
  return Advance::kOver;
}

void TreeExecutor::abandon() noexcept {
  if (withdrawn_) return;
  withdrawn_ = true;
  const bool running = std::exchange(running_, false);
  withdraw(channel_,
           {.requests = requests_,
            .receiver_of_send =
                [this](std::size_t request) {
                  return request < active_.size() ? sends_[active_[request].number].to : MPI_PROC_NULL;
                },
            .is_receive = [this](std::size_t request) { return request < active_.size() && !active_[request].send; },
            .add_senders =
                [this](std::vector<int>& senders) {
                  for (const TreeReceive& receive : receives_) senders.push_back(receive.from);
                },
            .leftover = running ? &leftover_ : nullptr});
  requests_.clear();
  active_.clear();
}

void TreeExecutor::wait_simulated() {
  const double wait_s = paced_for();
  if (wait_s < std::numeric_limits<double>::infinity()) {
    if (wait_s <= 0) return;
    constexpr double kLook_s = 1e-5;  // what one takes there
    const std::size_t next = next_expected();
    if (wait_s < kLook_s || next == requests_.size()) {
      sleep_simulated(wait_s);
      return;
    }
    // What comes meanwhile may free a send to somebody else.
    int done = 0;
    SLUICE_MPI(MPI_Test(&requests_[next], &done, MPI_STATUS_IGNORE));
    if (done != 0) go_on(next);
    return;
  }
  int at = 0;
  SLUICE_MPI(MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &at, MPI_STATUS_IGNORE));
  if (at != MPI_UNDEFINED) go_on(static_cast<std::size_t>(at));
}

std::size_t TreeExecutor::next_expected() {
  std::vector<int> senders;
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (active_[i].send || requests_[i] == MPI_REQUEST_NULL) continue;
    const int from = receives_[active_[i].number].from;
    if (std::ranges::find(senders, from) != senders.end()) continue;
    senders.push_back(from);
    first.push_back(i);
  }
  return first.empty() ? requests_.size() : first[looks_++ % first.size()];
}

std::deque<std::size_t>::iterator TreeExecutor::next_arrived() {
  // Combining goes in the order of the plan; what is kept has been dealt with when it is there.
  for (auto at = open_.begin(); at != open_.end(); ++at) {
    if (stage_[*at] == Stage::kArrived && missing_[*at] == 0) return at;
    if (receives_[*at].combine) break;
  }
  return open_.end();
}

bool TreeExecutor::step(bool look) {
  remove_ended();
  const bool posted = limits_.any_order ? post_any() : post_receives();
  const bool started = start_sends();
  // A look costs a rank its turn where ranks share cores, so what can be started goes first.
  if (posted || started) return true;
  if (!look) return false;
  if (!requests_.empty()) return test();
  channel_.check();  // nothing is on its way but word of failures
  return false;
}

void TreeExecutor::remove_ended() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    requests_[kept] = requests_[i];
    active_[kept++] = active_[i];
  }
  requests_.resize(kept);
  active_.resize(kept);
}

bool TreeExecutor::test() {
  requests_.push_back(MPI_REQUEST_NULL);  // for the channel
  completed_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int count = 0;
  const int code = channel_.test_some(requests_, count, completed_, statuses_);
  requests_.pop_back();
  SLUICE_MPI(code);
  for (int i = 0; i < count; ++i) go_on(static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)]));
  return count > 0;
}

void TreeExecutor::go_on(std::size_t at) {
  requests_[at] = MPI_REQUEST_NULL;
  Active& active = active_[at];
  if (!active.opened) {
    active.opened = true;
    const Envelope& envelope = memory_->envelopes[active.envelope];
    active.count = envelope.count;
    active.begun = std::min(envelope.count, Envelope::kRoom);
    active.to = memory_->data->incoming(active.number, envelope.count, envelope.note);
    std::copy_n(envelope.data.begin(), active.begun, active.to);
    give_back(std::exchange(active.envelope, kNoEnvelope));
  }
  if (active.begun < active.count) {
    next_piece(at);
    return;
  }
  const std::int64_t bytes = active.count * size_;
  if (active.send) {
    if (trace_) trace_->send_ended(active.number, bytes);
    if (active.envelope != kNoEnvelope) give_back(active.envelope);
    --active.queue->under_way;
    ++sent_;
    memory_->data->sent(active.number);
    tell_waiting(operation_of(active.number));
  } else {
    if (trace_) trace_->receive_ended(active.number, receives_[active.number].from, bytes);
    if (!is_short(receives_[active.number])) --long_posted_;
    stage_[active.number] = Stage::kArrived;
  }
}

void TreeExecutor::next_piece(std::size_t at) {
  Active& active = active_[at];
  const std::int64_t count = std::min(active.count - active.begun, std::max<std::int64_t>(1, kMostBytesAtOnce / size_));
  const std::int64_t offset = active.begun * extent_;
  if (active.send) {
    SLUICE_MPI(MPI_Isend(active.from + offset, static_cast<int>(count), limits_.type, sends_[active.number].to,
                         channel_.tag(Tag::kData), channel_.comm(), &requests_[at]));
  } else {
    SLUICE_MPI(MPI_Irecv(active.to + offset, static_cast<int>(count), limits_.type, receives_[active.number].from,
                         channel_.tag(Tag::kData), channel_.comm(), &requests_[at]));
  }
  active.begun += count;
}

void TreeExecutor::add(const Active& active) {
  active_.push_back(active);
  requests_.push_back(MPI_REQUEST_NULL);
}

void TreeExecutor::give_back(std::size_t envelope) { free_envelopes_.push_back(envelope); }

std::size_t TreeExecutor::take_envelope() {
  if (free_envelopes_.empty()) {
    free_envelopes_.push_back(memory_->envelopes.size());
    memory_->envelopes.emplace_back();
  }
  const std::size_t envelope = free_envelopes_.back();
  free_envelopes_.pop_back();
  return envelope;
}

bool TreeExecutor::in_pieces(bool send, int peer) const {
  if (!may_be_in_pieces_) return false;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Active& active = active_[i];
    if (requests_[i] == MPI_REQUEST_NULL || active.send != send) continue;
    const int other = send ? sends_[active.number].to : receives_[active.number].from;
    if (other == peer && (!active.opened || active.begun < active.count)) return true;
  }
  return false;
}

// ---- receives

bool TreeExecutor::is_short(const TreeReceive& receive) const {
  return receive.count != kAnyCount && receive.count <= limits_.short_bytes / size_;
}

bool TreeExecutor::may_post(std::size_t receive) const {
  if (open_.size() >= static_cast<std::size_t>(limits_.ahead)) return false;
  const TreeReceive& next = receives_[receive];
  if (!next.combine && missing_[receive] > 0) return false;
  if (in_pieces(false, next.from)) return false;
  // What comes after a message of the same sender does not get in its way.
  return long_posted_ < limits_.receives || is_short(next) || (next.count != kAnyCount && next.from == posted_from_);
}

bool TreeExecutor::post_receives() {
  bool posted = false;
  while (next_receive_ < receives_.size() && may_post(next_receive_)) {
    post(next_receive_++);
    posted = true;
  }
  return posted;
}

bool TreeExecutor::post_any() {
  std::size_t senders = 0;
  for (const auto& [from, next] : next_of_) senders += next < by_sender_.at(from).size() ? 1 : 0;
  bool posted = false;
  for (auto& [from, next] : next_of_) {
    const std::vector<std::size_t>& list = by_sender_.at(from);
    if (next == list.size() || !may_post(list[next]) || !memory_->data->welcome(list[next])) continue;
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

void TreeExecutor::post(std::size_t number) {
  const TreeReceive& receive = receives_[number];
  Active active;
  active.number = number;
  if (receive.count == kAnyCount) {
    active.opened = false;
    active.envelope = take_envelope();
    add(active);
    SLUICE_MPI(MPI_Irecv(&memory_->envelopes[active.envelope], sizeof(Envelope), MPI_BYTE, receive.from,
                         channel_.tag(Tag::kData), channel_.comm(), &requests_.back()));
  } else {
    active.count = receive.count;
    active.to = memory_->data->incoming(number, receive.count, 0);
    add(active);
    next_piece(requests_.size() - 1);
  }
  stage_[number] = Stage::kPosted;
  open_.push_back(number);
  if (!is_short(receive)) {
    ++long_posted_;
    posted_from_ = receive.from;
  }
}

// ---- sends

double TreeExecutor::free_at(const SendQueue& queue) const {
  const bool port = !limits_.keep_pace && static_cast<int>(begun_ - sent_) < limits_.sends;
  const bool connection = !limits_.keep_pace && queue.under_way == 0;
  return std::max(port ? 0 : port_free_, connection ? 0 : queue.free);
}

TreeExecutor::SendQueue* TreeExecutor::next_queue() {
  SendQueue* next = nullptr;
  for (SendQueue& queue : queues_) {
    if (queue.next == queue.sends.size() || (next != nullptr && next->head() < queue.head())) continue;
    if (limits_.overtake && !may_start(queue)) continue;
    next = &queue;
  }
  return next != nullptr && (limits_.overtake || may_start(*next)) ? next : nullptr;
}

bool TreeExecutor::may_start(const SendQueue& queue) const {
  const std::size_t send = queue.head();
  if (missing_[operation_of(send)] > 0 || in_pieces(true, sends_[send].to)) return false;
  const double free = free_at(queue);
  return free == 0 || (free < std::numeric_limits<double>::infinity() && MPI_Wtime() >= free);
}

double TreeExecutor::paced_for() const {
  double free = std::numeric_limits<double>::infinity();
  std::size_t first = sends_.size();
  for (const SendQueue& queue : queues_) {
    if (queue.next == queue.sends.size()) continue;
    const std::size_t send = queue.head();
    // Without overtaking, all wait for the first.
    if (!limits_.overtake && send > first) continue;
    if (!limits_.overtake) free = std::numeric_limits<double>::infinity();
    first = std::min(first, send);
    if (missing_[operation_of(send)] == 0 && !in_pieces(true, sends_[send].to)) free = std::min(free, free_at(queue));
  }
  return free - MPI_Wtime();
}

bool TreeExecutor::start_sends() {
  bool started = false;
  for (SendQueue* queue = next_queue(); queue != nullptr; queue = next_queue()) {
    begin(*queue);
    started = true;
  }
  return started;
}

void TreeExecutor::begin(SendQueue& queue) {
  const std::size_t number = queue.sends[queue.next++];
  ++begun_;
  const TreeSend& send = sends_[number];
  if (trace_) trace_->send_started(number, send.to);
  const TreeMessage message = memory_->data->outgoing(number);
  const bool paced = std::min(send.port_s, send.connection_s) < std::numeric_limits<double>::infinity();
  const double now = paced && std::max(send.port_s, send.connection_s) > 0 ? MPI_Wtime() : 0;
  Active active;
  active.send = true;
  active.number = number;
  active.queue = &queue;
  active.from = message.data;
  if (send.count == kAnyCount) {
    active.envelope = take_envelope();
    Envelope& envelope = memory_->envelopes[active.envelope];
    envelope.count = active.count = message.count;
    envelope.note = message.note;
    active.begun = std::min(message.count, Envelope::kRoom);
    std::copy_n(message.data, active.begun, envelope.data.begin());
    add(active);
    const std::int64_t bytes = static_cast<std::int64_t>(sizeof(Envelope)) - Envelope::kRoom + active.begun;
    SLUICE_MPI(MPI_Isend(&envelope, static_cast<int>(bytes), MPI_BYTE, send.to, channel_.tag(Tag::kData),
                         channel_.comm(), &requests_.back()));
  } else {
    active.count = send.count;
    add(active);
    next_piece(requests_.size() - 1);
  }
  ++queue.under_way;
  port_free_ = send.port_s > 0 ? now + send.port_s : 0;
  queue.free = send.connection_s > 0 ? now + send.connection_s : 0;
}

// ---- messages that are there

void TreeExecutor::handle(std::size_t number) {
  if (!receives_[number].combine) {
    memory_->data->arrived(number, {});
  } else {
    const double begin = MPI_Wtime();
    const bool nothing_else = requests_.empty() && done_ + open_.size() == receives_.size();
    if (thread_ != nullptr && !nothing_else && last_operation_s_ > kWorthAThread_s) {
      thread_->during([&] { memory_->data->arrived(number, {}); }, [this] { return step(); });
    } else if (thread_ == nullptr && !nothing_else) {
      memory_->data->arrived(number, [this] { (void)step(); });
    } else {
      memory_->data->arrived(number, {});
    }
    last_operation_s_ = MPI_Wtime() - begin;
  }
  open_.erase(std::ranges::find(open_, number));  // others may have been posted meanwhile
  ++done_;
  tell_waiting(number);
}

}  // namespace sluice::mpi::detail
