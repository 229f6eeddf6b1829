#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "child_process.hpp"
#include "sluice/input/traffic.hpp"

/// Exchanges in the lab, a shaped network on this machine (docs/how-to/lab.md): what a study needs of it. The scripts
/// of lab/ build the network and start `sluice run exchange`, this very program, on its hosts.
namespace sluice::command {

/// Two clusters of hosts and the network between them; as the options of lab/up.sh.
struct LabNetwork {
  std::int64_t hosts = 10;  ///< of each cluster
  std::int64_t k = 3;       ///< transfers that fill the backbone: a host's link has backbone_mbit / k
  double backbone_mbit = 100;
  std::string congestion = "reno";

  [[nodiscard]] double backbone_bytes_per_s() const { return backbone_mbit * 1e6 / 8; }
  /// Of a host's link.
  [[nodiscard]] double link_bytes_per_s() const { return backbone_bytes_per_s() / static_cast<double>(k); }
  /// No execution takes less: all bytes over the backbone, those of a host over its link.
  [[nodiscard]] double least_time_s(const Traffic& traffic) const;
};

struct LabTimes {
  double median_s = 0;
  double min_s = 0;
  double max_s = 0;
};

/// What came of an exchange in the lab: times, or why there are none.
struct LabResult {
  std::map<std::string, LabTimes> methods;
  std::string failure;  ///< one line; empty if there are times
};

class Lab {
 public:
  /// Finds lab/run.sh: in the folder that the variable SLUICE_LAB names, or where `cmake --install` put it beside this
  /// program, or in the source tree that this was built from. Builds a small lab to see that it works. Throws
  /// InputError where it does not: not root, no iproute2, no Open MPI.
  Lab();

  /// Moves `traffic` from the hosts of one cluster to those of the other, by each method in turns, so many times; every
  /// byte verified. Tries a second time if the first fails, and says so on standard error.
  [[nodiscard]] LabResult exchange(const LabNetwork& network, const Traffic& traffic, std::int64_t max_transfers,
                                   const std::vector<std::string>& methods, int repetitions) const;

 private:
  /// Runs lab/run.sh: exit status, and what it complained of.
  struct Outcome {
    int status = 0;
    std::string said;
  };
  [[nodiscard]] Outcome run(const std::vector<std::string>& arguments) const;

  std::string scripts_;    ///< the folder
  TemporaryFolder files_;  ///< for what goes to and fro
};

}  // namespace sluice::command
