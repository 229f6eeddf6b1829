#include "sluice/run/mpi/collectives.hpp"

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "run/mpi/collective/collective_plan.hpp"
#include "run/mpi/collective/program_executor.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/ways/native_program.hpp"
#include "run/mpi/ways/way_trial.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::mpi {

struct CollectiveJob::State final : detail::Job {
  /// `make_task`: local; what it throws reaches all ranks.
  template <class MakeTask>
  State(std::shared_ptr<detail::Context> context, std::int64_t number, Collective problem, MakeTask make_task);
  ~State() override { close(); }

  void check_buffers(const void* from, const void* to) const;
  void begin(const void* from, void* to);
  void begin_planned() { executor->begin(own, result); }
  void begin_natively(detail::Turns::Turn turn) {
    native.begin(by_mpi->start(own, result), by_mpi->memory(), std::move(turn));
  }
  detail::Advance carry_out() { return trial.natively() ? native.advance() : executor->advance(); }

  detail::Advance advance() override { return trial.advance(*this); }
  [[nodiscard]] bool may_sleep() const override { return true; }
  void abandon() noexcept override {
    if (executor) executor->abandon();
    native.abandon();
    trial.abandon();
  }
  [[nodiscard]] bool in_native_collective() const override { return trial.may_be_native(); }

  detail::CollectiveTask task;
  bool gives = true;  ///< this rank has something at the start
  bool gets = true;   ///< it gets something
  bool may_be_in_place = false;
  const detail::Rule* rule = nullptr;  ///< that led to the plan or to MPI's own call; null if none did
  std::shared_ptr<const detail::PlannedCollective> planned;
  std::optional<detail::ProgramExecutor> executor;
  std::optional<detail::NativeProgram> by_mpi;
  detail::WayTrial trial{channel};
  detail::NativeCollective native{channel};

  // The present execution.
  const void* own = nullptr;
  void* result = nullptr;
};

template <class MakeTask>
CollectiveJob::State::State(std::shared_ptr<detail::Context> context, std::int64_t number, Collective problem,
                            MakeTask make_task)
    : Job(std::move(context), number, to_string(problem).data()) {
  using detail::Way;
  Way way = Way::kPlan;
  detail::Arguments arguments("collective ");
  const std::exception_ptr failure = detail::failure_of([&] {
    task = make_task(channel.size());
    arguments = arguments_of(task);
    const detail::ChosenWay chosen = way_of(task, channel.context());
    way = chosen.way;
    rule = chosen.rule;
  });
  detail::KeptPlan kept = find_kept(channel, arguments.bytes(), arguments.fingerprint(), failure);
  gives = !ranges_at_start(task.shape, channel.rank()).empty();
  gets = !ranges_at_end(task.shape, channel.rank()).empty();
  may_be_in_place = detail::ProgramData::may_be_in_place(task.shape, channel.rank());
  if (way != Way::kNative) {
    if (kept.plan) {
      planned = std::static_pointer_cast<const detail::PlannedCollective>(kept.plan);
    } else {
      planned = std::make_shared<const detail::PlannedCollective>(plan_collective(channel, task));
      kept.put(channel, arguments.bytes(), planned);
    }
    rule = detail::rule_of(planned->rule);
    const bool combining = combines(task.shape.problem);
    executor.emplace(channel, task.elements, task.shape, planned->part,
                     combining ? channel.context().progress_thread() : nullptr);
  }
  if (way != Way::kPlan) by_mpi.emplace(task.shape, task.elements, channel.comm());
  trial.choose(way, kept);
}

void CollectiveJob::State::check_buffers(const void* from, const void* to) const {
  if (from == MPI_IN_PLACE && !may_be_in_place)
    throw InputError("own", "MPI_IN_PLACE", "it where the result has a place for the own data");
  if (gives && from == nullptr) throw InputError("own", "a null pointer", "what the rank has");
  if (gets && to == nullptr) throw InputError("result", "a null pointer", "room for what the rank gets");
}

void CollectiveJob::State::begin(const void* from, void* to) {
  start([&] { check_buffers(from, to); },
        [&] {
          own = from;
          result = to;
          return trial.begin(*this, true);
        });
}

// ---- CollectiveJob

CollectiveJob::CollectiveJob(MPI_Comm comm, Collective problem, std::int64_t bytes, int root,
                             const CollectiveOptions& options)
    : state_(detail::make_job<State>(
          comm, problem, [&](int ranks) { return detail::collective_task(problem, {bytes}, root, ranks, options); })) {}
CollectiveJob::CollectiveJob(MPI_Comm comm, Collective problem, std::span<const std::int64_t> counts, int root,
                             const CollectiveOptions& options)
    : state_(detail::make_job<State>(comm, problem, [&](int ranks) {
        return detail::collective_task(problem, {0, counts}, root, ranks, options);
      })) {}
CollectiveJob::CollectiveJob(MPI_Comm comm, Collective problem, const ElementOperation& operation,
                             const CollectiveOptions& options)
    : state_(detail::make_job<State>(comm, problem, [&](int ranks) {
        return detail::collective_task(problem, operation, std::nullopt, ranks, options);
      })) {}
CollectiveJob::CollectiveJob(MPI_Comm comm, Collective problem, const ElementOperation& operation,
                             std::span<const std::int64_t> counts, const CollectiveOptions& options)
    : state_(detail::make_job<State>(comm, problem, [&](int ranks) {
        return detail::collective_task(problem, operation, counts, ranks, options);
      })) {}

CollectiveJob::~CollectiveJob() = default;
CollectiveJob::CollectiveJob(CollectiveJob&&) noexcept = default;
CollectiveJob& CollectiveJob::operator=(CollectiveJob&&) noexcept = default;

void CollectiveJob::execute(const void* own, void* result) {
  state_->begin(own, result);
  state_->wait();
}
void CollectiveJob::start(const void* own, void* result) { state_->begin(own, result); }
bool CollectiveJob::test() { return state_->test(); }
void CollectiveJob::wait() { state_->wait(); }
void CollectiveJob::give_up(const std::exception_ptr& why) noexcept { state_->give_up(why); }

bool CollectiveJob::native() const { return state_->trial.native(); }

ChosenCollective CollectiveJob::chosen() const {
  ChosenCollective chosen;
  if (native()) {
    chosen.method = detail::NativeProgram::name(state_->task.shape);
  } else {
    chosen.method = state_->planned->method;
    chosen.predicted_s = state_->planned->predicted_s;
  }
  chosen.planned_s = state_->trial.measured().planned_s;
  chosen.native_s = state_->trial.measured().native_s;
  return chosen;
}

std::string CollectiveJob::explanation() const {
  const ChosenCollective chosen = this->chosen();
  std::string text = chosen.method;
  if (chosen.predicted_s > 0) text += ", predicted " + seconds_text(chosen.predicted_s);
  if (chosen.planned_s == 0 || !native()) text += in_brackets(state_->rule);
  return text + detail::to_text({chosen.planned_s, chosen.native_s}, detail::NativeProgram::name(state_->task.shape));
}

bool CollectiveJob::settled() const { return state_->trial.over(); }

std::int64_t CollectiveJob::own_bytes() const {
  return total_bytes(ranges_at_start(state_->task.shape, state_->channel.rank()));
}

std::int64_t CollectiveJob::result_bytes() const {
  return total_bytes(ranges_at_end(state_->task.shape, state_->channel.rank()));
}

std::int64_t CollectiveJob::peak_extra_bytes() const { return state_->executor ? state_->executor->held_bytes() : 0; }

}  // namespace sluice::mpi
