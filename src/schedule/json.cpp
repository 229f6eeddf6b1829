#include "sluice/schedule/json.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <string_view>
#include <utility>

#include "schedule/totals.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice {
namespace {

constexpr const char* kSchema = "sluice.schedule/1";

// ---- writing

std::string quoted(const std::string& text, const char* field) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    throw InputError(field, "text that is not UTF-8", "UTF-8");
  }
}

/// The shortest text that reads back as `value`, without a fraction or an exponent if it is an integer within int64.
std::string number_text(double value, const char* field) {
  if (!std::isfinite(value)) throw InputError(field, fmt::format("{}", value), "a finite number");
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (value > -kLimit && value < kLimit && value == std::trunc(value))
    return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{}", value);
}

std::string cost_object(const Cost& cost, const char* field) {
  return fmt::format(R"({{"steps": {}, "transmission": {}, "total": {}}})", cost.steps, cost.transmission,
                     number_text(cost.total, field));
}

// ---- reading

/// The bytes of a stream one by one, with the line of the last one taken.
class Source {
 public:
  explicit Source(std::streambuf* buffer) : buffer_(buffer) {}

  bool at_end() {
    if (buffer_ == nullptr || buffer_->sgetc() == std::streambuf::traits_type::eof()) ended_ = true;
    return ended_;
  }
  char peek() { return std::streambuf::traits_type::to_char_type(buffer_->sgetc()); }
  void take() {
    if (after_newline_) ++line_;
    after_newline_ = std::streambuf::traits_type::to_char_type(buffer_->sbumpc()) == '\n';
  }

  /// The parser looks one byte ahead at most, after a number: an end of line there still counts to the line it ends.
  [[nodiscard]] std::int64_t line() const { return line_; }
  /// Whether the parser asked for more than there was.
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  std::streambuf* buffer_;
  std::int64_t line_ = 1;
  bool after_newline_ = false;
  bool ended_ = false;
};

/// What the parser wants: a pair of iterators.
class Bytes {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  Bytes() = default;
  explicit Bytes(Source* source) : source_(source) {}

  char operator*() const { return source_->peek(); }
  Bytes& operator++() {
    source_->take();
    return *this;
  }
  Bytes operator++(int) {
    const Bytes before = *this;
    source_->take();
    return before;
  }
  friend bool operator==(const Bytes& a, const Bytes& b) { return a.at_end() == b.at_end(); }

 private:
  [[nodiscard]] bool at_end() const { return source_ == nullptr || source_->at_end(); }

  Source* source_ = nullptr;
};

/// `text` from a file for a message: one line, printable, short.
std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string result;
  for (const char c : text.substr(0, kLongest)) {
    if (c >= ' ' && c <= '~')
      result.push_back(c);
    else
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  if (text.size() > kLongest) result += "...";
  return result;
}

/// The end of `text`, what the parser had read when it gave up, for a message: of its last line, which is short.
std::string tail(std::string_view text) {
  constexpr std::string_view kNewline = "<U+000A>";  // as the parser shows it
  constexpr std::size_t kLongest = 30;
  while (text.size() >= kNewline.size() && text.substr(text.size() - kNewline.size()) == kNewline)
    text.remove_suffix(kNewline.size());
  if (const std::size_t newline = text.rfind(kNewline); newline != text.npos)
    text.remove_prefix(newline + kNewline.size());
  if (text.size() > kLongest) text.remove_prefix(text.size() - kLongest);
  return shown(text.substr(std::min(text.find_first_not_of(' '), text.size())));
}

enum class Kind { kInteger, kNumber, kText, kObject, kArray };

/// The places in a file where something may stand, from the outside in.
enum class Place { kFile, kSchedule, kInput, kSteps, kStep, kTransfers, kTransfer, kCost, kBound };
constexpr std::size_t kPlaces = 9;

struct Field {
  const char* name;
  Kind kind;
  bool required = true;
  std::int64_t* integer = nullptr;
  double* number = nullptr;
  std::string* text = nullptr;
  Place inside = Place::kFile;                 ///< of an object or array
  std::vector<std::string_view> choices = {};  ///< of a text, if not free
};

/// The events of the parser, checked against the format as they come: an unexpected value ends the reading at once, so
/// nothing is built, nested or kept that is no part of a schedule.
class ScheduleHandler {
 public:
  ScheduleHandler(const Source& source, std::string file) : source_(source), file_(std::move(file)) {
    StepSchedule& s = result_.schedule;
    fields(Place::kSchedule) = {text("schema", schema_, {kSchema}),
                                text("type", type_, {"steps"}),
                                text("problem", s.problem, {"redistribute", "exchange"}),
                                text("algorithm", s.algorithm),
                                integer("senders", s.senders),
                                integer("receivers", s.receivers),
                                integer("max_transfers", s.max_transfers),
                                number("setup", s.setup),
                                optional(structure("input", Kind::kObject, Place::kInput)),
                                structure("steps", Kind::kArray, Place::kSteps),
                                structure("cost", Kind::kObject, Place::kCost),
                                structure("bound", Kind::kObject, Place::kBound)};
    fields(Place::kInput) = {text("from", input_.from), text("to", input_.to), optional(text("shape", input_.shape))};
    fields(Place::kStep) = {integer("duration", step_.duration),
                            structure("transfers", Kind::kArray, Place::kTransfers)};
    fields(Place::kTransfer) = {integer("from", transfer_.from), integer("to", transfer_.to),
                                integer("offset", transfer_.offset), integer("size", transfer_.size)};
    fields(Place::kCost) = cost_fields(result_.stated_cost);
    fields(Place::kBound) = cost_fields(s.bound);
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
    const Field& field = expect(Kind::kNumber, Kind::kInteger, [&] { return fmt::format("{}", value); });
    if (field.kind == Kind::kNumber) {
      *field.number = static_cast<double>(value);
      return true;
    }
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      unexpected(fmt::format("{}", value));
    *field.integer = static_cast<std::int64_t>(value);
    return true;
  }
  bool number_float(double value, const std::string& as_written) {
    const Field& field = expect(Kind::kNumber, Kind::kNumber, [&] { return shown(as_written); });
    if (value < 0) unexpected(shown(as_written));
    *field.number = value;
    return true;
  }
  bool string(std::string& value) {
    const Field& field = expect(Kind::kText, Kind::kText, [&] { return '"' + shown(value) + '"'; });
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
      else
        place = expect(Kind::kObject, Kind::kObject, [] { return "an object"; }).inside;
    }
    if (place == Place::kStep) step_.transfers.clear();
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
    if (level.place == Place::kStep) result_.schedule.steps.push_back(step_);  // a copy: as small as it can be
    if (level.place == Place::kInput) result_.schedule.input = std::move(input_);
    return true;
  }
  bool start_array(std::size_t) {
    open(expect(Kind::kArray, Kind::kArray, [] { return "an array"; }).inside);
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
    fail(fmt::format("{} at the end of `{}`", found, tail(last_token)), expected);
  }

 private:
  struct Level {
    Place place;
    std::int64_t line;  ///< of the opening brace
    unsigned seen = 0;  ///< a bit a field
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
  static Field number(const char* name, double& target) {
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
  static std::vector<Field> cost_fields(Cost& cost) {
    return {integer("steps", cost.steps), integer("transmission", cost.transmission), number("total", cost.total)};
  }

  std::vector<Field>& fields(Place place) { return fields_[static_cast<std::size_t>(place)]; }

  static const char* called(Place place) {
    static constexpr std::array<const char*, kPlaces> kCalled = {
        "a file", "a schedule", "an input", "the steps", "a step", "the transfers", "a transfer", "a cost", "a bound"};
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
  const Field& expect(Kind kind, Kind or_kind, Found found) {
    if (field_ == nullptr || (field_->kind != kind && field_->kind != or_kind)) unexpected(found());
    return *field_;
  }

  /// Throws: the value `found`, just read, is not what belongs here.
  [[noreturn]] void unexpected(const std::string& found) {
    if (open_.empty()) fail(found, "an object, a schedule");
    if (field_ == nullptr)
      fail(found, open_.back().place == Place::kSteps ? "an object, a step" : "an object, a transfer");
    fail(fmt::format("\"{}\": {}", field_->name, found), wanted(*field_));
  }
  static std::string wanted(const Field& field) {
    switch (field.kind) {
      case Kind::kInteger:
        return "an integer from 0 to 2^63 - 1";
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

  const Source& source_;
  std::string file_;
  std::array<std::vector<Field>, kPlaces> fields_;
  std::vector<Level> open_;       // the objects and arrays we are in
  const Field* field_ = nullptr;  // the field whose value comes next; null in an array
  ScheduleFile result_;
  std::string schema_;
  std::string type_;
  RedistributionInput input_;
  Step step_;
  Transfer transfer_;
};

void check_stated_cost(const ScheduleFile& file, std::vector<Violation>& violations) {
  const auto report = [&](std::string reason) { violations.push_back({-1, -1, std::move(reason)}); };
  const Cost& stated = file.stated_cost;
  Cost computed;
  try {
    computed = cost(file.schedule);
  } catch (const InputError&) {
    return;  // the sum overflows: `validate` has said so
  }
  if (stated.steps != computed.steps)
    report(fmt::format("the stated cost is {} steps, the schedule has {}", stated.steps, computed.steps));
  if (stated.transmission != computed.transmission)
    report(fmt::format("the stated transmission is {}, the durations add up to {}", stated.transmission,
                       computed.transmission));
  if (detail::exceeds(stated.total, computed.total) || detail::exceeds(computed.total, stated.total))
    report(fmt::format("the stated total is {}, transmission + setup * steps is {}", stated.total, computed.total));
}

}  // namespace

std::string to_json(const StepSchedule& schedule) {
  std::string out = fmt::format(
      R"({{"schema": "{}", "type": "steps", "problem": {}, "algorithm": {},
 "senders": {}, "receivers": {}, "max_transfers": {}, "setup": {},
)",
      kSchema, quoted(schedule.problem, "problem"), quoted(schedule.algorithm, "algorithm"), schedule.senders,
      schedule.receivers, schedule.max_transfers, number_text(schedule.setup, "setup"));
  if (schedule.input) {
    out += fmt::format(R"( "input": {{"from": {}, "to": {})", quoted(schedule.input->from, "from"),
                       quoted(schedule.input->to, "to"));
    if (!schedule.input->shape.empty()) out += fmt::format(R"(, "shape": {})", quoted(schedule.input->shape, "shape"));
    out += "},\n";
  }
  out += R"( "steps": [)";
  auto end = std::back_inserter(out);
  const char* between_steps = "\n";
  for (const Step& step : schedule.steps) {
    fmt::format_to(end, FMT_COMPILE(R"({}  {{"duration": {}, "transfers": [)"), between_steps, step.duration);
    const char* between = "";
    for (const Transfer& t : step.transfers) {
      fmt::format_to(end, FMT_COMPILE(R"({}{{"from": {}, "to": {}, "offset": {}, "size": {}}})"), between, t.from, t.to,
                     t.offset, t.size);
      between = ", ";
    }
    out += "]}";
    between_steps = ",\n";
  }
  out += "],\n";
  out += fmt::format(" \"cost\": {},\n \"bound\": {}}}\n", cost_object(cost(schedule), "cost"),
                     cost_object(schedule.bound, "bound"));
  return out;
}

ScheduleFile read_schedule(std::istream& in, const std::string& file) {
  const auto unreadable = [&] { return InputError(file, "a file that cannot be read", "a schedule"); };
  if (!in) throw unreadable();
  Source source(in.rdbuf());
  ScheduleHandler handler(source, file);
  try {
    nlohmann::json::sax_parse(Bytes(&source), Bytes(), &handler);
  } catch (const std::ios_base::failure&) {  // a directory, a broken disk
    throw unreadable();
  }
  return handler.take();
}

std::vector<Violation> validate(const ScheduleFile& file) {
  std::vector<Violation> violations = validate(file.schedule);
  check_stated_cost(file, violations);
  return violations;
}

std::vector<Violation> validate(const ScheduleFile& file, const Traffic& traffic) {
  std::vector<Violation> violations = validate(file.schedule, traffic);
  check_stated_cost(file, violations);
  return violations;
}

}  // namespace sluice
