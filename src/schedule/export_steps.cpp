#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "input/json_text.hpp"
#include "schedule/message_places.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/export.hpp"

namespace sluice {

namespace {

using detail::MessagePlaces;
using PlacedMessage = MessagePlaces::PlacedMessage;

std::string head(const char* schema, const StepSchedule& schedule, const MessagePlaces& places) {
  return fmt::format(
      "{{\"schema\": \"{}\", \"problem\": {}, \"algorithm\": {}, \"devices\": {},\n"
      " \"send_sizes\": [{}],\n \"receive_sizes\": [{}],\n",
      schema, detail::json_string(schedule.problem, "problem"), detail::json_string(schedule.algorithm, "algorithm"),
      places.devices(), fmt::join(places.send_sizes(), ", "), fmt::join(places.receive_sizes(), ", "));
}

}  // namespace

std::string to_ppermute(const StepSchedule& schedule) {
  const MessagePlaces places(schedule);
  std::string text = head("sluice.ppermute/1", schedule, places) + " \"steps\": [";
  const char* between = "\n  ";
  for (const Step& step : schedule.steps) {
    std::vector<std::string> pairs, slices;
    std::int64_t largest = 0;  // the duration too, unless nodes differ in speed
    for (const Transfer& transfer : step.transfers) {
      largest = std::max(largest, transfer.size);
      const PlacedMessage& message = places.message_of(transfer);
      pairs.push_back(fmt::format("[{}, {}]", transfer.from, places.device_of_receiver(transfer.to)));
      slices.push_back(fmt::format("{{\"send_offset\": {}, \"receive_offset\": {}, \"size\": {}}}",
                                   message.send_offset + transfer.offset, message.receive_offset + transfer.offset,
                                   transfer.size));
    }
    text += fmt::format("{}{{\"size\": {}, \"pairs\": [{}],\n   \"slices\": [{}]}}", between, largest,
                        fmt::join(pairs, ", "), fmt::join(slices, ", "));
    between = ",\n  ";
  }
  text += ']';
  if (!schedule.copies.empty()) {
    std::vector<std::string> copies;
    for (const Transfer& copy : schedule.copies) {
      const PlacedMessage& message = places.message_of(copy);
      copies.push_back(fmt::format("{{\"device\": {}, \"send_offset\": {}, \"receive_offset\": {}, \"size\": {}}}",
                                   copy.from, message.send_offset, message.receive_offset, copy.size));
    }
    text += fmt::format(",\n \"copies\": [\n  {}]", fmt::join(copies, ",\n  "));
  }
  return text + "}\n";
}

std::string to_p2p(const StepSchedule& schedule) {
  const MessagePlaces places(schedule);
  const auto operations_of = [&](const std::vector<Transfer>& transfers) {
    std::vector<std::string> operations;
    for (const Transfer& transfer : transfers) {
      const PlacedMessage& message = places.message_of(transfer);
      const std::int64_t target = places.device_of_receiver(transfer.to);
      const std::int64_t from = message.send_offset + transfer.offset, to = message.receive_offset + transfer.offset;
      if (target == transfer.from) {
        operations.push_back(
            fmt::format("{{\"device\": {}, \"kind\": \"copy\", \"offset\": {}, \"to_offset\": {}, \"size\": {}}}",
                        target, from, to, transfer.size));
        continue;
      }
      constexpr const char* kOperation =
          "{{\"device\": {}, \"kind\": \"{}\", \"peer\": {}, \"offset\": {}, \"size\": {}}}";
      operations.push_back(fmt::format(kOperation, transfer.from, "send", target, from, transfer.size));
      operations.push_back(fmt::format(kOperation, target, "receive", transfer.from, to, transfer.size));
    }
    return fmt::format("[{}]", fmt::join(operations, ",\n    "));
  };
  std::vector<std::string> groups;
  if (!schedule.copies.empty()) groups.push_back(operations_of(schedule.copies));
  for (const Step& step : schedule.steps) groups.push_back(operations_of(step.transfers));
  return head("sluice.p2p/1", schedule, places) +
         fmt::format(" \"groups\": [\n   {}]}}\n", fmt::join(groups, ",\n   "));
}

Exporter exporter(const std::string& format, const std::string& where) {
  if (format == "ppermute") return &to_ppermute;
  if (format == "p2p") return &to_p2p;
  if (format == "msccl") return &to_msccl;
  throw InputError(where, fmt::format("'{}'", format), "ppermute, p2p or msccl");
}

}  // namespace sluice
