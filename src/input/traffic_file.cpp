#include "sluice/input/traffic_file.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "input/file_contents.hpp"
#include "sluice/error.hpp"

namespace sluice {
namespace {

/// Whether `path` ends in `extension`, which is in lower case, in any case.
bool has_extension(const std::string& path, std::string_view extension) {
  return path.size() > extension.size() &&
         std::equal(extension.rbegin(), extension.rend(), path.rbegin(), [](char wanted, char c) {
           return wanted == (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
         });
}

constexpr const char* kFileOfTraffic = "a file of traffic";

}  // namespace

Traffic read_traffic(const std::string& path) {
  if (has_extension(path, ".mtx")) return read_matrix_market(detail::read_file(path, kFileOfTraffic).text(), path);
  if (has_extension(path, ".csv")) return read_traffic_csv(detail::read_file(path, kFileOfTraffic).text(), path);
  throw InputError(path, "a name with another extension", "a file of traffic, .mtx or .csv");
}

}  // namespace sluice
