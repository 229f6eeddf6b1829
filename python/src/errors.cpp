#include "errors.hpp"

#include <exception>

#include "sluice/error.hpp"
#ifdef SLUICE_PYTHON_MPI
#include "sluice/run/mpi/error.hpp"
#endif

namespace sluice::python {

namespace {

void raise(const char* type, const std::exception& error) {
  const pybind11::object own = pybind11::module_::import("sluice._errors").attr(type);
  PyErr_SetString(own.ptr(), error.what());
}

}  // namespace

void translate_exceptions() {
  pybind11::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      raise("InputError", error);
#ifdef SLUICE_PYTHON_MPI
    } catch (const MpiError& error) {
      raise("MpiError", error);
    } catch (const JobError& error) {
      raise("JobError", error);
#endif
    }
  });
}

}  // namespace sluice::python
