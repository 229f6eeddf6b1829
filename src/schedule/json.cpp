#include "sluice/schedule/json.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <istream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "input/decimal_number.hpp"
#include "input/shown_text.hpp"
#include "schedule/strict_json.hpp"
#include "schedule/totals.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/local_phases.hpp"

namespace sluice {
namespace {

using detail::shown;

constexpr const char* kSchema = "sluice.schedule/1";

// ---- writing

std::string quoted(const std::string& text, const char* field) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    throw InputError(field, "text that is not UTF-8", "UTF-8");
  }
}

/// The shortest text that reads back as `value`, in units of 10^-decimals; without a fraction or an exponent if it is
/// an integer within int64.
std::string number_text(double value, std::int32_t decimals, const char* field) {
  if (!std::isfinite(value)) throw InputError(field, fmt::format("{}", value), "a finite number");
  if (decimals > 0) return price_text(value, decimals);
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (value > -kLimit && value < kLimit && value == std::trunc(value))
    return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{}", value);
}

std::string cost_object(const Cost& cost, std::int32_t decimals, const char* field) {
  return fmt::format(R"({{"steps": {}, "transmission": {}, "total": {}}})", cost.steps,
                     decimal_text(cost.transmission, decimals), number_text(cost.total, decimals, field));
}

/// Appends `step`; Amount(int64) makes of a size what is written.
template <class Amount>
void append_step(std::string& out, const Step& step, Amount amount) {
  auto end = std::back_inserter(out);
  fmt::format_to(end, FMT_COMPILE(R"({{"duration": {}, "transfers": [)"), amount(step.duration));
  const char* between = "";
  for (const Transfer& t : step.transfers) {
    fmt::format_to(end, FMT_COMPILE(R"({}{{"from": {}, "to": {}, "offset": {}, "size": {}}})"), between, t.from, t.to,
                   amount(t.offset), amount(t.size));
    between = ", ";
  }
  out += "]}";
}

// ---- reading

/// A size is kept as an integer in the unit of the schedule; a number is a price or a total beside sizes.
enum class Kind { kInteger, kSize, kNumber, kText, kObject, kArray };

/// The places in a file where something may stand, from the outside in.
enum class Place {
  kFile,
  kSchedule,
  kInput,
  kSteps,
  kStep,
  kTransfers,
  kTransfer,
  kCost,
  kBound,
  kLocalPhases,
  kRoutes,
  kRoute,
  kBefore,
  kBeforeCost,
  kBeforeBound,
  kAfter,
  kAfterCost,
  kAfterBound
};
constexpr std::size_t kPlaces = 18;

/// A number as the file has it: the unit of the sizes beside it is known at the end only.
struct WrittenNumber {
  double value = 0;
  std::string text;
};

struct Field {
  const char* name;
  Kind kind;
  bool required = true;
  std::int64_t* integer = nullptr;  ///< or a size
  WrittenNumber* number = nullptr;
  std::string* text = nullptr;
  Place inside = Place::kFile;                 ///< of an object or array
  std::vector<std::string_view> choices = {};  ///< of a text, if not free
};

/// The events of the parser, checked against the format as they come: an unexpected value ends the reading at once, so
/// nothing is built, nested or kept that is no part of a schedule.
class ScheduleHandler {
 public:
  ScheduleHandler(const detail::JsonSource& source, std::string file) : source_(source), file_(std::move(file)) {
    StepSchedule& s = result_.schedule;
    fields(Place::kSchedule) = {text("schema", schema_, {kSchema}),
                                text("type", type_, {"steps"}),
                                text("problem", s.problem, {"redistribute", "exchange"}),
                                text("algorithm", s.algorithm),
                                integer("senders", s.senders),
                                integer("receivers", s.receivers),
                                integer("max_transfers", s.max_transfers),
                                number("setup", setup_),
                                optional(structure("input", Kind::kObject, Place::kInput)),
                                structure("steps", Kind::kArray, Place::kSteps),
                                structure("cost", Kind::kObject, Place::kCost),
                                structure("bound", Kind::kObject, Place::kBound),
                                optional(structure("local_phases", Kind::kObject, Place::kLocalPhases))};
    fields(Place::kInput) = {text("from", input_.from), text("to", input_.to), optional(text("shape", input_.shape))};
    fields(Place::kStep) = {size("duration", step_.duration), structure("transfers", Kind::kArray, Place::kTransfers)};
    fields(Place::kTransfer) = {integer("from", transfer_.from), integer("to", transfer_.to),
                                size("offset", transfer_.offset), size("size", transfer_.size)};
    fields(Place::kCost) = cost_fields(result_.stated_cost, cost_total_);
    fields(Place::kBound) = cost_fields(s.bound, bound_total_);
    fields(Place::kLocalPhases) = {number("unit_cost", unit_cost_), structure("routes", Kind::kArray, Place::kRoutes),
                                   structure("before", Kind::kObject, Place::kBefore),
                                   structure("after", Kind::kObject, Place::kAfter), number("total", local_total_)};
    fields(Place::kRoute) = {integer("from", route_.from),       integer("to", route_.to),
                             size("offset", route_.offset),      size("size", route_.size),
                             integer("carrier", route_.carrier), integer("landing", route_.landing)};
    phase_fields(Place::kBefore, Place::kBeforeCost, Place::kBeforeBound, before_);
    phase_fields(Place::kAfter, Place::kAfterCost, Place::kAfterBound, after_);
  }
  ScheduleHandler(const ScheduleHandler&) = delete;
  ScheduleHandler& operator=(const ScheduleHandler&) = delete;

  ScheduleFile take() { return std::move(result_); }

  bool null() { unexpected("null"); }
  bool boolean(bool value) { unexpected(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) {
    if (value < 0) unexpected(fmt::format("{}", value));
    return number_unsigned(static_cast<std::uint64_t>(value));
  }
  bool number_unsigned(std::uint64_t value) {
    const Field& field = expect({Kind::kInteger, Kind::kSize, Kind::kNumber}, [&] { return fmt::format("{}", value); });
    if (field.kind == Kind::kNumber) {
      *field.number = {static_cast<double>(value), fmt::format("{}", value)};
      return true;
    }
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      unexpected(fmt::format("{}", value));
    *field.integer = static_cast<std::int64_t>(value);
    if (field.kind == Kind::kSize && schedule().decimals > 0 && !multiply(*field.integer, schedule().decimals))
      no_common_unit(fmt::format("{}", value));
    return true;
  }
  bool number_float(double value, const std::string& as_written) {
    const Field& field = expect({Kind::kSize, Kind::kNumber}, [&] { return shown(as_written); });
    if (value < 0) unexpected(shown(as_written));
    if (field.kind == Kind::kNumber) {
      *field.number = {value, as_written};
      return true;
    }
    const char* at = as_written.data();
    detail::DecimalNumber number;
    const bool read = detail::parse_decimal(at, at + as_written.size(), number);
    SLUICE_ASSERT(read, as_written);
    const std::int32_t needed = detail::decimals_needed(number);
    if (needed > kMaxDecimals || !detail::scaled(number, 0)) unexpected(shown(as_written));
    if (needed > schedule().decimals && !refine_unit(needed)) no_common_unit(as_written);
    const auto units = detail::scaled(number, schedule().decimals);
    if (!units) no_common_unit(as_written);
    *field.integer = *units;
    return true;
  }
  bool string(std::string& value) {
    const Field& field = expect({Kind::kText}, [&] { return '"' + shown(value) + '"'; });
    if (!field.choices.empty() && std::find(field.choices.begin(), field.choices.end(), value) == field.choices.end()) {
      if (field.text == &type_ && value == "tree")
        fail(R"("type": "tree", a schedule of a tree)",
             R"("steps", a schedule of steps: schedules of a tree cannot be read yet)");
      unexpected('"' + shown(value) + '"');
    }
    *field.text = std::move(value);
    return true;
  }
  bool binary(const std::vector<std::uint8_t>&) { unexpected("binary data"); }  // never in JSON text

  bool start_object(std::size_t) {
    Place place = Place::kSchedule;
    if (!open_.empty()) {
      if (open_.back().place == Place::kSteps)
        place = Place::kStep;
      else if (open_.back().place == Place::kTransfers)
        place = Place::kTransfer;
      else if (open_.back().place == Place::kRoutes)
        place = Place::kRoute;
      else
        place = expect({Kind::kObject}, [] { return "an object"; }).inside;
    }
    if (place == Place::kStep) step_.transfers.clear();
    if (place == Place::kBefore) steps_ = &before_.phase.steps;
    if (place == Place::kAfter) steps_ = &after_.phase.steps;
    open(place);
    return true;
  }
  bool key(const std::string& name) {
    Level& level = open_.back();
    const std::vector<Field>& known = fields(level.place);
    std::size_t i = 0;
    while (i < known.size() && name != known[i].name) ++i;
    if (i == known.size())
      fail(fmt::format("field \"{}\" in {}", shown(name), called(level.place)), "only " + names(level.place));
    const unsigned bit = 1U << i;
    if ((level.seen & bit) != 0)
      fail(fmt::format("field \"{}\" twice in {}", name, called(level.place)), "every field once");
    level.seen |= bit;
    field_ = &known[i];
    return true;
  }
  bool end_object() {
    const Level level = open_.back();
    const std::vector<Field>& known = fields(level.place);
    for (std::size_t i = 0; i < known.size(); ++i)
      if (known[i].required && (level.seen >> i & 1U) == 0)
        throw InputError(at(level.line), fmt::format("{} without \"{}\"", called(level.place), known[i].name),
                         names(level.place));
    close();
    if (level.place == Place::kTransfer) step_.transfers.push_back(transfer_);
    if (level.place == Place::kStep) steps_->push_back(step_);  // a copy: as small as it can be
    if (level.place == Place::kInput) result_.schedule.input = std::move(input_);
    if (level.place == Place::kRoute) routes_.push_back(route_);
    if (level.place == Place::kBefore || level.place == Place::kAfter) steps_ = &schedule().steps;
    if (level.place == Place::kLocalPhases) has_local_phases_ = true;
    if (level.place == Place::kSchedule) {
      schedule().setup = in_units(setup_);
      schedule().bound.total = in_units(bound_total_);
      result_.stated_cost.total = in_units(cost_total_);
      if (has_local_phases_) finish_local_phases();
    }
    return true;
  }
  bool start_array(std::size_t) {
    open(expect({Kind::kArray}, [] { return "an array"; }).inside);
    return true;
  }
  bool end_array() {
    close();
    return true;
  }

  template <class Error>
  bool parse_error(std::size_t, const std::string& last_token, const Error& error) {
    constexpr int kNumberOverflow = 406;
    if (error.id == kNumberOverflow) unexpected(shown(last_token));
    // "... - unexpected FOUND; expected EXPECTED" or "... - REASON; last read: 'TEXT'; expected EXPECTED", where the
    // last part may be missing.
    const std::string_view message = error.what();
    constexpr std::string_view kFound = " - ";
    constexpr std::string_view kUnexpected = "unexpected ";
    constexpr std::string_view kExpected = "; expected ";
    std::string_view found = message.substr(message.find(kFound) + kFound.size());
    found = found.substr(0, found.find(';'));
    if (found.substr(0, kUnexpected.size()) == kUnexpected) found.remove_prefix(kUnexpected.size());
    const std::size_t at_expected = message.rfind(kExpected);
    std::string expected = at_expected == message.npos ? "JSON" : shown(message.substr(at_expected + kExpected.size()));
    if (expected == "end of input") fail(fmt::format("{} after the schedule", found), "the end of the file");
    if (source_.ended()) fail("the end of the file", "the rest of a schedule");
    if (expected == "'}'" || expected == "']'") expected.insert(0, "',' or ");
    fail(fmt::format("{} at the end of `{}`", found, detail::end_of_text(last_token)), expected);
  }

 private:
  struct Level {
    Place place;
    std::int64_t line;  ///< of the opening brace
    unsigned seen = 0;  ///< a bit a field
  };

  /// What the file says of a local phase, whose prices wait for the unit of the sizes.
  struct WrittenPhase {
    LocalPhase phase;
    WrittenNumber setup, cost_total, bound_total;
  };

  static Field text(const char* name, std::string& target, std::vector<std::string_view> choices = {}) {
    Field field{name, Kind::kText};
    field.text = &target;
    field.choices = std::move(choices);
    return field;
  }
  static Field integer(const char* name, std::int64_t& target) {
    Field field{name, Kind::kInteger};
    field.integer = &target;
    return field;
  }
  static Field size(const char* name, std::int64_t& target) {
    Field field{name, Kind::kSize};
    field.integer = &target;
    return field;
  }
  static Field number(const char* name, WrittenNumber& target) {
    Field field{name, Kind::kNumber};
    field.number = &target;
    return field;
  }
  static Field structure(const char* name, Kind kind, Place inside) {
    Field field{name, kind};
    field.inside = inside;
    return field;
  }
  static Field optional(Field field) {
    field.required = false;
    return field;
  }
  static std::vector<Field> cost_fields(Cost& cost, WrittenNumber& total) {
    return {integer("steps", cost.steps), size("transmission", cost.transmission), number("total", total)};
  }

  void phase_fields(Place place, Place cost_place, Place bound_place, WrittenPhase& phase) {
    fields(place) = {number("setup", phase.setup), structure("steps", Kind::kArray, Place::kSteps),
                     structure("cost", Kind::kObject, cost_place), structure("bound", Kind::kObject, bound_place)};
    fields(cost_place) = cost_fields(phase.phase.cost, phase.cost_total);
    fields(bound_place) = cost_fields(phase.phase.bound, phase.bound_total);
  }

  std::vector<Field>& fields(Place place) { return fields_[static_cast<std::size_t>(place)]; }

  static const char* called(Place place) {
    static constexpr std::array<const char*, kPlaces> kCalled = {
        "a file",        "a schedule", "an input", "the steps",     "a step",     "the transfers",
        "a transfer",    "a cost",     "a bound",  "local phases",  "the routes", "a route",
        "a local phase", "a cost",     "a bound",  "a local phase", "a cost",     "a bound"};
    return kCalled[static_cast<std::size_t>(place)];
  }
  std::string names(Place place) {
    std::string result;
    for (const Field& field : fields(place)) result += fmt::format("{}\"{}\"", result.empty() ? "" : ", ", field.name);
    return result;
  }

  void open(Place place) {
    open_.push_back({place, source_.line()});
    field_ = nullptr;
  }
  void close() {
    open_.pop_back();
    field_ = nullptr;
  }

  /// The field that the value just read belongs to, if it is of one of these kinds; throws if not.
  template <class Found>
  const Field& expect(std::initializer_list<Kind> kinds, Found found) {
    if (field_ == nullptr || std::find(kinds.begin(), kinds.end(), field_->kind) == kinds.end()) unexpected(found());
    return *field_;
  }

  StepSchedule& schedule() { return result_.schedule; }

  /// `size` * 10^decimals; false if that is beyond int64.
  static bool multiply(std::int64_t& size, std::int32_t decimals) {
    return !__builtin_mul_overflow(size, power_of_ten(decimals), &size);
  }

  /// To more decimals, for all that has been read; false if something does not fit.
  bool refine_unit(std::int32_t decimals) {
    const std::int32_t more = decimals - schedule().decimals;
    const auto refine_piece = [&](auto& piece) { return multiply(piece.offset, more) && multiply(piece.size, more); };
    const auto refine_step = [&](Step& step) {
      return multiply(step.duration, more) && std::all_of(step.transfers.begin(), step.transfers.end(), refine_piece);
    };
    const auto refine = [&](std::vector<Step>& steps, Cost& stated_cost, Cost& bound) {
      return std::all_of(steps.begin(), steps.end(), refine_step) && multiply(stated_cost.transmission, more) &&
             multiply(bound.transmission, more);
    };
    const auto refine_phase = [&](LocalPhase& phase) { return refine(phase.steps, phase.cost, phase.bound); };
    schedule().decimals = decimals;
    return refine(schedule().steps, result_.stated_cost, schedule().bound) && refine_step(step_) &&
           refine_piece(transfer_) && refine_phase(before_.phase) && refine_phase(after_.phase) &&
           std::all_of(routes_.begin(), routes_.end(), refine_piece) && refine_piece(route_);
  }

  [[noreturn]] void no_common_unit(const std::string& as_written) {
    fail(fmt::format("\"{}\": {} beside sizes with {} decimals", field_->name, shown(as_written), schedule().decimals),
         "sizes that fit 64-bit integers in their smallest unit");
  }

  /// `number` in the unit of the sizes.
  double in_units(const WrittenNumber& number) {
    if (schedule().decimals == 0) return number.value;
    const double value = detail::nearest_double(number.text, schedule().decimals);
    if (!std::isfinite(value))
      fail(fmt::format("{} beside sizes with {} decimals", shown(number.text), schedule().decimals),
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

  /// Throws: the value `found`, just read, is not what belongs here.
  [[noreturn]] void unexpected(const std::string& found) {
    if (open_.empty()) fail(found, "an object, a schedule");
    if (field_ == nullptr) {
      const Place place = open_.back().place;
      fail(found, place == Place::kSteps    ? "an object, a step"
                  : place == Place::kRoutes ? "an object, a route"
                                            : "an object, a transfer");
    }
    fail(fmt::format("\"{}\": {}", field_->name, found), wanted(*field_));
  }
  static std::string wanted(const Field& field) {
    switch (field.kind) {
      case Kind::kInteger:
        return "an integer from 0 to 2^63 - 1";
      case Kind::kSize:
        return "a number from 0 to 2^63 - 1, of at most 18 decimals";
      case Kind::kNumber:
        return "a number of at least 0";
      case Kind::kObject:
        return "an object";
      case Kind::kArray:
        return "an array";
      case Kind::kText:
        break;
    }
    if (field.choices.empty()) return "a string";
    std::string result;
    for (const std::string_view choice : field.choices)
      result += fmt::format("{}\"{}\"", result.empty() ? "" : " or ", choice);
    return result;
  }

  [[noreturn]] void fail(const std::string& found, const std::string& expected) {
    throw InputError(at(source_.line()), found, expected);
  }
  [[nodiscard]] std::string at(std::int64_t line) const { return fmt::format("{}:{}", file_, line); }

  const detail::JsonSource& source_;
  std::string file_;
  std::array<std::vector<Field>, kPlaces> fields_;
  std::vector<Level> open_;       // the objects and arrays we are in
  const Field* field_ = nullptr;  // the field whose value comes next; null in an array
  ScheduleFile result_;
  std::string schema_;
  std::string type_;
  RedistributionInput input_;
  WrittenNumber setup_;
  WrittenNumber cost_total_;
  WrittenNumber bound_total_;
  std::vector<Step>* steps_ = &result_.schedule.steps;  // those that are read: of the schedule or of a local phase
  Step step_;
  Transfer transfer_;
  bool has_local_phases_ = false;
  WrittenNumber unit_cost_;
  WrittenNumber local_total_;
  std::vector<Route> routes_;
  Route route_;
  WrittenPhase before_;
  WrittenPhase after_;
};

void check_stated_cost(const ScheduleFile& file, std::vector<Violation>& violations) {
  const auto report = [&](std::string reason) { violations.push_back({-1, -1, std::move(reason)}); };
  const Cost& stated = file.stated_cost;
  const std::int32_t decimals = file.schedule.decimals;
  Cost computed;
  try {
    computed = cost(file.schedule);
  } catch (const InputError&) {
    return;  // the sum overflows: `validate` has said so
  }
  if (stated.steps != computed.steps)
    report(fmt::format("the stated cost is {} steps, the schedule has {}", stated.steps, computed.steps));
  if (stated.transmission != computed.transmission)
    report(fmt::format("the stated transmission is {}, the durations add up to {}",
                       detail::size_text(stated.transmission, decimals),
                       detail::size_text(computed.transmission, decimals)));
  if (detail::exceeds(stated.total, computed.total) || detail::exceeds(computed.total, stated.total))
    report(fmt::format("the stated total is {}, transmission + setup * steps is {}",
                       detail::total_text(stated.total, decimals), detail::total_text(computed.total, decimals)));
}

/// Appends `steps` as an array, one line a step, each begun by `indent`.
void append_steps(std::string& out, const std::vector<Step>& steps, std::int32_t decimals, const char* indent) {
  out += '[';
  const char* between = "\n";
  for (const Step& step : steps) {
    out += between;
    out += indent;
    if (decimals == 0)
      append_step(out, step, [](std::int64_t size) { return size; });
    else
      append_step(out, step, [&](std::int64_t size) { return decimal_text(size, decimals); });
    between = ",\n";
  }
  out += ']';
}

void append_phase(std::string& out, const char* name, const LocalPhase& phase, std::int32_t decimals) {
  out += fmt::format(R"(  "{}": {{"setup": {}, "steps": )", name, number_text(phase.setup, decimals, "setup"));
  append_steps(out, phase.steps, decimals, "    ");
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

}  // namespace

std::string to_json(const StepSchedule& schedule) {
  if (schedule.decimals < 0 || schedule.decimals > kMaxDecimals)
    throw InputError("decimals", fmt::format("{}", schedule.decimals), fmt::format("0 to {}", kMaxDecimals));
  std::string out = fmt::format(
      R"({{"schema": "{}", "type": "steps", "problem": {}, "algorithm": {},
 "senders": {}, "receivers": {}, "max_transfers": {}, "setup": {},
)",
      kSchema, quoted(schedule.problem, "problem"), quoted(schedule.algorithm, "algorithm"), schedule.senders,
      schedule.receivers, schedule.max_transfers, number_text(schedule.setup, schedule.decimals, "setup"));
  if (schedule.input) {
    out += fmt::format(R"( "input": {{"from": {}, "to": {})", quoted(schedule.input->from, "from"),
                       quoted(schedule.input->to, "to"));
    if (!schedule.input->shape.empty()) out += fmt::format(R"(, "shape": {})", quoted(schedule.input->shape, "shape"));
    out += "},\n";
  }
  out += R"( "steps": )";
  append_steps(out, schedule.steps, schedule.decimals, "  ");
  out += fmt::format(",\n \"cost\": {},\n \"bound\": {}", cost_object(cost(schedule), schedule.decimals, "cost"),
                     cost_object(schedule.bound, schedule.decimals, "bound"));
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
