#pragma once

#include <cstdlib>
#include <string>

#include "sluice/error.hpp"

/// The variables that tell the libraries for programs as they are what to do.
namespace sluice {

/// The value of a variable; empty if it is not set.
inline std::string value_of(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// Whether a variable is 1; 0 or nothing is no. Throws InputError for any other value.
inline bool is_on(const char* name) {
  const std::string value = value_of(name);
  if (value.empty() || value == "0") return false;
  if (value == "1") return true;
  throw InputError(name, "'" + value + "'", "1 or 0");
}

}  // namespace sluice
