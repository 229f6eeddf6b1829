#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/mpi/runtime/channel.hpp"
#include "sluice/run/mpi/network.hpp"

namespace sluice::mpi::detail {

/// A file that keeps what a program measured for its next run on the same hosts with the same MPI.
///
/// Text: lines that begin with '#' tell people what is inside; then "sluice-network 1 KEY", and the numbers of
/// kNetworkFields. Rank 0 reads and writes. If the file is for other hosts, or cannot be read or written, one line on
/// standard error says so, and the network is measured anew. A file with other contents is left as it is.
class NetworkCache {
 public:
  /// `path`: null: no file; it matters on rank 0. `host_of_rank`: for all ranks. Collective, like all other members.
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
