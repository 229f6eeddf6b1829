#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "schedule/message_places.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/export.hpp"

namespace sluice {

namespace {

using detail::MessagePlaces;

// What all executors take. RCCL and msccl-executor-nccl (msccl_struct.h, msccl_parser.cc) ask for more than MSCCL's own
// reader. Their other limits follow from these: a device sends to at most 31 of 32 peers on a channel, and the file has
// less than 4096 elements for a device.
constexpr std::int64_t kMostDevices = 32;    ///< two thread blocks for each peer and one that copies: 63 of 64
constexpr std::int64_t kMostSteps = 64;      ///< of a thread block
constexpr std::int64_t kMostCount = 71;      ///< chunks of a step
constexpr std::int64_t kMostChunks = 32768;  ///< of a buffer: offsets have 16 bits, one of them the sign

constexpr const char* kWhole = "an algorithm that sends messages whole, such as first-fit, needs one for each message";

/// The all-to-all that a schedule carries out, in chunks.
struct Chunks {
  std::int64_t unit = 1;         ///< what a chunk is, in the unit of the schedule
  std::int64_t per_message = 1;  ///< chunks
};

/// Throws InputError unless the messages are an all-to-all of equal messages.
Chunks chunks_of(const StepSchedule& schedule, const MessagePlaces& places) {
  const std::int64_t devices = places.devices();
  if (schedule.senders != schedule.receivers || devices != schedule.senders || devices < 2)
    throw InputError(
        "export msccl",
        fmt::format("{} and {}", count_text(schedule.senders, "sender"), count_text(schedule.receivers, "receiver")),
        "as many of both, two at least");
  if (devices > kMostDevices)
    throw InputError("export msccl", fmt::format("{} devices", devices),
                     fmt::format("at most {}, as a device has 64 thread blocks and needs two for each other device; "
                                 "--export p2p takes any number",
                                 kMostDevices));
  std::int64_t size = 0, between = 0, to_self = 0;
  for (const MessagePlaces::PlacedMessage& message : places.messages()) {
    if (size == 0) size = message.size;
    if (message.size != size)
      throw InputError(
          "export msccl",
          fmt::format("{} from {} to {} beside messages of {}", message.size, message.from, message.to, size),
          "messages of one size");
    ++(places.device_of_receiver(message.to) == message.from ? to_self : between);
  }
  if (between != devices * (devices - 1) || (to_self != 0 && to_self != devices))
    throw InputError(
        "export msccl",
        fmt::format("{} between {} devices, {} to themselves", count_text(between, "message"), devices, to_self),
        fmt::format("one for each pair: {}, and {} or none", devices * (devices - 1), devices));
  Chunks chunks{size, 1};
  for (const Step& step : schedule.steps) {
    for (const Transfer& transfer : step.transfers) {
      if (places.device_of_receiver(transfer.to) != transfer.from)
        chunks.unit = std::gcd(chunks.unit, std::gcd(transfer.offset, transfer.size));
    }
  }
  chunks.per_message = size / chunks.unit;
  if (chunks.per_message > kMostChunks / devices)
    throw InputError("export msccl",
                     fmt::format("pieces that need {} chunks a message, {} on a device", chunks.per_message,
                                 devices * chunks.per_message),
                     fmt::format("at most {} on a device; {}", kMostChunks, kWhole));
  return chunks;
}

/// One step of a thread block.
struct BlockStep {
  const char* type = "s";
  std::int64_t source = 0;  ///< chunk of the input
  std::int64_t target = 0;  ///< chunk of the output
  std::int64_t count = 0;
  std::pair<std::int64_t, std::int64_t> after{-1, -1};  ///< thread block and step of this device; -1: none
  bool waited_for = false;
};

struct ThreadBlock {
  std::int64_t send = -1;  ///< the only peer it may send to
  std::int64_t receive = -1;
  std::vector<BlockStep> steps;
};

/// What one device does. It has a thread block for each peer that it sends to, one for each peer that it receives from,
/// and one that copies. Two directions in one block would wait for each other.
class Device {
 public:
  explicit Device(std::int64_t number) : number_(number) {}

  void send(std::int64_t to, const BlockStep& step) { add(sends_[to], {to, -1, {}}, last_send_, step); }
  void receive(std::int64_t from, const BlockStep& step) { add(receives_[from], {-1, from, {}}, last_receive_, step); }
  void copy(const BlockStep& step) { add(copies_, {}, last_copy_, step); }

  [[nodiscard]] const std::vector<ThreadBlock>& blocks() const { return blocks_; }

 private:
  using Place = std::pair<std::int64_t, std::int64_t>;

  /// `number`: of the thread block, counted from 1; 0 if it is not there yet. `last`: what comes before in its
  /// direction. A step of more chunks than executors take becomes several.
  void add(std::size_t& number, ThreadBlock block, Place& last, BlockStep step) {
    if (number == 0) {
      blocks_.push_back(std::move(block));
      number = blocks_.size();
    }
    const auto own = static_cast<std::int64_t>(number) - 1;
    if (last.first >= 0 && last.first != own) {  // steps of one thread block come in order anyway
      step.after = last;
      blocks_[static_cast<std::size_t>(last.first)].steps[static_cast<std::size_t>(last.second)].waited_for = true;
    }
    ThreadBlock& added_to = blocks_[number - 1];
    for (std::int64_t left = step.count; left > 0; left -= kMostCount) {
      step.count = std::min(left, kMostCount);
      added_to.steps.push_back(step);
      step.source += step.count;
      step.target += step.count;
      step.after = {-1, -1};
    }
    const auto steps = static_cast<std::int64_t>(added_to.steps.size());
    if (steps > kMostSteps) refuse(added_to);
    last = {own, steps - 1};
  }

  /// Throws InputError for a thread block of too many steps.
  [[noreturn]] void refuse(const ThreadBlock& block) const {
    const std::string what = block.send >= 0      ? fmt::format("sends to device {}", block.send)
                             : block.receive >= 0 ? fmt::format("receives from device {}", block.receive)
                                                  : "copies its own block";
    throw InputError("export msccl", fmt::format("device {} {} in more than {} steps", number_, what, kMostSteps),
                     fmt::format("at most {} steps in a thread block; {}", kMostSteps, kWhole));
  }

  std::int64_t number_;
  std::vector<ThreadBlock> blocks_;
  std::map<std::int64_t, std::size_t> sends_, receives_;
  std::size_t copies_ = 0;
  Place last_send_{-1, -1}, last_receive_{-1, -1}, last_copy_{-1, -1};
};

}  // namespace

std::string to_msccl(const StepSchedule& schedule) {
  const MessagePlaces places(schedule);
  const Chunks chunks = chunks_of(schedule, places);
  std::vector<Device> devices;
  for (std::int64_t device = 0; device < places.devices(); ++device) {
    devices.emplace_back(device);
    // The collective asks for a device's own block, whether the schedule has messages to itself or not.
    const std::int64_t own = device * chunks.per_message;
    devices.back().copy({"cpy", own, own, chunks.per_message, {-1, -1}, false});
  }
  for (const Step& step : schedule.steps) {
    for (const Transfer& transfer : step.transfers) {
      const std::int64_t from = transfer.from, to = places.device_of_receiver(transfer.to);
      if (from == to) continue;
      const std::int64_t part = transfer.offset / chunks.unit;
      BlockStep move{
          "s",  to * chunks.per_message + part, from * chunks.per_message + part, transfer.size / chunks.unit, {-1, -1},
          false};
      devices[static_cast<std::size_t>(from)].send(to, move);
      move.type = "r";
      devices[static_cast<std::size_t>(to)].receive(from, move);
    }
  }

  const std::int64_t all = places.devices() * chunks.per_message;
  std::string text = fmt::format(
      "<algo name=\"sluice-{}\" nchunksperloop=\"{}\" nchannels=\"1\" proto=\"Simple\" ngpus=\"{}\" coll=\"alltoall\" "
      "inplace=\"0\" outofplace=\"1\" minBytes=\"0\" maxBytes=\"{}\">\n",
      schedule.steps.size(), all, places.devices(), std::numeric_limits<std::int64_t>::max());
  for (std::size_t d = 0; d < devices.size(); ++d) {
    text += fmt::format("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"0\">\n", d, all, all);
    const std::vector<ThreadBlock>& blocks = devices[d].blocks();
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      text +=
          fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"0\">\n", b, blocks[b].send, blocks[b].receive);
      for (std::size_t s = 0; s < blocks[b].steps.size(); ++s) {
        const BlockStep& step = blocks[b].steps[s];
        text += fmt::format(
            "      <step s=\"{}\" type=\"{}\" srcbuf=\"i\" srcoff=\"{}\" dstbuf=\"o\" dstoff=\"{}\" cnt=\"{}\" "
            "depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>\n",
            s, step.type, step.source, step.target, step.count, step.after.first, step.after.second,
            step.waited_for ? 1 : 0);
      }
      text += "    </tb>\n";
    }
    text += "  </gpu>\n";
  }
  return text + "</algo>\n";
}

}  // namespace sluice
