#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice::mpi::detail {

/// How long a job takes by its plan and by the other way, MPI's own call or a second plan: usual times of the slowest
/// rank, the same on all ranks. 0: not known.
struct WayTimes {
  double planned_s = 0;
  double other_s = 0;
};

/// How far a job, or one job after the other with the same arguments, has come in trying two ways of doing it:
/// Ways.
struct TrialState {
  static constexpr std::size_t kTries = 3;  ///< of each way, that count; one more of each comes before them
  static constexpr std::size_t kExecutions = 2 + 2 * kTries;
  enum class Stage { kFirst, kTrying, kPlanned, kOther };

  Stage stage = Stage::kFirst;
  std::size_t executions = 0;              ///< begun; the same on all ranks
  std::array<double, 2 * kTries> times{};  ///< of this rank: by the plan, the other way, the plan, ...; 0: not known
  bool against = false;                    ///< this rank is against trying the other way, by its first execution
  double planned_s = 0;                    ///< of the slowest rank, once it is decided
  double other_s = 0;

  [[nodiscard]] bool over() const { return stage == Stage::kPlanned || stage == Stage::kOther; }
};

/// The progress of a trial: larger if it has come further. A decided trial differs from all undecided ones, and by its
/// decision.
[[nodiscard]] inline std::int64_t progress_of(const TrialState& state) {
  if (!state.over()) return static_cast<std::int64_t>(state.executions);
  return static_cast<std::int64_t>(TrialState::kExecutions) + (state.stage == TrialState::Stage::kOther ? 2 : 1);
}

/// How far all ranks have come, from the least and the most progress. Ranks differ if a job failed, or was under way
/// when the next one was made. What is not decided alike on all of them is decided once more.
[[nodiscard]] inline std::int64_t common_progress(std::int64_t least, std::int64_t most) {
  return least == most ? least : std::min(least, static_cast<std::int64_t>(TrialState::kExecutions));
}

/// `state` as it was at `progress`, which is at most its own.
[[nodiscard]] inline TrialState resumed(TrialState state, std::int64_t progress) {
  if (progress_of(state) == progress && state.over()) return state;
  state.executions = std::min(TrialState::kExecutions, static_cast<std::size_t>(progress));
  state.stage = state.executions < 2 ? TrialState::Stage::kFirst : TrialState::Stage::kTrying;
  state.planned_s = state.other_s = 0;
  return state;
}

}  // namespace sluice::mpi::detail
