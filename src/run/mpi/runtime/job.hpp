#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/context.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {

/// The result of a look at something that is under way.
enum class Advance { kMoved, kIdle, kOver };

/// Advances something until it is over, and also what else has been started.
template <class Executor>
void complete(Channel& channel, Executor& executor, bool may_sleep = false) {
  constexpr unsigned kLooksBetweenCalls = 64;
  unsigned idle = 0;
  for (Patience patience(may_sleep && channel.context().crowded());;) {
    switch (executor.advance()) {
      case Advance::kMoved:
        patience.reset();
        break;
      case Advance::kIdle:
        if (++idle % kLooksBetweenCalls == 0) channel.check_calls();
        channel.move_on_others();
        // A rank that sleeps must not keep the user's own messages waiting: MPI moves them only when it is called.
        if (patience.sleeps() && channel.check_moves()) {
          patience.reset();
        } else {
          patience.look_again();
        }
        break;
      case Advance::kOver:
        return;
    }
  }
}

/// What the jobs that ranks carry out together have in common: how they are made, started and waited for, and the
/// promise about failure:
///
///  - Constructor: an argument that is bad on some ranks, or differs, throws InputError on all of them (agree).
///  - Anything else may go wrong on a rank, in the constructor or later: a bad argument of an execution, a failing call
///    to MPI or to the user, no memory, destruction while an exception passes. It throws there, and InputError or
///    JobError on the other ranks: in the same execution, or in the next one if a rank was done with it already.
///    Earlier executions come to their end. The job refuses to be used then.
///  - With Settings::agreed_arguments, an exception to this: a bad argument of an execution throws InputError on all
///    ranks before anything of it is sent, and leaves the job as it was.
///
/// A call of a job holds the entry of its context; a call of another thread meanwhile throws InputError.
class Job : public Progressing {
 public:
  Job(std::shared_ptr<Context> context, std::int64_t number, const char* work);
  ~Job() override;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

 private:
  // Before the channel, which is destroyed first.
  std::shared_ptr<Context> context_;
  std::optional<Context::Entry> closing_;  ///< from close() on

 public:
  Channel channel;

  /// Starts an execution. `check()` throws for bad arguments and changes nothing; it returns the argument that is to be
  /// the same on all ranks, or nothing. `begin()` prepares the execution, or does all of it, and says which
  /// (Advance::kOver). Throws InputError for a job that failed, or whose execution before has not been waited for,
  /// which ends the job, and what `check` and `begin` throw.
  template <class Check, class Begin>
  void start(Check&& check, Begin&& begin) {
    const Call call(*this);
    refuse_if_unusable();
    // If an execution is still running, it is the one that fails.
    if (!running_) channel.next_execution();
    const bool together = channel.context().settings().agreed_arguments;
    std::int64_t alike = 0;
    const auto checked = [&] {
      if constexpr (std::is_void_v<decltype(check())>) {
        check();
      } else {
        alike = check();
      }
    };
    guarded([&] {
      if (running_ || over_)
        throw InputError(channel.work(), "an execution that has not been waited for", "wait() or test() before");
      channel.check_by_memory();
      if (!together) checked();
    });
    if (together) {
      const std::exception_ptr failure = failure_of(checked);
      agree_on(alike, failure);
    }
    channel.begin_call(alike);
    guarded([&] {
      if (begin() == Advance::kOver) {
        come_to_end();
        return;
      }
      running_ = true;
      channel.context().add(*this);
    });
  }
  /// Whether the execution that was started has ended, or there is none; advances it. Throws InputError for a job that
  /// failed, like wait().
  bool test();
  void wait();
  /// Fails the next execution here, and so everywhere, like a bad argument.
  void give_up(const std::exception_ptr& why) noexcept {
    try {
      start([&] { std::rethrow_exception(why); }, [] { return Advance::kOver; });
    } catch (...) {
      // It is the caller's.
    }
  }
  /// A part of an execution that is not one of start and wait.
  template <class Part>
  void call(Part&& part) {
    const Call call(*this);
    refuse_if_unusable();
    guarded([&] {
      channel.check();
      part();
    });
  }

  void progress() noexcept final;

 protected:
  /// Does what can be done of the execution without waiting.
  virtual Advance advance() = 0;
  /// After advance() has said that it is over, in a call of the user's.
  virtual void finish() {}
  /// Ends the execution that failed, if there is one: nothing is written to the user's memory any more, if MPI can be
  /// stopped.
  virtual void abandon() noexcept = 0;
  /// Whether a collective of MPI's own may be under way on some rank.
  [[nodiscard]] virtual bool in_native_collective() const { return false; }
  /// Whether an execution has begun that has not ended.
  [[nodiscard]] virtual bool in_execution() const { return running_; }
  /// Whether a rank that waits leaves its processor to others, if ranks outnumber processors.
  [[nodiscard]] virtual bool may_sleep() const { return false; }

  /// To be called first by the destructors of derived classes. From then on, until all of the job is destroyed, no
  /// other thread advances it.
  void close() noexcept;

 private:
  template <class Executor>
  friend void complete(Channel& channel, Executor& executor, bool may_sleep);

  /// A call of the job. One thread at a time may be in one.
  class Call {
   public:
    explicit Call(Job& job) : entry_(job.channel.context(), job.channel.work()) { job.channel.made(); }

   private:
    Context::Entry entry_;
  };

  template <class Part>
  void guarded(Part&& part) {
    try {
      part();
    } catch (...) {
      fail(std::current_exception(), channel.execution());
      throw;
    }
  }
  /// Throws on all ranks if `alike` differs, or one of them has a `failure`.
  void agree_on(std::int64_t alike, const std::exception_ptr& failure);
  void refuse_if_unusable() const;
  /// Whether an execution has been started of whose end the user has not heard. Throws what stopped it, and InputError
  /// for a job that failed.
  [[nodiscard]] bool to_be_waited_for();
  void fail(const std::exception_ptr& why, std::int64_t execution) noexcept;
  void come_to_end();
  void stop_running() noexcept;

  int exceptions_ = std::uncaught_exceptions();
  bool running_ = false;
  bool over_ = false;           ///< the execution has ended, but the user has not heard of it
  std::exception_ptr failure_;  ///< what stopped the execution, if the user has not heard of it
};

/// Returns what `body(context, number)` does in a new channel of a user's communicator, which has that number. Whatever
/// it throws reaches all ranks.
template <class Body>
auto in_new_channel(MPI_Comm comm, Body&& body) {
  for (;;) {
    const std::shared_ptr<Context> context = Context::of(comm);
    const Context::Entry entry(*context, "job");
    const std::int64_t number = context->take_number();
    try {
      return body(context, number);
    } catch (const ContextDied&) {
      continue;
    } catch (...) {
      if (!context->settled(number)) context->tell_failure(number, std::current_exception(), 0, Context::kNever);
      throw;
    }
  }
}

/// Makes a job, `State`: State(context, number of its channel, arguments).
template <class State, class... Arguments>
[[nodiscard]] std::unique_ptr<State> make_job(MPI_Comm comm, Arguments&&... arguments) {
  return in_new_channel(comm, [&](const std::shared_ptr<Context>& context, std::int64_t number) {
    return std::make_unique<State>(context, number, std::forward<Arguments>(arguments)...);
  });
}

}  // namespace sluice::mpi::detail
