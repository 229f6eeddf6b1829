#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

/// Reading files of results (compare, run, simulate, ...), which may have more fields than this version knows.
namespace sluice::command {

/// The text of the outermost "schema" of the JSON file `text`; empty if it has none. Throws InputError, "NAME:LINE",
/// for what is no JSON.
[[nodiscard]] std::string schema_of(std::string_view text, const std::string& name);

/// `text` as JSON. Throws InputError as schema_of.
[[nodiscard]] nlohmann::json parse_result(std::string_view text, const std::string& name);

/// A value in a file, and where it stands: each fault is an InputError that names the file and the path to the value,
/// such as `"methods"[2]."median_s"`.
class ResultValue {
 public:
  ResultValue(const nlohmann::json& value, std::string file) : value_(&value), file_(std::move(file)) {}

  /// The name of the file.
  [[nodiscard]] const std::string& file() const { return file_; }
  /// A field of an object. Throws if it is missing.
  [[nodiscard]] ResultValue operator[](const char* field) const;
  [[nodiscard]] bool has(const char* field) const;
  [[nodiscard]] bool is_null() const;
  /// The elements of an array.
  [[nodiscard]] std::vector<ResultValue> elements() const;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool flag() const;
  /// Finite and at least 0.
  [[nodiscard]] double number() const;
  /// 0 to `most`.
  [[nodiscard]] std::int64_t count(std::int64_t most = INT64_MAX) const;

 private:
  ResultValue(const nlohmann::json& value, std::string file, std::string way)
      : value_(&value), file_(std::move(file)), way_(std::move(way)) {}
  [[noreturn]] void fail(const std::string& expected) const;

  const nlohmann::json* value_;
  std::string file_;
  std::string way_;
};

}  // namespace sluice::command
