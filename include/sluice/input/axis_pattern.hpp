#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sluice/input/block_cyclic.hpp"
#include "sluice/input/communication_grid.hpp"

namespace sluice {

/// Describes consecutive positions of a message in one dimension, and their places on both sides.
struct IndexRun {
  std::int64_t first = 0;   ///< position in the sub-array
  std::int64_t length = 0;  ///< number of positions
  LocalIndex from;          ///< local index of `first` at the sender
  LocalIndex to;            ///< local index of `first` at the receiver

  friend bool operator==(const IndexRun&, const IndexRun&) = default;
};

/// Holds all positions of the message of one pair in one dimension, in increasing order, stored for one period only.
/// Run j of period t is run j moved by t * period positions, t * from_stride and t * to_stride local indices. Only
/// positions 0 .. extent - 1 count: the first run of the first period and the last runs may reach beyond them.
struct IndexRuns {
  std::vector<IndexRun> runs;  ///< runs of the first period; `first` may be negative for one run that reaches into it
  std::int64_t extent = 0;
  std::int64_t period = 1;
  std::int64_t from_stride = 0;
  std::int64_t to_stride = 0;

  /// Returns the number of positions.
  [[nodiscard]] std::int64_t count() const;

  /// Calls visit(IndexRun) for every run, cut to 0 .. extent - 1, in increasing order of position.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (runs.empty()) return;
    const std::int64_t reach = runs.front().first < 0 ? runs.front().first : 0;
    for (std::int64_t start = 0, t = 0;; start += period, ++t) {
      for (const IndexRun& run : runs) {
        const std::int64_t first = start + run.first;
        const std::int64_t cut = first < 0 ? -first : 0;
        const std::int64_t last = first <= extent - run.length ? first + run.length : extent;
        if (first + cut >= last) continue;
        visit(IndexRun{first + cut, last - first - cut, LocalIndex(run.from.value + t * from_stride + cut),
                       LocalIndex(run.to.value + t * to_stride + cut)});
      }
      if (period + reach >= extent - start) return;  // nothing more begins; start + period may be beyond int64
    }
  }
};

/// Describes the message of one process to, or from, another in one dimension.
struct AxisMessage {
  Coordinate peer;         ///< the process at the other end
  std::int64_t count = 0;  ///< elements

  friend bool operator==(const AxisMessage&, const AxisMessage&) = default;
};

/// Describes one dimension of a redistribution Y[to_start + i] = X[from_start + i], i = 0 .. extent - 1. It gives the
/// exact size and place of each message, for any extent, offsets, first processes and tails.
///
/// Method: a pair's runs in one period come from its classes by the Chinese remainder theorem, in O(runs of a period),
/// however long the array is. If a process has fewer blocks in the array than that, because the array is short or the
/// blocks are large, its blocks are intersected instead. Blocks of any sizes are also intersected, because no pattern
/// repeats. Nothing takes time per element.
///
/// Two normalisations change no answer. A block that reaches beyond the end of the sub-array is cut to it. An axis on
/// one process, contiguous there for every block size, gets the block that makes the longest runs.
class AxisPattern {
 public:
  /// Makes the pattern of the sub-array of `extent` positions from `from_start` and `to_start` on. Throws InputError if
  /// the sub-array does not fit the extents of the axes, or grid times block is beyond int64.
  ///
  /// If blocks are of any sizes, messages cost O(blocks of the process and of the other side that they meet). A
  /// block-cyclic side costs O(P) or less for each block of the other side. Only runs() looks at all blocks that meet.
  AxisPattern(const Axis& from, const Axis& to, std::int64_t from_start, std::int64_t to_start, std::int64_t extent);

  /// Returns the dimension of the source array.
  [[nodiscard]] const Axis& from() const { return from_; }
  /// Returns the dimension of the target array.
  [[nodiscard]] const Axis& to() const { return to_; }
  /// Returns the start of the sub-array in the source array.
  [[nodiscard]] std::int64_t from_start() const { return from_start_; }
  /// Returns the start of the sub-array in the target array.
  [[nodiscard]] std::int64_t to_start() const { return to_start_; }
  /// Returns true if blocks are of any sizes on either side.
  [[nodiscard]] bool is_irregular() const { return is_irregular_; }
  /// Returns the number of positions of the sub-array.
  [[nodiscard]] std::int64_t extent() const { return extent_; }
  /// Returns the period: the pattern repeats after this number of positions. 2^63 - 1 if that is beyond any extent, or
  /// if the pattern does not repeat.
  [[nodiscard]] std::int64_t period() const { return period_; }

  /// Returns L = lcm(P r, Q s), the paper's slice, with the blocks as they were given; 2^63 - 1 under the conditions of
  /// period().
  [[nodiscard]] std::int64_t slice() const;

  /// Returns the number of positions that `sender` sends to `receiver`.
  [[nodiscard]] std::int64_t count(Coordinate sender, Coordinate receiver) const;
  /// Returns the positions that `sender` sends to `receiver`.
  [[nodiscard]] IndexRuns runs(Coordinate sender, Coordinate receiver) const;
  /// Returns the messages of one process, without empty ones, in increasing order of peer.
  [[nodiscard]] std::vector<AxisMessage> sends(Coordinate sender) const;
  /// Returns the messages to one process, without empty ones, in increasing order of peer.
  [[nodiscard]] std::vector<AxisMessage> receives(Coordinate receiver) const;

 private:
  template <class Visit>
  void for_each_run_of_period(std::int64_t sender, std::int64_t receiver, Visit&& visit) const;
  template <class Visit>
  void for_each_overlap(std::int64_t sender, std::int64_t receiver, Visit&& visit) const;
  [[nodiscard]] bool overlaps_are_fewer() const;

  Axis from_;
  Axis to_;
  std::int64_t from_start_;
  std::int64_t to_start_;
  std::int64_t extent_;
  bool is_irregular_;
  Axis from_runs_;  ///< from_ after the normalisations
  Axis to_runs_;
  CommunicationGrid grid_;  ///< of the normalised axes; not valid for blocks of any sizes
  std::int64_t period_;
  std::int64_t gcd_;            ///< g = gcd(P r, Q s)
  std::int64_t to_multiplier_;  ///< (P r / g)^-1 mod Q s / g
};

/// Returns L = lcm(P r, Q s), the number of elements of one slice in the sense of the paper (blocks as written, no
/// offsets).
[[nodiscard]] std::int64_t slice_extent(const Axis& from, const Axis& to);

}  // namespace sluice
