#include "apps/sluice/command_tree.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "apps/sluice/output/command_line.hpp"
#include "apps/sluice/process/version.hpp"

namespace sluice::command {

namespace {

struct Verb {
  std::string_view name;
  void (*add)(CLI::App& root, Action& chosen);
};

constexpr std::array kVerbs{
    Verb{"plan", add_plan},
    Verb{"compare", add_compare},
    Verb{"simulate", add_simulate},
    Verb{"check", add_check},
    Verb{"cluster", add_cluster},
    Verb{"predict", add_predict},
    Verb{"tune", add_tune},
    Verb{"study", add_study},
    Verb{"report", add_report},
    Verb{"platform", add_platform},
    Verb{"platform-to-simgrid", add_platform_to_simgrid},
    Verb{"probe", add_probe},
    Verb{"run", add_run},
};

struct OptionGroup {
  const char* title;
  std::span<const std::string_view> options;
};

/// What --help lists below "Options".
constexpr std::array<std::string_view, 24> kNetworkOptions{
    "--platform",      "--node-link",     "--ranks-per-node", "--ranks",  "--latency",    "--backbone", "--sender-link",
    "--receiver-link", "--local-links",   "--local-latency",  "--speeds", "--switches",   "--engine",   "--hosts",
    "--cfg",           "--same-hosts",    "--control",        "--chunk",  "--unit-bytes", "--order",    "--speed",
    "--measure",       "--compute-costs", "--transfer-costs"};
constexpr std::array<std::string_view, 13> kSearchOptions{
    "--algorithm", "--algorithms",     "--effort",   "--time-limit",   "--seed",  "--resume", "--lookahead",
    "--inside",    "--early-internal", "--segments", "--max-segments", "--arity", "--front"};
constexpr std::array<std::string_view, 14> kOutputOptions{"--json", "--svg",    "--rows",        "--trace", "--beside",
                                                          "--tree", "--export", "--program",     "--all",   "--summary",
                                                          "--wide", "--quiet",  "--no-progress", "--output"};
constexpr std::array kOptionGroups{OptionGroup{"Network and hardware", kNetworkOptions},
                                   OptionGroup{"Search", kSearchOptions}, OptionGroup{"Output", kOutputOptions}};

void group_options(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    for (const OptionGroup& group : kOptionGroups)
      for (const std::string_view name : group.options)
        if (option->check_lname(std::string(name.substr(2)))) option->group(group.title);
  for (CLI::App* each : app.get_subcommands({})) group_options(*each);
}

void add_verbs(CLI::App& root, Action& chosen, std::span<const Verb> verbs) {
  constexpr std::size_t kOptionsWidth = 27;  // of the help
  root.description("Plans and runs communication where the order of messages matters.");
  root.set_version_flag("-V,--version", version_text, "print the version, and what it was built with, and exit");
  root.set_help_flag("-h,--help", "print this and exit");
  root.footer(
      "Exit status: 0 done, 1 a check failed, 2 bad input (one line on standard error, nothing written),\n"
      "130 interrupted by Ctrl-C, 143 by SIGTERM, 70 an error that the input did not cause: no memory, a failure of\n"
      "MPI. After an interruption the best plan so far, or the table of run so far, is printed and written. Open "
      "MPI's\n"
      "mpirun turns its own Ctrl-C into SIGTERM and ends with 1.\n\n"
      "Example:\n  sluice plan redistribute --from 16:3 --to 16:5\n\n"
      "sluice VERB --help, or sluice help VERB, tells more.");
  root.get_formatter()->column_width(kOptionsWidth);
  root.get_formatter()->label("SUBCOMMAND", "VERB");
  for (const Verb& each : verbs) each.add(root, chosen);
  add_options_of_all(root);
  group_options(root);
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

}  // namespace

void add_all(CLI::App& root, Action& chosen) { add_verbs(root, chosen, kVerbs); }

void add_needed(CLI::App& root, Action& chosen, const std::string& verb) {
  const auto* const found =
      std::find_if(kVerbs.begin(), kVerbs.end(), [&](const Verb& each) { return each.name == verb; });
  add_verbs(root, chosen, found == kVerbs.end() ? std::span<const Verb>(kVerbs) : std::span(found, 1));
}

std::vector<const CLI::App*> parts_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

}  // namespace sluice::command
