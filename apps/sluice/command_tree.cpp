#include "command_tree.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstddef>
#include <memory>

#include "everywhere.hpp"
#include "version.hpp"

namespace sluice::command {

void add_all(CLI::App& root, Action& chosen) {
  constexpr std::size_t kOptionsWidth = 27;  // of the help
  root.description("Plans and runs communication where the order of messages matters.");
  root.set_version_flag("-V,--version", version_text, "print the version, and what it was built with, and exit");
  root.set_help_flag("-h,--help", "print this and exit");
  root.footer(
      "Exit status: 0 done, 1 a check failed, 2 bad input (one line on standard error, nothing written),\n"
      "130 interrupted by Ctrl-C: the best plan so far is printed and written,\n"
      "70 an error that is none of the input's: no memory, a failure of MPI.\n\n"
      "Example:\n  sluice plan redistribute --from 16:3 --to 16:5\n\n"
      "sluice VERB --help, or sluice help VERB, tells more.");
  root.get_formatter()->column_width(kOptionsWidth);
  root.get_formatter()->label("SUBCOMMAND", "VERB");
  add_plan(root, chosen);
  add_compare(root, chosen);
  add_simulate(root, chosen);
  add_check(root, chosen);
  add_cluster(root, chosen);
  add_predict(root, chosen);
  add_tune(root, chosen);
  add_study(root, chosen);
  add_report(root, chosen);
  add_platform(root, chosen);
  add_platform_to_simgrid(root, chosen);
  add_probe(root, chosen);
  add_run(root, chosen);
  add_options_of_all(root);
  for (CLI::App* verb : root.get_subcommands({})) {
    verb->group("Verbs");
    const auto formatter = std::make_shared<CLI::Formatter>();
    formatter->column_width(kOptionsWidth);
    formatter->label("SUBCOMMAND", "PROBLEM");
    verb->formatter(formatter);
    for (CLI::App* problem : verb->get_subcommands({})) {
      problem->group("Problems");
      problem->formatter(formatter);
    }
  }
}

std::vector<const CLI::App*> parts_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

}  // namespace sluice::command
