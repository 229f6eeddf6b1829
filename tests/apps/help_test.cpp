#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "command_runner.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice::testing {
namespace {

TEST(Help, EveryVerbExplainsItselfWithAnExample) {
  const Folder folder;
  for (const std::string verb :
       {"plan", "compare", "check", "study", "report", "run", "plan redistribute", "compare redistribute",
        "run redistribute", "plan exchange", "compare exchange", "plan reduce", "compare reduce"}) {
    SCOPED_TRACE(verb);
    for (const std::string help : {"--help", "-h"}) {
      const Outcome outcome = folder.sluice(words(verb + ' ' + help));
      EXPECT_EQ(outcome.status, 0);
      EXPECT_EQ(outcome.err, "");
      EXPECT_NE(outcome.out.find("Usage: sluice " + verb), std::string::npos) << outcome.out;
      EXPECT_NE(outcome.out.find("Example"), std::string::npos) << outcome.out;
      EXPECT_NE(outcome.out.find("sluice " + verb.substr(0, verb.find(' ')) + ' ', outcome.out.find("Example")),
                std::string::npos)
          << outcome.out;
    }
  }
}

/// What `sluice VERB --help` prints, of every verb and every problem of it; of the command itself by the key "".
std::map<std::string, std::string> all_helps(const Folder& folder) {
  std::map<std::string, std::string> helps;
  for (std::vector<std::string> left{""}; !left.empty();) {
    const std::string verb = left.back();
    left.pop_back();
    const std::string& help = helps[verb] = folder.sluice(words(verb + " --help")).out;
    bool listed = false;
    for (const std::string& line : lines(help)) {
      if (line == "Verbs:" || line == "Problems:")
        listed = true;
      else if (line.empty())
        listed = false;
      else if (listed && line.size() > 2 && line[2] != ' ')  // otherwise a folded line goes on
        left.push_back(verb + (verb.empty() ? "" : " ") + line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return helps;
}

/// Whether the text around the options goes on in `next` though a word of it fits behind `line`: both are lines of
/// sentences (no table has two blanks in a row there, no list begins with a number), and no sentence ends between them.
bool is_broken_early(const std::string& line, const std::string& next) {
  constexpr std::size_t kWidth = 80;
  const auto is_prose = [](const std::string& text) {
    return !text.empty() && text.front() != ' ' && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
           text.find("  ") == std::string::npos;
  };
  return is_prose(line) && is_prose(next) && !next.starts_with("Usage: ") &&
         std::string(".:").find(line.back()) == std::string::npos &&
         line.size() + 1 + std::min(next.find(' '), next.size()) <= kWidth;
}

TEST(Help, NoLineEndsInABlankOrInTheMiddleOfASentence) {
  const Folder folder;
  const std::map<std::string, std::string> helps = all_helps(folder);
  EXPECT_EQ(helps.count("run exchange") + helps.count("compare") + helps.count("study"), 3U);
  EXPECT_GE(helps.size(), 60U);
  for (const auto& [verb, help] : helps) {
    SCOPED_TRACE(verb);
    const std::vector<std::string> all = lines(help);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_FALSE(all[i].ends_with(' ')) << all[i];
      if (i > 0) {
        EXPECT_FALSE(is_broken_early(all[i - 1], all[i])) << all[i - 1] << '\n' << all[i];
      }
    }
  }
}

/// Options by what they are for, and all of it in 80 columns, whatever the terminal.
TEST(Help, HasGroupsOfOptionsIn80Columns) {
  const Folder folder;
  for (const auto& [verb, help] : all_helps(folder)) {
    SCOPED_TRACE(verb);
    for (const std::string& line : lines(help)) EXPECT_LE(line.size(), 80U) << line;
  }
  const std::string help = folder.sluice(words("plan exchange --help")).out;
  std::size_t last = 0;
  for (const std::string group : {"\nOptions:\n", "\nNetwork and hardware:\n", "\nSearch:\n", "\nOutput:\n"}) {
    const std::size_t at = help.find(group);
    ASSERT_NE(at, std::string::npos) << group;
    EXPECT_GT(at, last);
    last = at;
  }
  EXPECT_GT(help.find("\n  --json "), help.find("\nOutput:\n"));
  EXPECT_LT(help.find("\n  --node-link "), help.find("\nSearch:\n"));
}

TEST(Help, TheCommandListsItsVerbs) {
  const Folder folder;
  const Outcome outcome = folder.sluice({"--help"});
  EXPECT_EQ(outcome.status, 0);
  for (const std::string verb : {"plan", "compare", "check", "study", "report", "run"})
    EXPECT_NE(outcome.out.find("\n  " + verb + ' '), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Exit status"), std::string::npos);
}

TEST(Help, AlgorithmsComeFromTheRegistry) {
  const Folder folder;
  for (const std::string problem : {"redistribute", "exchange", "reduce"}) {
    SCOPED_TRACE(problem);
    const Outcome outcome = folder.sluice(words("plan " + problem + " --help"));
    ASSERT_FALSE(algorithms(problem).empty());
    const std::string text = std::regex_replace(outcome.out, std::regex("\\s+"), " ");  // rows of the table are folded
    for (const Algorithm& algorithm : algorithms(problem)) {
      EXPECT_NE(outcome.out.find('\n' + std::string(algorithm.name) + ' '), std::string::npos) << algorithm.name;
      EXPECT_NE(text.find(algorithm.guarantee), std::string::npos) << algorithm.name;
    }
  }
}

TEST(Help, Version) {
  const Folder folder;
  const Outcome outcome = folder.sluice({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out.rfind("sluice 0.", 0), 0U) << outcome.out;
  for (const std::string part : {"\ncompiler:  ", "\nMPI:       ", "\nCBC:       ", "\nSimGrid:   ", "\nScaLAPACK: "})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << outcome.out;
  EXPECT_EQ(folder.sluice({"-V"}).out, outcome.out);
  // Versions and not only that something is there. The tests have the compiler of the command, and its CBC.
#ifdef __clang__
  const std::string compiler = fmt::format("Clang {}.{}.", __clang_major__, __clang_minor__);
#else
  const std::string compiler = fmt::format("GNU {}.{}.", __GNUC__, __GNUC_MINOR__);
#endif
  EXPECT_NE(outcome.out.find("\ncompiler:  " + compiler), std::string::npos) << outcome.out;
  const auto value_of = [&](const std::string& part) {
    const std::string text = outcome.out.substr(outcome.out.find('\n' + part) + part.size() + 1);
    return text.substr(0, text.find('\n'));
  };
  const std::regex version("[0-9]+([.][0-9]+)+"), version_or_none("none|[0-9]+([.][0-9]+)+");
  EXPECT_TRUE(std::regex_match(value_of("CBC:       "), version) == exact_uses_cbc()) << outcome.out;
  for (const std::string part : {"CBC:       ", "SimGrid:   ", "ScaLAPACK: "})
    EXPECT_TRUE(std::regex_match(value_of(part), version_or_none)) << outcome.out;
  EXPECT_TRUE(std::regex_match(value_of("MPI:       "), std::regex("none|.* v?[0-9]+[.][0-9].*"))) << outcome.out;
}

}  // namespace
}  // namespace sluice::testing
