#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// What every problem of the verb `run` asks of the methods that it compares.
namespace sluice::command {

/// The options as they were typed.
struct RunMethods {
  std::string method = "all";
  std::string repetitions = "9";
  std::string json;
  bool wide = false;  ///< all columns of the table

  /// `known` is for the help of --methods. `names` and "all" are for completion; a name may be there twice.
  void add_method_to(CLI::App& problem, const std::string& known, const std::vector<std::vector<std::string>>& names);
  void add_times_to(CLI::App& problem);

  /// The methods of "A,B,..", or `usual` for "all". `called` returns the name of a method, and throws InputError if it
  /// does not know it. Throws InputError for a method that comes twice.
  [[nodiscard]] std::vector<std::string> names(const std::vector<std::string>& usual,
                                               const std::function<std::string(const std::string&)>& called) const;
  /// Throws InputError.
  [[nodiscard]] int times() const;
};

/// The text "expected ..." where a job has only `ranks` ranks and needs `needed` (0: not known), with the command that
/// starts enough.
[[nodiscard]] std::string ranks_expected(std::int64_t needed, std::int64_t ranks);

}  // namespace sluice::command
