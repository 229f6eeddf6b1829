#include "apps/sluice/options/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/output/elapsed.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/plan/plan.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"
#include "sluice/timing/model.hpp"
#include "sluice/timing/program_replay.hpp"

namespace sluice::command {

namespace {

struct PlanCollectiveOptions {
  CollectiveInput problem;
  PlanOutput output;
  std::string algorithm = "auto";
};

std::string table_of(const ProgramPlan& plan) {
  using Align = TextTable::Align;
  const Program& program = plan.program;
  std::int64_t bytes = 0, messages = 0;
  for (const ProgramOperation& op : program.operations) {
    if (op.kind != ProgramOperation::Kind::kSend) continue;
    ++messages;
    bytes = checked::add(bytes, op.message_bytes(), "bytes of all messages");
  }
  TextTable table({{"", Align::kLeft}, {""}, {"", Align::kLeft}});
  table.add_row({"length", seconds_text(program.length_s), program.algorithm});
  table.add_row({"lower bound", seconds_text(program.bound_s),
                 fmt::format("ratio {}, {}", ratio_text(program.length_s, program.bound_s), program.bound)});
  table.add_row({"messages", fmt::format("{}", messages), bytes_text(bytes)});
  // The first one is the plan itself.
  for (std::size_t i = 1; i < plan.candidates.size(); ++i)
    table.add_row({i == 1 ? "compared" : "", seconds_text(plan.candidates[i].length_s), plan.candidates[i].algorithm});
  std::string text = table.text();
  text.erase(0, text.find('\n') + 1);
  const auto is_estimated = [](const auto& each) { return each.algorithm.ends_with(kEstimated); };
  if (std::any_of(plan.candidates.begin() + (plan.candidates.empty() ? 0 : 1), plan.candidates.end(), is_estimated))
    text += fmt::format(kEstimatesLine, to_string(program.problem));
  return text;
}

/// Messages in the order of their starts.
std::string lines_of(const Platform& platform, const Program& program, std::int64_t limit) {
  const ReplayedProgram times = replay(platform, program);
  std::vector<std::size_t> sends;
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    if (program.operations[i].kind == ProgramOperation::Kind::kSend) sends.push_back(i);
  std::stable_sort(sends.begin(), sends.end(),
                   [&](std::size_t a, std::size_t b) { return times.start_s[a] < times.start_s[b]; });
  const std::size_t shown = limit < 0 ? sends.size() : std::min(sends.size(), static_cast<std::size_t>(limit));
  TextTable table({{"start"}, {"left"}, {"sender->receiver", TextTable::Align::kLeft}, {"bytes"}, {"ranges"}});
  for (std::size_t i = 0; i < shown; ++i) {
    const ProgramOperation& op = program.operations[sends[i]];
    table.add_row({seconds_text(times.start_s[sends[i]]), seconds_text(times.end_s[sends[i]]),
                   fmt::format("{}->{}", op.rank, op.peer), fmt::format("{}", op.message_bytes()),
                   fmt::format("{}", 1 + op.more.size())});
  }
  return '\n' + table.text() + left_out_line(static_cast<std::int64_t>(sends.size() - shown));
}

int plan(const PlanCollectiveOptions& options) {
  check_algorithm(to_string(options.problem.collective), options.algorithm);
  check_segments(options.problem, options.algorithm);
  CollectiveTask task = read(options.problem);
  options.output.check_targets();
  const Interruptible interruptible;
  const TimeLimit limit(task.time_limit_s);
  task.options.stop = limit.stop();
  const ProgramPlan planned = [&] {
    const Elapsed elapsed(kPlanning);
    return task.planned_by(options.algorithm);
  }();
  const std::string problem(to_string(options.problem.collective));
  return show_plan(fmt::format("{}\n{}{}", task.title(), algorithm_text(problem, options.algorithm),
                               end_of_search_text(limit.reached())),
                   planned, task.platform, options.output);
}

}  // namespace

int show_plan(const std::string& head, const ProgramPlan& plan, const Platform& platform, const PlanOutput& output) {
  std::string text = head + "\n\n" + table_of(plan);
  if (plan.estimated)
    text += "\nThe replay is more work than the effort allows: its messages have no times.\n";
  else if (!output.summary)
    text += lines_of(platform, plan.program, output.all ? -1 : kShownLines);
  if (!output.json.empty()) write_file_atomically(output.json, to_json(plan.program));
  if (output.timeline.wanted())
    output.timeline.write(simulate(platform, plan.program),
                          fmt::format("{}, {}", to_string(plan.program.problem), plan.program.algorithm));
  tell(text);
  return end_of_plan();
}

void add_plan_collectives(CLI::App& plan_verb, Action& chosen) {
  for (const Collective collective : kCollectives) {
    const std::string name(to_string(collective));
    CLI::App* problem = plan_verb.add_subcommand(name, about(collective));
    const auto options = std::make_shared<PlanCollectiveOptions>();
    options->problem.collective = collective;
    options->problem.add_to(*problem);
    options->problem.add_compute_to(*problem);
    options->problem.add_limits_to(*problem);
    offer(problem->add_option("--algorithm", options->algorithm, algorithm_list(name)), algorithm_names(name))
        ->option_text("NAME [auto]");
    problem
        ->add_option("--json", options->output.json,
                     "write the program as JSON (sluice.program/1); -: instead of the table")
        ->option_text("FILE|-");
    options->output.timeline.add_to(*problem, "in the replay");
    problem->add_flag("--all", options->output.all, fmt::format("every line, not just {}", kShownLines));
    problem->add_flag("--summary", options->output.summary, "length, bound and candidates alone");
    problem->footer(
        algorithms_help(name) + kCollectiveHelp +
        fmt::format("\nExamples:\n"
                    "  sluice plan {0} --platform studies/grid5000/grid5000-88.json --size 16Ki\n"
                    "  sluice plan {0} --platform studies/grid5000/grid5000-88.json --size 16Ki --json plan.json",
                    name));
    problem->callback([options, &chosen] { chosen = [options] { return plan(*options); }; });
  }
}

}  // namespace sluice::command
