#pragma once

#include <gtest/gtest.h>

#include <string>

#include "sluice/error.hpp"

/// Bad input, and what is said of it.
namespace sluice::testing {

/// The message of the InputError that `call` throws.
template <class Call>
std::string error_of(const Call& call) {
  try {
    (void)call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// `text` with the first `what` in it replaced.
inline std::string with(std::string text, const std::string& what, const std::string& instead) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, text.npos) << what;
  return text.replace(at, what.size(), instead);
}

}  // namespace sluice::testing
