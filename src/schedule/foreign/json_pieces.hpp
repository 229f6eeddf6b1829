#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

/// Reads a large JSON text piece by piece: containers that a reader names are gone through, and everything in them
/// comes as a value of its own.
namespace sluice::detail {

/// What a reader of pieces is told. A path is the names of the containers, "gpus[].ops"; an element of an array has the
/// name "[]". The outermost object has the path "".
struct JsonPieceReader {
  std::vector<std::string_view> containers;  ///< paths of those to go through, besides the outermost one
  std::function<void(std::string_view path, std::int64_t line)> opened;
  std::function<void(std::string_view path)> closed;
  /// `path` is of the container, `name` of the value in it.
  std::function<void(std::string_view path, std::string_view name, nlohmann::json& value, std::int64_t line)> value;
};

/// Reads all of `in`; `what` is expected in it. Throws InputError for a text that is no JSON object, has more after it,
/// or a value beyond 2^20 parts.
void read_json_pieces(std::istream& in, const std::string& file, const char* what, const JsonPieceReader& reader);

}  // namespace sluice::detail
