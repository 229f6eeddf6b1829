#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

#include "sluice/schedule/combining_costs.hpp"

/// How long ranks of a platform take to combine, on the command line, the same for every verb.
namespace sluice::command {

/// The options as they were typed; empty where they were not.
struct CombiningInput {
  static constexpr const char* kCompute = "--compute";
  static constexpr const char* kCosts = "--compute-costs";

  std::string compute;
  std::string costs;

  /// `condition`: "with --reversed: ", or nothing.
  void add_to(CLI::App& verb, const std::string& condition = {});
  /// The option that says how long combining takes, be it 0; nothing if none does.
  [[nodiscard]] const char* option() const { return !costs.empty() ? kCosts : !compute.empty() ? kCompute : nullptr; }
};

/// Reads the time for elements of this size. Throws InputError for what is no time, both options together, and a file
/// that has not one time for each rank.
[[nodiscard]] CombiningCosts read(const CombiningInput& options, std::int64_t ranks, std::int64_t element_bytes);

/// Behind the title of what combines: ", 2.00 ns to combine two elements of 8 bytes"; nothing where that takes no time.
[[nodiscard]] std::string combining_text(const CombiningCosts& costs, std::int64_t element_bytes);

}  // namespace sluice::command
