#include "timing/simgrid_request.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <istream>
#include <ostream>
#include <span>
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
                           const SimulatedMessages& messages) {
  out << machine.platform << '\n' << who_needs << '\n';
  write_lines(out, machine.hosts);
  write_lines(out, machine.settings);
  out << messages.most << ' ' << static_cast<int>(messages.in_order) << ' ' << static_cast<int>(messages.works_alone)
      << '\n'
      << messages.fence.size() << '\n';
  for (const std::int64_t host : messages.fence) out << host << '\n';
  const SimulatedPieces pieces = messages.pieces.value_or(SimulatedPieces{0});
  out << pieces.chunk_bytes << ' ' << pieces.granule << ' ' << pieces.window << ' ' << pieces.ahead << ' '
      << pieces.early_bytes << '\n';
  const MessageGraph& graph = messages.graph;
  out << graph.size() << '\n';
  std::string line;
  for (std::size_t m = 0; m < graph.size(); ++m) {
    const MessageGraph::Message& each = graph.messages[m];
    const std::span<const MessageEnd> after = graph.after[start_of(m)];
    line.clear();
    append_text(line, "{} {} {} {} {} {} {} {} {}", each.from, each.to, each.bytes, messages.step(m),
                static_cast<int>(messages.is_word(m)), messages.pace(m).connection_s, messages.pace(m).port_s,
                messages.work_s(m), after.size());
    for (const MessageEnd end : after) append_text(line, " {}", end);
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
  SimulatedMessages& messages = request.messages;
  messages.most = fields.number<std::int64_t>();
  messages.in_order = fields.number<int>() != 0;
  messages.works_alone = fields.number<int>() != 0;
  messages.fence.resize(fields.number<std::size_t>());
  for (std::int64_t& host : messages.fence) host = fields.number<std::int64_t>();
  SimulatedPieces pieces;
  pieces.chunk_bytes = fields.number<std::int64_t>();
  pieces.granule = fields.number<std::int64_t>();
  pieces.window = fields.number<int>();
  pieces.ahead = fields.number<int>();
  pieces.early_bytes = fields.number<std::int64_t>();
  if (pieces.chunk_bytes > 0) messages.pieces = pieces;
  MessageGraph& graph = messages.graph;
  const auto count = fields.number<std::size_t>();
  std::vector<MessageEnd> after;
  for (std::size_t m = 0; m < count; ++m) {
    MessageGraph::Message message;
    message.from = fields.number<std::int32_t>();
    message.to = fields.number<std::int32_t>();
    message.bytes = fields.number<std::int64_t>();
    graph.step.push_back(fields.number<std::int32_t>());
    if (fields.number<int>() != 0) message.kind = MessageKind::kWord;
    SendPace& pace = graph.pace.emplace_back();
    pace.connection_s = fields.number<double>();
    pace.port_s = fields.number<double>();
    graph.work_s.push_back(fields.number<double>());
    after.resize(fields.number<std::size_t>());
    for (MessageEnd& each : after) each = fields.number<MessageEnd>();
    graph.add_after(message, after);
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
