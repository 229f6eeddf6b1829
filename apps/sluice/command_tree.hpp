#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "apps/sluice/command.hpp"

namespace sluice::command {

/// Adds all verbs with their problems, options and help to `root`, which is called "sluice": what the command reads its
/// command line by, and what its manual pages and completions are made from. `chosen` has to live as long as `root`.
void add_all(CLI::App& root, Action& chosen);

/// The same with `verb` alone, if it is one: to define the options of all verbs takes longer than a short plan.
void add_needed(CLI::App& root, Action& chosen, const std::string& verb);

/// The verbs or problems of a part of the command, in their order.
[[nodiscard]] std::vector<const CLI::App*> parts_of(const CLI::App& app);

}  // namespace sluice::command
