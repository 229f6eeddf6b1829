#include "run/mpi/collective/reduction_job.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "run/mpi/runtime/progress_thread.hpp"
#include "run/mpi/ways/native_collective.hpp"
#include "run/mpi/ways/way_trial.hpp"
#include "sluice/quantity_text.hpp"

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
  std::string text = summary.method;
  if (summary.predicted_s > 0) text += ", predicted " + seconds_text(summary.predicted_s);
  if (!summary.rule.empty()) text += " (" + summary.rule + ")";
  return text +
         detail::to_text({summary.planned_s, summary.native_s}, detail::native_call("MPI_Reduce", "MPI_Ireduce"));
}

}  // namespace sluice::mpi

namespace sluice::mpi::detail {

ReductionJob::ReductionJob(std::shared_ptr<Context> context, std::int64_t number, ReductionOptions user_options,
                           int user_root)
    : Job(std::move(context), number, "reduction"), options(std::move(user_options)), root(user_root) {}

Overlap ReductionJob::overlap() const {
  if (options.progress_thread && ProgressThread::possible()) return Overlap::kThread;
  return Overlap::kNone;
}

void ReductionJob::check(const Arguments& own, const ReducedData& data) {
  if (channel.context().plans().find(own.bytes()) == nullptr) checked_ = check_reduction(channel, options, data, root);
}

void ReductionJob::compare(const Arguments& arguments, const Arguments& own, const std::exception_ptr& failure) {
  key_ = own.bytes();
  kept_ = find_kept(channel, key_, arguments.fingerprint(), failure);
  planned = std::static_pointer_cast<const ReductionChoice>(kept_.plan);
}

void ReductionJob::remember(std::shared_ptr<const ReductionChoice> choice) {
  kept_.put(channel, key_, std::move(choice));
}

std::shared_ptr<const ReductionChoice> ReductionJob::choose(const ReducedData& data, const ReductionCosts& costs,
                                                            bool parts_known) {
  if (planned) return planned;
  auto choice = std::make_shared<const ReductionChoice>(
      choose_reduction(channel, options, data, root, costs, parts_known, checked_));
  // The cost of objects was measured with one function; nothing else is known of it.
  if (!data.objects || !measures(data)) remember(choice);
  return choice;
}

void ReductionJob::describe(const ReductionChoice& choice, const WayTimes& measured) {
  summary_ = {choice.method, choice.length, choice.costs};
  summary_.planned_s = measured.planned_s;
  summary_.native_s = measured.native_s;
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

void ReductionJob::make_executor(std::shared_ptr<Data> data, const OwnPart& part, const TreeExecutor::Limits& limits) {
  const bool receives = !std::ranges::all_of(part.ends, &OwnPart::Own::sends);
  ProgressThread* const thread = options.progress_thread && receives ? channel.context().progress_thread() : nullptr;
  executor.emplace(channel, std::move(data), part, limits, thread);
}

}  // namespace sluice::mpi::detail
