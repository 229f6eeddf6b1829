#include "run/mpi/runtime/job.hpp"

#include <stdexcept>

#include "run/mpi/runtime/simulation.hpp"
#include "run/mpi/runtime/waiting.hpp"

namespace sluice::mpi::detail {

Job::Job(std::shared_ptr<Context> context, std::int64_t number, const char* work)
    : context_(context), channel(std::move(context), number, work) {
  channel.set_owner(this);
}

Job::~Job() = default;

void Job::close() noexcept {
  closing_.emplace(channel.context());
  const bool unwinding = std::uncaught_exceptions() > exceptions_;
  if (running_ || unwinding) {
    std::exception_ptr why;
    try {
      why = std::make_exception_ptr(
          std::runtime_error(unwinding ? "destroyed by an exception" : "destroyed during an execution"));
    } catch (...) {
      why = std::current_exception();
    }
    fail(why, channel.execution() + (in_execution() ? 0 : 1));
  }
}

void Job::agree_on(std::int64_t alike, const std::exception_ptr& failure) {
  try {
    agree(channel, static_cast<std::uint64_t>(alike), failure);
  } catch (...) {
    // A failure that all ranks have agreed on leaves nothing behind.
    if (!channel.take_settled()) fail(std::current_exception(), channel.execution());
    throw;
  }
}

void Job::refuse_if_unusable() const {
  channel.context().check_alive();
  channel.refuse_if_failed();
}

bool Job::to_be_waited_for() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  const bool is = running_ || over_;
  if (is) {
    channel.context().check_alive();
  } else {
    channel.refuse_if_failed();
  }
  return is;
}

bool Job::test() {
  const Call call(*this);
  if (!to_be_waited_for()) return true;
  guarded([&] {
    // All that can be done now, because the next call may come late; within limits, because it must not block.
    constexpr int kMostMoves = 32;
    Advance come = Advance::kMoved;
    for (int moves = 0; running_ && come == Advance::kMoved && moves < kMostMoves; ++moves) come = advance();
    if (running_ && come == Advance::kOver) come_to_end();
    if (!over_) {
      channel.check();
      channel.context().progress(this);
      return;
    }
    over_ = false;
    finish();
  });
  return !running_;
}

void Job::wait() {
  const Call call(*this);
  if (!to_be_waited_for()) return;
  guarded([&] {
    if (running_) {
      complete(channel, *this, may_sleep());
      come_to_end();
    }
    over_ = false;
    finish();
  });
}

void Job::progress() noexcept {
  if (!running_) return;
  try {
    if (advance() == Advance::kOver) come_to_end();
  } catch (...) {
    failure_ = std::current_exception();
    fail(failure_, channel.execution());
  }
}

void Job::fail(const std::exception_ptr& why, std::int64_t execution) noexcept {
  const bool native = in_native_collective();
  // First tell the others: a rank that ends its part meanwhile still gets correct data, and a later rank hears of the
  // failure.
  channel.give_up(why, execution, native);
  abandon();
  stop_running();
}

void Job::come_to_end() {
  // Data from a rank that had failed before must not be delivered.
  channel.check_at_end();
  over_ = true;
  stop_running();
}

void Job::stop_running() noexcept {
  if (running_) channel.context().remove(*this);
  running_ = false;
}

}  // namespace sluice::mpi::detail
