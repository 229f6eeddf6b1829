#include "apps/sluice/options/algorithm_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/sluice/options/suggestion.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

struct Row {
  std::string_view name, guarantee, cost;
};

std::vector<Row> rows(std::string_view problem) {
  std::vector<Row> result;
  for (const Algorithm& algorithm : algorithms(problem))
    result.push_back({algorithm.name, algorithm.guarantee, algorithm.cost});
  if (problem == "redistribute") {
    result.push_back({"auto", "the cheapest by total of what applies", ""});
  } else if (problem == "broadcast") {
    result.push_back({"native", "none; MPI's own broadcast, if the platform has its times", ""});
    result.push_back({"auto", "the fastest found for its effort", "--effort"});
  } else if (problem == "reduce") {
    result.push_back({"auto", "the shortest of what applies; says how far from the optimum it can be", ""});
  } else if (parse_collective(problem)) {
    result.push_back({"auto", "the fastest by the replay of all that apply", "replays"});
  } else {
    result.push_back(
        {"auto", "the cheapest found for its effort; says how far from the optimum it can be", "--effort"});
  }
  return result;
}

}  // namespace

std::vector<std::string> algorithm_names(std::string_view problem) {
  std::vector<std::string> result;
  for (const Row& row : rows(problem)) result.emplace_back(row.name);
  return result;
}

std::string algorithm_list(std::string_view problem) {
  return fmt::format("{}", fmt::join(algorithm_names(problem), ", "));
}

std::vector<std::string> redistribution_names() {
  std::vector<std::string> names = algorithm_names("redistribute");
  names.emplace_back(kWalkerOtto);
  for (const std::string& name : algorithm_names("exchange"))
    if (!is_algorithm("redistribute", name)) names.push_back(name);
  return names;
}

bool is_algorithm(std::string_view problem, std::string_view name) {
  for (const Row& row : rows(problem))
    if (row.name == name) return true;
  return false;
}

void check_algorithm(std::string_view problem, const std::string& name, const std::string& where) {
  if (!is_algorithm(problem, name))
    throw InputError(where, fmt::format("'{}'", name),
                     "one of " + algorithm_list(problem) + did_you_mean(name, algorithm_names(problem)));
}

std::string guarantee_of(std::string_view problem, std::string_view name) {
  for (const Algorithm& algorithm : algorithms(problem))
    if (algorithm.name == name) return std::string(algorithm.guarantee);
  return {};
}

std::string algorithm_text(std::string_view problem, const std::string& name) {
  const std::string guarantee = guarantee_of(problem, name);
  return "algorithm: " + name + (guarantee.empty() ? "" : fmt::format(" (guarantee: {})", guarantee));
}

std::string algorithms_help(std::string_view problem) {
  using Align = TextTable::Align;
  TextTable table({{"Algorithm", Align::kLeft}, {"Guarantee", Align::kLeft}, {"Planning", Align::kLeft}});
  for (const Row& row : rows(problem))
    table.add_row({std::string(row.name), std::string(row.guarantee), std::string(row.cost)});
  if (problem == "redistribute")
    table.add_row({kWalkerOtto, "none; two stages through blocks of lcm(r, s), a comparison", "twice stepwise"});
  return table.text();
}

}  // namespace sluice::command
