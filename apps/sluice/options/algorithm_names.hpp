#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The planners of a problem as users meet them: the registry in its order, and what the command adds.
namespace sluice::command {

/// An algorithm of redistribute that only plan and compare know: two schedules, one after the other. algorithm_names
/// does not have it.
inline constexpr const char* kWalkerOtto = "walker-otto";

/// ggp, oggp, ..., auto.
[[nodiscard]] std::vector<std::string> algorithm_names(std::string_view problem);
/// The same in one line, with commas.
[[nodiscard]] std::string algorithm_list(std::string_view problem);

/// Those that plan and compare take for redistribute: its own, walker-otto, and further ones of exchange.
[[nodiscard]] std::vector<std::string> redistribution_names();

/// Whether `name` is one of algorithm_names.
[[nodiscard]] bool is_algorithm(std::string_view problem, std::string_view name);

/// Throws InputError naming `where` unless is_algorithm.
void check_algorithm(std::string_view problem, const std::string& name, const std::string& where = "--algorithm");

/// What the registry says of `name`; empty if it is not there.
[[nodiscard]] std::string guarantee_of(std::string_view problem, std::string_view name);

/// "algorithm: NAME", and what it guarantees where the registry says so.
[[nodiscard]] std::string algorithm_text(std::string_view problem, const std::string& name);

/// The algorithms with their guarantees, a line each, for --help.
[[nodiscard]] std::string algorithms_help(std::string_view problem);

}  // namespace sluice::command
