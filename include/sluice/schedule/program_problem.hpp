#pragma once

#include <cstdint>
#include <vector>

#include "sluice/schedule/combining_costs.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice {

/// Describes a collective to plan among the ranks of a platform; its fields are fields of Program.
struct ProgramProblem {
  Collective problem = Collective::kAllgather;  ///< which collective
  std::int64_t size_bytes = 0;                  ///< at least 0
  std::int64_t root = 0;                        ///< a rank; no effect if the problem has no root
  std::int64_t element_bytes = 1;               ///< a divisor of size_bytes; no effect if the problem combines nothing
  bool commutative = true;                      ///< false: elements are combined in the order of ranks
  /// Bytes of each block or share, as for set_blocks, instead of `size_bytes`; empty: size_bytes counts.
  std::vector<std::int64_t> block_bytes = {};
  /// Cost of combining, 0 to 1e80, for all ranks or for each; no effect if the problem combines nothing.
  CombiningCosts combine_s_per_byte = {};
};
/// Returns the problem that a program solves, whatever its operations.
[[nodiscard]] ProgramProblem problem_of(const Program& program);

}  // namespace sluice
