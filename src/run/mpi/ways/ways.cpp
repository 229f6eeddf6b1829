#include "run/mpi/ways/ways.hpp"

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

/// The plan stays unless it takes longer than the other way, times this factor. `always`: and each of several
/// executions by the other way took less time than each by the plan.
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

std::string explanation(const std::string& method, double predicted_s, const std::string& rule,
                        const WayTimes& measured, const char* other) {
  std::string text = method;
  if (predicted_s > 0) text += ", predicted " + seconds_text(predicted_s);
  text += rule;
  if (measured.planned_s <= 0 && measured.other_s <= 0) return text;
  return text + fmt::format("; the plan took {}, {} {}", seconds_text(measured.planned_s), other,
                            seconds_text(measured.other_s));
}

bool other_is_clearly_faster(const WayTimes& usual, std::span<const double> planned, std::span<const double> other) {
  const bool all = std::min(planned.size(), other.size()) > 1 && std::ranges::max(other) < std::ranges::min(planned);
  return usual.other_s * clearly(all) < usual.planned_s;
}

void Ways::set_mpi(const char* name, MakeWay make) {
  name_ = name;
  make_other_ = std::move(make);
}

void Ways::set_second_plan(const char* name, std::unique_ptr<Way> second) {
  name_ = name;
  other_ = std::move(second);
}

void Ways::choose(Use use, const KeptPlan& kept, bool other_if_alike) {
  other_if_alike_ = other_if_alike;
  if (use != Use::kTurns) {
    state_.stage = use == Use::kOther ? Stage::kOther : Stage::kPlanned;
    return;
  }
  record_ = kept.trial;
  state_ = record_ ? resumed(*record_, kept.progress) : TrialState();
  watched_ = !channel_.context().one_node();
  if (watched_ && over()) watch_.expect(usual_s(), false);
}

Advance Ways::begin(bool possible) {
  prepare(possible);
  (void)begin_if_known();
  return Advance::kIdle;
}

Advance Ways::advance() {
  if (agreement_ != nullptr) return begin_if_known() ? Advance::kMoved : Advance::kIdle;
  if (!ended_) {
    const Advance come = (by_other() ? other_ : plan_)->advance();
    if (come != Advance::kOver) {
      if (check_ != nullptr) (void)check_->advance();
      return come;
    }
    end();
  }
  return check_ == nullptr || check_->advance() ? Advance::kOver : Advance::kIdle;
}

void Ways::abandon() noexcept {
  if (plan_) plan_->abandon();
  if (other_) other_->abandon();
  turn_.end();
}

void Ways::advise_against() {
  state_.against = true;
  record();
}

std::int64_t Ways::buffer_bytes() const {
  return (plan_ ? plan_->buffer_bytes() : 0) + (other_ ? other_->buffer_bytes() : 0);
}

std::string Ways::explanation(const std::string& method, double predicted_s, const Rule* rule) const {
  if (!other_serves()) return detail::explanation(method, predicted_s, in_brackets(rule), measured(), name_);
  const bool by_rule = state_.planned_s == 0;  // otherwise the trial has decided
  return detail::explanation(name_, 0, by_rule ? in_brackets(rule) : "", measured(), name_);
}

bool Ways::begin_if_known() {
  if (!find_way()) return false;
  // What has lost goes. Between hosts the ways may be measured again, so it goes only if it can be made again.
  const bool for_good = over() && channel_.context().one_node();
  if (!by_other()) {
    if (for_good || (over() && make_other_)) other_.reset();
    plan_->begin({});
    return true;
  }
  if (!over()) plan_->warm_up();
  if (for_good && !keep_plan_) plan_.reset();
  if (!other_) other_ = make_other_();
  other_->begin(std::move(turn_));
  return true;
}

void Ways::prepare(bool possible) {
  agreement_.reset();
  turn_.end();
  ended_ = false;
  start_s_ = MPI_Wtime();
  if (check_ != nullptr && watch_.judge(check_->numbers())) measure_again();
  check_.reset();
  const std::size_t before = state_.executions;
  if (over() || before == 0) {
    if (watch_.full()) check_ = std::make_unique<LargestOfAll>(channel_, watch_.end_window());
    if (other_serves()) turn_ = channel_.take_turn(channel_.context().turns());
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
  const bool may_be_by_other = before % 2 == 1 || before == TrialState::kExecutions;
  if (may_be_by_other) turn_ = channel_.take_turn(channel_.context().turns());
  agreement_ = std::make_unique<LargestOfAll>(channel_, std::move(own));
}

bool Ways::find_way() {
  if (agreement_) {
    if (!agreement_->advance()) return false;
    settle(agreement_->numbers());
    agreement_.reset();
  }
  if (!by_other()) turn_.end();
  return true;
}

void Ways::settle(const std::vector<std::uint64_t>& agreed) {
  if (state_.executions == 1) {
    state_.stage = agreed.front() == 0 ? Stage::kTrying : Stage::kPlanned;
  } else if (state_.executions == TrialState::kExecutions) {
    decide(agreed);
  }
  if (!over()) ++state_.executions;
  record();
  start_s_ = MPI_Wtime();
}

void Ways::measure_again() {
  constexpr std::size_t kOfEach = 2;  // connections are open, and buffers have been touched
  decided_before_ = state_.stage;
  state_.stage = Stage::kTrying;
  state_.executions = TrialState::kExecutions - 2 * kOfEach;
  state_.times.fill(0);
}

void Ways::end() {
  ended_ = true;
  if (counts()) {
    state_.times[state_.executions - 3] = MPI_Wtime() - start_s_;
    record();
  } else if (over() && watch_.watches()) {
    watch_.add(MPI_Wtime() - start_s_);
  }
}

void Ways::decide(const std::vector<std::uint64_t>& slowest) {
  std::array<std::vector<double>, 2> ways;
  for (std::size_t i = 0; i < slowest.size(); ++i) {
    // An execution that was under way, or had failed, when the next job was made left no time.
    if (slowest[i] != 0) ways[i % 2].push_back(number_of(slowest[i]));
  }
  const bool both = !ways[0].empty() && !ways[1].empty();
  if (both) {
    state_.planned_s = usual_time(channel_, ways[0]);
    state_.other_s = usual_time(channel_, ways[1]);
  }
  const bool again = decided_before_ != Stage::kFirst;
  if (again && both) {
    // With few samples, one execution that met a full queue must not take the job away from a way that has served well.
    const bool by_other_before = decided_before_ == Stage::kOther;
    const auto [idle, present] = std::pair(ways[by_other_before ? 0 : 1], ways[by_other_before ? 1 : 0]);
    const bool change = std::ranges::max(idle) * clearly(false) < std::ranges::min(present);
    state_.stage = by_other_before == change ? Stage::kPlanned : Stage::kOther;
  } else {
    const bool plan_is_slower = both && other_is_clearly_faster(measured(), ways[0], ways[1]);
    const bool plan_is_faster = !both || other_is_clearly_faster({state_.other_s, state_.planned_s}, ways[1], ways[0]);
    const bool change = other_if_alike_ ? !plan_is_faster : plan_is_slower;
    state_.stage = change ? Stage::kOther : Stage::kPlanned;
  }
  std::vector<double>& chosen = ways[other_serves() ? 1 : 0];
  if (!watched_ || chosen.empty()) return;
  std::ranges::sort(chosen);
  watch_.expect(chosen[(chosen.size() - 1) / 2], decided_before_ == state_.stage);
}

}  // namespace sluice::mpi::detail
