#include <gtest/gtest.h>

#include "command_runner.hpp"
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
    for (const Algorithm& algorithm : algorithms(problem)) {
      EXPECT_NE(outcome.out.find('\n' + std::string(algorithm.name) + ' '), std::string::npos) << algorithm.name;
      EXPECT_NE(outcome.out.find(algorithm.guarantee), std::string::npos) << algorithm.name;
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
}

}  // namespace
}  // namespace sluice::testing
