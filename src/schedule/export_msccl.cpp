#include <fmt/format.h>

#include <cstdint>
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

/// The all-to-all that a schedule carries out, in chunks.
struct Chunks {
  std::int64_t unit = 1;         ///< what a chunk is, in the unit of the schedule
  std::int64_t per_message = 1;  ///< chunks
  bool to_self = false;          ///< whether devices have a message for themselves
};

/// Throws InputError unless the messages are those of an all-to-all of equal ones.
Chunks chunks_of(const StepSchedule& schedule, const MessagePlaces& places) {
  const std::int64_t devices = places.devices();
  if (schedule.senders != schedule.receivers || devices != schedule.senders || devices < 2)
    throw InputError(
        "export msccl",
        fmt::format("{} and {}", count_text(schedule.senders, "sender"), count_text(schedule.receivers, "receiver")),
        "as many of both, two at least");
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
  Chunks chunks{size, 1, to_self != 0};
  for (const Step& step : schedule.steps) {
    for (const Transfer& transfer : step.transfers)
      chunks.unit = std::gcd(chunks.unit, std::gcd(transfer.offset, transfer.size));
  }
  chunks.per_message = size / chunks.unit;
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
  std::int64_t send = -1;  ///< the one peer it may send to
  std::int64_t receive = -1;
  std::vector<BlockStep> steps;
};

/// What one device does: a thread block for each peer that it sends to, and for each that it receives from, as two
/// directions in one would wait for each other.
class Device {
 public:
  void send(std::int64_t to, BlockStep step) { add(sends_[to], {to, -1, {}}, last_send_, step); }
  void receive(std::int64_t from, BlockStep step) { add(receives_[from], {-1, from, {}}, last_receive_, step); }
  void copy(BlockStep step) { add(copies_, {}, last_copy_, step); }

  [[nodiscard]] const std::vector<ThreadBlock>& blocks() const { return blocks_; }

 private:
  using Place = std::pair<std::int64_t, std::int64_t>;

  /// `number`: of the thread block, counted from 1; 0 where it is not there yet. `last`: what comes before in its
  /// direction.
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
    std::vector<BlockStep>& steps = blocks_[number - 1].steps;
    last = {own, static_cast<std::int64_t>(steps.size())};
    steps.push_back(step);
  }

  std::vector<ThreadBlock> blocks_;
  std::map<std::int64_t, std::size_t> sends_, receives_;
  std::size_t copies_ = 0;
  Place last_send_{-1, -1}, last_receive_{-1, -1}, last_copy_{-1, -1};
};

}  // namespace

std::string to_msccl(const StepSchedule& schedule) {
  const MessagePlaces places(schedule);
  const Chunks chunks = chunks_of(schedule, places);
  std::vector<Device> devices(static_cast<std::size_t>(places.devices()));
  const auto add = [&](const Transfer& transfer) {
    const std::int64_t from = transfer.from, to = places.device_of_receiver(transfer.to);
    const std::int64_t part = transfer.offset / chunks.unit;
    BlockStep step;
    step.source = to * chunks.per_message + part;
    step.target = from * chunks.per_message + part;
    step.count = transfer.size / chunks.unit;
    if (from == to) {
      step.type = "cpy";
      devices[static_cast<std::size_t>(from)].copy(step);
      return;
    }
    devices[static_cast<std::size_t>(from)].send(to, step);
    step.type = "r";
    devices[static_cast<std::size_t>(to)].receive(from, step);
  };
  for (const Transfer& copy : schedule.copies) add(copy);
  for (const Step& step : schedule.steps) {
    for (const Transfer& transfer : step.transfers) add(transfer);
  }

  const std::int64_t all = places.devices() * chunks.per_message;
  std::string text = fmt::format(
      "<algo name=\"sluice-{}\" nchunksperloop=\"{}\" nchannels=\"1\" proto=\"Simple\" ngpus=\"{}\" coll=\"alltoall\" "
      "inplace=\"0\">\n",
      schedule.steps.size(), all, places.devices());
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
