#pragma once

namespace sluice::mpi::testing {

/// While it lives, contexts that are made find so many ranks on each host, by number, whatever host they are on: what
/// jobs do between hosts can be tested on one. Programs that use it are linked with pretended_hosts.cpp. There, the
/// variable PRETENDED_RANKS_PER_HOST does the same for the whole program.
class PretendedHosts {
 public:
  explicit PretendedHosts(int ranks_per_host);
  ~PretendedHosts();
  PretendedHosts(const PretendedHosts&) = delete;
  PretendedHosts& operator=(const PretendedHosts&) = delete;
};

}  // namespace sluice::mpi::testing
