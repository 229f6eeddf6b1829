#include "timing/simgrid_request.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <istream>
#include <ostream>
#include <string_view>

#include "input/append_text.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {
namespace {

void write_lines(std::ostream& out, const std::vector<std::string>& lines) {
  out << lines.size() << '\n';
  for (const std::string& line : lines) out << line << '\n';
}

/// Reads what `write` has written, field by field.
class Fields {
 public:
  explicit Fields(std::istream& in) : in_(in) {}

  template <class Number>
  Number number() {
    Number value{};
    if (!(in_ >> value)) fail();
    return value;
  }
  std::string line() {
    std::string result;
    if (!std::getline(in_ >> std::ws, result)) fail();
    return result;
  }
  std::vector<std::string> lines() {
    std::vector<std::string> result(number<std::size_t>());
    for (std::string& each : result) each = line();
    return result;
  }

 private:
  [[noreturn]] static void fail() { throw InputError("sluice-simgrid", "a file that is cut off", "a whole one"); }

  std::istream& in_;
};

}  // namespace

void write_simgrid_request(std::ostream& out, const SimgridMachine& machine, const std::string& who_needs,
                           const OrderedMessages& graph) {
  out << machine.platform << '\n' << who_needs << '\n';
  write_lines(out, machine.hosts);
  write_lines(out, machine.settings);
  out << graph.most << ' ' << static_cast<int>(graph.in_order) << ' ' << static_cast<int>(graph.works_alone) << '\n'
      << graph.fence.size() << '\n';
  for (const std::int64_t host : graph.fence) out << host << '\n';
  const SimulatedPieces pieces = graph.pieces.value_or(SimulatedPieces{0});
  out << pieces.chunk_bytes << ' ' << pieces.granule << ' ' << pieces.window << ' ' << pieces.ahead << ' '
      << pieces.early_bytes << '\n';
  out << graph.messages.size() << '\n';
  std::string line;
  for (std::size_t i = 0; i < graph.messages.size(); ++i) {
    const OrderedMessage& each = graph.messages[i];
    line.clear();
    append_text(line, "{} {} {} {} {} {} {} {} {}", each.from, each.to, each.size, each.step,
                static_cast<int>(each.control), each.connection_s, each.port_s, each.work_s,
                graph.first_after[i + 1] - graph.first_after[i]);
    for (std::size_t a = graph.first_after[i]; a < graph.first_after[i + 1]; ++a)
      append_text(line, " {}", graph.after[a]);
    out << line << '\n';
  }
}

SimgridRequest read_simgrid_request(std::istream& in) {
  Fields fields(in);
  SimgridRequest request;
  request.machine.platform = fields.line();
  request.who_needs = fields.line();
  request.machine.hosts = fields.lines();
  request.machine.settings = fields.lines();
  request.graph.most = fields.number<std::int64_t>();
  request.graph.in_order = fields.number<int>() != 0;
  request.graph.works_alone = fields.number<int>() != 0;
  request.graph.fence.resize(fields.number<std::size_t>());
  for (std::int64_t& host : request.graph.fence) host = fields.number<std::int64_t>();
  SimulatedPieces pieces;
  pieces.chunk_bytes = fields.number<std::int64_t>();
  pieces.granule = fields.number<std::int64_t>();
  pieces.window = fields.number<int>();
  pieces.ahead = fields.number<int>();
  pieces.early_bytes = fields.number<std::int64_t>();
  if (pieces.chunk_bytes > 0) request.graph.pieces = pieces;
  const auto count = fields.number<std::size_t>();
  std::vector<std::size_t> after;
  for (std::size_t i = 0; i < count; ++i) {
    OrderedMessage message;
    for (std::int64_t* each : {&message.from, &message.to, &message.size, &message.step})
      *each = fields.number<std::int64_t>();
    message.control = fields.number<int>() != 0;
    message.connection_s = fields.number<double>();
    message.port_s = fields.number<double>();
    message.work_s = fields.number<double>();
    after.resize(fields.number<std::size_t>());
    for (std::size_t& each : after) each = fields.number<std::size_t>();
    request.graph.add(message, after);
  }
  return request;
}

void write_simgrid_times(std::ostream& out, const MessageTimes& times) {
  for (std::size_t i = 0; i < times.start.size(); ++i) out << fmt::format("{} {}\n", times.start[i], times.end[i]);
}

MessageTimes read_simgrid_times(std::istream& in, std::size_t count) {
  Fields fields(in);
  MessageTimes times;
  for (std::size_t i = 0; i < count; ++i) {
    times.start.push_back(fields.number<double>());
    times.end.push_back(fields.number<double>());
  }
  return times;
}

}  // namespace sluice::detail
