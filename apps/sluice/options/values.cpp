#include "apps/sluice/options/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/read_file.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice::command {

std::int64_t parse_count(const std::string& text, const std::string& where, std::int64_t least, std::int64_t most) {
  // A negative number is below any `least`; parse_size would say of it that 0 is enough.
  const bool negative = text.size() > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9';
  const std::int64_t value = negative ? -1 : parse_size(text, where);
  // The largest numbers of a type are limits that people need not know unless they exceed them.
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  if (value < least && most >= kFar)
    throw InputError(where, fmt::format("'{}'", text), fmt::format("at least {}", least));
  if (value < least || value > most)
    throw InputError(where, fmt::format("'{}'", text),
                     least == most ? fmt::format("{}, the only one", least) : fmt::format("{} to {}", least, most));
  return value;
}

double parse_setup(const std::string& text) {
  const double setup = parse_number(text, "--setup");
  check_setup(setup, "--setup");
  return setup;
}

std::int64_t parse_chunk(const std::string& text, const std::string& where) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
  const std::int64_t bytes = parse_bytes(text, where);
  if (bytes < 1 || bytes > kMostBytes) throw InputError(where, fmt::format("'{}'", text), "1 byte to 1 GiB");
  return bytes;
}

std::vector<std::string> parse_list(const std::string& text, char between) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(between, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::vector<InputLine> read_input_lines(const std::string& path, const char* what) {
  std::istringstream in(std::string(read_file(path, what).text()));
  const std::string name = shown_path(path);
  std::vector<InputLine> lines;
  std::string line;
  for (std::int64_t number = 1; std::getline(in, line); ++number) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == line.npos || line[first] == '%' || line[first] == '#') continue;
    line.erase(line.find_last_not_of(" \t\r") + 1);
    lines.push_back({fmt::format("{}:{}", name, number), line.substr(first)});
  }
  return lines;
}

}  // namespace sluice::command
