#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apps/sluice/process/child_process.hpp"
#include "sluice/input/traffic.hpp"

/// The lab, a shaped network on this machine (docs/how-to/lab.md): what studies need of it. The scripts of lab/ build
/// the network and start `sluice run`, this very program, on its hosts.
namespace sluice::command {

/// Two clusters of hosts and the network between them; as the options of lab/up.sh.
struct LabNetwork {
  std::int64_t hosts = 10;          ///< of each cluster; 0: this machine is the only one
  std::int64_t ranks_per_host = 1;  ///< rank r runs on host r modulo the number of hosts
  double backbone_mbit = 100;       ///< in each direction
  double host_mbit = 100;           ///< of a host's link, in each direction
  double first_host_mbit = 0;       ///< of the link of the first host; 0: as the others
  std::string congestion = "reno";

  [[nodiscard]] std::int64_t all_hosts() const { return hosts > 0 ? 2 * hosts : 1; }
  [[nodiscard]] std::int64_t ranks() const { return all_hosts() * ranks_per_host; }
  /// The host of a rank, from 0; hosts of the second cluster come after the hosts of the first.
  [[nodiscard]] std::int64_t host_of(std::int64_t rank) const { return rank % all_hosts(); }
  /// Transfers that fill the backbone.
  [[nodiscard]] std::int64_t k() const;
  [[nodiscard]] double host_bytes_per_s(std::int64_t host) const;
  /// No execution takes less: what crosses the backbone one way, and what a host sends or receives over its link.
  /// Sender i is rank i; receiver j is the rank `first_receiver` + j.
  [[nodiscard]] double least_time_s(const Traffic& traffic, std::int64_t first_receiver) const;
};

/// Whether this machine lets a connection have that congestion control.
[[nodiscard]] bool allows_congestion(std::string_view name);

struct LabTimes {
  double median_s = 0;
  double min_s = 0;
  double max_s = 0;
  double predicted_s = 0;  ///< 0 where the run does not predict
  std::string how;         ///< in words, where the run tells
};

/// What came of a run in the lab: times, or why there are none.
struct LabResult {
  std::map<std::string, LabTimes> methods;
  std::string failure;  ///< one line; empty if there are times
};

/// The runs that a study has measured, in a file: a study that is started again takes them from there and measures the
/// others. A line holds one run: the network and the command that was run on it, and the times of each method. A run
/// that failed is not kept.
class MeasuredRuns {
 public:
  /// Reads `file` if it exists. A last line that was cut off is left out. Throws InputError if another line is no run.
  explicit MeasuredRuns(std::string file);

  /// The result of `run`, its name: from the file, or what `measure` returns, which is added to the file unless it
  /// failed.
  [[nodiscard]] LabResult result_of(const std::string& run, const std::function<LabResult()>& measure);

  /// "N of M runs were measured before (FILE)\n"; empty if none was.
  [[nodiscard]] std::string text(std::int64_t all) const;

 private:
  void keep(const std::string& run, const LabResult& result) const;

  std::string file_;
  std::map<std::string, LabResult> results_;  ///< that the file had
  std::int64_t found_ = 0;                    ///< how many of these were asked for
};

class Lab {
 public:
  /// Finds lab/run.sh: in the folder that the variable SLUICE_LAB names, or where `cmake --install` put it beside this
  /// program, or in the source tree that this was built from. Builds a small lab to see that it works. Throws
  /// InputError naming `where` if it does not: not root, no iproute2, no Open MPI.
  explicit Lab(std::string where);

  /// `sluice run WORDS...` on all ranks of the network: times of all methods; every byte verified. Tries a second time
  /// if the first fails, and says so on standard error.
  /// A run that `measured` has is not measured again; others are kept there.
  [[nodiscard]] LabResult run(const LabNetwork& network, const std::vector<std::string>& words,
                              MeasuredRuns& measured) const;
  /// The same with a matrix of traffic, `sluice run exchange FILE WORDS...`.
  [[nodiscard]] LabResult exchange(const LabNetwork& network, const Traffic& traffic,
                                   const std::vector<std::string>& words, MeasuredRuns& measured) const;

 private:
  /// Exit status, and what was complained of.
  struct Outcome {
    int status = 0;
    std::string said;
  };
  /// Runs lab/run.sh.
  [[nodiscard]] Outcome run_script(const std::vector<std::string>& arguments) const;
  [[nodiscard]] Outcome run_words(std::vector<std::string> words) const;
  [[nodiscard]] LabResult measure(const LabNetwork& network, const std::vector<std::string>& words) const;
  /// `program` and its arguments on all ranks of the network.
  [[nodiscard]] Outcome run_on(const LabNetwork& network, const std::vector<std::string>& program) const;

  std::string where_;
  std::string scripts_;    ///< the folder
  TemporaryFolder files_;  ///< for what goes to and fro
};

}  // namespace sluice::command
