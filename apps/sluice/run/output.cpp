#include "apps/sluice/run/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "apps/compare/median.hpp"
#include "apps/sluice/command.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/provenance.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/process/ranks.hpp"
#include "apps/sluice/run/run.hpp"
#include "sluice/error.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

std::string to_json(const RunSubject& subject, const compare::Comparison& comparison,
                    const std::vector<std::string>& hosts) {
  using nlohmann::ordered_json;
  ordered_json file{{"schema", "sluice.run/1"},
                    {"about", about(hosts, mpi_library())},
                    {"problem", subject.problem},
                    {"ranks", comparison.ranks},
                    {"bytes_moved", comparison.bytes_moved},
                    {"verified", comparison.verified},
                    {"repetitions", comparison.repetitions},
                    {"methods", ordered_json::array()}};
  if (subject.max_transfers > 0) file["max_transfers"] = subject.max_transfers;
  if (subject.bound_s > 0) file["bound_s"] = subject.bound_s;
  if (!comparison.left_out.empty()) file["left_out"] = comparison.left_out;
  if (comparison.interrupted_by != 0) file["interrupted"] = true;
  // Times of wrong results do not count.
  if (comparison.verified) {
    for (const compare::MethodResult& method : comparison.methods) {
      ordered_json row{{"name", method.name},
                       {"median_s", method.median_s},
                       {"min_s", method.min_s},
                       {"max_s", method.max_s},
                       {"quartiles_s", {method.lower_quartile_s, method.upper_quartile_s}},
                       {"samples_s", method.samples_s},
                       {"peak_extra_bytes", method.peak_extra_bytes}};
      if (const auto interval = compare::median_interval(method.samples_s)) {
        row["median_interval_s"] = {interval->low, interval->high};
        row["confidence"] = interval->confidence;
      }
      if (method.predicted_s) row["predicted_s"] = *method.predicted_s;
      if (!method.how.empty()) row["how"] = method.how;
      file["methods"].push_back(std::move(row));
    }
  } else {
    file["failures"] = comparison.failures;
  }
  return file.dump(1) + '\n';
}

compare::Difference difference(const compare::MethodResult& a, const compare::MethodResult& b) {
  return compare::difference(a.samples_s, b.samples_s);
}

/// "96 %".
std::string confidence_text(double confidence) { return fmt::format("{} %", static_cast<int>(100 * confidence)); }

/// The ratio of two medians, with more digits the less the samples vary. It has three decimals if half of them lie
/// within 1 % of the median, two within 10 %, and otherwise one. More follow until one is not 0. "~" stands before it
/// if the samples do not tell which median is smaller, "?" if they are too few to tell.
std::string ratio_of(const compare::MethodResult& method, const compare::MethodResult& reference) {
  if (&method == &reference) return "1";
  if (reference.median_s <= 0) return "-";
  const auto spread = [](const compare::MethodResult& each) {
    return each.median_s > 0 ? (each.upper_quartile_s - each.lower_quartile_s) / each.median_s : 1;
  };
  const double wider = std::max(spread(method), spread(reference));
  constexpr double kSteady = 0.01, kFair = 0.1;
  const double ratio = method.median_s / reference.median_s;
  constexpr int kMostDecimals = 6;
  const compare::Difference told = difference(method, reference);
  const bool few = told == compare::Difference::kTooFewSamples;
  int decimals = few || wider > kFair ? 1 : wider > kSteady ? 2 : 3;
  while (decimals < kMostDecimals && ratio * std::pow(10, decimals) < 0.5) ++decimals;
  const char* const mark = few ? "?" : told == compare::Difference::kNotTold ? "~" : "";
  return fmt::format("{}{:.{}f}", mark, ratio, decimals);
}

/// "55.8 %" or, of little data, "956 times".
std::string share_text(std::int64_t bytes, std::int64_t data) {
  if (data <= 0) return "-";
  constexpr double kMany = 10;
  const double part = static_cast<double>(bytes) / static_cast<double>(data);
  return part < kMany ? fmt::format("{:.1f} %", 100 * part) : fmt::format("{:.0f} times", part);
}

/// Which method to use here, by the table: a line or two.
std::string verdict(const compare::Comparison& comparison, const std::vector<std::string>& hosts) {
  if (comparison.methods.size() < 2) return {};
  const compare::MethodResult& first = comparison.methods.front();
  const auto fastest = std::min_element(comparison.methods.begin(), comparison.methods.end(),
                                        [](const auto& a, const auto& b) { return a.median_s < b.median_s; });
  if (!compare::median_interval(fastest->samples_s))
    return fmt::format("too few samples to tell which is the fastest: {}, at least {} are needed; least median: {}\n",
                       count_text(comparison.repetitions, "repetition"), compare::kFewestSamples, fastest->name);
  std::string others;
  for (const compare::MethodResult& each : comparison.methods)
    if (&each != &*fastest && difference(each, *fastest) != compare::Difference::kSlower)
      others += (others.empty() ? "" : ", ") + each.name;
  std::string text = others.empty()
                         ? fmt::format("fastest here: {}\n", fastest->name)
                         : fmt::format("least median here: {}; not told apart from it: {}\n", fastest->name, others);
  const bool behind = difference(first, *fastest) == compare::Difference::kSlower;
  if (behind && hosts.size() == 1 && first.name.rfind("sluice", 0) == 0)
    text +=
        "all ranks are on one host, where messages are copies in memory: a plan pays on a network that is the "
        "bottleneck\n";
  return text;
}

/// A line where ranks share cores, so that times depend on the cores more than on messages; only for a single host,
/// whose cores are known.
std::string overload_text(int ranks, const std::vector<std::string>& hosts) {
  const unsigned cores = std::thread::hardware_concurrency();
  if (hosts.size() != 1 || cores == 0 || std::cmp_less_equal(ranks, cores)) return {};
  return fmt::format("{} share {} of this host: times say little of a host with a core for each\n\n",
                     count_text(ranks, "rank"), count_text(cores, "core"));
}

/// " of 100000 (interrupted by Ctrl-C)", or nothing.
std::string interrupted_text(const compare::Comparison& comparison) {
  if (comparison.interrupted_by == 0) return {};
  return fmt::format(" of {} (interrupted by {})", comparison.asked,
                     comparison.interrupted_by == SIGTERM ? "SIGTERM" : "Ctrl-C");
}

/// "96 % interval", or "interval" if the samples are too few.
std::string interval_title(const compare::MethodResult& reference) {
  const std::optional<compare::MedianInterval> interval = compare::median_interval(reference.samples_s);
  return interval ? confidence_text(interval->confidence) + " interval" : "interval";
}

/// "1.20 ms to 1.31 ms".
std::string interval_of(const compare::MethodResult& method) {
  const std::optional<compare::MedianInterval> interval = compare::median_interval(method.samples_s);
  return interval ? seconds_text(interval->low) + " to " + seconds_text(interval->high) : "-";
}

/// Five columns. What a method did stands below its row.
std::string narrow_table(const compare::Comparison& comparison) {
  const compare::MethodResult& reference = comparison.methods.front();
  TextTable table({{"method", TextTable::Align::kLeft},
                   {"median"},
                   {interval_title(reference)},
                   {"/ " + reference.name},
                   {"extra memory"}});
  for (const compare::MethodResult& method : comparison.methods)
    table.add_row({method.name, seconds_text(method.median_s), interval_of(method), ratio_of(method, reference),
                   bytes_text(method.peak_extra_bytes)});
  const std::string rows = table.text();
  std::size_t start = rows.find('\n') + 1;
  std::string text = rows.substr(0, start);
  for (const compare::MethodResult& method : comparison.methods) {
    const std::size_t end = rows.find('\n', start) + 1;
    text += rows.substr(start, end - start);
    if (!method.how.empty()) text += "    " + method.how + '\n';
    start = end;
  }
  return text;
}

/// All columns, for terminals that are wide enough.
std::string wide_table(const RunSubject& subject, const compare::Comparison& comparison) {
  const compare::MethodResult& reference = comparison.methods.front();
  std::vector<TextTable::Column> columns{{"method", TextTable::Align::kLeft},
                                         {"median"},
                                         {interval_title(reference)},
                                         {"min"},
                                         {"max"},
                                         {"rate"},
                                         {"/ " + reference.name},
                                         {"extra memory"},
                                         {"of data"}};
  if (subject.bound_s > 0) columns.push_back({"/ bound"});
  const bool predicted =
      std::any_of(comparison.methods.begin(), comparison.methods.end(),
                  [](const compare::MethodResult& method) { return method.predicted_s.has_value(); });
  if (predicted) columns.insert(columns.end(), {{"predicted"}, {"/ predicted"}});
  const bool explained =
      std::ranges::any_of(comparison.methods, [](const auto& method) { return !method.how.empty(); });
  if (explained) columns.push_back({"how", TextTable::Align::kLeft});
  TextTable table(columns);
  for (const compare::MethodResult& method : comparison.methods) {
    const double rate = method.median_s > 0 ? static_cast<double>(comparison.bytes_moved) / method.median_s : 0;
    std::vector<std::string> cells{method.name,
                                   seconds_text(method.median_s),
                                   interval_of(method),
                                   seconds_text(method.min_s),
                                   seconds_text(method.max_s),
                                   speed_text(rate),
                                   ratio_of(method, reference),
                                   bytes_text(method.peak_extra_bytes),
                                   share_text(method.peak_extra_bytes, subject.largest_part)};
    if (subject.bound_s > 0) cells.push_back(ratio_text(method.median_s, subject.bound_s));
    if (predicted) {
      cells.push_back(method.predicted_s ? seconds_text(*method.predicted_s) : "-");
      cells.push_back(method.predicted_s && *method.predicted_s > 0 ? ratio_text(method.median_s, *method.predicted_s)
                                                                    : "-");
    }
    if (explained) cells.push_back(method.how);
    table.add_row(std::move(cells));
  }
  return table.text();
}

std::string to_text(const RunSubject& subject, const compare::Comparison& comparison,
                    const std::vector<std::string>& hosts, bool wide) {
  std::string text = subject.title + '\n';
  for (const std::string& note : subject.notes) text += note + '\n';
  text += fmt::format("{}, {}{}, methods alternating\n\n", count_text(comparison.ranks, "rank"),
                      count_text(comparison.repetitions, "repetition"), interrupted_text(comparison));
  text += overload_text(comparison.ranks, hosts);
  for (const std::string& why : comparison.left_out) text += fmt::format("left out: {}\n", why);
  if (!comparison.left_out.empty()) text += '\n';
  if (!comparison.verified) {
    for (const std::string& failure : comparison.failures) text += failure + '\n';
    return text + "not verified: no times\n";
  }
  const compare::MethodResult& reference = comparison.methods.front();
  const std::optional<compare::MedianInterval> interval = compare::median_interval(reference.samples_s);
  text += wide ? wide_table(subject, comparison) : narrow_table(comparison);
  if (subject.bound_s > 0)
    text += fmt::format("bound: {}, by the speeds given; {} takes {} times as long\n", seconds_text(subject.bound_s),
                        reference.name, ratio_text(reference.median_s, subject.bound_s));
  if (!comparison.peak_measured)
    text += "extra memory is what each method allocates itself: the system does not tell a process its peak\n";
  const bool marked = std::ranges::any_of(comparison.methods, [&](const compare::MethodResult& method) {
    return &method != &reference && difference(method, reference) == compare::Difference::kNotTold;
  });
  if (marked)
    text += fmt::format("~: not told apart from {}, the intervals that hold the medians with {} overlap\n",
                        reference.name, confidence_text(interval->confidence));
  if (!interval && comparison.methods.size() > 1)
    text += fmt::format("?: too few samples to tell, a median has an interval from {} repetitions on\n",
                        compare::kFewestSamples);
  text += '\n' + verdict(comparison, hosts);
  if (comparison.ranks == 1) return text + "verified: the result; one rank has nobody to send to\n";
  return text + fmt::format("verified: every byte of {} after each method, before its times counted\n",
                            bytes_text(comparison.bytes_moved));
}

}  // namespace

int show_run(const RunSubject& subject, const compare::Comparison& comparison, const RunMethods& output) {
  const std::string& json = output.json;
  const std::vector<std::string> hosts = Ranks::hosts();
  Ranks::once([&] {
    if (json == "-") {
      print(to_json(subject, comparison, hosts));
      return;
    }
    if (!json.empty()) write_file_atomically(json, to_json(subject, comparison, hosts));
    tell(to_text(subject, comparison, hosts, output.wide));
  });
  if (!comparison.verified) return kCheckFailed;
  if (comparison.interrupted_by == 0) return kDone;
  return comparison.interrupted_by == SIGTERM ? kTerminated : kInterrupted;
}

int run_until_stopped(const std::function<int()>& job) {
  const Interruptible interruptible;
  compare::stop_comparisons_at(interrupting_signal);
  return job();
}

void check_outputs(const std::string& json, const TimelineOutput& timeline) {
  Ranks::once([&] {
    check_json_target(json);
    timeline.check();
  });
}

void write_timeline(const TimelineOutput& output, const std::string& problem, const compare::Comparison& comparison,
                    const std::function<compare::Comparison()>& record) {
  if (!output.wanted() || !comparison.verified || comparison.interrupted_by != 0) return;
  const compare::Comparison recorded = record();
  if (!recorded.verified) return;
  Ranks::once([&] {
    Timeline timeline = recorded.timeline.value();
    if (timeline.transfers.empty())
      throw InputError(output.given(), "no transfer between ranks in the plan", "a plan that has one");
    timeline.problem = problem;
    timeline.algorithm = "executed: " + recorded.methods.front().how;
    output.write(timeline, fmt::format("{}, {}", problem, timeline.algorithm));
  });
}

}  // namespace sluice::command
