#include "sluice/show/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace sluice {
namespace {

/// Nodes that send and nodes that receive, numbered through: those that do both once.
class Nodes {
 public:
  explicit Nodes(const Timeline& timeline) : timeline_(timeline) {}

  [[nodiscard]] std::int64_t count() const {
    return timeline_.same_nodes ? timeline_.senders : timeline_.senders + timeline_.receivers;
  }
  [[nodiscard]] std::int64_t of_sender(std::int64_t sender) const { return sender; }
  [[nodiscard]] std::int64_t of_receiver(std::int64_t receiver) const {
    return timeline_.same_nodes ? receiver : timeline_.senders + receiver;
  }
  [[nodiscard]] bool sends(std::int64_t node) const { return node < timeline_.senders; }
  [[nodiscard]] bool receives(std::int64_t node) const { return timeline_.same_nodes || node >= timeline_.senders; }
  [[nodiscard]] std::string name(std::int64_t node) const {
    if (timeline_.same_nodes) return fmt::format("machine {}", node);
    return sends(node) ? fmt::format("sender {}", node) : fmt::format("receiver {}", node - timeline_.senders);
  }

 private:
  const Timeline& timeline_;
};

constexpr int kSendTrack = 0;
constexpr int kReceiveTrack = 1;

}  // namespace

std::string chrome_trace(const Timeline& timeline) {
  const Nodes nodes(timeline);
  constexpr double kMicroseconds = 1e6;
  const double factor = timeline.unit == "s" ? kMicroseconds : 1;
  std::string out = fmt::format(
      "{{\"displayTimeUnit\": \"ms\", \"otherData\": {{\"problem\": \"{}\", \"algorithm\": \"{}\", \"unit\": "
      "\"{}\"}},\n",
      timeline.problem, timeline.algorithm, timeline.unit == "s" ? "1 us" : "1 unit of the schedule shown as 1 us");
  out += "\"traceEvents\": [";
  const char* between = "\n";
  const auto append = [&]<class... Values>(fmt::format_string<Values...> format, Values&&... values) {
    out += between;
    between = ",\n";
    fmt::format_to(std::back_inserter(out), format, std::forward<Values>(values)...);
  };
  for (std::int64_t node = 0; node < nodes.count(); ++node) {
    append(R"({{"ph": "M", "pid": {}, "name": "process_name", "args": {{"name": "{}"}}}})", node, nodes.name(node));
    append(R"({{"ph": "M", "pid": {0}, "name": "process_sort_index", "args": {{"sort_index": {0}}}}})", node);
    if (nodes.sends(node))
      append(R"({{"ph": "M", "pid": {}, "tid": {}, "name": "thread_name", "args": {{"name": "sends"}}}})", node,
             kSendTrack);
    if (nodes.receives(node))
      append(R"({{"ph": "M", "pid": {}, "tid": {}, "name": "thread_name", "args": {{"name": "receives"}}}})", node,
             kReceiveTrack);
  }
  for (const TimelineTransfer& each : timeline.transfers) {
    std::string facts = fmt::format(R"("from": {}, "to": {})", each.from, each.to);
    if (each.step >= 0) facts += fmt::format(R"(, "step": {}, "size": {})", each.step, each.size);
    append(
        R"({{"ph": "X", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "name": "to {}", "cat": "send", "args": {{{}}}}})",
        nodes.of_sender(each.from), kSendTrack, each.start * factor, (each.sender_free - each.start) * factor, each.to,
        facts);
    append(
        R"({{"ph": "X", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "name": "from {}", "cat": "receive", "args": {{{}}}}})",
        nodes.of_receiver(each.to), kReceiveTrack, each.receive_start * factor,
        (each.end - each.receive_start) * factor, each.from, facts);
  }
  return out + "\n]}\n";
}

std::string paje_trace(const Timeline& timeline) {
  const Nodes nodes(timeline);
  std::string out;
  const auto define = [&](int number, const char* name,
                          const std::vector<std::pair<const char*, const char*>>& fields) {
    out += fmt::format("%EventDef {} {}\n", name, number);
    for (const auto& [field, type] : fields) out += fmt::format("% {} {}\n", field, type);
    out += "%EndEventDef\n";
  };
  define(0, "PajeDefineContainerType", {{"Alias", "string"}, {"Type", "string"}, {"Name", "string"}});
  define(1, "PajeDefineStateType", {{"Alias", "string"}, {"Type", "string"}, {"Name", "string"}});
  define(2, "PajeDefineLinkType",
         {{"Alias", "string"},
          {"Type", "string"},
          {"StartContainerType", "string"},
          {"EndContainerType", "string"},
          {"Name", "string"}});
  define(3, "PajeCreateContainer",
         {{"Time", "date"}, {"Alias", "string"}, {"Type", "string"}, {"Container", "string"}, {"Name", "string"}});
  define(4, "PajeDestroyContainer", {{"Time", "date"}, {"Type", "string"}, {"Name", "string"}});
  define(5, "PajePushState", {{"Time", "date"}, {"Type", "string"}, {"Container", "string"}, {"Value", "string"}});
  define(6, "PajePopState", {{"Time", "date"}, {"Type", "string"}, {"Container", "string"}});
  define(7, "PajeStartLink",
         {{"Time", "date"},
          {"Type", "string"},
          {"Container", "string"},
          {"StartContainer", "string"},
          {"Value", "string"},
          {"Key", "string"}});
  define(8, "PajeEndLink",
         {{"Time", "date"},
          {"Type", "string"},
          {"Container", "string"},
          {"EndContainer", "string"},
          {"Value", "string"},
          {"Key", "string"}});
  out += "0 R 0 run\n0 T R track\n1 S T transfer\n2 L R T T message\n3 0 r R 0 \"run\"\n";
  for (std::int64_t node = 0; node < nodes.count(); ++node) {
    if (nodes.sends(node)) out += fmt::format("3 0 s{0} T r \"{1}, sends\"\n", node, nodes.name(node));
    if (nodes.receives(node)) out += fmt::format("3 0 v{0} T r \"{1}, receives\"\n", node, nodes.name(node));
  }

  struct Event {
    double time;
    int order;  // at the same time: ends before starts
    std::string line;
  };
  std::vector<Event> events;
  events.reserve(4 * timeline.transfers.size());
  for (std::size_t i = 0; i < timeline.transfers.size(); ++i) {
    const TimelineTransfer& each = timeline.transfers[i];
    const std::string sender = fmt::format("s{}", nodes.of_sender(each.from));
    const std::string receiver = fmt::format("v{}", nodes.of_receiver(each.to));
    // What takes no time would end before it starts.
    if (each.sender_free > each.start) {
      events.push_back({each.start, 1,
                        fmt::format("5 {:.12g} S {} \"to {}\"\n7 {:.12g} L r {} m {}\n", each.start, sender, each.to,
                                    each.start, sender, i)});
      events.push_back({each.sender_free, 0, fmt::format("6 {:.12g} S {}\n", each.sender_free, sender)});
    }
    if (each.end > each.receive_start) {
      events.push_back({each.receive_start, 1,
                        fmt::format("5 {:.12g} S {} \"from {}\"\n", each.receive_start, receiver, each.from)});
      events.push_back({each.end, 0, fmt::format("6 {:.12g} S {}\n", each.end, receiver)});
      if (each.sender_free > each.start)
        events.push_back({each.end, 0, fmt::format("8 {:.12g} L r {} m {}\n", each.end, receiver, i)});
    }
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.order < b.order;
  });
  for (const Event& event : events) out += event.line;
  out += fmt::format("4 {:.12g} R r\n", timeline.length);
  return out;
}

}  // namespace sluice
