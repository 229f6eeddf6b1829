#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/options/broadcast.hpp"
#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/options/schedule_file.hpp"
#include "apps/sluice/options/traffic_format.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/provenance.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "sluice/error.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/plan/verify_bound.hpp"
#include "sluice/read_file.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/judge.hpp"
#include "sluice/schedule/layout_check.hpp"
#include "sluice/schedule/placed_schedule.hpp"
#include "sluice/schedule/tree_validate.hpp"
#include "sluice/schedule/validate.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/timing/program_check.hpp"
#include "sluice/timing/program_replay.hpp"

namespace sluice::command {

namespace {

constexpr std::size_t kShownViolations = 5;

struct CheckOptions {
  std::string file;
  std::string traffic;
  TrafficFormatInput format;
  std::string platform;
  NodeLinkInput network;  ///< in place of it
  std::string executor;
  std::string places;
  std::string as;
  std::string json;
  bool all = false;
};

/// Whether its planner may cut messages; verify_bound knows the bounds of such planners.
bool may_cut_messages(const ScheduleFile& file) { return file.schedule.problem == "exchange" || file.certificate; }

/// As validate; where nothing is wrong, `bound` says in addition how far the bound is proven.
std::vector<Violation> violations_of(const ScheduleFile& file, const Traffic& traffic, std::string& bound) {
  std::vector<Violation> violations = validate(file, traffic);
  if (!violations.empty() || !may_cut_messages(file)) return violations;
  // Copies are whole messages and cost nothing.
  std::set<std::pair<std::int64_t, std::int64_t>> copied;
  for (const Transfer& copy : file.schedule.copies) copied.emplace(copy.from, copy.to);
  Traffic sent = traffic;
  std::erase_if(sent.messages, [&](const Message& message) { return copied.contains({message.from, message.to}); });
  BoundVerdict verdict = verify_bound(file, sent);
  bound = std::move(verdict.text);
  return std::move(verdict.faults);
}

/// Against the layouts that the file names.
std::vector<Violation> violations_of_redistribution(const ScheduleFile& file, const std::string& name,
                                                    std::string& bound) {
  LayoutMessages messages = messages_of_layouts(file, name);
  if (!messages.traffic) return std::move(messages.violations);
  return violations_of(file, *messages.traffic, bound);
}

/// What a schedule is judged by besides itself, for the line that says it is sound.
std::string judged_by(const StepSchedule& schedule, const std::string& traffic) {
  if (!traffic.empty()) return fmt::format("every message of {} sent once", traffic);
  if (!schedule.input) return "sound in itself";
  if (const std::size_t arrays = schedule.input->arrays.size(); arrays > 0)
    return fmt::format("every byte of {} sent once", count_text(static_cast<std::int64_t>(arrays), "array"));
  if (schedule.input->has_replicas())
    return fmt::format("every element of {} of {}{}{} comes once to each of {} of {}",
                       count_text(schedule.input->from_replicas, "copy", "copies"), layout_text(schedule.input->from),
                       schedule.input->shape.empty() ? "" : ", " + schedule.input->shape + ",",
                       schedule.input->part.empty() ? "" : " " + schedule.input->part + " part,",
                       schedule.input->to_replicas, layout_text(schedule.input->to));
  return fmt::format("every element of {} -> {}{}{} sent once", layout_text(schedule.input->from),
                     layout_text(schedule.input->to),
                     schedule.input->shape.empty() ? "" : ", " + schedule.input->shape + ",",
                     schedule.input->part.empty() ? "" : " " + schedule.input->part + " part,");
}

struct Judgement {
  std::vector<Violation> violations;
  std::string checked;      ///< what is said of a schedule without any
  std::string not_checked;  ///< what nobody can know from what was given; empty if there is nothing
  std::string bound = {};   ///< how far it is verified; empty if it was not
  std::string other = {};   ///< the question whether a file is another one than was meant; empty: none
  std::string places = {};  ///< how many places its messages need; empty if it has none
  std::optional<std::int64_t> fewest_places = {};
  std::vector<std::string> warnings = {};
};

/// For schedules that are no programs.
void refuse_platform(const std::string& platform) {
  if (!platform.empty()) throw InputError("--platform", "a schedule, whose times are its own", "a program");
}

/// For schedules of Sluice.
void refuse_options_of_others(const CheckOptions& options) {
  const char* const expected = "a schedule of another library";
  if (!options.executor.empty()) throw InputError("--executor", "a schedule of Sluice", expected);
  if (!options.places.empty()) throw InputError("--places", "a schedule of Sluice", expected);
  if (!options.as.empty()) throw InputError("--as", "a schedule of Sluice, which says what it is for", expected);
}

Judgement judge(const ScheduleFile& file, const std::string& name, const CheckOptions& options) {
  refuse_options_of_others(options);
  refuse_platform(options.platform);
  const std::string& traffic = options.traffic;
  Judgement result;
  std::string& bound = result.bound;
  if (!traffic.empty()) {
    if (file.schedule.input)
      throw InputError("--traffic", "a schedule that names its layouts itself",
                       "no traffic, or a schedule of exchange");
    const Traffic sent = take_traffic(traffic, options.format.read());
    result.violations = violations_of(file, sent, bound);
    if (!result.violations.empty() && validate(file).empty() && !validate(file, sent).empty())
      result.other =
          fmt::format("another file? {} is sound in itself, but does not send what {} has", name, shown_path(traffic));
  } else {
    result.violations = file.schedule.input ? violations_of_redistribution(file, name, bound) : validate(file);
  }
  std::size_t transfers = 0;
  for (const Step& step : file.schedule.steps) transfers += step.transfers.size();
  const std::string copies =
      file.schedule.copies.empty() ? "" : " and " + count_text(file.schedule.copies.size(), "copy", "copies");
  result.checked = fmt::format("{}, {}{}, {}", count_text(file.schedule.steps.size(), "step"),
                               count_text(transfers, "transfer"), copies, judged_by(file.schedule, traffic));
  if (!file.schedule.input && traffic.empty())
    result.not_checked =
        "whether it sends what it has to, and its bound; --traffic TRAFFIC, the file it was planned for, would tell";
  return result;
}

Judgement judge(const TreeSchedule& schedule, const std::string& /*name*/, const CheckOptions& options) {
  refuse_options_of_others(options);
  refuse_platform(options.platform);
  if (!options.traffic.empty())
    throw InputError("--traffic", "a schedule of a tree, which has none", "no traffic, or a schedule of exchange");
  return {validate(schedule),
          fmt::format("{} of {}, {}, length {}", schedule.problem, count_text(schedule.machines, "machine"),
                      count_text(schedule.transfers.size(), "transfer"), number_text(schedule.length)),
          schedule.problem == "broadcast" ? "whether the times fit the platform, which the file does not hold" : ""};
}

Judgement judge(const Program& program, const std::string& name, const CheckOptions& options) {
  refuse_options_of_others(options);
  if (!options.traffic.empty())
    throw InputError("--traffic", "a program, which has none", "no traffic, or a schedule of exchange");
  std::string checked =
      fmt::format("{} of {}, {}: every rank ends up with what it must", to_string(program.problem),
                  count_text(program.ranks, "rank"), count_text(program.operations.size(), "operation"));
  if (options.platform.empty())
    return {validate(program), std::move(checked),
            "whether the times fit the platform, which the file does not hold; --platform P would tell"};
  const Platform platform = read_platform_option(options.platform, program.ranks);
  if (platform.ranks != program.ranks)
    throw InputError(options.platform, count_text(platform.ranks, "rank"),
                     fmt::format("the {} of the program in {}", program.ranks, name));
  Judgement result{validate(program, platform), std::move(checked),
                   "when each message runs, which the file does not say; sluice simulate has a replay"};
  if (!result.violations.empty()) return result;
  const ProgramBound least = least_time_of(platform, program);
  const std::string needed =
      fmt::format("{} takes {} over {}", least.kind, seconds_text(least.seconds), options.platform);
  result.bound = program.length_s > 0 ? fmt::format("length: {}, and {}", seconds_text(program.length_s), needed)
                                      : fmt::format("length: none is stated; {}", needed);
  return result;
}

JudgeOptions judge_options(const CheckOptions& options) {
  JudgeOptions result;
  if (options.executor == "rccl") result.executor = Executor::kRccl;
  if (options.executor == "msccl") result.executor = Executor::kMsccl;
  if (options.executor == "nccl") result.executor = Executor::kNccl;
  if (!options.executor.empty() && !result.executor)
    throw InputError("--executor", options.executor, "rccl, msccl or nccl");
  constexpr std::int64_t kMostPlaces = std::int64_t{1} << 30;
  if (!options.places.empty()) result.places = parse_count(options.places, "--places", 1, kMostPlaces);
  if (options.as.empty()) return result;
  result.as = parse_collective(options.as);
  if (!result.as) throw InputError("--as", options.as, "a collective, such as allgather");
  return result;
}

Judgement judge(const PlacedSchedule& schedule, const std::string& /*name*/, const CheckOptions& options) {
  refuse_platform(options.platform);
  if (!options.traffic.empty())
    throw InputError("--traffic", fmt::format("a file of {}", to_string(schedule.format)),
                     "no traffic, or a schedule of exchange");
  JudgeVerdict verdict = judge(schedule, judge_options(options));
  Judgement result{std::move(verdict.violations), "", std::move(verdict.not_checked)};
  const char* const right = schedule.memory.empty() ? "every rank is reached by those it needs"
                                                    : "every chunk of the output is right, whoever comes first";
  result.checked =
      fmt::format("{}, {}{}, {}: {}", to_string(schedule.format),
                  verdict.as ? fmt::format("{} of ", to_string(*verdict.as)) : "", count_text(schedule.ranks, "rank"),
                  count_text(schedule.operations.size(), "operation"), verdict.as ? right : "no deadlock, no race");
  result.warnings = std::move(verdict.warnings);
  result.fewest_places = verdict.fewest_places;
  if (verdict.has_messages) {
    result.places = verdict.fewest_places ? fmt::format("fewest places: {}", *verdict.fewest_places)
                                          : "fewest places: no number is enough";
    if (verdict.places > 0) result.places += fmt::format("; {} has {}", verdict.places_of, verdict.places);
  }
  return result;
}

std::string to_text(const Judgement& judgement, const std::string& name, bool all) {
  const std::vector<Violation>& violations = judgement.violations;
  std::string text;
  const auto add_remarks = [&] {
    if (!judgement.places.empty()) text += judgement.places + '\n';
    const std::size_t shown = all ? judgement.warnings.size() : std::min(judgement.warnings.size(), kShownViolations);
    for (std::size_t i = 0; i < shown; ++i) text += fmt::format("warning: {}\n", judgement.warnings[i]);
    if (shown < judgement.warnings.size())
      text += fmt::format("... {} more warnings; --all shows them\n", judgement.warnings.size() - shown);
  };
  if (violations.empty()) {
    text = fmt::format("ok: {}: {}\n", name, judgement.checked);
    if (!judgement.bound.empty()) text += judgement.bound + '\n';
    add_remarks();
    if (!judgement.not_checked.empty()) text += fmt::format("not checked: {}\n", judgement.not_checked);
    return text;
  }
  if (!judgement.other.empty()) text += judgement.other + '\n';
  const std::size_t shown = all ? violations.size() : std::min(violations.size(), kShownViolations);
  for (std::size_t i = 0; i < shown; ++i) text += to_string(violations[i]) + '\n';
  if (shown < violations.size()) text += fmt::format("... {} more; --all shows them\n", violations.size() - shown);
  add_remarks();
  return text;
}

/// As a file of schema sluice.check/1, with every violation.
std::string to_json(const Judgement& judgement, const std::string& name) {
  using nlohmann::ordered_json;
  ordered_json file{
      {"schema", "sluice.check/1"}, {"about", about()}, {"file", utf8(name)}, {"sound", judgement.violations.empty()}};
  if (judgement.violations.empty()) {
    file["checked"] = utf8(judgement.checked);
    if (!judgement.bound.empty()) file["bound"] = judgement.bound;
    if (!judgement.not_checked.empty()) file["not_checked"] = judgement.not_checked;
  }
  if (judgement.fewest_places) file["fewest_places"] = *judgement.fewest_places;
  if (!judgement.warnings.empty()) file["warnings"] = judgement.warnings;
  file["violations"] = ordered_json::array();
  for (const Violation& each : judgement.violations) {
    ordered_json violation{{"reason", utf8(each.reason)}};
    if (each.step >= 0) violation["step"] = each.step;
    if (each.rank >= 0) violation["rank"] = each.rank;
    file["violations"].push_back(std::move(violation));
  }
  return file.dump(1) + '\n';
}

int check(const CheckOptions& options) {
  if (options.file.empty()) throw InputError("sluice check", "no file", "FILE, or - for standard input");
  check_json_target(options.json);
  const std::string name = shown_path(options.file);
  const Judgement judgement = std::visit([&](const auto& schedule) { return judge(schedule, name, options); },
                                         read_judged_schedule(options.file));
  if (!options.json.empty()) write_file_atomically(options.json, to_json(judgement, name));
  tell(to_text(judgement, name, options.all));
  return judgement.violations.empty() ? kDone : kCheckFailed;
}

}  // namespace

void add_check(CLI::App& command, Action& chosen) {
  CLI::App* verb = command.add_subcommand("check", "validate a schedule file on its own");
  const auto options = std::make_shared<CheckOptions>();
  verb->add_option(
          "file", options->file,
          "a schedule of steps or of a tree (sluice.schedule/1), a program (sluice.program/1), or a schedule of "
          "another library; - reads standard input")
      ->option_text("FILE");
  verb->add_option("--traffic", options->traffic,
                   "what a schedule of exchange has to send: the file it was planned for; verifies its bound too")
      ->option_text("TRAFFIC");
  options->format.add_to(*verb);
  verb->add_option(
          "--platform", options->platform,
          "the network of a program: checks that its length is enough for what passes each port, link and uplink")
      ->option_text("FILE");
  options->network.add_to(*verb, options->platform);
  offer(verb->add_option("--executor", options->executor,
                         "the program that executes a file of MSCCL XML: its limits must be kept; by default, limits "
                         "are only warned of"),
        {"rccl", "msccl", "nccl"})
      ->option_text("NAME");
  verb->add_option("--places", options->places,
                   "the messages under way on a connection at most; by default what the protocol of the file has")
      ->option_text("N");
  offer(verb->add_option("--as", options->as,
                         "the collective that a schedule of another library carries out, if its file does not say it"),
        {"broadcast", "reduce", "scatter", "gather", "allgather", "reduce-scatter", "allreduce", "alltoall"})
      ->option_text("COLLECTIVE");
  verb->add_option("--json", options->json, "write the judgement as JSON (sluice.check/1); -: instead of the text")
      ->option_text("FILE|-");
  verb->add_flag("--all", options->all,
                 fmt::format("print every violation and warning, not just {}", kShownViolations));
  verb->footer(
      "A schedule of steps is valid if each step uses a sender and a receiver at most once, every piece of a message\n"
      "is sent once, and the stated costs are right. If the file has layouts, their messages are computed again and\n"
      "compared; the messages of an exchange are compared with --traffic. If processes are in both grids, what a\n"
      "process keeps is a copy, in no step.\n\n"
      "A tree is valid if every machine takes part once, no transfer starts before its data is ready, ports and\n"
      "limits are kept at every instant, and the stated length is right.\n\n"
      "A program is valid if every message is received, there is no deadlock, and at the end every rank has the data\n"
      "of its problem, with the part of each rank once.\n\n"
      "Schedules of other libraries are recognised by their content: MSCCL XML, plans of MSCCL++, GOAL,\n"
      "time-independent traces of SMPI, and moves (CSV: step,from,to,chunk,op). They are valid if both ends of each\n"
      "message agree, every wait ends, there is no deadlock, no chunk is written while it may be used, and every\n"
      "chunk of the output is right. GOAL and traces have no chunks: every rank must be reached by those it needs.\n\n"
      "A broken file gives a line for each violation and exit status 1. If messages may be cut and the traffic is\n"
      "known, the certificate in the file proves the bound; a second line says what was verified, and how.\n\n"
      "Examples:\n"
      "  sluice plan redistribute --from 16:3 --to 16:5 --json plan.json\n"
      "  sluice check plan.json\n"
      "  sluice plan exchange traffic.mtx --json plan.json\n"
      "  sluice check plan.json --traffic traffic.mtx\n"
      "  sluice check allreduce.xml --executor rccl\n"
      "  sluice check broadcast.goal --as broadcast\n"
      "  sluice check program.json --platform studies/grid5000/grid5000-88.json\n"
      "  sluice plan reduce --machines 64 --transfer 2 --compute 1 --json - | sluice check -");
  verb->callback([options, &chosen] { chosen = [options] { return check(*options); }; });
}

}  // namespace sluice::command
