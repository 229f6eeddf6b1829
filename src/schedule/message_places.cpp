#include "schedule/message_places.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice::detail {

namespace {

/// Buffers are listed one number a device.
constexpr std::int64_t kMostDevices = std::int64_t{1} << 24;

bool before(const MessagePlaces::PlacedMessage& a, const MessagePlaces::PlacedMessage& b) {
  return std::pair(a.from, a.to) < std::pair(b.from, b.to);
}

}  // namespace

MessagePlaces::MessagePlaces(const StepSchedule& schedule) {
  if (schedule.decimals != 0)
    throw InputError("export", fmt::format("sizes with {}", count_text(schedule.decimals, "decimal")), "whole numbers");
  if (schedule.local_phases) throw InputError("export", "a schedule with local phases", "one of steps alone");
  if (schedule.switches != 1)
    throw InputError("export", fmt::format("a schedule for {}", count_text(schedule.switches, "switch", "switches")),
                     "one for one switch");
  if (schedule.input && schedule.input->has_replicas())
    throw InputError("export", "a schedule for several copies of an array", "one from one copy to one copy");
  if (const auto violations = validate(schedule); !violations.empty())
    throw InputError("export", to_string(violations.front()), "a sound schedule");

  std::int64_t devices = std::max(schedule.senders, schedule.receivers);
  if (schedule.input && !schedule.input->roles.empty()) {
    const std::vector<std::int64_t>& roles = schedule.input->roles;
    devices = std::max(devices, static_cast<std::int64_t>(roles.size()));
    device_of_receiver_.assign(static_cast<std::size_t>(std::min(schedule.receivers, kMostDevices)), -1);
    for (std::size_t device = 0; device < roles.size(); ++device) {
      if (roles[device] >= 0 && roles[device] < static_cast<std::int64_t>(device_of_receiver_.size()))
        device_of_receiver_[static_cast<std::size_t>(roles[device])] = static_cast<std::int64_t>(device);
    }
    // Receivers that no process of the source grid plays are devices of their own.
    for (std::int64_t& device : device_of_receiver_)
      if (device < 0) device = devices++;
  }
  if (devices > kMostDevices)
    throw InputError("export", fmt::format("{} devices", devices), fmt::format("at most {}", kMostDevices));
  send_sizes_.assign(static_cast<std::size_t>(devices), 0);
  receive_sizes_.assign(static_cast<std::size_t>(devices), 0);

  const auto add = [&](const Transfer& transfer) {
    messages_.push_back({transfer.from, transfer.to, transfer.size, 0, 0});
  };
  for (const Step& step : schedule.steps) std::for_each(step.transfers.begin(), step.transfers.end(), add);
  std::for_each(schedule.copies.begin(), schedule.copies.end(), add);
  std::sort(messages_.begin(), messages_.end(), before);
  std::vector<PlacedMessage> joined;
  for (const PlacedMessage& piece : messages_) {
    if (!joined.empty() && joined.back().from == piece.from && joined.back().to == piece.to)
      joined.back().size += piece.size;
    else
      joined.push_back(piece);
  }
  messages_ = std::move(joined);
  // By sender, so that the messages of a receiver come in that order too.
  for (PlacedMessage& message : messages_) {
    std::int64_t& sent = send_sizes_[static_cast<std::size_t>(message.from)];
    std::int64_t& received = receive_sizes_[static_cast<std::size_t>(device_of_receiver(message.to))];
    message.send_offset = sent;
    message.receive_offset = received;
    sent = checked::add(sent, message.size, "what a device sends");
    received = checked::add(received, message.size, "what a device gets");
  }
}

std::int64_t MessagePlaces::device_of_receiver(std::int64_t receiver) const {
  return device_of_receiver_.empty() ? receiver : device_of_receiver_[static_cast<std::size_t>(receiver)];
}

const MessagePlaces::PlacedMessage& MessagePlaces::message_of(const Transfer& transfer) const {
  return *std::lower_bound(messages_.begin(), messages_.end(), PlacedMessage{transfer.from, transfer.to, 0, 0, 0},
                           before);
}

}  // namespace sluice::detail
