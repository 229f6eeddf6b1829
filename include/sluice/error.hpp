#pragma once

#include <stdexcept>
#include <string>

namespace sluice {

/// Reports bad input: a file, a command line or the arguments of a public function.
///
/// It is thrown before anything is sent or written. `what()` is one line: "WHERE: FOUND, expected EXPECTED". WHERE is
/// "FILE:LINE", an option such as "--from", or the name of an argument. If FOUND names what was expected, EXPECTED is
/// empty, and the line ends after FOUND.
class InputError : public std::runtime_error {
 public:
  /// Makes the error of WHERE, FOUND and EXPECTED of `what()`.
  InputError(std::string where, std::string found, std::string expected);

  /// Returns the place of the input: "FILE:LINE", an option, or the name of an argument.
  [[nodiscard]] const std::string& where() const noexcept { return where_; }
  /// Returns the input that was found.
  [[nodiscard]] const std::string& found() const noexcept { return found_; }
  /// Returns the input that was expected instead.
  [[nodiscard]] const std::string& expected() const noexcept { return expected_; }

 private:
  std::string where_;
  std::string found_;
  std::string expected_;
};

namespace detail {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line, const std::string& values);
}  // namespace detail

}  // namespace sluice

/// Aborts with the condition and `values` if the condition is false, because that is a bug. `values` is a string,
/// evaluated only on failure. Always on.
#define SLUICE_ASSERT(condition, values) \
  ((condition) ? void(0) : ::sluice::detail::assertion_failed(#condition, __FILE__, __LINE__, (values)))
