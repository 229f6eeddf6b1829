#include "apps/sluice/manuals/parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <utility>

#include "apps/sluice/command_tree.hpp"

namespace sluice::manuals {

namespace {

PartOption option_of(const CLI::Option& option) {
  PartOption result;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  result.text = option.get_option_text();
  result.about = option.get_description();
  result.values = command::offered_values(option);
  return result;
}

void add(std::vector<Part>& parts, const CLI::App& app, const std::vector<std::string>& words,
         const std::string& verb_about = {}) {
  Part part;
  part.verb_about = verb_about;
  part.words = words;
  part.about = app.get_description();
  part.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? part.positionals : part.options).push_back(option_of(*option));
  const std::vector<const CLI::App*> below = command::parts_of(app);
  for (const CLI::App* each : below) part.parts.push_back({each->get_name(), each->get_description()});
  const std::string part_about = part.about;
  parts.push_back(std::move(part));
  for (const CLI::App* each : below) {
    std::vector<std::string> further = words;
    further.push_back(each->get_name());
    add(parts, *each, further, words.empty() ? "" : part_about);
  }
}

}  // namespace

std::vector<Part> parts_of_command(const CLI::App& root) {
  std::vector<Part> parts;
  add(parts, root, {});
  return parts;
}

std::string words_of(const Part& part) { return fmt::format("{}", fmt::join(part.words, " ")); }

std::string names_of(const Part& part) {
  std::string names;
  for (const PartName& each : part.parts) names += (names.empty() ? "" : " ") + each.name;
  return names;
}

}  // namespace sluice::manuals
