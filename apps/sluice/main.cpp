// The command `sluice`: a verb, a problem and its options.

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "output.hpp"
#include "ranks.hpp"
#include "sluice/error.hpp"

namespace sluice::command {

namespace {

/// CLI11 would take the first word that is no verb for a stray argument; say instead what is known.
/// Throws InputError.
void check_verb_and_problem(const CLI::App& root, int argc, char** argv) {
  const CLI::App* app = &root;
  std::string words = "sluice";
  const char* kind = "verb";
  for (int i = 1;; ++i) {
    const std::vector<const CLI::App*> known = app->get_subcommands([](const CLI::App*) { return true; });
    if (known.empty()) return;
    std::string names;
    for (const CLI::App* each : known) names += (names.empty() ? "" : ", ") + each->get_name();
    if (i >= argc) throw InputError(words, std::string("no ") + kind, names);
    const std::string_view word = argv[i];
    if (!word.empty() && word.front() == '-') return;  // an option: CLI11 knows them
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const auto* each) { return each->get_name() == word; });
    if (found == known.end())
      throw InputError(words, "'" + std::string(word) + "'", (known.size() > 1 ? "one of " : "") + names);
    app = *found;
    words += ' ' + app->get_name();
    kind = "problem";
  }
}

/// Of texts with words of the user in them, which may hold anything.
std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

constexpr std::size_t kOptionsWidth = 27;  // of the help

int run_command(int argc, char** argv) {
  CLI::App root("Plans and runs communication where the order of messages matters.", "sluice");
  root.set_version_flag("--version", "sluice " SLUICE_VERSION, "print the version and exit");
  root.set_help_flag("-h,--help", "print this and exit");
  root.footer(
      "Exit status: 0 done, 1 a check failed, 2 bad input (one line on standard error, nothing written),\n"
      "130 interrupted by Ctrl-C: the best plan so far is printed and written,\n"
      "70 an error that is none of the input's: no memory, a failure of MPI.\n\n"
      "Example:\n  sluice plan redistribute --from 16:3 --to 16:5\n\n"
      "sluice VERB --help tells more.");
  root.get_formatter()->column_width(kOptionsWidth);
  root.get_formatter()->label("SUBCOMMAND", "VERB");
  Action chosen;
  add_plan(root, chosen);
  add_compare(root, chosen);
  add_check(root, chosen);
  add_cluster(root, chosen);
  add_predict(root, chosen);
  add_study(root, chosen);
  add_platform_to_simgrid(root, chosen);
  add_probe(root, chosen);
  add_run(root, chosen);
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
  check_verb_and_problem(root, argc, argv);
  try {
    root.parse(argc, argv);
  } catch (const CLI::Success&) {  // --help or --version, of whichever part of the command
    if (Ranks::speaks()) print(root.get_version_ptr()->count() > 0 ? root.version() + '\n' : root.help());
    return kDone;
  } catch (const CLI::ExtrasError&) {
    const CLI::App* part = &root;
    std::string words = root.get_name();
    while (!part->get_subcommands().empty()) {
      part = part->get_subcommands().front();
      words += ' ' + part->get_name();
    }
    throw InputError(words, "'" + root.remaining(true).front() + "'", "an option that " + words + " --help lists");
  }
  if (!chosen) throw InputError("sluice", "no verb with a problem", "one: see sluice --help");
  return chosen();
}

int complain(const std::string& message, int status) {
  if (Ranks::speaks()) std::fprintf(stderr, "error: %s\n", one_line(message).c_str());
  return status;
}

}  // namespace

}  // namespace sluice::command

int main(int argc, char** argv) {
  using namespace sluice::command;
  int status = kDone;
  try {
    const Ranks ranks(argc, argv);
    try {
      status = run_command(argc, argv);
    } catch (const sluice::InputError& error) {
      status = complain(error.what(), kBadInput);
    } catch (const CLI::Error& error) {
      status = complain(error.what(), kBadInput);
    }
  } catch (const std::bad_alloc&) {
    status = Ranks::abandon("out of memory", kInternalError);
  } catch (const std::exception& error) {
    status = Ranks::abandon(error.what(), kInternalError);
  }
  return status;
}
