#include "layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "failure.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::c {

static_assert(SLUICE_MAX_DIMENSIONS == kMaxDimensions);

Layout layout_of(const sluice_layout* layout, const char* name) {
  check_given(layout, name);
  if (layout->dimensions < 1 || layout->dimensions > SLUICE_MAX_DIMENSIONS)
    throw InputError(name, sluice::count_text(layout->dimensions, "dimension"),
                     fmt::format("1 to {}", SLUICE_MAX_DIMENSIONS));
  for (std::int64_t d = 0; d < layout->dimensions; ++d) {
    if (layout->grid[d] < 1) throw InputError(name, fmt::format("a grid extent of {}", layout->grid[d]), "at least 1");
  }
  Layout result{{layout->grid, layout->grid + layout->dimensions}, {layout->block, layout->block + layout->dimensions}};
  for (std::size_t d = 0; d < result.dimensions(); ++d) {
    const sluice_cuts& cuts = layout->cuts[d];
    if (cuts.count == 0) continue;
    if (cuts.count < 2 || cuts.count > kMostBlocksOfCuts + 1)
      throw InputError(name, fmt::format("{} in dimension {}", sluice::count_text(cuts.count, "cut"), d),
                       fmt::format("none, or 2 to {}: 0 first, and the extent last", kMostBlocksOfCuts + 1));
    check_given(cuts.at, name);
    result.block[d] = 1;
    result.cuts.resize(result.dimensions());
    result.cuts[d].at.assign(cuts.at, cuts.at + cuts.count);
    if (cuts.owners != nullptr) result.cuts[d].owners.assign(cuts.owners, cuts.owners + cuts.count - 1);
  }
  return result;
}

std::vector<std::int64_t> first_of(const sluice_layout& layout) {
  return {layout.first, layout.first + layout.dimensions};
}

std::vector<std::int64_t> shape_of(const std::int64_t* shape, std::size_t dimensions) {
  if (shape == nullptr) return {};
  return {shape, shape + dimensions};
}

namespace {

/// The array that the arguments of a query describe. Throws InputError.
Distribution distribution_of(const sluice_layout* layout, const std::int64_t* shape, std::int64_t process) {
  const Layout own = layout_of(layout, "layout");
  check_given(shape, "shape");
  Distribution distribution(own, shape_of(shape, own.dimensions()), first_of(*layout), "layout");
  if (process < 0 || process >= distribution.processes())
    throw InputError("process", fmt::format("{}", process), index_text(distribution.processes(), "process"));
  return distribution;
}

/// The layout without its cuts. Throws InputError for too many dimensions.
sluice_layout in_c(const Layout& layout) {
  if (layout.dimensions() > SLUICE_MAX_DIMENSIONS)
    throw InputError("layout", sluice::count_text(layout.dimensions(), "dimension"),
                     fmt::format("1 to {}", SLUICE_MAX_DIMENSIONS));
  sluice_layout result = {};
  result.dimensions = static_cast<std::int64_t>(layout.dimensions());
  std::ranges::copy(layout.grid, result.grid);
  std::ranges::copy(layout.block, result.block);
  return result;
}

}  // namespace

}  // namespace sluice::c

using sluice::c::check_given;
using sluice::c::guarded;

int sluice_layout_parse(const char* text, sluice_layout* layout) {
  return guarded([&] {
    check_given(text, "text");
    check_given(layout, "layout");
    const sluice::Layout parsed = sluice::parse_layout(text, "layout");
    if (parsed.has_cuts())
      throw sluice::InputError("layout", "blocks given by cuts",
                               "GRID:BLOCK, blocks of one size; sluice_layout_parse_cuts takes cuts");
    *layout = sluice::c::in_c(parsed);
  });
}

int sluice_layout_parse_cuts(const char* text, sluice_layout* layout, std::int64_t* count, std::int64_t capacity,
                             std::int64_t numbers[]) {
  return guarded([&] {
    check_given(text, "text");
    check_given(count, "count");
    const sluice::Layout parsed = sluice::read_layout(text, "layout");
    sluice_layout result = sluice::c::in_c(parsed);
    std::int64_t needed = 0;
    for (const sluice::Cuts& cuts : parsed.cuts)
      needed += static_cast<std::int64_t>(cuts.at.size() + cuts.owners.size());
    if (numbers != nullptr) {
      check_given(layout, "layout");
      if (capacity < needed)
        throw sluice::InputError("capacity", fmt::format("{}", capacity), fmt::format("room for {} integers", needed));
      for (std::size_t d = 0; d < parsed.cuts.size(); ++d) {
        const sluice::Cuts& cuts = parsed.cuts[d];
        if (cuts.at.empty()) continue;
        result.cuts[d] = {static_cast<std::int64_t>(cuts.at.size()), numbers, nullptr};
        numbers = std::ranges::copy(cuts.at, numbers).out;
        if (!cuts.owners.empty()) result.cuts[d].owners = numbers;
        numbers = std::ranges::copy(cuts.owners, numbers).out;
      }
      *layout = result;
    }
    *count = needed;
  });
}

int sluice_layout_local_size(const sluice_layout* layout, const std::int64_t shape[], std::int64_t process,
                             std::int64_t* elements) {
  return guarded([&] {
    check_given(elements, "elements");
    *elements = sluice::c::distribution_of(layout, shape, process).local_size(sluice::Rank(process));
  });
}

int sluice_layout_local_shape(const sluice_layout* layout, const std::int64_t shape[], std::int64_t process,
                              std::int64_t extents[]) {
  return guarded([&] {
    check_given(extents, "extents");
    const auto local = sluice::c::distribution_of(layout, shape, process).local_shape(sluice::Rank(process));
    std::copy(local.begin(), local.end(), extents);
  });
}
