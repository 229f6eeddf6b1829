#include "run/mpi/exchange/exchange_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "run/mpi/exchange/exchange_part.hpp"
#include "run/mpi/exchange/message_sizes.hpp"
#include "schedule/pieces.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice::mpi {
namespace {

constexpr std::array<std::pair<ExchangeMode, std::string_view>, 6> kModes{{
    {ExchangeMode::kAuto, "auto"},
    {ExchangeMode::kChain, "chain"},
    {ExchangeMode::kLocal, "local"},
    {ExchangeMode::kBarrier, "barrier"},
    {ExchangeMode::kList, "list"},
    {ExchangeMode::kAtOnce, "at-once"},
}};

}  // namespace

std::string to_string(ExchangeMode mode) {
  const auto* const found = std::ranges::find(kModes, mode, [](const auto& m) { return m.first; });
  SLUICE_ASSERT(found != kModes.end(), fmt::format("mode {}", static_cast<int>(mode)));
  return std::string(found->second);
}

ExchangeMode parse_exchange_mode(const std::string& name, const std::string& where) {
  const auto* const found = std::ranges::find(kModes, name, [](const auto& m) { return m.second; });
  if (found == kModes.end()) {
    throw InputError(where, fmt::format("'{}'", name), "auto, chain, local, barrier, list or at-once");
  }
  return found->first;
}

namespace detail {
namespace {

void add_speeds(Arguments& arguments, const NetworkSpeeds& speeds) {
  arguments.add(std::span(speeds.senders));
  arguments.add(std::span(speeds.receivers));
  arguments.add(static_cast<std::int64_t>(speeds.backbone.size()));
  for (const BackboneChange& change : speeds.backbone) arguments.add_all(change.time, change.max_transfers);
}

void add_clusters(Arguments& arguments, const ExchangeOptions& options) {
  arguments.add(options.local_links.has_value());
  if (options.local_links) {
    arguments.add(options.local_links->unit_cost);
    arguments.add(options.local_links->setup.has_value());
    arguments.add(options.local_links->setup.value_or(0));
  }
  arguments.add(std::span(options.sender_ranks));
  arguments.add(std::span(options.receiver_ranks));
}

/// Adds all of a schedule that its execution depends on.
void add_schedule(Arguments& arguments, const StepSchedule& schedule) {
  arguments.add_all(schedule.problem, schedule.senders, schedule.receivers, schedule.max_transfers, schedule.setup,
                    schedule.decimals, schedule.switches);
  add_speeds(arguments, schedule.speeds);
  const auto add = [&](const std::vector<Step>& steps) {
    arguments.add(steps.size());
    for (const Step& step : steps) {
      arguments.add_all(step.duration, step.transfers.size());
      for (const Transfer& t : step.transfers) arguments.add_all(t.from, t.to, t.offset, t.size);
    }
  };
  add(schedule.steps);
  arguments.add(schedule.local_phases.has_value());
  if (schedule.local_phases) {
    add(schedule.local_phases->before.steps);
    add(schedule.local_phases->after.steps);
    for (const Route& r : schedule.local_phases->routes)
      arguments.add_all(r.from, r.to, r.offset, r.size, r.carrier, r.landing);
  }
}

/// What belongs to local links and schedules that are given.
void check_clusters(const ExchangeOptions& options, int ranks) {
  const auto refuse = [](const char* where, const std::string& found, const char* expected) {
    throw InputError(where, found, expected);
  };
  const bool has_schedule = options.schedule != nullptr;
  if (!has_schedule && !options.local_links) {
    if (!options.sender_ranks.empty()) refuse("sender_ranks", "a list", "none without local_links or a schedule");
    if (!options.receiver_ranks.empty()) refuse("receiver_ranks", "a list", "none without local_links or a schedule");
    return;
  }
  const char* const which = has_schedule ? "schedule" : "local_links";
  if (has_schedule && options.local_links) refuse("schedule", "cannot be used with local_links", "one of the two");
  if (!options.speeds.empty()) refuse(which, "cannot be used with speeds", "one of the two");
  if (has_schedule && options.max_transfers != 0) refuse("max_transfers", "a k beside a schedule", "0: its own");
  if (options.mode == ExchangeMode::kList || options.mode == ExchangeMode::kAtOnce)
    refuse(which, "mode " + to_string(options.mode), "a mode with a plan");
  for (const auto& [where, list] :
       {std::pair("sender_ranks", &options.sender_ranks), std::pair("receiver_ranks", &options.receiver_ranks)}) {
    std::vector<int> sorted = *list;
    std::ranges::sort(sorted);
    if (!sorted.empty() && (sorted.front() < 0 || sorted.back() >= ranks))
      refuse(where, fmt::format("rank {}", sorted.front() < 0 ? sorted.front() : sorted.back()), "a rank of the job");
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end()) refuse(where, fmt::format("rank {} twice", *twice), "each once");
  }
}

}  // namespace

void check_exchange(const std::vector<MessageSize>& sends, const ExchangeOptions& options, int ranks) {
  const auto refuse = [](const char* where, const auto& found, const char* expected) {
    throw InputError(where, fmt::format("{}", found), expected);
  };
  check_messages(sends, "sends", ranks);
  if (options.receives) check_messages(*options.receives, "receives", ranks);
  if (options.max_transfers < 0) refuse("max_transfers", options.max_transfers, "at least 1, or 0: what ports allow");
  if (std::ranges::find(kModes, options.mode, [](const auto& m) { return m.first; }) == kModes.end()) {
    refuse("mode", static_cast<int>(options.mode), "an ExchangeMode");
  }
  // A mode without a plan would not find out.
  if (options.algorithm != "auto" && !has_algorithm("exchange", options.algorithm)) {
    refuse("algorithm", options.algorithm, "auto or an algorithm of exchange");
  }
  if (!(options.setup_bytes >= 0)) refuse("setup_bytes", options.setup_bytes, "at least 0");
  if (!(options.effort > 0)) refuse("effort", options.effort, "more than 0");
  if (!(options.time_limit_s >= 0)) refuse("time_limit_s", options.time_limit_s, "at least 0");
  if (options.chunk_bytes < 0 || options.chunk_bytes > (1 << 30))
    refuse("chunk_bytes", options.chunk_bytes, "0 to 2^30");
  if (options.window < 0 || options.window > sluice::detail::kMostWindow) refuse("window", options.window, "0 to 1024");
  if (options.early_release_bytes < 0) refuse("early_release_bytes", options.early_release_bytes, "at least 0");
  if (!options.speeds.empty()) {
    check_speeds(options.speeds, ranks, ranks, "speeds");
    if (options.mode == ExchangeMode::kList || options.mode == ExchangeMode::kAtOnce)
      refuse("speeds", "mode " + to_string(options.mode), "a mode with a plan");
    const std::int64_t most = options.speeds.most_transfers();
    if (most != 0 && options.max_transfers != 0 && options.max_transfers != most)
      refuse("max_transfers", options.max_transfers, "0, or the most of the backbone");
  }
  check_clusters(options, ranks);
  if (options.tune && options.mode != ExchangeMode::kList) refuse("tune", "true", "mode list for it");
}

void add_exchange(Arguments& arguments, const ExchangeOptions& options) {
  arguments.add_all(options.max_transfers, options.mode, options.algorithm, options.setup_bytes, options.effort,
                    options.time_limit_s, options.chunk_bytes, options.window, options.early_release_bytes,
                    options.tune, options.schedule != nullptr);
  add_speeds(arguments, options.speeds);
  add_clusters(arguments, options);
}

std::uint64_t schedule_print(const StepSchedule& schedule) {
  Arguments arguments("schedule");
  add_schedule(arguments, schedule);
  return arguments.fingerprint();
}

}  // namespace detail
}  // namespace sluice::mpi
