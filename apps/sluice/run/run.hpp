#pragma once

#include <functional>
#include <optional>
#include <string>

#include "apps/sluice/command.hpp"
#include "apps/sluice/options/broadcast.hpp"
#include "apps/sluice/options/collective.hpp"
#include "apps/sluice/options/exchange.hpp"
#include "apps/sluice/options/redistribute.hpp"
#include "apps/sluice/options/timeline.hpp"
#include "apps/sluice/run/methods.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::command {

struct RunRedistribute {
  RedistributeOptions problem;
  std::string algorithm = "auto";
  std::string effort;  ///< empty: as jobs have it
  std::string mode = "auto";
  bool apart = false;  ///< the target grid's ranks come behind the source grid's
  std::string alpha;   ///< Y = beta Y + alpha X, if either is given
  std::string beta;
  RunMethods methods;
  TimelineOutput timeline;
};

struct RunExchange {
  ExchangeInput problem;
  std::string algorithm = "auto";
  std::string mode = "auto";
  RunMethods methods;
  LocalLinksInput local;
  std::string schedule;     ///< the file of a schedule to carry out instead of a plan
  std::string platform;     ///< the file of the network, whose links tell k
  bool measure = false;     ///< measure k, by more and more transfers at once
  bool tune = false;        ///< mode list finds k while it runs
  std::string chunk;        ///< bytes of a piece of a message; empty: as the mode has it
  bool same_ranks = false;  ///< senders and receivers are the same ranks
  TimelineOutput timeline;
};

struct RunBroadcast {
  BroadcastInput problem;
  std::string program;  ///< file of what method sluice carries out, instead of planning
  RunMethods methods;
  bool model_only = false;  ///< method sluice follows the model, and never falls back on MPI_Bcast
  TimelineOutput timeline;
};

struct RunCollective {
  CollectiveInput problem;
  std::string algorithm = "auto";
  std::string program;  ///< the file of a program to carry out instead of a plan
  RunMethods methods;
  bool model_only = false;  ///< method sluice follows the replay, and never falls back on MPI's own collective
  TimelineOutput timeline;
};

struct RunReduce {
  std::string count;
  std::string operation = "sum";
  std::string root = "0";
  std::string transfer;  ///< seconds, as compute; both or neither
  std::string compute;
  std::string transfer_overhead;
  std::string compute_overhead;
  std::string segments;
  std::string platform;   ///< file of the network to plan over, instead of costs
  NodeLinkInput network;  ///< in place of it
  std::string program;    ///< file of what method sluice carries out, instead of planning
  std::string algorithm = "auto";
  std::string effort;  ///< over a platform; empty: 1
  RunMethods methods;
  bool measure = false;
  bool reproducible = false;
  bool dynamic = false;
  bool no_thread = false;
  bool model_only = false;  ///< method sluice follows the model, and never falls back on MPI_Reduce
  TimelineOutput timeline;
};

/// Says in the help where the times of TimelineOutput come from.
inline constexpr const char* kByARun = "in one more execution of method sluice, by its plan";

/// The problems that programs solve, for the verb `run`.
void add_run_collectives(CLI::App& verb, Action& chosen);

/// Runs `job`, one of those below. A first Ctrl-C or SIGTERM meanwhile, on any rank, ends its repetitions: the table of
/// what was measured until then is printed and written. Returns its exit status.
int run_until_stopped(const std::function<int()>& job);

/// Each of these moves data between the ranks of this job by every method asked for, and prints the times. Collective;
/// throws InputError on all ranks.
int run_redistribute(const RunRedistribute& options);
/// Several arrays at once.
int run_batch(const RunRedistribute& options);
int run_exchange(const RunExchange& options);
/// --program FILE, for problems whose job carries out programs.
void add_program_to(CLI::App& problem, std::string& file);
/// What it names; nothing where it was not given. Throws InputError for a file that is none, and for --platform beside
/// it: what is given leaves nothing to plan.
[[nodiscard]] std::optional<Program> read_program_option(const std::string& file, const std::string& platform);

int run_reduce(const RunReduce& options);
int run_broadcast(const RunBroadcast& options);
int run_collective(const RunCollective& options);

}  // namespace sluice::command
