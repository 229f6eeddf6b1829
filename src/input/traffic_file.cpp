#include "sluice/input/traffic_file.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "input/text_scanner.hpp"
#include "sluice/error.hpp"
#include "sluice/read_file.hpp"

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

Traffic read_traffic(const std::string& path, const TrafficFormat& format, TrafficReading& reading) {
  const bool standard_input = path == kStandardInput;
  const bool matrix_market = has_extension(path, ".mtx");
  if (!standard_input && !matrix_market && !has_extension(path, ".csv") && !has_extension(path, ".tsv"))
    throw InputError(path.empty() ? "''" : path, "a name that tells no format",
                     ".mtx, .csv or .tsv at its end, or - for standard input");
  const FileContents file = read_file(path, kFileOfTraffic, kMostTrafficFileBytes);
  const std::string name = shown_path(path);
  // Nothing but Matrix Market begins with a percent sign.
  const bool banner = standard_input && detail::without_byte_order_mark(file.text()).starts_with("%");
  if (!matrix_market && !banner) return read_traffic_csv(file.text(), name, format, reading);
  if (format != TrafficFormat{})
    throw InputError(name, "Matrix Market, whose first line tells its format", "no --format and no --names");
  return read_matrix_market(file.text(), name);
}

Traffic read_traffic(const std::string& path) {
  TrafficReading reading;
  Traffic traffic = read_traffic(path, {}, reading);
  for (const std::string& warning : reading.warnings) std::fprintf(stderr, "sluice: %s\n", warning.c_str());
  return traffic;
}

}  // namespace sluice
