// Tables of docs/reference: scripts/reference_pages.py puts them into the pages, and a test compares.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "apps/sluice/manuals/parts.hpp"
#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/collective.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice::manuals {

namespace {

/// As a cell of a table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string verbs(const std::vector<Part>& parts) {
  std::string out = "| verb | what it does | problems |\n|---|---|---|\n";
  const auto plan = std::ranges::find(parts, std::vector<std::string>{"plan"}, &Part::words);
  const std::size_t all = plan == parts.end() ? 0 : plan->parts.size();
  for (const Part& part : parts) {
    if (part.words.size() != 1) continue;
    std::vector<std::string> problems;
    for (const PartName& each : part.parts) problems.push_back('`' + each.name + '`');
    constexpr std::size_t kMost = 8;  // more are studies, which `study --help` lists
    out += fmt::format("| `{}` | {} | {} |\n", part.words.front(), cell(part.about),
                       problems.size() == all ? "all"
                       : problems.size() > kMost
                           ? fmt::format("{}: `sluice {} --help`", problems.size(), part.words.front())
                           : fmt::format("{}", fmt::join(problems, ", ")));
  }
  return out;
}

std::string problems(const std::vector<Part>& parts) {
  std::string out = "| problem | what it is | what is needed |\n|---|---|---|\n";
  for (const Part& part : parts) {
    if (part.words.size() != 2 || part.words.front() != "plan") continue;
    std::vector<std::string> needed;
    const auto add = [&](const PartOption& each) {
      if (each.about.find("(needed") == each.about.npos) return;
      needed.push_back(fmt::format("`{}{}`", each.names.empty() ? "" : each.names.back() + ' ', cell(each.text)));
    };
    for (const PartOption& each : part.positionals) add(each);
    for (const PartOption& each : part.options) add(each);
    out += fmt::format("| `{}` | {} | {} |\n", part.words.back(), cell(part.about), fmt::join(needed, ", "));
  }
  return out;
}

/// The first example of every verb and problem.
std::string examples(const std::vector<Part>& parts) {
  std::string out;
  for (const Part& part : parts) {
    const std::size_t title = part.footer.find("Example");
    if (part.words.empty() || title == part.footer.npos || (part.words.size() == 1 && !part.parts.empty())) continue;
    const bool like_others = part.words.size() == 2 && part.words.back() != "allreduce" &&
                             parse_collective(part.words.back()).has_value() && part.words.back() != "broadcast" &&
                             part.words.back() != "reduce";
    if (like_others || part.words.front() == "study" || part.words.front() == "simulate" ||
        part.words.front() == "predict")
      continue;
    std::size_t start = part.footer.find('\n', title) + 1;
    std::string line = part.footer.substr(start, part.footer.find('\n', start) - start);
    if (line.ends_with('\\')) continue;
    line.erase(0, line.find_first_not_of(' '));
    out += "    " + line + '\n';
  }
  return out;
}

std::string algorithms_of(std::string_view problem) {
  std::string out = "| name | guarantee | planning takes | source |\n|---|---|---|---|\n";
  for (const Algorithm& each : algorithms(problem))
    out +=
        fmt::format("| `{}` | {} | {} | {} |\n", each.name, cell(each.guarantee), cell(each.cost), cell(each.source));
  return out;
}

/// A row for each algorithm of the collectives, with the problems that have it.
std::string algorithms_of_collectives() {
  struct Row {
    const Algorithm* algorithm;
    std::vector<std::string> problems;
  };
  std::vector<Row> rows;
  for (const Collective collective : command::kCollectives)
    for (const Algorithm& each : algorithms(to_string(collective))) {
      auto found = std::ranges::find_if(rows, [&](const Row& row) { return row.algorithm->name == each.name; });
      if (found == rows.end()) found = rows.insert(rows.end(), {&each, {}});
      found->problems.emplace_back(to_string(collective));
    }
  std::string out = "| name | problems | what it takes or guarantees | source |\n|---|---|---|---|\n";
  for (const Row& row : rows)
    out += fmt::format("| `{}` | {} | {} | {} |\n", row.algorithm->name,
                       row.problems.size() == std::size(command::kCollectives)
                           ? "all"
                           : fmt::format("{}", fmt::join(row.problems, ", ")),
                       cell(row.algorithm->guarantee), cell(row.algorithm->source));
  return out;
}

}  // namespace

std::vector<ReferencePart> reference_parts(const std::vector<Part>& parts) {
  std::vector<ReferencePart> result{
      {"verbs", verbs(parts)}, {"problems", problems(parts)}, {"examples", examples(parts)}};
  for (const char* problem : {"redistribute", "exchange", "reduce", "broadcast"})
    result.push_back({std::string("algorithms-") + problem, algorithms_of(problem)});
  result.push_back({"algorithms-collectives", algorithms_of_collectives()});
  return result;
}

}  // namespace sluice::manuals
