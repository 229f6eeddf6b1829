#include "run/mpi/native/way_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "run/mpi/runtime/collective.hpp"

namespace sluice::mpi::detail {

std::string to_text(const NativeTrial& measured, const char* native) {
  if (measured.planned_s <= 0 && measured.native_s <= 0) return "";
  return fmt::format("; the plan took {:.3g} ms, {} {:.3g} ms", measured.planned_s * 1e3, native,
                     measured.native_s * 1e3);
}

bool WayTrial::begin(bool possible) {
  if (state_.stage == Stage::kFirst && state_.executions == 1) {
    const bool all = largest(std::int64_t{possible ? 0 : 1}, channel_) == 0;
    state_.stage = all ? Stage::kTrying : Stage::kPlanned;
  } else if (state_.stage == Stage::kTrying && state_.executions == TrialState::kExecutions) {
    decide();
  }
  if (over()) {
    record();
    return native();
  }
  ++state_.executions;
  record();
  if (counts()) start_s_ = start_together(channel_);
  return state_.executions % 2 == 0;
}

void WayTrial::end() {
  if (!counts()) return;
  state_.times[state_.executions - 3] = MPI_Wtime() - start_s_;
  record();
}

void WayTrial::decide() {
  std::array<std::uint64_t, 2 * TrialState::kTries> slowest{};
  for (std::size_t i = 0; i < slowest.size(); ++i)
    slowest[i] = std::bit_cast<std::uint64_t>(std::max(state_.times[i], 0.0));
  largest_of_all(channel_, slowest);  // numbers that are not negative are ordered as their bits are
  std::array<std::vector<double>, 2> ways;
  for (std::size_t i = 0; i < slowest.size(); ++i) {
    // An execution that was under way, or had failed, when the next job was made left no time.
    if (slowest[i] != 0) ways[i % 2].push_back(std::bit_cast<double>(slowest[i]));
  }
  if (!ways[0].empty() && !ways[1].empty()) {
    state_.planned_s = usual_time(channel_, ways[0]);
    state_.native_s = usual_time(channel_, ways[1]);
  }
  state_.stage = state_.native_s * kClearly < state_.planned_s ? Stage::kNative : Stage::kPlanned;
}

}  // namespace sluice::mpi::detail
