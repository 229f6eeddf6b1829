#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "apps/sluice/options/combining.hpp"
#include "apps/sluice/options/node_link.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/reversed_broadcast.hpp"

/// The problem `broadcast` on the command line, the same for every verb.
namespace sluice::command {

/// The options as they were typed; empty where they were not.
struct BroadcastInput {
  std::string platform;
  NodeLinkInput network;  ///< in place of it
  std::string size;
  std::string root = "0";
  std::string segments;
  std::string inside;
  std::string lookahead = "min";
  std::string effort = "1";
  std::string time_limit;
  bool early_internal = false;

  void add_to(CLI::App& verb);
  /// Whether an option says how to plan.
  [[nodiscard]] bool asks_for_a_plan() const;
};

/// Options of verbs that also plan the reduction that goes the other way round.
struct ReversedInput {
  bool reversed = false;
  std::string element_bytes;
  CombiningInput combining;
  bool in_order = false;

  void add_to(CLI::App& verb);
};

/// About the options, for the help of every verb.
inline constexpr const char* kBroadcastHelp =
    "\nA platform file (sluice.platform/2, or /1) has ranks, clusters and links, in seconds and bytes; sluice probe\n"
    "writes one. Trees are between clusters. They carry the message whole, unless --segments is given. auto and\n"
    "exact choose the number of segments; with --segments 1 they keep to the paper's model. auto also considers\n"
    "routes that are no tree of clusters.\n";

/// The options as read and checked.
struct BroadcastTask {
  Platform platform;
  std::string file;
  std::int64_t bytes = 0;
  std::int64_t root = 0;
  BroadcastOptions options;  ///< with a request to stop at the time limit, or when interrupted
  double time_limit_s = std::numeric_limits<double>::infinity();

  /// "broadcast: 4.19 MB from rank 0 to 88 ranks in 6 clusters".
  [[nodiscard]] std::string title() const;
  [[nodiscard]] BroadcastPlan planned_by(const std::string& algorithm, bool messages = true) const;

  /// The title of the reduction that goes the other way round. Throws InputError for what it cannot have.
  [[nodiscard]] std::string reversed_title(const Program& program) const;
  [[nodiscard]] ReversedPlan reversed_by(const std::string& algorithm, const ReversedInput& reversed) const;
  /// Whether any program may be the plan of it: no option says what the broadcast is like.
  [[nodiscard]] bool leaves_reduction_open(const std::string& algorithm) const;
  /// A plan by any program. If that is not open: by a broadcast the other way round. Combining may take time.
  [[nodiscard]] ProgramPlan costly_reduction_by(const std::string& algorithm, const ReversedInput& reversed) const;

 private:
  /// The options of either plan. Throws InputError.
  [[nodiscard]] BroadcastOptions options_of_reduction(const std::string& algorithm) const;
  [[nodiscard]] std::int64_t element_bytes_of(const ReversedInput& reversed) const;
};

/// Reads the platform too. Throws InputError for what is missing, no number or out of range.
[[nodiscard]] BroadcastTask read(const BroadcastInput& options);
/// Whether only a program will do: its name is asked for, the order counts, or it is said how long combining takes.
[[nodiscard]] bool needs_program(const std::string& algorithm, const ReversedInput& reversed);
/// Throws InputError unless it is an algorithm of broadcasts or, for a reduction, one of kReductionPrograms.
void check_broadcast_algorithm(const std::string& name, bool reversed);
/// Throws InputError for options of the reduction beside a broadcast.
void check(const ReversedInput& options);
/// The message alone; the platform has the number of ranks and nothing else.
[[nodiscard]] BroadcastTask read_without_platform(const BroadcastInput& options, std::int64_t ranks);

/// For `option`, which takes the messages of a plan for all of it: throws InputError where there are broadcasts by the
/// MPI besides.
void refuse_native(const BroadcastPlan& plan, const std::string& option);

/// The platform file that --platform names, or the network of --node-link, of `ranks` ranks unless it names a number.
/// Throws InputError also if it was not given.
[[nodiscard]] Platform read_platform_option(const std::string& path, std::int64_t ranks = 0);
/// Throws InputError unless the platform of `file` has as many ranks as this job.
void check_ranks(const Platform& platform, const std::string& file, int ranks);

}  // namespace sluice::command
