#pragma once

#include <pybind11/pybind11.h>

namespace sluice::python {

/// Translates exceptions of the library that leave `module` to the exceptions of sluice/_errors.py.
void translate_exceptions();

}  // namespace sluice::python
