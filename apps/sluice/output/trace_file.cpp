#include "apps/sluice/output/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/read_file.hpp"

namespace sluice::command {
namespace {

constexpr std::int64_t kMostNodes = 1 << 24;
constexpr const char* kATrace = "a trace (.json) of plan, run or simulate --trace";

/// The number behind "sender " in "sender 3"; -1 where the name does not begin so.
std::int64_t number_behind(const std::string& name, const std::string& kind) {
  if (!name.starts_with(kind) || name.size() == kind.size() || name.size() > kind.size() + 8) return -1;
  std::int64_t number = 0;
  for (const char digit : name.substr(kind.size())) {
    if (digit < '0' || digit > '9') return -1;
    number = 10 * number + (digit - '0');
  }
  return number;
}

/// Counts a node of the trace.
void add_node(Timeline& timeline, const std::string& name, const ResultValue& file) {
  const std::int64_t machine = number_behind(name, "machine "), sender = number_behind(name, "sender "),
                     receiver = number_behind(name, "receiver ");
  if (machine < 0 && sender < 0 && receiver < 0) throw InputError(file.file(), "a process '" + name + "'", kATrace);
  if (machine >= 0) timeline.same_nodes = true;
  timeline.senders = std::max(timeline.senders, std::max(machine, sender) + 1);
  timeline.receivers = std::max(timeline.receivers, std::max(machine, receiver) + 1);
}

}  // namespace

bool is_trace(const ResultValue& file) { return file.has("traceEvents"); }

Timeline timeline_of_trace(const ResultValue& file) {
  Timeline timeline;
  const ResultValue about = file["otherData"];
  timeline.problem = about["problem"].text();
  timeline.algorithm = about["algorithm"].text();
  timeline.unit = about["unit"].text() == "1 us" ? "s" : "";
  const double factor = timeline.unit == "s" ? 1e-6 : 1;
  bool sent = false;  // the last transfer, whose receive is to follow
  const auto fail = [&](const char* what) -> void { throw InputError(file.file(), what, kATrace); };
  for (const ResultValue& event : file["traceEvents"].elements()) {
    const std::string phase = event["ph"].text();
    if (phase == "M") {
      if (event["name"].text() == "process_name") add_node(timeline, event["args"]["name"].text(), file);
      continue;
    }
    if (phase != "X") continue;
    const ResultValue facts = event["args"];
    const double start = event["ts"].number() * factor;
    const double end = start + event["dur"].number() * factor;
    const bool sends = event["cat"].text() == "send";
    if (sends == sent) fail("transfers that are not sent once and received once");
    sent = sends;
    if (sends) {
      TimelineTransfer each;
      each.from = facts["from"].count(kMostNodes);
      each.to = facts["to"].count(kMostNodes);
      if (facts.has("size")) each.size = facts["size"].count();
      if (facts.has("step")) each.step = facts["step"].count();
      if (facts.has("offset")) each.offset = facts["offset"].count();
      each.start = start;
      each.sender_free = end;
      timeline.transfers.push_back(each);
      continue;
    }
    TimelineTransfer& each = timeline.transfers.back();
    if (each.from != facts["from"].count(kMostNodes) || each.to != facts["to"].count(kMostNodes))
      fail("a transfer that another one is received for");
    each.receive_start = start;
    each.end = end;
  }
  if (sent) fail("a transfer that nobody receives");
  for (const TimelineTransfer& each : timeline.transfers)
    if (each.from >= timeline.senders || each.to >= timeline.receivers) fail("a transfer of a node without a name");
  sort_by_start(timeline);
  return timeline;
}

Timeline read_trace(const std::string& path) {
  const nlohmann::json parsed = parse_result(read_file(path, kATrace).text(), path);
  const ResultValue file(parsed, path);
  if (!is_trace(file)) throw InputError(path, "no \"traceEvents\"", kATrace);
  return timeline_of_trace(file);
}

}  // namespace sluice::command
