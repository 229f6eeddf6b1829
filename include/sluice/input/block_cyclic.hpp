#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sluice/index.hpp"
#include "sluice/input/cuts.hpp"

namespace sluice {

/// Describes one dimension of a block-cyclic distribution, as in ScaLAPACK's array descriptor. Blocks of `block`
/// consecutive global indices go to `processes` processes in turn, the first block to `first_process` (RSRC, CSRC). A
/// dimension may instead have blocks of any sizes (`irregular`), without one block size or a first process.
///
/// The queries take indices in range and cost O(1), or O(log blocks) for blocks of any sizes. `local` of a block-cyclic
/// dimension also accepts negative global indices. It then continues its affine rule (floor division), which
/// AxisPattern needs for runs cut at the start of a sub-array.
struct Axis {
  std::int64_t extent = 0;         ///< global indices are 0 .. extent - 1; any size, including 0
  std::int64_t processes = 1;      ///< at least 1; more processes than blocks are fine
  std::int64_t block = 1;          ///< at least 1
  std::int64_t first_process = 0;  ///< 0 .. processes - 1
  /// Blocks of any sizes, which end at `extent`, for as many processes; then `block` is 1 and `first_process` 0. Null:
  /// block-cyclic.
  std::shared_ptr<const IrregularBlocks> irregular = {};

  /// Returns the process that has a global index.
  [[nodiscard]] Coordinate owner(GlobalIndex global) const;
  /// Returns the position of a global index in the part of its owner.
  [[nodiscard]] LocalIndex local(GlobalIndex global) const;
  /// Returns the global index that `process` has at position `local` of its part.
  [[nodiscard]] GlobalIndex global(Coordinate process, LocalIndex local) const;
  /// Returns the number of global indices that `process` owns (ScaLAPACK's NUMROC).
  [[nodiscard]] std::int64_t local_extent(Coordinate process) const;
  /// Returns the largest number of global indices that a process owns.
  [[nodiscard]] std::int64_t largest_local_extent() const;
  /// Returns the distance of `process` from `first_process`, going up and around; 0 for the process with the first
  /// block.
  [[nodiscard]] std::int64_t relative(Coordinate process) const;
  /// Returns the process whose distance from `first_process` is `relative`, 0 .. processes - 1.
  [[nodiscard]] Coordinate absolute(std::int64_t relative) const;

  friend bool operator==(const Axis& a, const Axis& b);
};

/// Throws InputError, naming `where`, for a bad dimension:
///
///  - fewer than 1 process, blocks below 1, an extent below 0, a first process outside the grid
///  - processes times block beyond int64
///  - irregular blocks that do not end at the extent, or have a block above 1 or a first process beside them
void check(const Axis& axis, const std::string& where);

/// Describes a process grid, and a block size or cuts for each dimension: a distribution without the shape of the
/// array. Cuts give the extent of their dimension.
struct Layout {
  std::vector<std::int64_t> grid;
  std::vector<std::int64_t> block;  ///< 1 in dimensions with cuts
  /// Cuts of each dimension, empty for block-cyclic ones. No entries: all dimensions are block-cyclic.
  std::vector<Cuts> cuts = {};

  /// Returns the number of dimensions; grid and block have one entry for each.
  [[nodiscard]] std::size_t dimensions() const { return grid.size(); }
  /// Returns true if there are cuts in any dimension.
  [[nodiscard]] bool has_cuts() const;
  /// Returns the shape of the array in dimensions with cuts, 0 in the others.
  [[nodiscard]] std::vector<std::int64_t> shape_of_cuts() const;
  /// Returns the extent of the cuts of a dimension; -1 if it has no cuts.
  [[nodiscard]] std::int64_t cut_extent(std::size_t dimension) const {
    return cuts.empty() || cuts[dimension].at.empty() ? -1 : cuts[dimension].at.back();
  }
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Limits the dimensions of an array; more are refused.
inline constexpr std::size_t kMaxDimensions = 7;

/// Describes an array of 1 to 7 dimensions on a process grid, in each dimension block-cyclic or by cuts.
///
/// Processes are numbered in row-major order of their grid coordinates (the last coordinate runs fastest, BLACS' 'R').
/// Processes of a transposed distribution are numbered in column-major order ('C').
class Distribution {
 public:
  /// Makes the distribution.
  ///
  ///  - `layout`: grid, and blocks or cuts
  ///  - `shape`: shape[d] is the global extent of dimension d, at least 0
  ///  - `first`: first[d] is the process coordinate with the first block; empty: all 0
  ///  - `where`: name of the distribution in messages
  ///
  /// Throws InputError, naming `where`, for dimensions that disagree or are not 1 to 7, for numbers out of range, and
  /// for products that overflow int64. Cuts must fit as for IrregularBlocks, end at the extent, and have no first
  /// process beside them.
  Distribution(const Layout& layout, std::span<const std::int64_t> shape, std::span<const std::int64_t> first = {},
               const std::string& where = "distribution");

  /// Returns the number of dimensions, 1 to kMaxDimensions.
  [[nodiscard]] std::size_t dimensions() const { return axes_.size(); }
  /// Returns one dimension, counted from 0.
  [[nodiscard]] const Axis& axis(std::size_t dimension) const { return axes_[dimension]; }
  /// Returns all dimensions.
  [[nodiscard]] std::span<const Axis> axes() const { return axes_; }
  /// Returns the number of processes in the grid.
  [[nodiscard]] std::int64_t processes() const { return processes_; }
  /// Returns the number of elements of the whole array.
  [[nodiscard]] std::int64_t size() const { return size_; }

  /// Returns the distribution of the transposed array, with the same elements on the same processes: its element (i, j)
  /// is element (j, i) of this array. Dimensions and coordinates are in reverse order, and processes keep their
  /// numbers.
  [[nodiscard]] Distribution transposed() const;
  /// Returns true if this distribution came from transposed() and so numbers its processes in column-major order.
  [[nodiscard]] bool is_transposed() const { return is_transposed_; }

  /// Returns the place of a process in the grid: a coordinate for each dimension. @pre 0 <= process < processes()
  [[nodiscard]] std::vector<Coordinate> coordinates(Rank process) const;
  /// Returns the process at these coordinates, one for each dimension.
  [[nodiscard]] Rank rank(std::span<const Coordinate> coordinates) const;
  /// Returns the increase of a process number when its coordinate in a dimension grows by 1.
  [[nodiscard]] std::int64_t rank_step(std::size_t dimension) const { return rank_steps_[dimension]; }
  /// Returns the extents of the part of the array that `process` holds.
  [[nodiscard]] std::vector<std::int64_t> local_shape(Rank process) const;
  /// Returns the number of elements of the array that `process` holds.
  [[nodiscard]] std::int64_t local_size(Rank process) const;
  /// Returns the largest number of elements that a process holds.
  [[nodiscard]] std::int64_t largest_local_size() const;

 private:
  std::vector<Axis> axes_;
  std::vector<std::int64_t> rank_steps_;
  std::int64_t processes_ = 1;
  std::int64_t size_ = 1;
  bool is_transposed_ = false;
};

/// Reads "GRID:BLOCK" from a text.
///
///  - `text`: each of GRID and BLOCK is one number or several joined by 'x': "16:3", "4x4:64x64". Instead of a number,
///    BLOCK may have cuts, separated by commas, and after them "@" and the owner of each block: "4:0,10,35,100", or
///    "2x2:0,10,35,100@1,0,1x64". Numbers may have the suffixes of parse_size
///  - `where`: names the text in the InputError for a bad text
[[nodiscard]] Layout parse_layout(const std::string& text, const std::string& where);

/// Reads a layout as parse_layout does. If the text is "@FILE", the layout is read from that file, which may have white
/// space anywhere between numbers and signs. An InputError then names the file, otherwise `where`.
[[nodiscard]] Layout read_layout(const std::string& text, const std::string& where);

/// Reads "N" or "NxMx...", extents of at least 0. Throws InputError naming `where`.
[[nodiscard]] std::vector<std::int64_t> parse_shape(const std::string& text, const std::string& where);

/// Returns the text that parse_layout reads back.
[[nodiscard]] std::string to_string(const Layout& layout);

}  // namespace sluice
