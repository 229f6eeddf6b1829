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

  /// `known`: for the help of --methods. `names`: for completion, "all" besides; those that are there twice count once.
  void add_method_to(CLI::App& problem, const std::string& known, const std::vector<std::vector<std::string>>& names);
  void add_times_to(CLI::App& problem);

  /// The methods of "A,B,..", or `usual` for "all". `called` returns what a method goes by; it throws InputError for
  /// one that it does not know. Throws InputError for one that comes twice.
  [[nodiscard]] std::vector<std::string> names(const std::vector<std::string>& usual,
                                               const std::function<std::string(const std::string&)>& called) const;
  /// Throws InputError.
  [[nodiscard]] int times() const;
};

/// What is expected of a job of `ranks` where `needed` (0: not said) are too many for it, and how to start it.
[[nodiscard]] std::string ranks_expected(std::int64_t needed, std::int64_t ranks);

}  // namespace sluice::command
