#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "apps/sluice/manuals/parts.hpp"

namespace sluice::manuals {

namespace {

using Kind = command::OfferedValue::Kind;

/// Within single quotes, in a specification of _arguments or _describe.
std::string specified(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

/// ":NAME:(a b c)".
std::string action(const command::OfferedValue& value) {
  std::string how = " ";
  switch (value.kind) {
    case Kind::kFile:
      how = "_files";
      break;
    case Kind::kFolder:
      how = "_files -/";
      break;
    case Kind::kName:
      how = fmt::format("({})", fmt::join(value.names, " "));
      for (const std::string& name : value.names)
        if (name.find(':') != name.npos) how = fmt::format("compadd -- {}", fmt::join(value.names, " "));
      break;
    case Kind::kNames:
      how = fmt::format("_values -s , NAME {}", fmt::join(value.names, " "));
      break;
    case Kind::kText:
      break;
  }
  std::string quoted;
  for (const char c : how) quoted += c == ':' ? "\\:" : std::string(1, c);
  return ':' + specified(value.text) + ':' + quoted;
}

std::string specifications(const Part& part) {
  std::string out;
  for (const PartOption& option : part.options) {
    std::string all;  // names, which exclude each other
    for (const std::string& name : option.names) all += (all.empty() ? "" : " ") + name;
    for (const std::string& name : option.names) {
      const std::string glue = option.values.empty() ? "" : name.starts_with("--") ? "=" : "+";
      out += fmt::format("        '({}){}{}[{}]", all, name, glue, specified(option.about));
      for (const command::OfferedValue& value : option.values) out += action(value);
      out += "' \\\n";
    }
  }
  return out;
}

/// Whether a file may stand where the name of a problem may.
bool may_be_file(const Part& part) {
  return std::ranges::any_of(part.positionals, [](const PartOption& word) {
    return !word.values.empty() && word.values.front().kind == Kind::kFile;
  });
}

std::string zsh_branch(const Part& part) {
  std::string out = fmt::format("    '{}')\n", words_of(part));
  const bool words = !part.parts.empty();
  if (words) {
    out += "      parts=(\n";
    for (const PartName& each : part.parts) out += fmt::format("        '{}:{}'\n", each.name, specified(each.about));
    if (part.words.empty()) out += "        'help:tell more of a verb or a problem'\n";
    out += "      )\n";
  }
  out += "      _arguments -S \\\n" + specifications(part);
  if (words)
    out += fmt::format("        '1:word:{}' \\\n", may_be_file(part) ? "_sluice_parts_or_files" : "_sluice_parts");
  for (const PartOption& word : part.positionals)
    for (const command::OfferedValue& value : word.values) out += "        '*" + action(value) + "' \\\n";
  return out + "        && ret=0\n      ;;\n";
}

constexpr const char* kZshHead = R"zsh(#compdef sluice
# Completion of sluice for zsh, {}.

_sluice() {{
  local part ret=1 word
  local -a parts known
  if [[ $words[2] == help ]] && (( CURRENT > 2 )); then
    words=("${{(@)words[1]}}" "${{(@)words[3,-1]}}")
    (( CURRENT -= 1 ))
  fi
  # The verb and the problem come first.
  while (( CURRENT > 2 )); do
    case $part in
)zsh";

constexpr const char* kZshMiddle = R"zsh(      *) known=() ;;
    esac
    word=$words[2]
    (( ${known[(Ie)$word]} )) || break
    part+=${part:+ }$word
    words=("${(@)words[1]}" "${(@)words[3,-1]}")
    (( CURRENT -= 1 ))
  done
  case $part in
)zsh";

constexpr const char* kZshTail = R"zsh(  esac
  return ret
}

_sluice_parts() {
  _describe -t commands word parts
}

_sluice_parts_or_files() {
  local ret=1
  _sluice_parts && ret=0
  _files && ret=0
  return ret
}

)zsh";

}  // namespace

std::string zsh_completion(const std::vector<Part>& parts) {
  std::string out = fmt::format(fmt::runtime(kZshHead), kMadeFrom);
  for (const Part& part : parts) {
    if (!part.parts.empty()) out += fmt::format("      '{}') known=({}) ;;\n", words_of(part), names_of(part));
  }
  out += kZshMiddle;
  for (const Part& part : parts) out += zsh_branch(part);
  return out + kZshTail + "_sluice \"$@\"\n";
}

}  // namespace sluice::manuals
