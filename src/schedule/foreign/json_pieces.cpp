#include "schedule/foreign/json_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <ios>
#include <string>
#include <utility>
#include <vector>

#include "input/json_bytes.hpp"
#include "input/shown_text.hpp"
#include "input/strict_json.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

class JsonPieces {
 public:
  JsonPieces(const JsonSource& source, std::string file, const char* what, const JsonPieceReader& reader)
      : source_(source), file_(std::move(file)), what_(what), reader_(reader) {}

  bool null() { return take(nullptr); }
  bool boolean(bool value) { return take(value); }
  bool number_integer(std::int64_t value) { return take(value); }
  bool number_unsigned(std::uint64_t value) { return take(value); }
  bool number_float(double value, const std::string&) { return take(value); }
  bool string(std::string& value) { return take(std::move(value)); }
  bool binary(const std::vector<std::uint8_t>&) { return false; }
  bool key(const std::string& name) {
    if (building_.empty())
      levels_.back().name = name;
    else
      key_ = name;
    return true;
  }
  bool start_object(std::size_t) { return open(nlohmann::json::object(), false); }
  bool start_array(std::size_t) { return open(nlohmann::json::array(), true); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  template <class Error>
  bool parse_error(std::size_t, const std::string& last_token, const Error&) {
    if (is_complete_) fail(fmt::format("more after {}", what_), "the end of the file");
    if (source_.ended()) fail("the end of the file", fmt::format("the end of {}", what_));
    fail(fmt::format("no JSON: {}", shown(last_token)), what_);
  }

 private:
  /// A container that is gone through.
  struct Level {
    std::string path;
    std::string name;  ///< of the value that comes next
    bool is_array = false;
  };

  [[noreturn]] void fail(const std::string& found, const std::string& expected) const {
    throw InputError(fmt::format("{}:{}", file_, source_.line()), found, expected);
  }

  void count() {
    constexpr int kMostParts = 1 << 20;
    if (++parts_ > kMostParts) fail("a value of more than 2^20 parts", what_);
  }

  template <class Value>
  bool take(Value&& value) {
    if (levels_.empty()) fail("a value", what_);
    if (building_.empty()) {
      nlohmann::json whole(std::forward<Value>(value));
      reader_.value(levels_.back().path, levels_.back().name, whole, source_.line());
      return true;
    }
    count();
    add(nlohmann::json(std::forward<Value>(value)));
    return true;
  }

  nlohmann::json& add(nlohmann::json value) {
    nlohmann::json& into = *building_.back();
    if (!into.is_array()) return into[key_] = std::move(value);
    into.push_back(std::move(value));
    return into.back();
  }

  [[nodiscard]] std::string path_of_next() const {
    if (levels_.empty()) return "";
    const Level& level = levels_.back();
    if (level.is_array) return level.path + "[]";
    return level.path.empty() ? level.name : level.path + "." + level.name;
  }

  bool open(nlohmann::json empty, bool is_array) {
    constexpr std::size_t kDeepest = 64;
    if (!building_.empty()) {
      count();
      if (building_.size() == kDeepest) fail("values inside each other, 65 deep", what_);
      // Elements of arrays move when more come, but only after this one is complete.
      building_.push_back(&add(std::move(empty)));
      return true;
    }
    std::string path = path_of_next();
    if (levels_.empty()
            ? !is_array
            : std::find(reader_.containers.begin(), reader_.containers.end(), path) != reader_.containers.end()) {
      reader_.opened(path, source_.line());
      levels_.push_back({std::move(path), is_array ? "[]" : "", is_array});
      return true;
    }
    if (levels_.empty()) fail("an array", what_);
    value_ = std::move(empty);
    value_line_ = source_.line();
    parts_ = 0;
    building_.push_back(&value_);
    return true;
  }

  bool close() {
    if (!building_.empty()) {
      building_.pop_back();
      if (building_.empty()) reader_.value(levels_.back().path, levels_.back().name, value_, value_line_);
      return true;
    }
    reader_.closed(levels_.back().path);
    levels_.pop_back();
    is_complete_ = levels_.empty();
    return true;
  }

  const JsonSource& source_;
  std::string file_;
  const char* what_;
  const JsonPieceReader& reader_;
  std::vector<Level> levels_;
  nlohmann::json value_;
  std::int64_t value_line_ = 0;
  int parts_ = 0;
  bool is_complete_ = false;
  std::vector<nlohmann::json*> building_;
  std::string key_;
};

}  // namespace

void read_json_pieces(std::istream& in, const std::string& file, const char* what, const JsonPieceReader& reader) {
  if (!in) throw InputError(file, "cannot be read", what);
  JsonSource source(in.rdbuf());
  JsonPieces pieces(source, file, what, reader);
  try {
    nlohmann::json::sax_parse(JsonBytes(&source), JsonBytes(), &pieces);
  } catch (const std::ios_base::failure&) {
    throw InputError(file, "cannot be read", what);
  }
}

}  // namespace sluice::detail
