#include "apps/sluice/options/offered_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "apps/sluice/options/suggestion.hpp"
#include "apps/sluice/options/values.hpp"

namespace sluice::command {

namespace {

bool names_a_file(std::string_view text) {
  return text == "FILE" || text == "TRAFFIC" || text.ends_with(".json") || text.ends_with(".mtx");
}

/// "any" of "R|any", as opposed to what users replace.
bool is_literal(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

/// Without those that are empty.
std::vector<std::string> split(const std::string& text, char between) {
  std::vector<std::string> parts = parse_list(text, between);
  std::erase(parts, "");
  return parts;
}

OfferedValue value_of(const std::string& text, std::vector<std::string> names) {
  using Kind = OfferedValue::Kind;
  OfferedValue value;
  value.text = text;
  bool list = false;
  for (const std::string& each : split(text, '|')) {
    if (names_a_file(each)) value.kind = Kind::kFile;
    if (each == "DIR") value.kind = Kind::kFolder;
    if (is_literal(each)) names.push_back(each);
    list = list || each == "A,B,..";
  }
  if (value.kind == Kind::kText && !names.empty()) {
    value.kind = list ? Kind::kNames : Kind::kName;
    value.names = std::move(names);
  }
  return value;
}

/// The text without what is in brackets at its end, and that.
std::pair<std::string, std::string> text_and_default(const CLI::Option& option) {
  const std::string& text = option.get_option_text();
  const std::size_t bracket = text.find(" [");
  if (bracket == text.npos || text.back() != ']') return {text, ""};
  return {text.substr(0, bracket), text.substr(bracket + 2, text.size() - bracket - 3)};
}

/// What offer() was told: CLI11 has names of types there too, such as TEXT.
std::vector<std::string> told(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type.empty() || type.front() != '{') return {};
  return split(type.substr(1, type.size() - 2), ',');
}

/// 'word' of what was found, and nothing else; empty if it is anything else.
std::string quoted_word(std::string_view found) {
  if (found.size() < 3 || found.front() != '\'' || found.find('\'', 1) != found.size() - 1) return {};
  return std::string(found.substr(1, found.size() - 2));
}

}  // namespace

CLI::Option* offer(CLI::Option* option, const std::vector<std::string>& names) {
  return option->type_name(fmt::format("{{{}}}", fmt::join(names, ",")));
}

std::vector<OfferedValue> offered_values(const CLI::Option& option) {
  std::vector<OfferedValue> values;
  if (option.get_expected_max() == 0) return values;
  for (const std::string& text : split(text_and_default(option).first, ' '))
    values.push_back(value_of(text, values.empty() ? told(option) : std::vector<std::string>()));
  return values;
}

InputError in_words_of(const CLI::App& part, const InputError& error) {
  std::string where = error.where();
  std::string name = where.substr(0, where.find(' '));
  if (!name.starts_with('-')) {
    name = "--" + where;
    std::ranges::replace_if(
        name, [](char c) { return c == '_' || c == ' '; }, '-');
    // A platform file or a job tells the ranks, unless --ranks names their number.
    const CLI::Option* const of_name = part.get_option_no_throw(name);
    if (of_name != nullptr && (name != "--ranks" || of_name->count() > 0)) where = name;
  }
  std::string expected = error.expected();
  const CLI::Option* const option = part.get_option_no_throw(name);
  if (option != nullptr && expected.find("did you mean") == expected.npos) {
    std::vector<std::string> names;
    for (const OfferedValue& value : offered_values(*option))
      names.insert(names.end(), value.names.begin(), value.names.end());
    expected += did_you_mean(quoted_word(error.found()), names);
  }
  return {where, error.found(), expected};
}

}  // namespace sluice::command
