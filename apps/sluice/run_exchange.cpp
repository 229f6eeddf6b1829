#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm_names.hpp"
#include "command.hpp"
#include "option_values.hpp"
#include "output.hpp"
#include "ranks.hpp"
#include "run.hpp"
#include "run_output.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/compare.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::command {

namespace {

constexpr std::string_view kByMode = "sluice-";

std::vector<std::string> read_methods(const std::string& text) {
  const std::vector<std::string> known = mpi::exchange_methods();
  std::vector<std::string> methods = text == "all" ? known : parse_list(text);
  for (auto name = methods.begin(); name != methods.end(); ++name) {
    if (name->rfind(kByMode, 0) == 0) {
      (void)mpi::parse_exchange_mode(name->substr(kByMode.size()));
    } else if (std::find(known.begin(), known.end(), *name) == known.end()) {
      throw InputError("--method", fmt::format("'{}'", *name),
                       fmt::format("all, sluice-MODE, {}", fmt::join(known, ", ")));
    }
    if (std::find(methods.begin(), name, *name) != name)
      throw InputError("--method", fmt::format("'{}' twice", *name), "every method once");
  }
  return methods;
}

/// This rank's messages. Throws InputError if there are too few ranks or sizes are no whole bytes.
std::vector<mpi::MessageSize> read_sends(const ExchangeTask& task, bool same_ranks, int rank, int ranks) {
  const Traffic& traffic = task.problem.traffic;
  if (traffic.decimals > 0) throw InputError(task.file, "sizes with a fraction", "whole bytes");
  const bool coupled = !same_ranks && traffic.senders + traffic.receivers <= ranks;
  const std::int64_t needed = std::max(traffic.senders, traffic.receivers);
  if (needed > ranks)
    throw InputError(task.file, fmt::format("{} senders and {} receivers", traffic.senders, traffic.receivers),
                     fmt::format("at most the {} ranks that mpirun started", ranks));
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(ranks), 0);
  for (const Message& message : traffic.messages)
    if (message.from == rank)
      bytes[static_cast<std::size_t>(message.to + (coupled ? traffic.senders : 0))] += message.size;
  return mpi::message_sizes(bytes);
}

/// The most that a node sends.
std::int64_t largest_part(const Traffic& traffic) {
  std::vector<std::int64_t> sent(static_cast<std::size_t>(traffic.senders), 0);
  for (const Message& message : traffic.messages) sent[static_cast<std::size_t>(message.from)] += message.size;
  return sent.empty() ? 0 : *std::max_element(sent.begin(), sent.end());
}

}  // namespace

int run_exchange(const RunExchange& options) {
  constexpr std::int64_t kMostRepetitions = 1'000'000;
  check_algorithm("exchange", options.algorithm);
  const std::vector<std::string> methods = read_methods(options.method);
  const auto repetitions = static_cast<int>(parse_count(options.repetitions, "--repetitions", 1, kMostRepetitions));
  mpi::ExchangeJobOptions how;
  how.mode = mpi::parse_exchange_mode(options.mode);
  ExchangeTask task = read(options.problem);
  how.algorithm = options.algorithm;
  how.max_transfers = task.problem.max_transfers;
  how.planning_time_s = task.time_limit_s;
  // Without any word of it the set-up is what the job takes by default, not the 1 that plans are compared by.
  if (!options.problem.setup.empty() || !options.problem.latency.empty()) how.setup_bytes = task.problem.setup;
  task.problem.setup = how.setup_bytes;
  int ranks = 0, rank = 0;
  SLUICE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  SLUICE_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  const std::vector<mpi::MessageSize> sends = read_sends(task, options.same_ranks, rank, ranks);
  Ranks::once([&] { check_json_target(options.json); });
  const mpi::Comparison comparison = mpi::compare_exchanges(MPI_COMM_WORLD, sends, how, methods, repetitions);
  return show_run({"exchange", task.title(), largest_part(task.problem.traffic), task.least_time_s()}, comparison,
                  options.json);
}

}  // namespace sluice::command
