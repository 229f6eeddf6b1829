#include "sluice/input/block_cyclic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "input/modular.hpp"
#include "sluice/checked.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {

using detail::floor_divide;
using detail::floor_modulo;

bool operator==(const Axis& a, const Axis& b) {
  const auto cuts = [](const Axis& axis) { return axis.irregular ? axis.irregular->cuts() : Cuts{}; };
  return a.extent == b.extent && a.processes == b.processes && a.block == b.block &&
         a.first_process == b.first_process && (a.irregular == b.irregular || cuts(a) == cuts(b));
}

Coordinate Axis::owner(GlobalIndex global) const {
  if (irregular) return irregular->owner(irregular->block_of(global));
  return absolute(floor_modulo(global.value / block, processes));
}

LocalIndex Axis::local(GlobalIndex global) const {
  if (irregular) return irregular->local(global);
  const std::int64_t cycle = block * processes;
  return LocalIndex(floor_divide(global.value, cycle) * block + floor_modulo(global.value, block));
}

GlobalIndex Axis::global(Coordinate process, LocalIndex local) const {
  if (irregular) return irregular->global(process, local);
  const std::int64_t local_block = local.value / block;
  return GlobalIndex((local_block * processes + relative(process)) * block + local.value % block);
}

std::int64_t Axis::local_extent(Coordinate process) const {
  if (irregular) return irregular->local_extent(process);
  const std::int64_t full_blocks = extent / block;
  const std::int64_t position = relative(process);
  std::int64_t result = full_blocks / processes * block;
  const std::int64_t left_over = full_blocks % processes;
  if (position < left_over) {
    result += block;
  } else if (position == left_over) {
    result += extent % block;
  }
  return result;
}

std::int64_t Axis::largest_local_extent() const {
  return irregular ? irregular->largest_local_extent() : local_extent(Coordinate(first_process));
}

std::int64_t Axis::relative(Coordinate process) const { return floor_modulo(process.value - first_process, processes); }

Coordinate Axis::absolute(std::int64_t relative) const {
  const std::int64_t until_wrap = processes - first_process;
  return Coordinate(relative < until_wrap ? relative + first_process : relative - until_wrap);
}

void check(const Axis& axis, const std::string& where) {
  if (axis.processes < 1) throw InputError(where, fmt::format("a grid extent of {}", axis.processes), "at least 1");
  if (axis.block < 1) throw InputError(where, fmt::format("a block size of {}", axis.block), "at least 1");
  if (axis.extent < 0) throw InputError(where, fmt::format("an array extent of {}", axis.extent), "at least 0");
  if (axis.first_process < 0 || axis.first_process >= axis.processes) {
    throw InputError(where, fmt::format("first process {}", axis.first_process), index_text(axis.processes, "process"));
  }
  checked::multiply(axis.processes, axis.block, where.c_str());
  if (!axis.irregular) return;
  if (axis.block != 1) throw InputError(where, fmt::format("blocks of {} where cuts are given", axis.block), "1");
  if (axis.first_process != 0)
    throw InputError(where, fmt::format("first process {} of blocks given by cuts", axis.first_process),
                     "0; owners say who has which block");
  if (axis.irregular->extent() != axis.extent)
    throw InputError(where, fmt::format("cuts that end at {}", axis.irregular->extent()),
                     fmt::format("{}, the extent of the array", axis.extent));
}

bool Layout::has_cuts() const {
  return std::ranges::any_of(cuts, [](const Cuts& each) { return !each.at.empty(); });
}

std::vector<std::int64_t> Layout::shape_of_cuts() const {
  std::vector<std::int64_t> shape(grid.size(), 0);
  for (std::size_t d = 0; d < std::min(shape.size(), cuts.size()); ++d)
    shape[d] = std::max<std::int64_t>(0, cut_extent(d));
  return shape;
}

Distribution::Distribution(const Layout& layout, std::span<const std::int64_t> shape,
                           std::span<const std::int64_t> first, const std::string& where) {
  const std::size_t dimensions = layout.grid.size();
  if (dimensions < 1 || dimensions > kMaxDimensions) {
    throw InputError(where, count_text(dimensions, "dimension"), "1 to 7");
  }
  if (layout.block.size() != dimensions) {
    throw InputError(where,
                     fmt::format("{} for a grid of {}", count_text(layout.block.size(), "block size"),
                                 count_text(dimensions, "dimension")),
                     "as many");
  }
  if (shape.size() != dimensions) {
    throw InputError(where,
                     fmt::format("a shape of {} for a layout of {}", count_text(shape.size(), "dimension"), dimensions),
                     "as many");
  }
  if (!first.empty() && first.size() != dimensions) {
    throw InputError(where, fmt::format("{} first processes for {}", first.size(), count_text(dimensions, "dimension")),
                     "as many");
  }
  if (!layout.cuts.empty() && layout.cuts.size() != dimensions) {
    throw InputError(
        where, fmt::format("cuts of {} for a grid of {}", count_text(layout.cuts.size(), "dimension"), dimensions),
        "as many, or none");
  }
  axes_.reserve(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) {
    Axis axis{shape[d], layout.grid[d], layout.block[d], first.empty() ? 0 : first[d], nullptr};
    check(axis, where);
    if (layout.cut_extent(d) >= 0) {
      axis.irregular = std::make_shared<const IrregularBlocks>(layout.cuts[d], axis.processes, where);
      check(axis, where);
    }
    processes_ = checked::multiply(processes_, axis.processes, where.c_str());
    axes_.push_back(std::move(axis));
  }
  if (std::ranges::find(shape, 0) != shape.end()) {
    size_ = 0;  // for any other extents, whose product may well exceed int64
  } else {
    for (const std::int64_t extent : shape) size_ = checked::multiply(size_, extent, where.c_str());
  }
  rank_steps_.assign(axes_.size(), 1);
  for (std::size_t d = axes_.size(); d-- > 1;) rank_steps_[d - 1] = rank_steps_[d] * axes_[d].processes;
}

Distribution Distribution::transposed() const {
  Distribution result = *this;
  std::ranges::reverse(result.axes_);
  std::ranges::reverse(result.rank_steps_);
  result.is_transposed_ = !is_transposed_;
  return result;
}

std::vector<Coordinate> Distribution::coordinates(Rank process) const {
  std::vector<Coordinate> result(axes_.size());
  for (std::size_t d = 0; d < axes_.size(); ++d)
    result[d] = Coordinate(process.value / rank_steps_[d] % axes_[d].processes);
  return result;
}

Rank Distribution::rank(std::span<const Coordinate> coordinates) const {
  std::int64_t result = 0;
  for (std::size_t d = 0; d < axes_.size(); ++d) result += coordinates[d].value * rank_steps_[d];
  return Rank(result);
}

std::vector<std::int64_t> Distribution::local_shape(Rank process) const {
  const std::vector<Coordinate> at = coordinates(process);
  std::vector<std::int64_t> result(axes_.size());
  for (std::size_t d = 0; d < axes_.size(); ++d) result[d] = axes_[d].local_extent(at[d]);
  return result;
}

std::int64_t Distribution::local_size(Rank process) const {
  if (size_ == 0) return 0;
  std::int64_t result = 1;
  for (const std::int64_t extent : local_shape(process)) result *= extent;
  return result;
}

std::int64_t Distribution::largest_local_size() const {
  if (size_ == 0) return 0;
  std::int64_t result = 1;
  for (const Axis& axis : axes_) result *= axis.largest_local_extent();
  return result;
}

}  // namespace sluice
