#include "run/mpi/runtime/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "run/mpi/runtime/waiting.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr int kControlTag = 0;
// Of Control::kind.
constexpr std::int64_t kGivenUp = -1;
constexpr std::int64_t kLetGo = -2;

bool finalized() {
  int flag = 0;
  return MPI_Finalized(&flag) != MPI_SUCCESS || flag != 0;
}

/// All contexts that there are, for MPI_Finalize.
struct Registry {
  std::mutex mutex;
  std::list<Context*> contexts;
  std::atomic<int> active = 0;               ///< of these, those in which something has been started
  int of_communicator = MPI_KEYVAL_INVALID;  ///< the key of a user's communicator: a std::shared_ptr<Context>*
};
Registry& registry() {
  static Registry all;
  return all;
}

int forget_context(MPI_Comm /*comm*/, int /*key*/, void* value, void* /*extra*/) {
  delete static_cast<std::shared_ptr<Context>*>(value);
  return MPI_SUCCESS;
}

constexpr char kBetweenTexts = '\0';

/// What is told of an exception; its rank is who tells.
Failure failure_of(const std::exception_ptr& why) noexcept {
  Failure failure;
  try {
    try {
      std::rethrow_exception(why);
    } catch (const InputError& error) {
      failure.input = true;
      for (const std::string& part : {error.where(), error.found(), error.expected()}) {
        failure.text += part.substr(0, 130) + kBetweenTexts;
      }
    } catch (const std::exception& error) {
      failure.text = error.what();
    } catch (...) {
      failure.text = "an unknown error";
    }
  } catch (...) {
    failure.input = false;  // no memory for the text
    failure.text.clear();
  }
  return failure;
}

}  // namespace

void throw_failure(const Failure& failure, const char* work) {
  if (!failure.input) throw JobError(failure.rank, work, failure.text);
  std::array<std::string, 3> parts;
  std::size_t begin = 0;
  for (std::string& part : parts) {
    const std::size_t end = failure.text.find(kBetweenTexts, begin);
    part = failure.text.substr(begin, end - begin);
    begin = end + 1;
  }
  throw InputError(parts[0], fmt::format("on rank {}: {}", failure.rank, parts[1]), parts[2]);
}

void end_all_contexts() noexcept {
  Registry& all = registry();
  for (;;) {
    Context* context = nullptr;
    {
      const std::scoped_lock lock(all.mutex);
      const auto alive =
          std::ranges::find_if(all.contexts, [](const Context* each) { return each->comm_ != MPI_COMM_NULL; });
      if (alive == all.contexts.end()) return;
      context = *alive;
    }
    context->end();  // which may destroy those of its parts
  }
}

namespace {

/// MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF.
int end_contexts(MPI_Comm /*comm*/, int /*key*/, void* /*value*/, void* /*extra*/) {
  end_all_contexts();
  return MPI_SUCCESS;
}

int key_of_communicators() {
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  if (all.of_communicator != MPI_KEYVAL_INVALID) return all.of_communicator;
  int of_process = MPI_KEYVAL_INVALID;
  SLUICE_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_contexts, &of_process, nullptr));
  SLUICE_MPI(MPI_Comm_set_attr(MPI_COMM_SELF, of_process, nullptr));
  SLUICE_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_context, &all.of_communicator, nullptr));
  return all.of_communicator;
}

}  // namespace

std::shared_ptr<Context> Context::of(MPI_Comm user) {
  int initialized = 0;
  SLUICE_MPI(MPI_Initialized(&initialized));
  if (initialized == 0 || finalized())
    throw InputError("MPI", "not running", "a call between MPI_Init and MPI_Finalize");
  if (user == MPI_COMM_NULL) throw InputError("communicator", "MPI_COMM_NULL", "an intracommunicator");
  int inter = 0;
  SLUICE_MPI(MPI_Comm_test_inter(user, &inter));
  if (inter != 0) throw InputError("communicator", "an intercommunicator", "an intracommunicator");
  const int key = key_of_communicators();
  void* value = nullptr;
  int found = 0;
  SLUICE_MPI(MPI_Comm_get_attr(user, key, &value, &found));
  std::shared_ptr<Settings> settings;
  if (found != 0) {
    std::shared_ptr<Context> context = *static_cast<std::shared_ptr<Context>*>(value);
    try {
      context->poll();
    } catch (...) {
      // The channel about to be opened will hear of it: until then this rank could tell nobody.
    }
    // Channels up to there were opened by others, which wait for this rank or have given them up. A part of other work
    // is given up with that.
    const bool lives = context->channels() < std::min(context->dead_from(), context->most_channels());
    if (lives || !context->enclosing().empty()) return context;
    settings = context->settings_;
  }
  if (!settings) settings = std::make_shared<Settings>();
  auto holder = std::make_unique<std::shared_ptr<Context>>(std::make_shared<Context>(user, std::move(settings)));
  std::shared_ptr<Context> context = *holder;
  SLUICE_MPI(MPI_Comm_set_attr(user, key, holder.get()));
  (void)holder.release();  // the attribute's
  return context;
}

Context::Context(MPI_Comm user, std::shared_ptr<Settings> settings)
    : settings_(std::move(settings)), most_channels_(Channel::with_own_tags()) {
  plans_.set_capacity(settings_->kept_plans);
  // What follows waits for all ranks, some of which may first wait for jobs of other communicators.
  if (!kSimulated) {
    MPI_Request all_here = MPI_REQUEST_NULL;
    SLUICE_MPI(MPI_Ibarrier(user, &all_here));
    for (Patience patience;; patience.look_again()) {
      int done = 0;
      SLUICE_MPI(MPI_Test(&all_here, &done, MPI_STATUS_IGNORE));
      if (done != 0) break;
      progress_others();
    }
  }
  MPI_Group group = MPI_GROUP_NULL;
  SLUICE_MPI(MPI_Comm_group(user, &group));
  const int code = MPI_Comm_create(user, group, &comm_);
  SLUICE_MPI(MPI_Group_free(&group));
  SLUICE_MPI(code);
  SLUICE_MPI(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  SLUICE_MPI(MPI_Comm_rank(comm_, &rank_));
  SLUICE_MPI(MPI_Comm_size(comm_, &size_));
  MPI_Comm node = MPI_COMM_NULL;
  SLUICE_MPI(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node));
  SLUICE_MPI(MPI_Comm_size(node, &node_size_));
  first_of_node_ = rank_;
  SLUICE_MPI(MPI_Bcast(&first_of_node_, 1, MPI_INT, 0, node));
  if (!kSimulated) {
    const unsigned processors = std::thread::hardware_concurrency();
    int crowded = processors > 0 && static_cast<unsigned>(node_size_) > processors ? 1 : 0;
    // Ranks may be bound to different numbers of processors.
    SLUICE_MPI(MPI_Allreduce(MPI_IN_PLACE, &crowded, 1, MPI_INT, MPI_MAX, node));
    crowded_ = crowded != 0;
    arena_.connect(node, rank_);
    board_.connect(arena_);
  }
  SLUICE_MPI(MPI_Comm_free(&node));
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  all.contexts.push_back(this);
}

Context::~Context() {
  {
    Registry& all = registry();
    const std::scoped_lock lock(all.mutex);
    all.contexts.remove(this);
  }
  end();
  // MPI may still use what is left: it lasts as long as the program.
  static std::list<Leftover> kept;
  kept.splice(kept.end(), leftovers_);
}

void Context::end() noexcept {
  if (comm_ == MPI_COMM_NULL) return;
  if (finalized()) {
    comm_ = MPI_COMM_NULL;
    return;
  }
  // There is nobody to tell about a failure.
  thread_.reset();
  reap();
  for (Incoming& incoming : incoming_) {
    if (incoming.request == MPI_REQUEST_NULL) continue;
    (void)MPI_Cancel(&incoming.request);
    (void)MPI_Wait(&incoming.request, MPI_STATUS_IGNORE);
  }
  for (Outgoing& outgoing : outgoing_) {
    if (outgoing.request != MPI_REQUEST_NULL) (void)MPI_Request_free(&outgoing.request);
  }
  // Else a collective may be unfinished, or word of a failure on its way, which must not arrive in a communicator that
  // takes this one's place.
  if (!dead() && !failed_) {
    for (auto& [key, part] : parts_) {
      if (part.comm != MPI_COMM_NULL) (void)MPI_Comm_free(&part.comm);
    }
    (void)MPI_Comm_free(&comm_);
  }
  parts_.clear();
  comm_ = MPI_COMM_NULL;
}

void Context::check_alive() const {
  if (comm_ == MPI_COMM_NULL || finalized()) throw InputError("job", "a call after MPI_Finalize", "one before it");
}

Context::Part& Context::part(const std::string& key, int color, int order) {
  const auto [at, is_new] = parts_.try_emplace(key);
  if (is_new) {
    SLUICE_MPI(MPI_Comm_split(comm_, color, order, &at->second.comm));
    SLUICE_MPI(MPI_Comm_set_errhandler(at->second.comm, MPI_ERRORS_RETURN));
  }
  return at->second;
}

ProgressThread* Context::progress_thread() {
  if (!ProgressThread::possible()) return nullptr;
  if (!thread_) thread_.emplace();
  return &*thread_;
}

// ---- Control messages

void Context::poll() {
  const std::scoped_lock lock(mutex_);
  poll_listening();
}

void Context::listen() {
  // All listen from the first look on, in turn, so that messages come in this order.
  for (std::size_t i = 0; i < kListening; ++i) {
    Incoming& each = incoming_[(next_ + i) % kListening];
    if (each.arrived || each.request != MPI_REQUEST_NULL) continue;
    SLUICE_MPI(MPI_Irecv(&each.wire, sizeof each.wire, MPI_BYTE, MPI_ANY_SOURCE, kControlTag, comm_, &each.request));
  }
}

void Context::poll_listening() {
  for (;;) {
    Incoming& incoming = incoming_[next_];
    if (!incoming.arrived) {
      listen();
      int done = 0;
      MPI_Status status;
      SLUICE_MPI(MPI_Test(&incoming.request, &done, &status));
      if (done == 0) return;
      arrive(incoming, status);
    }
    deal_out(incoming);  // once more by the next look, if there is no memory for it now
    incoming.arrived = false;
    next_ = (next_ + 1) % kListening;
  }
}

int Context::test_some(std::span<MPI_Request> requests, int& count, std::span<int> completed,
                       std::span<MPI_Status> statuses) {
  const std::scoped_lock lock(mutex_);
  if (incoming_[next_].arrived) poll_listening();
  listen();
  Incoming& next = incoming_[next_];
  requests.back() = next.request;
  const int code =
      MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count, completed.data(), statuses.data());
  next.request = std::exchange(requests.back(), MPI_REQUEST_NULL);
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) return code;
  count = std::max(count, 0);  // MPI_UNDEFINED is negative, and cannot be, as one request is listening
  const auto own = static_cast<int>(requests.size()) - 1;
  const auto end = completed.begin() + count;
  const auto at = std::find(completed.begin(), end, own);
  if (at == end) return code;
  const auto place = at - completed.begin();
  arrive(next, statuses[static_cast<std::size_t>(place)]);
  std::copy(at + 1, end, at);
  std::copy(statuses.begin() + place + 1, statuses.begin() + count, statuses.begin() + place);
  --count;
  return code;
}

void Context::deal_out_arrived() {
  const std::scoped_lock lock(mutex_);
  if (incoming_[next_].arrived) poll_listening();
}

void Context::arrive(Incoming& incoming, const MPI_Status& status) {
  incoming.arrived = true;
  incoming.from = status.MPI_SOURCE;
  incoming.request = MPI_REQUEST_NULL;
}

void Context::deal_out(const Incoming& incoming) {
  const Wire& wire = incoming.wire;
  if (wire.control.kind == kGivenUp) {
    deal_out_failure(incoming);
  } else if (wire.control.kind == kLetGo) {
    if (const auto open = live_.find(wire.channel); open != live_.end()) open->second->put_let_go(incoming.from);
  } else if (const auto open = live_.find(wire.channel); open != live_.end()) {
    open->second->put(incoming.from, wire.control);
  } else if (wire.channel >= channels_) {
    early_[wire.channel].messages.emplace_back(incoming.from, wire.control);
  }
}

void Context::deal_out_failure(const Incoming& incoming) {
  failed_ = true;
  const Control& control = incoming.wire.control;
  if (control.execution != 0) {
    die(control.execution - 1, incoming.wire.channel, control.rank, incoming.wire.closed_from);
  }
  Failure failure;
  failure.rank = incoming.from;
  failure.execution = control.rank;
  failure.input = control.number != 0;
  failure.text.assign(incoming.wire.text.data(), static_cast<std::size_t>(control.bytes));
  told_.hear(incoming.wire.channel, incoming.from);
  if (control.execution != 0) told_dead_.hear(incoming.wire.channel, incoming.from);
  if (const auto open = live_.find(incoming.wire.channel); open != live_.end()) {
    open->second->put(std::move(failure));
  } else if (incoming.wire.channel >= channels_) {
    early_[incoming.wire.channel].failure = std::move(failure);
  }
}

void Context::send(int to, std::int64_t channel, const Control& control) {
  SLUICE_ASSERT(control.kind >= 0, "a control message of a kind that is the library's");
  post(to, channel, control);
}

void Context::tell_let_go(int to, std::int64_t channel) { post(to, channel, {kLetGo}); }

void Context::post(int to, std::int64_t channel, const Control& control) {
  const std::scoped_lock lock(mutex_);
  outgoing_.emplace_back();
  Outgoing& last = outgoing_.back();
  last.wire.channel = channel;
  last.wire.control = control;
  constexpr int kBytes = offsetof(Wire, closed_from);
  const int code = MPI_Isend(&last.wire, kBytes, MPI_BYTE, to, kControlTag, comm_, &last.request);
  if (code == MPI_SUCCESS) return;
  outgoing_.pop_back();
  throw MpiError("MPI_Isend", code);
}

bool Context::sent() {
  const std::scoped_lock lock(mutex_);
  while (!outgoing_.empty()) {
    int done = 0;
    SLUICE_MPI(MPI_Test(&outgoing_.front().request, &done, MPI_STATUS_IGNORE));
    if (done == 0) return false;
    outgoing_.pop_front();
  }
  return true;
}

// ---- Channels

std::int64_t Context::take_number() noexcept {
  const std::scoped_lock lock(mutex_);
  return channels_++;
}

void Context::open(Channel& channel) {
  reap();
  const std::scoped_lock lock(mutex_);
  live_.emplace(channel.number(), &channel);
  if (const auto early = early_.find(channel.number()); early != early_.end()) {
    for (const auto& [from, control] : early->second.messages) channel.put(from, control);
    if (early->second.failure) channel.put(std::move(*early->second.failure));
    early_.erase(early);
  }
}

void Context::close(const Channel& channel, bool settled) noexcept {
  const std::scoped_lock lock(mutex_);
  live_.erase(channel.number());
  if (settled) settled_ = channel.number();
}

void Context::tell_failure(std::int64_t channel, const std::exception_ptr& why, std::int64_t execution,
                           std::int64_t dead_from) noexcept {
  if (comm_ == MPI_COMM_NULL || finalized()) return;
  failed_ = true;
  const bool dies = dead_from < kNever;
  const Failure failure = failure_of(why);
  Wire& wire = goodbyes_[goodbyes_said_++ % kGoodbyes];
  wire.channel = channel;
  if (dies) {
    const std::scoped_lock lock(mutex_);
    wire.closed_from = turn_of(turns_, channel, execution);
    die(dead_from, channel, execution, wire.closed_from);
  }
  const std::size_t length = std::min(failure.text.size(), kTextRoom);
  // Its fields in other roles: `number` says whether it is of a bad argument, `rank` in which execution, `execution`
  // where the context ends, if it does.
  wire.control = {kGivenUp, failure.input ? 1 : 0, execution, static_cast<std::int64_t>(length),
                  dies ? 1 + dead_from : 0};
  failure.text.copy(wire.text.data(), length);
  const auto tell = [&](int to) {
    const auto bytes = static_cast<int>(offsetof(Wire, text) + length);
    // The word that somebody failed is worth a second try.
    for (int code = MPI_ERR_OTHER, tries = 0; code != MPI_SUCCESS && tries < 2; ++tries) {
      MPI_Request request = MPI_REQUEST_NULL;
      code = MPI_Isend(&wire, bytes, MPI_BYTE, to, kControlTag, comm_, &request);
      if (code == MPI_SUCCESS) (void)MPI_Request_free(&request);
    }
  };
  // Where many ranks fail at once, not all of them tell all: each tells those 1, 2, 4, ... ranks further on first, and
  // then leaves the rest to one below it that has told it the same.
  for (int distance = 1; distance < size_; distance *= 2) tell((rank_ + distance) % size_);
  constexpr double kForOthers_s = 0.002;
  const double end = MPI_Wtime() + (size_ > 4 && !kSimulated ? kForOthers_s : 0);
  for (Patience patience; MPI_Wtime() < end; patience.look_again()) {
    try {
      poll();
    } catch (...) {
      break;  // nothing more is to be heard
    }
    const Told& same = dies ? told_dead_ : told_;
    if (same.channel == channel && same.by < rank_) return;
  }
  for (int distance = 1; distance < size_; ++distance) {
    const bool told = (distance & (distance - 1)) == 0;
    if (!told) tell((rank_ + distance) % size_);
  }
  board_.note_failure();
}

std::int64_t Context::turn_of(const Turns& turns, std::int64_t channel, std::int64_t execution) const {
  const auto open = live_.find(channel);
  const std::optional<std::int64_t> of_it =
      open != live_.end() ? open->second->turn_of(turns, execution) : std::nullopt;
  return of_it.value_or(turns.next());
}

void Context::die(std::int64_t from, std::int64_t channel, std::int64_t execution, std::int64_t closed_from) {
  dead_from_ = std::min(dead_from_, from);
  // What took a turn before that execution did, or would have, where it failed, has a turn before it on all ranks: also
  // where word of it comes before they have been started.
  turns_.close_from(closed_from);
  for (auto& [key, part] : parts_) part.turns.close_from(turn_of(part.turns, channel, execution));
}

// ---- What is under way

void Context::add(Progressing& job) {
  active_.push_back(&job);
  if (active_.size() == 1) ++registry().active;
}

void Context::remove(Progressing& job) noexcept {
  if (active_.remove(&job) > 0 && active_.empty()) --registry().active;
}

void Context::progress(const Progressing* but) noexcept {
  progress_own(but);
  if (registry().active > (active_.empty() ? 0 : 1)) progress_others();
}

void Context::progress_others() noexcept {
  try {
    std::vector<std::shared_ptr<Context>> others;
    {
      Registry& all = registry();
      const std::scoped_lock lock(all.mutex);
      for (Context* const each : all.contexts) {
        if (each == this) continue;
        if (auto other = each->weak_from_this().lock()) others.push_back(std::move(other));
      }
    }
    for (const std::shared_ptr<Context>& other : others) other->visit();
  } catch (...) {
    // No memory: the next time.
  }
}

void Context::visit() noexcept {
  ++visits_;
  ++visitors_;
  if (entry_.try_lock()) {
    // A call in which this thread is already must not be entered again.
    if (calls_ == 0) {
      ++calls_;
      progress_own(nullptr);
      --calls_;
    }
    entry_.unlock();
  }
  ++visits_;  // before the next line: who sees no visitor sees that there was one
  --visitors_;
}

Context::Entry::Entry(Context& context, const char* work) : context_(context) {
  for (;;) {
    const unsigned visits = context_.visits_;
    if (context_.entry_.try_lock()) break;
    if (context_.visitors_ == 0 && context_.visits_ == visits)
      throw InputError(work, "calls from two threads at once", "one thread at a time for a communicator");
    std::this_thread::yield();
  }
  ++context_.calls_;
}

Context::Entry::~Entry() {
  --context_.calls_;
  context_.entry_.unlock();
}

void Context::progress_own(const Progressing* but) noexcept {
  // One may end, and leave the list, while it is moved on.
  for (auto at = active_.begin(); at != active_.end();) {
    Progressing* const job = *at++;
    if (job != but) job->progress();
  }
}

void Context::keep(std::list<Leftover>& leftover) noexcept { leftovers_.splice(leftovers_.end(), leftover); }

void Context::reap() noexcept {
  for (Leftover& leftover : leftovers_) {
    for (MPI_Request& request : leftover.requests) {
      int done = 0;
      if (request != MPI_REQUEST_NULL) (void)MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    std::erase(leftover.requests, MPI_REQUEST_NULL);
  }
  leftovers_.remove_if([](const Leftover& leftover) { return leftover.requests.empty(); });
}

}  // namespace sluice::mpi::detail
