#include "run/mpi/ways/way_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "run/mpi/runtime/median.hpp"
#include "run/mpi/ways/choice.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::mpi::detail {
namespace {

/// The plan stays unless it takes longer than MPI's own call, times this factor. `always`: and each of several
/// executions by MPI took less time than each by the plan.
double clearly(bool always) {
  return factor_of(choose({JobKind::kAny, Question::kTrial, when(always, Where::kAlways)}));
}

/// The time that an execution may be expected to take, from some measured ones. On one node, and for short executions,
/// it is the median: one that takes longer met other work. Otherwise, between nodes, it is the mean: a long one met a
/// full queue, which happens again and costs at least the 200 ms that TCP waits.
double usual_time(const Channel& channel, std::vector<double> times) {
  const double middle = median(times);
  if (channel.context().one_node() || middle < WayWatch::kShortest_s) return middle;
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

}  // namespace

std::string to_text(const WayTimes& measured, const char* native) {
  if (measured.planned_s <= 0 && measured.native_s <= 0) return "";
  return fmt::format("; the plan took {}, {} {}", seconds_text(measured.planned_s), native,
                     seconds_text(measured.native_s));
}

bool native_is_clearly_faster(const WayTimes& usual, std::span<const double> planned, std::span<const double> native) {
  const bool all = std::min(planned.size(), native.size()) > 1 && std::ranges::max(native) < std::ranges::min(planned);
  return usual.native_s * clearly(all) < usual.planned_s;
}

void WayTrial::choose(Way way, const KeptPlan& kept, bool other_if_alike) {
  other_if_alike_ = other_if_alike;
  if (way != Way::kTurns) {
    state_.stage = way == Way::kNative ? Stage::kNative : Stage::kPlanned;
    return;
  }
  record_ = kept.trial;
  state_ = record_ ? resumed(*record_, kept.progress) : TrialState();
  watched_ = !channel_.context().one_node();
  if (watched_ && over()) watch_.expect(usual_s(), false);
}

void WayTrial::prepare(bool possible) {
  agreement_.reset();
  turn_.end();
  ended_ = false;
  start_s_ = MPI_Wtime();
  if (check_ != nullptr && watch_.judge(check_->numbers())) measure_again();
  check_.reset();
  const std::size_t before = state_.executions;
  if (over() || before == 0) {
    if (watch_.full()) check_ = std::make_unique<LargestOfAll>(channel_, watch_.end_window());
    if (native()) turn_ = channel_.take_turn(channel_.context().turns());
    if (!over()) ++state_.executions;
    record();
    return;
  }
  std::vector<std::uint64_t> own;
  if (before == 1) {
    own.push_back(possible && !state_.against ? 0 : 1);
  } else if (before == TrialState::kExecutions) {
    for (const double time : state_.times) own.push_back(ordered_word(time));
  }
  const bool may_be_by_mpi = before % 2 == 1 || before == TrialState::kExecutions;
  if (may_be_by_mpi) turn_ = channel_.take_turn(channel_.context().turns());
  agreement_ = std::make_unique<LargestOfAll>(channel_, std::move(own));
}

bool WayTrial::find_way() {
  if (agreement_) {
    if (!agreement_->advance()) return false;
    settle(agreement_->numbers());
    agreement_.reset();
  }
  if (!natively()) turn_.end();
  return true;
}

void WayTrial::settle(const std::vector<std::uint64_t>& agreed) {
  if (state_.executions == 1) {
    state_.stage = agreed.front() == 0 ? Stage::kTrying : Stage::kPlanned;
  } else if (state_.executions == TrialState::kExecutions) {
    decide(agreed);
  }
  if (!over()) ++state_.executions;
  record();
  start_s_ = MPI_Wtime();
}

void WayTrial::measure_again() {
  constexpr std::size_t kOfEach = 2;  // connections are open, and buffers have been touched
  decided_before_ = state_.stage;
  state_.stage = Stage::kTrying;
  state_.executions = TrialState::kExecutions - 2 * kOfEach;
  state_.times.fill(0);
}

void WayTrial::end() {
  ended_ = true;
  if (counts()) {
    state_.times[state_.executions - 3] = MPI_Wtime() - start_s_;
    record();
  } else if (over() && watch_.watches()) {
    watch_.add(MPI_Wtime() - start_s_);
  }
}

void WayTrial::decide(const std::vector<std::uint64_t>& slowest) {
  std::array<std::vector<double>, 2> ways;
  for (std::size_t i = 0; i < slowest.size(); ++i) {
    // An execution that was under way, or had failed, when the next job was made left no time.
    if (slowest[i] != 0) ways[i % 2].push_back(number_of(slowest[i]));
  }
  const bool both = !ways[0].empty() && !ways[1].empty();
  if (both) {
    state_.planned_s = usual_time(channel_, ways[0]);
    state_.native_s = usual_time(channel_, ways[1]);
  }
  const bool again = decided_before_ != Stage::kFirst;
  if (again && both) {
    // With few samples, one execution that met a full queue must not take the job away from a way that has served well.
    const bool was_native = decided_before_ == Stage::kNative;
    const auto [other, present] = std::pair(ways[was_native ? 0 : 1], ways[was_native ? 1 : 0]);
    const bool change = std::ranges::max(other) * clearly(false) < std::ranges::min(present);
    state_.stage = was_native == change ? Stage::kPlanned : Stage::kNative;
  } else {
    const bool plan_is_slower = both && native_is_clearly_faster(measured(), ways[0], ways[1]);
    const bool plan_is_faster =
        !both || native_is_clearly_faster({state_.native_s, state_.planned_s}, ways[1], ways[0]);
    const bool by_mpi = other_if_alike_ ? !plan_is_faster : plan_is_slower;
    state_.stage = by_mpi ? Stage::kNative : Stage::kPlanned;
  }
  std::vector<double>& chosen = ways[native() ? 1 : 0];
  if (!watched_ || chosen.empty()) return;
  std::ranges::sort(chosen);
  watch_.expect(chosen[(chosen.size() - 1) / 2], decided_before_ == state_.stage);
}

}  // namespace sluice::mpi::detail
