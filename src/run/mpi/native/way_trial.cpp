#include "run/mpi/native/way_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "run/mpi/runtime/collective.hpp"
#include "run/mpi/runtime/median.hpp"

namespace sluice::mpi::detail {

std::string to_text(const NativeTrial& measured, const char* native) {
  if (measured.planned_s <= 0 && measured.native_s <= 0) return "";
  return fmt::format("; the plan took {:.3g} ms, {} {:.3g} ms", measured.planned_s * 1e3, native,
                     measured.native_s * 1e3);
}

bool WayTrial::begin(bool possible) {
  if (stage_ == Stage::kFirst && executions_ == 1) {
    const bool all = largest(std::int64_t{possible ? 0 : 1}, channel_) == 0;
    stage_ = all ? Stage::kTrying : Stage::kPlanned;
  } else if (stage_ == Stage::kTrying && executions_ == 2 + times_.size()) {
    decide();
  }
  if (over()) return native();
  start_s_ = MPI_Wtime();
  return executions_++ % 2 == 1;
}

void WayTrial::end() {
  if (stage_ == Stage::kTrying && executions_ > 2) times_[executions_ - 3] = MPI_Wtime() - start_s_;
}

void WayTrial::decide() {
  std::array<std::uint64_t, 2 * kTries> slowest{};
  for (std::size_t i = 0; i < times_.size(); ++i) slowest[i] = std::bit_cast<std::uint64_t>(std::max(times_[i], 0.0));
  largest_of_all(channel_, slowest);  // numbers that are not negative are ordered as their bits are
  std::array<std::vector<double>, 2> ways;
  for (std::size_t i = 0; i < slowest.size(); ++i) ways[i % 2].push_back(std::bit_cast<double>(slowest[i]));
  measured_ = {median(ways[0]), median(ways[1])};
  stage_ = measured_.native_s * kClearly < measured_.planned_s ? Stage::kNative : Stage::kPlanned;
}

}  // namespace sluice::mpi::detail
