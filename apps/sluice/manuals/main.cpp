// Writes the manual pages, the completions, and the tables of the reference of the command `sluice` below a folder:
// sluice_manuals FOLDER DATE.

#include <CLI/App.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "apps/sluice/command_tree.hpp"
#include "apps/sluice/manuals/parts.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/process/version.hpp"

int main(int argc, char** argv) {
  using namespace sluice;
  constexpr int kArguments = 3;
  if (argc != kArguments) {
    std::fputs("usage: sluice_manuals FOLDER DATE\n", stderr);
    return command::kBadInput;
  }
  try {
    CLI::App root("", "sluice");
    command::Action chosen;
    command::add_all(root, chosen);
    const std::vector<manuals::Part> parts = manuals::parts_of_command(root);
    const auto write = [&](const std::string& folder, const std::string& name, const std::string& content) {
      const std::string path = argv[1] + ('/' + folder);
      command::make_folder(path);
      command::write_file_atomically(path + '/' + name, content);
    };
    for (const manuals::Part& part : parts)
      write("man1", manuals::page_name(part) + ".1", manuals::man_page(part, argv[2], command::version_number()));
    for (const manuals::ReferencePart& part : manuals::reference_parts(parts))
      write("reference", part.name + ".md", part.text);
    write("bash", "sluice", manuals::bash_completion(parts));
    write("zsh", "_sluice", manuals::zsh_completion(parts));
    write("fish", "sluice.fish", manuals::fish_completion(parts));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return command::kInternalError;
  }
  return command::kDone;
}
