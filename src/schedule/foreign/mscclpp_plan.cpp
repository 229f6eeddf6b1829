#include "schedule/foreign/mscclpp_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "input/shown_text.hpp"

namespace sluice::detail {

namespace {

using nlohmann::json;

constexpr std::int64_t kLargestPlanNumber = std::int64_t{1} << 40;

constexpr std::array<PlanName, 28> kPlanNames{{
    {"nop", PlanShape::kNothing},
    {"flush", PlanShape::kNothing},
    {"barrier", PlanShape::kBarrier},
    {"put", PlanShape::kPairs},
    {"pws", PlanShape::kPairs, kNoPackets, kNoPackets, true},
    {"pwsf", PlanShape::kPairs, kNoPackets, kNoPackets, true},
    {"get", PlanShape::kPairs},
    {"copy", PlanShape::kPairs},
    {"signal", PlanShape::kSignal},
    {"wait", PlanShape::kWait},
    {"rlxsignal", PlanShape::kSignal},
    {"rlxwait", PlanShape::kWait},
    {"re", PlanShape::kSum},
    {"res", PlanShape::kSum},
    {"rre", PlanShape::kSum},
    {"rres", PlanShape::kSum},
    {"ppkt", PlanShape::kPairs, kNoPackets, 0},
    {"rppkt", PlanShape::kSum, 0, 0},
    {"respkt", PlanShape::kSum, 1, 1},
    {"recpkt", PlanShape::kSum, 1, 1},
    {"recspkt", PlanShape::kSum, 1, 1},
    {"repkt", PlanShape::kSum, 1},
    {"cpkt", PlanShape::kPairs, kNoPackets, 0},
    {"upkt", PlanShape::kPairs, 0},
    {"glres", PlanShape::kSum},
    {"gstore", PlanShape::kSum},
    {"sem_acquire", PlanShape::kAcquire},
    {"sem_release", PlanShape::kRelease},
}};

constexpr PlanName kPipelineName{"pipeline", PlanShape::kPipeline};

/// Names that the older generation has besides, or in another sense.
constexpr std::array<PlanName, 7> kOlderPlanNames{{
    {"rs", PlanShape::kSum},
    {"rrc", PlanShape::kSum},
    {"rrcs", PlanShape::kSum},
    {"rspkt", PlanShape::kSum, 1, 1},
    {"rpkt", PlanShape::kSum, 1},
    {"cpkt", PlanShape::kPairs, 0},
    {"tpkt", PlanShape::kPairs, kNoPackets, 0},
}};

class PlanOperationReader {
 public:
  PlanOperationReader(const PlanFields& fields, std::int64_t step, PlanGpu& gpu)
      : fields_(fields), step_(step), gpu_(gpu) {}

  /// `half`: of a pipeline; -1: none.
  void take(const json& value, std::int64_t half = -1) {
    PlanBlock& block = gpu_.blocks.back();
    if (block.operation_count == 0) block.operations = static_cast<std::uint32_t>(gpu_.operations.size());
    PlanOperation operation;
    operation.line = fields_.line;
    operation.half = half;
    operation.step = step_;
    const std::string& name = fields_.text(fields_.member(value, "name"), "name");
    operation.name = name_of(name, value);
    if (operation.name.shape == PlanShape::kPipeline) {
      if (half >= 0) fields_.fail("a pipeline in a pipeline", "operations");
      // Two rounds: enough for what one round leaves to the next.
      for (const std::int64_t each : {0, 1}) {
        for (const json& inner : fields_.array(fields_.member(value, "ops"), "ops")) take(inner, each);
      }
      return;
    }
    if (const json* type = PlanFields::find(value, "channel_type"))
      operation.channel_type = fields_.channel_type(*type, "channel_type");
    if (const json* type = PlanFields::find(value, "ctype"))
      operation.channel_type = fields_.channel_type(*type, "ctype");
    if (const json* info = PlanFields::find(value, "tbg_info")) {
      operation.parts = std::max<std::int64_t>(1, fields_.integer_of(*info, "tbg_size", 1 << 16));
      operation.part = fields_.integer_of(*info, "tb_id", operation.parts - 1);
    }
    operation.channels = static_cast<std::uint32_t>(gpu_.ids.size());
    operation.ranges = static_cast<std::uint32_t>(gpu_.ranges.size());
    operation.waits = static_cast<std::uint32_t>(gpu_.waits.size());
    take_ids(value, operation);
    const std::size_t before = gpu_.ranges.size();
    take_ranges(value, true, operation);
    operation.sources = static_cast<std::uint32_t>(gpu_.ranges.size() - before);
    take_ranges(value, false, operation);
    operation.targets = static_cast<std::uint32_t>(gpu_.ranges.size() - before) - operation.sources;
    if (const json* deps = PlanFields::find(value, "deps")) {
      for (const json& each : fields_.array(*deps, "deps"))
        gpu_.waits.emplace_back(fields_.integer_of(each, "tb", kMostPlacedRanks),
                                fields_.integer_of(each, "step", kMostPlacedChannel));
    }
    operation.wait_count = static_cast<std::uint32_t>(gpu_.waits.size()) - operation.waits;
    operation.channel_count = static_cast<std::uint32_t>(gpu_.ids.size()) - operation.channels;
    if (operation.name.shape == PlanShape::kBarrier) take_barrier(value, operation);
    gpu_.operations.push_back(operation);
    ++block.operation_count;
    if (static_cast<std::int64_t>(gpu_.operations.size()) > kMostPlacedOperations)
      fields_.fail(fmt::format("operation {}", gpu_.operations.size()),
                   fmt::format("at most {}", kMostPlacedOperations));
  }

 private:
  PlanName name_of(const std::string& name, const json& value) const {
    if (name == kPipelineName.name) return kPipelineName;
    const auto is_it = [&](const PlanName& each) { return name == each.name; };
    const bool older = gpu_.older || PlanFields::find(value, "cnt") != nullptr;
    const auto* const old = std::find_if(kOlderPlanNames.begin(), kOlderPlanNames.end(), is_it);
    if (older && old != kOlderPlanNames.end()) return *old;
    const auto* const found = std::find_if(kPlanNames.begin(), kPlanNames.end(), is_it);
    if (found == kPlanNames.end())
      fields_.fail(fmt::format("\"name\": \"{}\"", shown(name)), "an operation of MSCCL++");
    return *found;
  }

  void take_ids(const json& value, const PlanOperation& operation) {
    if (const json* ids = PlanFields::find(value, "channel_ids")) {
      for (const json& each : fields_.array(*ids, "channel_ids"))
        gpu_.ids.push_back({fields_.integer(each, "channel_ids", kMostPlacedChannel)});
    }
    if (const json* ids = PlanFields::find(value, "semaphore_ids")) {
      for (const json& each : fields_.array(*ids, "semaphore_ids"))
        gpu_.ids.push_back({fields_.integer(each, "semaphore_ids", kMostPlacedChannel)});
    }
    if (operation.channel_type == 's') return;
    const bool waits = operation.name.shape == PlanShape::kWait;
    if (!waits && operation.name.shape != PlanShape::kSignal && !operation.name.signals) return;
    const json* ids = PlanFields::find(value, waits ? "i_cids" : "o_cids");
    if (ids == nullptr) return;
    const json& buffers = fields_.member(value, waits ? "i_buff" : "o_buff");
    for (const json& each : fields_.array(*ids, "cids"))
      gpu_.ids.push_back({fields_.integer_of(each, "id", kMostPlacedChannel), true,
                          fields_.buffer(fields_.member(buffers, "src"), "src"),
                          fields_.buffer(fields_.member(buffers, "dst"), "dst")});
  }

  void take_ranges(const json& value, bool sources, const PlanOperation& operation) {
    const PlanShape shape = operation.name.shape;
    if (shape != PlanShape::kPairs && shape != PlanShape::kSum) return;
    if (const json* refs = PlanFields::find(value, sources ? "src_buff" : "dst_buff")) {
      for (const json& each : fields_.array(*refs, sources ? "src_buff" : "dst_buff")) take_reference(each);
    }
    const json* count = PlanFields::find(value, "cnt");
    if (count == nullptr) return;
    PlanRange range;
    range.count = fields_.integer(*count, "cnt", kLargestPlanNumber);
    const char* const letter = sources ? "srcbuff" : "dstbuff";
    if (const json* own = PlanFields::find(value, letter)) {
      range.buffer = fields_.buffer(*own, letter);
      range.first = fields_.integer_of(value, sources ? "srcoff" : "dstoff", kLargestPlanNumber);
      if (operation.channel_type == 's') range.where = PlanRange::Where::kSwitch;
      gpu_.ranges.push_back(range);
      if (operation.channel_type == 's') return;
    }
    range.where = PlanRange::Where::kOwn;
    if (const json* own = PlanFields::find(value, sources ? "srcs" : "dsts")) {
      for (const json& each : fields_.array(*own, sources ? "srcs" : "dsts")) {
        range.buffer = fields_.buffer(fields_.member(each, "buff"), "buff");
        range.first = fields_.integer_of(each, "off", kLargestPlanNumber);
        gpu_.ranges.push_back(range);
      }
    }
    const json* ids = PlanFields::find(value, sources ? "i_cids" : "o_cids");
    if (ids == nullptr) return;
    const json& buffers = fields_.member(value, sources ? "i_buff" : "o_buff");
    range.where = PlanRange::Where::kChannel;
    range.source_buffer = fields_.buffer(fields_.member(buffers, "src"), "src");
    range.buffer = fields_.buffer(fields_.member(buffers, "dst"), "dst");
    for (const json& each : fields_.array(*ids, "cids")) {
      range.id = fields_.integer_of(each, "id", kMostPlacedChannel);
      range.first = fields_.integer_of(each, "off", kLargestPlanNumber);
      gpu_.ranges.push_back(range);
    }
  }

  void take_reference(const json& value) {
    PlanRange range;
    range.first = fields_.integer_of(value, "index", kLargestPlanNumber);
    range.count = fields_.integer_of(value, "size", kLargestPlanNumber);
    if (const json* id = PlanFields::find(value, "buffer_id")) {
      range.where = PlanRange::Where::kRemote;
      range.id = fields_.integer(*id, "buffer_id", kMostPlacedChannel);
    } else if (const json* way = PlanFields::find(value, "switch_channel_id")) {
      range.where = PlanRange::Where::kSwitch;
      range.id = fields_.integer(*way, "switch_channel_id", kMostPlacedChannel);
    } else {
      range.buffer = fields_.buffer(fields_.member(value, "type"), "type");
    }
    gpu_.ranges.push_back(range);
  }

  void take_barrier(const json& value, PlanOperation& operation) {
    operation.barrier = fields_.integer_of(value, "barrier_id", kMostPlacedChannel);
    const json* blocks = PlanFields::find(value, "num_threadblocks");
    operation.blocks = blocks != nullptr ? fields_.integer(*blocks, "num_threadblocks", kMostPlacedRanks)
                                         : fields_.integer_of(value, "nthread_blocks", kMostPlacedRanks);
    if (operation.blocks < 1) fields_.fail("a barrier of no block", "one at least");
  }

  const PlanFields& fields_;
  std::int64_t step_;
  PlanGpu& gpu_;
};

}  // namespace

const json& PlanFields::member(const json& object, const char* name) const {
  if (!object.is_object()) fail(shown(object.dump()), "an object");
  const auto found = object.find(name);
  if (found == object.end()) fail(fmt::format("no \"{}\"", name), "that field");
  return *found;
}

const json* PlanFields::find(const json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::int64_t PlanFields::integer(const json& value, const char* name, std::int64_t most) const {
  const bool fits = value.is_number_unsigned() && value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
  if (!fits) fail(fmt::format("\"{}\": {}", name, shown(value.dump())), fmt::format("an integer from 0 to {}", most));
  return value.get<std::int64_t>();
}

const std::string& PlanFields::text(const json& value, const char* name) const {
  if (!value.is_string()) fail(fmt::format("\"{}\": {}", name, shown(value.dump())), "a text");
  return value.get_ref<const std::string&>();
}

const json& PlanFields::array(const json& value, const char* name) const {
  if (!value.is_array()) fail(fmt::format("\"{}\": {}", name, shown(value.dump())), "an array");
  return value;
}

PlacedRange::Buffer PlanFields::buffer(const json& value, const char* name) const {
  const std::string& letter = text(value, name);
  if (letter == "i") return PlacedRange::Buffer::kInput;
  if (letter == "o") return PlacedRange::Buffer::kOutput;
  if (letter != "s") fail(fmt::format("\"{}\": \"{}\"", name, shown(letter)), "i, o or s");
  return PlacedRange::Buffer::kScratch;
}

char PlanFields::channel_type(const json& value, const char* name) const {
  const std::string& type = text(value, name);
  if (type == "memory" || type == "sm") return 'm';
  if (type == "port" || type == "proxy") return 'p';
  if (type == "switch" || type == "nvls") return 's';
  if (type != "none") fail(fmt::format("\"{}\": \"{}\"", name, shown(type)), "memory, port, switch or none");
  return 'n';
}

void take_plan_operation(const PlanFields& fields, const json& value, std::int64_t step, PlanGpu& gpu) {
  PlanOperationReader(fields, step, gpu).take(value);
}

}  // namespace sluice::detail
