#include "sluice/show/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/append_text.hpp"
#include "input/json_text.hpp"
#include "show/lanes.hpp"
#include "show/svg.hpp"

namespace sluice {
namespace {

/// Nodes that send and nodes that receive, numbered through: nodes that do both count once.
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
  [[nodiscard]] std::int64_t sending_lanes(std::int64_t node, const detail::Lanes& lanes) const {
    return sends(node) ? lanes.sends[static_cast<std::size_t>(node)] : 0;
  }
  [[nodiscard]] std::int64_t receiving_lanes(std::int64_t node, const detail::Lanes& lanes) const {
    const std::int64_t first = timeline_.same_nodes ? 0 : timeline_.senders;
    return receives(node) ? lanes.receives[static_cast<std::size_t>(node - first)] : 0;
  }
  /// The number for people: senders, receivers and nodes that are both, from 0 each.
  [[nodiscard]] std::int64_t number(std::int64_t node) const {
    return node < timeline_.senders ? node : node - timeline_.senders;
  }
  [[nodiscard]] std::string name(std::int64_t node) const {
    const char* const kind = timeline_.same_nodes ? "machine" : sends(node) ? "sender" : "receiver";
    return fmt::format("{} {}", kind, number(node));
  }

 private:
  const Timeline& timeline_;
};

/// Tracks of a node: one for sends and one for receives; more if it sends or receives several at once (lane > 0).
std::int64_t send_track(std::int64_t lane) { return 2 * lane; }
std::int64_t receive_track(std::int64_t lane) { return 2 * lane + 1; }

/// Programs that show traces count nanoseconds, and round the beginning of a slice and its length separately. Slices
/// that touch would overlap by one, and one of them is then left out. So both ends are rounded here.
class TraceTimes {
 public:
  /// Beyond the 292 years that 64 bits hold, everything is at their end.
  explicit TraceTimes(double factor) : factor_(factor * 1000) {}

  struct Slice {
    std::string start;
    std::string length;
  };
  [[nodiscard]] Slice slice(double start, double end) const {
    const std::int64_t begins = nanoseconds(start);
    return {text(begins), text(std::max(begins, nanoseconds(end)) - begins)};
  }

 private:
  [[nodiscard]] std::int64_t nanoseconds(double time) const {
    constexpr double kMost = 9.2e18;
    return std::llround(std::clamp(time * factor_, 0.0, kMost));
  }
  /// Microseconds.
  static std::string text(std::int64_t nanoseconds) {
    return nanoseconds % 1000 == 0 ? fmt::format("{}", nanoseconds / 1000)
                                   : fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
  }

  double factor_;
};

/// "0.00 0.45 0.70", the form of Paje's colours.
std::string paje_colour(std::string_view colour) {
  const auto part = [&](std::size_t at) { return std::stoi(std::string(colour.substr(at, 2)), nullptr, 16) / 255.0; };
  return fmt::format("{:.2f} {:.2f} {:.2f}", part(1), part(3), part(5));
}

/// "sends", "sends 2".
std::string track_name(const char* what, std::int64_t lane) {
  return lane == 0 ? what : fmt::format("{} {}", what, lane + 1);
}

}  // namespace

std::string chrome_trace(const Timeline& timeline) {
  const Nodes nodes(timeline);
  const detail::Lanes lanes = detail::lanes_of(timeline);
  constexpr double kMicroseconds = 1e6;
  const TraceTimes times(timeline.unit == "s" ? kMicroseconds : 1);
  std::string out = fmt::format(
      "{{\"displayTimeUnit\": \"ms\", \"otherData\": {{\"problem\": {}, \"algorithm\": {}, \"unit\": \"{}\"}},\n",
      detail::json_string(timeline.problem, "problem"), detail::json_string(timeline.algorithm, "algorithm"),
      timeline.unit == "s" ? "1 us" : "1 unit of the schedule shown as 1 us");
  out += "\"traceEvents\": [";
  const char* between = "\n";
  const auto append = [&]<class... Values>(fmt::format_string<Values...> format, Values&&... values) {
    out += between;
    between = ",\n";
    detail::append_text(out, format, std::forward<Values>(values)...);
  };
  for (std::int64_t node = 0; node < nodes.count(); ++node) {
    append(R"({{"ph": "M", "pid": {}, "tid": 0, "ts": 0, "name": "process_name", "args": {{"name": "{}"}}}})", node,
           nodes.name(node));
    append(
        R"({{"ph": "M", "pid": {0}, "tid": 0, "ts": 0, "name": "process_sort_index", "args": {{"sort_index": {0}}}}})",
        node);
    const auto track = [&](std::int64_t number, const std::string& name) {
      append(R"({{"ph": "M", "pid": {}, "tid": {}, "ts": 0, "name": "thread_name", "args": {{"name": "{}"}}}})", node,
             number, name);
    };
    for (std::int64_t lane = 0; lane < nodes.sending_lanes(node, lanes); ++lane)
      track(send_track(lane), track_name("sends", lane));
    for (std::int64_t lane = 0; lane < nodes.receiving_lanes(node, lanes); ++lane)
      track(receive_track(lane), track_name("receives", lane));
  }
  for (std::size_t i = 0; i < timeline.transfers.size(); ++i) {
    const TimelineTransfer& each = timeline.transfers[i];
    std::string facts = fmt::format(R"("from": {}, "to": {})", each.from, each.to);
    if (each.step >= 0) facts += fmt::format(R"(, "step": {})", each.step);
    if (each.step >= 0 || each.size > 0) facts += fmt::format(R"(, "size": {})", each.size);
    if (each.offset >= 0) facts += fmt::format(R"(, "offset": {})", each.offset);
    const TraceTimes::Slice sent = times.slice(each.start, each.sender_free);
    const TraceTimes::Slice received = times.slice(each.receive_start, each.end);
    append(
        R"({{"ph": "X", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "name": "to {}", "cat": "send", "args": {{{}}}}})",
        nodes.of_sender(each.from), send_track(lanes.send[i]), sent.start, sent.length, each.to, facts);
    append(
        R"({{"ph": "X", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "name": "from {}", "cat": "receive", "args": {{{}}}}})",
        nodes.of_receiver(each.to), receive_track(lanes.receive[i]), received.start, received.length, each.from, facts);
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
  define(9, "PajeDefineEntityValue", {{"Alias", "string"}, {"Type", "string"}, {"Name", "string"}, {"Color", "color"}});
  out += "0 R 0 run\n0 T R track\n1 S T transfer\n2 L R T T message\n3 0 r R 0 \"run\"\n";
  const detail::Lanes lanes = detail::lanes_of(timeline);
  const auto container = [](char kind, std::int64_t node, std::int64_t lane) {
    return lane == 0 ? fmt::format("{}{}", kind, node) : fmt::format("{}{}_{}", kind, node, lane);
  };
  for (std::int64_t node = 0; node < nodes.count(); ++node) {
    const auto create = [&](char kind, std::int64_t lane, const char* what) {
      // Short, because ViTE cuts names behind some 12 characters.
      out += fmt::format("3 0 {} T r \"{} {}\"\n", container(kind, node, lane), nodes.number(node),
                         track_name(what, lane));
    };
    for (std::int64_t lane = 0; lane < nodes.sending_lanes(node, lanes); ++lane) create('s', lane, "sends");
    for (std::int64_t lane = 0; lane < nodes.receiving_lanes(node, lanes); ++lane) create('v', lane, "receives");
  }

  // Colours are as in the pictures: of the node at the other end. ViTE draws states without a colour in black.
  const auto define_values = [&](char kind, const char* direction, std::int64_t peers) {
    for (std::int64_t peer = 0; peer < peers; ++peer)
      out += fmt::format("9 {0}{1} S \"{2} {1}\" \"{3}\"\n", kind, peer, direction,
                         paje_colour(detail::kPalette[static_cast<std::size_t>(peer) % detail::kPalette.size()]));
  };
  define_values('t', "to", timeline.receivers);
  define_values('f', "from", timeline.senders);

  struct Event {
    double time;
    int order;  // at the same time: ends before starts
    std::string line;
  };
  std::vector<Event> events;
  events.reserve(4 * timeline.transfers.size());
  for (std::size_t i = 0; i < timeline.transfers.size(); ++i) {
    const TimelineTransfer& each = timeline.transfers[i];
    const std::string sender = container('s', nodes.of_sender(each.from), lanes.send[i]);
    const std::string receiver = container('v', nodes.of_receiver(each.to), lanes.receive[i]);
    // A slice of no time would end before it starts.
    if (each.sender_free > each.start) {
      events.push_back({each.start, 1,
                        fmt::format("5 {:.12g} S {} t{}\n7 {:.12g} L r {} m {}\n", each.start, sender, each.to,
                                    each.start, sender, i)});
      events.push_back({each.sender_free, 0, fmt::format("6 {:.12g} S {}\n", each.sender_free, sender)});
    }
    if (each.end > each.receive_start) {
      events.push_back(
          {each.receive_start, 1, fmt::format("5 {:.12g} S {} f{}\n", each.receive_start, receiver, each.from)});
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
