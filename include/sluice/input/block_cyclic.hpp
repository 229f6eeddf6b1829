#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sluice/index.hpp"
#include "sluice/input/cuts.hpp"

namespace sluice {

/// One dimension of a block-cyclic distribution, as in ScaLAPACK's array descriptor: blocks of `block` consecutive
/// global indices are dealt in turn to `processes` processes, the first block to `first_process` (RSRC, CSRC). A
/// dimension may instead have blocks of any sizes (`irregular`); then there is neither one block size nor a first
/// process.
///
/// The queries take indices in range and cost O(1), or O(log blocks) where blocks are of any sizes. Negative global
/// indices are accepted by `local` of a block-cyclic dimension, which is then the same affine continuation (floor
/// division) that AxisPattern needs for runs cut at the start of a sub-array.
struct Axis {
  std::int64_t extent = 0;         ///< global indices 0 .. extent - 1; any size, 0 included
  std::int64_t processes = 1;      ///< at least 1; more processes than blocks are fine
  std::int64_t block = 1;          ///< at least 1
  std::int64_t first_process = 0;  ///< 0 .. processes - 1
  /// Blocks of any sizes, which end at `extent`, for as many processes; `block` is 1 then, and `first_process` 0. Null:
  /// block-cyclic.
  std::shared_ptr<const IrregularBlocks> irregular = {};

  /// Returns the process that has a global index.
  [[nodiscard]] Coordinate owner(GlobalIndex global) const;
  /// Returns the position of a global index in the part of its owner.
  [[nodiscard]] LocalIndex local(GlobalIndex global) const;
  /// Returns the global index that `process` has at position `local` of its part.
  [[nodiscard]] GlobalIndex global(Coordinate process, LocalIndex local) const;
  /// Returns how many of the global indices `process` owns (ScaLAPACK's NUMROC).
  [[nodiscard]] std::int64_t local_extent(Coordinate process) const;
  /// Returns the most that any process owns.
  [[nodiscard]] std::int64_t largest_local_extent() const;
  /// Returns the distance of `process` from `first_process`, going up and around: the process that gets the first block
  /// is 0.
  [[nodiscard]] std::int64_t relative(Coordinate process) const;
  /// Returns the process whose distance from `first_process` is `relative`, 0 .. processes - 1.
  [[nodiscard]] Coordinate absolute(std::int64_t relative) const;

  friend bool operator==(const Axis& a, const Axis& b);
};

/// Throws InputError, naming `where`, for fewer than 1 process, blocks below 1, an extent below 0, a first process
/// outside the grid, or processes times block beyond int64; and for irregular blocks that do not end at the extent,
/// beside a block above 1 or a first process.
void check(const Axis& axis, const std::string& where);

/// A process grid, and a block size or cuts for each dimension: a distribution without the shape of the array. Cuts
/// give the extent of their dimension themselves.
struct Layout {
  std::vector<std::int64_t> grid;
  std::vector<std::int64_t> block;  ///< 1 in dimensions with cuts
  std::vector<Cuts> cuts =
      {};  ///< cuts of each dimension, empty for block-cyclic ones; no entries: all dimensions are block-cyclic

  /// Returns the number of dimensions; grid and block have as many entries.
  [[nodiscard]] std::size_t dimensions() const { return grid.size(); }
  /// Returns true if there are cuts in any dimension.
  [[nodiscard]] bool has_cuts() const;
  /// Returns the shape of the array in dimensions with cuts, 0 in the others.
  [[nodiscard]] std::vector<std::int64_t> shape_of_cuts() const;
  /// Returns the extent that the cuts of a dimension end at; -1 where it has none.
  [[nodiscard]] std::int64_t cut_extent(std::size_t dimension) const {
    return cuts.empty() || cuts[dimension].at.empty() ? -1 : cuts[dimension].at.back();
  }
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Arrays of more dimensions are refused.
inline constexpr std::size_t kMaxDimensions = 7;

/// An array of 1 to 7 dimensions spread over a process grid, in each dimension block-cyclically or by cuts.
///
/// Processes are numbered in row-major order of their grid coordinates (the last coordinate runs fastest, BLACS' 'R');
/// those of a transposed distribution in column-major order ('C').
class Distribution {
 public:
  /// `shape[d]` is the global extent of dimension d; `first[d]` the process coordinate that owns the first block
  /// (empty: all 0). Throws InputError, naming `where`, for dimensions that disagree or are not 1 to 7, for grids and
  /// blocks below 1, extents below 0, first processes outside the grid, and products that overflow int64; for cuts as
  /// IrregularBlocks does, for cuts that do not end at the extent, and for a first process beside them.
  Distribution(const Layout& layout, std::span<const std::int64_t> shape, std::span<const std::int64_t> first = {},
               const std::string& where = "distribution");

  /// Returns the number of dimensions, 1 to kMaxDimensions.
  [[nodiscard]] std::size_t dimensions() const { return axes_.size(); }
  /// One dimension, counted from 0.
  [[nodiscard]] const Axis& axis(std::size_t dimension) const { return axes_[dimension]; }
  /// Returns all dimensions.
  [[nodiscard]] std::span<const Axis> axes() const { return axes_; }
  /// Returns the number of processes in the grid.
  [[nodiscard]] std::int64_t processes() const { return processes_; }
  /// Returns the number of elements of the whole array.
  [[nodiscard]] std::int64_t size() const { return size_; }

  /// Returns the distribution of the transposed array, with the same elements on the same processes: its element (i, j)
  /// is element (j, i) of this one. Dimensions and coordinates stand in reverse order, and processes keep their
  /// numbers.
  [[nodiscard]] Distribution transposed() const;
  /// Returns true if this distribution came from transposed() and so numbers its processes in column-major order.
  [[nodiscard]] bool is_transposed() const { return is_transposed_; }

  /// Returns where a process is in the grid: a coordinate for each dimension. @pre 0 <= process < processes()
  [[nodiscard]] std::vector<Coordinate> coordinates(Rank process) const;
  /// Returns the process at these coordinates, one for each dimension.
  [[nodiscard]] Rank rank(std::span<const Coordinate> coordinates) const;
  /// By how much the number of a process grows with its coordinate in a dimension.
  [[nodiscard]] std::int64_t rank_step(std::size_t dimension) const { return rank_steps_[dimension]; }
  /// Returns the extents of the part of the array that `process` holds.
  [[nodiscard]] std::vector<std::int64_t> local_shape(Rank process) const;
  /// Returns the number of elements of the array that `process` holds.
  [[nodiscard]] std::int64_t local_size(Rank process) const;
  /// Returns the most that a process holds.
  [[nodiscard]] std::int64_t largest_local_size() const;

 private:
  std::vector<Axis> axes_;
  std::vector<std::int64_t> rank_steps_;
  std::int64_t processes_ = 1;
  std::int64_t size_ = 1;
  bool is_transposed_ = false;
};

/// Reads "GRID:BLOCK", each one number or several joined by 'x': "16:3", "4x4:64x64". In place of a number of BLOCK may
/// be cuts, separated by commas, and behind them "@" and the owner of each block: "4:0,10,35,100", or
/// "2x2:0,10,35,100@1,0,1x64". Numbers may carry the suffixes of parse_size. Throws InputError naming `where`.
[[nodiscard]] Layout parse_layout(const std::string& text, const std::string& where);

/// As parse_layout. If the text is "@FILE", the layout is read from that file, which may have white space between
/// numbers and signs anywhere; an InputError then names the file, otherwise `where`.
[[nodiscard]] Layout read_layout(const std::string& text, const std::string& where);

/// Reads "N" or "NxMx...", extents of at least 0. Throws InputError naming `where`.
[[nodiscard]] std::vector<std::int64_t> parse_shape(const std::string& text, const std::string& where);

/// Returns the text that parse_layout reads back.
[[nodiscard]] std::string to_string(const Layout& layout);

}  // namespace sluice
