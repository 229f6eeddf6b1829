#pragma once

namespace sluice::mpi::testing {

/// While it lives, new contexts find `ranks_per_host` ranks on each host, by number, whatever host they are on. So
/// tests on one host can check what jobs do between hosts. Programs that use it are linked with pretended_hosts.cpp.
/// There, the variable PRETENDED_RANKS_PER_HOST does the same for the whole program.
class PretendedHosts {
 public:
  explicit PretendedHosts(int ranks_per_host);
  ~PretendedHosts();
  PretendedHosts(const PretendedHosts&) = delete;
  PretendedHosts& operator=(const PretendedHosts&) = delete;
};

}  // namespace sluice::mpi::testing
