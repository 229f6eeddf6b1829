#include "fuzz/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/input/clustering.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/input/latency_matrix.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/input/traffic_file.hpp"
#include "sluice/schedule/any_schedule.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/tree_json.hpp"
#include "sluice/schedule/tree_validate.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice::fuzz {
namespace {

constexpr std::string_view kFile = "file";

/// What `read` returns; nothing if it threw a proper InputError: at a line of `text`, or for the whole file.
template <class Read>
auto read_or_refuse(const Read& read, std::string_view text) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const InputError& error) {
    const std::string what = error.what();
    SLUICE_ASSERT(what.find('\n') == what.npos && what.size() < 500, what);
    const std::string& where = error.where();
    if (where == kFile) return {};
    const std::string start = std::string(kFile) + ":";
    SLUICE_ASSERT(where.substr(0, start.size()) == start, what);
    const std::int64_t line = std::stoll(where.substr(start.size()));
    const auto newlines = std::count(text.begin(), text.end(), '\n');
    SLUICE_ASSERT(line >= 1 && line <= newlines + 1, what);
    return {};
  }
}

std::string as_matrix_market(const Traffic& traffic) {
  std::string text = fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", traffic.senders,
                                 traffic.receivers, traffic.messages.size());
  for (const Message& m : traffic.messages)
    text += fmt::format("{} {} {}\n", m.from + 1, m.to + 1, decimal_text(m.size, traffic.decimals));
  return text;
}

void check_traffic(const Traffic& traffic) {
  constexpr std::int64_t kLargestDimension = 2147483647;
  SLUICE_ASSERT(traffic.senders >= 0 && traffic.senders <= kLargestDimension, fmt::format("{}", traffic.senders));
  SLUICE_ASSERT(traffic.receivers >= 0 && traffic.receivers <= kLargestDimension, fmt::format("{}", traffic.receivers));
  SLUICE_ASSERT(traffic.decimals >= 0 && traffic.decimals <= kMaxDecimals, fmt::format("{}", traffic.decimals));
  std::int64_t total = 0;
  for (const Message& m : traffic.messages) {
    SLUICE_ASSERT(m.from >= 0 && m.from < traffic.senders && m.to >= 0 && m.to < traffic.receivers && m.size > 0,
                  fmt::format("{} from {} to {}", m.size, m.from, m.to));
    total = checked::add(total, m.size, "total");
  }
  SLUICE_ASSERT(traffic.decimals == 0 || total <= std::int64_t{1} << 62, fmt::format("{}", total));

  const std::string text = as_matrix_market(traffic);
  const Traffic again = read_matrix_market(text, std::string(kFile));
  SLUICE_ASSERT(again.senders == traffic.senders && again.receivers == traffic.receivers, text);
  SLUICE_ASSERT(again.decimals <= traffic.decimals && again.messages.size() == traffic.messages.size(), text);
  const std::int64_t factor = power_of_ten(traffic.decimals - again.decimals);
  for (std::size_t i = 0; i < again.messages.size(); ++i) {
    Message message = again.messages[i];
    message.size *= factor;
    SLUICE_ASSERT(message == traffic.messages[i], text);
  }
}

AnySchedule read_schedule_text(std::string_view text) {
  std::istringstream in{std::string(text)};
  return read_any_schedule(in, std::string(kFile));
}

void check_steps(const ScheduleFile& file) {
  (void)validate(file);
  (void)validate(file, {2, 3, {{0, 0, 3}, {0, 1, 1}, {1, 2, 2}}});
  (void)validate(file, {2, 2, {{0, 0, 351}, {1, 1, 50}}, 2});

  std::string written;
  try {
    written = to_json(file.schedule, file.certificate);
  } catch (const InputError&) {
    return;  // its durations add up to more than an int64 holds
  }
  const ScheduleFile again = std::get<ScheduleFile>(read_schedule_text(written));
  SLUICE_ASSERT(again.schedule.decimals <= file.schedule.decimals && again.certificate == file.certificate, written);
  // A stated transmission alone may have needed more decimals; what is written is the true one.
  if (again.schedule.decimals == file.schedule.decimals) SLUICE_ASSERT(again.schedule == file.schedule, written);
}

void check_tree(const TreeSchedule& schedule) {
  (void)validate(schedule);
  const std::string written = to_json(schedule);
  SLUICE_ASSERT(to_json(std::get<TreeSchedule>(read_schedule_text(written))) == written, written);
}

void check_program(const Program& program) {
  (void)validate(program);
  const std::string written = to_json(program);
  SLUICE_ASSERT(std::get<Program>(read_schedule_text(written)) == program, written);
}

void check_latencies(const LatencyMatrix& matrix) {
  for (const LatencyPair& pair : matrix.pairs())
    SLUICE_ASSERT(pair.a >= 0 && pair.a < pair.b && pair.b < matrix.nodes() && pair.latency_s > 0,
                  fmt::format("{} between {} and {}", pair.latency_s, pair.a, pair.b));
  constexpr std::int64_t kFewNodes = 500;
  if (matrix.nodes() > kFewNodes) return;
  std::vector<std::int64_t> nodes;
  for (const std::vector<std::int64_t>& cluster : find_clusters(matrix, 0.3))
    nodes.insert(nodes.end(), cluster.begin(), cluster.end());
  std::sort(nodes.begin(), nodes.end());
  SLUICE_ASSERT(std::ssize(nodes) == matrix.nodes(), fmt::format("{} nodes in clusters", nodes.size()));
  SLUICE_ASSERT(std::adjacent_find(nodes.begin(), nodes.end()) == nodes.end(), "a node in two clusters");
}

Platform read_platform_text(std::string_view text) {
  std::istringstream in{std::string(text)};
  return read_platform(in, std::string(kFile));
}

}  // namespace

void latency_matrix(std::string_view text) {
  if (const auto matrix = read_or_refuse([&] { return read_latency_matrix(text, std::string(kFile)); }, text))
    check_latencies(*matrix);
}

void matrix_market(std::string_view text) {
  if (const auto traffic = read_or_refuse([&] { return read_matrix_market(text, std::string(kFile)); }, text))
    check_traffic(*traffic);
}

void traffic_csv(std::string_view text) {
  if (const auto traffic = read_or_refuse([&] { return read_traffic_csv(text, std::string(kFile)); }, text))
    check_traffic(*traffic);
}

void platform(std::string_view text) {
  const auto platform = read_or_refuse([&] { return read_platform_text(text); }, text);
  if (!platform) return;
  check_platform(*platform, std::string(kFile));
  SLUICE_ASSERT(read_platform_text(to_json(*platform)) == *platform, to_json(*platform));
}

void schedule(std::string_view text) {
  const auto read = read_or_refuse([&] { return read_schedule_text(text); }, text);
  if (!read) return;
  if (const auto* const file = std::get_if<ScheduleFile>(&*read))
    check_steps(*file);
  else if (const auto* const program = std::get_if<Program>(&*read))
    check_program(*program);
  else
    check_tree(std::get<TreeSchedule>(*read));
}

}  // namespace sluice::fuzz
