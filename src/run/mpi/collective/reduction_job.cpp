#include "run/mpi/collective/reduction_job.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "run/mpi/runtime/progress_thread.hpp"
#include "run/mpi/ways/native_collective.hpp"

namespace sluice::mpi {

std::string to_string(Overlap overlap) {
  switch (overlap) {
    case Overlap::kThread:
      return "a progress thread";
    case Overlap::kParts:
      return "an operation in parts";
    case Overlap::kNone:
      break;
  }
  return "none by the library";
}

std::string to_text(const ReductionSummary& summary) {
  if (summary.method.empty()) return "not measured yet";
  const std::string rule = summary.rule.empty() ? "" : " (" + summary.rule + ")";
  return detail::explanation(summary.method, summary.predicted_s, rule, {summary.planned_s, summary.native_s},
                             detail::native_call("MPI_Reduce", "MPI_Ireduce"));
}

}  // namespace sluice::mpi

namespace sluice::mpi::detail {

ReductionJob::ReductionJob(std::shared_ptr<Context> context, std::int64_t number, ReductionOptions user_options,
                           int user_root)
    : PlannedJob(std::move(context), number, "reduction"), options(std::move(user_options)), root(user_root) {}

Overlap ReductionJob::overlap() const {
  if (options.progress_thread && ProgressThread::possible()) return Overlap::kThread;
  return Overlap::kNone;
}

void ReductionJob::check(const Arguments& own, const ReducedData& data) {
  if (channel.context().plans().find(own.bytes()) == nullptr) checked_ = check_reduction(channel, options, data, root);
}

void ReductionJob::compare(const Arguments& arguments, const Arguments& own, const std::exception_ptr& failure) {
  kept_ = find_kept(channel, own.bytes(), arguments.fingerprint(), failure);
  planned = std::static_pointer_cast<const ReductionChoice>(kept_.plan);
}

void ReductionJob::choose(const ReducedData& data, const ReductionCosts& costs, bool parts_known) {
  if (planned) return;
  planned = std::make_shared<const ReductionChoice>(
      choose_reduction(channel, options, data, root, costs, parts_known, checked_));
  // The cost of objects was measured with one function; nothing else is known of it.
  if (!data.objects || !measures(data)) kept_.put(channel, planned);
}

void ReductionJob::describe(const ReductionChoice& choice, const WayTimes& measured) {
  summary_ = {choice.method, choice.length, choice.costs};
  summary_.planned_s = measured.planned_s;
  summary_.native_s = measured.other_s;
  if (choice.rule != nullptr) summary_.rule = to_text(*choice.rule);
  if (std::holds_alternative<ReductionChoice::Native>(choice.part)) {
    summary_.native = true;
  } else if (const auto* tree = std::get_if<ReductionChoice::Tree>(&choice.part)) {
    summary_.segments = tree->segments;
    const auto sends = std::ranges::count_if(tree->part.ends, &OwnPart::Own::sends);
    summary_.children = (std::ssize(tree->part.ends) - sends) / tree->segments;
    if (options.platform) summary_.predicted_s = choice.length;
  } else {
    const auto& pieces = std::get<ReductionChoice::Pieces>(choice.part);
    if (pieces.crosses_links) summary_.predicted_s = choice.length;
    std::set<std::int32_t> children;
    for (const OwnPart::Own& end : pieces.part.ends)
      if (!end.sends) children.insert(end.peer);
    summary_.children = std::ssize(children);
  }
}

void ReductionJob::set_engine(std::shared_ptr<Data> data, const OwnPart& part, const ReadyCarrier::Limits& limits,
                              std::function<void()> use) {
  const bool receives = !std::ranges::all_of(part.ends, &OwnPart::Own::sends);
  ProgressThread* const thread = options.progress_thread && receives ? channel.context().progress_thread() : nullptr;
  auto engine = std::make_unique<Engine>(channel, std::move(data));
  engine->add(std::make_unique<ReadyCarrier>(channel, part, limits, thread));
  ways.set_plan(way_by(std::move(engine), [use = std::move(use)](Engine& by, Turns::Turn /*turn*/) {
    use();
    by.begin();
  }));
}

}  // namespace sluice::mpi::detail
