#include "failure.hpp"

#include <cstdio>
#include <exception>
#include <new>

#include "sluice/error.hpp"
#ifdef SLUICE_C_HAS_MPI
#include "sluice/quantity_text.hpp"
#include "sluice/run/mpi/error.hpp"
#endif

namespace sluice::c {

namespace {

/// An array, as there may be no memory for anything else.
thread_local char error_text[1024] = "";

int keep(int code, const char* text) noexcept {
  std::snprintf(error_text, sizeof error_text, "%s", text);
  return code;
}

}  // namespace

int code_of_current_exception() noexcept {
  try {
    throw;
  } catch (const InputError& error) {
    return keep(SLUICE_BAD_INPUT, error.what());
#ifdef SLUICE_C_HAS_MPI
  } catch (const MpiError& error) {
    return keep(SLUICE_MPI_FAILED, error.what());
  } catch (const JobError& error) {
    return keep(SLUICE_JOB_FAILED, error.what());
#endif
  } catch (const std::bad_alloc&) {
    return keep(SLUICE_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return keep(SLUICE_FAILED, error.what());
  } catch (...) {
    return keep(SLUICE_FAILED, "an unknown exception");
  }
}

void check_given(const void* pointer, const char* name) {
  if (pointer == nullptr) throw InputError(name, "a null pointer", "something");
}

void check_list(std::int64_t count, const void* list, const char* name) {
  if (count < 0) throw InputError(name, sluice::count_text(count, "entry", "entries"), "at least 0");
  if (count > 0 && list == nullptr)
    throw InputError(name, "a null pointer", sluice::count_text(count, "entry", "entries"));
}

}  // namespace sluice::c

const char* sluice_error_text(void) { return sluice::c::error_text; }

const char* sluice_version(void) { return SLUICE_VERSION; }
