#pragma once

#include <pybind11/pybind11.h>

namespace sluice::python {

/// Exceptions of the library that leave `module` become those of sluice/_errors.py.
void translate_exceptions();

}  // namespace sluice::python
