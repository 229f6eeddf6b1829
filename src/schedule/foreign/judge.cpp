#include "sluice/schedule/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "schedule/foreign/checks.hpp"
#include "schedule/foreign/events.hpp"
#include "schedule/foreign/placed_cells.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {

namespace {

using detail::operation_text;
using detail::PlacedCells;
using detail::PlacedEvents;

constexpr std::int64_t kNoLimit = -1;

/// nullopt: no number of places is enough.
std::optional<std::int64_t> fewest_places(const PlacedEvents& events) {
  if (events.is_free(0)) return 0;
  if (!events.is_free(kNoLimit)) return std::nullopt;
  std::int64_t too_few = 0, enough = 1;
  while (enough < events.most_messages() && !events.is_free(enough)) {
    too_few = enough;
    enough *= 2;
  }
  while (enough - too_few > 1) {
    const std::int64_t middle = too_few + (enough - too_few) / 2;
    (events.is_free(middle) ? enough : too_few) = middle;
  }
  return enough;
}

std::string cycle_text(const PlacedSchedule& schedule, const PlacedEvents::Order& order) {
  constexpr std::size_t kShownWaits = 8;
  const auto worker = [&](std::int32_t operation) {
    return schedule.operations[static_cast<std::size_t>(operation)].worker;
  };
  std::vector<std::pair<std::int32_t, std::int32_t>> waits;
  for (const auto& [waiting, cause] : order.cycle) {
    if (worker(waiting) != worker(cause)) waits.emplace_back(waiting, cause);
  }
  if (waits.empty()) waits = order.cycle;
  std::string text;
  for (std::size_t i = 0; i < std::min(waits.size(), kShownWaits); ++i)
    text += fmt::format("{}{} waits for {}", i == 0 ? "" : ", ", operation_text(schedule, waits[i].first),
                        operation_text(schedule, waits[i].second));
  if (waits.size() > kShownWaits) text += fmt::format(", {} more", waits.size() - kShownWaits);
  return text;
}

/// The root that the schedule is most likely meant for: the only rank that gets nothing, or that gives nothing.
std::int64_t likely_root(const PlacedSchedule& schedule, Collective problem) {
  if (schedule.root) return *schedule.root;
  if (!has_root(problem)) return 0;
  const bool gathers = problem == Collective::kReduce || problem == Collective::kGather;
  std::vector<char> active(static_cast<std::size_t>(schedule.ranks), 0);
  for (const PlacedOperation& each : schedule.operations) {
    const std::int32_t rank = schedule.workers[static_cast<std::size_t>(each.worker)].rank;
    if ((gathers ? each.sends : each.receives) >= 0) active[static_cast<std::size_t>(rank)] = 1;
    for (std::uint32_t i = 0; i < each.source_count + each.target_count; ++i) {
      const std::int32_t other = schedule.ranges[each.ranges + i].rank;
      // The other rank gives a source and gets a target; this rank does the opposite.
      const bool other_gives = i < each.source_count;
      if (other != rank) active[static_cast<std::size_t>(other_gives == gathers ? other : rank)] = 1;
    }
  }
  const auto idle = std::find(active.begin(), active.end(), 0);
  return idle == active.end() ? 0 : idle - active.begin();
}

/// The memory of a rank has a place for everything; races and data.
void judge_memory(const PlacedSchedule& schedule, const PlacedEvents& events, const std::vector<std::int32_t>& order,
                  std::optional<Collective> problem, JudgeVerdict& verdict) {
  const bool both = schedule.in_place && schedule.out_of_place && !schedule.named;
  for (const bool in_place : {false, true}) {
    if (!schedule.named && !(in_place ? schedule.in_place : schedule.out_of_place)) continue;
    if (schedule.named && in_place) continue;
    std::vector<Violation> faults;
    const std::int64_t root = problem ? likely_root(schedule, *problem) : 0;
    const PlacedCells cells(schedule, problem, in_place, root);
    check_races(schedule, events, cells, order, problem, faults);
    if (!faults.empty() && problem) verdict.not_checked = "the data, which depends on who comes first";
    if (faults.empty() && problem) check_data(schedule, cells, order, *problem, faults);
    for (Violation& each : faults) {
      if (both) each.reason += in_place ? " (in place)" : " (out of place)";
      verdict.violations.push_back(std::move(each));
    }
  }
}

void judge_limits(const PlacedSchedule& schedule, const JudgeOptions& options, JudgeVerdict& verdict) {
  if (schedule.format != PlacedFormat::kMsccl) return;
  for (const Executor executor : {Executor::kRccl, Executor::kMsccl, Executor::kNccl}) {
    if (options.executor && *options.executor != executor) continue;
    for (std::string& limit : detail::beyond_limits(schedule, executor)) {
      if (options.executor)
        verdict.violations.push_back({-1, -1, std::move(limit)});
      else
        verdict.warnings.push_back(std::move(limit));
    }
  }
}

void check_options(const PlacedSchedule& schedule, const JudgeOptions& options, std::optional<Collective> problem) {
  if (options.executor && schedule.format != PlacedFormat::kMsccl)
    throw InputError("--executor", fmt::format("a file of {}", to_string(schedule.format)), "MSCCL XML");
  if (options.places && *options.places < 1)
    throw InputError("--places", fmt::format("{}", *options.places), "1 at least");
  if (!problem || schedule.chunks == 0 || schedule.named) return;
  const std::int64_t blocks = has_blocks(*problem) ? schedule.ranks : 1;
  if (schedule.chunks % blocks != 0)
    throw InputError(options.as ? "--as" : "schedule",
                     fmt::format("{} of {} in {}", to_string(*problem), count_text(schedule.ranks, "rank"),
                                 count_text(schedule.chunks, "chunk")),
                     fmt::format("a multiple of {}", count_text(blocks, "chunk")));
}

/// A cycle with the places that there are. Returns false if there is one.
bool judge_order(const PlacedSchedule& schedule, const PlacedEvents& events, const PlacedEvents::Order& order,
                 JudgeVerdict& verdict) {
  if (verdict.has_messages) verdict.fewest_places = fewest_places(events);
  if (order.cycle.empty()) return true;
  std::string places;
  if (verdict.has_messages && verdict.fewest_places)
    places = fmt::format(": needs {}, {} has {}", count_text(*verdict.fewest_places, "place"), verdict.places_of,
                         verdict.places);
  verdict.violations.push_back(
      detail::fault_at(schedule, order.cycle.front().first, "deadlock: " + cycle_text(schedule, order) + places));
  return false;
}

}  // namespace

JudgeVerdict judge(const PlacedSchedule& schedule, const JudgeOptions& options) {
  JudgeVerdict verdict;
  const std::optional<Collective> problem = options.as ? options.as : schedule.problem;
  check_options(schedule, options, problem);
  verdict.places = options.places.value_or(schedule.places);
  verdict.places_of = options.places ? "--places" : schedule.protocol;
  const PlacedEvents events(schedule, verdict.violations);
  verdict.has_messages = events.is_paired() && !schedule.connections.empty() && schedule.format != PlacedFormat::kMoves;
  if (verdict.violations.empty()) {
    PlacedEvents::Order order = events.order(verdict.places == 0 ? kNoLimit : verdict.places);
    if (judge_order(schedule, events, order, verdict)) {
      verdict.as = problem;
      if (schedule.memory.empty()) {
        if (problem)
          check_reach(schedule, events, order.operations, *problem, likely_root(schedule, *problem),
                      verdict.violations);
      } else {
        judge_memory(schedule, events, order.operations, problem, verdict);
      }
      if (!problem)
        verdict.not_checked =
            schedule.collective.empty()
                ? "the data, as the file does not say its collective; --as COLLECTIVE does"
                : fmt::format("the data, as Sluice does not know \"{}\"; --as COLLECTIVE sets another",
                              schedule.collective);
    }
  }
  judge_limits(schedule, options, verdict);
  return verdict;
}

}  // namespace sluice
