#include "run_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "command.hpp"
#include "output.hpp"
#include "ranks.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

std::string to_json(const RunSubject& subject, const compare::Comparison& comparison) {
  using nlohmann::ordered_json;
  ordered_json file{{"schema", "sluice.run/1"},        {"problem", subject.problem},
                    {"ranks", comparison.ranks},       {"bytes_moved", comparison.bytes_moved},
                    {"verified", comparison.verified}, {"repetitions", comparison.repetitions},
                    {"methods", ordered_json::array()}};
  if (subject.max_transfers > 0) file["max_transfers"] = subject.max_transfers;
  if (subject.bound_s > 0) file["bound_s"] = subject.bound_s;
  if (!comparison.left_out.empty()) file["left_out"] = comparison.left_out;
  // Times of wrong results do not count.
  if (comparison.verified) {
    for (const compare::MethodResult& method : comparison.methods) {
      ordered_json row{{"name", method.name},
                       {"median_s", method.median_s},
                       {"min_s", method.min_s},
                       {"max_s", method.max_s},
                       {"peak_extra_bytes", method.peak_extra_bytes}};
      if (method.predicted_s) row["predicted_s"] = *method.predicted_s;
      if (!method.how.empty()) row["how"] = method.how;
      file["methods"].push_back(std::move(row));
    }
  } else {
    file["failures"] = comparison.failures;
  }
  return file.dump(1) + '\n';
}

std::string to_text(const RunSubject& subject, const compare::Comparison& comparison) {
  using Align = TextTable::Align;
  std::string text = subject.title + '\n';
  for (const std::string& note : subject.notes) text += note + '\n';
  text += fmt::format("{} ranks, {} repetitions, methods in turns\n\n", comparison.ranks, comparison.repetitions);
  for (const std::string& why : comparison.left_out) text += fmt::format("left out: {}\n", why);
  if (!comparison.left_out.empty()) text += '\n';
  if (!comparison.verified) {
    for (const std::string& failure : comparison.failures) text += failure + '\n';
    return text + "not verified: no times\n";
  }
  const double reference = comparison.methods.front().median_s;
  std::vector<TextTable::Column> columns{
      {"method", Align::kLeft}, {"median"}, {"min"}, {"max"}, {"rate"}, {"/ " + comparison.methods.front().name},
      {"extra memory"},         {"of data"}};
  if (subject.bound_s > 0) columns.push_back({"/ bound"});
  const bool predicted =
      std::any_of(comparison.methods.begin(), comparison.methods.end(),
                  [](const compare::MethodResult& method) { return method.predicted_s.has_value(); });
  if (predicted) columns.insert(columns.end(), {{"predicted"}, {"/ predicted"}});
  const bool explained =
      std::ranges::any_of(comparison.methods, [](const auto& method) { return !method.how.empty(); });
  if (explained) columns.push_back({"how", Align::kLeft});
  TextTable table(columns);
  for (const compare::MethodResult& method : comparison.methods) {
    const double rate = method.median_s > 0 ? static_cast<double>(comparison.bytes_moved) / method.median_s : 0;
    const double percent = subject.largest_part > 0 ? 100 * static_cast<double>(method.peak_extra_bytes) /
                                                          static_cast<double>(subject.largest_part)
                                                    : 0;
    std::vector<std::string> cells{method.name,
                                   seconds_text(method.median_s),
                                   seconds_text(method.min_s),
                                   seconds_text(method.max_s),
                                   bytes_text(static_cast<std::int64_t>(rate)) + "/s",
                                   ratio_text(method.median_s, reference),
                                   bytes_text(method.peak_extra_bytes),
                                   subject.largest_part > 0 ? fmt::format("{:.1f} %", percent) : "-"};
    if (subject.bound_s > 0) cells.push_back(ratio_text(method.median_s, subject.bound_s));
    if (predicted) {
      cells.push_back(method.predicted_s ? seconds_text(*method.predicted_s) : "-");
      cells.push_back(method.predicted_s && *method.predicted_s > 0 ? ratio_text(method.median_s, *method.predicted_s)
                                                                    : "-");
    }
    if (explained) cells.push_back(method.how);
    table.add_row(std::move(cells));
  }
  text += table.text();
  if (subject.bound_s > 0) text += fmt::format("bound: {}, by the speeds given\n", seconds_text(subject.bound_s));
  if (!comparison.peak_measured)
    text += "extra memory is what each method allocates itself: the system does not tell a process its peak\n";
  return text + fmt::format("\nverified: every byte of {} after each method, before its times counted\n",
                            bytes_text(comparison.bytes_moved));
}

}  // namespace

int show_run(const RunSubject& subject, const compare::Comparison& comparison, const std::string& json) {
  Ranks::once([&] {
    if (json == "-") {
      print(to_json(subject, comparison));
      return;
    }
    if (!json.empty()) write_file_atomically(json, to_json(subject, comparison));
    print(to_text(subject, comparison));
  });
  return comparison.verified ? kDone : kCheckFailed;
}

}  // namespace sluice::command
