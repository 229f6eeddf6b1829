#pragma once

#include <cstdint>
#include <functional>
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
#include "run/mpi/ways/choice.hpp"
#include "run/mpi/ways/way_watch.hpp"

namespace sluice::mpi::detail {

/// "METHOD, predicted 1.2 ms RULE; the plan took 98.2 ms, MPI_Ibcast 612 ms": what is known of it. `rule`: as
/// in_brackets; `other`: the name of the other way.
[[nodiscard]] std::string explanation(const std::string& method, double predicted_s, const std::string& rule,
                                      const WayTimes& measured, const char* other);

/// Whether the other way is clearly faster than the plan: by a twentieth, or by a fiftieth if it was measured more than
/// once and each of its executions took less than each by the plan. `usual`: what an execution is expected to take.
/// @pre at least one execution of each was measured
[[nodiscard]] bool other_is_clearly_faster(const WayTimes& usual, std::span<const double> planned,
                                           std::span<const double> other);

/// A way to carry out executions, one after the other.
class Way {
 public:
  Way() = default;
  virtual ~Way() = default;
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;

  /// Begins an execution. `turn`: see NativeCollective::begin.
  virtual void begin(Turns::Turn turn) = 0;
  virtual Advance advance() = 0;
  /// Ends the execution before it is over, if one is running.
  virtual void abandon() noexcept = 0;
  /// Between executions: does now what would make some of the next executions slower than later ones.
  virtual void warm_up() = 0;
  [[nodiscard]] virtual std::int64_t buffer_bytes() const = 0;
};

/// The way by `executor`, a pointer to what has the other functions of a Way; it may lack the last two. The way owns
/// what the pointer owns. `begin(executor, turn)` begins an execution.
template <class Pointer, class Begin>
[[nodiscard]] std::unique_ptr<Way> way_by(Pointer executor, Begin begin) {
  class ByExecutor final : public Way {
   public:
    ByExecutor(Pointer executor, Begin begin) : executor_(std::move(executor)), begin_(std::move(begin)) {}
    void begin(Turns::Turn turn) override { begin_(*executor_, std::move(turn)); }
    Advance advance() override { return executor_->advance(); }
    void abandon() noexcept override { executor_->abandon(); }
    void warm_up() override {
      if constexpr (requires { executor_->warm_up(); }) executor_->warm_up();
    }
    [[nodiscard]] std::int64_t buffer_bytes() const override {
      if constexpr (requires { executor_->buffer_bytes(); }) return executor_->buffer_bytes();
      return 0;
    }

   private:
    Pointer executor_;
    Begin begin_;
  };
  return std::make_unique<ByExecutor>(std::move(executor), std::move(begin));
}

/// Which of its ways a job uses; the same on all ranks. kTurns: executions alternate between the plan and the other
/// way, then use the faster one.
enum class Use { kPlan, kTurns, kOther };

/// The two ways to carry out a job: its plan, and MPI's own collective or a second plan. Decides which way an execution
/// goes, begins it, and advances it. If the two alternate, they do so in the first executions of the job. The faster
/// one serves from then on: no model predicts how fast an MPI is. A job with the same arguments as an earlier job goes
/// on where that one was. So jobs that are made for a single execution come to a decision, too.
///
/// The first execution goes by the plan, because many jobs have no other. The second and the ninth begin with an
/// agreement of all ranks, the executions between them with a barrier. Otherwise a rank that is done with one way early
/// would count what the others still take as time of the other way. The rank that starts an execution does not wait for
/// that: it is advanced like all else. Times are the slowest rank's, from there to the end of the execution. If ranks
/// compute meanwhile both ways take longer, and the plan stays unless the other way is clearly faster.
///
/// A job between nodes whose executions are not short goes on looking (WayWatch). If the network has changed, four
/// executions alternate between the two ways again. The job changes its way if both samples of the other way beat both
/// samples of the current way. This concerns only this job, because it is the one that lasts.
class Ways {
 public:
  using MakeWay = std::function<std::unique_ptr<Way>()>;

  /// The plan serves, unless choose() says otherwise.
  explicit Ways(Channel& channel) : channel_(channel) { state_.stage = Stage::kPlanned; }

  /// `keep`: also when the other way has won for good; then it counts in buffer_bytes().
  void set_plan(std::unique_ptr<Way> plan, bool keep = false) {
    plan_ = std::move(plan);
    keep_plan_ = keep;
  }
  /// The other way is MPI's own collective. `make()` makes the way when an execution goes by it; it goes when the plan
  /// has won. `name`: of its method.
  void set_mpi(const char* name, MakeWay make);
  /// The other way is a second plan.
  void set_second_plan(const char* name, std::unique_ptr<Way> second);
  /// Before the first execution. `kept`: the trial that this one continues, and where it is kept for the next one.
  /// `other_if_alike`: the other way serves unless the plan is clearly faster, not the other way round.
  void choose(Use use, const KeptPlan& kept, bool other_if_alike = false);

  /// Starts an execution, on all ranks; does not wait. `possible`: whether this rank is in favour of trying the other
  /// way; asked for once, and all have to be. This and advance() throw as Channel::check.
  Advance begin(bool possible);
  /// Advances the execution, and what ranks say to each other beside it. It is not over before they have said it,
  /// because nothing may be left on its way when the job is destroyed.
  [[nodiscard]] Advance advance();
  void abandon() noexcept;
  /// Whether the execution is the one that goes by the plan because no other may be tried yet.
  [[nodiscard]] bool first() const { return state_.stage == Stage::kFirst && state_.executions == 1; }
  /// To be called in or after that execution: this rank is against trying the other way.
  void advise_against();
  /// Whether the execution goes by the other way, once it has begun.
  [[nodiscard]] bool by_other() const { return over() ? other_serves() : state_.executions % 2 == 0; }
  /// Whether a collective of MPI's own may be under way on some rank.
  [[nodiscard]] bool in_native_collective() const {
    return make_other_ != nullptr && (agreement_ != nullptr || state_.stage == Stage::kTrying || other_serves());
  }
  /// Whether the other way was chosen, or has been found to be faster.
  [[nodiscard]] bool other_serves() const { return state_.stage == Stage::kOther; }
  [[nodiscard]] const char* other_name() const { return name_; }
  /// Times of the slowest rank, once it is decided; 0 before, and if nothing was tried.
  [[nodiscard]] WayTimes measured() const { return {state_.planned_s, state_.other_s}; }
  [[nodiscard]] bool over() const { return state_.over(); }
  /// Bytes that the ways hold beyond the user's.
  [[nodiscard]] std::int64_t buffer_bytes() const;
  /// What serves, and why. `method` and `predicted_s`: of the plan; `rule`: that led to what was chosen, or null.
  [[nodiscard]] std::string explanation(const std::string& method, double predicted_s, const Rule* rule) const;

 private:
  using Stage = TrialState::Stage;

  void prepare(bool possible);
  bool begin_if_known();
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
  [[nodiscard]] double usual_s() const { return other_serves() ? state_.other_s : state_.planned_s; }
  /// For jobs to come; what is decided is not taken back by a job that was made before.
  void record() const {
    if (record_ && (over() || !record_->over())) *record_ = state_;
  }

  Channel& channel_;
  std::unique_ptr<Way> plan_;  ///< null if it does not serve any more
  bool keep_plan_ = false;
  std::unique_ptr<Way> other_;
  MakeWay make_other_;     ///< if it is a collective of MPI's own
  const char* name_ = "";  ///< of the other way

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
