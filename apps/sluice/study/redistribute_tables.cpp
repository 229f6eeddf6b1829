#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/study/paper_tables.hpp"
#include "apps/sluice/study/study.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/schedule/validate.hpp"
#include "sluice/show/text_table.hpp"

// The paper's tables show message lengths (grids), the step of each message, and the cost of each step. Lengths have
// one right value. The numbers of steps, and the choice among equally heavy matchings, are arbitrary. These must agree:
// the pairs that have a step, no process twice in one step, and, if the paper proves it, the number of steps and their
// costs.

namespace sluice::command {

namespace {

enum class Content { kGrid, kSteps, kCost };

struct Table {
  Content content;
  const char* example;
  const char* from;
  const char* to;
  const char* algorithm;  ///< of Content::kSteps and kCost
};

constexpr std::array<Table, 19> kTables{{
    {Content::kGrid, "1", "16:3", "16:5", ""},           {Content::kSteps, "1", "16:3", "16:5", "classes"},
    {Content::kCost, "1", "16:3", "16:5", "classes"},    {Content::kGrid, "2", "16:7", "16:11", ""},
    {Content::kSteps, "2", "16:7", "16:11", "classes"},  {Content::kCost, "2", "16:7", "16:11", "classes"},
    {Content::kGrid, "3", "15:3", "15:5", ""},           {Content::kSteps, "3", "15:3", "15:5", "stepwise"},
    {Content::kCost, "3", "15:3", "15:5", "stepwise"},   {Content::kGrid, "4", "12:4", "8:3", ""},
    {Content::kSteps, "4", "12:4", "8:3", "stepwise"},   {Content::kCost, "4", "12:4", "8:3", "stepwise"},
    {Content::kGrid, "3 scaled", "15:12", "15:20", ""},  {Content::kGrid, "5", "15:2", "6:3", ""},
    {Content::kSteps, "5", "15:2", "6:3", "stepwise"},   {Content::kCost, "5", "15:2", "6:3", "stepwise"},
    {Content::kSteps, "5", "15:2", "6:3", "greedy"},     {Content::kCost, "5", "15:2", "6:3", "greedy"},
    {Content::kCost, "4", "12:4", "8:3", "caterpillar"},
}};

enum class Cause { kMisprint, kLower, kTies, kUnknown };

struct Difference {
  std::string what;
  std::string ours;
  std::string paper;
  Cause cause = Cause::kUnknown;
};

struct TableComparison {
  std::string csv;
  int values = 0;
  std::vector<Difference> differences;

  void compare(const std::string& what, const std::string& ours, const std::string& paper, Cause cause_if_not) {
    ++values;
    if (ours != paper) differences.push_back({what, ours, paper, cause_if_not});
  }
};

using Cells = std::vector<std::vector<std::string>>;

Cells cells_of(std::string_view csv) {
  Cells rows;
  while (!csv.empty()) {
    const std::size_t end_of_line = std::min(csv.find('\n'), csv.size());
    std::string_view line = csv.substr(0, end_of_line);
    csv.remove_prefix(std::min(end_of_line + 1, csv.size()));
    std::vector<std::string>& row = rows.emplace_back();
    while (true) {
      const std::size_t end = std::min(line.find(','), line.size());
      row.emplace_back(line.substr(0, end));
      if (end == line.size()) break;
      line.remove_prefix(end + 1);
    }
  }
  return rows;
}

template <class Integer>
std::string text(Integer value) {
  return fmt::format("{}", value);
}

/// Message lengths by sender and receiver.
using PaperLengths = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

PaperLengths lengths_of(const RedistributionProblem& problem) {
  PaperLengths result;
  for (const Message& message : problem.traffic().messages) result[{message.from, message.to}] = message.size;
  return result;
}

/// The counts that the report misprints: the last one of a row repeats the one before it (studies/desprez-1997).
bool is_misprint(std::size_t number, std::int64_t receiver) {
  return ((number == 7 || number == 13) && receiver == 14) || (number == 10 && receiver == 7);
}

TableComparison compare_grid(std::size_t number, const RedistributionProblem& problem, const Cells& paper) {
  TableComparison result;
  result.csv = "sender,receiver,sluice,paper\n";
  const PaperLengths lengths = lengths_of(problem);
  const std::int64_t senders = problem.from().processes(), receivers = problem.to().processes();
  std::vector<std::int64_t> sent(senders, 0), received(receivers, 0);
  for (const auto& [pair, length] : lengths) ++sent[pair.first], ++received[pair.second];
  for (std::int64_t p = 0; p < senders; ++p) {
    for (std::int64_t q = 0; q < receivers; ++q) {
      const auto found = lengths.find({p, q});
      const std::string ours = found == lengths.end() ? "" : text(found->second);
      const std::string& theirs = paper[p + 1][q + 1];
      result.csv += fmt::format("{},{},{},{}\n", p, q, ours, theirs);
      result.compare(fmt::format("length from {} to {}", p, q), ours, theirs, Cause::kUnknown);
    }
    const std::string& theirs = paper[p + 1][receivers + 1];
    result.csv += fmt::format("{},messages,{},{}\n", p, sent[p], theirs);
    result.compare(fmt::format("messages of sender {}", p), text(sent[p]), theirs, Cause::kUnknown);
  }
  for (std::int64_t q = 0; q < receivers; ++q) {
    const std::string& theirs = paper[senders + 1][q + 1];
    result.csv += fmt::format("messages,{},{},{}\n", q, received[q], theirs);
    result.compare(fmt::format("messages of receiver {}", q), text(received[q]), theirs,
                   is_misprint(number, q) ? Cause::kMisprint : Cause::kUnknown);
  }
  return result;
}

std::string letter(std::size_t step) { return std::string(1, static_cast<char>('a' + step)); }

/// The schedule with its steps in the order of the paper: longest first, but the caterpillar's as they come.
StepSchedule schedule_of(const Table& table, const RedistributionProblem& problem) {
  StepSchedule schedule = plan_redistribution(problem, table.algorithm).schedule({table.from, table.to, /*shape=*/""});
  if (std::string_view(table.algorithm) != "caterpillar") {
    std::stable_sort(schedule.steps.begin(), schedule.steps.end(),
                     [](const Step& a, const Step& b) { return a.duration > b.duration; });
  }
  return schedule;
}

/// Steps and total cost of a schedule.
struct Figures {
  std::size_t steps = 0;
  std::int64_t total = 0;
};

/// Why values may differ that depend on the choice among equally heavy matchings.
Cause free_choice(const Table& table, const Figures& ours, const Figures& paper) {
  const std::string_view algorithm = table.algorithm;
  const bool is_free = algorithm == "greedy" || (algorithm == "stepwise" && ours.steps == paper.steps);
  if (!is_free) return Cause::kUnknown;
  return ours.steps <= paper.steps && ours.total <= paper.total ? Cause::kLower : Cause::kTies;
}

Figures figures_of(const StepSchedule& schedule) {
  Figures result{schedule.steps.size(), 0};
  for (const Step& step : schedule.steps) result.total += step.duration;
  return result;
}

TableComparison compare_steps(const Table& table, const RedistributionProblem& problem, const Cells& paper) {
  TableComparison result;
  result.csv = "sender,receiver,length,sluice,paper\n";
  const PaperLengths lengths = lengths_of(problem);
  const StepSchedule schedule = schedule_of(table, problem);
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> steps;
  for (std::size_t t = 0; t < schedule.steps.size(); ++t)
    for (const Transfer& transfer : schedule.steps[t].transfers) steps[{transfer.from, transfer.to}] = letter(t);

  std::map<std::string, std::int64_t> paper_durations;
  std::set<std::pair<std::string, std::int64_t>> busy_senders, busy_receivers;
  bool is_matching = true;
  for (std::int64_t p = 0; p < schedule.senders; ++p) {
    for (std::int64_t q = 0; q < schedule.receivers; ++q) {
      const std::string& theirs = paper[p + 1][q + 1];
      const auto found = steps.find({p, q});
      const std::string ours = found == steps.end() ? "" : found->second;
      const auto length = lengths.find({p, q});
      result.compare(fmt::format("a step from {} to {}", p, q), ours.empty() ? "no" : "yes",
                     theirs.empty() ? "no" : "yes", Cause::kUnknown);
      if (ours.empty() && theirs.empty()) continue;
      result.csv +=
          fmt::format("{},{},{},{},{}\n", p, q, length == lengths.end() ? "" : text(length->second), ours, theirs);
      if (theirs.empty() || length == lengths.end()) continue;
      std::int64_t& duration = paper_durations[theirs];
      duration = std::max(duration, length->second);
      is_matching = busy_senders.emplace(theirs, p).second && is_matching;
      is_matching = busy_receivers.emplace(theirs, q).second && is_matching;
    }
  }
  result.compare("every step a matching, every message sent once",
                 validate(schedule, problem.traffic()).empty() ? "yes" : "no", is_matching ? "yes" : "no",
                 Cause::kUnknown);
  const Figures ours = figures_of(schedule);
  Figures theirs{paper_durations.size(), 0};
  for (const auto& [step, duration] : paper_durations) theirs.total += duration;
  const Cause cause = free_choice(table, ours, theirs);
  result.compare("steps", text(ours.steps), text(theirs.steps), cause);
  result.compare("total", text(ours.total), text(theirs.total), cause);
  return result;
}

TableComparison compare_cost(const Table& table, const RedistributionProblem& problem, const Cells& paper) {
  TableComparison result;
  result.csv = "step,sluice,paper\n";
  const StepSchedule schedule = schedule_of(table, problem);
  const Figures ours = figures_of(schedule);
  const Figures theirs{paper.size() - 2, std::stoll(paper.back()[1])};  // without the title and the total
  const Cause cause = free_choice(table, ours, theirs);
  result.compare("steps", text(ours.steps), text(theirs.steps), cause);
  for (std::size_t t = 0; t < std::max(ours.steps, theirs.steps); ++t) {
    const std::string our_cost = t < ours.steps ? text(schedule.steps[t].duration) : "";
    const std::string their_cost = t < theirs.steps ? paper[t + 1][1] : "";
    result.csv += fmt::format("{},{},{}\n", letter(t), our_cost, their_cost);
    result.compare("cost of step " + letter(t), our_cost, their_cost, cause);
  }
  result.csv += fmt::format("total,{},{}\n", ours.total, theirs.total);
  result.compare("total", text(ours.total), text(theirs.total), cause);
  return result;
}

TableComparison compare(std::size_t number) {
  const Table& table = kTables[number - 1];
  const Cells paper = cells_of(kPaperTables[number - 1]);
  const RedistributionProblem problem = one_slice(parse_layout(table.from, "from"), parse_layout(table.to, "to"));
  switch (table.content) {
    case Content::kGrid:
      return compare_grid(number, problem, paper);
    case Content::kSteps:
      return compare_steps(table, problem, paper);
    case Content::kCost:
      break;
  }
  return compare_cost(table, problem, paper);
}

std::string or_none(const std::string& value) { return value.empty() ? "none" : value; }

const char* name_of(Content content) {
  switch (content) {
    case Content::kGrid:
      return "messages";
    case Content::kSteps:
      return "steps";
    case Content::kCost:
      break;
  }
  return "costs";
}

const char* name_of(Cause cause) {
  switch (cause) {
    case Cause::kMisprint:
      return "misprints of the paper";
    case Cause::kLower:
      return "schedules cheaper than the paper's";
    case Cause::kTies:
      return "ties between matchings, free to fall either way";
    case Cause::kUnknown:
      break;
  }
  return "UNEXPLAINED";
}

}  // namespace

int study_redistribute_tables(const StudyTask& task) {
  const std::string& folder = task.folder;
  make_folder(folder);
  std::vector<TableComparison> comparisons;
  {
    const Progress progress(kTables.size());
    for (std::size_t number = 1; number <= kTables.size(); ++number) {
      progress.show(static_cast<std::int64_t>(number) - 1, fmt::format("Table {}", number));
      comparisons.push_back(compare(number));
    }
  }

  using Align = TextTable::Align;
  TextTable shown({{"table"},
                   {"example"},
                   {"layouts", Align::kLeft},
                   {"shows", Align::kLeft},
                   {"algorithm", Align::kLeft},
                   {"values"},
                   {"agree"}});
  std::string summary = "table,example,from,to,shows,algorithm,values,agree,differences\n";
  std::string details;
  int values = 0, agree = 0;
  std::map<Cause, std::vector<std::string>> differing;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    const Table& table = kTables[i];
    const TableComparison& comparison = comparisons[i];
    const int agreeing = comparison.values - static_cast<int>(comparison.differences.size());
    values += comparison.values;
    agree += agreeing;
    shown.add_row({fmt::format("{}", i + 1), table.example, fmt::format("{} -> {}", table.from, table.to),
                   name_of(table.content), table.algorithm, text(comparison.values), text(agreeing)});
    std::vector<std::string> notes;
    for (const Difference& difference : comparison.differences) {
      notes.push_back(
          fmt::format("{}: {} (paper: {})", difference.what, or_none(difference.ours), or_none(difference.paper)));
      details += fmt::format("Table {}, {}\n", i + 1, notes.back());
      differing[difference.cause].push_back(fmt::format("Table {} {}", i + 1, difference.what));
    }
    summary +=
        fmt::format("{},{},{},{},{},{},{},{},\"{}\"\n", i + 1, table.example, table.from, table.to,
                    name_of(table.content), table.algorithm, comparison.values, agreeing, fmt::join(notes, "; "));
  }
  for (std::size_t i = 0; i < comparisons.size(); ++i)
    write_file_atomically(fmt::format("{}/table{:02}.csv", folder, i + 1), comparisons[i].csv);
  write_file_atomically(folder + "/summary.csv", summary);

  std::string last = fmt::format("{} of {} values agree", agree, values);
  for (const auto& [cause, where] : differing) last += fmt::format("; {}: {}", name_of(cause), fmt::join(where, ", "));
  tell(shown.text() + '\n' + details + (details.empty() ? "" : "\n") + last + fmt::format("\nwritten to {}\n", folder));
  return differing.count(Cause::kUnknown) > 0 ? kCheckFailed : kDone;
}

}  // namespace sluice::command
