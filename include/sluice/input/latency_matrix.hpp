#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Holds latencies between nodes in seconds, as far as they are known.
namespace sluice {

/// Gives the latency between two nodes that were measured, a < b.
struct LatencyPair {
  std::int32_t a = 0;
  std::int32_t b = 0;
  double latency_s = 0;  ///< finite and above 0

  friend bool operator==(const LatencyPair&, const LatencyPair&) = default;
};

/// Holds a symmetric matrix of latencies with missing entries.
class LatencyMatrix {
 public:
  /// Limits the nodes of a matrix; more are refused.
  static constexpr std::int64_t kMostNodes = std::int64_t{1} << 20;

  LatencyMatrix() = default;
  /// Makes the matrix of `pairs`, which are in any order. O(pairs log pairs). Throws InputError naming `where` for more
  /// than kMostNodes nodes, a pair given twice, a >= b, nodes out of range, and latencies that are not finite and above
  /// 0.
  LatencyMatrix(std::int64_t nodes, std::vector<LatencyPair> pairs, const std::string& where = "latencies");

  /// Returns the number of nodes.
  [[nodiscard]] std::int64_t nodes() const { return nodes_; }
  /// Returns the known pairs, in the order of (a, b).
  [[nodiscard]] const std::vector<LatencyPair>& pairs() const { return pairs_; }

 private:
  std::int64_t nodes_ = 0;
  std::vector<LatencyPair> pairs_;
};

/// Reads a Matrix Market file: coordinate, real (or integer), general, square. Row and column are nodes counted from 1,
/// values are seconds.
///
///     %%MatrixMarket matrix coordinate real general
///     3 3 3
///     1 2 47.56e-6
///     2 1 47.6e-6
///     1 3 5.2e-3
///
/// A pair that was not measured is not in the file. If both directions of a pair are given, their mean counts. Values
/// on the diagonal are ignored.
///
/// Throws InputError as the readers of traffic do, and for a matrix that is not square, a latency of 0 and an entry
/// given twice. `where` is "FILE:LINE", or "FILE" for the whole. Memory is proportional to the file.
[[nodiscard]] LatencyMatrix read_latency_matrix(const std::string& path);

/// Reads a whole file held in memory; `name` stands for it in messages.
[[nodiscard]] LatencyMatrix read_latency_matrix(std::string_view text, const std::string& name);

}  // namespace sluice
