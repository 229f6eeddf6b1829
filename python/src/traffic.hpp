#pragma once

#include <pybind11/pybind11.h>

#include "sluice/input/traffic.hpp"

namespace sluice::python {

/// Returns the traffic of a dense matrix, a sparse matrix of SciPy, or the name of a file (text or os.PathLike). Row =
/// sender, column = receiver. Throws InputError, or an exception of NumPy, for any other object.
[[nodiscard]] Traffic traffic_of(const pybind11::object& matrix);

}  // namespace sluice::python
