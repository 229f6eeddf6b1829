#include "apps/sluice/output/result_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sluice/error.hpp"

namespace sluice::command {

namespace {

using nlohmann::json;

/// A value for a message: printable, one line, short.
std::string shown(const json& value) {
  constexpr std::size_t kLongest = 40;
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

InputError broken(std::string_view text, const std::string& name, std::size_t byte) {
  const std::size_t at = std::min(byte, text.size());
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at > 0 ? at - 1 : 0), '\n');
  const std::string where = fmt::format("{}:{}", name, line);
  if (byte > text.size() || text.find_first_not_of(" \t\r\n", at) == text.npos)
    return {where, "the end of the file", "the rest of the JSON"};
  return {where, "what is no JSON", "a file of JSON that sluice wrote"};
}

/// The events of the parser up to the outermost "schema".
class SchemaFinder : public nlohmann::json_sax<json> {
 public:
  std::string schema;
  std::size_t wrong_at = 0;
  bool is_wrong = false;

  bool null() override { return goes_on(); }
  bool boolean(bool) override { return goes_on(); }
  bool number_integer(std::int64_t) override { return goes_on(); }
  bool number_unsigned(std::uint64_t) override { return goes_on(); }
  bool number_float(double, const std::string&) override { return goes_on(); }
  bool string(std::string& value) override {
    if (is_schema_) schema = value;
    return goes_on();
  }
  bool binary(json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return goes_on() && ++depth_ > 0; }
  bool start_array(std::size_t) override { return goes_on() && depth_ > 0 && ++depth_ > 0; }
  bool key(std::string& name) override {
    is_schema_ = depth_ == 1 && name == "schema";
    return true;
  }
  bool end_object() override { return --depth_ > 0; }
  bool end_array() override { return --depth_ > 0; }
  bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
    wrong_at = position;
    is_wrong = true;
    return false;
  }

 private:
  [[nodiscard]] bool goes_on() const { return !is_schema_; }

  int depth_ = 0;
  bool is_schema_ = false;
};

}  // namespace

std::string schema_of(std::string_view text, const std::string& name) {
  SchemaFinder finder;
  (void)json::sax_parse(text, &finder);
  if (finder.is_wrong) throw broken(text, name, finder.wrong_at);
  return finder.schema;
}

json parse_result(std::string_view text, const std::string& name) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    throw broken(text, name, error.byte);
  } catch (const json::out_of_range&) {
    throw InputError(name, "a number beyond every double", "finite numbers");
  }
}

void ResultValue::fail(const std::string& expected) const {
  throw InputError(file_, way_.empty() ? shown(*value_) : fmt::format("{}: {}", way_, shown(*value_)), expected);
}

ResultValue ResultValue::operator[](const char* field) const {
  if (!value_->is_object()) fail("an object");
  const auto found = value_->find(field);
  if (found == value_->end())
    throw InputError(file_, fmt::format("{}without \"{}\"", way_.empty() ? "" : way_ + ' ', field), "that field");
  return {*found, file_, fmt::format("{}\"{}\"", way_.empty() ? "" : way_ + '.', field)};
}

bool ResultValue::has(const char* field) const { return value_->is_object() && value_->contains(field); }
bool ResultValue::is_null() const { return value_->is_null(); }

std::vector<ResultValue> ResultValue::elements() const {
  if (!value_->is_array()) fail("an array");
  std::vector<ResultValue> result;
  result.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i)
    result.push_back({(*value_)[i], file_, fmt::format("{}[{}]", way_, i)});
  return result;
}

std::string ResultValue::text() const {
  if (!value_->is_string()) fail("a text");
  return value_->get<std::string>();
}

bool ResultValue::flag() const {
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
}

double ResultValue::number() const {
  if (!value_->is_number() || !(value_->get<double>() >= 0) || std::isinf(value_->get<double>()))
    fail("a number of at least 0");
  return value_->get<double>();
}

std::int64_t ResultValue::count(std::int64_t most) const {
  const bool fits = value_->is_number_unsigned() && value_->get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
  if (!fits) fail(most == 0 ? "0, the only one" : fmt::format("an integer from 0 to {}", most));
  return value_->get<std::int64_t>();
}

}  // namespace sluice::command
