#include "run/mpi/runtime/context.hpp"

#include <sched.h>

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "run/mpi/runtime/cache_line.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/context_registry.hpp"
#include "run/mpi/runtime/never_destroyed.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "run/mpi/runtime/waiting.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// A communicator of the same ranks, without what the user has attached to theirs. Throws InputError if MPI has none
/// left, which is so on all ranks.
MPI_Comm communicator_like(MPI_Comm user) {
  MPI_Group group = MPI_GROUP_NULL;
  SLUICE_MPI(MPI_Comm_group(user, &group));
  // The user's own error handler would end the program.
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  SLUICE_MPI(MPI_Comm_get_errhandler(user, &handler));
  SLUICE_MPI(MPI_Comm_set_errhandler(user, MPI_ERRORS_RETURN));
  MPI_Comm made = MPI_COMM_NULL;
  const int code = MPI_Comm_create(user, group, &made);
  SLUICE_MPI(MPI_Comm_set_errhandler(user, handler));
  SLUICE_MPI(MPI_Errhandler_free(&handler));
  SLUICE_MPI(MPI_Group_free(&group));
  if (code != MPI_SUCCESS)
    throw InputError("communicator", MpiError("MPI_Comm_create", code).what(), "fewer communicators at a time");
  return made;
}

/// The processors that the ranks of `node` may run on, all together: each rank may be bound to one of its own. The
/// least number of any rank if there are more than a set has room for; 0 if it is unknown.
int processors_of(MPI_Comm node) {
  struct Own {
    cpu_set_t set;
    char unknown;
  } own{};
  own.unknown = sched_getaffinity(0, sizeof own.set, &own.set) == 0 ? 0 : 1;
  SLUICE_MPI(MPI_Allreduce(MPI_IN_PLACE, &own, sizeof own, MPI_BYTE, MPI_BOR, node));
  if (own.unknown == 0) return CPU_COUNT(&own.set);
  auto least = static_cast<int>(std::thread::hardware_concurrency());
  SLUICE_MPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, node));
  return least;
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
    const Entry entry(*context, "job");
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
  {
    // From now on threads that wait elsewhere look at it.
    ContextRegistry& all = context_registry();
    const std::scoped_lock lock(all.mutex);
    all.contexts.push_back(context.get());
    context->user_ = user;
    ++all.changes;
  }
  SLUICE_MPI(MPI_Comm_set_attr(user, key, holder.get()));
  (void)holder.release();  // the attribute's
  return context;
}

Context::Context(MPI_Comm user, std::shared_ptr<Settings> settings)
    : settings_(std::move(settings)), most_channels_(Channel::with_own_tags()) {
  plans_.set_capacity(settings_->kept_plans);
  wait_for_all(user);
  comm_ = communicator_like(user);
  SLUICE_MPI(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  SLUICE_MPI(MPI_Comm_rank(comm_, &rank_));
  SLUICE_MPI(MPI_Comm_size(comm_, &size_));
  MPI_Comm node = MPI_COMM_NULL;
  SLUICE_MPI(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node));
  SLUICE_MPI(MPI_Comm_size(node, &node_size_));
  first_of_node_ = rank_;
  SLUICE_MPI(MPI_Bcast(&first_of_node_, 1, MPI_INT, 0, node));
  if (!kSimulated) {
    processors_ = processors_of(node);
    const std::int64_t log = round_up(NoticeBoard::kMemory);
    arena_.connect(node, rank_, log + CallLog::kMemory);
    board_.connect(arena_);
    call_log_.connect(arena_, log);
  }
  SLUICE_MPI(MPI_Comm_free(&node));
}

void Context::wait_for_all(MPI_Comm user) {
  if (kSimulated) return;
  // What follows waits for all ranks, and some of them may first wait for jobs of other communicators. These jobs go on
  // here until all ranks have come. Only the user's communicator serves for that. MPI_Comm_idup would need no
  // reduction, but brings along what the user has attached.
  ContextRegistry& all = context_registry();
  int full = 0;
  {
    const std::scoped_lock lock(all.mutex);
    full = all.contexts.size() >= all.most ? 1 : 0;
  }
  MPI_Request all_here = MPI_REQUEST_NULL;
  SLUICE_MPI(MPI_Iallreduce(MPI_IN_PLACE, &full, 1, MPI_INT, MPI_MAX, user, &all_here));
  for (Patience patience;; patience.look_again()) {
    int done = 0;
    SLUICE_MPI(MPI_Test(&all_here, &done, MPI_STATUS_IGNORE));
    if (done != 0) break;
    progress_others();
  }
  if (full != 0)
    throw InputError("communicator", "as many others have jobs on some rank as may have there",
                     "jobs on fewer communicators at a time");
}

Context::~Context() {
  {
    ContextRegistry& all = context_registry();
    const std::scoped_lock lock(all.mutex);
    all.contexts.remove(this);
  }
  end();
  // MPI may still use what is left: it is never destroyed, not even at the end of the program. There the last job may
  // belong to a static variable.
  static NeverDestroyed<std::list<Leftover>> kept;
  static NeverDestroyed<decltype(goodbyes_)> said;
  static NeverDestroyed<std::mutex> mutex;
  const std::scoped_lock lock(*mutex);
  kept->splice(kept->end(), leftovers_);
  if (goodbyes_said_ > 0) said->splice(said->end(), goodbyes_);
}

void Context::end() noexcept {
  if (comm_ == MPI_COMM_NULL) return;
  call_log_.leave();
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
  keep_outgoing(outgoing_);
  // Only then: otherwise a collective may be unfinished, or word of a failure on its way, which must not arrive in a
  // communicator that takes this one's place.
  if (!dead() && !failed_) {
    for (auto& [key, part] : parts_) {
      if (part.comm != MPI_COMM_NULL) (void)MPI_Comm_free(&part.comm);
    }
    (void)MPI_Comm_free(&comm_);
  }
  parts_.clear();
  comm_ = MPI_COMM_NULL;
}

void Context::keep_outgoing(std::list<Outgoing>& outgoing) noexcept {
  static NeverDestroyed<std::list<Outgoing>> kept;
  static NeverDestroyed<std::mutex> mutex;
  const std::scoped_lock lock(*mutex);
  kept->splice(kept->end(), outgoing);
  kept->remove_if([](Outgoing& each) {
    int done = 0;
    return MPI_Test(&each.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
  });
}

bool Context::alive() const { return comm_ != MPI_COMM_NULL && !finalized(); }

void Context::check_alive() const {
  if (!alive()) throw InputError("job", "a call after MPI_Finalize", "one before it");
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
