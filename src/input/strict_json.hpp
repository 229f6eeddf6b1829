#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <istream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/shown_text.hpp"
#include "sluice/error.hpp"

/// Reading JSON of a known format, strictly: every field once and of its type, and no others. Every fault is an
/// InputError with file and line. Values are checked as they come, so nothing is built, nested or kept that is no part
/// of the format.
namespace sluice::detail {

/// The bytes of a stream one by one, with the line of the last one taken.
class JsonSource {
 public:
  explicit JsonSource(std::streambuf* buffer) : buffer_(buffer) {}

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
class JsonBytes {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  JsonBytes() = default;
  explicit JsonBytes(JsonSource* source) : source_(source) {}

  char operator*() const { return source_->peek(); }
  JsonBytes& operator++() {
    source_->take();
    return *this;
  }
  JsonBytes operator++(int) {
    const JsonBytes before = *this;
    source_->take();
    return before;
  }
  friend bool operator==(const JsonBytes& a, const JsonBytes& b) { return a.at_end() == b.at_end(); }

 private:
  [[nodiscard]] bool at_end() const { return source_ == nullptr || source_->at_end(); }

  JsonSource* source_ = nullptr;
};

/// The end of `text`, what the parser had read when it gave up, for a message: of its last line, which is short.
inline std::string end_of_text(std::string_view text) {
  constexpr std::string_view kNewline = "<U+000A>";  // as the parser shows it
  constexpr std::size_t kLongest = 30;
  while (text.size() >= kNewline.size() && text.substr(text.size() - kNewline.size()) == kNewline)
    text.remove_suffix(kNewline.size());
  if (const std::size_t newline = text.rfind(kNewline); newline != text.npos)
    text.remove_prefix(newline + kNewline.size());
  if (text.size() > kLongest) text.remove_prefix(text.size() - kLongest);
  return shown(text.substr(std::min(text.find_first_not_of(' '), text.size())));
}

/// A number with the text that it was read from.
struct WrittenNumber {
  double value = 0;
  std::string text;
};

/// Two numbers that belong together, as in a table: [1024, 0.5].
struct JsonPair {
  std::int64_t first = 0;  ///< 0 to 2^63 - 1
  double second = 0;       ///< at least 0
};

/// A field of an object: its name, and where its value goes. Exactly one of the targets is set.
struct JsonField {
  const char* name = "";
  bool required = true;
  std::int64_t* integer = nullptr;  ///< 0 to 2^63 - 1
  std::optional<std::int64_t>* optional_integer = nullptr;
  std::int64_t* size = nullptr;  ///< at least 0, perhaps with a fraction: see StrictJsonHandler::take_size
  double* number = nullptr;      ///< at least 0
  std::optional<double>* optional_number = nullptr;
  WrittenNumber* written = nullptr;  ///< at least 0
  bool* flag = nullptr;
  std::string* text = nullptr;
  std::optional<std::string>* optional_text = nullptr;
  std::vector<std::string_view> choices = {};     ///< of a text, if not free
  std::vector<double>* numbers = nullptr;         ///< an array of numbers
  std::vector<std::int64_t>* integers = nullptr;  ///< an array of integers from 0 to 2^63 - 1
  std::vector<JsonPair>* pairs = nullptr;         ///< an array of arrays of two
  int object = -1;                                ///< an object of this shape
  int objects = -1;                               ///< an array of objects of this shape
};

/// A kind of object: how it is called in messages, and its fields.
struct JsonShape {
  const char* called = "";  ///< "a transfer"
  std::vector<JsonField> fields = {};
};

/// Takes the parser's events and checks them against shapes; shape 0 is the file's.
class StrictJsonHandler {
 public:
  StrictJsonHandler(const JsonSource& source, std::string file) : source_(source), file_(std::move(file)) {}
  virtual ~StrictJsonHandler() = default;
  StrictJsonHandler(const StrictJsonHandler&) = delete;
  StrictJsonHandler& operator=(const StrictJsonHandler&) = delete;

  /// What the file is, with its article: "a schedule".
  [[nodiscard]] const char* called() const { return shapes_.front().called; }

  bool null() { unexpected("null"); }
  bool boolean(bool value) {
    const JsonField* field = scalar();
    if (field == nullptr || field->flag == nullptr) unexpected(value ? "true" : "false");
    *field->flag = value;
    return true;
  }
  bool number_integer(std::int64_t value) {
    if (value < 0) unexpected(fmt::format("{}", value));
    return number_unsigned(static_cast<std::uint64_t>(value));
  }
  bool number_unsigned(std::uint64_t value) {
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
  bool number_float(double value, const std::string& as_written) {
    if (value < 0) unexpected(shown(as_written));
    if (const JsonField* field = scalar(); field != nullptr && field->size != nullptr)
      take_size(*field->size, as_written);
    else
      take_number(value, as_written);
    return true;
  }
  bool string(std::string& value) {
    const JsonField* field = scalar();
    if (field != nullptr && field->optional_text != nullptr) {
      *field->optional_text = std::move(value);
      return true;
    }
    if (field == nullptr || field->text == nullptr) unexpected('"' + shown(value) + '"');
    if (!field->choices.empty() &&
        std::find(field->choices.begin(), field->choices.end(), value) == field->choices.end())
      bad_choice(value);
    *field->text = std::move(value);
    return true;
  }
  bool binary(const std::vector<std::uint8_t>&) { unexpected("binary data"); }  // never in JSON text

  bool start_object(std::size_t) {
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
  bool key(const std::string& name) {
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
  bool end_object() {
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
  bool start_array(std::size_t) {
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
  bool end_array() {
    if (in_pair() && open_.back().count < 2) fail("the end of a pair of numbers", "two numbers");
    open_.pop_back();
    field_ = nullptr;
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
    if (expected == "end of input") fail(fmt::format("{} after the{}", found, called() + 1), "the end of the file");
    if (found == "end of input" && !source_.ended()) fail("a byte of zero", "text");
    if (source_.ended()) fail("the end of the file", fmt::format("the rest of {}", called()));
    if (expected == "'}'" || expected == "']'") expected.insert(0, "',' or ");
    fail(fmt::format("{} at the end of `{}`", found, end_of_text(last_token)), expected);
  }

 protected:
  /// To be filled by the constructor of the derived class.
  std::vector<JsonShape>& shapes() { return shapes_; }
  virtual void opened(int shape) = 0;
  /// All required fields of an object are there.
  virtual void closed(int shape) = 0;
  /// Makes a size of a whole number, or of one `as_written` with a fraction or an exponent; throws if it cannot.
  virtual void take_size(std::int64_t& /*size*/, std::int64_t value) { unexpected(fmt::format("{}", value)); }
  virtual void take_size(std::int64_t& /*size*/, const std::string& as_written) { unexpected(shown(as_written)); }
  /// Throws: the text of a field is none of its choices.
  [[noreturn]] virtual void bad_choice(const std::string& value) { unexpected('"' + shown(value) + '"'); }

  /// The field whose value comes next; null in an array.
  [[nodiscard]] const JsonField* scalar() const { return field_; }
  /// Throws: the value `found`, just read, is not what belongs here.
  [[noreturn]] void unexpected(const std::string& found) {
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

  /// Throws, with the line of the opening brace of the object just closed.
  [[noreturn]] void fail_object(const std::string& found, const std::string& expected) {
    fail_at(opened_line_, found, expected);
  }
  /// "FILE:LINE" of the opening brace of the object just closed.
  [[nodiscard]] std::string object_where() const { return fmt::format("{}:{}", file_, opened_line_); }
  [[nodiscard]] std::int64_t object_line() const { return opened_line_; }
  /// Whether the object just closed, of this shape, has the field, be it an empty list.
  [[nodiscard]] bool object_has(int shape, std::string_view name) const {
    const std::vector<JsonField>& fields = shapes_[static_cast<std::size_t>(shape)].fields;
    const auto at = std::find_if(fields.begin(), fields.end(), [&](const auto& each) { return name == each.name; });
    return (closed_seen_ >> (at - fields.begin()) & 1U) != 0;
  }
  [[noreturn]] void fail(const std::string& found, const std::string& expected) {
    fail_at(source_.line(), found, expected);
  }
  [[nodiscard]] static std::string names(const JsonShape& shape) {
    std::string result;
    for (const JsonField& field : shape.fields)
      result += fmt::format("{}\"{}\"", result.empty() ? "" : ", ", field.name);
    return result;
  }

 private:
  /// An object or array that is open.
  struct Level {
    int shape = -1;    ///< of an object
    int objects = -1;  ///< of the objects in an array
    std::vector<double>* numbers = nullptr;
    std::vector<std::int64_t>* integers = nullptr;
    std::vector<JsonPair>* pairs = nullptr;
    std::vector<JsonPair>* pair = nullptr;  ///< the array that holds one of its pairs
    std::int64_t line = 0;
    std::uint32_t seen = 0;  ///< one bit per field
    int count = 0;           ///< values of a pair so far

    [[nodiscard]] bool is_array() const {
      return objects >= 0 || numbers != nullptr || integers != nullptr || pairs != nullptr || pair != nullptr;
    }
  };

  static constexpr const char* kInteger = "an integer from 0 to 2^63 - 1";
  static constexpr const char* kNumber = "a number of at least 0";

  /// Whether the value that comes next is one of an array of that kind.
  [[nodiscard]] bool in_integers() const { return !open_.empty() && open_.back().integers != nullptr; }
  [[nodiscard]] bool in_pairs() const { return !open_.empty() && open_.back().pairs != nullptr; }
  [[nodiscard]] bool in_pair() const { return !open_.empty() && open_.back().pair != nullptr; }

  void take_first(std::int64_t value) {
    Level& level = open_.back();
    level.pair->push_back({value, 0});
    ++level.count;
  }
  void take_second(double value) {
    Level& level = open_.back();
    level.pair->back().second = value;
    ++level.count;
  }

  void take_number(double value, const std::string& as_written) {
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

  static std::string wanted(const JsonField& field) {
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

  [[noreturn]] void fail_at(std::int64_t line, const std::string& found, const std::string& expected) {
    throw InputError(fmt::format("{}:{}", file_, line), found, expected);
  }

  const JsonSource& source_;
  std::string file_;
  std::vector<JsonShape> shapes_;
  std::vector<Level> open_;
  const JsonField* field_ = nullptr;  // the field whose value comes next; null in an array
  std::int64_t opened_line_ = 1;
  std::uint32_t closed_seen_ = 0;  // of the object just closed, as Level::seen
};

/// Reads `in`, whose bytes `source` hands out, to its end through `handler`.
template <class Handler>
void read_strict_json(std::istream& in, const std::string& file, JsonSource& source, Handler& handler) {
  const auto unreadable = [&] { return InputError(file, "cannot be read", handler.called()); };
  if (!in) throw unreadable();
  try {
    nlohmann::json::sax_parse(JsonBytes(&source), JsonBytes(), &handler);
  } catch (const std::ios_base::failure&) {
    throw unreadable();
  }
}

}  // namespace sluice::detail
