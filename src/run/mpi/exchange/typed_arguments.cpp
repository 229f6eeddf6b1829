#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>

#include "run/mpi/runtime/element_layout.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/exchange.hpp"

namespace sluice::mpi {
namespace {

void check_lengths(std::size_t counts, std::size_t offsets, const char* expected) {
  if (counts != offsets) throw InputError("offsets", fmt::format("{} of them", offsets), expected);
}

/// Messages of one type to or from these peers.
std::vector<TypedMessage> messages_of(std::span<const int> counts, std::span<const int> offsets, MPI_Datatype type,
                                      const std::function<int(std::size_t)>& peer) {
  check_lengths(counts.size(), offsets.size(), "as many as counts");
  if (type == MPI_DATATYPE_NULL) throw InputError("type", "MPI_DATATYPE_NULL", "a committed type");
  const std::int64_t extent = detail::ElementLayout(type).extent;
  std::vector<TypedMessage> result;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0) throw InputError("counts", fmt::format("{}", counts[i]), "at least 0");
    if (counts[i] > 0) result.push_back({peer(i), offsets[i] * extent, counts[i], type});
  }
  return result;
}

}  // namespace

std::vector<TypedMessage> typed_messages(std::span<const int> counts, std::span<const int> offsets, MPI_Datatype type) {
  return messages_of(counts, offsets, type, [](std::size_t i) { return static_cast<int>(i); });
}

std::vector<TypedMessage> typed_messages(std::span<const int> counts, std::span<const int> offsets,
                                         std::span<const MPI_Datatype> types) {
  check_lengths(counts.size(), offsets.size(), "as many as counts");
  if (types.size() != counts.size())
    throw InputError("types", fmt::format("{} of them", types.size()), "as many as counts");
  std::vector<TypedMessage> result;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0) throw InputError("counts", fmt::format("{}", counts[i]), "at least 0");
    if (counts[i] > 0) result.push_back({static_cast<int>(i), offsets[i], counts[i], types[i]});
  }
  return result;
}

NeighborMessages neighbor_messages(MPI_Comm graph, std::span<const int> send_counts, std::span<const int> send_offsets,
                                   MPI_Datatype send_type, std::span<const int> receive_counts,
                                   std::span<const int> receive_offsets, MPI_Datatype receive_type) {
  int topology = MPI_UNDEFINED;
  SLUICE_MPI(MPI_Topo_test(graph, &topology));
  if (topology != MPI_DIST_GRAPH)
    throw InputError("graph", "a communicator without a distributed graph", "one of MPI_Dist_graph_create");
  int in = 0;
  int out = 0;
  int weighted = 0;
  SLUICE_MPI(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
  std::vector<int> sources(static_cast<std::size_t>(in));
  std::vector<int> targets(static_cast<std::size_t>(out));
  SLUICE_MPI(MPI_Dist_graph_neighbors(graph, in, sources.data(), MPI_UNWEIGHTED, out, targets.data(), MPI_UNWEIGHTED));
  check_lengths(send_counts.size(), targets.size(), "a count for each neighbour");
  check_lengths(receive_counts.size(), sources.size(), "a count for each neighbour");
  return {messages_of(send_counts, send_offsets, send_type, [&](std::size_t i) { return targets[i]; }),
          messages_of(receive_counts, receive_offsets, receive_type, [&](std::size_t i) { return sources[i]; })};
}

}  // namespace sluice::mpi
