#pragma once

#include <string>
#include <vector>

#include "apps/sluice/options/offered_values.hpp"

namespace CLI {
class App;
}

/// Manual pages and completions of the command, from the definitions that its --help is printed from.
namespace sluice::manuals {

/// An option, or a word without a name.
struct PartOption {
  std::vector<std::string> names;  ///< "-o", "--output"; empty for a word without a name
  std::string text;                ///< what stands behind the name in --help: "FILE|-", "NAME [auto]"
  std::string about;
  std::vector<command::OfferedValue> values;  ///< none for a flag
};

/// A verb or a problem, by name and the line that --help has for it.
struct PartName {
  std::string name;
  std::string about;
};

/// The command, a verb, or a verb with a problem.
struct Part {
  std::vector<std::string> words;  ///< none, "plan", or "plan" and "exchange"
  std::string about;
  std::string verb_about;  ///< of a problem: what its verb does
  std::string footer;
  std::vector<PartOption> options;
  std::vector<PartOption> positionals;
  std::vector<PartName> parts;  ///< its verbs or problems
};

/// The command first, then every verb with its problems behind it.
[[nodiscard]] std::vector<Part> parts_of_command(const CLI::App& root);

/// "plan exchange"; "" for the command.
[[nodiscard]] std::string words_of(const Part& part);
/// Its verbs or problems: "exchange redistribute".
[[nodiscard]] std::string names_of(const Part& part);

/// What stands in a file of the completions of every shell about where it comes from.
inline constexpr const char* kMadeFrom = "made from the options of the command by apps/sluice/manuals";

/// The manual page of `part`: man macros. `date`: as the page shall show it; `version`: of the command.
[[nodiscard]] std::string man_page(const Part& part, const std::string& date, const std::string& version);
/// "sluice-plan-exchange".
[[nodiscard]] std::string page_name(const Part& part);

[[nodiscard]] std::string bash_completion(const std::vector<Part>& parts);
[[nodiscard]] std::string zsh_completion(const std::vector<Part>& parts);
[[nodiscard]] std::string fish_completion(const std::vector<Part>& parts);

/// A part of a page of docs/reference that comes from the definitions: a table, by the name of its place in the page.
struct ReferencePart {
  std::string name;
  std::string text;  ///< Markdown
};

/// The parts of all pages: of the command what --help has, of algorithms what is registered.
[[nodiscard]] std::vector<ReferencePart> reference_parts(const std::vector<Part>& parts);

}  // namespace sluice::manuals
