#include "apps/sluice/output/command_line.hpp"

#include <CLI/Option.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

#include "apps/sluice/output/terminal.hpp"
#include "sluice/error.hpp"

namespace sluice::command {

namespace {

constexpr std::array<std::string_view, 6> kOutputs{"--json", "--svg", "--output", "--hosts", "--trace", "--tree"};

struct Given {
  CommandFiles files;
  std::map<std::string, std::string> values;  ///< of options, the last one of each
  std::vector<std::string> words;
};

Given& given() {
  static Given result;
  return result;
}

bool is_output(const CLI::App& app, const CLI::Option& option) {
  // The one option that writes for one verb and reads for another.
  if (option.check_name("--program")) return app.get_parent() != nullptr && app.get_parent()->get_name() == "plan";
  return std::any_of(kOutputs.begin(), kOutputs.end(),
                     [&](std::string_view name) { return option.check_name(std::string(name)); });
}

/// The name that users know: "--json", or for a word without a name what stands in the help.
std::string shown_name(const CLI::Option& option) {
  const std::string name = option.get_name(false, true);
  if (name.empty() || name.front() != '-') return option.get_option_text().empty() ? name : option.get_option_text();
  return name.substr(0, name.find(','));
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return path == "-" || std::filesystem::is_regular_file(path, ignored);
}

/// Whether both are one file on the disk, or will be.
bool same_file(const std::string& a, const std::string& b) {
  if (a == "-" || b == "-") return false;
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error) && !error) return std::filesystem::is_regular_file(a, error);
  // By itself weakly_canonical leaves the name of a file relative that is not there yet.
  const auto first = std::filesystem::weakly_canonical(std::filesystem::absolute(a), error);
  if (error) return a == b;
  const auto second = std::filesystem::weakly_canonical(std::filesystem::absolute(b), error);
  if (error || first != second) return false;
  return !std::filesystem::exists(first, error) || std::filesystem::is_regular_file(first, error);
}

/// A variable of a shell that is not set.
void refuse_empty(const CLI::Option& option, const std::string& value) {
  if (value.empty()) throw InputError(shown_name(option), "an empty name", "the name of a file");
}

void collect(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 && !option->get_default_str().empty())
      given().values[option->get_name(false, true)] = option->get_default_str();
    if (option->count() == 0 || option->get_expected_max() == 0) continue;  // a flag
    if (option->check_name("--export")) {                                   // FORMAT FILE
      const std::vector<std::string> values = option->results();
      for (std::size_t i = 1; i < values.size(); i += 2) {
        refuse_empty(*option, values[i]);
        given().files.outputs.push_back({"--export", values[i]});
      }
      continue;
    }
    for (const std::string& value : option->results()) {
      if (option->get_positional() || is_output(app, *option)) refuse_empty(*option, value);
      if (is_output(app, *option)) {
        given().files.outputs.push_back({shown_name(*option), value});
        continue;
      }
      given().values[option->get_name(false, true)] = value;
      const std::string file = value.starts_with('@') ? value.substr(1) : value;  // a layout may be @FILE
      if (is_file(file)) given().files.inputs.push_back({shown_name(*option), file});
    }
  }
}

void check_files(const CommandFiles& files) {
  const auto refuse_second = [](const std::vector<NamedFile>& named, const char* what, const char* expected) {
    const NamedFile* first = nullptr;
    for (const NamedFile& each : named) {
      if (each.path != "-") continue;
      if (first != nullptr)
        throw InputError(each.option, std::string("'-', as ") + first->option + ": " + what, expected);
      first = &each;
    }
  };
  refuse_second(files.inputs, "standard input twice", "a file for one of them");
  refuse_second(files.outputs, "standard output twice", "a file for one of them");
  for (std::size_t i = 0; i < files.outputs.size(); ++i) {
    const NamedFile& output = files.outputs[i];
    for (const NamedFile& input : files.inputs)
      if (same_file(output.path, input.path))
        throw InputError(output.option, "'" + output.path + "', which is the input (" + input.option + ")",
                         "another file");
    for (std::size_t j = 0; j < i; ++j)
      if (same_file(output.path, files.outputs[j].path))
        throw InputError(output.option, "'" + output.path + "', where " + files.outputs[j].option + " goes",
                         "another file");
  }
}

}  // namespace

void add_options_of_all(CLI::App& root) {
  const std::vector<CLI::App*> parts = root.get_subcommands([](const CLI::App*) { return true; });
  for (CLI::App* part : parts) add_options_of_all(*part);
  const std::vector<CLI::Option*> options = root.get_options();
  const bool takes_file =
      std::any_of(options.begin(), options.end(), [](const CLI::Option* each) { return each->get_positional(); });
  if (!parts.empty() && !takes_file) return;  // it does nothing by itself
  root.add_flag_callback(
      "--quiet", [] { manners().quiet = true; }, "print only errors, and the outputs that go to -");
  root.add_flag_callback(
      "--no-progress", [] { manners().progress = false; }, "show no bars and no lines of progress");
}

void settle(const CLI::App& root) {
  for (const CLI::App* app = &root; app != nullptr;) {
    collect(*app);
    const auto next = app->get_subcommands();
    app = next.empty() ? nullptr : next.front();
  }
  const CommandFiles& files = given().files;
  check_files(files);
  manners().output_is_taken =
      std::any_of(files.outputs.begin(), files.outputs.end(), [](const NamedFile& each) { return each.path == "-"; });
}

const CommandFiles& command_files() { return given().files; }

std::string given_value(const std::string& name) {
  const auto found = given().values.find(name);
  return found == given().values.end() ? "" : found->second;
}

const std::vector<std::string>& command_line() { return given().words; }

void remember_command_line(int argc, char** argv) { given().words.assign(argv, argv + argc); }

}  // namespace sluice::command
