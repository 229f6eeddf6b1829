#pragma once

#include <string>

#include "sluice/input/clustering.hpp"
#include "sluice/input/latency_matrix.hpp"

namespace sluice {

/// Draws a clustered matrix as SVG: nodes in the order of their clusters, a frame around every cluster. Cells are dark
/// if nodes are near, on a logarithmic scale from the smallest latency to the largest, and grey if nothing is known. If
/// there are more nodes than fit, a cell stands for several and shows the mean of their logarithms.
///
/// O(pairs) time. @pre `clusters` hold every node of the matrix once
[[nodiscard]] std::string latency_svg(const LatencyMatrix& matrix, const Clusters& clusters);

}  // namespace sluice
