#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// A number with the text that it was read from.
struct WrittenNumber {
  double value = 0;
  std::string text;
};

/// Two numbers that belong together, for example in a table: [1024, 0.5].
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

  // The functions that the parser calls.
  bool null();
  bool boolean(bool value);
  bool number_integer(std::int64_t value);
  bool number_unsigned(std::uint64_t value);
  bool number_float(double value, const std::string& as_written);
  bool string(std::string& value);
  bool binary(const std::vector<std::uint8_t>&);
  bool start_object(std::size_t);
  bool key(const std::string& name);
  bool end_object();
  bool start_array(std::size_t);
  bool end_array();
  template <class Error>
  bool parse_error(std::size_t, const std::string& last_token, const Error& error);

 protected:
  /// The constructor of the derived class fills these.
  std::vector<JsonShape>& shapes() { return shapes_; }
  virtual void opened(int shape) = 0;
  /// Called when an object ends and has all its required fields.
  virtual void closed(int shape) = 0;
  /// Makes a size of a whole number, or of one `as_written` with a fraction or an exponent; throws if it cannot.
  virtual void take_size(std::int64_t& /*size*/, std::int64_t value);
  virtual void take_size(std::int64_t& /*size*/, const std::string& as_written);
  /// Throws: the text of a field is none of its choices.
  [[noreturn]] virtual void bad_choice(const std::string& value);

  /// The field whose value comes next; null in an array.
  [[nodiscard]] const JsonField* scalar() const { return field_; }
  /// Throws: the value `found`, just read, is not what belongs here.
  [[noreturn]] void unexpected(const std::string& found);

  /// Throws, with the line of the opening brace of the object just closed.
  [[noreturn]] void fail_object(const std::string& found, const std::string& expected);
  /// "FILE:LINE" of the opening brace of the object just closed.
  [[nodiscard]] std::string object_where() const;
  [[nodiscard]] std::int64_t object_line() const { return opened_line_; }
  /// Whether the object just closed, of this shape, has the field, be it an empty list.
  [[nodiscard]] bool object_has(int shape, std::string_view name) const;
  [[noreturn]] void fail(const std::string& found, const std::string& expected);
  [[nodiscard]] static std::string names(const JsonShape& shape);

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

  void take_first(std::int64_t value);
  void take_second(double value);
  void take_number(double value, const std::string& as_written);
  static std::string wanted(const JsonField& field);
  [[noreturn]] void fail_at(std::int64_t line, const std::string& found, const std::string& expected);

  const JsonSource& source_;
  std::string file_;
  std::vector<JsonShape> shapes_;
  std::vector<Level> open_;
  const JsonField* field_ = nullptr;  // the field whose value comes next; null in an array
  std::int64_t opened_line_ = 1;
  std::uint32_t closed_seen_ = 0;  // the Level::seen of the object just closed
};

/// Reads `in`, whose bytes `source` hands out, to its end through `handler`.
void read_strict_json(std::istream& in, const std::string& file, JsonSource& source, StrictJsonHandler& handler);

}  // namespace sluice::detail
