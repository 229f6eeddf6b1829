#include "sluice/input/block_cyclic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "input/modular.hpp"
#include "sluice/checked.hpp"
#include "sluice/input/quantity.hpp"

namespace sluice {

using detail::floor_divide;
using detail::floor_modulo;

Coordinate Axis::owner(GlobalIndex global) const { return absolute(floor_modulo(global.value / block, processes)); }

LocalIndex Axis::local(GlobalIndex global) const {
  const std::int64_t cycle = block * processes;
  return LocalIndex(floor_divide(global.value, cycle) * block + floor_modulo(global.value, block));
}

GlobalIndex Axis::global(Coordinate process, LocalIndex local) const {
  const std::int64_t local_block = local.value / block;
  return GlobalIndex((local_block * processes + relative(process)) * block + local.value % block);
}

std::int64_t Axis::local_extent(Coordinate process) const {
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
    throw InputError(where, fmt::format("first process {}", axis.first_process),
                     fmt::format("0 to {}", axis.processes - 1));
  }
  checked::multiply(axis.processes, axis.block, where.c_str());
}

Distribution::Distribution(const Layout& layout, std::span<const std::int64_t> shape,
                           std::span<const std::int64_t> first, const std::string& where) {
  const std::size_t dimensions = layout.grid.size();
  if (dimensions < 1 || dimensions > kMaxDimensions) {
    throw InputError(where, fmt::format("{} dimensions", dimensions), "1 to 7");
  }
  if (layout.block.size() != dimensions) {
    throw InputError(where, fmt::format("{} block sizes for a grid of {} dimensions", layout.block.size(), dimensions),
                     "as many");
  }
  if (shape.size() != dimensions) {
    throw InputError(where, fmt::format("a shape of {} dimensions for a layout of {}", shape.size(), dimensions),
                     "as many");
  }
  if (!first.empty() && first.size() != dimensions) {
    throw InputError(where, fmt::format("{} first processes for {} dimensions", first.size(), dimensions), "as many");
  }
  axes_.reserve(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) {
    const Axis axis{shape[d], layout.grid[d], layout.block[d], first.empty() ? 0 : first[d]};
    check(axis, where);
    processes_ = checked::multiply(processes_, axis.processes, where.c_str());
    axes_.push_back(axis);
  }
  if (std::ranges::find(shape, 0) != shape.end()) {
    size_ = 0;  // whatever the other extents are: their product may well be beyond int64
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
  for (const Axis& axis : axes_) result *= axis.local_extent(Coordinate(axis.first_process));
  return result;
}

namespace {

/// Numbers joined by 'x'; an error shows `whole`, the text they are part of.
std::vector<std::int64_t> parse_joined(std::string_view text, const std::string& whole, const std::string& where) {
  std::vector<std::int64_t> result;
  while (true) {
    const std::size_t end = std::min(text.find('x'), text.size());
    try {
      result.push_back(parse_size(std::string(text.substr(0, end)), where));
    } catch (const InputError& error) {
      if (end == whole.size()) throw;
      throw InputError(where, fmt::format("{} in '{}'", error.found(), whole), error.expected());
    }
    if (end == text.size()) return result;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Layout parse_layout(const std::string& text, const std::string& where) {
  constexpr auto kExpected = "GRID:BLOCK, such as 16:3 or 4x4:64x64";
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || text.find(':', colon + 1) != std::string::npos) {
    throw InputError(where, fmt::format("'{}'", text), kExpected);
  }
  const std::string_view parts = text;
  Layout layout{parse_joined(parts.substr(0, colon), text, where), parse_joined(parts.substr(colon + 1), text, where)};
  // The checks of grid and block alone are those of a distribution of any shape.
  const std::vector<std::int64_t> no_elements(layout.grid.size(), 0);
  (void)Distribution(layout, no_elements, {}, where);
  return layout;
}

std::vector<std::int64_t> parse_shape(const std::string& text, const std::string& where) {
  std::vector<std::int64_t> shape = parse_joined(text, text, where);
  if (shape.size() > kMaxDimensions) throw InputError(where, fmt::format("{} dimensions", shape.size()), "1 to 7");
  return shape;
}

std::string to_string(const Layout& layout) {
  return fmt::format("{}:{}", fmt::join(layout.grid, "x"), fmt::join(layout.block, "x"));
}

}  // namespace sluice
