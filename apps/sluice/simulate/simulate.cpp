#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/broadcast.hpp"
#include "apps/sluice/options/collective.hpp"
#include "apps/sluice/options/exchange.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/options/redistribute.hpp"
#include "apps/sluice/options/reduce.hpp"
#include "apps/sluice/options/schedule_file.hpp"
#include "apps/sluice/options/timeline.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/elapsed.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/provenance.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/plan/plan.hpp"
#include "apps/sluice/simulate/simgrid_engine.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/reversed_broadcast.hpp"
#include "sluice/read_file.hpp"
#include "sluice/schedule/any_schedule.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/layout_check.hpp"
#include "sluice/schedule/local_phases.hpp"
#include "sluice/schedule/tree_validate.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"
#include "sluice/timing/model.hpp"
#include "sluice/timing/simgrid.hpp"

namespace sluice::command {

namespace {

constexpr std::int64_t kShownTransfers = 40;
constexpr const char* kSimulating = "simulating";
constexpr double kUsualElementBytes = 8;
constexpr std::int64_t kMostUnitBytes = std::int64_t{1} << 40;

/// What is simulated, which decides about the options.
enum class SimulatedKind : std::uint8_t { kSteps, kTree, kBroadcast, kProgram, kFile };

/// What engines say of it.
std::string engine_help(SimulatedKind kind) {
  switch (kind) {
    case SimulatedKind::kTree:
      return "model: one port per node, k, D and C; simgrid: SimGrid on --platform";
    case SimulatedKind::kBroadcast:
      return "model: the times that the plan states; simgrid: what its ranks do, on SimGrid";
    case SimulatedKind::kProgram:
      return "model: the replay of the planner; simgrid: SimGrid on --platform";
    case SimulatedKind::kSteps:
    case SimulatedKind::kFile:
      break;
  }
  return "model: one port per node, k, set-up; simgrid: SimGrid on --platform";
}

/// What every problem of the verb asks of a simulation, as typed.
struct SimulationOptions {
  std::string engine = "model";
  std::string order = "barrier";
  std::string speed;
  std::string json;
  TimelineOutput timeline;
  bool all = false;
  bool summary = false;
  SimgridEngineOptions machine;
  bool same_hosts = false;
  bool control = false;
  std::string chunk;
  std::string unit_bytes;
  std::string size;

  void add_to(CLI::App& app, SimulatedKind kind) {
    offer(app.add_option("--engine", engine, engine_help(kind)), {"model", "simgrid"})->option_text("NAME [model]");
    app.add_option("--hosts", machine.hosts,
                   "with simgrid: a file that names the hosts in their order; all of the platform unless given")
        ->option_text("FILE");
    app.add_option("--cfg", machine.settings, "with simgrid: a setting of SimGrid, as network/weight-S:0; repeatable")
        ->option_text("NAME:VALUE");
    if (kind == SimulatedKind::kTree || kind == SimulatedKind::kFile)
      app.add_option("--size", size, "with simgrid: bytes of an element of a reduction; C and dates are then seconds")
          ->option_text("BYTES");
    if (kind == SimulatedKind::kSteps || kind == SimulatedKind::kTree)
      app.add_option("--platform", machine.platform,
                     "with simgrid: the machine, as SimGrid describes it or as a platform file")
          ->option_text("FILE");
    if (kind == SimulatedKind::kSteps || kind == SimulatedKind::kFile) {
      app.add_flag("--same-hosts", same_hosts,
                   "with simgrid: receiver i is on the host of sender i, not on a host of its own");
      app.add_flag("--control", control,
                   "with simgrid: also count the control messages that keep the order barrier or chain in jobs");
      app.add_option("--chunk", chunk,
                     "with simgrid: messages go in pieces of at most BYTES, each a message of its own, as jobs "
                     "under SMPI send them; usual: 32Ki, of local 1Mi, of redistributions 64Ki; implies --control")
          ->option_text("BYTES|usual");
      app.add_option("--unit-bytes", unit_bytes,
                     "with simgrid: bytes of a unit of the sizes; unless given, 1, or an element of a redistribution")
          ->option_text("N");
      offer(
          app.add_option("--order", order,
                         "what keeps steps apart: barrier, local (each node's own order), chain (that, and k at once)"),
          {"barrier", "local", "chain"})
          ->option_text("NAME [barrier]");
      app.add_option("--speed", speed,
                     "what a transfer moves per second, if sizes are bytes; times are then in seconds")
          ->option_text("SPEED");
    }
    app.add_option("--json", json, "write the times as JSON (sluice.simulation/1); -: instead of the table")
        ->option_text("FILE|-");
    timeline.add_to(app, "in the simulation");
    timeline.add_beside_to(app);
    app.add_flag("--all", all, fmt::format("print every transfer, not just {}", kShownTransfers));
    app.add_flag("--summary", summary, "print the length and the busy times without the transfers");
  }
  [[nodiscard]] bool simgrid() const { return engine == "simgrid"; }
};

constexpr const char* kUsualChunk = "usual";

/// 0: the usual one. Throws InputError.
std::int64_t chunk_of(const SimulationOptions& options) {
  return options.chunk == kUsualChunk ? 0 : parse_chunk(options.chunk, "--chunk");
}

/// The bytes of an element of a reduction on SimGrid. Throws InputError.
std::int64_t element_bytes_of(const SimulationOptions& options) {
  if (options.size.empty()) throw InputError("--size", "nothing", "the bytes of an element, such as 1Mi");
  return parse_bytes(options.size, "--size");
}

/// Checks the options before anything is planned. Throws InputError. @pre the platform is named
void check(const SimulationOptions& options) {
  if (options.engine != "model" && options.engine != "simgrid")
    throw InputError("--engine", "'" + options.engine + "'", "model or simgrid");
  if (options.simgrid() && !options.speed.empty())
    throw InputError("--speed", "--engine simgrid", "only one of them: the platform says how fast transfers are");
  if (!options.simgrid() &&
      (!options.machine.hosts.empty() || !options.machine.settings.empty() || options.same_hosts || options.control ||
       !options.chunk.empty() || !options.unit_bytes.empty() || !options.size.empty()))
    throw InputError("--engine", "model, with options of simgrid", "--engine simgrid");
  if (options.simgrid()) check(options.machine);
  if (!options.chunk.empty()) (void)chunk_of(options);
  (void)parse_step_order(options.order, "--order");
  if (!options.speed.empty()) (void)parse_speed(options.speed, "--speed");
  options.timeline.check();
  if (options.summary && options.all) throw InputError("--all", "cannot be used with --summary", "one of the two");
  check_json_target(options.json);
}

std::string table_of(const Timeline& timeline, bool all) {
  const bool steps =
      std::ranges::any_of(timeline.transfers, [](const TimelineTransfer& each) { return each.step >= 0; });
  const bool sizes =
      steps || std::ranges::any_of(timeline.transfers, [](const TimelineTransfer& each) { return each.size > 0; });
  std::vector<TextTable::Column> columns{{"start"}, {"end"}, {"from"}, {"to"}};
  if (sizes) columns.push_back({"size"});
  if (steps) columns.push_back({"step"});
  TextTable table(std::move(columns));
  const auto count = static_cast<std::int64_t>(timeline.transfers.size());
  const std::int64_t shown = all ? count : std::min(count, kShownTransfers);
  for (std::int64_t i = 0; i < shown; ++i) {
    const TimelineTransfer& each = timeline.transfers[static_cast<std::size_t>(i)];
    std::vector<std::string> cells{time_text(each.start, timeline.unit), time_text(each.end, timeline.unit),
                                   fmt::format("{}", each.from), fmt::format("{}", each.to)};
    if (sizes) cells.push_back(fmt::format("{}", each.size));
    if (steps) cells.push_back(fmt::format("{}", each.step));
    table.add_row(std::move(cells));
  }
  return table.text() + left_out_line(count - shown);
}

/// What is known of the schedule besides the times.
struct Planned {
  std::string title;             ///< a line
  std::optional<double> length;  ///< by the plan, in the unit of the timeline; none where units differ
};

nlohmann::ordered_json to_json(const Timeline& timeline, const Planned& planned, const SimulationOptions& options) {
  using nlohmann::ordered_json;
  ordered_json file{{"schema", "sluice.simulation/1"}, {"about", about()},
                    {"engine", options.engine},        {"problem", timeline.problem},
                    {"algorithm", timeline.algorithm}, {"senders", timeline.senders},
                    {"receivers", timeline.receivers}, {"unit", timeline.unit},
                    {"length", timeline.length}};
  if (planned.length) file["planned"] = *planned.length;
  if (!timeline.same_nodes) file["order"] = options.order;
  file["transfers"] = ordered_json::array();
  for (const TimelineTransfer& each : timeline.transfers) {
    ordered_json row{{"from", each.from}, {"to", each.to}, {"start", each.start}, {"end", each.end}};
    if (each.step >= 0 || each.size > 0) row["size"] = each.size;
    if (each.offset >= 0) row["offset"] = each.offset;
    if (each.step >= 0) row["step"] = each.step;
    file["transfers"].push_back(std::move(row));
  }
  return file;
}

int show(const Timeline& timeline, const Planned& planned, const SimulationOptions& options) {
  const std::string how = timeline.same_nodes ? "" : ", order " + options.order;
  if (options.timeline.wanted())
    options.timeline.write(timeline, fmt::format("{}, {}{}", timeline.problem, timeline.algorithm, how));
  if (!options.json.empty()) write_file_atomically(options.json, to_json(timeline, planned, options).dump() + '\n');
  const std::string by_plan =
      planned.length ? fmt::format("planned {}\n", time_text(*planned.length, timeline.unit)) : "";
  tell(fmt::format("{}engine {}{}\n\nlength  {}{}\n{}{}", planned.title, options.engine, how,
                   time_text(timeline.length, timeline.unit),
                   timeline.unit == "s" ? "" : ", in the unit of the schedule", by_plan,
                   options.summary ? "" : '\n' + table_of(timeline, options.all)));
  if (was_interrupted()) note(interrupted_text() + ": the best plan so far");
  return status_unless_interrupted(kDone);
}

/// `unit_bytes`: the bytes of a unit of size, unless the options say it.
int simulate_steps(const StepSchedule& schedule, const std::string& title, const SimulationOptions& options,
                   double unit_bytes) {
  const StepOrder order = parse_step_order(options.order, "--order");
  if (options.simgrid()) {
    if (!options.unit_bytes.empty())
      unit_bytes = static_cast<double>(parse_count(options.unit_bytes, "--unit-bytes", 1, kMostUnitBytes));
    const SimgridTask task(schedule, order,
                           {.same_hosts = options.same_hosts,
                            .unit_bytes = unit_bytes,
                            .control = options.control,
                            .pieces = !options.chunk.empty(),
                            .chunk_bytes = options.chunk.empty() ? 0 : chunk_of(options)});
    return show(simulate(task, options.machine), {title, {}}, options);
  }
  Timeline timeline = [&] {
    const Elapsed elapsed(kSimulating);
    return simulate(schedule, order);
  }();
  Planned planned{title, move_decimal_point(total_cost(schedule), -schedule.decimals)};
  if (!options.speed.empty()) {
    const double seconds = 1 / parse_speed(options.speed, "--speed");
    timeline = scaled(std::move(timeline), seconds, "s");
    *planned.length *= seconds;
  }
  return show(timeline, planned, options);
}

int simulate_tree(const TreeSchedule& schedule, const std::string& title, const SimulationOptions& options) {
  if (options.simgrid()) {
    const SimgridTask task(schedule, element_bytes_of(options));
    return show(simulate(task, options.machine), {title, schedule.length}, options);
  }
  return show(simulate(schedule), {title, schedule.length}, options);
}

/// By SimGrid on the machine of the options, or by the replay of planners over `platform`. For SimGrid the platform,
/// null if there is none, says how long messages keep their connections, unless --hosts puts ranks elsewhere.
int simulate_program(const Program& program, const Platform* platform, const std::string& title,
                     const SimulationOptions& options) {
  const Timeline timeline = [&] {
    if (options.simgrid())
      return simulate(SimgridTask(program, options.machine.hosts.empty() ? platform : nullptr), options.machine);
    const Elapsed elapsed(kSimulating);
    return simulate(*platform, program);
  }();
  return show(timeline, {title, program.length_s}, options);
}

/// The platform of a program's file. Throws InputError.
Platform read_platform_of(const Program& program, const std::string& platform, const std::string& file) {
  if (platform.empty())
    throw InputError("--platform", "nothing", "the platform file that the program of " + file + " is for");
  Platform network = read_platform_option(platform, program.ranks);
  if (network.ranks != program.ranks)
    throw InputError(platform, count_text(network.ranks, "rank"),
                     fmt::format("the {} of the program in {}", program.ranks, file));
  return network;
}

int simulate_file(const std::string& file, const SimulationOptions& options) {
  if (file.empty())
    throw InputError("sluice simulate", "no problem and no file", "one of its problems, or SCHEDULE.json");
  check(options);
  const std::string& platform = options.machine.platform;
  const std::string name = shown_path(file);
  const AnySchedule schedule = read_any_schedule(file);
  const auto title_of = [&](std::string_view problem) { return fmt::format("{} {}\n", problem, name); };
  const bool of_steps = std::holds_alternative<ScheduleFile>(schedule);
  for (const auto& [option, given] : {std::pair{"--chunk", !options.chunk.empty()}, {"--control", options.control}})
    if (given && !of_steps)
      throw InputError(option, name + ", whose ranks send what it says and nothing else", "a schedule of steps");
  for (const auto& [option, given] : {std::pair{"--order", options.order != SimulationOptions().order},
                                      {"--speed", !options.speed.empty()},
                                      {"--same-hosts", options.same_hosts},
                                      {"--unit-bytes", !options.unit_bytes.empty()}})
    if (given && !of_steps) throw InputError(option, name + ", which has no steps", "a schedule of steps");
  if (!options.size.empty() && !std::holds_alternative<TreeSchedule>(schedule))
    throw InputError("--size", name + ", which says the sizes", "the tree of a reduction");
  if (!options.simgrid() && !platform.empty() && !std::holds_alternative<Program>(schedule))
    throw InputError("--platform", "a schedule, which has its own times",
                     "--platform with a program (sluice.program/1) only");
  if (const auto* steps = std::get_if<ScheduleFile>(&schedule)) {
    refuse_broken(validate_with_layouts(*steps, name), name);
    return simulate_steps(steps->schedule, title_of(steps->schedule.problem), options,
                          steps->schedule.input && steps->schedule.input->arrays.empty() ? kUsualElementBytes : 1);
  }
  if (const auto* program = std::get_if<Program>(&schedule)) {
    refuse_broken(validate(*program), name);
    std::optional<Platform> network;
    if (!options.simgrid()) {
      network = read_platform_of(*program, platform, name);
    } else if (is_platform_file(platform)) {
      network = read_platform_option(platform, program->ranks);
      if (network->ranks != program->ranks) network.reset();  // it may have more hosts than the program needs
    }
    return simulate_program(*program, network ? &*network : nullptr, title_of(to_string(program->problem)), options);
  }
  const auto& tree = std::get<TreeSchedule>(schedule);
  if (options.simgrid() && (tree.problem != "reduce" || tree.over_links))
    throw InputError("--engine", fmt::format("simgrid, and a tree over links in {}", name),
                     "model, or the program that plan broadcast --program writes");
  refuse_broken(validate(tree), name);
  return simulate_tree(tree, title_of(tree.problem), options);
}

template <class Input>
struct ProblemOptions {
  Input problem;
  std::string algorithm = "auto";
  SimulationOptions simulation;
};

struct BroadcastEitherWay : BroadcastInput {
  ReversedInput reversed;

  void add_to(CLI::App& app) {
    BroadcastInput::add_to(app);
    reversed.add_to(app);
  }
};

template <class Input>
void check_algorithm_for(const char* problem, const ProblemOptions<Input>& options) {
  check_algorithm(problem, options.algorithm);
}
/// A reduction is by programs too.
void check_algorithm_for(const char* /*problem*/, const ProblemOptions<BroadcastEitherWay>& options) {
  check_broadcast_algorithm(options.algorithm, options.problem.reversed.reversed);
}

/// Adds a problem with its own options and the options of the simulation; `run` plans and simulates.
template <class Input, class Run>
void add_problem(CLI::App& verb, Action& chosen, const char* name, const char* help, SimulatedKind kind,
                 const char* example, void (*add_input)(Input&, CLI::App&), Run run) {
  CLI::App* problem = verb.add_subcommand(name, help);
  const auto options = std::make_shared<ProblemOptions<Input>>();
  add_input(options->problem, *problem);
  offer(problem->add_option("--algorithm", options->algorithm, algorithm_list(name)), algorithm_names(name))
      ->option_text("NAME [auto]");
  options->simulation.add_to(*problem, kind);
  problem->footer(std::string("Example:\n  ") + example);
  problem->callback([options, run, name, &chosen] {
    chosen = [options, run, name] {
      check_algorithm_for(name, *options);
      if constexpr (requires { options->problem.platform; }) {
        options->simulation.machine.platform = options->problem.platform;
      } else if (!options->simulation.simgrid() && !options->simulation.machine.platform.empty()) {
        throw InputError("--platform", "engine model, which needs no machine", "--engine simgrid");
      }
      check(options->simulation);
      const Interruptible interruptible(searches(options->algorithm));
      return run(*options);
    };
  });
}

constexpr std::int64_t kMostSimulated = std::int64_t{1} << 24;

struct SimulatedRedistribution : RedistributeOptions {
  std::string effort;

  void add_to(CLI::App& app) {
    RedistributeOptions::add_to(app, "extents of the array; one slice unless given");
    add_effort_option(app, effort);
  }
};

int run_redistribute_model(const ProblemOptions<SimulatedRedistribution>& options) {
  const RedistributeTask task = read(options.problem);
  if (count_messages(task.problem, kMostSimulated) > kMostSimulated)
    throw InputError("simulate", fmt::format("more than {} transfers", kMostSimulated),
                     "fewer; sluice plan tells the cost of such a plan");
  const RedistributionPlan plan =
      plan_redistribution(task.problem, options.algorithm, task.setup, parse_effort(options.problem.effort),
                          TimeLimit(task.time_limit_s).stop());
  return simulate_steps(plan.schedule(task.input), task.title() + '\n', options.simulation,
                        static_cast<double>(task.element_bytes));
}

int run_exchange_model(const ProblemOptions<ExchangeInput>& options) {
  const ExchangeTask task = read(options.problem);
  const ExchangePlan plan = plan_with_progress(task.problem, task.planned_by(options.algorithm));
  SimulationOptions how = options.simulation;
  if (!how.simgrid() && how.speed.empty() && task.transfer_bytes_per_s > 0)
    how.speed = fmt::format("{}B", task.transfer_bytes_per_s);
  return simulate_steps(plan.schedule, task.title() + '\n', how, 1);
}

int run_reduce_model(const ProblemOptions<ReduceInput>& options) {
  const ReduceTask task = read(options.problem);
  task.check_for(options.algorithm);
  if (task.problem.segments == 0 || task.problem.machines - 1 > kMostSimulated / task.problem.segments)
    throw InputError("simulate", fmt::format("more than {} transfers, or --segments auto", kMostSimulated),
                     "less, and a number of segments");
  return simulate_tree(task.planned_by(options.algorithm, true).schedule, task.title() + '\n', options.simulation);
}

int run_broadcast_model(const ProblemOptions<BroadcastEitherWay>& options) {
  check(options.problem.reversed);
  const BroadcastTask task = read(options.problem);
  if (options.problem.reversed.reversed) {
    if (task.leaves_reduction_open(options.algorithm) || needs_program(options.algorithm, options.problem.reversed)) {
      const Program program = task.costly_reduction_by(options.algorithm, options.problem.reversed).program;
      return simulate_program(program, &task.platform, task.reversed_title(program) + '\n', options.simulation);
    }
    const ReversedPlan plan = task.reversed_by(options.algorithm, options.problem.reversed);
    const std::string title = task.reversed_title(plan.program) + '\n';
    return options.simulation.simgrid() ? simulate_program(plan.program, &task.platform, title, options.simulation)
                                        : simulate_tree(plan.schedule, title, options.simulation);
  }
  const BroadcastPlan plan = task.planned_by(options.algorithm);
  if (!options.simulation.simgrid()) return simulate_tree(plan.schedule, task.title() + '\n', options.simulation);
  refuse_native(plan, "--engine simgrid");
  return simulate_program(plan.program, &task.platform, task.title() + '\n', options.simulation);
}

int run_collective_model(const ProblemOptions<CollectiveInput>& options) {
  check_algorithm(to_string(options.problem.collective), options.algorithm);
  SimulationOptions how = options.simulation;
  how.machine.platform = options.problem.platform;
  check(how);
  CollectiveTask task = read(options.problem);
  const Interruptible interruptible;
  const TimeLimit limit(task.time_limit_s);
  task.options.stop = limit.stop();
  const ProgramPlan plan = [&] {
    const Elapsed elapsed(kPlanning);
    return task.planned_by(options.algorithm);
  }();
  return simulate_program(plan.program, &task.platform, task.title() + '\n', how);
}

}  // namespace

void add_simulate(CLI::App& command, Action& chosen) {
  CLI::App* verb =
      command.add_subcommand("simulate", "tell when each transfer of a schedule runs, by a model of the machine");
  struct FileOptions {
    std::string file;
    SimulationOptions simulation;
    NodeLinkInput network;  ///< in place of its platform
  };
  const auto options = std::make_shared<FileOptions>();
  verb->add_option(
          "file", options->file,
          "a schedule of steps or of a tree (sluice.schedule/1), or a program (sluice.program/1), instead of a problem")
      ->option_text("SCHEDULE.json");
  verb->add_option("--platform", options->simulation.machine.platform,
                   "the network that a program is for, a platform file; of simgrid: the machine")
      ->option_text("FILE");
  options->network.add_to(*verb, options->simulation.machine.platform);
  options->simulation.add_to(*verb, SimulatedKind::kFile);
  verb->footer(
      "The model is the one that planners plan for: a node sends one transfer at a time and receives one at a time,\n"
      "k run at once, each takes the set-up and its size. Reductions are replayed from the order of their\n"
      "transfers; broadcasts, and reductions over a platform, have the times that their plan states. Programs of\n"
      "collectives are replayed over --platform. With --engine simgrid transfers begin in the same order and take\n"
      "what SimGrid makes of the machine in --platform: senders are its first hosts, receivers the next ones, ranks\n"
      "or machines all of them.\n\n"
      "Examples:\n"
      "  sluice simulate exchange traffic.mtx --max-transfers 8 --order chain --svg gantt.svg\n"
      "  sluice simulate plan.json --trace plan.trace\n"
      "  sluice simulate plan.json --engine simgrid --platform machine.xml\n"
      "  sluice simulate reduce --machines 64 --transfer 2 --compute 1 --trace reduce.json");
  add_problem<SimulatedRedistribution>(
      *verb, chosen, "redistribute", "move a block-cyclic array to another layout", SimulatedKind::kSteps,
      "sluice simulate redistribute --from 16:3 --to 16:5 --order local",
      [](SimulatedRedistribution& input, CLI::App& app) { input.add_to(app); }, run_redistribute_model);
  add_problem<ExchangeInput>(
      *verb, chosen, "exchange", "send any traffic: who sends how much to whom", SimulatedKind::kSteps,
      "sluice simulate exchange traffic.mtx --order chain --svg gantt.svg",
      [](ExchangeInput& input, CLI::App& app) { input.add_to(app); }, run_exchange_model);
  add_problem<ReduceInput>(
      *verb, chosen, "reduce", "combine an element of each machine", SimulatedKind::kTree,
      "sluice simulate reduce --machines 64 --transfer 2 --compute 1 --svg gantt.svg",
      [](ReduceInput& input, CLI::App& app) { input.add_to(app); }, run_reduce_model);
  add_problem<BroadcastEitherWay>(
      *verb, chosen, "broadcast", "give all ranks what one has", SimulatedKind::kBroadcast,
      "sluice simulate broadcast --platform platform.json --size 4Mi --engine simgrid",
      [](BroadcastEitherWay& input, CLI::App& app) { input.add_to(app); }, run_broadcast_model);
  for (const Collective collective : kCollectives) {
    const std::string name(to_string(collective));
    CLI::App* problem = verb->add_subcommand(name, about(collective));
    const auto input = std::make_shared<ProblemOptions<CollectiveInput>>();
    input->problem.collective = collective;
    input->problem.add_to(*problem);
    input->problem.add_compute_to(*problem);
    input->problem.add_limits_to(*problem);
    offer(problem->add_option("--algorithm", input->algorithm, algorithm_list(name)), algorithm_names(name))
        ->option_text("NAME [auto]");
    input->simulation.add_to(*problem, SimulatedKind::kProgram);
    problem->footer(
        fmt::format("Example:\n  sluice simulate {} --platform platform.json --size 16Ki --trace {}.json", name, name));
    problem->callback([input, &chosen] { chosen = [input] { return run_collective_model(*input); }; });
  }
  verb->callback([options, verb, &chosen] {
    if (!verb->get_subcommands().empty()) {
      // What stands before the name of a problem is of a file.
      const auto given = verb->get_options([](const CLI::Option* each) { return each->count() > 0; });
      if (given.empty()) return;
      const std::string what = given.front()->get_positional() ? shown_path(options->file) : given.front()->get_name();
      const std::string problem = verb->get_subcommands().front()->get_name();
      chosen = [what, problem]() -> int {
        throw InputError(what, "before " + problem, "a file, or a problem with its options behind its name");
      };
    } else {
      chosen = [options] {
        return naming_file(shown_path(options->file),
                           [&] { return simulate_file(options->file, options->simulation); });
      };
    }
  });
}

}  // namespace sluice::command
