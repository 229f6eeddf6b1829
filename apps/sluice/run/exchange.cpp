#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/compare/compare.hpp"
#include "apps/sluice/command.hpp"
#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/schedule_file.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/process/ranks.hpp"
#include "apps/sluice/run/memory.hpp"
#include "apps/sluice/run/methods.hpp"
#include "apps/sluice/run/output.hpp"
#include "apps/sluice/run/run.hpp"
#include "sluice/error.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/measure.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

constexpr std::string_view kByMode = "sluice-";

std::vector<std::string> read_methods(const RunMethods& options) {
  const std::vector<std::string> known = compare::exchange_methods();
  return options.names(known, [&](const std::string& name) {
    if (name == "sluice-direct") return name;
    if (name.rfind(kByMode, 0) == 0) {
      (void)mpi::parse_exchange_mode(name.substr(kByMode.size()), "--methods " + name);
    } else if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InputError("--methods", fmt::format("'{}'", name),
                       fmt::format("all, sluice-MODE, sluice-direct, {}", fmt::join(known, ", ")));
    }
    return name;
  });
}

/// The rank of receiver 0; sender 0 is rank 0. Throws InputError if there are too few ranks.
std::int64_t first_receiver(const ExchangeTask& task, bool same_ranks, int ranks) {
  const Traffic& traffic = task.problem.traffic;
  const std::int64_t needed = std::max(traffic.senders, traffic.receivers);
  if (needed > ranks)
    throw InputError(
        task.file,
        fmt::format("{} and {}", count_text(traffic.senders, "sender"), count_text(traffic.receivers, "receiver")),
        ranks_expected(needed, ranks));
  return !same_ranks && traffic.senders + traffic.receivers <= ranks ? traffic.senders : 0;
}

/// This rank's messages. Throws InputError if sizes are no whole bytes.
std::vector<mpi::MessageSize> read_sends(const ExchangeTask& task, std::int64_t receivers_from, int rank, int ranks) {
  const Traffic& traffic = task.problem.traffic;
  if (traffic.decimals > 0) throw InputError(task.file, "sizes with a fraction", "whole bytes");
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(ranks), 0);
  for (const Message& message : traffic.messages)
    if (message.from == rank) bytes[static_cast<std::size_t>(message.to + receivers_from)] += message.size;
  return mpi::message_sizes(bytes);
}

/// What this rank sends and receives.
double own_bytes(const Traffic& traffic, std::int64_t receivers_from, int rank) {
  double bytes = 0;
  for (const Message& message : traffic.messages)
    bytes += static_cast<double>(message.size) *
             ((message.from == rank ? 1 : 0) + (message.to + receivers_from == rank ? 1 : 0));
  return bytes;
}

/// The speeds of all ranks; 1 for those that do not send or receive.
NetworkSpeeds speeds_of_ranks(const ExchangeProblem& problem, std::int64_t receivers_from, int ranks) {
  NetworkSpeeds speeds{{}, {}, problem.speeds.backbone};
  const auto spread = [&](const std::vector<std::int64_t>& of_nodes, std::int64_t from) {
    std::vector<std::int64_t> of_ranks;
    if (of_nodes.empty()) return of_ranks;
    of_ranks.assign(static_cast<std::size_t>(ranks), kSpeedOfOne);
    std::copy(of_nodes.begin(), of_nodes.end(), of_ranks.begin() + from);
    return of_ranks;
  };
  speeds.senders = spread(problem.speeds.senders, 0);
  speeds.receivers = spread(problem.speeds.receivers, receivers_from);
  return speeds;
}

/// How many transfers at once slow down no link between clusters, whichever transfers they are: the smallest number of
/// connections of a link that the traffic crosses; 0 if it crosses none. Throws InputError for ranks that the platform
/// does not have.
std::int64_t connections(const std::string& file, const Traffic& traffic, std::int64_t receivers_from) {
  const Platform platform = read_platform(file);
  const std::int64_t ranks = std::max(traffic.senders, receivers_from + traffic.receivers);
  if (ranks > platform.ranks)
    throw InputError(file, count_text(platform.ranks, "rank"), fmt::format("the {} of the exchange", ranks));
  std::int64_t fewest = 0;
  for (const Message& message : traffic.messages) {
    if (message.size == 0) continue;
    const std::int64_t from = platform.cluster_of(message.from);
    const std::int64_t to = platform.cluster_of(message.to + receivers_from);
    if (from == to) continue;
    const std::int64_t here = platform.link(from, to).connections;
    if (fewest == 0 || here < fewest) fewest = here;
  }
  return fewest;
}

std::string to_text(const mpi::TransferRamp& ramp) {
  std::vector<std::string> levels;
  for (const mpi::TransferRamp::Level& level : ramp.levels)
    levels.push_back(fmt::format("{}: {}", level.transfers, speed_text(level.bytes_per_s)));
  return fmt::format("k = {} measured, by transfers at once: {}", ramp.max_transfers, fmt::join(levels, ", "));
}

/// Finds k as the options say. Collective.
void find_max_transfers(const RunExchange& options, ExchangeTask& task, const std::vector<mpi::MessageSize>& sends,
                        std::int64_t receivers_from, std::vector<std::string>& notes) {
  const Traffic& traffic = task.problem.traffic;
  if (options.measure) {
    const mpi::TransferRamp ramp = mpi::measure_max_transfers(MPI_COMM_WORLD, sends);
    task.problem.max_transfers = ramp.max_transfers;
    notes.push_back(to_text(ramp));
  }
  if (options.platform.empty()) return;
  const std::int64_t most = std::min(traffic.senders, traffic.receivers);
  const std::int64_t found = connections(options.platform, traffic, receivers_from);
  task.problem.max_transfers = found == 0 ? most : std::min(found, most);
  notes.push_back(found == 0 ? fmt::format("k: no link of {} is crossed", options.platform)
                             : fmt::format("k = {}: connections of {}", task.problem.max_transfers, options.platform));
}

/// Refuses options that contradict each other, before a file is read.
void check_options(const RunExchange& options, const std::vector<std::string>& methods) {
  std::vector<const char*> sources;
  if (!options.problem.max_transfers.empty()) sources.push_back("--max-transfers");
  if (options.measure) sources.push_back("--measure");
  if (!options.platform.empty()) sources.push_back("--platform");
  if (sources.size() > 1)
    throw InputError(sources[1], fmt::format("cannot be used with {}", sources[0]), "one of the two: both tell k");
  if (!options.schedule.empty()) {
    if (!sources.empty())
      throw InputError(sources.front(), "cannot be used with --schedule", "one of the two: both tell k");
    if (options.local.given()) throw InputError("--local-links", "cannot be used with --schedule", "one of the two");
    if (!options.problem.speeds.empty())
      throw InputError("--speeds", "cannot be used with --schedule", "one of the two");
  }
  const char* const planned = !options.problem.speeds.empty() ? "--speeds"
                              : options.local.given()         ? "--local-links"
                              : !options.schedule.empty()     ? "--schedule"
                                                              : nullptr;
  const auto without_plan = [&](const std::string& method) {
    const std::string mode = method == "sluice" ? options.mode : method;
    return mode == "list" || mode == "at-once" || mode == "sluice-list" || mode == "sluice-at-once";
  };
  if (planned != nullptr && std::ranges::any_of(methods, without_plan))
    throw InputError(planned, "a mode without a plan", "the modes chain, local and barrier");
  if (options.algorithm != "auto") {
    if (!options.schedule.empty()) throw InputError("--algorithm", "cannot be used with --schedule", "one of the two");
    if (std::ranges::any_of(methods, without_plan) && std::ranges::all_of(methods, [&](const std::string& method) {
          return without_plan(method) || method.rfind("sluice", 0) != 0;
        }))
      throw InputError("--algorithm", "a mode without a plan", "the modes auto, chain, local and barrier");
  }
  const auto listed = [&](const std::string& method) {
    return method == "sluice-list" || (method == "sluice" && options.mode == "list");
  };
  if (options.tune && std::none_of(methods.begin(), methods.end(), listed))
    throw InputError("--adapt-k", "no method in mode list",
                     "--mode list with method sluice, or the method sluice-list");
}

/// The schedule of the file. The task takes its k and set-up.
void take_schedule(const std::string& file, ExchangeTask& task, mpi::ExchangeOptions& how) {
  StepSchedule schedule = read_steps_file(file, "one that plan exchange --json wrote").schedule;
  task.problem.max_transfers = schedule.max_transfers;
  task.problem.setup = schedule.setup;
  how.max_transfers = 0;
  how.schedule = std::make_shared<const StepSchedule>(std::move(schedule));
}

std::vector<int> ranks_from(std::int64_t first, std::int64_t count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), static_cast<int>(first));
  return ranks;
}

/// The most that a node sends.
std::int64_t largest_part(const Traffic& traffic) {
  std::vector<std::int64_t> sent(static_cast<std::size_t>(traffic.senders), 0);
  for (const Message& message : traffic.messages) sent[static_cast<std::size_t>(message.from)] += message.size;
  return sent.empty() ? 0 : *std::max_element(sent.begin(), sent.end());
}

}  // namespace

int run_exchange(const RunExchange& options) {
  check_algorithm("exchange", options.algorithm);
  const std::vector<std::string> methods = read_methods(options.methods);
  const int repetitions = options.methods.times();
  mpi::ExchangeOptions how;
  how.mode = mpi::parse_exchange_mode(options.mode);
  how.tune = options.tune;
  if (!options.chunk.empty()) how.chunk_bytes = parse_chunk(options.chunk, "--chunk");
  check_options(options, methods);
  ExchangeTask task = read(options.problem);
  task.in_bytes = true;
  how.algorithm = options.algorithm;
  how.effort = task.effort;
  how.time_limit_s = task.time_limit_s;
  // If no option names the set-up, it is the default of a job, not the 1 of `plan` and `compare`: the title says
  // so.
  const bool told =
      !options.problem.setup.empty() || !options.problem.latency.empty() || !options.problem.node_link.empty();
  task.usual_setup = !told && options.schedule.empty();
  if (told) how.setup_bytes = task.problem.setup;
  task.problem.setup = how.setup_bytes;
  int ranks = 0, rank = 0;
  SLUICE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  SLUICE_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  const std::int64_t receivers_from = first_receiver(task, options.same_ranks, ranks);
  const std::vector<mpi::MessageSize> sends = read_sends(task, receivers_from, rank, ranks);
  check_memory(own_bytes(task.problem.traffic, receivers_from, rank), task.file);
  check_outputs(options.methods.json, options.timeline);
  std::vector<std::string> notes;
  if (!task.problem.speeds.backbone.empty() && (options.measure || !options.platform.empty()))
    throw InputError("--speeds",
                     fmt::format("cannot be used with {} where {} has a backbone",
                                 options.measure ? "--measure" : "--platform", task.speeds_file),
                     "one of the two: both tell k");
  find_max_transfers(options, task, sends, receivers_from, notes);
  how.speeds = speeds_of_ranks(task.problem, receivers_from, ranks);
  // Where nothing tells k, the job finds it.
  const bool k_is_told = !options.problem.max_transfers.empty() || options.measure || !options.platform.empty() ||
                         task.backbone.has_value() || !how.speeds.backbone.empty();
  how.max_transfers = k_is_told ? task.problem.max_transfers : 0;
  if (options.local.given()) how.local_links = options.local.read(task);
  if (!options.schedule.empty()) take_schedule(options.schedule, task, how);
  if (how.local_links || how.schedule) {
    how.sender_ranks = ranks_from(0, task.problem.traffic.senders);
    how.receiver_ranks = ranks_from(receivers_from, task.problem.traffic.receivers);
  }
  const compare::Comparison comparison = compare::exchanges(MPI_COMM_WORLD, sends, how, methods, repetitions);
  write_timeline(options.timeline, "exchange", comparison, [&] {
    how.try_native = false;
    return compare::exchanges(MPI_COMM_WORLD, sends, how, {"sluice"}, 1, true);
  });
  return show_run(
      {"exchange", task.title(), largest_part(task.problem.traffic),
       task.least_time_s(options.local.given() || !options.schedule.empty()), task.problem.max_transfers, notes},
      comparison, options.methods);
}

}  // namespace sluice::command
