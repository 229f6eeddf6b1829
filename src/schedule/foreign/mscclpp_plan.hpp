#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "schedule/foreign/placed_builder.hpp"

/// A gpu of a plan of MSCCL++ as its text has it. Operations name channels and buffers that come later in the text.
namespace sluice::detail {

/// How an operation of a plan uses what it names.
enum class PlanShape : std::uint8_t {
  kPairs,  ///< each source to the target beside it
  kSum,    ///< the sum of all sources to all targets
  kSignal,
  kWait,
  kNothing,
  kBarrier,
  kAcquire,
  kRelease,
  kPipeline
};

constexpr int kNoPackets = 1 << 20;

/// A name of an operation. In the older generation, targets precede those behind channels.
struct PlanName {
  const char* name;
  PlanShape shape;
  int source_packets = kNoPackets;  ///< the first source that is of packets
  int target_packets = kNoPackets;  ///< the first target that is of packets
  bool signals = false;             ///< also signals on its channels
};

/// A range as an operation names it, before its gpu is known as a whole.
struct PlanRange {
  enum class Where : std::uint8_t { kOwn, kRemote, kSwitch, kChannel };

  Where where = Where::kOwn;
  PlacedRange::Buffer buffer = PlacedRange::Buffer::kInput;         ///< kOwn, kChannel; kSwitch of the older generation
  PlacedRange::Buffer source_buffer = PlacedRange::Buffer::kInput;  ///< kChannel: the other half of its key
  std::int64_t id = 0;                                              ///< of a remote buffer, switch or channel
  std::int64_t first = 0, count = 0;
};

struct PlanChannelId {
  std::int64_t id = 0;
  bool keyed = false;  ///< older generation: counted among the channels between these buffers
  PlacedRange::Buffer from = PlacedRange::Buffer::kInput, to = PlacedRange::Buffer::kInput;
};

struct PlanOperation {
  PlanName name{};
  std::int64_t step = 0, line = 0;
  char channel_type = 'n';  ///< m, p, s or n: none
  std::uint32_t ranges = 0, sources = 0, targets = 0;
  std::uint32_t channels = 0, channel_count = 0;
  std::uint32_t waits = 0, wait_count = 0;
  std::int64_t barrier = 0, blocks = 0;
  std::int64_t part = 0, parts = 1;  ///< of the blocks that share it
  std::int64_t half = -1;            ///< of a pipeline; -1: none
};

/// A thread block of a plan.
struct PlanBlock {
  std::int64_t line = 0, id = -1;
  std::vector<nlohmann::json> channels, buffers;
  std::uint32_t operations = 0, operation_count = 0;
};

/// A gpu of a plan: its operations, and what they share.
struct PlanGpu {
  std::int64_t line = 0, id = -1;
  std::int64_t input = 0, output = 0, scratch = 0;
  bool older = false;
  std::vector<PlanBlock> blocks;
  nlohmann::json channels = nlohmann::json::array(), buffers = nlohmann::json::array(),
                 semaphores = nlohmann::json::array();
  std::vector<PlanOperation> operations;
  std::vector<PlanRange> ranges;
  std::vector<PlanChannelId> ids;
  std::vector<std::pair<std::int64_t, std::int64_t>> waits;
};

/// Takes fields out of the values of a plan. Throws InputError at the line of the value at hand.
class PlanFields {
 public:
  explicit PlanFields(const PlacedBuilder& builder) : builder_(builder) {}

  std::int64_t line = 1;  ///< of the value at hand

  [[noreturn]] void fail(const std::string& found, const std::string& expected) const {
    builder_.fail(line, found, expected);
  }
  [[nodiscard]] const nlohmann::json& member(const nlohmann::json& object, const char* name) const;
  /// nullptr if there is no such field.
  [[nodiscard]] static const nlohmann::json* find(const nlohmann::json& object, const char* name);
  /// An integer from 0 to `most`.
  [[nodiscard]] std::int64_t integer(const nlohmann::json& value, const char* name, std::int64_t most) const;
  [[nodiscard]] std::int64_t integer_of(const nlohmann::json& object, const char* name, std::int64_t most) const {
    return integer(member(object, name), name, most);
  }
  [[nodiscard]] const std::string& text(const nlohmann::json& value, const char* name) const;
  [[nodiscard]] const nlohmann::json& array(const nlohmann::json& value, const char* name) const;
  [[nodiscard]] PlacedRange::Buffer buffer(const nlohmann::json& value, const char* name) const;
  /// m: memory, p: port, s: switch, n: none; both generations have names for them.
  [[nodiscard]] char channel_type(const nlohmann::json& value, const char* name) const;

 private:
  const PlacedBuilder& builder_;
};

/// Adds an operation to the last block of `gpu`: several for a pipeline. `step`: its number in the block.
void take_plan_operation(const PlanFields& fields, const nlohmann::json& value, std::int64_t step, PlanGpu& gpu);

}  // namespace sluice::detail
