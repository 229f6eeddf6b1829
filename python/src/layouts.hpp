#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/input/block_cyclic.hpp"

namespace sluice::python {

/// Holds a layout with the processes that have the first blocks (empty: 0).
struct PlacedLayout {
  Layout layout;
  std::vector<std::int64_t> first = {};
};

/// Binds the class Layout, and local_shape.
void add_layouts(pybind11::module_& module);

}  // namespace sluice::python
