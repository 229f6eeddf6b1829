#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "apps/sluice/options/combining.hpp"
#include "apps/sluice/options/node_link.hpp"
#include "apps/sluice/options/traffic_format.hpp"
#include "sluice/plan/program.hpp"

/// The problems that programs solve, on the command line, the same for every verb.
namespace sluice::command {

/// Those with commands of their own (broadcast and reduce have others).
inline constexpr Collective kCollectives[] = {Collective::kScatter,   Collective::kGather,
                                              Collective::kAllgather, Collective::kReduceScatter,
                                              Collective::kAllreduce, Collective::kAlltoall};

/// Says in a line what a problem is.
[[nodiscard]] std::string about(Collective collective);

/// The options as they were typed.
struct CollectiveInput {
  Collective collective = Collective::kAllgather;
  std::string platform;
  NodeLinkInput network;  ///< in place of it
  std::string size;
  std::string counts;
  TrafficFormatInput format;  ///< of the file of counts
  std::string root = "0";
  std::string element_bytes = "8";
  std::string segments;
  CombiningInput combining;
  std::string effort = "1";
  std::string time_limit;
  bool in_order = false;

  void add_to(CLI::App& verb);
  /// What combining costs in the replay: options of verbs that carry out nothing.
  void add_compute_to(CLI::App& verb);
  void add_effort_to(CLI::App& verb);
  /// Adds the effort and a time limit, for verbs that plan alone.
  void add_limits_to(CLI::App& verb);
};

/// The options as read and checked.
struct CollectiveTask {
  Platform platform;
  std::string file;
  ProgramProblem problem;
  ProgramOptions options;
  double time_limit_s = std::numeric_limits<double>::infinity();

  /// "allgather: 16.4 kB per rank, 88 ranks in 6 clusters (FILE)".
  [[nodiscard]] std::string title() const;
  [[nodiscard]] ProgramPlan planned_by(const std::string& algorithm) const;
};

/// Reads the platform too. Without one, there are `ranks` ranks, and nothing else is known. Throws InputError for
/// what is missing, no number or out of range.
[[nodiscard]] CollectiveTask read(const CollectiveInput& options, std::int64_t ranks = 0);

/// Throws InputError for --segments beside an algorithm that sends whole messages.
void check_segments(const CollectiveInput& options, const std::string& algorithm);

inline constexpr const char* kCollectiveHelp =
    "\nA round has one message per rank. There are p ranks, n segments, C groups of ranks; q = ceil(log2 p). A\n"
    "replay gives the time of a program: messages share the ports and links that they pass. All variants of an\n"
    "algorithm (segments, levels of the platform) are replayed, and the fastest is taken. If a replay is more\n"
    "work than the effort allows, the time is estimated, and the name of the algorithm says so.\n";

}  // namespace sluice::command
