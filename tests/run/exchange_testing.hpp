#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "run/redistribution_testing.hpp"
#include "sluice/run/mpi/exchange.hpp"

/// Random exchanges, and what they must do.
namespace sluice::mpi::testing {

inline bool on_one_node() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  const int ranks = size_of(node);
  MPI_Comm_free(&node);
  return ranks == size();
}

/// Bytes from each rank to each rank; rows and columns count ranks.
using TrafficTable = std::vector<std::vector<std::int64_t>>;

/// One group, two groups, or overlapping ones; sparse or dense; with empty messages, and messages to oneself.
inline TrafficTable random_traffic(Draw& draw, int size, std::int64_t longest) {
  const auto n = static_cast<std::size_t>(size);
  TrafficTable table(n, std::vector<std::int64_t>(n, 0));
  const auto senders = static_cast<std::size_t>(draw.between(0, size));
  const auto first_receiver = static_cast<std::size_t>(draw.between(0, size - 1));
  const bool sparse = draw.chance(2);
  for (std::size_t from = 0; from < senders; ++from) {
    for (std::size_t to = first_receiver; to < n; ++to) {
      if (sparse && !draw.chance(3)) continue;
      table[from][to] = draw.chance(4) ? draw.between(0, 8) : draw.between(1, draw.chance(5) ? longest : longest / 8);
    }
  }
  return table;
}

/// What one rank sends, in a random order that all ranks draw.
inline std::vector<MessageSize> sends_of(const TrafficTable& table, int rank, Draw& draw) {
  const int size = static_cast<int>(table.size());
  std::vector<MessageSize> sends;
  for (const int peer : draw.ranks(size, size)) {
    const std::int64_t bytes = table[static_cast<std::size_t>(rank)][static_cast<std::size_t>(peer)];
    if (bytes > 0 || draw.chance(2)) sends.push_back({peer, bytes});
  }
  return sends;
}

/// Byte `offset` of the message between two ranks in the round `round`.
inline std::byte exchanged_byte(int from, int to, std::int64_t offset, int round) {
  return byte_of(offset, 0, static_cast<std::uint64_t>((from * 1000 + to) * 100 + round));
}

inline void fill(const std::vector<MessageSize>& sends, int rank, int round, std::vector<std::byte>& buffer) {
  std::size_t at = 0;
  for (const MessageSize& m : sends) {
    for (std::int64_t b = 0; b < m.bytes; ++b) buffer[at++] = exchanged_byte(rank, m.peer, b, round);
  }
}

/// What the first wrong byte is, "" if none.
inline std::string wrong_byte(const std::vector<MessageSize>& receives, int rank, int round,
                              const std::vector<std::byte>& buffer) {
  std::size_t at = 0;
  for (const MessageSize& m : receives) {
    for (std::int64_t b = 0; b < m.bytes; ++b) {
      if (buffer[at++] == exchanged_byte(m.peer, rank, b, round)) continue;
      return "byte " + std::to_string(b) + " of " + std::to_string(m.bytes) + " from rank " + std::to_string(m.peer);
    }
  }
  return "";
}

}  // namespace sluice::mpi::testing
