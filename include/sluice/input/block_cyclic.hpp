#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sluice/index.hpp"

namespace sluice {

/// One dimension of a block-cyclic distribution, as in ScaLAPACK's array descriptor: blocks of `block` consecutive
/// global indices are dealt in turn to `processes` processes, the first block to `first_process` (RSRC, CSRC).
///
/// The queries take indices in range and cost O(1). Negative global indices are accepted by `local`, which is then
/// the same affine continuation (floor division) that AxisPattern needs for runs cut at the start of a sub-array.
struct Axis {
  std::int64_t extent = 0;         ///< global indices 0 .. extent - 1; any size, 0 included
  std::int64_t processes = 1;      ///< at least 1; more processes than blocks are fine
  std::int64_t block = 1;          ///< at least 1
  std::int64_t first_process = 0;  ///< 0 .. processes - 1

  /// The process that has a global index.
  [[nodiscard]] Coordinate owner(GlobalIndex global) const;
  /// The position of a global index in the part of its owner.
  [[nodiscard]] LocalIndex local(GlobalIndex global) const;
  /// The global index that `process` has at position `local` of its part.
  [[nodiscard]] GlobalIndex global(Coordinate process, LocalIndex local) const;
  /// How many of the global indices `process` owns (ScaLAPACK's NUMROC).
  [[nodiscard]] std::int64_t local_extent(Coordinate process) const;
  /// The distance of `process` from `first_process`, going up and around: the process that gets the first block is 0.
  [[nodiscard]] std::int64_t relative(Coordinate process) const;
  /// The process whose distance from `first_process` is `relative`, 0 .. processes - 1.
  [[nodiscard]] Coordinate absolute(std::int64_t relative) const;

  friend bool operator==(const Axis&, const Axis&) = default;
};

/// Throws InputError, naming `where`, for fewer than 1 process, blocks below 1, an extent below 0, a first process
/// outside the grid, or processes times block beyond int64.
void check(const Axis& axis, const std::string& where);

/// A process grid and a block size for each dimension: what is left of a distribution without the array's shape.
struct Layout {
  std::vector<std::int64_t> grid;
  std::vector<std::int64_t> block;

  /// Number of dimensions; grid and block have as many entries.
  [[nodiscard]] std::size_t dimensions() const { return grid.size(); }
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Arrays of more dimensions are refused.
inline constexpr std::size_t kMaxDimensions = 7;

/// An array of 1 to 7 dimensions spread block-cyclically over a process grid.
///
/// Processes are numbered in row-major order of their grid coordinates (the last coordinate runs fastest, BLACS' 'R');
/// those of a transposed distribution in column-major order ('C').
class Distribution {
 public:
  /// `shape[d]` is the global extent of dimension d; `first[d]` the process coordinate that owns the first block
  /// (empty: all 0). Throws InputError, naming `where`, for dimensions that disagree or are not 1 to 7, for grids and
  /// blocks below 1, extents below 0, first processes outside the grid, and products that overflow int64.
  Distribution(const Layout& layout, std::span<const std::int64_t> shape, std::span<const std::int64_t> first = {},
               const std::string& where = "distribution");

  /// Number of dimensions, 1 to kMaxDimensions.
  [[nodiscard]] std::size_t dimensions() const { return axes_.size(); }
  /// One dimension, counted from 0.
  [[nodiscard]] const Axis& axis(std::size_t dimension) const { return axes_[dimension]; }
  /// All dimensions.
  [[nodiscard]] std::span<const Axis> axes() const { return axes_; }
  /// Number of processes in the grid.
  [[nodiscard]] std::int64_t processes() const { return processes_; }
  /// Number of elements of the whole array.
  [[nodiscard]] std::int64_t size() const { return size_; }

  /// The same elements on the same processes, as those of the transposed array: element (i, j) of it is element (j, i)
  /// of this one. Dimensions and coordinates stand in reverse order, and processes keep their numbers.
  [[nodiscard]] Distribution transposed() const;
  /// Whether it came from transposed(), and numbers processes in column-major order.
  [[nodiscard]] bool is_transposed() const { return is_transposed_; }

  /// Where a process is in the grid: a coordinate for each dimension. @pre 0 <= process < processes()
  [[nodiscard]] std::vector<Coordinate> coordinates(Rank process) const;
  /// The process at these coordinates, one for each dimension.
  [[nodiscard]] Rank rank(std::span<const Coordinate> coordinates) const;
  /// By how much the number of a process grows with its coordinate in a dimension.
  [[nodiscard]] std::int64_t rank_step(std::size_t dimension) const { return rank_steps_[dimension]; }
  /// Extents of the part of the array that `process` holds.
  [[nodiscard]] std::vector<std::int64_t> local_shape(Rank process) const;
  /// Number of elements of the array that `process` holds.
  [[nodiscard]] std::int64_t local_size(Rank process) const;
  /// The most that a process holds: the one that has the first block.
  [[nodiscard]] std::int64_t largest_local_size() const;

 private:
  std::vector<Axis> axes_;
  std::vector<std::int64_t> rank_steps_;
  std::int64_t processes_ = 1;
  std::int64_t size_ = 1;
  bool is_transposed_ = false;
};

/// Reads "GRID:BLOCK", each one number or several joined by 'x': "16:3", "4x4:64x64". Numbers may carry the suffixes
/// of parse_size. Throws InputError naming `where`.
[[nodiscard]] Layout parse_layout(const std::string& text, const std::string& where);

/// Reads "N" or "NxMx...", extents of at least 0. Throws InputError naming `where`.
[[nodiscard]] std::vector<std::int64_t> parse_shape(const std::string& text, const std::string& where);

/// The text that parse_layout reads back.
[[nodiscard]] std::string to_string(const Layout& layout);

}  // namespace sluice
