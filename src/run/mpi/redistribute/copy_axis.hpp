#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sluice/input/axis_pattern.hpp"

namespace sluice::mpi::detail {

/// The positions of a message in one dimension, and where they lie in two memories: IndexRuns prepared for copying.
///
/// A run is consecutive in both memories. Run j of period t is run j moved by t * per_period positions, t * from_stride
/// and t * to_stride indices. Position k of the message, 0 <= k < count, is position k + lead of the first period on:
/// the sub-array may begin inside a run.
struct CopyAxis {
  struct Run {
    std::int64_t first = 0;  ///< position within the period; the runs follow each other without gaps
    std::int64_t length = 0;
    std::int64_t from = 0;  ///< index in either memory
    std::int64_t to = 0;
  };
  /// A place in the runs.
  struct Cursor {
    std::size_t run = 0;
    std::int64_t within = 0;  ///< positions of the run already behind
    std::int64_t from = 0;    ///< the period's indices, to be added to the indices of the runs
    std::int64_t to = 0;
  };

  std::vector<Run> runs;
  std::int64_t count = 0;
  std::int64_t lead = 0;
  std::int64_t per_period = 1;
  std::int64_t from_stride = 0;
  std::int64_t to_stride = 0;
  std::int64_t uniform = 0;  ///< the length of all runs if they are equally long, otherwise 0
  std::int64_t granule = 1;  ///< all lengths and indices are multiples of it

  /// O(log runs).
  [[nodiscard]] Cursor seek(std::int64_t position) const;
  [[nodiscard]] std::int64_t from_at(const Cursor& c) const { return c.from + runs[c.run].from + c.within; }
  [[nodiscard]] std::int64_t to_at(const Cursor& c) const { return c.to + runs[c.run].to + c.within; }
  /// Positions until the end of the run.
  [[nodiscard]] std::int64_t left(const Cursor& c) const { return runs[c.run].length - c.within; }
  /// Moves by n <= left(c) positions.
  void advance(Cursor& c, std::int64_t n) const {
    c.within += n;
    if (c.within < runs[c.run].length) return;
    c.within = 0;
    if (++c.run < runs.size()) return;
    c.run = 0;
    c.from += from_stride;
    c.to += to_stride;
  }
  /// True if all runs are of the same few positions.
  [[nodiscard]] bool has_short_runs() const { return !contiguous() && uniform > 0 && uniform < 16; }
  /// Positions of a run in the mean, at most.
  [[nodiscard]] std::int64_t mean_run() const { return per_period / static_cast<std::int64_t>(runs.size()); }
  /// True if all positions follow each other in both memories.
  [[nodiscard]] bool contiguous() const { return runs.size() == 1 && lead == 0 && runs.front().length >= count; }
};

/// What a copy goes from and to. A dense memory is a message: its positions are its indices.
enum class CopyKind {
  kPack,    ///< the sender's part of the array to the message
  kUnpack,  ///< the message to the receiver's part of the array
  kMove,    ///< the sender's part to the receiver's
  kPassOn,  ///< the receiver's part to a message as the sender would have packed it
};

/// Runs that follow each other in both memories become one.
[[nodiscard]] CopyAxis copy_axis(const IndexRuns& runs, CopyKind kind);
/// A single position, first in both memories.
[[nodiscard]] CopyAxis one_position();
/// Every index becomes `factor` consecutive ones.
[[nodiscard]] CopyAxis scaled(CopyAxis axis, std::int64_t factor);

}  // namespace sluice::mpi::detail
