#include "apps/sluice/report/section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "apps/sluice/options/batch.hpp"
#include "apps/sluice/options/schedule_file.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/cost_text.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/result_json.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/output/trace_file.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/input/traffic_file.hpp"
#include "sluice/read_file.hpp"
#include "sluice/schedule/any_schedule.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/layout_check.hpp"
#include "sluice/schedule/tree_validate.hpp"
#include "sluice/show/gantt.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/tree_picture.hpp"
#include "sluice/timing/model.hpp"

namespace sluice::command {

namespace {

/// More than a browser can hold.
constexpr std::size_t kMostBytes = std::size_t{1} << 29;
constexpr const char* kAFile = "a file that sluice wrote, or traffic";
constexpr std::array<std::string_view, 12> kSchemas{"sluice.schedule/1", "sluice.program/1",    "sluice.compare/1",
                                                    "sluice.run/1",      "sluice.simulation/1", "sluice.platform/2",
                                                    "sluice.platform/1", "sluice.record/1",     "sluice.clusters/1",
                                                    "sluice.front/1",    "sluice.prediction/1", "sluice.tuning/1"};

/// A file of ours without a picture, and what shows it instead.
struct NotShown {
  std::string_view schema;
  const char* what;
  const char* instead;
};
constexpr std::array kNotShown{
    NotShown{"sluice.check/1", "what check found, which has no picture",
             "the schedule or program that was judged, if it is sound; check without --json lists what is wrong"},
    NotShown{"sluice.written/1", "the names of files that were written", "these files"},
    NotShown{"sluice.ppermute/1", "steps for another engine", "the schedule itself: plan --json"},
    NotShown{"sluice.p2p/1", "steps for another engine", "the schedule itself: plan --json"},
    NotShown{"sluice.arrays/1", "arrays that are not planned yet", "their schedule: plan redistribute --batch --json"},
    NotShown{"sluice.speeds/1", "speeds without traffic", "the schedule of both: plan exchange --speeds --json"}};

/// The name of a figure: a cost or a length divided by its lower bound.
constexpr const char* kRatio = "ratio to the lower bound";

void add_timeline(ReportSection& section, ReportTimeline timeline, ReportSpace& space) {
  space.take(static_cast<std::int64_t>(timeline.timeline.transfers.size()), section.file);
  section.timeline = std::move(timeline);
}

/// Several switches, which run side by side: a picture of each.
void add_switches(ReportSection& section, const StepSchedule& schedule, ReportSpace& space) {
  section.figures.emplace_back("switches", fmt::format("{}", schedule.switches));
  StepSchedule alone = schedule;
  alone.switches = 1;
  std::map<std::int64_t, std::vector<std::int64_t>> on_switch;  // the places of its steps among all
  for (std::size_t i = 0; i < schedule.steps.size(); ++i)
    on_switch[schedule.steps[i].on_switch].push_back(static_cast<std::int64_t>(i));
  for (const auto& [number, places] : on_switch) {
    alone.steps.clear();
    for (const std::int64_t place : places) {
      alone.steps.push_back(schedule.steps[static_cast<std::size_t>(place)]);
      alone.steps.back().on_switch = 0;
    }
    Timeline timeline = simulate(alone, StepOrder::kBarrier);
    space.take(static_cast<std::int64_t>(timeline.transfers.size()), section.file);
    for (TimelineTransfer& each : timeline.transfers) each.step = places[static_cast<std::size_t>(each.step)];
    const std::string title = fmt::format("Switch {}", number);
    section.pictures.push_back({title, gantt_svg(timeline, title)});
  }
}

/// "Cost 1206728, at most 1.1 % above the optimum.", with what is stated first.
std::string verdict_of(std::string stated, double value, double bound) {
  stated.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(stated.front())));
  if (value <= bound) return stated + ", proven optimal.";
  return bound > 0 ? fmt::format("{}, at most {} above the optimum.", stated, excess_text(value, bound)) : stated + '.';
}

void add(ReportSection& section, const ScheduleFile& file, ReportSpace& space) {
  refuse_broken(validate_with_layouts(file, section.file), section.file);
  const StepSchedule& schedule = file.schedule;
  const Cost is = cost(schedule);
  const std::int32_t decimals = schedule.decimals;
  section.kind = "schedule of steps";
  section.figures = {
      {"problem", schedule.problem},
      {"algorithm", schedule.algorithm},
      {"senders", fmt::format("{}", schedule.senders)},
      {"receivers", fmt::format("{}", schedule.receivers)},
      {"transfers at once", fmt::format("at most {}", schedule.max_transfers)},
      {"set-up of a step", grouped(setup_text(schedule.setup, decimals))},
      {"steps", fmt::format("{}, bound {}", grouped(steps_text(is)), grouped(steps_text(schedule.bound)))},
      {"transmission", fmt::format("{}, bound {}", grouped(transmission_text(is, decimals)),
                                   grouped(transmission_text(schedule.bound, decimals)))},
      {"total cost",
       fmt::format("{}, bound {}", grouped(total_text(is, decimals)), grouped(total_text(schedule.bound, decimals)))},
      {kRatio, ratio_text(is.total, schedule.bound.total)}};
  section.verdict =
      verdict_of("total cost " + grouped(total_text(is, decimals)), is.total, schedule.bound.total) +
      fmt::format(" {}.", is.steps == 1 ? std::string("1 step") : grouped(fmt::format("{}", is.steps)) + " steps");
  if (schedule.input) {
    const RedistributionInput& input = *schedule.input;
    const std::string layouts =
        !input.arrays.empty()
            ? fmt::format("{}", fmt::join(array_lines(input.arrays), "; "))
            : fmt::format("{} to {}{}{}", layout_text(input.from), layout_text(input.to),
                          input.shape.empty() ? "" : ", shape " + input.shape, input.transpose ? ", transposed" : "");
    section.figures.insert(section.figures.begin() + 2, {input.arrays.empty() ? "layouts" : "arrays", layouts});
  }
  if (!schedule.copies.empty())
    section.notes.push_back(fmt::format("{} to itself in no step, which the pictures leave out.",
                                        schedule.copies.size() == 1
                                            ? "One process sends a message"
                                            : fmt::format("{} processes send a message", schedule.copies.size())));
  if (schedule.local_phases) {
    section.notes.push_back(fmt::format(
        "The first {} and the last {} are among the senders and among the receivers; with them the cost is {}. "
        "Receiver 0 is machine {} of the pictures.",
        count_text(schedule.local_phases->before.steps.size(), "step"), schedule.local_phases->after.steps.size(),
        grouped(number_text(move_decimal_point(schedule.local_phases->total, -decimals))), schedule.senders));
  }
  const bool several = schedule.switches > 1;
  ReportTable steps{"Steps", {{"step"}, {"duration"}, {"transfers"}, {"sum of sizes"}}, {}};
  if (several) steps.columns.push_back({"switch"});
  const auto add_rows = [&](const std::vector<Step>& phase, double unit) {
    for (const Step& step : phase) {
      double all = 0;
      for (const Transfer& transfer : step.transfers) all += static_cast<double>(transfer.size);
      const double scale = static_cast<double>(power_of_ten(decimals));
      steps.rows.push_back({static_cast<double>(steps.rows.size()), unit * static_cast<double>(step.duration) / scale,
                            static_cast<double>(step.transfers.size()), all / scale});
      if (several) steps.rows.back().emplace_back(static_cast<double>(step.on_switch));
    }
  };
  if (schedule.local_phases) add_rows(schedule.local_phases->before.steps, schedule.local_phases->unit_cost);
  add_rows(schedule.steps, 1);
  if (schedule.local_phases) add_rows(schedule.local_phases->after.steps, schedule.local_phases->unit_cost);
  space.take(static_cast<std::int64_t>(steps.rows.size()), section.file);
  if (several)
    add_switches(section, schedule, space);
  else
    add_timeline(section, {simulate(schedule, StepOrder::kBarrier), "machine", decimals}, space);
  section.tables.push_back(std::move(steps));
}

void add(ReportSection& section, const TreeSchedule& schedule, ReportSpace& space) {
  refuse_broken(validate(schedule), section.file);
  Timeline timeline = simulate(schedule);
  section.kind = "schedule of a tree";
  section.figures = {{"problem", schedule.problem},
                     {"algorithm", schedule.algorithm},
                     {"machines", fmt::format("{}", schedule.machines)},
                     {"root", fmt::format("{}", schedule.root)},
                     {"transfers", fmt::format("{}", schedule.transfers.size())},
                     {"length", fmt::format("{}, bound {}", value_text(schedule.length, timeline.unit),
                                            value_text(schedule.bound.lower, timeline.unit))},
                     {kRatio, ratio_text(schedule.length, schedule.bound.lower)}};
  section.verdict =
      verdict_of("length " + value_text(schedule.length, timeline.unit), schedule.length, schedule.bound.lower);
  if (schedule.segments > 1) section.figures.emplace_back("segments", fmt::format("{}", schedule.segments));
  if (schedule.machines <= kMostDrawnMachines) {
    section.pictures.push_back(
        {"The tree", tree_svg(schedule, fmt::format("{}, {}", schedule.problem, schedule.algorithm))});
  }
  add_timeline(section, {std::move(timeline)}, space);
}

void add(ReportSection& section, const Program& program, const std::optional<Platform>& platform, ReportSpace& space) {
  refuse_broken(validate(program), section.file);
  section.kind = kProgramSection;
  section.figures = {
      {"problem", std::string(to_string(program.problem))},
      {"algorithm", program.algorithm},
      {"ranks", fmt::format("{}", program.ranks)},
      {"size", bytes_text(program.size_bytes) + (program.block_offsets.empty() ? "" : " in blocks of different sizes")},
      {"operations", fmt::format("{}", program.operations.size())},
      {"planned length",
       fmt::format("{}, bound {} ({})", seconds_text(program.length_s), seconds_text(program.bound_s), program.bound)},
      {kRatio, ratio_text(program.length_s, program.bound_s)}};
  section.verdict = verdict_of("length " + seconds_text(program.length_s), program.length_s, program.bound_s);
  if (has_root(program.problem)) section.figures.emplace_back("root", fmt::format("{}", program.root));
  if (platform && platform->ranks != program.ranks)
    throw InputError("--platform", count_text(platform->ranks, "rank"),
                     fmt::format("the {} of the program in {}", program.ranks, section.file));
  Timeline timeline = platform ? simulate(*platform, program) : simulate(program);
  if (!platform)
    section.notes.emplace_back(
        "Drawn by what waits for what, a message taking 1 whatever its size: the file has no times of its messages. "
        "--platform FILE gives the times of its network.");
  add_timeline(section, {std::move(timeline), "rank", 0, "B"}, space);
}

/// Adds the curve of a table of times if it has a point.
void add_curve(ReportLines& lines, const std::string& name, const GapTable& table) {
  ReportLines::Series series{name, {}};
  for (const GapTable::Point& point : table.points())
    series.points.emplace_back(static_cast<double>(point.bytes), point.seconds);
  if (!series.points.empty()) lines.series.push_back(std::move(series));
}

/// "88 ranks in 6 clusters. Latency inside a cluster: 27.5 us to 47.9 us; between clusters: 62.1 us to 12.2 ms."
std::string verdict_of(const Platform& platform) {
  const auto count = static_cast<std::int64_t>(platform.clusters.size());
  std::string verdict = fmt::format("{} in {}.", count_text(platform.ranks, "rank"), count_text(count, "cluster"));
  std::vector<double> inside, between;
  for (std::int64_t from = 0; from < count; ++from) {
    const PlatformCluster& cluster = platform.clusters[static_cast<std::size_t>(from)];
    if (cluster.ranks.size() > 1) inside.push_back(cluster.latency_s);
    for (std::int64_t to = 0; to < count; ++to)
      if (from != to) between.push_back(platform.link(from, to).latency_s);
  }
  const auto range = [](const std::vector<double>& values) {
    const auto [least, most] = std::ranges::minmax_element(values);
    return *least < *most ? seconds_text(*least) + " to " + seconds_text(*most) : seconds_text(*least);
  };
  if (!inside.empty()) verdict += " Latency inside a cluster: " + range(inside);
  if (!between.empty())
    verdict += (inside.empty() ? " Latency between clusters: " : "; between clusters: ") + range(between);
  return verdict.ends_with('.') ? verdict : verdict + '.';
}

void add(ReportSection& section, const Platform& platform, ReportSpace& space) {
  section.kind = "platform";
  section.figures = {{"ranks", fmt::format("{}", platform.ranks)},
                     {"clusters", fmt::format("{}", platform.clusters.size())},
                     {"links", fmt::format("{}", platform.links.size() + platform.part_links.size())}};
  constexpr std::int64_t kMiB = 1 << 20;
  ReportTable clusters{"Clusters", {{"cluster"}, {"ranks"}, {"latency", "s"}, {"1 MiB in", "s"}}, {}};
  ReportTable links{"Links", {{"from"}, {"to"}, {"latency", "s"}, {"1 MiB in", "s"}, {"connections"}}, {}};
  ReportMatrix latencies{"Latency between clusters", "from", "to", "latency", "s"};
  ReportLines inside{"Gap inside clusters: how long a message keeps its sender", "size", "B", "gap", "s", {}};
  ReportLines between{"Gap of links between clusters", "size", "B", "gap", "s", {}};
  const auto count = static_cast<std::int64_t>(platform.clusters.size());
  space.take(count * count, section.file);
  section.verdict = verdict_of(platform);
  latencies.rows = latencies.columns = count;
  for (const PlatformCluster& cluster : platform.clusters) {
    latencies.names.push_back(cluster.name);
    const bool alone = cluster.ranks.size() < 2;
    clusters.rows.push_back({cluster.name, static_cast<double>(cluster.ranks.size()),
                             alone ? ReportCell() : ReportCell(cluster.latency_s),
                             alone ? ReportCell() : ReportCell(cluster.gap.at(kMiB))});
    add_curve(inside, cluster.name, cluster.gap);
  }
  for (std::int64_t from = 0; from < count; ++from) {
    for (std::int64_t to = 0; to < count; ++to) {
      const PlatformCluster& cluster = platform.clusters[static_cast<std::size_t>(from)];
      if (from != to)
        latencies.entries.push_back({from, to, platform.link(from, to).latency_s});
      else if (cluster.ranks.size() > 1)
        latencies.entries.push_back({from, from, cluster.latency_s});
    }
  }
  const auto add_link = [&](const PlatformLink& link, const std::string& from, const std::string& to) {
    links.rows.push_back({from, to, link.latency_s, link.gap.at(kMiB), static_cast<double>(link.connections)});
    add_curve(between, fmt::format("{} to {}", from, to), link.gap);
  };
  const auto cluster_name = [&](std::int64_t cluster) {
    return platform.clusters[static_cast<std::size_t>(cluster)].name;
  };
  const auto part_name = [&](std::int64_t position) {
    const PlatformPart& part = platform.parts[static_cast<std::size_t>(position)];
    if (part.parent < 0) return std::string("the whole");
    if (part.clusters == 1) return cluster_name(part.first_cluster);
    return part.name.empty() ? fmt::format("{} and {} more", cluster_name(part.first_cluster), part.clusters - 1)
                             : part.name;
  };
  for (const PlatformLink& link : platform.part_links)
    add_link(link, link.from == link.to ? "any part of " + part_name(link.from) : part_name(link.from),
             link.from == link.to ? "another one" : part_name(link.to));
  for (const PlatformLink& link : platform.links) add_link(link, cluster_name(link.from), cluster_name(link.to));
  if (count > 1) section.matrices.push_back(std::move(latencies));
  for (ReportLines* each : {&inside, &between})
    if (!each->series.empty()) section.lines.push_back(std::move(*each));
  section.tables.push_back(std::move(clusters));
  if (!links.rows.empty()) section.tables.push_back(std::move(links));
}

/// "21 messages, 12,851,053 in total. Most sent: 47 % by sender 2. Most received: 51 % by receiver 4."
std::string verdict_of(const Traffic& traffic, double all) {
  std::string verdict =
      fmt::format("{}, {} in total.", count_text(static_cast<std::int64_t>(traffic.messages.size()), "message"),
                  grouped(number_text(all)));
  std::map<std::int64_t, double> sent, received;
  const double scale = static_cast<double>(power_of_ten(traffic.decimals));
  for (const Message& message : traffic.messages) {
    sent[message.from] += static_cast<double>(message.size) / scale;
    received[message.to] += static_cast<double>(message.size) / scale;
  }
  const auto add = [&](const char* what, const char* who, const std::map<std::int64_t, double>& sums) {
    const auto most = std::ranges::max_element(sums, {}, [](const auto& each) { return each.second; });
    if (all > 0) verdict += fmt::format(" {}: {:.0f} % by {} {}.", what, 100 * most->second / all, who, most->first);
  };
  add("Most sent", "sender", sent);
  add("Most received", "receiver", received);
  return verdict;
}

ReportMatrix matrix_of(const Traffic& traffic, const std::string& file, ReportSpace& space) {
  space.take(static_cast<std::int64_t>(traffic.messages.size()), file);
  ReportMatrix matrix{"Who sends how much to whom", "sender", "receiver", "size", {}};
  matrix.rows = traffic.senders;
  matrix.columns = traffic.receivers;
  const double scale = static_cast<double>(power_of_ten(traffic.decimals));
  for (const Message& message : traffic.messages)
    matrix.entries.push_back({message.from, message.to, static_cast<double>(message.size) / scale});
  return matrix;
}

void add(ReportSection& section, const Traffic& traffic, ReportSpace& space) {
  section.kind = "traffic";
  ReportMatrix matrix = matrix_of(traffic, section.file, space);
  ReportTable table{"Messages", {{"sender"}, {"receiver"}, {"size"}}, {}};
  double all = 0, largest = 0;
  for (const ReportMatrix::Entry& entry : matrix.entries) {
    all += entry.value;
    largest = std::max(largest, entry.value);
    table.rows.push_back({static_cast<double>(entry.row), static_cast<double>(entry.column), entry.value});
  }
  section.figures = {{"senders", fmt::format("{}", traffic.senders)},
                     {"receivers", fmt::format("{}", traffic.receivers)},
                     {"messages", fmt::format("{}", traffic.messages.size())},
                     {"sum of sizes", grouped(number_text(all))},
                     {"largest", grouped(number_text(largest))}};
  section.verdict = verdict_of(traffic, all);
  section.matrices.push_back(std::move(matrix));
  section.tables.push_back(std::move(table));
}

/// The fields of a line of a table: separated by `separator`, with or without quotes. No field holds a line break.
std::vector<std::string> fields_of(std::string_view line, char separator) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == separator && !quoted)
      fields.emplace_back();
    else
      fields.back() += line[i];
  }
  return fields;
}

ReportCell cell_of(const std::string& field) {
  if (field.empty()) return {};
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc() && end == field.data() + field.size() && std::isfinite(value)) return value;
  return field;
}

/// What a column of a study holds, by the ending of its name.
ReportTable::Column column_of(const std::string& title) {
  if (title.ends_with("_s")) return {title, "s"};
  if (title == "bytes" || title.ends_with("_bytes")) return {title, "B"};
  return {title};
}

/// A table of a study: a line of names, then one per row.
void add_study(ReportSection& section, const std::string& text, char separator, ReportSpace& space) {
  section.kind = "study";
  ReportTable table{"Results", {}, {}};
  std::istringstream lines(text);
  std::string line;
  for (std::int64_t number = 1; std::getline(lines, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    const std::vector<std::string> fields = fields_of(line, separator);
    if (table.columns.empty()) {
      for (const std::string& field : fields) table.columns.push_back(column_of(field));
      continue;
    }
    if (fields.size() != table.columns.size())
      throw InputError(fmt::format("{}:{}", section.file, number),
                       count_text(static_cast<std::int64_t>(fields.size()), "field"),
                       fmt::format("{}, as in the first line", table.columns.size()));
    space.take(1, section.file);
    std::vector<ReportCell> cells;
    for (const std::string& field : fields) cells.push_back(cell_of(field));
    table.rows.push_back(std::move(cells));
  }
  if (table.rows.empty()) throw InputError(section.file, "a line of names alone", "rows below it");
  section.figures = {{"rows", fmt::format("{}", table.rows.size())},
                     {"columns", fmt::format("{}", table.columns.size())}};
  section.tables.push_back(std::move(table));
}

/// Whether the first line that is no comment holds names, which no line of sizes does.
bool has_names(std::string_view text) {
  while (text.starts_with('#') && text.find('\n') != text.npos) text.remove_prefix(text.find('\n') + 1);
  const std::string_view first = text.substr(0, text.find('\n'));
  return std::any_of(first.begin(), first.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z' && c != 'e') || c == '_' || c == '"';
  });
}

/// The traffic of an edge list whose columns have the usual names; nothing if `text` is another table.
std::optional<Traffic> edges_in(std::string_view text, const std::string& file) {
  try {
    TrafficReading reading;
    Traffic traffic = read_traffic_csv(text, file, {}, reading);
    if (reading.taken_for.starts_with("edges")) return traffic;
  } catch (const InputError&) {  // a table of another kind
  }
  return std::nullopt;
}

void add_csv(ReportSection& section, const std::string& text, const TrafficFormat& format, ReportSpace& space) {
  if (format == TrafficFormat{} && has_names(text)) {
    if (const std::optional<Traffic> edges = edges_in(text, section.file)) return add(section, *edges, space);
    return add_study(section, text, text.substr(0, text.find('\n')).find('\t') == text.npos ? ',' : '\t', space);
  }
  TrafficReading reading;
  add(section, read_traffic_csv(text, section.file, format, reading), space);
  for (const std::string& warning : reading.warnings) warn(warning);
}

void add_json(ReportSection& section, std::string text, const std::string& path,
              const std::optional<Platform>& platform, ReportSpace& space) {
  const std::string schema = schema_of(text, section.file);
  if (schema.empty() && text.find("\"traceEvents\"") != text.npos) {
    const nlohmann::json parsed = parse_result(text, section.file);
    if (const ResultValue file(parsed, section.file); is_trace(file)) return add_trace(section, file, space);
  }
  if (std::find(kSchemas.begin(), kSchemas.end(), schema) == kSchemas.end()) {
    const std::string found =
        schema.empty()
            ? "no \"schema\""
            : "\"schema\": " +
                  nlohmann::json(schema.substr(0, 40)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    for (const NotShown& each : kNotShown)
      if (schema == each.schema) throw InputError(section.file, each.what, each.instead);
    for (const std::string_view known : kSchemas)
      if (schema.starts_with(known.substr(0, known.find('/') + 1)))
        throw InputError(section.file, found, fmt::format("\"{}\", which this version reads", known));
    throw InputError(section.file, found, fmt::format("one of {}", fmt::join(kSchemas, ", ")));
  }
  if (schema == "sluice.schedule/1" || schema == "sluice.program/1") {
    AnySchedule any = [&] {
      std::istringstream in(std::move(text));
      return read_any_schedule(in, section.file);
    }();
    return naming_file(section.file, [&] {
      if (const auto* steps = std::get_if<ScheduleFile>(&any)) return add(section, *steps, space);
      if (const auto* program = std::get_if<Program>(&any)) return add(section, *program, platform, space);
      return add(section, std::get<TreeSchedule>(any), space);
    });
  }
  if (schema.starts_with("sluice.platform/")) {
    std::istringstream in(std::move(text));
    return add(section, read_platform(in, section.file), space);
  }
  const nlohmann::json parsed = parse_result(text, section.file);
  const ResultValue file(parsed, section.file);
  if (schema == "sluice.compare/1") return add_comparison(section, file);
  if (schema == "sluice.run/1") return add_run(section, file);
  if (schema == "sluice.front/1") return add_front(section, file);
  if (schema == "sluice.simulation/1") return add_simulation(section, file, space);
  if (schema == "sluice.clusters/1") return add_clusters(section, file, space);
  if (schema == "sluice.prediction/1") return add_prediction(section, file, space);
  if (schema == "sluice.tuning/1") return add_tuning(section, file, space);
  add_record(section, file, std::filesystem::path(path).parent_path().string(), space);
}

}  // namespace

std::string grouped(std::string number) {
  const std::size_t first = number.starts_with('-') ? 1 : 0;
  const std::size_t end = std::min(number.find_first_not_of("0123456789", first), number.size());
  if (end - first < 5 || (end < number.size() && number[end] != '.')) return number;
  for (std::size_t at = end - 3; at > first; at -= std::min<std::size_t>(at, 3)) number.insert(at, ",");
  return number;
}

std::string value_text(double value, std::string_view unit) {
  return unit == "s" ? seconds_text(value) : grouped(number_text(value));
}

void ReportSpace::take(std::int64_t count, const std::string& file) {
  transfers -= count;
  if (transfers < 0)
    throw InputError(file, "more than the page can show", "at most 2^20 transfers, messages and rows in all files");
}

ReportMatrix read_traffic_matrix(const std::string& path, ReportSpace& space) {
  return matrix_of(read_traffic(path), path, space);
}

ReportSection read_report_section(const std::string& path, const std::optional<Platform>& platform,
                                  const TrafficFormat& format, ReportSpace& space) {
  ReportSection section;
  section.file = shown_path(path);
  const std::string extension = path == "-" ? "" : lower_extension(path);
  if (extension == ".mtx") {
    add(section, read_traffic(path), space);
    return section;
  }
  std::string text(read_file(path, kAFile, kMostBytes).text());
  if (text.starts_with("%%MatrixMarket"))
    add(section, read_matrix_market(text, section.file), space);
  else if (extension != ".csv" && extension != ".tsv")
    add_json(section, std::move(text), path, platform, space);
  else
    add_csv(section, text, format, space);
  return section;
}

}  // namespace sluice::command
