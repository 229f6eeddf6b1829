#include "apps/sluice/compare/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/options/suggestion.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/cost_text.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/provenance.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/show/bars.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

using nlohmann::ordered_json;

ordered_json fields_of(const Figures& figures) {
  ordered_json result = ordered_json::object();
  for (const auto& [name, value] : figures.fields) result[name] = ordered_json::parse(value);
  return result;
}

ordered_json bound_json(const ComparedBound& bound) {
  ordered_json result = fields_of(bound.figures);
  result["kind"] = bound.kind;
  return result;
}

std::string to_json(const Comparison& comparison) {
  const ComparedBound& best = comparison.bounds.back();
  ordered_json table = ordered_json::array();
  for (const ComparedPlan& plan : comparison.plans) {
    ordered_json row{{"algorithm", plan.algorithm}};
    row.update(fields_of(plan.figures));
    row["ratio"] = nullptr;  // where only the bound is 0
    if (best.figures.total > 0)
      row["ratio"] = plan.figures.total / best.figures.total;
    else if (plan.figures.total == 0)
      row["ratio"] = 1;
    row["plan_s"] = plan.plan_s;
    if (plan.optimal) row["optimal"] = true;
    if (plan.stopped) row["stopped"] = true;
    if (!plan.note.empty()) row["note"] = plan.note;
    table.push_back(std::move(row));
  }
  ordered_json file{{"schema", "sluice.compare/1"},
                    {"about", about()},
                    {"problem", comparison.problem},
                    {"bound", bound_json(best)},
                    {"rows", table}};
  if (comparison.bounds.size() > 1) {
    for (const ComparedBound& bound : comparison.bounds) file["bounds"].push_back(bound_json(bound));
  }
  for (const auto& [algorithm, reason] : comparison.refused)
    file["refused"].push_back({{"algorithm", algorithm}, {"reason", reason}});
  if (was_interrupted()) file["interrupted"] = true;
  return file.dump(1) + '\n';
}

std::string to_text(const Comparison& comparison) {
  using Align = TextTable::Align;
  const double best = comparison.bounds.back().figures.total;
  std::vector<TextTable::Column> columns{{"algorithm", Align::kLeft}};
  for (const std::string& title : comparison.columns) columns.push_back({title});
  columns.insert(columns.end(), {{"ratio"}, {"planned in"}, {"", Align::kLeft}});
  TextTable table(std::move(columns));
  const auto add = [&](const std::string& name, const Figures& figures, const std::string& ratio,
                       const std::string& time, const std::string& note) {
    std::vector<std::string> cells{name};
    cells.insert(cells.end(), figures.cells.begin(), figures.cells.end());
    cells.resize(1 + comparison.columns.size());
    cells.insert(cells.end(), {ratio, time, note});
    table.add_row(std::move(cells));
  };
  for (const ComparedPlan& plan : comparison.plans)
    add(plan.algorithm, plan.figures, ratio_text(plan.figures.total, best), seconds_text(plan.plan_s), plan.note);
  for (const ComparedBound& bound : comparison.bounds) add("lower bound", bound.figures, "", "", bound.note);
  std::string text = fmt::format("{}\n\n{}", comparison.head, table.text());
  if (!comparison.refused.empty()) text += '\n';
  for (const auto& [name, reason] : comparison.refused) text += fmt::format("{} does not apply: {}\n", name, reason);
  if (was_interrupted()) text += '\n' + interrupted_text();
  for (const std::string& name : comparison.left_out)
    text += (&name == comparison.left_out.data() ? "; not planned: " : ", ") + name;
  if (was_interrupted()) text += '\n';
  return text;
}

std::string to_svg(const Comparison& comparison) {
  const double best = comparison.bounds.back().figures.total;
  const auto column = std::ranges::find(comparison.columns, comparison.ratio_of) - comparison.columns.begin();
  std::vector<Bar> bars;
  for (const ComparedPlan& plan : comparison.plans)
    bars.push_back({plan.algorithm, best > 0 ? plan.figures.total / best : plan.figures.total,
                    plan.figures.cells.at(static_cast<std::size_t>(column))});
  const std::string what = comparison.ratio_of == "total" ? "total cost" : comparison.ratio_of;
  return bars_svg(bars, best > 0 ? 1 : 0, "lower bound", comparison.problem + ": algorithms side by side",
                  fmt::format("{}{}; at the end of a bar: {}", what, best > 0 ? " over the lower bound" : "", what));
}

}  // namespace

std::string json_number(double value) { return ordered_json(value).dump(); }

Figures figures_of(const Cost& cost, std::int32_t decimals) {
  // In the unit that the user wrote: whole numbers stay whole.
  return {cost.total,
          {steps_text(cost), transmission_text(cost, decimals), total_text(cost, decimals)},
          {{"steps", fmt::format("{}", cost.steps)},
           {"transmission", decimal_text(cost.transmission, decimals)},
           {"total", json_number(move_decimal_point(cost.total, -decimals))}}};
}

Figures figures_of_tree(double length, const std::vector<std::pair<std::string, std::int64_t>>& counts) {
  Figures figures{length, {number_text(length)}, {{"length", json_number(length)}}};
  for (const auto& [name, count] : counts) {
    figures.cells.push_back(fmt::format("{}", count));
    figures.fields.emplace_back(name, figures.cells.back());
  }
  return figures;
}

void Comparison::add(const std::string& algorithm, const std::function<ComparedPlan()>& make) {
  if (was_interrupted()) {
    left_out.push_back(algorithm);
    return;
  }
  try {
    plans.push_back(make());
  } catch (const InputError& error) {
    refused.emplace_back(algorithm, fmt::format("{}, expected {}", error.found(), error.expected()));
    if (!first_refusal) first_refusal = error;
  }
}

void ComparedAlgorithms::add_to(CLI::App& problem, const std::vector<std::string>& names) {
  offer(problem.add_option("--algorithms,--algorithm", text_,
                           "the algorithms to compare; some take long if there is much to plan"),
        names)
      ->option_text("A,B,..|all [all]");
}

std::vector<std::string> ComparedAlgorithms::among(const std::vector<std::string>& known) const {
  if (text_ == "all") return known;
  std::vector<std::string> names;
  for (const std::string& name : parse_list(text_)) {
    if (std::ranges::find(known, name) == known.end())
      throw InputError("--algorithms", fmt::format("'{}'", name),
                       fmt::format("one of {}{}", fmt::join(known, ", "), did_you_mean(name, known)));
    if (std::ranges::find(names, name) != names.end())
      throw InputError("--algorithms", fmt::format("'{}' twice", name), "every algorithm once");
    names.push_back(name);
  }
  return names;
}

void ComparisonOutput::add_to(CLI::App& problem) {
  problem.add_option("--json", json, "write the comparison as JSON (sluice.compare/1); -: instead of the table")
      ->option_text("FILE|-");
  problem.add_option("--svg", svg, "draw it: a bar per algorithm, a line at the lower bound; -: instead of the table")
      ->option_text("FILE|-");
}

void ComparisonOutput::check_targets() const {
  check_json_target(json);
  check_picture_target("--svg", svg);
}

int show_comparison(const Comparison& comparison, const ComparisonOutput& output) {
  if (comparison.plans.empty() && comparison.left_out.empty() && comparison.first_refusal)
    throw InputError(*comparison.first_refusal);
  if (!output.json.empty()) write_file_atomically(output.json, to_json(comparison));
  if (!output.svg.empty()) write_file_atomically(output.svg, to_svg(comparison));
  tell(to_text(comparison));
  return status_unless_interrupted(kDone);
}

void add_compare(CLI::App& command, Action& chosen) {
  CLI::App* verb =
      command.add_subcommand("compare", "plan by every algorithm that fits, and show them beside the lower bound");
  verb->footer(
      "Examples:\n"
      "  sluice compare redistribute --from 15:3 --to 15:5\n"
      "  sluice compare exchange traffic.mtx --max-transfers 8\n"
      "  sluice compare reduce --machines 64 --transfer 2 --compute 1\n\n"
      "sluice compare PROBLEM --help lists the options.");
  add_compare_redistribute(*verb, chosen);
  add_compare_exchange(*verb, chosen);
  add_compare_reduce(*verb, chosen);
  add_compare_broadcast(*verb, chosen);
  add_compare_collectives(*verb, chosen);
}

}  // namespace sluice::command
