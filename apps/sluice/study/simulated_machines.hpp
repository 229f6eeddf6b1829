#pragma once

#include <atomic>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apps/sluice/process/child_process.hpp"
#include "sluice/input/simgrid.hpp"

/// Simulated machines, for studies: SimGrid's SMPI runs `sluice run` of a build with it (preset smpi) on machines that
/// are described here. Simulated times are exact and come out the same every time, whatever else this machine does.
namespace sluice::command {

/// Hosts that each have a link of their own to a switch that is never full.
struct SimulatedCluster {
  std::int64_t hosts = 1;
  double bytes_per_s = 125e6;  ///< of each link, in each direction
  double latency_s = 25e-6;    ///< of each link: a message passes two

  /// The time of a message of `bytes` between two hosts, with what the two hosts do at either end.
  [[nodiscard]] double transfer_s(std::int64_t bytes) const;
  /// The part of it that does not depend on the bytes.
  [[nodiscard]] double overhead_s() const;
  /// For SMPI. Its size grows with the hosts, not with their pairs.
  [[nodiscard]] SimgridPlatform simgrid() const;
};

class SimulatedMachines {
 public:
  /// Finds the command of a build with SMPI: the file that the variable SLUICE_SMPI names, or ../../smpi/bin/sluice
  /// from this program, as scripts/build.sh puts it. `where` names who asks in the InputError if there is none, or no
  /// smpirun.
  explicit SimulatedMachines(const std::string& where);

  /// Runs `sluice ARGUMENTS --json ...` with a rank on each host and returns what it wrote. `collectives`: the
  /// algorithms of SMPI's collective operations. "coll-selector:ompi" takes the choices of an MPI (default, ompi,
  /// mpich, mvapich2, impi), "bcast:binomial_tree" one algorithm by name. Threads may run several at once. Throws
  /// InputError if it fails.
  [[nodiscard]] nlohmann::json run(const SimgridPlatform& machines, const std::string& collectives,
                                   const std::vector<std::string>& arguments) const;

  /// Writes a file for the commands that run: its path.
  [[nodiscard]] std::string keep(const std::string& name, const std::string& content) const;

 private:
  std::string where_;
  std::string command_;
  TemporaryFolder files_;  ///< for what goes to and fro
  mutable std::atomic<std::int64_t> runs_ = 0;
};

/// The entry of `method` in the result of a run, with "median_s". Throws nlohmann::json::exception if there is none.
[[nodiscard]] const nlohmann::json& result_of(const nlohmann::json& run, std::string_view method);

}  // namespace sluice::command
