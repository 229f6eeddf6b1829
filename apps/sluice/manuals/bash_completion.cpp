#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "apps/sluice/manuals/parts.hpp"

namespace sluice::manuals {

namespace {

using Kind = command::OfferedValue::Kind;

// Words are separated by hand: "=" and ":" are words of their own in COMP_WORDS, as COMP_WORDBREAKS has them.
constexpr const char* kBashFunctions = R"bash(# Completion of sluice for bash, {}.
_sluice() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} option= part= kind= names= second=
  COMPREPLY=()
  case $current in
    =) option=${{COMP_WORDS[COMP_CWORD-1]}} current= ;;
    *)
      option=${{COMP_WORDS[COMP_CWORD-1]}}
      if [[ $option == = && COMP_CWORD -gt 2 ]]; then option=${{COMP_WORDS[COMP_CWORD-2]}}; fi
      if ((COMP_CWORD > 2)); then second=${{COMP_WORDS[COMP_CWORD-2]}}; fi
      ;;
  esac

  # The verb and the problem come first; help takes them too, and nothing else.
  local -a words=("${{COMP_WORDS[@]:1:COMP_CWORD-1}}")
  if [[ ${{words[0]-}} == help ]]; then words=("${{words[@]:1}}"); fi
  local word known more=1 parts= options= files= others=
  for word in "${{words[@]}}" ''; do
    _sluice_part "$part"
    if [[ -z $word || -z $more ]]; then break; fi
    more=
    for known in $parts; do
      if [[ $known == "$word" ]]; then part+=${{part:+ }}$word more=1; fi
    done
  done
  _sluice_part "$part"
  # A word that is no problem ends them.
  if [[ -z $more ]]; then parts= others=; fi
  if [[ ${{COMP_WORDS[1]}} == help && COMP_CWORD -gt 1 ]]; then
    COMPREPLY=($(compgen -W "${{parts% help}}" -- "$current"))
    return
  fi

  _sluice_value "$part $option"
  if [[ -z $kind && -n $second ]]; then _sluice_value "$part $second 2"; fi
  case $kind in
    files) _sluice_files -f; return ;;
    folders) _sluice_files -d; return ;;
    text) return ;;
    name) COMPREPLY=($(compgen -W "$names" -- "$current")); return ;;
    names)
      local before= name left=
      if [[ $current == *,* ]]; then before=${{current%,*}}, current=${{current##*,}}; fi
      for name in $names; do
        if [[ ,$before != *,$name,* && ( -z $before || $name != all ) ]]; then left+=" $name"; fi
      done
      COMPREPLY=($(compgen -P "$before" -W "$left" -- "$current"))
      return
      ;;
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
    return
  fi
  if [[ -n $files ]]; then _sluice_files -f; fi
  COMPREPLY+=($(compgen -W "$parts $others" -- "$current"))
}}

# Files, or folders by -d, with any blanks in their names.
_sluice_files() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}}

)bash";

/// What bash knows of a part: what may follow it.
std::string bash_branch(const Part& part) {
  const std::string parts = names_of(part) + (part.words.empty() ? " help" : "");
  std::string options;
  std::string files;
  std::string others;
  for (const PartOption& option : part.options)
    for (const std::string& name : option.names) options += ' ' + name;
  for (const PartOption& word : part.positionals)
    for (const command::OfferedValue& value : word.values) {
      if (value.kind == Kind::kFile) files = "1";
      if (value.kind == Kind::kName) others = fmt::format("{}", fmt::join(value.names, " "));
    }
  return fmt::format("    '{}') parts='{}' others='{}' options='{}' files={} ;;\n", words_of(part), parts, others,
                     options.substr(1), files);
}

/// What a value of an option is, as the function _sluice_value sets it.
std::string setting(const command::OfferedValue& value) {
  switch (value.kind) {
    case Kind::kFile:
      return "kind=files";
    case Kind::kFolder:
      return "kind=folders";
    case Kind::kName:
    case Kind::kNames:
      return fmt::format("kind={} names='{}'", value.kind == Kind::kName ? "name" : "names",
                         fmt::join(value.names, " "));
    case Kind::kText:
      break;
  }
  return "kind=text";
}

}  // namespace

std::string bash_completion(const std::vector<Part>& parts) {
  std::string out = fmt::format(fmt::runtime(kBashFunctions), kMadeFrom);
  out += "# What may follow a verb or a problem.\n_sluice_part() {\n  parts= others= options= files=\n  case $1 in\n";
  for (const Part& part : parts) out += bash_branch(part);
  out += "  esac\n}\n\n# What the value of an option of a verb or a problem is; nothing of one without a value.\n";
  out += "_sluice_value() {\n  case $1 in\n";
  std::map<std::string, std::vector<std::string>> options;  // by what their value is
  for (const Part& part : parts)
    for (const PartOption& option : part.options)
      for (std::size_t i = 0; i < option.values.size(); ++i)
        for (const std::string& name : option.names)
          options[setting(option.values[i])].push_back(
              fmt::format("'{} {}{}'", words_of(part), name, i == 0 ? "" : fmt::format(" {}", i + 1)));
  for (const auto& [value, names] : options) out += fmt::format("    {}) {} ;;\n", fmt::join(names, " | "), value);
  return out + "  esac\n}\n\ncomplete -F _sluice sluice\n";
}

}  // namespace sluice::manuals
