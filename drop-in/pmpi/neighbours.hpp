#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace sluice::pmpi {

/// The neighbours of a rank in the order of neighbourhood collectives; MPI_PROC_NULL where a grid ends.
struct Neighbours {
  std::vector<int> sources;
  std::vector<int> targets;
};

/// None for a communicator without a topology, or if MPI refuses to tell.
[[nodiscard]] inline Neighbours neighbours_of(MPI_Comm comm) {
  Neighbours result;
  int topology = MPI_UNDEFINED;
  if (PMPI_Topo_test(comm, &topology) != MPI_SUCCESS) return {};
  if (topology == MPI_DIST_GRAPH) {
    int in = 0;
    int out = 0;
    int weighted = 0;
    if (PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted) != MPI_SUCCESS) return {};
    // Room for one more, because an MPI may refuse a null pointer. Weights, because an MPI may write them in any case.
    result.sources.resize(static_cast<std::size_t>(in) + 1);
    result.targets.resize(static_cast<std::size_t>(out) + 1);
    std::vector<int> in_weights(result.sources.size());
    std::vector<int> out_weights(result.targets.size());
    if (PMPI_Dist_graph_neighbors(comm, in, result.sources.data(), in_weights.data(), out, result.targets.data(),
                                  out_weights.data()) != MPI_SUCCESS)
      return {};
    result.sources.pop_back();
    result.targets.pop_back();
  } else if (topology == MPI_GRAPH) {
    int rank = 0;
    int count = 0;
    PMPI_Comm_rank(comm, &rank);
    if (PMPI_Graph_neighbors_count(comm, rank, &count) != MPI_SUCCESS) return {};
    result.sources.resize(static_cast<std::size_t>(count) + 1);
    if (PMPI_Graph_neighbors(comm, rank, count, result.sources.data()) != MPI_SUCCESS) return {};
    result.sources.pop_back();
    result.targets = result.sources;
  } else if (topology == MPI_CART) {
    int dimensions = 0;
    if (PMPI_Cartdim_get(comm, &dimensions) != MPI_SUCCESS) return {};
    for (int dimension = 0; dimension < dimensions; ++dimension) {
      int below = MPI_PROC_NULL;
      int above = MPI_PROC_NULL;
      if (PMPI_Cart_shift(comm, dimension, 1, &below, &above) != MPI_SUCCESS) return {};
      result.sources.insert(result.sources.end(), {below, above});
    }
    result.targets = result.sources;
  }
  return result;
}

}  // namespace sluice::pmpi
