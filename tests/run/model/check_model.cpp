/// Checks the code that shares memory between ranks, in a model of memory (scenarios.cpp). Then checks it with a fault
/// in each of its operations. If no scenario finds a fault, the operation does not matter, or a scenario is missing.
///
/// SLUICE_MODEL_SCHEDULES: how many schedules each search has at most; 20 000 unless told.
/// SLUICE_MODEL_SWITCHES: how many switches of threads that did not ask for one a bounded search has; 2 unless told.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "model_atomics.hpp"
#include "scenarios.hpp"

namespace sluice::model {
namespace {

std::int64_t setting(const char* name, std::int64_t otherwise) {
  const char* const given = std::getenv(name);
  return given == nullptr ? otherwise : std::atoll(given);
}
std::int64_t most_schedules() { return setting("SLUICE_MODEL_SCHEDULES", 20'000); }
int switches() { return static_cast<int>(setting("SLUICE_MODEL_SWITCHES", 2)); }

/// Carries out every operation at least once.
std::vector<Site> find_sites() {
  for (const auto& scenario : scenarios())
    EXPECT_EQ(explore(*scenario, Search::kRandom, 200, switches(), true).failure, "") << scenario->name();
  return sites_seen();
}

TEST(Model, HoldsInEverySchedule) {
  std::int64_t all = 0;
  for (const auto& scenario : scenarios()) {
    const Outcome random = explore(*scenario, Search::kRandom, most_schedules(), switches(), true);
    const Outcome bounded = explore(*scenario, Search::kBounded, most_schedules(), switches(), true);
    EXPECT_EQ(random.failure, "") << scenario->name();
    EXPECT_EQ(bounded.failure, "") << scenario->name();
    std::cout << scenario->name() << ": " << random.schedules << " schedules at random, " << bounded.schedules
              << (bounded.complete ? ", which are all," : "") << " with at most " << switches() << " switches\n";
    all += random.schedules + bounded.schedules;
  }
  std::cout << all << " schedules" << std::endl;
}

TEST(Model, AnOwnerThatDoesNotWaitIsFound) {
  for (const auto& scenario : faulty_owners()) {
    EXPECT_EQ(explore(*scenario, Search::kRandom, most_schedules(), switches(), false).failure, "DATA RACE");
    EXPECT_EQ(explore(*scenario, Search::kBounded, most_schedules(), switches(), false).failure, "DATA RACE");
  }
}

/// As EveryMutantIsFound knows only of operations that are carried out.
TEST(Model, ScenariosCarryOutEveryOperation) {
  std::set<std::tuple<std::string, int, Kind>> seen;
  for (const Site& site : find_sites()) seen.insert({site.file.substr(site.file.rfind('/') + 1), site.line, site.kind});
  const std::regex operation("Atomics::(load|store|add|fence)\\(");
  for (const std::string name : {"calls.hpp", "leavers.hpp", "notices.hpp", "shared_ring.hpp"}) {
    std::ifstream file(std::string(SLUICE_RUNTIME_FOLDER) + "/" + name);
    int operations = 0;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
      for (std::sregex_iterator found(line.begin(), line.end(), operation), end; found != end; ++found) {
        const std::string word = (*found)[1];
        const Kind kind = word == "load"    ? Kind::kLoad
                          : word == "store" ? Kind::kStore
                          : word == "add"   ? Kind::kAdd
                                            : Kind::kFence;
        EXPECT_EQ(seen.count({name, number, kind}), 1U) << name << ":" << number << ": no scenario comes here";
        ++operations;
      }
    }
    EXPECT_EQ(std::count_if(seen.begin(), seen.end(), [&](const auto& each) { return std::get<0>(each) == name; }),
              operations)
        << name << ": two operations of a kind in a line, or it is another file than was compiled";
    EXPECT_GT(operations, 0) << name;
  }
}

TEST(Model, EveryMutantIsFound) {
  const auto all = scenarios();
  std::int64_t mutants = 0, schedules = 0;
  for (const Site& site : find_sites()) {
    for (const Mutant& mutant : mutants_of(site)) {
      set_mutant(mutant);
      std::string found;
      // Most are found at once by one of the scenarios.
      for (std::int64_t limit = 100, before = 0; found.empty() && before < most_schedules();
           before = limit, limit *= 10) {
        for (const auto& scenario : all) {
          for (const Search search : {Search::kRandom, Search::kBounded}) {
            if (!found.empty()) continue;
            const Outcome outcome = explore(*scenario, search, std::min(limit, most_schedules()), switches(), false);
            schedules += outcome.schedules;
            if (!outcome.failure.empty()) found = std::string(scenario->name()) + ": " + outcome.failure;
          }
        }
      }
      set_mutant({});
      ++mutants;
      EXPECT_NE(found, "") << text_of(mutant) << ": no scenario fails";
      std::cout << text_of(mutant) << ": " << (found.empty() ? "not found" : found) << "\n";
    }
  }
  std::cout << mutants << " mutants, " << schedules << " schedules" << std::endl;
}

}  // namespace
}  // namespace sluice::model
