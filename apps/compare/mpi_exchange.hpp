#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/compare/communicator.hpp"
#include "apps/compare/comparison.hpp"

namespace sluice::compare {

/// A message of this rank in a buffer.
struct PlacedMessage {
  int peer = 0;
  std::int64_t bytes = 0;
  std::int64_t offset = 0;
};

/// The messages of one direction one after the other, at most one per peer, none empty.
struct PlacedMessages {
  std::vector<PlacedMessage> messages;
  std::int64_t bytes = 0;

  void add(int peer, std::int64_t message_bytes);
};

/// The ways to exchange messages that MPI itself has, from the source and into the target: "alltoallv", "all-at-once"
/// (every MPI_Irecv and MPI_Isend, then MPI_Waitall) and "pairwise" (in round d each rank sends to the one d further
/// on). Null for another name. What is given must outlive the method.
///
/// They count in int: no message may be beyond it, nor for "alltoallv" the bytes of a direction.
[[nodiscard]] std::unique_ptr<Method> make_mpi_exchange(const std::string& name, const Communicator& comm,
                                                        const PlacedMessages& sends, const PlacedMessages& receives);

}  // namespace sluice::compare
