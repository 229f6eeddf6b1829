#include "apps/sluice/plan/front.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/provenance.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "sluice/plan/batch.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/show/front_picture.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {
namespace {

Front front_of(const RedistributionFront& planned, double setup) {
  Front front{{}, setup, "elements", planned.bound.steps, planned.bound.transmission, planned.complete};
  for (const FrontPoint& point : planned.points) {
    const Cost cost = point.plan.cost();
    front.points.push_back(
        {cost.steps, cost.transmission, point.transmission_at_least, cost.total, point.plan.algorithm()});
  }
  return front;
}

Front front_of(const BatchFront& planned, double setup) {
  Front front{{}, setup, "bytes", planned.bound.steps, planned.bound.transmission, planned.complete};
  for (const BatchFrontPoint& point : planned.points)
    front.points.push_back(
        {point.cost.steps, point.cost.transmission, point.transmission_at_least, point.cost.total, point.algorithm});
  return front;
}

/// As a file of schema sluice.front/1.
std::string front_json(const Front& front, const std::string& title, bool interrupted) {
  nlohmann::ordered_json file{{"schema", "sluice.front/1"}, {"problem", "redistribute"}, {"title", title},
                              {"setup", front.setup},       {"unit", front.unit},        {"complete", front.complete},
                              {"interrupted", interrupted}};
  file["bound"] = {{"steps", front.steps_at_least}, {"transmission", front.transmission_at_least}};
  for (const Front::Point& point : front.points)
    file["points"].push_back({{"steps", point.steps},
                              {"transmission", point.transmission},
                              {"transmission_at_least", point.transmission_at_least},
                              {"total", point.total},
                              {"algorithm", point.algorithm}});
  file["about"] = about();
  return file.dump(1) + '\n';
}

/// `head`: what stands above the table, whose first line is `title`.
int show(const Front& front, const std::string& title, const std::string& head, const TimeLimit& limit,
         const PlanOutput& output) {
  TextTable table({{"steps (NS)"}, {"transmission (TC)"}, {"TC at least"}, {"total"}, {"", TextTable::Align::kLeft}});
  for (const Front::Point& point : front.points)
    table.add_row(
        {fmt::format("{}", point.steps), fmt::format("{}", point.transmission),
         fmt::format("{}", point.transmission_at_least), number_text(point.total),
         fmt::format("{}{}", point.algorithm, point.transmission == point.transmission_at_least ? ", optimal" : "")});
  std::string text = fmt::format("{}\n{}total = TC + {} NS, in {}\n\n{}\n{}", title, head, number_text(front.setup),
                                 front.unit, table.text(), front_proof_text(front));
  if (!front.complete)
    text += exact_uses_cbc() ? "; more --effort may tell" : "; this build has no CBC, which finds out more";
  text += end_of_search_text(limit.reached()) + '\n';
  const std::string caption = "Front of " + title;
  if (!output.json.empty()) write_file_atomically(output.json, front_json(front, caption, was_interrupted()));
  if (!output.timeline.svg().empty()) write_file_atomically(output.timeline.svg(), front_svg(front, caption));
  tell(text);
  return status_unless_interrupted(kDone);
}

}  // namespace

int plan_front(const RedistributeTask& task, std::int64_t effort, const PlanOutput& output) {
  const TimeLimit limit(task.time_limit_s);
  const RedistributionFront front = redistribution_front(task.problem, task.setup, effort, limit.stop());
  return show(front_of(front, task.setup), task.title(), task.kept_text(), limit, output);
}

int plan_front(const BatchTask& task, std::int64_t effort, const PlanOutput& output) {
  const TimeLimit limit(task.time_limit_s);
  const BatchFront front = batch_front(task.problem, batch_options(task, "auto", effort, limit));
  return show(front_of(front, task.setup), task.title(), "", limit, output);
}

}  // namespace sluice::command
