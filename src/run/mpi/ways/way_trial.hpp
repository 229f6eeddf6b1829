#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/kept_plan.hpp"
#include "run/mpi/runtime/trial_state.hpp"
#include "run/mpi/ways/way_watch.hpp"

namespace sluice::mpi::detail {

/// The measured times as the end of a sentence, such as "; the plan took 98.2 ms, MPI_Bcast 612 ms"; "" if none was
/// measured.
[[nodiscard]] std::string to_text(const WayTimes& measured, const char* native);

/// Whether MPI's own collective is clearly faster than a plan: by a twentieth, or by a fiftieth if it was measured more
/// than once and each of its executions took less than each by the plan. `usual`: what an execution is expected to
/// take. @pre at least one execution of each was measured
[[nodiscard]] bool native_is_clearly_faster(const WayTimes& usual, std::span<const double> planned,
                                            std::span<const double> native);

/// The way to carry out a job; the same on all ranks. kTurns: executions alternate between the job's plan and MPI's own
/// collective, then use the faster one.
enum class Way { kPlan, kTurns, kNative };

/// Decides whether an execution of a job goes by its plan or by MPI's own collective, begins it, and advances it. A job
/// may have a second plan in place of MPI's own collective. If the two alternate, they do so in the first executions of
/// the job. The faster one serves from then on: no model predicts how fast an MPI is. A job with the same arguments as
/// an earlier job goes on where that one was. So jobs that are made for a single execution come to a decision, too.
///
/// The first execution goes by the plan, because many jobs have no other. The second and the ninth begin with an
/// agreement of all ranks, the executions between them with a barrier. Otherwise a rank that is done with one way early
/// would count what the others still take as time of the other way. The rank that starts an execution does not wait for
/// that: it is advanced like all else. Times are the slowest rank's, from there to the end of the execution. If ranks
/// compute meanwhile both ways take longer, and the plan stays unless MPI's way is clearly faster.
///
/// A job between nodes whose executions are not short goes on looking (WayWatch). If the network has changed, four
/// executions alternate between the two ways again. The job changes its way if both samples of the other way beat both
/// samples of the current way. This concerns only this job, because it is the one that lasts.
///
/// The job's class `Executions` has three functions. begin_planned() and begin_natively(Turns::Turn) begin the
/// execution that was started last; the collective has that turn. carry_out() advances the execution that was begun;
/// natively() says which way it goes.
class WayTrial {
 public:
  /// Goes by the plan, unless another way is chosen.
  explicit WayTrial(Channel& channel) : channel_(channel) { state_.stage = Stage::kPlanned; }

  /// Before the first execution. `kept`: the trial that this one continues, and where it is kept for the next one.
  /// `other_if_alike`: MPI's way serves unless the plan is clearly faster, not the other way round.
  void choose(Way way, const KeptPlan& kept, bool other_if_alike = false);

  /// Starts an execution, on all ranks; does not wait. `possible`: whether this rank is in favour of trying MPI's own
  /// collective; asked for once, and all have to be. This and advance() throw as Channel::check.
  template <class Executions>
  Advance begin(Executions& executions, bool possible) {
    prepare(possible);
    (void)begin_if_known(executions);
    return Advance::kIdle;
  }
  /// Advances the execution, and what ranks say to each other beside it. It is not over before they have said it,
  /// because nothing may be left on its way when the job is destroyed.
  template <class Executions>
  [[nodiscard]] Advance advance(Executions& executions) {
    if (agreement_ != nullptr) return begin_if_known(executions) ? Advance::kMoved : Advance::kIdle;
    if (!ended_) {
      const Advance come = executions.carry_out();
      if (come != Advance::kOver) {
        if (check_ != nullptr) (void)check_->advance();
        return come;
      }
      end();
    }
    return check_ == nullptr || check_->advance() ? Advance::kOver : Advance::kIdle;
  }
  /// Whether the execution is the one that goes by the plan because no other may be tried yet.
  [[nodiscard]] bool first() const { return state_.stage == Stage::kFirst && state_.executions == 1; }
  /// To be called in or after that execution: this rank is against trying the other way.
  void advise_against() {
    state_.against = true;
    record();
  }
  /// To be called if the execution was given up.
  void abandon() noexcept { turn_.end(); }
  /// Whether the execution goes by the collective, once it has begun.
  [[nodiscard]] bool natively() const { return over() ? native() : state_.executions % 2 == 0; }
  /// Whether the collective may be under way on some rank.
  [[nodiscard]] bool may_be_native() const {
    return agreement_ != nullptr || state_.stage == Stage::kTrying || native();
  }
  /// Whether it serves: it was chosen, or has been found to be faster.
  [[nodiscard]] bool native() const { return state_.stage == Stage::kNative; }
  /// Times of the slowest rank, once it is decided; 0 before, and if nothing was tried.
  [[nodiscard]] WayTimes measured() const { return {state_.planned_s, state_.native_s}; }
  [[nodiscard]] bool over() const { return state_.over(); }

 private:
  using Stage = TrialState::Stage;

  template <class Executions>
  bool begin_if_known(Executions& executions) {
    if (!find_way()) return false;
    if (natively()) {
      executions.begin_natively(std::move(turn_));
    } else {
      executions.begin_planned();
    }
    return true;
  }
  void prepare(bool possible);
  /// Whether it is known which way the execution goes: looks, and does not wait.
  [[nodiscard]] bool find_way();
  void end();
  /// Whether the execution that is under way is measured.
  [[nodiscard]] bool counts() const { return state_.stage == Stage::kTrying && state_.executions > 2; }
  /// What follows for this execution from what all ranks said.
  void settle(const std::vector<std::uint64_t>& agreed);
  void decide(const std::vector<std::uint64_t>& slowest);
  /// From this execution on.
  void measure_again();
  [[nodiscard]] double usual_s() const { return native() ? state_.native_s : state_.planned_s; }
  /// For jobs to come; what is decided is not taken back by a job that was made before.
  void record() const {
    if (record_ && (over() || !record_->over())) *record_ = state_;
  }

  Channel& channel_;
  std::shared_ptr<TrialState> record_;
  TrialState state_;
  Turns::Turn turn_;
  std::unique_ptr<LargestOfAll> agreement_;  ///< that the execution begins with, while it is under way
  double start_s_ = 0;

  bool other_if_alike_ = false;
  bool watched_ = false;
  Stage decided_before_ = Stage::kFirst;  ///< before the ways were measured again
  WayWatch watch_;
  std::unique_ptr<LargestOfAll> check_;  ///< of a window, beside one execution, and judged at the start of the next
  bool ended_ = true;                    ///< the execution, apart from check_
};

}  // namespace sluice::mpi::detail
