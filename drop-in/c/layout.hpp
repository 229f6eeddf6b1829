#pragma once

#include <sluice/sluice.h>

#include <cstdint>
#include <vector>

#include "sluice/input/block_cyclic.hpp"

namespace sluice::c {

/// The layout, and the processes that have the first blocks. Throws InputError naming `name` for a null pointer and a
/// number of dimensions or of cuts out of range; the rest is for who uses it to check.
[[nodiscard]] Layout layout_of(const sluice_layout* layout, const char* name);
[[nodiscard]] std::vector<std::int64_t> first_of(const sluice_layout& layout);
/// One extent for each of `dimensions`; none for a null pointer.
[[nodiscard]] std::vector<std::int64_t> shape_of(const std::int64_t* shape, std::size_t dimensions);

}  // namespace sluice::c
