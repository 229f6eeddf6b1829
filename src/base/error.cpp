#include "sluice/error.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace sluice {

InputError::InputError(std::string where, std::string found, std::string expected)
    : std::runtime_error(where + ": " + found + (expected.empty() ? "" : ", expected " + expected)),
      where_(std::move(where)),
      found_(std::move(found)),
      expected_(std::move(expected)) {}

namespace detail {

void assertion_failed(const char* condition, const char* file, int line, const std::string& values) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s (%s)\n", file, line, condition, values.c_str());
  std::abort();
}

}  // namespace detail
}  // namespace sluice
