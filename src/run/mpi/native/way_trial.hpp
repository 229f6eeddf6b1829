#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "run/mpi/native/native_trial.hpp"
#include "run/mpi/runtime/channel.hpp"

namespace sluice::mpi::detail {

/// "; the plan took 98.2 ms, MPI_Bcast 612 ms": what was measured, to end a sentence; "" where nothing was.
[[nodiscard]] std::string to_text(const NativeTrial& measured, const char* native);

/// Whether an execution of a job goes by its plan or by a collective of MPI's own. The two take turns in the job's
/// first executions, and the faster one serves from then on: no model knows what an MPI has in store.
///
/// The first execution goes by the plan, as many jobs have no other. The second one and the ninth begin with an
/// agreement of all ranks. Times are those of the slowest rank from the start of an execution to its end; where ranks
/// compute meanwhile both ways take longer, and the plan stays unless MPI's way is clearly faster.
class WayTrial {
 public:
  /// `wanted`: false: always by the plan; the same on all ranks.
  WayTrial(Channel& channel, bool wanted) : channel_(channel), stage_(wanted ? Stage::kFirst : Stage::kPlanned) {}

  /// At the start of each execution, on all ranks: whether it goes by MPI's own collective. `possible`: whether this
  /// rank is in favour of trying it; asked for once, and all have to be. Throws as Channel::check.
  [[nodiscard]] bool begin(bool possible);
  /// At its end.
  void end();
  /// Whether the collective may be under way on some rank.
  [[nodiscard]] bool may_be_native() const { return stage_ == Stage::kTrying || stage_ == Stage::kNative; }
  /// Whether it has been found to be faster.
  [[nodiscard]] bool native() const { return stage_ == Stage::kNative; }
  /// Medians of the slowest rank, once it is decided; 0 before, and where nothing was tried.
  [[nodiscard]] NativeTrial measured() const { return measured_; }
  [[nodiscard]] bool over() const { return stage_ == Stage::kNative || stage_ == Stage::kPlanned; }

 private:
  static constexpr std::size_t kTries = 3;  // of each way, that count; one more of each comes before them
  static constexpr double kClearly = 1.05;
  enum class Stage { kFirst, kTrying, kPlanned, kNative };

  void decide();

  Channel& channel_;
  Stage stage_;
  std::size_t executions_ = 0;
  double start_s_ = 0;
  NativeTrial measured_;
  std::array<double, 2 * kTries> times_{};  ///< by the plan, by MPI, by the plan, ...
};

}  // namespace sluice::mpi::detail
