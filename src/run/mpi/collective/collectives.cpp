#include "sluice/run/mpi/collectives.hpp"

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "run/mpi/collective/collective_plan.hpp"
#include "run/mpi/collective/program_engine.hpp"
#include "run/mpi/ways/native_program.hpp"
#include "run/mpi/ways/planned_job.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::mpi {

struct CollectiveJob::State final : detail::PlannedJob<detail::PlannedCollective> {
  /// `make_task`: local; what it throws reaches all ranks.
  template <class MakeTask>
  State(std::shared_ptr<detail::Context> context, std::int64_t number, Collective problem, MakeTask make_task);
  ~State() override { close(); }

  void check_buffers(const void* from, const void* to) const;
  void begin(const void* from, void* to);
  [[nodiscard]] bool may_sleep() const override { return true; }

  detail::CollectiveTask task;
  bool gives = true;  ///< this rank has something at the start
  bool gets = true;   ///< it gets something
  bool may_be_in_place = false;
  const detail::Rule* rule = nullptr;  ///< that led to the plan or to MPI's own call; null if none did
  std::optional<detail::NativeProgram> by_mpi;
  detail::NativeCollective native{channel};

  // The present execution.
  const void* own = nullptr;
  void* result = nullptr;
};

template <class MakeTask>
CollectiveJob::State::State(std::shared_ptr<detail::Context> context, std::int64_t number, Collective problem,
                            MakeTask make_task)
    : PlannedJob(std::move(context), number, to_string(problem).data()) {
  using detail::Use;
  Use use = Use::kPlan;
  detail::Arguments arguments("collective ");
  const std::exception_ptr failure = detail::failure_of([&] {
    task = make_task(channel.size());
    arguments = arguments_of(task);
    const detail::ChosenUse chosen = use_of(task, channel.context());
    use = chosen.use;
    rule = chosen.rule;
  });
  detail::KeptPlan kept = find_kept(channel, arguments.bytes(), arguments.fingerprint(), failure);
  gives = !ranges_at_start(task.shape, channel.rank()).empty();
  gets = !ranges_at_end(task.shape, channel.rank()).empty();
  may_be_in_place = detail::ProgramData::may_be_in_place(task.shape, channel.rank());
  if (use != Use::kOther) {
    planned = kept.plan_or<detail::PlannedCollective>(channel, [&] { return plan_collective(channel, task); });
    rule = detail::rule_of(planned->rule);
    const bool combining = combines(task.shape.problem);
    auto engine = std::make_unique<detail::ProgramEngine>(channel, task.elements, task.shape, planned->part,
                                                          combining ? channel.context().progress_thread() : nullptr);
    ways.set_plan(detail::way_by(std::move(engine), [this](auto& by, auto /*turn*/) { by.begin(own, result); }),
                  /*keep=*/true);
  }
  if (use != Use::kPlan) {
    by_mpi.emplace(task.shape, task.elements, channel.comm());
    ways.set_mpi(detail::NativeProgram::name(task.shape), [this] {
      return detail::way_by(&native, [this](auto& collective, auto turn) {
        collective.begin(by_mpi->start(own, result), by_mpi->memory(), std::move(turn));
      });
    });
  }
  ways.choose(use, kept);
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
          return ways.begin(true);
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

bool CollectiveJob::native() const { return state_->ways.other_serves(); }

ChosenCollective CollectiveJob::chosen() const {
  const detail::WayTimes measured = state_->ways.measured();
  if (native()) return {state_->ways.other_name(), 0, measured.planned_s, measured.other_s};
  return {state_->planned->method, state_->planned->predicted_s, measured.planned_s, measured.other_s};
}

std::string CollectiveJob::explanation() const {
  const ChosenCollective chosen = this->chosen();
  return state_->ways.explanation(chosen.method, chosen.predicted_s, state_->rule);
}

bool CollectiveJob::settled() const { return state_->ways.over(); }

std::int64_t CollectiveJob::own_bytes() const {
  return total_bytes(ranges_at_start(state_->task.shape, state_->channel.rank()));
}

std::int64_t CollectiveJob::result_bytes() const {
  return total_bytes(ranges_at_end(state_->task.shape, state_->channel.rank()));
}

std::int64_t CollectiveJob::peak_extra_bytes() const { return state_->ways.buffer_bytes(); }

}  // namespace sluice::mpi
