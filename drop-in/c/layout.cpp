#include "layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "failure.hpp"
#include "sluice/error.hpp"

namespace sluice::c {

static_assert(SLUICE_MAX_DIMENSIONS == kMaxDimensions);

Layout layout_of(const sluice_layout* layout, const char* name) {
  check_given(layout, name);
  if (layout->dimensions < 1 || layout->dimensions > SLUICE_MAX_DIMENSIONS)
    throw InputError(name, fmt::format("{} dimensions", layout->dimensions),
                     fmt::format("1 to {}", SLUICE_MAX_DIMENSIONS));
  return {{layout->grid, layout->grid + layout->dimensions}, {layout->block, layout->block + layout->dimensions}};
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
    throw InputError("process", fmt::format("{}", process), fmt::format("0 to {}", distribution.processes() - 1));
  return distribution;
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
    if (parsed.has_cuts()) throw sluice::InputError("layout", "blocks given by cuts", "GRID:BLOCK, blocks of one size");
    if (parsed.dimensions() > SLUICE_MAX_DIMENSIONS)
      throw sluice::InputError("layout", fmt::format("{} dimensions", parsed.dimensions()),
                               fmt::format("1 to {}", SLUICE_MAX_DIMENSIONS));
    sluice_layout result = {};
    result.dimensions = static_cast<std::int64_t>(parsed.dimensions());
    std::copy(parsed.grid.begin(), parsed.grid.end(), result.grid);
    std::copy(parsed.block.begin(), parsed.block.end(), result.block);
    *layout = result;
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
