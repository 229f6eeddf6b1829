#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/compare/median.hpp"
#include "apps/compare/quantile.hpp"
#include "apps/sluice/output/result_json.hpp"
#include "apps/sluice/output/trace_file.hpp"
#include "apps/sluice/report/section.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/timeline.hpp"
#include "sluice/show/front_picture.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

/// Where the result comes from, where the file says so.
void add_about(ReportSection& section, const ResultValue& file) {
  if (!file.has("about")) return;
  const ResultValue about = file["about"];
  std::vector<std::string> words;
  for (const ResultValue& word : about["command"].elements()) words.push_back(word.text());
  section.figures.emplace_back("command", fmt::format("{}", fmt::join(words, " ")));
  section.figures.emplace_back("date", about["date"].text());
  std::vector<std::string> hosts;
  for (const ResultValue& host : about["hosts"].elements()) hosts.push_back(host.text());
  section.figures.emplace_back(hosts.size() == 1 ? "host" : "hosts", fmt::format("{}", fmt::join(hosts, ", ")));
  section.figures.emplace_back("version", about["version"].text());
  if (about.has("mpi")) section.figures.emplace_back("MPI", about["mpi"].text());
}

/// "ratio" of a row, which is null where only the bound is 0.
ReportCell ratio_cell(const ResultValue& row) {
  if (row["ratio"].is_null()) return {};
  return row["ratio"].number();
}

/// What ratios are of: schedules of steps have a total, trees and programs a length, broadcasts the time until all
/// ranks are done, too.
const char* cost_field(const ResultValue& row) {
  return row.has("total") ? "total" : row.has("program_s") ? "program_s" : "length";
}

/// "s" for what is planned over a platform; costs and the times of reductions have the user's unit.
const char* unit_of(const std::string& problem) {
  const std::optional<Collective> collective = parse_collective(problem);
  return collective && *collective != Collective::kReduce ? "s" : "";
}

/// The quartiles of a method of a run; files of old versions have none.
std::optional<compare::Quartiles> quartiles_of(const ResultValue& method) {
  if (!method.has("quartiles_s")) return {};
  const std::vector<ResultValue> both = method["quartiles_s"].elements();
  if (both.size() != 2 || both[0].number() > both[1].number())
    throw InputError(method.file(), "\"quartiles_s\": not a lower and an upper one", "two rising times");
  return compare::Quartiles{both[0].number(), both[1].number()};
}

/// The repetitions of a method; files of old versions have none.
std::vector<double> samples_of(const ResultValue& method) {
  std::vector<double> samples;
  if (method.has("samples_s"))
    for (const ResultValue& each : method["samples_s"].elements()) samples.push_back(each.number());
  return samples;
}

/// The methods of a run: bars, a table, and which one was the fastest, as far as the samples tell it.
void add_methods(ReportSection& section, const ResultValue& file) {
  const std::vector<ResultValue> methods = file["methods"].elements();
  if (methods.empty()) return;
  std::vector<compare::Quartiles> quartiles;
  std::vector<std::vector<double>> samples;
  for (const ResultValue& row : methods) {
    if (const auto both = quartiles_of(row)) quartiles.push_back(*both);
    samples.push_back(samples_of(row));
  }
  const bool known = quartiles.size() == methods.size();
  const bool sampled = std::ranges::none_of(samples, [](const auto& each) { return each.empty(); });
  const auto best = static_cast<std::size_t>(
      std::ranges::min_element(methods, {}, [](const ResultValue& row) { return row["median_s"].number(); }) -
      methods.begin());
  ReportBars bars{known ? "Time of each method: median, and the middle half of the repetitions"
                        : "Time of each method: median, from the fastest to the slowest repetition",
                  "s",
                  {},
                  file.has("bound_s") ? file["bound_s"].number() : 0,
                  "lower bound"};
  ReportTable table{"Methods", {{"method"}, {"median", "s"}}, {}};
  const auto interval = compare::median_interval(samples[best]);
  if (sampled && interval) {
    const int percent = static_cast<int>(100 * interval->confidence);
    table.columns.insert(table.columns.end(), {{fmt::format("{} % interval from", percent), "s"}, {"to", "s"}});
  }
  const std::string first = methods.front()["name"].text();
  const double reference = methods.front()["median_s"].number();
  table.columns.insert(table.columns.end(), {{"/ " + first, "ratio"}, {"extra memory", "B"}});
  if (known) table.columns.insert(table.columns.end(), {{"lower quartile", "s"}, {"upper quartile", "s"}});
  table.columns.insert(table.columns.end(), {{"min", "s"}, {"max", "s"}, {"how"}});
  std::string not_told;
  for (std::size_t i = 0; i < methods.size() && sampled; ++i)
    if (i != best && compare::difference(samples[i], samples[best]) == compare::Difference::kNotTold)
      not_told += (not_told.empty() ? "" : ", ") + methods[i]["name"].text();
  const bool told = methods.size() == 1 || (sampled && interval && not_told.empty());
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const ResultValue& row = methods[i];
    const std::string name = row["name"].text();
    const double median = row["median_s"].number(), least = row["min_s"].number(), most = row["max_s"].number();
    const compare::Quartiles shown = known ? quartiles[i] : compare::Quartiles{least, most};
    bars.bars.push_back({name, median, shown.low, shown.high});
    std::vector<ReportCell> cells{name, median};
    if (sampled && interval) {
      const auto of_median = compare::median_interval(samples[i]);
      for (const double compare::MedianInterval::*end : {&compare::MedianInterval::low, &compare::MedianInterval::high})
        cells.push_back(of_median ? ReportCell((*of_median).*end) : ReportCell());
    }
    cells.push_back(reference > 0 ? ReportCell(median / reference) : ReportCell());
    cells.emplace_back(row["peak_extra_bytes"].number());
    if (known) cells.insert(cells.end(), {shown.low, shown.high});
    cells.insert(cells.end(), {least, most, row.has("how") ? ReportCell(row["how"].text()) : ReportCell()});
    table.rows.push_back(std::move(cells));
  }
  section.figures.emplace_back(told ? "fastest" : "least median",
                               fmt::format("{}, {}", bars.bars[best].name, seconds_text(bars.bars[best].value)));
  if (!not_told.empty()) section.figures.emplace_back("not told apart from it", not_told);
  const std::string& name = bars.bars[best].name;
  if (methods.size() > 1)
    section.verdict = !interval || !sampled
                          ? fmt::format("Too few samples to tell which method is the fastest; least median: {}.", name)
                      : told ? fmt::format("Fastest here: {}.", name)
                             : fmt::format("Least median here: {}; not told apart from it: {}.", name, not_told);
  if (best != 0 && reference > 0)
    section.verdict +=
        fmt::format(" {} takes {} times as long as {}.", first, ratio_text(reference, bars.bars[best].value), name);
  if (sampled && methods.size() > 1)
    section.notes.emplace_back(
        interval ? fmt::format("Methods are told apart if the intervals that hold their medians with at least {:.0f} % "
                               "do not overlap. The intervals lie between two samples each.",
                               100 * compare::kLeastConfidence)
                 : fmt::format("Too few samples to tell which is the fastest: a median has an interval from {} "
                               "repetitions on.",
                               compare::kFewestSamples));
  if (file.has("interrupted") && file["interrupted"].flag())
    section.notes.emplace_back("The run was interrupted: it has fewer repetitions than were asked for.");
  section.bars.push_back(std::move(bars));
  section.tables.push_back(std::move(table));
}

/// Bars of the times of `rows`, which `field` names, from top to bottom as in the file; and where the fastest is.
std::pair<ReportBars, std::size_t> time_bars(const std::string& title, const std::vector<ResultValue>& rows,
                                             const char* field) {
  ReportBars bars{title, "s", {}};
  for (const ResultValue& row : rows) {
    const double time = row["time_s"].number();
    bars.bars.push_back({row[field].text(), time, time, time});
  }
  const auto best = std::ranges::min_element(bars.bars, {}, &ReportBars::Bar::value) - bars.bars.begin();
  return {std::move(bars), static_cast<std::size_t>(best)};
}

/// What models say of a broadcast inside of each cluster.
void add_strategies(ReportSection& section, const std::vector<ResultValue>& clusters, ReportSpace& space) {
  ReportTable best{"Best of each cluster", {{"cluster"}, {"ranks"}, {"strategy"}, {"time", "s"}}, {}};
  ReportTable all{"Strategies", {{"cluster"}, {"strategy"}, {"time", "s"}, {"segment", "B"}, {"model"}}, {}};
  std::string slowest;
  double longest = 0;
  for (const ResultValue& cluster : clusters) {
    const std::string name = cluster["name"].text();
    const auto ranks = static_cast<double>(cluster["ranks"].count());
    const std::vector<ResultValue> strategies = cluster["strategies"].elements();
    space.take(static_cast<std::int64_t>(strategies.size()) + 1, section.file);
    if (strategies.empty()) {
      best.rows.push_back({name, ranks, "nothing to do inside", ReportCell()});
      continue;
    }
    auto [bars, first] = time_bars("Time of each strategy in " + name, strategies, "strategy");
    const ReportBars::Bar& least = bars.bars[first];
    best.rows.push_back({name, ranks, least.name, least.value});
    if (least.value > longest) {
      longest = least.value;
      slowest = fmt::format("{}, {} by {}", name, seconds_text(longest), least.name);
    }
    for (const ResultValue& row : strategies)
      all.rows.push_back(
          {name, row["strategy"].text(), row["time_s"].number(),
           row.has("segment_bytes") ? ReportCell(static_cast<double>(row["segment_bytes"].count())) : ReportCell(),
           row["model"].text()});
    section.bars.push_back(std::move(bars));
  }
  if (!slowest.empty()) section.verdict = fmt::format("Slowest cluster, by its best strategy: {}.", slowest);
  section.tables.push_back(std::move(best));
  section.tables.push_back(std::move(all));
}

/// What the replay says of every algorithm of another collective.
void add_algorithms(ReportSection& section, const ResultValue& file, ReportSpace& space) {
  const std::vector<ResultValue> rows = file["algorithms"].elements();
  if (rows.empty()) throw InputError(section.file, "no \"algorithms\"", "at least one");
  space.take(static_cast<std::int64_t>(rows.size()), section.file);
  auto [bars, first] = time_bars("Time of each algorithm", rows, "algorithm");
  bars.bound = file["bound_s"].number();
  bars.bound_name = "lower bound (" + file["bound"].text() + ')';
  const double best = bars.bars[first].value;
  section.figures.emplace_back("best", fmt::format("{}, {}", bars.bars[first].name, seconds_text(best)));
  section.verdict = fmt::format("Fastest by the model: {}, {}", bars.bars[first].name, seconds_text(best));
  section.verdict += bars.bound > 0 && best > bars.bound
                         ? fmt::format("; {} above the lower bound.", excess_text(best, bars.bound))
                         : ".";
  if (bars.bound > 0) section.figures.emplace_back("ratio to the lower bound", ratio_text(best, bars.bound));
  ReportTable table{"Algorithms", {{"algorithm"}, {"time", "s"}, {"ratio", "ratio"}}, {}};
  for (const ReportBars::Bar& bar : bars.bars)
    table.rows.push_back({bar.name, bar.value, bars.bound > 0 ? ReportCell(bar.value / bars.bound) : ReportCell()});
  section.bars.push_back(std::move(bars));
  section.tables.push_back(std::move(table));
}

/// The part of a library's own time that a call takes by its rules: 1 where there is none.
class PartOfTime {
 public:
  explicit PartOfTime(std::string call) : curve_{std::move(call), {}} {}

  /// A rule for `from` to `below` bytes. Rules rise.
  void add(double from, double below, double part) {
    if (curve_.points.empty() || end_ < from) {
      close();
      curve_.points.emplace_back(from, kWithout);
    }
    curve_.points.emplace_back(from, part);
    curve_.points.emplace_back(below, part);
    end_ = below;
  }
  [[nodiscard]] ReportLines::Series finished() {
    close();
    return std::move(curve_);
  }
  [[nodiscard]] const std::string& call() const { return curve_.name; }
  [[nodiscard]] double end() const { return end_; }

 private:
  static constexpr double kWithout = 1;
  void close() {
    if (!curve_.points.empty()) curve_.points.emplace_back(end_, kWithout);
  }

  ReportLines::Series curve_;
  double end_ = 0;
};

}  // namespace

void add_comparison(ReportSection& section, const ResultValue& file) {
  section.kind = "comparison of algorithms";
  const std::string problem = file["problem"].text();
  section.figures.emplace_back("problem", problem);
  const ResultValue bound = file["bound"];
  const std::vector<ResultValue> rows = file["rows"].elements();
  if (rows.empty()) throw InputError(section.file, "no \"rows\"", "one for each algorithm");
  const char* const cost = cost_field(rows.front());
  const char* const unit = unit_of(problem);
  const bool total = rows.front().has("total");
  const char* const bound_field = total ? "total" : "length";
  const char* const title = bound_field;
  ReportBars bars{fmt::format("{} of each algorithm", total ? "Total cost" : "Length"),
                  unit,
                  {},
                  bound.has(bound_field) ? bound[bound_field].number() : 0,
                  "lower bound (" + bound["kind"].text() + ')'};
  ReportTable table{"Algorithms", {{"algorithm"}}, {}};
  const bool steps = rows.front().has("steps");
  if (steps) table.columns.insert(table.columns.end(), {{"steps"}, {"transmission"}});
  table.columns.insert(table.columns.end(), {{title, unit}, {"ratio", "ratio"}, {"planned in", "s"}});
  const bool notes = std::ranges::any_of(rows, [](const ResultValue& row) { return row.has("note"); });
  if (notes) table.columns.push_back({"note"});
  for (const ResultValue& row : rows) {
    const std::string name = row["algorithm"].text();
    const double value = row[cost].number();
    bars.bars.push_back({name, value, value, value});
    std::vector<ReportCell> cells{name};
    if (steps) cells.insert(cells.end(), {row["steps"].number(), row["transmission"].number()});
    cells.insert(cells.end(), {value, ratio_cell(row), row["plan_s"].number()});
    if (notes) cells.emplace_back(row.has("note") ? row["note"].text() : std::string());
    table.rows.push_back(std::move(cells));
  }
  const auto best = std::min_element(bars.bars.begin(), bars.bars.end(),
                                     [](const auto& a, const auto& b) { return a.value < b.value; });
  std::string names = best->name;
  std::size_t others = 0;
  for (const ReportBars::Bar& bar : bars.bars)
    if (&bar != &*best && bar.value <= best->value && ++others <= 3) names += ", " + bar.name;
  if (others > 3) names += fmt::format(" and {} more", others - 3);
  const std::string least = value_text(best->value, unit);
  section.figures.emplace_back(fmt::format("least {}", title), least);
  section.figures.emplace_back("by", names);
  section.verdict = fmt::format("Least {}: {}, by {}", title, least, names);
  section.verdict += bars.bound > 0 && best->value > bars.bound
                         ? fmt::format("; {} above the lower bound.", excess_text(best->value, bars.bound))
                     : bars.bound > 0 ? "; no plan is better."
                                      : ".";
  if (bars.bound > 0) section.figures.emplace_back("ratio to the lower bound", ratio_text(best->value, bars.bound));
  section.bars.push_back(std::move(bars));
  section.tables.push_back(std::move(table));
  if (file.has("refused")) {
    ReportTable refused{"Algorithms that do not apply", {{"algorithm"}, {"reason"}}, {}};
    for (const ResultValue& row : file["refused"].elements())
      refused.rows.push_back({row["algorithm"].text(), row["reason"].text()});
    if (!refused.rows.empty()) section.tables.push_back(std::move(refused));
  }
  if (file.has("interrupted") && file["interrupted"].flag())
    section.notes.emplace_back("The comparison was interrupted: some algorithms are missing.");
  add_about(section, file);
}

void add_run(ReportSection& section, const ResultValue& file) {
  section.kind = "run beside its alternatives";
  section.figures.emplace_back("problem", file["problem"].text());
  section.figures.emplace_back("ranks", fmt::format("{}", file["ranks"].count()));
  section.figures.emplace_back("moved", bytes_text(file["bytes_moved"].count()));
  section.figures.emplace_back("repetitions", fmt::format("{}", file["repetitions"].count()));
  const bool verified = file["verified"].flag();
  section.figures.emplace_back("verified", verified ? "every byte" : "no: the result is wrong");
  if (file.has("max_transfers"))
    section.figures.emplace_back("transfers at once", fmt::format("{}", file["max_transfers"].count()));
  add_methods(section, file);
  if (file.has("left_out"))
    for (const ResultValue& why : file["left_out"].elements()) section.notes.push_back("Left out: " + why.text());
  if (file.has("failures"))
    for (const ResultValue& failure : file["failures"].elements()) section.notes.push_back(failure.text());
  add_about(section, file);
}

void add_simulation(ReportSection& section, const ResultValue& file, ReportSpace& space) {
  section.kind = "simulation";
  constexpr std::int64_t kMostSimulatedNodes = std::int64_t{1} << 24;
  Timeline timeline;
  timeline.problem = file["problem"].text();
  timeline.algorithm = file["algorithm"].text();
  timeline.senders = file["senders"].count(kMostSimulatedNodes);
  timeline.receivers = file["receivers"].count(kMostSimulatedNodes);
  timeline.unit = file["unit"].text();
  timeline.length = file["length"].number();
  timeline.same_nodes = !file.has("order");  // only steps have an order
  const std::vector<ResultValue> transfers = file["transfers"].elements();
  space.take(static_cast<std::int64_t>(transfers.size()), section.file);
  for (const ResultValue& row : transfers) {
    TimelineTransfer each;
    each.from = row["from"].count(timeline.senders - 1);
    each.to = row["to"].count(timeline.receivers - 1);
    if (row.has("size")) each.size = row["size"].count();
    if (row.has("offset")) each.offset = row["offset"].count();
    if (row.has("step")) each.step = row["step"].count();
    each.start = each.receive_start = row["start"].number();
    each.end = each.sender_free = row["end"].number();
    if (each.end < each.start)
      throw InputError(section.file, "a transfer that ends before it starts", "an end after it");
    timeline.transfers.push_back(each);
  }
  sort_by_start(timeline);
  section.figures.emplace_back("problem", timeline.problem);
  section.figures.emplace_back("algorithm", timeline.algorithm);
  section.figures.emplace_back("engine",
                               file["engine"].text() + (file.has("order") ? ", order " + file["order"].text() : ""));
  const std::string length = value_text(timeline.length, timeline.unit);
  const std::string planned = file.has("planned") ? value_text(file["planned"].number(), timeline.unit) : "";
  section.figures.emplace_back("length", length);
  if (!planned.empty()) section.figures.emplace_back("planned", planned);
  section.figures.emplace_back("transfers", grouped(fmt::format("{}", timeline.transfers.size())));
  section.verdict = fmt::format("Length {} in the simulation by engine {}{}.", length, file["engine"].text(),
                                planned.empty() ? "" : "; planned: " + planned);
  add_about(section, file);
  // The model knows times of an exchange by the bytes that a transfer moves per second; programs are in bytes. Sizes
  // for SimGrid may have any unit.
  const bool bytes = timeline.unit == "s" &&
                     (timeline.same_nodes || (timeline.problem == "exchange" && file["engine"].text() == "model"));
  section.timeline = ReportTimeline{std::move(timeline), "machine", 0, bytes ? "B" : ""};
}

void add_front(ReportSection& section, const ResultValue& file) {
  section.kind = "front of steps and transmission";
  Front front{{},
              file["setup"].number(),
              file["unit"].text(),
              file["bound"]["steps"].count(),
              file["bound"]["transmission"].count(),
              file["complete"].flag()};
  ReportTable table{
      "Schedules", {{"steps (NS)"}, {"transmission (TC)"}, {"TC at least"}, {"total"}, {"algorithm"}}, {}};
  for (const ResultValue& row : file["points"].elements()) {
    const Front::Point point{row["steps"].count(), row["transmission"].count(), row["transmission_at_least"].count(),
                             row["total"].number(), row["algorithm"].text()};
    if (!front.points.empty() &&
        (point.steps <= front.points.back().steps || point.transmission >= front.points.back().transmission))
      throw InputError(section.file, "\"points\": one that another beats", "rising steps and falling transmission");
    if (point.transmission_at_least > point.transmission)
      throw InputError(section.file, "\"transmission_at_least\": more than the transmission", "at most that");
    table.rows.push_back({static_cast<double>(point.steps), static_cast<double>(point.transmission),
                          static_cast<double>(point.transmission_at_least), point.total, point.algorithm});
    front.points.push_back(point);
  }
  if (front.points.empty()) throw InputError(section.file, "no \"points\"", "at least one");
  section.figures.emplace_back("problem", file["title"].text());
  section.figures.emplace_back("set-up of a step",
                               fmt::format("{}, in {}", grouped(number_text(front.setup)), front.unit));
  section.figures.emplace_back("proof", front_proof_text(front));
  const auto cheapest = std::ranges::min_element(front.points, {}, &Front::Point::total);
  section.verdict = fmt::format("{}. Least total: {} {}, with {} and a transmission of {}.",
                                count_text(static_cast<std::int64_t>(front.points.size()), "schedule"),
                                grouped(number_text(cheapest->total)), front.unit, count_text(cheapest->steps, "step"),
                                grouped(fmt::format("{}", cheapest->transmission)));
  if (file["interrupted"].flag()) section.notes.emplace_back("The search was interrupted.");
  add_about(section, file);
  section.pictures.push_back({"Steps and transmission", front_svg(front, file["title"].text())});
  section.tables.push_back(std::move(table));
}

void add_trace(ReportSection& section, const ResultValue& file, ReportSpace& space) {
  section.kind = kTraceSection;
  Timeline timeline = timeline_of_trace(file);
  space.take(static_cast<std::int64_t>(timeline.transfers.size()), section.file);
  section.figures.emplace_back("problem", timeline.problem);
  section.figures.emplace_back("what ran", timeline.algorithm);
  // Traces of `run` are of bytes; plans and simulations write traces, too, whose sizes have the unit of their file.
  const bool ran = timeline.algorithm.starts_with("executed: ");
  const std::string length = value_text(timeline.length, timeline.unit);
  const std::string transfers = count_text(static_cast<std::int64_t>(timeline.transfers.size()), "transfer");
  section.verdict = ran ? fmt::format("The run took {} for {}.", length, transfers)
                        : fmt::format("Length {}, {}.", length, transfers);
  section.figures.emplace_back("length", length);
  section.figures.emplace_back("transfers", grouped(fmt::format("{}", timeline.transfers.size())));
  section.timeline = ReportTimeline{std::move(timeline), "machine", 0, ran ? "B" : ""};
}

void add_clusters(ReportSection& section, const ResultValue& file, ReportSpace& space) {
  section.kind = "clusters";
  section.figures.emplace_back("nodes", fmt::format("{}", file["nodes"].count()));
  section.figures.emplace_back("algorithm", file["algorithm"].text());
  for (const ResultValue& level : file["levels"].elements()) {
    const std::string tolerance = number_text(level["tolerance"].number());
    ReportBars bars{fmt::format("Nodes of each cluster, tolerance {}", tolerance), {}, {}};
    ReportTable table{fmt::format("Clusters, tolerance {}", tolerance),
                      {{"cluster"}, {"nodes"}, {"latency inside", "s"}, {"which nodes"}},
                      {}};
    for (const ResultValue& cluster : level["clusters"].elements()) {
      std::vector<std::int64_t> nodes;
      for (const ResultValue& node : cluster["nodes"].elements()) nodes.push_back(node.count());
      space.take(static_cast<std::int64_t>(nodes.size()), section.file);
      const auto count = static_cast<double>(nodes.size());
      const auto number = static_cast<double>(table.rows.size());
      bars.bars.push_back({fmt::format("{}", number), count, count, count});
      table.rows.push_back({number, count,
                            cluster.has("latency_s") ? ReportCell(cluster["latency_s"].number()) : ReportCell(),
                            fmt::format("{}", fmt::join(nodes, " "))});
    }
    const auto clusters = static_cast<std::int64_t>(table.rows.size());
    section.verdict += fmt::format("{}{} at tolerance {}", section.verdict.empty() ? "" : ", ",
                                   count_text(clusters, "cluster"), tolerance);
    section.bars.push_back(std::move(bars));
    section.tables.push_back(std::move(table));
  }
  if (!section.verdict.empty()) section.verdict += '.';
  add_about(section, file);
}

void add_prediction(ReportSection& section, const ResultValue& file, ReportSpace& space) {
  section.kind = "predictions of models";
  section.figures.emplace_back("problem", file["problem"].text());
  section.figures.emplace_back("ranks", fmt::format("{}", file["ranks"].count()));
  section.figures.emplace_back("size", bytes_text(file["size_bytes"].count()));
  if (file.has("clusters"))
    add_strategies(section, file["clusters"].elements(), space);
  else
    add_algorithms(section, file, space);
  add_about(section, file);
}

void add_tuning(ReportSection& section, const ResultValue& file, ReportSpace& space) {
  section.kind = "rules for an MPI library";
  section.figures.emplace_back("library", file["library"].text());
  section.figures.emplace_back("ranks", fmt::format("{}", file["ranks"].count()));
  section.figures.emplace_back("times", file["source"].text());
  const std::vector<ResultValue> rules = file["rules"].elements();
  space.take(static_cast<std::int64_t>(rules.size()), section.file);
  section.figures.emplace_back("rules", fmt::format("{}", rules.size()));
  ReportTable table{"Rules",
                    {{"call"},
                     {"from bytes"},
                     {"below"},
                     {"library's own"},
                     {"tuned"},
                     {"own time", "s"},
                     {"tuned time", "s"},
                     {"part", "ratio"}},
                    {}};
  ReportLines lines{"Time by the rules, as a part of the library's own", "size", "B", "part of the time", "ratio", {}};
  std::optional<PartOfTime> curve;
  double least = 1;
  std::string most_saved = "nothing";
  for (const ResultValue& rule : rules) {
    const std::string call = rule["call"].text();
    const auto from = static_cast<double>(rule["from_bytes"].count());
    const auto below = static_cast<double>(rule["below_bytes"].count());
    const double own = rule["own_s"].number(), tuned = rule["time_s"].number();
    if (!curve || curve->call() != call) {
      if (curve) lines.series.push_back(curve->finished());
      curve.emplace(call);
    }
    if (!(curve->end() <= from && from < below))
      throw InputError(section.file, fmt::format("\"rules\" of {} that overlap", call), "rising ranges of bytes");
    if (tuned > own) throw InputError(section.file, "\"time_s\": more than \"own_s\"", "at most that");
    const double part = own > 0 ? tuned / own : 1;
    if (part < least) {
      least = part;
      most_saved = fmt::format("{} from {}: {:.3f} of the time", call, bytes_text(rule["from_bytes"].count()), part);
    }
    curve->add(from, below, part);
    table.rows.push_back({call, from, below, rule["own_algorithm"].text(), rule["algorithm"].text(), own, tuned, part});
  }
  if (curve) {
    lines.series.push_back(curve->finished());
    section.figures.emplace_back("most saved", most_saved);
    section.verdict =
        fmt::format("{}. Most saved: {}.", count_text(static_cast<std::int64_t>(rules.size()), "rule"), most_saved);
    section.lines.push_back(std::move(lines));
    section.tables.push_back(std::move(table));
  }
  for (const ResultValue& each : file["notes"].elements()) section.notes.push_back(each.text());
  if (!curve) section.verdict = "No rule: no algorithm is faster than the library's own by the gain asked for.";
  add_about(section, file);
}

void add_record(ReportSection& section, const ResultValue& file, const std::string& folder, ReportSpace& space) {
  section.kind = "record of a program's communication";
  section.figures.emplace_back("ranks", fmt::format("{}", file["ranks"].count()));
  section.figures.emplace_back("elapsed", seconds_text(file["elapsed_s"].number()));
  if (!file["complete"].flag())
    section.notes.push_back(fmt::format("The record is not complete: it holds {} of {}.", file["ranks_heard"].count(),
                                        count_text(file["ranks"].count(), "rank")));
  ReportBars bars{"Time in each call, summed over ranks", "s", {}};
  ReportTable calls{"Calls",
                    {{"communicator"},
                     {"call"},
                     {"calls"},
                     {"moved", "B"},
                     {"time of all ranks", "s"},
                     {"slowest rank", "s"},
                     {"matrix"}},
                    {}};
  ReportTable sizes{
      "Sizes of messages", {{"communicator"}, {"call"}, {"up to", "B"}, {"calls"}, {"moved", "B"}, {"time", "s"}}, {}};
  std::vector<std::string> missing;
  for (const ResultValue& communicator : file["communicators"].elements()) {
    const std::string name = communicator["name"].text();
    for (const ResultValue& call : communicator["calls"].elements()) {
      const std::string what = call["call"].text();
      const double time = call["time_s"].number();
      bars.bars.push_back({fmt::format("{}, {}", what, name), time, time, time});
      const std::string matrix = call["file"].is_null() ? "" : call["file"].text();
      calls.rows.push_back(
          {name, what, call["calls"].number(), call["bytes"].number(), time, call["slowest_rank_s"].number(), matrix});
      for (const ResultValue& size : call["sizes"].elements())
        sizes.rows.push_back({name, what, size["up_to_bytes"].number(), size["calls"].number(), size["bytes"].number(),
                              size["time_s"].number()});
      if (matrix.empty()) continue;
      if (matrix.find('/') != matrix.npos)
        throw InputError(section.file, "\"file\": a path", "the name of a file beside the record");
      const std::string path = (std::filesystem::path(folder) / matrix).string();
      std::error_code ignored;
      if (!std::filesystem::exists(path, ignored)) {
        missing.push_back(matrix);
        continue;
      }
      ReportMatrix picture = read_traffic_matrix(path, space);
      picture.title = fmt::format("What {} sent on {}", what, name);
      picture.unit = "B";
      section.matrices.push_back(std::move(picture));
    }
  }
  space.take(static_cast<std::int64_t>(calls.rows.size() + sizes.rows.size()), section.file);
  if (!missing.empty())
    section.notes.push_back(fmt::format("Not drawn, as not beside the record: {}.", fmt::join(missing, ", ")));
  if (!bars.bars.empty()) {
    double all = 0;
    for (const ReportBars::Bar& bar : bars.bars) all += bar.value;
    const auto most = std::ranges::max_element(bars.bars, {}, &ReportBars::Bar::value);
    section.verdict = fmt::format("Most time: {}, {} summed over ranks", most->name, seconds_text(most->value));
    section.verdict += all > 0 ? fmt::format(", {:.0f} % of all recorded calls.", 100 * most->value / all) : ".";
  }
  section.bars.push_back(std::move(bars));
  section.tables.push_back(std::move(calls));
  section.tables.push_back(std::move(sizes));
  add_about(section, file);
}

}  // namespace sluice::command
