#include "apps/sluice/options/reduce.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/elapsed.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/plan/plan.hpp"
#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/schedule/tree_program.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

/// Beyond this the transfers are not written out: more than a gigabyte of them, and twice that as JSON.
constexpr std::int64_t kMostWritten = std::int64_t{1} << 25;

struct PlanReduceOptions {
  ReduceInput problem;
  PlanOutput output;
  std::string algorithm = "auto";
  std::string program;  ///< a file for it
  std::string element_bytes;
};

std::string head_of(const ReduceTask& task, const ReducePlan& plan) {
  const TreeSchedule& schedule = plan.schedule;
  std::string line = algorithm_text("reduce", schedule.algorithm);
  line += distance_text(schedule.length, plan.optimum_at_least, plan.optimal,
                        fmt::format("at least {}", number_text(plan.optimum_at_least)));
  std::vector<TreeFact> more;
  if (schedule.segments > 1) {
    more.push_back({"segments", fmt::format("{}", schedule.segments),
                    schedule.transfer_costs.empty() && schedule.compute_costs.empty()
                        ? fmt::format("parts of an element; d = {}, c = {} of each", number_text(schedule.transfer),
                                      number_text(schedule.compute))
                        : "parts of an element"});
  }
  more.push_back({"transfers", fmt::format("{}", plan.transfers), ""});
  more.push_back({"reducers", fmt::format("{}", plan.reducers), "machines that combine"});
  more.push_back({"depth", fmt::format("{}", plan.depth), "transfers on the longest path to the root"});
  more.push_back({"degree", fmt::format("{}", plan.max_children), "the most machines that send to one"});
  if (task.problem.root == kAnyRoot) more.push_back({"root", fmt::format("{}", schedule.root), "chosen by the plan"});
  return task.title() + '\n' + line + "\n\n" + tree_table(schedule, plan.optimum_at_least, more);
}

int plan(const PlanReduceOptions& options) {
  check_algorithm("reduce", options.algorithm);
  const ReduceTask task = read(options.problem);
  task.check_for(options.algorithm);
  const PlanOutput& output = options.output;
  output.check_targets();
  const bool writes_program = !options.program.empty();
  if (!writes_program && !options.element_bytes.empty())
    throw InputError("--element-bytes", "no --program", "--program FILE as well");
  const std::string& size = options.problem.size;
  if (!writes_program && options.problem.platform_file.empty() && !size.empty())
    throw InputError("--size", "no --program", "--program FILE as well");
  std::int64_t bytes = 0;
  std::int64_t element_bytes = 0;
  if (writes_program) {
    if (size.empty()) throw InputError("--size", "nothing", "the bytes of an element, for --program");
    bytes = parse_bytes(size, "--size");
    constexpr std::int64_t kOfRun = 8;  // what run reduce combines
    element_bytes = bytes % kOfRun == 0 ? kOfRun : 1;
    if (!options.element_bytes.empty()) element_bytes = parse_bytes(options.element_bytes, "--element-bytes");
    check_writable(options.program);
  }
  const bool writes_out = output.writes_out() || writes_program;
  if (writes_out) {
    // Where the plan chooses the number of parts, only a plan tells how many transfers there are.
    const bool chooses =
        task.problem.segments == 0 && task.problem.machines - 1 > kMostWritten / task.problem.max_segments;
    const bool many =
        chooses ? task.planned_by(options.algorithm, false).transfers > kMostWritten
                : task.problem.segments > 0 && task.problem.machines - 1 > kMostWritten / task.problem.segments;
    if (many)
      throw InputError("plan", fmt::format("more than {} transfers to write out", kMostWritten), "less, or --summary");
  }
  const ReducePlan plan = [&] {
    const Elapsed elapsed(kPlanning);
    return task.planned_by(options.algorithm, writes_out);
  }();
  if (writes_program) write_file_atomically(options.program, to_json(program_of(plan.schedule, bytes, element_bytes)));
  return show_plan(head_of(task, plan), plan.schedule, output);
}

}  // namespace

void add_plan_reduce(CLI::App& plan_verb, Action& chosen) {
  CLI::App* problem = plan_verb.add_subcommand("reduce", "combine an element of each machine, transfers overlapped");
  const auto options = std::make_shared<PlanReduceOptions>();
  options->problem.add_to(*problem);
  options->problem.add_platform_to(*problem, " and --program");
  offer(problem->add_option("--algorithm", options->algorithm, algorithm_list("reduce")), algorithm_names("reduce"))
      ->option_text("NAME [auto]");
  options->output.add_to(*problem, "times in the unit of D and C",
                         "length and bounds alone; for any number of machines");
  options->output.add_tree_to(*problem);
  problem
      ->add_option("--program", options->program,
                   "write what each rank does as JSON (sluice.program/1), which check, simulate, report and run reduce "
                   "read; -: instead of the table")
      ->option_text("FILE|-");
  problem
      ->add_option(
          "--element-bytes", options->element_bytes,
          "with --program: the size of an element, which is never cut; run reduce has elements of 8 bytes. Unless "
          "given: 8 if --size is a multiple of 8, otherwise 1")
      ->option_text("BYTES");
  problem->footer(
      algorithms_help("reduce") + kReduceHelp +
      "\nExamples:\n"
      "  sluice plan reduce --machines 64 --transfer 2 --compute 1\n"
      "  sluice plan reduce --machines 64 --transfer 2 --compute 1 --max-transfers 8 --json plan.json\n"
      "  sluice plan reduce --platform studies/grid5000/grid5000-88.json --size 1Mi --compute 2ms\n"
      "  sluice plan reduce --machines 64 --transfer 2 --compute 1 --root 5 --non-commutative\n"
      "  sluice plan reduce --machines 64 --transfer 2 --compute 1 --segments auto --transfer-overhead 0.1\n"
      "  sluice plan reduce --machines 8 --transfer-costs links.csv --compute 1 --max-transfers 3\n"
      "  sluice plan reduce --machines 8 --transfer-costs links.csv --compute 1 --program reduce.json --size 1Mi\n"
      "  sluice plan reduce --machines 64 --transfer 2 --compute 1 --tree tree.svg\n"
      "  sluice plan reduce --machines 16000000 --transfer 2 --compute 1 --summary");
  problem->callback([options, &chosen] { chosen = [options] { return plan(*options); }; });
}

}  // namespace sluice::command
