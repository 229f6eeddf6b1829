#pragma once

#include <string>
#include <vector>

#include "sluice/error.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// What the values of an option can be, for completion. --help says the same in words.
namespace sluice::command {

/// One value of an option, or of a word without a name.
struct OfferedValue {
  enum class Kind {
    kText,    ///< what only the user knows: a number, a layout
    kFile,    ///< a file
    kFolder,  ///< a folder
    kName,    ///< one of `names`, or anything else that --help tells
    kNames,   ///< several of `names` with commas between them
  };
  Kind kind = Kind::kText;
  std::string text;  ///< as in --help: "FILE|-", "NAME"
  std::vector<std::string> names;
};

/// Says that a value of `option` must be a name in `names`, or a list of such names if its text is "A,B,..". The names
/// are kept in CLI11's type name, which option_text() keeps out of the help.
CLI::Option* offer(CLI::Option* option, const std::vector<std::string>& names);

/// The values of `option`, by its text and by what offer() was told: "FILE" and "TRAFFIC" are files, "DIR" is a folder,
/// "R|any" has the name "any". Empty for a flag.
[[nodiscard]] std::vector<OfferedValue> offered_values(const CLI::Option& option);

/// `error` in the words of the command line. If it names an argument of the library ("time_limit"), the text names the
/// option of `part` instead (--time-limit). If an option expects one of several names, the text adds the name that was
/// most likely meant.
[[nodiscard]] InputError in_words_of(const CLI::App& part, const InputError& error);

}  // namespace sluice::command
