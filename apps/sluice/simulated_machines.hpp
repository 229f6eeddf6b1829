#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

/// Simulated machines, for studies: SimGrid's SMPI runs `sluice run` of a build with it (preset smpi) on a cluster that
/// is described here. Simulated times are exact and come out the same every time, whatever else this machine does.
namespace sluice::command {

/// Hosts of which each has a link of its own to a switch that is never full.
struct SimulatedCluster {
  std::int64_t hosts = 1;
  double bytes_per_s = 125e6;  ///< of each link, in each direction
  double latency_s = 25e-6;    ///< of each link: a message passes two

  /// Of a message of so many bytes between two hosts, whatever the two do at either end included.
  [[nodiscard]] double transfer_s(std::int64_t bytes) const;
  /// What of it does not depend on the bytes.
  [[nodiscard]] double overhead_s() const;
};

class SimulatedMachines {
 public:
  /// Finds the command of a build with SMPI: the file that the variable SLUICE_SMPI names, or ../../smpi/bin/sluice
  /// from this program, as scripts/build.sh puts it. `where` names who asks in the InputError if there is none, or no
  /// smpirun.
  explicit SimulatedMachines(const std::string& where);
  ~SimulatedMachines();
  SimulatedMachines(const SimulatedMachines&) = delete;
  SimulatedMachines& operator=(const SimulatedMachines&) = delete;

  /// Runs `sluice ARGUMENTS --json ...` with a rank on each host and returns what it wrote. `selector`: whose choices
  /// of algorithms for collective operations SMPI follows, "default", "ompi", "mpich", ... Throws InputError if it
  /// fails.
  [[nodiscard]] nlohmann::json run(const SimulatedCluster& cluster, const std::string& selector,
                                   const std::vector<std::string>& arguments) const;

 private:
  std::string where_;
  std::string command_;
  std::string files_;  ///< a folder of our own for what goes to and fro
};

}  // namespace sluice::command
