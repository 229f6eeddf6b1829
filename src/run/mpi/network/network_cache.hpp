#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/mpi/runtime/channel.hpp"
#include "sluice/run/mpi/network.hpp"

namespace sluice::mpi::detail {

/// A file in which a program leaves what it measured for its next run on the same hosts with the same MPI.
///
/// Text: lines that begin with '#' tell people what is inside; then "sluice-network 1 KEY", and the numbers of
/// kNetworkFields. Rank 0 reads and writes. A file of other hosts, or one that cannot be read or written, is said once
/// on standard error, and the network is measured anew. A file of something else is left as it is.
class NetworkCache {
 public:
  /// `path`: null: no file; it matters on rank 0. `host_of_rank`: of all ranks. Collective, as is all else.
  NetworkCache(Channel& channel, const char* path, const std::vector<int>& host_of_rank);

  /// What the file has; on all ranks, or on none.
  [[nodiscard]] std::optional<HostNetwork> read();
  void write(const HostNetwork& network);

 private:
  [[nodiscard]] std::optional<HostNetwork> read_file();
  void say(const std::string& what) const;

  Channel& channel_;
  std::string path_;  ///< on rank 0
  bool used_ = false;
  bool keeps_ = true;  ///< the file is this class's own, or there is none
  std::size_t ranks_ = 0;
  std::uint64_t key_ = 0;  ///< on rank 0
};

}  // namespace sluice::mpi::detail
