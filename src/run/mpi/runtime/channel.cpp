#include "run/mpi/runtime/channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "run/mpi/runtime/simulation.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr int kTags = 9;      // of Tag
constexpr int kFirstTag = 8;  // lower ones are the context's

}  // namespace

std::int64_t Channel::with_own_tags() {
  void* value = nullptr;
  int found = 0;
  // MPI says it of MPI_COMM_WORLD alone, and for all communicators.
  SLUICE_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found));
  constexpr int kLeast = 32767;  // that every MPI has
  const int largest = found != 0 ? *static_cast<int*>(value) : kLeast;
  return (largest - kFirstTag) / kTags;
}

Channel::Channel(std::shared_ptr<Context> context, std::int64_t number, const char* work)
    : context_(std::move(context)), work_(work), number_(number) {
  first_tag_ = kFirstTag + kTags * static_cast<int>(number_ % context_->most_channels());
  context_->open(*this);
}

Channel::~Channel() { context_->close(*this, settled_ || failed()); }

std::optional<Channel::Received> Channel::poll() {
  context_->poll();
  throw_if_failed();
  if (box_.empty()) return std::nullopt;
  const Received first = box_.front();
  box_.pop_front();
  return first;
}

void Channel::put(Failure failure) {
  const auto order = [](const Failure& f) { return std::pair(f.execution, f.rank); };
  if (!failure_ || order(failure) < order(*failure_)) failure_ = std::move(failure);
}

Turns::Turn Channel::take_turn(Turns& turns) {
  auto last = std::ranges::find(turns_, &turns, &TakenTurn::turns);
  if (last == turns_.end()) last = turns_.insert(last, {&turns, 0, 0});
  Turns::Turn turn = turns.take();
  last->execution = execution_;
  last->number = turn.number();
  return turn;
}

std::optional<std::int64_t> Channel::turn_of(const Turns& turns, std::int64_t execution) const {
  const auto last = std::ranges::find(turns_, &turns, &TakenTurn::turns);
  if (last == turns_.end() || last->execution != execution) return std::nullopt;
  return last->number;
}

Context::Part& Channel::part(const std::string& key, int color, int order) {
  const Turns::Turn turn = context_->turns().take();
  wait_until([&] { return turn.has_come(); });
  return context_->part(key, color, order);
}

void Channel::check() {
  if (!kSimulated) context_->poll();
  check_known();
}

bool Channel::check_moves() {
  // Copying a piece of a message takes several microseconds.
  constexpr int kTimesIdle = 3;
  constexpr std::chrono::microseconds kLeast(1);
  const auto start = std::chrono::steady_clock::now();
  check();
  const auto took = std::chrono::steady_clock::now() - start;
  idle_look_ = std::min(idle_look_, took);
  return took > kTimesIdle * idle_look_ + kLeast;
}

void Channel::begin_call(std::int64_t bytes) {
  call_ = {number_, execution_, bytes};
  call_number_ = context_->call_log().begin(call_);
  differences_ = 0;
}

void Channel::check_calls() {
  if (call_number_ == 0) return;
  const auto other = context_->call_log().difference(call_number_, call_, context_->settings().calls_in_order);
  if (!other) {
    differences_ = 0;
    return;
  }
  // Whatever the other rank did before is visible now, and may be all that this rank waits for. So this rank looks for
  // that first.
  constexpr unsigned kSure = 3;
  if (++differences_ < kSure) return;
  const std::string there = other->has_left ? "has left the communicator"
                            : other->call.channel == call_.channel
                                ? fmt::format("is in one of {}", bytes_text(other->call.bytes))
                                : "is in another call";
  const std::string size = call_.bytes > 0 ? " of " + bytes_text(call_.bytes) : "";
  throw MpiError(fmt::format("{}{}, while rank {} {}, found", work_, size, other->rank, there), MPI_ERR_TRUNCATE);
}

void Channel::check_at_start() {
  if (kSimulated) return;
  if (!context_->hear_by_memory()) context_->poll();
  check_known();
}

void Channel::check_by_memory() {
  if (kSimulated) return;
  (void)context_->hear_by_memory();
  check_known();
}

void Channel::check_at_end() {
  if (std::exchange(looked_, false)) {
    check_known();
  } else {
    check_at_start();  // a rank tells of its failure, by memory first, before it leaves what it has sent
  }
}

int Channel::test_some(std::span<MPI_Request> requests, int& count, std::span<int> completed,
                       std::span<MPI_Status> statuses) {
  if (kSimulated) {  // no failures, and nothing that a look could spare
    const int code =
        MPI_Testsome(static_cast<int>(requests.size()) - 1, requests.data(), &count, completed.data(), statuses.data());
    count = std::max(count, 0);
    return code;
  }
  const int code = context_->test_some(requests, count, completed, statuses);
  looked_ = count > 0;
  context_->deal_out_arrived();
  check_known();
  return code;
}

bool Channel::test(MPI_Request& request, MPI_Status* status) {
  std::array<MPI_Request, 2> requests{request, MPI_REQUEST_NULL};
  std::array<MPI_Status, 2> statuses;
  std::array<int, 2> completed{};
  int count = 0;
  const int code = context_->test_some(requests, count, completed, statuses);
  request = requests.front();
  looked_ = count > 0;
  context_->deal_out_arrived();
  check_known();
  if (count > 0 && code == MPI_ERR_IN_STATUS && statuses.front().MPI_ERROR != MPI_SUCCESS)
    throw MpiError("MPI_Testsome", statuses.front().MPI_ERROR);
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) throw MpiError("MPI_Testsome", code);
  if (count > 0 && status != MPI_STATUS_IGNORE) *status = statuses.front();
  return count > 0;
}

void Channel::check_known() const {
  for (const Channel* outer : context_->enclosing()) outer->throw_if_failed();
  throw_if_failed();
  // Before it died, other ranks may have made the job and gone on. A part of other work is given up with that.
  const bool is_part = std::ranges::any_of(context_->enclosing(), [&](const Channel* outer) { return outer != this; });
  if (!made_ && !is_part && number_ >= context_->dead_from()) throw ContextDied();
}

void Channel::throw_if_failed() const {
  if (is_now()) throw_failure(*failure_, work_);
}

void Channel::wait(MPI_Request& request) {
  if (kSimulated) {
    SLUICE_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    return;
  }
  for (Patience patience; !test(request); patience.look_again()) move_on_others();
}

void Channel::wait_aside(MPI_Request& request) {
  if (kSimulated) {
    wait(request);
    return;
  }
  constexpr std::chrono::microseconds kBetweenLooks(100);
  while (!test(request)) {
    check();
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

void Channel::give_up(const std::exception_ptr& why, std::int64_t execution, bool dies) noexcept {
  if (given_up_) return;
  given_up_ = true;
  // Who failed first may not have known that a collective of MPI's own had begun elsewhere.
  const bool all_know = settled_ || (is_now() && (!dies || context_->dead()));
  // What is no job has opened channels for its parts, perhaps not on all ranks; jobs after this one have been made on
  // all that have come to them.
  const std::int64_t dead_from = !dies ? Context::kNever : made_ ? context_->channels() : number_ + 1;
  if (!all_know) context_->tell_failure(number_, why, execution, dead_from);
}

void Channel::refuse_if_failed() const {
  if (given_up_) throw InputError(work_, "a job that failed before", "a new one");
}

Enclosing::Enclosing(Channel& channel) : context_(channel.context()) { context_.enclosing().push_back(&channel); }

Enclosing::~Enclosing() { context_.enclosing().pop_back(); }

Pending::Pending(Channel& channel, std::shared_ptr<const void> memory) : channel_(channel) {
  leftover_.push_back({{}, std::move(memory)});
  leftover_.front().requests.reserve(1);
}

Pending::~Pending() {
  if (request_ == MPI_REQUEST_NULL) return;
  if (receives_ && channel_.context().alive()) (void)MPI_Cancel(&request_);
  leftover_.front().requests.push_back(request_);  // there is room for it
  channel_.context().keep(leftover_);
}

void Pending::send(const void* data, int bytes, int to, Tag tag) {
  SLUICE_MPI(MPI_Isend(data, bytes, MPI_BYTE, to, channel_.tag(tag), channel_.comm(), &request_));
}

void Pending::send_synchronous(const void* data, int bytes, int to, Tag tag) {
  SLUICE_MPI(MPI_Issend(data, bytes, MPI_BYTE, to, channel_.tag(tag), channel_.comm(), &request_));
}

void Pending::receive(void* data, int bytes, int from, Tag tag) {
  SLUICE_MPI(MPI_Irecv(data, bytes, MPI_BYTE, from, channel_.tag(tag), channel_.comm(), &request_));
  receives_ = true;
}

bool Pending::advance() {
  if (kSimulated) wait();
  return request_ == MPI_REQUEST_NULL || channel_.test(request_);
}

bool Pending::test(MPI_Status* status) {
  int done = 0;
  SLUICE_MPI(MPI_Test(&request_, &done, status));
  return done != 0;
}

void send_and_wait(Channel& channel, std::shared_ptr<const void> memory, const void* data, int bytes, int to, Tag tag) {
  Pending message(channel, std::move(memory));
  message.send(data, bytes, to, tag);
  message.wait();
}

void receive_and_wait(Channel& channel, std::shared_ptr<const void> memory, void* data, int bytes, int from, Tag tag) {
  Pending message(channel, std::move(memory));
  message.receive(data, bytes, from, tag);
  message.wait();
}

}  // namespace sluice::mpi::detail
