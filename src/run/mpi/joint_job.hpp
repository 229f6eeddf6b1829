#pragma once

#include <exception>
#include <optional>
#include <utility>

#include "run/mpi/communicator.hpp"
#include "run/mpi/control_channel.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {

/// What the jobs that ranks carry out together have in common: a communicator of their own, and a channel by which a
/// rank that cannot go on tells the others, so that none waits for it. A base, as it has to outlive what uses both.
class JointJob {
 public:
  explicit JointJob(Communicator own) : comm(std::move(own)) {}
  JointJob(const JointJob&) = delete;
  JointJob& operator=(const JointJob&) = delete;

  Communicator comm;
  std::optional<ControlChannel> channel;  ///< from open_channel on

 protected:
  ~JointJob() {
    if (given_up()) comm.leak();
  }

  /// Before anything that waits for others. Collective. `work`: what others are told a rank has given up.
  void open_channel(const char* work) { channel.emplace(comm.get(), work); }
  /// Tells all ranks; the job is of no further use.
  void give_up() noexcept {
    if (channel) channel->abandon();
  }
  [[nodiscard]] bool given_up() const { return channel && channel->abandoned(); }
  /// Whether an exception passes that was not there when the job was made. A job that is destroyed by one gives up
  /// before it ends: the others must not wait for this rank.
  [[nodiscard]] bool unwinding() const { return std::uncaught_exceptions() > exceptions_; }
  /// Throws InputError naming `where` for a job that was given up.
  void refuse_if_given_up(const char* where) const {
    if (given_up()) throw InputError(where, "a job that failed in an execution before", "a new one");
  }

 private:
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace sluice::mpi::detail
