#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "command.hpp"
#include "output.hpp"
#include "redistribute_options.hpp"
#include "sluice/error.hpp"
#include "sluice/input/traffic_file.hpp"
#include "sluice/schedule/any_schedule.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/tree_validate.hpp"
#include "sluice/schedule/validate.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

constexpr std::size_t kShownViolations = 100;
/// Rebuilding the traffic goes through all processes: a file may claim any number of them.
constexpr std::int64_t kMostProcesses = std::int64_t{1} << 26;

struct CheckOptions {
  std::string file;
  std::string traffic;
  bool all = false;
};

AnySchedule read_file(const std::string& path) {
  if (path == "-") return read_any_schedule(std::cin, "standard input");
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw InputError(path, "cannot be read: " + std::generic_category().message(errno), "a schedule");
  }
  return read_any_schedule(in, path);
}

/// Against the layouts that the file names.
std::vector<Violation> violations_of_redistribution(const ScheduleFile& file, const std::string& name) {
  const StepSchedule& schedule = file.schedule;
  const std::string where = name + ": input.";
  const Layout from = parse_layout(schedule.input->from, where + "from");
  const Layout to = parse_layout(schedule.input->to, where + "to");
  std::vector<std::int64_t> shape;
  if (!schedule.input->shape.empty()) shape = parse_shape(schedule.input->shape, where + "shape");
  RedistributionProblem problem = make_problem(from, to, shape, where + "to", where + "shape");
  if (!schedule.input->part.empty()) {
    const auto [part, unit_diagonal] = parse_part(schedule.input->part, where + "part");
    if (problem.dimensions() != 2)
      throw InputError(where + "part", fmt::format("an array of {} dimensions", problem.dimensions()),
                       "a matrix, which has 2");
    problem = problem.with_part(part, unit_diagonal);
  }
  if (std::max(problem.from().processes(), problem.to().processes()) > kMostProcesses) {
    throw InputError(where + (problem.from().processes() > kMostProcesses ? "from" : "to"), "more processes",
                     fmt::format("at most {} to be checked", kMostProcesses));
  }
  std::int64_t transfers = 0;
  for (const Step& step : schedule.steps) transfers += static_cast<std::int64_t>(step.transfers.size());
  transfers += static_cast<std::int64_t>(schedule.copies.size());
  // Every message takes a transfer. Where there are far too few, do not let the input say how much memory this takes.
  constexpr std::int64_t kListed = std::int64_t{1} << 20;
  // Of the messages of the whole matrix a good share has something of a part.
  const std::int64_t most = std::max((problem.has_part() ? 8 : 1) * transfers, kListed);
  if (count_messages(problem, most) > most) {
    std::vector<Violation> violations = validate(file);
    violations.push_back({-1, -1, fmt::format("the layouts make more messages than the {} transfers", transfers)});
    return violations;
  }
  return validate(file, problem.traffic());
}

/// What a schedule is judged by besides itself, for the line that says it is sound.
std::string judged_by(const StepSchedule& schedule, const std::string& traffic) {
  if (!traffic.empty()) return fmt::format("every message of {} sent once", traffic);
  if (!schedule.input) return "sound in itself; neither the file nor --traffic says what it has to send";
  return fmt::format("every element of {} -> {}{}{} sent once", schedule.input->from, schedule.input->to,
                     schedule.input->shape.empty() ? "" : ", " + schedule.input->shape + ",",
                     schedule.input->part.empty() ? "" : " " + schedule.input->part + " part,");
}

struct Judgement {
  std::vector<Violation> violations;
  std::string sound;  ///< what is said of a schedule without any
};

Judgement judge(const ScheduleFile& file, const std::string& name, const std::string& traffic) {
  Judgement result;
  if (!traffic.empty()) {
    if (file.schedule.input)
      throw InputError("--traffic", "a schedule that names its layouts itself",
                       "no traffic, or a schedule of exchange");
    result.violations = validate(file, read_traffic(traffic));
  } else {
    result.violations = file.schedule.input ? violations_of_redistribution(file, name) : validate(file);
  }
  std::size_t transfers = 0;
  for (const Step& step : file.schedule.steps) transfers += step.transfers.size();
  const std::string copies =
      file.schedule.copies.empty() ? "" : fmt::format(" and {} copies", file.schedule.copies.size());
  result.sound = fmt::format("{} steps, {} transfers{}, {}", file.schedule.steps.size(), transfers, copies,
                             judged_by(file.schedule, traffic));
  return result;
}

Judgement judge(const TreeSchedule& schedule, const std::string& /*name*/, const std::string& traffic) {
  if (!traffic.empty())
    throw InputError("--traffic", "a schedule of a tree, which has none", "no traffic, or a schedule of exchange");
  return {validate(schedule), fmt::format("{} of {} machines, {} transfers, length {}", schedule.problem,
                                          schedule.machines, schedule.transfers.size(), number_text(schedule.length))};
}

int check(const CheckOptions& options) {
  if (options.file.empty()) throw InputError("sluice check", "no file", "SCHEDULE.json, or - for standard input");
  const std::string name = options.file == "-" ? "standard input" : options.file;
  const auto [violations, sound] =
      std::visit([&](const auto& schedule) { return judge(schedule, name, options.traffic); }, read_file(options.file));
  if (violations.empty()) {
    print(fmt::format("ok: {}: {}\n", name, sound));
    return kDone;
  }
  const std::size_t shown = options.all ? violations.size() : std::min(violations.size(), kShownViolations);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += to_string(violations[i]) + '\n';
  if (shown < violations.size()) text += fmt::format("... {} more; --all shows them\n", violations.size() - shown);
  print(text);
  return kCheckFailed;
}

}  // namespace

void add_check(CLI::App& command, Action& chosen) {
  CLI::App* verb = command.add_subcommand("check", "validate a schedule file on its own");
  const auto options = std::make_shared<CheckOptions>();
  verb->add_option("file", options->file,
                   "a schedule of steps or of a tree (sluice.schedule/1); - reads standard input")
      ->option_text("SCHEDULE.json");
  verb->add_option("--traffic", options->traffic,
                   "what a schedule of exchange has to send: the file it was planned for")
      ->option_text("TRAFFIC");
  verb->add_flag("--all", options->all, fmt::format("every violation, not just {}", kShownViolations));
  verb->footer(
      "Every step uses a sender and a receiver once at most, every piece of a message is sent once, and the costs are\n"
      "those stated. Where the file says which layouts it is for, the messages are worked out anew and compared; those "
      "of\n"
      "an exchange are compared with --traffic. What a process sends itself, where the file says which processes are "
      "in\n"
      "both grids, is a copy outside of the steps. In a tree every machine takes part once, no transfer starts before "
      "its "
      "data\n"
      "is ready, ports and limits are kept at every instant, and the length is the one stated. Exit status 1 and one "
      "line\n"
      "per violation if it is broken.\n\n"
      "Examples:\n"
      "  sluice plan redistribute --from 16:3 --to 16:5 --json plan.json\n"
      "  sluice check plan.json\n"
      "  sluice plan exchange traffic.mtx --json plan.json\n"
      "  sluice check plan.json --traffic traffic.mtx\n"
      "  sluice plan reduce --machines 64 --transfer 2 --compute 1 --json - | sluice check -");
  verb->callback([options, &chosen] { chosen = [options] { return check(*options); }; });
}

}  // namespace sluice::command
