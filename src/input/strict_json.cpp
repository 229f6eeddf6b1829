#include "input/strict_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <istream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/json_bytes.hpp"
#include "input/shown_text.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

/// The end of `text`, what the parser had read when it gave up, for a message: of its last line, which is short.
std::string end_of_text(std::string_view text) {
  constexpr std::string_view kNewline = "<U+000A>";  // as the parser shows it
  constexpr std::size_t kLongest = 30;
  while (text.size() >= kNewline.size() && text.substr(text.size() - kNewline.size()) == kNewline)
    text.remove_suffix(kNewline.size());
  if (const std::size_t newline = text.rfind(kNewline); newline != text.npos)
    text.remove_prefix(newline + kNewline.size());
  if (text.size() > kLongest) text.remove_prefix(text.size() - kLongest);
  return shown(text.substr(std::min(text.find_first_not_of(' '), text.size())));
}

}  // namespace

bool StrictJsonHandler::null() { unexpected("null"); }

bool StrictJsonHandler::boolean(bool value) {
  const JsonField* field = scalar();
  if (field == nullptr || field->flag == nullptr) unexpected(value ? "true" : "false");
  *field->flag = value;
  return true;
}

bool StrictJsonHandler::number_integer(std::int64_t value) {
  if (value < 0) unexpected(fmt::format("{}", value));
  return number_unsigned(static_cast<std::uint64_t>(value));
}

bool StrictJsonHandler::number_unsigned(std::uint64_t value) {
  const bool fits = value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const JsonField* field = scalar();
  if (field != nullptr && field->integer != nullptr && fits)
    *field->integer = static_cast<std::int64_t>(value);
  else if (field != nullptr && field->optional_integer != nullptr && fits)
    *field->optional_integer = static_cast<std::int64_t>(value);
  else if (field == nullptr && fits && in_integers())
    open_.back().integers->push_back(static_cast<std::int64_t>(value));
  else if (field == nullptr && fits && in_pair() && open_.back().count == 0)
    take_first(static_cast<std::int64_t>(value));
  else if (field != nullptr && field->size != nullptr && fits)
    take_size(*field->size, static_cast<std::int64_t>(value));
  else
    take_number(static_cast<double>(value), fmt::format("{}", value));
  return true;
}

bool StrictJsonHandler::number_float(double value, const std::string& as_written) {
  if (value < 0) unexpected(shown(as_written));
  if (const JsonField* field = scalar(); field != nullptr && field->size != nullptr)
    take_size(*field->size, as_written);
  else
    take_number(value, as_written);
  return true;
}

bool StrictJsonHandler::string(std::string& value) {
  const JsonField* field = scalar();
  if (field != nullptr && field->optional_text != nullptr) {
    *field->optional_text = std::move(value);
    return true;
  }
  if (field == nullptr || field->text == nullptr) unexpected('"' + shown(value) + '"');
  if (!field->choices.empty() && std::find(field->choices.begin(), field->choices.end(), value) == field->choices.end())
    bad_choice(value);
  *field->text = std::move(value);
  return true;
}

bool StrictJsonHandler::binary(const std::vector<std::uint8_t>&) { unexpected("binary data"); }  // never in JSON text

bool StrictJsonHandler::start_object(std::size_t) {
  int shape = 0;
  if (!open_.empty()) {
    const Level& level = open_.back();
    if (level.objects >= 0)
      shape = level.objects;
    else if (const JsonField* field = scalar(); field != nullptr && field->object >= 0)
      shape = field->object;
    else
      unexpected("an object");
  }
  Level level;
  level.shape = shape;
  level.line = source_.line();
  open_.push_back(level);
  field_ = nullptr;
  opened(shape);
  return true;
}

bool StrictJsonHandler::key(const std::string& name) {
  Level& level = open_.back();
  const JsonShape& shape = shapes_[static_cast<std::size_t>(level.shape)];
  std::size_t i = 0;
  while (i < shape.fields.size() && name != shape.fields[i].name) ++i;
  if (i == shape.fields.size())
    fail(fmt::format("field \"{}\" in {}", shown(name), shape.called), "only " + names(shape));
  const unsigned bit = 1U << i;
  if ((level.seen & bit) != 0) fail(fmt::format("field \"{}\" twice in {}", name, shape.called), "every field once");
  level.seen |= bit;
  field_ = &shape.fields[i];
  return true;
}

bool StrictJsonHandler::end_object() {
  const Level level = open_.back();
  const JsonShape& shape = shapes_[static_cast<std::size_t>(level.shape)];
  for (std::size_t i = 0; i < shape.fields.size(); ++i)
    if (shape.fields[i].required && (level.seen >> i & 1U) == 0)
      fail_at(level.line, fmt::format("{} without \"{}\"", shape.called, shape.fields[i].name), names(shape));
  opened_line_ = level.line;
  closed_seen_ = level.seen;
  closed(level.shape);
  open_.pop_back();
  field_ = nullptr;
  return true;
}

bool StrictJsonHandler::start_array(std::size_t) {
  const JsonField* field = scalar();
  Level level;
  level.line = source_.line();
  if (field == nullptr && in_pairs()) {
    level.pair = open_.back().pairs;
  } else if (field != nullptr) {
    level.objects = field->objects;
    level.numbers = field->numbers;
    level.integers = field->integers;
    level.pairs = field->pairs;
  }
  if (!level.is_array()) unexpected("an array");
  open_.push_back(level);
  field_ = nullptr;
  return true;
}

bool StrictJsonHandler::end_array() {
  if (in_pair() && open_.back().count < 2) fail("the end of a pair of numbers", "two numbers");
  open_.pop_back();
  field_ = nullptr;
  return true;
}

template <class Error>
bool StrictJsonHandler::parse_error(std::size_t, const std::string& last_token, const Error& error) {
  constexpr int kNumberOverflow = 406;
  if (error.id == kNumberOverflow) unexpected(shown(last_token));
  // "... - unexpected FOUND; expected EXPECTED" or "... - REASON; last read: 'TEXT'; expected EXPECTED"; the last part
  // may be missing.
  const std::string_view message = error.what();
  constexpr std::string_view kFound = " - ";
  constexpr std::string_view kUnexpected = "unexpected ";
  constexpr std::string_view kExpected = "; expected ";
  std::string_view found = message.substr(message.find(kFound) + kFound.size());
  found = found.substr(0, found.find(';'));
  if (found.substr(0, kUnexpected.size()) == kUnexpected) found.remove_prefix(kUnexpected.size());
  const std::size_t at_expected = message.rfind(kExpected);
  std::string expected = at_expected == message.npos ? "JSON" : shown(message.substr(at_expected + kExpected.size()));
  if (expected == "end of input") fail(fmt::format("{} after the{}", found, called() + 1), "the end of the file");
  if (found == "end of input" && !source_.ended()) fail("a byte of zero", "text");
  if (source_.ended()) fail("the end of the file", fmt::format("the rest of {}", called()));
  if (expected == "'}'" || expected == "']'") expected.insert(0, "',' or ");
  fail(fmt::format("{} at the end of `{}`", found, end_of_text(last_token)), expected);
}

void StrictJsonHandler::take_size(std::int64_t& /*size*/, std::int64_t value) { unexpected(fmt::format("{}", value)); }

void StrictJsonHandler::take_size(std::int64_t& /*size*/, const std::string& as_written) {
  unexpected(shown(as_written));
}

void StrictJsonHandler::bad_choice(const std::string& value) { unexpected('"' + shown(value) + '"'); }

void StrictJsonHandler::unexpected(const std::string& found) {
  if (open_.empty()) fail(found, fmt::format("an object, {}", called()));
  if (field_ != nullptr) fail(fmt::format("\"{}\": {}", field_->name, found), wanted(*field_));
  const Level& level = open_.back();
  if (level.objects >= 0)
    fail(found, fmt::format("an object, {}", shapes_[static_cast<std::size_t>(level.objects)].called));
  if (in_pairs()) fail(found, "a pair of numbers in brackets");
  if (in_integers() || (in_pair() && level.count == 0)) fail(found, kInteger);
  if (in_pair() && level.count == 2) fail(found, "']': a pair of numbers");
  fail(found, kNumber);
}

void StrictJsonHandler::fail_object(const std::string& found, const std::string& expected) {
  fail_at(opened_line_, found, expected);
}

std::string StrictJsonHandler::object_where() const { return fmt::format("{}:{}", file_, opened_line_); }

bool StrictJsonHandler::object_has(int shape, std::string_view name) const {
  const std::vector<JsonField>& fields = shapes_[static_cast<std::size_t>(shape)].fields;
  const auto at = std::find_if(fields.begin(), fields.end(), [&](const auto& each) { return name == each.name; });
  return (closed_seen_ >> (at - fields.begin()) & 1U) != 0;
}

void StrictJsonHandler::fail(const std::string& found, const std::string& expected) {
  fail_at(source_.line(), found, expected);
}

std::string StrictJsonHandler::names(const JsonShape& shape) {
  std::string result;
  for (const JsonField& field : shape.fields) result += fmt::format("{}\"{}\"", result.empty() ? "" : ", ", field.name);
  return result;
}

void StrictJsonHandler::take_first(std::int64_t value) {
  Level& level = open_.back();
  level.pair->push_back({value, 0});
  ++level.count;
}

void StrictJsonHandler::take_second(double value) {
  Level& level = open_.back();
  level.pair->back().second = value;
  ++level.count;
}

void StrictJsonHandler::take_number(double value, const std::string& as_written) {
  const JsonField* field = scalar();
  if (field == nullptr && !open_.empty() && open_.back().numbers != nullptr)
    open_.back().numbers->push_back(value);
  else if (field == nullptr && in_pair() && open_.back().count == 1)
    take_second(value);
  else if (field != nullptr && field->number != nullptr)
    *field->number = value;
  else if (field != nullptr && field->optional_number != nullptr)
    *field->optional_number = value;
  else if (field != nullptr && field->written != nullptr)
    *field->written = {value, as_written};
  else
    unexpected(shown(as_written));
}

std::string StrictJsonHandler::wanted(const JsonField& field) {
  if (field.integer != nullptr || field.optional_integer != nullptr) return kInteger;
  if (field.size != nullptr) return "a number from 0 to 2^63 - 1, of at most 18 decimals";
  if (field.number != nullptr || field.optional_number != nullptr || field.written != nullptr) return kNumber;
  if (field.flag != nullptr) return "true or false";
  if (field.object >= 0) return "an object";
  if (field.optional_text != nullptr) return "a string";
  if (field.text == nullptr) return "an array";
  if (field.choices.empty()) return "a string";
  std::string result;
  for (const std::string_view choice : field.choices)
    result += fmt::format("{}\"{}\"", result.empty() ? "" : " or ", choice);
  return result;
}

void StrictJsonHandler::fail_at(std::int64_t line, const std::string& found, const std::string& expected) {
  throw InputError(fmt::format("{}:{}", file_, line), found, expected);
}

void read_strict_json(std::istream& in, const std::string& file, JsonSource& source, StrictJsonHandler& handler) {
  const auto unreadable = [&] { return InputError(file, "cannot be read", handler.called()); };
  if (!in) throw unreadable();
  try {
    nlohmann::json::sax_parse(JsonBytes(&source), JsonBytes(), &handler);
  } catch (const std::ios_base::failure&) {
    throw unreadable();
  }
}

}  // namespace sluice::detail
