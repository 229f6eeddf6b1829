/// What is under way in a context and in the others of this process, and who may be in a call.
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "run/mpi/runtime/context.hpp"
#include "run/mpi/runtime/context_registry.hpp"
#include "run/mpi/runtime/node_room.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {

void Context::add(Progressing& job) {
  active_.push_back(&job);
  if (active_.size() == 1) ++context_registry().active;
}

void Context::remove(Progressing& job) noexcept {
  if (active_.remove(&job) > 0 && active_.empty()) --context_registry().active;
}

void Context::progress(const Progressing* but) {
  if (moving_on_) throw std::logic_error("an execution that is moved on waits");
  progress_own(but);
  if (context_registry().active > (active_.empty() ? 0 : 1)) progress_others();
}

void Context::progress_others() noexcept {
  try {
    std::vector<std::shared_ptr<Context>> others;
    {
      ContextRegistry& all = context_registry();
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
    // A call of this thread, if there is one, must not be entered again.
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

Context::Entry::Entry(Context& context) noexcept : context_(context) {
  if (!forked_child()) {
    context_.entry_.lock();
  } else {
    holds_ = context_.entry_.try_lock();
  }
  ++context_.calls_;
}

Context::Entry::~Entry() {
  --context_.calls_;
  if (holds_) context_.entry_.unlock();
}

void Context::progress_own(const Progressing* but) noexcept {
  moving_on_ = true;
  // One may end, and leave the list, while it is moved on; the others do not meanwhile.
  for (auto at = active_.begin(); at != active_.end();) {
    Progressing* const job = *at++;
    if (job != but) job->progress();
  }
  moving_on_ = false;
}

}  // namespace sluice::mpi::detail
