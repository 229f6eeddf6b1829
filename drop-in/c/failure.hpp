#pragma once

#include <sluice/sluice.h>

#include <cstdint>
#include <utility>

/// Where C++ ends: nothing that is thrown passes through a function of sluice.h.
namespace sluice::c {

/// The code of the exception that is being handled. Its text becomes the text of this thread.
[[nodiscard]] int code_of_current_exception() noexcept;

/// What every function of the interface does: runs `body` and returns the code.
template <class Body>
[[nodiscard]] int guarded(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return SLUICE_OK;
  } catch (...) {
    return code_of_current_exception();
  }
}

/// Throws InputError naming `name` if `pointer` is null.
void check_given(const void* pointer, const char* name);
/// Throws InputError unless `count` is at least 0, and where it is above, `list` is given.
void check_list(std::int64_t count, const void* list, const char* name);

}  // namespace sluice::c
