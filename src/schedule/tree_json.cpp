#include "sluice/schedule/tree_json.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <istream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "input/json_text.hpp"
#include "input/strict_json.hpp"
#include "schedule/schedule_schema.hpp"
#include "sluice/error.hpp"

namespace sluice {
namespace {

using detail::append_json_number;
using detail::json_string;

// ---- writing

void append_transfer(std::string& out, const TimedTransfer& t, bool segmented) {
  fmt::format_to(std::back_inserter(out), FMT_COMPILE(R"({{"from": {}, "to": {}, "start": )"), t.from, t.to);
  append_json_number(out, t.start, "start");
  out += R"(, "end": )";
  append_json_number(out, t.end, "end");
  if (segmented) fmt::format_to(std::back_inserter(out), FMT_COMPILE(R"(, "segment": {})"), t.segment);
  if (t.port != 0) {
    out += R"(, "port": )";
    append_json_number(out, t.port, "port");
  }
  out += '}';
}

void append_numbers(std::string& out, const std::vector<double>& numbers, const char* name) {
  out += '[';
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out += ", ";
    append_json_number(out, numbers[i], name);
  }
  out += ']';
}

/// Appends the cost of all, or the costs of single machines or pairs.
void append_costs(std::string& out, const char* name, double of_all, const std::vector<double>& single) {
  fmt::format_to(std::back_inserter(out), R"(, "{}{}": )", name, single.empty() ? "" : "_costs");
  if (single.empty())
    append_json_number(out, of_all, name);
  else
    append_numbers(out, single, name);
}

// ---- reading

class TreeHandler : public detail::StrictJsonHandler {
 public:
  TreeHandler(const detail::JsonSource& source, std::string file) : StrictJsonHandler(source, std::move(file)) {
    shapes() = {
        {"a schedule",
         {{.name = "schema", .text = &schema_, .choices = {detail::kScheduleSchema}},
          {.name = "type", .text = &type_, .choices = {"tree"}},
          {.name = "problem", .text = &result_.problem, .choices = {"reduce", "broadcast"}},
          {.name = "algorithm", .text = &result_.algorithm},
          {.name = "machines", .integer = &result_.machines},
          {.name = "root", .integer = &result_.root},
          {.name = "transfer", .required = false, .optional_number = &transfer_cost_},
          {.name = "compute", .required = false, .optional_number = &compute_},
          {.name = "transfer_costs", .required = false, .numbers = &result_.transfer_costs},
          {.name = "compute_costs", .required = false, .numbers = &result_.compute_costs},
          {.name = "over_links", .required = false, .flag = &result_.over_links},
          {.name = "max_transfers", .required = false, .optional_integer = &result_.max_transfers},
          {.name = "max_reducers", .required = false, .optional_integer = &result_.max_reducers},
          {.name = "commutative", .required = false, .flag = &result_.commutative},
          {.name = "segments", .required = false, .integer = &result_.segments},
          {.name = "arrivals", .required = false, .numbers = &result_.arrivals},
          {.name = "transfers", .objects = kTransfer},
          {.name = "length", .number = &result_.length},
          {.name = "bound", .object = kBound}}},
        {"a transfer",
         {{.name = "from", .integer = &transfer_.from},
          {.name = "to", .integer = &transfer_.to},
          {.name = "start", .number = &transfer_.start},
          {.name = "end", .number = &transfer_.end},
          {.name = "segment", .required = false, .integer = &transfer_.segment},
          {.name = "port", .required = false, .number = &transfer_.port}}},
        {"a bound",
         {{.name = "lower", .number = &result_.bound.lower}, {.name = "upper", .number = &result_.bound.upper}}}};
  }

  TreeSchedule take() { return std::move(result_); }

 private:
  enum : int { kSchedule, kTransfer, kBound };

  void opened(int shape) override {
    if (shape == kTransfer) transfer_ = {};
  }
  void closed(int shape) override {
    if (shape == kTransfer) result_.transfers.push_back(transfer_);
    if (shape != kSchedule) return;
    const bool costs = result_.problem == "reduce" && !result_.over_links;
    const auto check = [&](const char* name, const std::optional<double>& cost, const std::vector<double>& single) {
      if (cost.has_value() && !single.empty())
        fail_object(fmt::format(R"("{0}" and "{0}_costs")", name), "one of the two");
      if ((cost.has_value() || !single.empty()) != costs)
        fail_object(
            fmt::format(R"(problem "{}"{} with{} "{}")", result_.problem, result_.over_links ? " over links" : "",
                        costs ? "out" : "", name),
            R"("transfer" and "compute", or "transfer_costs" and "compute_costs", for "reduce", and only for it)");
    };
    check("transfer", transfer_cost_, result_.transfer_costs);
    check("compute", compute_, result_.compute_costs);
    result_.transfer = transfer_cost_.value_or(0);
    result_.compute = compute_.value_or(0);
  }

  TreeSchedule result_;
  TimedTransfer transfer_;
  std::string schema_;
  std::string type_;
  std::optional<double> transfer_cost_;
  std::optional<double> compute_;
};

}  // namespace

std::string to_json(const TreeSchedule& schedule) {
  std::string out = fmt::format(
      R"({{"schema": "{}", "type": "tree", "problem": {}, "algorithm": {},
 "machines": {}, "root": {})",
      detail::kScheduleSchema, json_string(schedule.problem, "problem"), json_string(schedule.algorithm, "algorithm"),
      schedule.machines, schedule.root);
  if (schedule.over_links) {
    out += R"(, "over_links": true)";
  } else if (schedule.problem == "reduce") {
    append_costs(out, "transfer", schedule.transfer, schedule.transfer_costs);
    append_costs(out, "compute", schedule.compute, schedule.compute_costs);
  }
  const char* between = ",\n ";
  const auto extra = [&](const std::string& name_and_value) {
    out += between + name_and_value;
    between = ", ";
  };
  if (schedule.max_transfers) extra(fmt::format(R"("max_transfers": {})", *schedule.max_transfers));
  if (schedule.max_reducers) extra(fmt::format(R"("max_reducers": {})", *schedule.max_reducers));
  if (!schedule.commutative) extra(R"("commutative": false)");
  if (schedule.segments != 1) extra(fmt::format(R"("segments": {})", schedule.segments));
  if (!schedule.arrivals.empty()) {
    extra(R"("arrivals": )");
    append_numbers(out, schedule.arrivals, "arrivals");
  }
  out += ",\n \"transfers\": [";
  const char* between_transfers = "\n  ";
  for (const TimedTransfer& t : schedule.transfers) {
    out += between_transfers;
    append_transfer(out, t, schedule.segments != 1);
    between_transfers = ",\n  ";
  }
  out += "],\n \"length\": ";
  append_json_number(out, schedule.length, "length");
  out += R"(, "bound": {"lower": )";
  append_json_number(out, schedule.bound.lower, "bound");
  out += R"(, "upper": )";
  append_json_number(out, schedule.bound.upper, "bound");
  out += "}}\n";
  return out;
}

TreeSchedule read_tree_schedule(std::istream& in, const std::string& file) {
  detail::JsonSource source(in.rdbuf());
  TreeHandler handler(source, file);
  detail::read_strict_json(in, file, source, handler);
  return handler.take();
}

}  // namespace sluice
