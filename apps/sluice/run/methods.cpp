#include "apps/sluice/run/methods.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/options/values.hpp"
#include "sluice/error.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

void RunMethods::add_method_to(CLI::App& problem, const std::string& known,
                               const std::vector<std::vector<std::string>>& names) {
  std::vector<std::string> all;
  for (const std::vector<std::string>& some : names)
    for (const std::string& name : some)
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  offer(problem.add_option("--methods,--method", method, known), all)->option_text("A,B,..|all [all]");
}

void RunMethods::add_times_to(CLI::App& problem) {
  problem.add_option("--repetitions", repetitions, "timed executions of each method, alternating")
      ->option_text("N [9]");
  problem.add_option("--json", json, "write the result as JSON (sluice.run/1); -: instead of the table")
      ->option_text("FILE|-");
  problem.add_flag("--wide", wide,
                   "print all columns: also least and largest time, rate, extra memory beside the data, prediction");
}

std::vector<std::string> RunMethods::names(const std::vector<std::string>& usual,
                                           const std::function<std::string(const std::string&)>& called) const {
  std::vector<std::string> result;
  for (const std::string& name : method == "all" ? usual : parse_list(method)) {
    if (name == "all") throw InputError("--methods", "'all' and other names", "all alone, or the names");
    const std::string known = called(name);
    if (std::find(result.begin(), result.end(), known) != result.end())
      throw InputError("--methods", fmt::format("'{}' twice", known), "every method once");
    result.push_back(known);
  }
  return result;
}

std::string ranks_expected(std::int64_t needed, std::int64_t ranks) {
  return fmt::format("at most the {} that mpirun started; start it with mpirun -np {}", count_text(ranks, "rank"),
                     needed > 0 ? fmt::format("{}", needed) : "N");
}

int RunMethods::times() const {
  constexpr std::int64_t kMost = 1'000'000;
  return static_cast<int>(parse_count(repetitions, "--repetitions", 1, kMost));
}

}  // namespace sluice::command
