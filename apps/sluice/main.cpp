// The command `sluice`: a verb, a problem and its options.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "apps/sluice/command.hpp"
#include "apps/sluice/command_tree.hpp"
#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/options/suggestion.hpp"
#include "apps/sluice/output/command_line.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/process/launcher.hpp"
#include "apps/sluice/process/ranks.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::command {

namespace {

std::vector<std::string> names_of(const std::vector<const CLI::App*>& apps) {
  std::vector<std::string> names;
  for (const CLI::App* each : apps) names.push_back(each->get_name());
  return names;
}

/// What the help calls the file that a word which is no problem may be; empty if `app` takes none.
std::string first_file(const CLI::App& app) {
  for (const CLI::Option* each : app.get_options())
    if (each->get_positional()) return each->get_option_text().empty() ? each->get_name() : each->get_option_text();
  return {};
}

/// Whether `word` can be a verb or a problem: letters and hyphens.
bool is_name(const std::string& word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

/// The verbs that have the problem `name`, in their order.
std::vector<std::string> verbs_of(const CLI::App& root, const std::string& name) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : parts_of(root))
    for (const CLI::App* problem : parts_of(*verb))
      if (problem->get_name() == name) verbs.push_back(verb->get_name());
  return verbs;
}

/// What to say of `word`, which stands where a verb belongs and is none: it may be a problem whose verb was left out.
InputError no_verb(const CLI::App& root, const std::string& word, const std::vector<std::string>& verbs) {
  const std::vector<std::string> of_word = verbs_of(root, word);
  if (!of_word.empty())
    return {
        "sluice", "'" + word + "', which is a problem",
        fmt::format("a verb before it, one of {}: sluice {} {} ...", fmt::join(of_word, ", "), of_word.front(), word)};
  std::vector<std::string> meant = closest(word, verbs);
  if (meant.empty()) {
    std::vector<std::string> problems;
    for (const CLI::App* verb : parts_of(root))
      for (const CLI::App* problem : parts_of(*verb)) problems.push_back(problem->get_name());
    meant = closest(word, problems);
    for (std::string& each : meant) each = fmt::format("{} {}", verbs_of(root, each).front(), each);
  }
  return {"sluice", "'" + word + "'", fmt::format("one of {}{}", fmt::join(verbs, ", "), did_you_mean(meant))};
}

/// For a problem that the verb does not have: a verb that has it. Empty if there is no such problem.
std::string other_verb(const std::string& problem) {
  CLI::App all("", "sluice");
  Action ignored;
  add_all(all, ignored);
  const std::vector<std::string> verbs = verbs_of(all, problem);
  if (verbs.empty()) return {};
  const auto* const meant = std::ranges::count(verbs, "compare") > 0 ? "compare" : verbs.front().c_str();
  return fmt::format("; use sluice {} {}", meant, problem);
}

/// CLI11 calls a word that is no verb a stray argument; this names the verbs there are instead. Throws InputError.
void check_verb_and_problem(const CLI::App& root, const std::vector<std::string>& arguments) {
  const CLI::App* app = &root;
  std::string where = "sluice";
  const char* kind = "verb";
  for (std::size_t i = 0;; ++i) {
    const std::vector<const CLI::App*> known = parts_of(*app);
    if (known.empty()) return;
    std::vector<std::string> names = names_of(known);
    if (app == &root) names.emplace_back("help");
    const std::string file = first_file(*app);
    const std::string list = fmt::format("{}", fmt::join(names, ", "));
    if (i >= arguments.size())
      throw InputError(where, std::string("no ") + kind,
                       file.empty() ? list : fmt::format("{}, or one of {}", file, list));
    const std::string& word = arguments[i];
    if (!word.empty() && word.front() == '-') return;  // an option: CLI11 knows them
    if (!file.empty() && !is_name(word)) return;
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const auto* each) { return each->get_name() == word; });
    if (found == known.end() && app == &root) throw no_verb(root, word, names);
    if (found == known.end())
      throw InputError(where, "'" + word + "'",
                       (known.size() > 1 ? "one of " : "") + list + did_you_mean(word, names) + other_verb(word));
    app = *found;
    where += ' ' + app->get_name();
    kind = "problem";
  }
}

/// "help VERB PROBLEM" as "VERB PROBLEM --help".
std::vector<std::string> help_as_option(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
  return arguments;
}

/// The last of the verbs and problems that were read.
const CLI::App& chosen_part(const CLI::App& root, std::string& words) {
  const CLI::App* part = &root;
  words = root.get_name();
  while (!part->get_subcommands().empty()) {
    part = part->get_subcommands().front();
    words += ' ' + part->get_name();
  }
  return *part;
}

/// The option whose value is called as `option` is, if there is one: papers have k and beta; `--help` calls them
/// `--max-transfers K` and `--setup BETA`.
std::vector<std::string> option_of_value(const CLI::App& part, const std::string& option) {
  std::string value = option.substr(std::min(option.size(), option.find_first_not_of('-')));
  std::ranges::transform(value, value.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::vector<std::string> names;
  for (const CLI::Option* each : part.get_options()) {
    const std::string text = each->get_option_text();  // a default may follow
    if (!value.empty() && text.substr(0, text.find(' ')) == value && !each->get_lnames().empty())
      names.push_back("--" + each->get_lnames().front());
  }
  if (names.size() > 1) names.clear();
  return names;
}

struct OtherWord {
  const char* word;
  std::vector<const char*> meant;  ///< the first one that the verb has
};

/// Options of other programs, and what this command has for them.
const std::vector<OtherWord>& other_words() {
  static const std::vector<OtherWord> kWords{{"--gantt", {"--svg"}},
                                             {"--plot", {"--svg"}},
                                             {"--chart", {"--svg"}},
                                             {"--picture", {"--svg"}},
                                             {"--png", {"--svg"}},
                                             {"--csv", {"--json"}},
                                             {"--output", {"--output", "--json"}},
                                             {"-o", {"--output", "--json"}},
                                             {"--bandwidth", {"--node-link", "--backbone", "--speed"}},
                                             {"--link", {"--node-link", "--backbone", "--speed"}},
                                             {"--network", {"--platform", "--node-link"}},
                                             {"--bytes", {"--size"}},
                                             {"--ranks", {"--machines", "--ranks-per-node"}},
                                             {"--nodes", {"--machines", "--ranks-per-node"}},
                                             {"--summary", {"--quiet"}},
                                             {"--verbose", {"--wide", "--all"}},
                                             {"--full", {"--wide", "--all"}},
                                             {"--columns", {"--wide"}}};
  return kWords;
}

/// The option of `known` that `option` of another program stands for, and for --csv also the file of the traffic.
std::vector<std::string> meant_by_other_word(const CLI::App& part, const std::string& words, const std::string& option,
                                             const std::vector<std::string>& known) {
  for (const OtherWord& each : other_words()) {
    if (option != each.word) continue;
    for (const std::string name : each.meant) {
      if (std::ranges::find(known, name) == known.end()) continue;
      std::vector<std::string> names{name};
      if (const std::string file = first_file(part); option == "--csv" && !file.empty())
        names.push_back(std::string(words).append(1, ' ').append(file));
      return names;
    }
  }
  return {};
}

InputError unknown_option(const CLI::App& root) {
  std::string words;
  const CLI::App& part = chosen_part(root, words);
  const std::string word = root.remaining(true).front();
  if (!word.starts_with('-'))
    return {words, "'" + word + "'", "no word there; " + words + " --help says what there is"};
  std::vector<std::string> known;
  for (const CLI::Option* each : part.get_options())
    for (const std::string& name : each->get_lnames()) known.push_back("--" + name);
  const std::string option = word.substr(0, word.find('='));
  std::string meant = did_you_mean(meant_by_other_word(part, words, option, known));
  if (meant.empty() && option.starts_with("--")) meant = did_you_mean(option, known);
  if (meant.empty()) meant = did_you_mean(option_of_value(part, option));
  return {words, "'" + word + "'", "an option that " + words + " --help lists" + meant};
}

/// Puts what CLI11 says about the number of values of an option into the words of all other errors.
InputError wrong_number_of_values(const CLI::ArgumentMismatch& error) {
  const std::string text = error.what();
  const std::string option = text.substr(0, text.find(':'));
  if (text.find("At Most") != text.npos)
    return {option, "given more than once", "given once; run the command again for another value"};
  return {option, "nothing behind it", "a value"};
}

/// For texts with words of the user in them, which may hold any bytes.
std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

/// All of --help, in at most 80 columns.
void print_help(const CLI::App& root) {
  constexpr std::size_t kMostColumns = 80;
  const std::size_t width = terminal_width();
  print(fold_help(root.help(), width == 0 ? kMostColumns : std::min(width, kMostColumns)));
}

/// Plans and checks need no MPI: of many copies that a launcher started, the first does the work.
bool is_surplus_copy() {
  const std::optional<Launch> launch = launched();
  if (Ranks::under_mpi() || !launch || std::getenv("SLUICE_EVERY_RANK") != nullptr) return false;
  if (launch->rank == 0 && launch->ranks > 1)
    note(fmt::format("started {}; rank 0 alone does this, which needs no MPI (SLUICE_EVERY_RANK=1: each does)",
                     count_text(launch->ranks, "time")));
  return launch->rank > 0;
}

/// Planners ask for the same megabytes again and again: what they have freed is kept, which saves a tenth of the time
/// of long plans. Not in a run, whose memory is measured.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kLargestKept = 32 << 20, kMostKept = 1 << 30;
  (void)mallopt(M_MMAP_THRESHOLD, kLargestKept);
  (void)mallopt(M_TRIM_THRESHOLD, kMostKept);
#endif
}

/// What a verb writes is there all or not at all. A run or a study takes hours: it keeps what it can.
int run_action(const CLI::App& root, const Action& action) {
  const std::string verb = root.get_subcommands().front()->get_name();
  std::optional<FilesTogether> files;
  if (verb != "run" && verb != "study") files.emplace();
  if (verb == "plan" || verb == "compare" || verb == "predict") keep_freed_memory();
  try {
    const int status = action();
    if (files) files->finish();
    return status;
  } catch (const InputError& error) {
    std::string ignored;
    throw in_words_of(chosen_part(root, ignored), error);
  }
}

int run_command(const std::vector<std::string>& words) {
  CLI::App root("", "sluice");
  Action chosen;
  std::vector<std::string> arguments = help_as_option(words);
  add_needed(root, chosen, arguments.empty() ? "" : arguments.front());
  check_verb_and_problem(root, arguments);
  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes a vector
    root.parse(arguments);
  } catch (const CLI::Success&) {  // --help or --version, of whichever part of the command
    if (!Ranks::speaks() || is_surplus_copy()) return kDone;
    if (root.get_version_ptr()->count() > 0) {
      print(root.version());
    } else {
      print_help(root);
    }
    return kDone;
  } catch (const CLI::ExtrasError&) {
    throw unknown_option(root);
  } catch (const CLI::ArgumentMismatch& error) {
    throw wrong_number_of_values(error);
  }
  if (!chosen) throw InputError("sluice", "no verb with a problem", "one: see sluice --help");
  settle(root);
  if (is_surplus_copy()) return kDone;
  if (Ranks::under_mpi()) {
    for (const NamedFile& input : command_files().inputs)
      if (input.path == "-") throw InputError(input.option, "standard input", "a file, which every rank can read");
  }
  const bool alone = Ranks::under_mpi() && Ranks::count() == 1;
  if (alone && launched() && launched()->ranks > 1 && launched()->rank == 0)
    note(fmt::format("started {}, and each is a job of one rank: the launcher is not the one of {}",
                     count_text(launched()->ranks, "time"), mpi_library()));
  const int status = run_action(root, chosen);
  print_warnings();
  // This comes after the result, so that a refusal is one line alone.
  if (alone && !launched())
    note(fmt::format("this is one rank; mpirun -np N sluice {} ... starts N of them", words.front()));
  return status;
}

int complain(const std::string& message, int status) {
  if (Ranks::speaks()) std::fprintf(stderr, "%s %s\n", error_word().c_str(), one_line(message).c_str());
  return status;
}

}  // namespace

}  // namespace sluice::command

int main(int argc, char** argv) {
  using namespace sluice::command;
  int status = kDone;
  remember_command_line(argc, argv);
  (void)std::signal(SIGPIPE, SIG_IGN);  // see print()
  (void)launched();  // before MPI starts, which may set such variables in a process that nobody launched
  try {
    const Ranks ranks(argc, argv);
    try {
      status = run_command({argv + 1, argv + argc});
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
