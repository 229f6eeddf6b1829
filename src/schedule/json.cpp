#include "sluice/schedule/json.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <istream>
#include <iterator>
#include <utility>

#include "input/decimal_number.hpp"
#include "input/json_text.hpp"
#include "input/shown_text.hpp"
#include "input/speeds_json.hpp"
#include "input/strict_json.hpp"
#include "schedule/input_json.hpp"
#include "schedule/schedule_schema.hpp"
#include "schedule/stated_cost.hpp"
#include "schedule/totals.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/local_phases.hpp"

namespace sluice {
namespace {

using detail::shown;

// ---- writing

/// In units of 10^-decimals.
std::string number_text(double value, std::int32_t decimals, const char* field) {
  if (decimals > 0 && std::isfinite(value)) return price_text(value, decimals);
  std::string text;
  detail::append_json_number(text, value, field);
  return text;
}

std::string cost_object(const Cost& cost, std::int32_t decimals, const char* field) {
  return fmt::format(R"({{"steps": {}, "transmission": {}, "total": {}}})", cost.steps,
                     decimal_text(cost.transmission, decimals), number_text(cost.total, decimals, field));
}

/// Appends `transfers` with a separator between them; Amount(int64) makes of a size what is written.
template <class Amount>
void append_transfers(std::string& out, const std::vector<Transfer>& transfers, Amount amount) {
  auto end = std::back_inserter(out);
  const char* between = "";
  for (const Transfer& t : transfers) {
    fmt::format_to(end, FMT_COMPILE(R"({}{{"from": {}, "to": {}, "offset": {}, "size": {}}})"), between, t.from, t.to,
                   amount(t.offset), amount(t.size));
    between = ", ";
  }
}

template <class Amount>
void append_step(std::string& out, const Step& step, bool switches, Amount amount) {
  auto end = std::back_inserter(out);
  *end++ = '{';
  if (switches || step.on_switch != 0) fmt::format_to(end, FMT_COMPILE(R"("switch": {}, )"), step.on_switch);
  fmt::format_to(end, FMT_COMPILE(R"("duration": {}, "transfers": [)"), amount(step.duration));
  append_transfers(out, step.transfers, amount);
  out += "]}";
}

// ---- reading

using detail::JsonField;
using detail::WrittenNumber;

/// Sizes are kept as integers in a unit that grows finer as fractions come up; prices and totals wait for it.
class ScheduleHandler : public detail::StrictJsonHandler {
 public:
  ScheduleHandler(const detail::JsonSource& source, std::string file) : StrictJsonHandler(source, std::move(file)) {
    StepSchedule& s = result_.schedule;
    const std::vector<std::string_view> bounds{"eta", "splits", "backbone", "lp", "exact"};
    shapes() = {{"a schedule",
                 {{.name = "schema", .text = &schema_, .choices = {detail::kScheduleSchema}},
                  {.name = "type", .text = &type_, .choices = {"steps"}},
                  {.name = "problem", .text = &s.problem, .choices = {"redistribute", "exchange"}},
                  {.name = "algorithm", .text = &s.algorithm},
                  {.name = "senders", .integer = &s.senders},
                  {.name = "receivers", .integer = &s.receivers},
                  {.name = "max_transfers", .integer = &s.max_transfers},
                  {.name = "setup", .written = &setup_},
                  {.name = "switches", .required = false, .integer = &s.switches},
                  {.name = "speeds", .required = false, .object = kSpeeds},
                  {.name = "input", .required = false, .object = kInput},
                  {.name = "steps", .objects = kStep},
                  {.name = "copies", .required = false, .objects = kCopy},
                  {.name = "cost", .object = kCost},
                  {.name = "bound", .object = kBound},
                  {.name = "certificate", .required = false, .object = kCertificate},
                  {.name = "local_phases", .required = false, .object = kLocalPhases}}},
                {"an input", input_.fields(kInputArray)},
                {"a step",
                 {{.name = "switch", .required = false, .integer = &step_.on_switch},
                  {.name = "duration", .size = &step_.duration},
                  {.name = "transfers", .objects = kTransfer}}},
                {"a transfer", transfer_fields()},
                {"a copy", transfer_fields()},
                {"a cost", cost_fields(result_.stated_cost, cost_total_)},
                {"a bound", cost_fields(s.bound, bound_total_)},
                {"local phases",
                 {{.name = "unit_cost", .written = &unit_cost_},
                  {.name = "routes", .objects = kRoute},
                  {.name = "before", .object = kBefore},
                  {.name = "after", .object = kAfter},
                  {.name = "total", .written = &local_total_}}},
                {"a route",
                 {{.name = "from", .integer = &route_.from},
                  {.name = "to", .integer = &route_.to},
                  {.name = "offset", .size = &route_.offset},
                  {.name = "size", .size = &route_.size},
                  {.name = "carrier", .integer = &route_.carrier},
                  {.name = "landing", .integer = &route_.landing}}},
                {"a local phase", phase_fields(before_, kBeforeCost, kBeforeBound)},
                {"a cost", cost_fields(before_.phase.cost, before_.cost_total)},
                {"a bound", cost_fields(before_.phase.bound, before_.bound_total)},
                {"a local phase", phase_fields(after_, kAfterCost, kAfterBound)},
                {"a cost", cost_fields(after_.phase.cost, after_.cost_total)},
                {"a bound", cost_fields(after_.phase.bound, after_.bound_total)},
                {"a certificate",
                 {{.name = "total", .text = &certificate_.total, .choices = bounds},
                  {.name = "transmission", .object = kTransmissionWitness},
                  {.name = "steps", .object = kStepsWitness},
                  {.name = "size_prices", .required = false, .numbers = &certificate_.size_prices},
                  {.name = "piece_prices", .required = false, .numbers = &certificate_.piece_prices},
                  {.name = "durations", .required = false, .numbers = &certificate_.durations},
                  {.name = "node_prices", .required = false, .objects = kPricedNode}}},
                {"a witness", witness_fields(certificate_.transmission)},
                {"a witness", witness_fields(certificate_.steps)},
                {"a priced node", priced_node_fields()},
                {"speeds", speeds_.fields(kBackboneChange)},
                {"a change of the backbone", speeds_.change_fields()},
                {"an array", input_.array_fields()}};
  }

  ScheduleFile take() { return std::move(result_); }

 private:
  enum : int {
    kSchedule,
    kInput,
    kStep,
    kTransfer,
    kCopy,
    kCost,
    kBound,
    kLocalPhases,
    kRoute,
    kBefore,
    kBeforeCost,
    kBeforeBound,
    kAfter,
    kAfterCost,
    kAfterBound,
    kCertificate,
    kTransmissionWitness,
    kStepsWitness,
    kPricedNode,
    kSpeeds,
    kBackboneChange,
    kInputArray
  };

  /// What the file says of a local phase, whose prices wait for the unit of the sizes.
  struct WrittenPhase {
    LocalPhase phase;
    WrittenNumber setup, cost_total, bound_total;
  };

  static std::vector<JsonField> cost_fields(Cost& cost, WrittenNumber& total) {
    return {{.name = "steps", .integer = &cost.steps},
            {.name = "transmission", .size = &cost.transmission},
            {.name = "total", .written = &total}};
  }
  std::vector<JsonField> transfer_fields() {
    return {{.name = "from", .integer = &transfer_.from},
            {.name = "to", .integer = &transfer_.to},
            {.name = "offset", .size = &transfer_.offset},
            {.name = "size", .size = &transfer_.size}};
  }
  static std::vector<JsonField> witness_fields(BoundCertificate::Witness& witness) {
    return {{.name = "of", .text = &witness.of, .choices = {"sender", "receiver", "all"}},
            {.name = "node", .required = false, .integer = &witness.node}};
  }
  std::vector<JsonField> priced_node_fields() {
    std::vector<JsonField> fields = witness_fields(priced_node_.who);
    fields.push_back({.name = "prices", .numbers = &priced_node_.prices});
    return fields;
  }
  static std::vector<JsonField> phase_fields(WrittenPhase& phase, int cost, int bound) {
    return {{.name = "setup", .written = &phase.setup},
            {.name = "steps", .objects = kStep},
            {.name = "cost", .object = cost},
            {.name = "bound", .object = bound}};
  }

  void opened(int shape) override {
    if (shape == kStep) {
      step_.transfers.clear();
      step_.on_switch = 0;
    }
    if (shape == kPricedNode) priced_node_ = {};
    if (shape == kBefore) steps_ = &before_.phase.steps;
    if (shape == kAfter) steps_ = &after_.phase.steps;
  }
  void closed(int shape) override {
    if (shape == kTransfer) step_.transfers.push_back(transfer_);
    if (shape == kCopy) schedule().copies.push_back(transfer_);
    if (shape == kStep) steps_->push_back(step_);  // a copy: as small as it can be
    if (shape == kInputArray) input_.add_array();
    if (shape == kInput) {
      if (const std::string fault = input_.fault(); !fault.empty()) fail_object(fault, detail::kInputExpected);
      schedule().input = input_.take();
    }
    if (shape == kRoute) routes_.push_back(route_);
    if (shape == kBefore || shape == kAfter) steps_ = &schedule().steps;
    if (shape == kLocalPhases) has_local_phases_ = true;
    if (shape == kPricedNode) certificate_.node_prices.push_back(priced_node_);
    if (shape == kCertificate) result_.certificate = std::move(certificate_);
    if (shape == kBackboneChange) speeds_.add_change();
    if (shape == kSpeeds) {
      if (const std::string bad = speeds_.bad_speed(); !bad.empty())
        fail_object("a speed of " + bad, detail::kSpeedExpected);
    }
    if (shape != kSchedule) return;
    schedule().setup = in_units(setup_);
    schedule().bound.total = in_units(bound_total_);
    result_.stated_cost.total = in_units(cost_total_);
    schedule().speeds = speeds_.read([&](const WrittenNumber& number) { return in_units(number); });
    if (has_local_phases_) finish_local_phases();
  }

  void take_size(std::int64_t& size, std::int64_t value) override {
    size = value;
    if (schedule().decimals > 0 && !detail::multiply(size, schedule().decimals))
      no_common_unit(fmt::format("{}", value));
  }
  void take_size(std::int64_t& size, const std::string& as_written) override {
    const char* at = as_written.data();
    detail::DecimalNumber number;
    const bool read = detail::parse_decimal(at, at + as_written.size(), number);
    SLUICE_ASSERT(read, as_written);
    const std::int32_t needed = detail::decimals_needed(number);
    if (needed > kMaxDecimals || !detail::scaled(number, 0)) unexpected(shown(as_written));
    if (needed > schedule().decimals && !refine_unit(needed)) no_common_unit(as_written);
    const auto units = detail::scaled(number, schedule().decimals);
    if (!units) no_common_unit(as_written);
    size = *units;
  }

  StepSchedule& schedule() { return result_.schedule; }

  /// Changes all that has been read to more decimals; false if something does not fit.
  bool refine_unit(std::int32_t decimals) {
    const std::int32_t more = decimals - schedule().decimals;
    const auto refine_piece = [&](auto& piece) {
      return detail::multiply(piece.offset, more) && detail::multiply(piece.size, more);
    };
    const auto refine_step = [&](Step& step) {
      return detail::multiply(step.duration, more) &&
             std::all_of(step.transfers.begin(), step.transfers.end(), refine_piece);
    };
    const auto refine = [&](std::vector<Step>& steps, Cost& stated_cost, Cost& bound) {
      return std::all_of(steps.begin(), steps.end(), refine_step) && detail::multiply(stated_cost.transmission, more) &&
             detail::multiply(bound.transmission, more);
    };
    const auto refine_phase = [&](LocalPhase& phase) { return refine(phase.steps, phase.cost, phase.bound); };
    schedule().decimals = decimals;
    std::vector<Transfer>& copies = schedule().copies;
    return refine(schedule().steps, result_.stated_cost, schedule().bound) && refine_step(step_) &&
           refine_piece(transfer_) && std::all_of(copies.begin(), copies.end(), refine_piece) &&
           refine_phase(before_.phase) && refine_phase(after_.phase) &&
           std::all_of(routes_.begin(), routes_.end(), refine_piece) && refine_piece(route_);
  }

  [[noreturn]] void no_common_unit(const std::string& as_written) {
    fail(fmt::format("\"{}\": {} beside sizes with {}", scalar()->name, shown(as_written),
                     count_text(schedule().decimals, "decimal")),
         "sizes that fit 64-bit integers in their smallest unit");
  }

  /// `number` in the unit of the sizes.
  double in_units(const WrittenNumber& number) {
    if (schedule().decimals == 0) return number.value;
    const double value = detail::nearest_double(number.text, schedule().decimals);
    if (!std::isfinite(value))
      fail(fmt::format("{} beside sizes with {}", shown(number.text), count_text(schedule().decimals, "decimal")),
           "a number that a double holds in their smallest unit");
    return value;
  }

  /// Once the unit of the sizes is known.
  void finish_local_phases() {
    const auto finish = [&](WrittenPhase& written) {
      written.phase.setup = in_units(written.setup);
      written.phase.cost.total = in_units(written.cost_total);
      written.phase.bound.total = in_units(written.bound_total);
      return std::move(written.phase);
    };
    LocalPhases phases;
    phases.unit_cost = unit_cost_.value;
    phases.routes = std::move(routes_);
    phases.before = finish(before_);
    phases.after = finish(after_);
    phases.total = in_units(local_total_);
    schedule().local_phases = std::move(phases);
  }

  ScheduleFile result_;
  std::string schema_;
  std::string type_;
  detail::WrittenInput input_;
  WrittenNumber setup_;
  WrittenNumber cost_total_;
  WrittenNumber bound_total_;
  std::vector<Step>* steps_ = &result_.schedule.steps;  // the steps being read: of the schedule or of a local phase
  Step step_;
  Transfer transfer_;
  BoundCertificate certificate_;
  BoundCertificate::PricedNode priced_node_;
  detail::WrittenSpeeds speeds_;
  bool has_local_phases_ = false;
  WrittenNumber unit_cost_;
  WrittenNumber local_total_;
  std::vector<Route> routes_;
  Route route_;
  WrittenPhase before_;
  WrittenPhase after_;
};

void check_stated_cost(const ScheduleFile& file, std::vector<Violation>& violations) {
  for (std::string& fault : detail::stated_cost_faults(file.stated_cost, file.schedule, "schedule"))
    violations.push_back({-1, -1, std::move(fault)});
}

/// Appends `steps` as an array, one line per step, each begun by `indent`.
/// `switches`: with the switch of each.
void append_steps(std::string& out, const std::vector<Step>& steps, bool switches, std::int32_t decimals,
                  const char* indent) {
  out += '[';
  const char* between = "\n";
  for (const Step& step : steps) {
    out += between;
    out += indent;
    if (decimals == 0)
      append_step(out, step, switches, [](std::int64_t size) { return size; });
    else
      append_step(out, step, switches, [&](std::int64_t size) { return decimal_text(size, decimals); });
    between = ",\n";
  }
  out += ']';
}

void append_phase(std::string& out, const char* name, const LocalPhase& phase, std::int32_t decimals) {
  out += fmt::format(R"(  "{}": {{"setup": {}, "steps": )", name, number_text(phase.setup, decimals, "setup"));
  append_steps(out, phase.steps, false, decimals, "    ");
  out += fmt::format(",\n   \"cost\": {},\n   \"bound\": {}}},\n", cost_object(phase.cost, decimals, "cost"),
                     cost_object(phase.bound, decimals, "bound"));
}

void append_local_phases(std::string& out, const LocalPhases& phases, std::int32_t decimals) {
  out += fmt::format(",\n \"local_phases\": {{\"unit_cost\": {},\n  \"routes\": [",
                     number_text(phases.unit_cost, 0, "unit_cost"));
  const char* between = "\n    ";
  for (const Route& route : phases.routes) {
    fmt::format_to(std::back_inserter(out),
                   FMT_COMPILE(R"({}{{"from": {}, "to": {}, "offset": {}, "size": {}, "carrier": {}, "landing": {}}})"),
                   between, route.from, route.to, decimal_text(route.offset, decimals),
                   decimal_text(route.size, decimals), route.carrier, route.landing);
    between = ",\n    ";
  }
  out += "],\n";
  append_phase(out, "before", phases.before, decimals);
  append_phase(out, "after", phases.after, decimals);
  out += fmt::format("  \"total\": {}}}", number_text(phases.total, decimals, "total"));
}

void append_speeds(std::string& out, const NetworkSpeeds& speeds, std::int32_t decimals) {
  constexpr std::int32_t kSpeedDecimals = 6;
  const char* between = "\n  ";
  const auto append_list = [&](const char* name, const std::vector<std::int64_t>& all) {
    if (all.empty()) return;
    out += fmt::format("{}\"{}\": [", between, name);
    const char* comma = "";
    for (const std::int64_t speed : all) {
      out += comma + decimal_text(speed, kSpeedDecimals);
      comma = ", ";
    }
    out += ']';
    between = ",\n  ";
  };
  out += " \"speeds\": {";
  append_list("senders", speeds.senders);
  append_list("receivers", speeds.receivers);
  if (!speeds.backbone.empty()) {
    out += fmt::format("{}\"backbone\": [", between);
    const char* comma = "";
    for (const BackboneChange& change : speeds.backbone) {
      out += fmt::format(R"({}{{"time": {}, "max_transfers": {}}})", comma, number_text(change.time, decimals, "time"),
                         change.max_transfers);
      comma = ", ";
    }
    out += ']';
  }
  out += "},\n";
}

std::string witness_text(const BoundCertificate::Witness& witness) {
  return witness.of == "all" ? R"("of": "all")" : fmt::format(R"("of": "{}", "node": {})", witness.of, witness.node);
}

void append_prices(std::string& out, const char* name, const std::vector<double>& prices) {
  out += fmt::format(",\n  \"{}\": [", name);
  const char* between = "";
  for (const double price : prices) {
    out += between;
    detail::append_json_number(out, price, name);
    between = ", ";
  }
  out += ']';
}

void append_certificate(std::string& out, const BoundCertificate& certificate) {
  out += fmt::format(",\n \"certificate\": {{\"total\": {}, \"transmission\": {{{}}}, \"steps\": {{{}}}",
                     detail::json_string(certificate.total, "total"), witness_text(certificate.transmission),
                     witness_text(certificate.steps));
  if (!certificate.size_prices.empty()) append_prices(out, "size_prices", certificate.size_prices);
  if (!certificate.piece_prices.empty()) append_prices(out, "piece_prices", certificate.piece_prices);
  if (!certificate.durations.empty()) append_prices(out, "durations", certificate.durations);
  if (!certificate.node_prices.empty()) {
    out += ",\n  \"node_prices\": [";
    const char* between = "\n   {";
    for (const BoundCertificate::PricedNode& each : certificate.node_prices) {
      out += between + witness_text(each.who);
      append_prices(out, "prices", each.prices);
      out += '}';
      between = ",\n   {";
    }
    out += ']';
  }
  out += '}';
}

}  // namespace

std::string to_json(const StepSchedule& schedule, const std::optional<BoundCertificate>& certificate) {
  if (schedule.decimals < 0 || schedule.decimals > kMaxDecimals)
    throw InputError("decimals", fmt::format("{}", schedule.decimals), fmt::format("0 to {}", kMaxDecimals));
  std::string out = fmt::format(
      R"({{"schema": "{}", "type": "steps", "problem": {}, "algorithm": {},
 "senders": {}, "receivers": {}, "max_transfers": {}, "setup": {},{}
)",
      detail::kScheduleSchema, detail::json_string(schedule.problem, "problem"),
      detail::json_string(schedule.algorithm, "algorithm"), schedule.senders, schedule.receivers,
      schedule.max_transfers, number_text(schedule.setup, schedule.decimals, "setup"),
      schedule.switches == 1 ? "" : fmt::format(R"( "switches": {},)", schedule.switches));
  if (!schedule.speeds.empty()) append_speeds(out, schedule.speeds, schedule.decimals);
  if (schedule.input) detail::append_input(out, *schedule.input);
  out += R"( "steps": )";
  append_steps(out, schedule.steps, schedule.switches != 1, schedule.decimals, "  ");
  if (!schedule.copies.empty()) {
    out += ",\n \"copies\": [";
    append_transfers(out, schedule.copies, [&](std::int64_t size) { return decimal_text(size, schedule.decimals); });
    out += ']';
  }
  out += fmt::format(",\n \"cost\": {},\n \"bound\": {}", cost_object(cost(schedule), schedule.decimals, "cost"),
                     cost_object(schedule.bound, schedule.decimals, "bound"));
  if (certificate) append_certificate(out, *certificate);
  if (schedule.local_phases) append_local_phases(out, *schedule.local_phases, schedule.decimals);
  out += "}\n";
  return out;
}

ScheduleFile read_schedule(std::istream& in, const std::string& file) {
  detail::JsonSource source(in.rdbuf());
  ScheduleHandler handler(source, file);
  detail::read_strict_json(in, file, source, handler);
  return handler.take();
}

std::vector<Violation> validate(const ScheduleFile& file) {
  std::vector<Violation> violations = validate_with_local_phases(file.schedule);
  check_stated_cost(file, violations);
  return violations;
}

std::vector<Violation> validate(const ScheduleFile& file, const Traffic& traffic) {
  std::vector<Violation> violations = validate_with_local_phases(file.schedule, traffic);
  check_stated_cost(file, violations);
  return violations;
}

}  // namespace sluice
