#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

/// What every verb of the command has in common, whatever it does.
namespace sluice::command {

/// A value of the command line that names a file.
struct NamedFile {
  std::string option;  ///< "--json", "TRAFFIC"
  std::string path;    ///< "-": standard input or output
};

/// The files of the command line that was read.
struct CommandFiles {
  std::vector<NamedFile> inputs;   ///< those that are there, and "-"
  std::vector<NamedFile> outputs;  ///< whether they are there or not
};

/// Adds --quiet and --no-progress to every verb and problem that does something.
void add_options_of_all(CLI::App& root);

/// Does what they say, and finds the files of the command line by the names of options. Throws InputError if an output
/// is the same file as an input or as another output, by whatever name, and if standard input or output is named twice.
void settle(const CLI::App& root);

/// As the command line has them, after settle().
[[nodiscard]] const CommandFiles& command_files();

/// The value of option `name` of the command line, after settle(), or what CLI11 was told to be its default; empty if
/// there is none.
[[nodiscard]] std::string given_value(const std::string& name);

/// The words of the command line, after remember().
[[nodiscard]] const std::vector<std::string>& command_line();
void remember_command_line(int argc, char** argv);

}  // namespace sluice::command
