#pragma once

#include <pybind11/pybind11.h>

#include "sluice/input/traffic.hpp"

namespace sluice::python {

/// Who sends how much to whom: a dense matrix, a sparse one of SciPy, or the name of a file (text or os.PathLike). Row
/// = sender, column = receiver. Throws InputError, or what NumPy raises, for what is none.
[[nodiscard]] Traffic traffic_of(const pybind11::object& matrix);

}  // namespace sluice::python
