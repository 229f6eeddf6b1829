#include "compare.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cost_text.hpp"
#include "output.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

using nlohmann::ordered_json;

/// In the unit that the user wrote: whole numbers stay whole.
ordered_json cost_json(const Cost& cost, std::int32_t decimals) {
  ordered_json result{{"steps", cost.steps}};
  if (decimals == 0)
    result["transmission"] = cost.transmission;
  else
    result["transmission"] = ordered_json::parse(decimal_text(cost.transmission, decimals));
  result["total"] = move_decimal_point(cost.total, -decimals);
  return result;
}

ordered_json bound_json(const ComparedBound& bound, std::int32_t decimals) {
  ordered_json result = cost_json(bound.cost, decimals);
  result["kind"] = bound.kind;
  return result;
}

std::string to_json(const Comparison& comparison) {
  const ComparedBound& best = comparison.bounds.back();
  ordered_json table = ordered_json::array();
  for (const ComparedPlan& plan : comparison.plans) {
    ordered_json row{{"algorithm", plan.algorithm}};
    row.update(cost_json(plan.cost, comparison.decimals));
    row["ratio"] = nullptr;  // where only the bound is 0
    if (best.cost.total > 0)
      row["ratio"] = plan.cost.total / best.cost.total;
    else if (plan.cost.total == 0)
      row["ratio"] = 1;
    row["plan_s"] = plan.plan_s;
    table.push_back(std::move(row));
  }
  ordered_json file{{"schema", "sluice.compare/1"},
                    {"problem", comparison.problem},
                    {"bound", bound_json(best, comparison.decimals)},
                    {"rows", table}};
  if (comparison.bounds.size() > 1) {
    for (const ComparedBound& bound : comparison.bounds)
      file["bounds"].push_back(bound_json(bound, comparison.decimals));
  }
  for (const auto& [algorithm, reason] : comparison.refused)
    file["refused"].push_back({{"algorithm", algorithm}, {"reason", reason}});
  return file.dump(1) + '\n';
}

std::string to_text(const Comparison& comparison) {
  using Align = TextTable::Align;
  const double best = comparison.bounds.back().cost.total;
  TextTable table({{"algorithm", Align::kLeft},
                   {"steps (NS)"},
                   {"transmission (TC)"},
                   {"total"},
                   {"ratio"},
                   {"planned in"},
                   {"", Align::kLeft}});
  const auto add = [&](const std::string& name, const Cost& cost, const std::string& ratio, const std::string& time,
                       const std::string& note) {
    table.add_row({name, steps_text(cost), transmission_text(cost, comparison.decimals),
                   total_text(cost, comparison.decimals), ratio, time, note});
  };
  for (const ComparedPlan& plan : comparison.plans)
    add(plan.algorithm, plan.cost, ratio_text(plan.cost.total, best), seconds_text(plan.plan_s), plan.note);
  for (const ComparedBound& bound : comparison.bounds) add("lower bound", bound.cost, "", "", bound.note);
  std::string text = fmt::format("{}\n\n{}", comparison.head, table.text());
  if (!comparison.refused.empty()) text += '\n';
  for (const auto& [name, reason] : comparison.refused) text += fmt::format("{} does not apply: {}\n", name, reason);
  return text;
}

}  // namespace

void Comparison::add(const std::string& algorithm, const std::function<ComparedPlan()>& make) {
  try {
    plans.push_back(make());
  } catch (const InputError& error) {
    refused.emplace_back(algorithm, fmt::format("{}, expected {}", error.found(), error.expected()));
  }
}

void add_json_option(CLI::App& problem, std::string& json) {
  problem.add_option("--json", json, "write the comparison as JSON (sluice.compare/1); -: instead of the table")
      ->option_text("FILE|-");
}

int show_comparison(const Comparison& comparison, const std::string& json) {
  if (json == "-") {
    print(to_json(comparison));
    return kDone;
  }
  if (!json.empty()) write_file_atomically(json, to_json(comparison));
  print(to_text(comparison));
  return kDone;
}

void add_compare(CLI::App& command, Action& chosen) {
  CLI::App* verb = command.add_subcommand("compare", "every algorithm that fits, side by side, with the lower bound");
  verb->footer(
      "Examples:\n"
      "  sluice compare redistribute --from 15:3 --to 15:5\n"
      "  sluice compare exchange traffic.mtx --max-transfers 8\n\n"
      "sluice compare PROBLEM --help lists the options.");
  add_compare_redistribute(*verb, chosen);
  add_compare_exchange(*verb, chosen);
}

}  // namespace sluice::command
