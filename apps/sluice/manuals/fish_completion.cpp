#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "apps/sluice/manuals/parts.hpp"

namespace sluice::manuals {

namespace {

using Kind = command::OfferedValue::Kind;

/// In single quotes.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + '\'';
}

constexpr const char* kFishFunctions = R"fish(# Completion of sluice for fish, {}.

# Whether the verb and the problem of the command line are these, and no more.
function __sluice_at
    set -l words (commandline -opc)
    set -e words[1]
    if test "$words[1]" = help
        set -e words[1]
    end
    set -l wanted (string split -n ' ' -- $argv[1])
    set -l count (count $wanted)
    if test $count -gt 0
        if test (count $words) -lt $count; or test "$words[1..$count]" != "$wanted"
            return 1
        end
        set -e words[1..$count]
    end
    set -q words[1]; and contains -- $words[1] (string split -n ' ' -- $argv[2]); and return 1
    return 0
end

# Whether these words come next: nothing but verbs and problems stands before.
function __sluice_next
    __sluice_at $argv; or return 1
    set -l words (commandline -opc)
    set -e words[1]
    if test "$words[1]" = help
        set -e words[1]
    end
    test "$words" = "$argv[1]"
end

# Names with commas between them: what is typed already, with each that is left behind it.
function __sluice_names
    set -l current (string replace -r '^--[a-z-]+=' '' -- (commandline -ct))
    set -l before (string match -r '^.*,' -- $current)
    for name in $argv
        if not string match -q -- "*,$name,*" ",$before"; and test -z "$before" -o $name != all
            echo "$before$name"
        end
    end
end

# Whether the word before the last one is an option with two values.
function __sluice_second_of
    set -l words (commandline -opc)
    test "$words[-2]" = $argv[1]
end

complete -c sluice -f
)fish";

/// What fish offers for a value, besides files.
std::string offers(const command::OfferedValue& value) {
  switch (value.kind) {
    case Kind::kFolder:
      return "(__fish_complete_directories (commandline -ct))";
    case Kind::kName:
      return fmt::format("{}", fmt::join(value.names, " "));
    case Kind::kNames:
      return fmt::format("(__sluice_names {})", fmt::join(value.names, " "));
    case Kind::kFile:
    case Kind::kText:
      break;
  }
  return "";
}

std::string lines_of(const Part& part) {
  const std::string where = fmt::format("{} {}", in_quotes(words_of(part)), in_quotes(names_of(part)));
  const std::string at = "complete -c sluice -n " + in_quotes("__sluice_at " + where);
  const std::string next = "complete -c sluice -n " + in_quotes("__sluice_next " + where);
  std::string out = "\n";
  for (const PartName& each : part.parts)
    out += fmt::format("{} -a {} -d {}\n", next, each.name, in_quotes(each.about));
  if (part.words.empty()) out += next + " -a help -d 'tell more of a verb or a problem'\n";
  for (const PartOption& word : part.positionals)
    for (const command::OfferedValue& value : word.values) {
      if (value.kind == Kind::kFile) out += at + " -F\n";
      if (value.kind == Kind::kName) out += fmt::format("{} -a '{}'\n", next, fmt::join(value.names, " "));
    }
  for (const PartOption& option : part.options) {
    std::string named = at;
    for (const std::string& name : option.names)
      named += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.values.empty()) {
      named += option.values.front().kind == Kind::kFile ? " -r -F" : " -x";
      // Before the description, in a line of its own: in one line with it, the description would stand beside each.
      const std::string offered = offers(option.values.front());
      if (!offered.empty()) out += named + " -a " + in_quotes(offered) + '\n';
    }
    out += named + " -d " + in_quotes(option.about) + '\n';
    if (option.values.size() > 1)
      out +=
          fmt::format("complete -c sluice -n {} -F\n",
                      in_quotes(fmt::format("__sluice_at {}; and __sluice_second_of {}", where, option.names.back())));
  }
  return out;
}

}  // namespace

std::string fish_completion(const std::vector<Part>& parts) {
  std::string out = fmt::format(fmt::runtime(kFishFunctions), kMadeFrom);
  for (const Part& part : parts) out += lines_of(part);
  return out;
}

}  // namespace sluice::manuals
