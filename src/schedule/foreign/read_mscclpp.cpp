#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "input/shown_text.hpp"
#include "schedule/foreign/json_pieces.hpp"
#include "schedule/foreign/placed_builder.hpp"
#include "schedule/foreign/readers.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

using nlohmann::json;

constexpr const char* kPlan = "a plan of MSCCL++";
constexpr std::int64_t kLargestPlanNumber = std::int64_t{1} << 40;

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

class PlanReader {
 public:
  PlanReader(std::istream& in, const std::string& file) : in_(in), file_(file), builder_(file) {}

  PlacedSchedule read() {
    builder_.schedule.format = PlacedFormat::kMscclpp;
    builder_.schedule.out_of_place = false;
    JsonPieceReader reader;
    reader.containers = {"gpus", "gpus[]", "gpus[].threadblocks", "gpus[].threadblocks[]", "gpus[].threadblocks[].ops"};
    reader.opened = [&](std::string_view path, std::int64_t line) {
      if (path == "gpus[]") {
        gpu_ = {};
        gpu_.line = line;
      }
      if (path == "gpus[].threadblocks[]") gpu_.blocks.emplace_back().line = line;
    };
    reader.closed = [&](std::string_view path) {
      if (path == "gpus[].threadblocks[]") end_block();
      if (path == "gpus[]") end_gpu();
    };
    reader.value = [&](std::string_view path, std::string_view name, json& value, std::int64_t line) {
      line_ = line;
      last_line_ = line;
      if (path.empty()) return take_plan(name, value);
      if (path == "gpus" || path == "gpus[].threadblocks") builder_.fail(line, shown(value.dump()), "an object");
      if (path == "gpus[]") return take_gpu(name, value);
      if (path == "gpus[].threadblocks[]") return take_block(name, value);
      if (path == "gpus[].threadblocks[].ops") take_operation(value);
    };
    read_json_pieces(in_, file_, kPlan, reader);
    return end_plan();
  }

 private:
  struct Block {
    std::int64_t line = 0, id = -1;
    std::vector<json> channels, buffers;
    std::uint32_t operations = 0, operation_count = 0;
  };

  struct Gpu {
    std::int64_t line = 0, id = -1;
    std::int64_t input = 0, output = 0, scratch = 0;
    bool older = false;
    std::vector<Block> blocks;
    json channels = json::array(), buffers = json::array(), semaphores = json::array();
    std::vector<PlanOperation> operations;
    std::vector<PlanRange> ranges;
    std::vector<PlanChannelId> ids;
    std::vector<std::pair<std::int64_t, std::int64_t>> waits;
  };

  /// A channel of a gpu: its other end, and its number among the channels of its kind between the two.
  struct Channel {
    std::int64_t peer = 0, number = 0;
    PlacedRange::Buffer from = PlacedRange::Buffer::kInput, to = PlacedRange::Buffer::kInput;
  };

  struct Switch {
    PlacedRange::Buffer buffer = PlacedRange::Buffer::kInput;
    std::vector<std::int64_t> ranks;
  };

  /// What the channels and buffers of a gpu, or of one of its blocks, are.
  struct Ends {
    std::vector<Channel> memory, port;
    std::vector<Switch> switches;
    std::vector<std::pair<std::int64_t, PlacedRange::Buffer>> memory_buffers, port_buffers;
  };

  [[noreturn]] void fail(const std::string& found, const std::string& expected) const {
    builder_.fail(line_, found, expected);
  }

  const json& member(const json& object, const char* name) const {
    if (!object.is_object()) fail(shown(object.dump()), "an object");
    const auto found = object.find(name);
    if (found == object.end()) fail(fmt::format("no \"{}\"", name), "that field");
    return *found;
  }
  static const json* find(const json& object, const char* name) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
  }

  std::int64_t integer(const json& value, const char* name, std::int64_t most) const {
    const bool fits = value.is_number_unsigned() && value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
    if (!fits) fail(fmt::format("\"{}\": {}", name, shown(value.dump())), fmt::format("an integer from 0 to {}", most));
    return value.get<std::int64_t>();
  }
  std::int64_t integer_of(const json& object, const char* name, std::int64_t most) const {
    return integer(member(object, name), name, most);
  }
  const std::string& text(const json& value, const char* name) const {
    if (!value.is_string()) fail(fmt::format("\"{}\": {}", name, shown(value.dump())), "a text");
    return value.get_ref<const std::string&>();
  }
  const json& array(const json& value, const char* name) const {
    if (!value.is_array()) fail(fmt::format("\"{}\": {}", name, shown(value.dump())), "an array");
    return value;
  }

  PlacedRange::Buffer buffer(const json& value, const char* name) const {
    const std::string& letter = text(value, name);
    if (letter == "i") return PlacedRange::Buffer::kInput;
    if (letter == "o") return PlacedRange::Buffer::kOutput;
    if (letter != "s") fail(fmt::format("\"{}\": \"{}\"", name, shown(letter)), "i, o or s");
    return PlacedRange::Buffer::kScratch;
  }

  char channel_type(const json& value, const char* name) const {
    const std::string& type = text(value, name);
    if (type == "memory" || type == "sm") return 'm';
    if (type == "port" || type == "proxy") return 'p';
    if (type == "switch" || type == "nvls") return 's';
    if (type != "none") fail(fmt::format("\"{}\": \"{}\"", name, shown(type)), "memory, port, switch or none");
    return 'n';
  }

  void take_plan(std::string_view name, const json& value) {
    PlacedSchedule& to = builder_.schedule;
    if (name == "name") to.name = shown(text(value, "name"));
    if (name == "collective" || name == "colletive") builder_.name_collective(shown(text(value, "collective")));
    if (name == "protocol") to.protocol = shown(text(value, "protocol"));
    if (name == "gpus") fail("\"gpus\"", "an array of objects");
    if (name != "inplace") return;
    if (!value.is_boolean()) fail(fmt::format("\"inplace\": {}", shown(value.dump())), "true or false");
    to.in_place = value.get<bool>();
  }

  void take_gpu(std::string_view name, json& value) {
    if (name == "id") gpu_.id = integer(value, "id", kMostPlacedRanks - 1);
    if (name == "input_chunks" || name == "inputChunks") gpu_.input = integer(value, "input_chunks", kMostPlacedChunks);
    if (name == "output_chunks" || name == "outputChunks")
      gpu_.output = integer(value, "output_chunks", kMostPlacedChunks);
    if (name == "scratch_chunks" || name == "scratchChunks")
      gpu_.scratch = integer(value, "scratch_chunks", kMostPlacedChunks);
    if (name == "inputChunks") gpu_.older = true;
    if (name == "channels") gpu_.channels = std::move(value);
    if (name == "remote_buffers") gpu_.buffers = std::move(value);
    if (name == "semaphores") gpu_.semaphores = std::move(value);
    if (name == "threadblocks") fail("\"threadblocks\"", "an array of objects");
  }

  void take_block(std::string_view name, json& value) {
    Block& block = gpu_.blocks.back();
    if (name == "id") block.id = integer(value, "id", kMostPlacedRanks);
    if (name == "channels")
      for (json& each : value) block.channels.push_back(std::move(each));
    if (name == "remote_buffer_refs")
      for (json& each : value) block.buffers.push_back(std::move(each));
    if (name == "ops") fail("\"ops\"", "an array of objects");
  }

  // ---- Operations, as they are read ----

  /// `half`: of a pipeline.
  void take_operation(const json& value, std::int64_t half = -1) {
    Block& block = gpu_.blocks.back();
    if (block.operation_count == 0) block.operations = static_cast<std::uint32_t>(gpu_.operations.size());
    PlanOperation operation;
    operation.line = line_;
    operation.half = half;
    operation.step = half < 0 ? step_++ : step_ - 1;
    const std::string& name = text(member(value, "name"), "name");
    operation.name = name_of(name, value);
    if (operation.name.shape == PlanShape::kPipeline) {
      if (half >= 0) fail("a pipeline in a pipeline", "operations");
      // Two rounds: enough for what one round leaves to the next.
      for (const std::int64_t each : {0, 1}) {
        for (const json& inner : array(member(value, "ops"), "ops")) take_operation(inner, each);
      }
      return;
    }
    if (const json* type = find(value, "channel_type")) operation.channel_type = channel_type(*type, "channel_type");
    if (const json* type = find(value, "ctype")) operation.channel_type = channel_type(*type, "ctype");
    if (const json* info = find(value, "tbg_info")) {
      operation.parts = std::max<std::int64_t>(1, integer_of(*info, "tbg_size", 1 << 16));
      operation.part = integer_of(*info, "tb_id", operation.parts - 1);
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
    if (const json* deps = find(value, "deps")) {
      for (const json& each : array(*deps, "deps"))
        gpu_.waits.emplace_back(integer_of(each, "tb", kMostPlacedRanks), integer_of(each, "step", kMostPlacedChannel));
    }
    operation.wait_count = static_cast<std::uint32_t>(gpu_.waits.size()) - operation.waits;
    operation.channel_count = static_cast<std::uint32_t>(gpu_.ids.size()) - operation.channels;
    if (operation.name.shape == PlanShape::kBarrier) take_barrier(value, operation);
    gpu_.operations.push_back(operation);
    ++block.operation_count;
    if (static_cast<std::int64_t>(gpu_.operations.size()) > kMostPlacedOperations)
      fail(fmt::format("operation {}", gpu_.operations.size()), fmt::format("at most {}", kMostPlacedOperations));
  }

  PlanName name_of(const std::string& name, const json& value) const {
    if (name == kPipelineName.name) return kPipelineName;
    const auto is_it = [&](const PlanName& each) { return name == each.name; };
    const bool older = gpu_.older || find(value, "cnt") != nullptr;
    const auto* const old = std::find_if(kOlderPlanNames.begin(), kOlderPlanNames.end(), is_it);
    if (older && old != kOlderPlanNames.end()) return *old;
    const auto* const found = std::find_if(kPlanNames.begin(), kPlanNames.end(), is_it);
    if (found == kPlanNames.end()) fail(fmt::format("\"name\": \"{}\"", shown(name)), "an operation of MSCCL++");
    return *found;
  }

  void take_ids(const json& value, const PlanOperation& operation) {
    if (const json* ids = find(value, "channel_ids")) {
      for (const json& each : array(*ids, "channel_ids"))
        gpu_.ids.push_back({integer(each, "channel_ids", kMostPlacedChannel)});
    }
    if (const json* ids = find(value, "semaphore_ids")) {
      for (const json& each : array(*ids, "semaphore_ids"))
        gpu_.ids.push_back({integer(each, "semaphore_ids", kMostPlacedChannel)});
    }
    if (operation.channel_type == 's') return;
    const bool waits = operation.name.shape == PlanShape::kWait;
    if (!waits && operation.name.shape != PlanShape::kSignal && !operation.name.signals) return;
    const json* ids = find(value, waits ? "i_cids" : "o_cids");
    if (ids == nullptr) return;
    const json& buffers = member(value, waits ? "i_buff" : "o_buff");
    for (const json& each : array(*ids, "cids"))
      gpu_.ids.push_back({integer_of(each, "id", kMostPlacedChannel), true, buffer(member(buffers, "src"), "src"),
                          buffer(member(buffers, "dst"), "dst")});
  }

  void take_ranges(const json& value, bool sources, const PlanOperation& operation) {
    const PlanShape shape = operation.name.shape;
    if (shape != PlanShape::kPairs && shape != PlanShape::kSum) return;
    if (const json* refs = find(value, sources ? "src_buff" : "dst_buff")) {
      for (const json& each : array(*refs, sources ? "src_buff" : "dst_buff")) take_reference(each);
    }
    const json* count = find(value, "cnt");
    if (count == nullptr) return;
    PlanRange range;
    range.count = integer(*count, "cnt", kLargestPlanNumber);
    const char* const letter = sources ? "srcbuff" : "dstbuff";
    if (const json* own = find(value, letter)) {
      range.buffer = buffer(*own, letter);
      range.first = integer_of(value, sources ? "srcoff" : "dstoff", kLargestPlanNumber);
      if (operation.channel_type == 's') range.where = PlanRange::Where::kSwitch;
      gpu_.ranges.push_back(range);
      if (operation.channel_type == 's') return;
    }
    range.where = PlanRange::Where::kOwn;
    if (const json* own = find(value, sources ? "srcs" : "dsts")) {
      for (const json& each : array(*own, sources ? "srcs" : "dsts")) {
        range.buffer = buffer(member(each, "buff"), "buff");
        range.first = integer_of(each, "off", kLargestPlanNumber);
        gpu_.ranges.push_back(range);
      }
    }
    const json* ids = find(value, sources ? "i_cids" : "o_cids");
    if (ids == nullptr) return;
    const json& buffers = member(value, sources ? "i_buff" : "o_buff");
    range.where = PlanRange::Where::kChannel;
    range.source_buffer = buffer(member(buffers, "src"), "src");
    range.buffer = buffer(member(buffers, "dst"), "dst");
    for (const json& each : array(*ids, "cids")) {
      range.id = integer_of(each, "id", kMostPlacedChannel);
      range.first = integer_of(each, "off", kLargestPlanNumber);
      gpu_.ranges.push_back(range);
    }
  }

  void take_reference(const json& value) {
    PlanRange range;
    range.first = integer_of(value, "index", kLargestPlanNumber);
    range.count = integer_of(value, "size", kLargestPlanNumber);
    if (const json* id = find(value, "buffer_id")) {
      range.where = PlanRange::Where::kRemote;
      range.id = integer(*id, "buffer_id", kMostPlacedChannel);
    } else if (const json* way = find(value, "switch_channel_id")) {
      range.where = PlanRange::Where::kSwitch;
      range.id = integer(*way, "switch_channel_id", kMostPlacedChannel);
    } else {
      range.buffer = buffer(member(value, "type"), "type");
    }
    gpu_.ranges.push_back(range);
  }

  void take_barrier(const json& value, PlanOperation& operation) {
    operation.barrier = integer_of(value, "barrier_id", kMostPlacedChannel);
    const json* blocks = find(value, "num_threadblocks");
    operation.blocks = blocks != nullptr ? integer(*blocks, "num_threadblocks", kMostPlacedRanks)
                                         : integer_of(value, "nthread_blocks", kMostPlacedRanks);
    if (operation.blocks < 1) fail("a barrier of no block", "one at least");
  }

  void end_block() {
    step_ = 0;
    if (gpu_.blocks.back().operation_count == 0)
      gpu_.blocks.back().operations = static_cast<std::uint32_t>(gpu_.operations.size());
  }

  // ---- A gpu, when it is known as a whole ----

  void end_gpu() {
    line_ = gpu_.line;
    const auto gpu = static_cast<std::int64_t>(builder_.schedule.memory.size());
    if (gpu_.id != gpu)
      fail(gpu_.id < 0 ? "a gpu without \"id\"" : fmt::format("gpu {}", gpu_.id), fmt::format("gpu {}", gpu));
    builder_.schedule.memory.push_back({gpu_.input, gpu_.output, gpu_.scratch});
    if (gpu == kMostPlacedRanks) fail("65537 gpus", "at most 65536");
    const Ends all = ends_of_gpu();
    const auto first_worker = static_cast<std::int32_t>(builder_.schedule.workers.size());
    std::vector<std::int32_t> position(gpu_.blocks.size(), -1);
    for (std::size_t block = 0; block < gpu_.blocks.size(); ++block) {
      line_ = gpu_.blocks[block].line;
      const std::int64_t id = gpu_.blocks[block].id;
      if (id < 0 || id >= static_cast<std::int64_t>(position.size()) || position[static_cast<std::size_t>(id)] >= 0)
        fail(id < 0 ? "a thread block without \"id\"" : fmt::format("thread block {}", id),
             fmt::format("numbers below {}, each once", position.size()));
      position[static_cast<std::size_t>(id)] = first_worker + static_cast<std::int32_t>(block);
    }
    for (const Block& block : gpu_.blocks) add_block(block, all, position);
  }

  std::int32_t queue(std::int64_t from, std::int64_t to, char type, std::int64_t number) {
    const auto [place, added] = queues_.try_emplace({from, to, type, number}, 0);
    if (added) {
      const char* const kind = type == 'p' ? "port channel" : "channel";
      place->second = builder_.add_queue({fmt::format("signals from {} to {}, {} {}", from, to, kind, number)});
    }
    return place->second;
  }

  Ends ends_of_gpu() {
    Ends ends;
    std::map<std::pair<std::int64_t, char>, std::int64_t> numbers;
    for (const json& each : array(gpu_.channels, "channels")) {
      const json* type_text = find(each, "channel_type");
      const char type =
          type_text != nullptr ? channel_type(*type_text, "channel_type") : channel_type(member(each, "type"), "type");
      if (type == 's') {
        const json* letter = find(each, "buffer_type");
        const PlacedRange::Buffer where =
            letter != nullptr ? buffer(*letter, "buffer_type") : buffer(member(each, "buff"), "buff");
        const json* groups = find(each, "rank_groups");
        for (const json& group : array(groups != nullptr ? *groups : member(each, "rankGroups"), "rank_groups")) {
          Switch found{where, {}};
          for (const json& rank : array(member(group, "ranks"), "ranks"))
            found.ranks.push_back(integer(rank, "ranks", kMostPlacedRanks - 1));
          for (const std::int64_t rank : found.ranks) remember(rank);
          ends.switches.push_back(std::move(found));
        }
        continue;
      }
      const json* peers = find(each, "connected_to");
      Channel channel;
      if (const json* letter = find(each, "srcbuff")) channel.from = buffer(*letter, "srcbuff");
      if (const json* letter = find(each, "dstbuff")) channel.to = buffer(*letter, "dstbuff");
      for (const json& peer : array(peers != nullptr ? *peers : member(each, "connectedTo"), "connected_to")) {
        channel.peer = integer(peer, "connected_to", kMostPlacedRanks - 1);
        remember(channel.peer);
        channel.number = numbers[{channel.peer, type}]++;
        (type == 'p' ? ends.port : ends.memory).push_back(channel);
      }
    }
    return ends;
  }

  void remember(std::int64_t rank) {
    if (rank <= largest_rank_) return;
    largest_rank_ = rank;
    largest_rank_line_ = line_;
  }

  template <class T>
  const T& at(const std::vector<T>& list, std::int64_t index, const char* what) const {
    if (index >= static_cast<std::int64_t>(list.size()))
      fail(fmt::format("{} {}", what, index), fmt::format("one of {}", list.size()));
    return list[static_cast<std::size_t>(index)];
  }

  Ends ends_of_block(const Block& block, const Ends& all) {
    Ends ends;
    for (const json& each : block.channels) {
      const json* type_text = find(each, "channel_type");
      const char type = type_text != nullptr ? channel_type(*type_text, "channel_type")
                                             : channel_type(member(each, "ctype"), "ctype");
      const bool older = find(each, "cids") != nullptr;
      const json& ids = array(older ? *find(each, "cids") : member(each, "channel_ids"), "channel_ids");
      // In the older generation, ids count the channels between the same two buffers.
      std::vector<Channel> channels = type == 'p' ? all.port : all.memory;
      std::vector<Switch> switches = all.switches;
      if (older) {
        const PlacedRange::Buffer from = buffer(member(each, "src"), "src"), to = buffer(member(each, "dst"), "dst");
        std::erase_if(channels, [&](const Channel& one) { return one.from != from || one.to != to; });
        std::erase_if(switches, [&](const Switch& one) { return one.buffer != from; });
      }
      for (const json& id : ids) {
        const std::int64_t number = integer(id, "channel_ids", kMostPlacedChannel);
        if (type == 's')
          ends.switches.push_back(at(switches, number, "switch channel"));
        else if (type != 'n')
          (type == 'p' ? ends.port : ends.memory).push_back(at(channels, number, "channel"));
      }
    }
    for (const json& each : block.buffers) {
      const char type = channel_type(member(each, "access_channel_type"), "access_channel_type");
      for (const json& id : array(member(each, "remote_buffer_ids"), "remote_buffer_ids")) {
        const std::int64_t number = integer(id, "remote_buffer_ids", kMostPlacedChannel);
        if (!gpu_.buffers.is_array() || number >= static_cast<std::int64_t>(gpu_.buffers.size()))
          fail(fmt::format("remote buffer {}", number), fmt::format("one of {}", gpu_.buffers.size()));
        const json& remote = gpu_.buffers[static_cast<std::size_t>(number)];
        const std::int64_t rank = integer_of(remote, "rank", kMostPlacedRanks - 1);
        remember(rank);
        (type == 'p' ? ends.port_buffers : ends.memory_buffers)
            .emplace_back(rank, buffer(member(remote, "type"), "type"));
      }
    }
    return ends;
  }

  void add_block(const Block& block, const Ends& all, const std::vector<std::int32_t>& position) {
    line_ = block.line;
    const Ends ends = ends_of_block(block, all);
    builder_.add_worker(gpu_.id, block.id, block.line);
    for (std::uint32_t i = 0; i < block.operation_count; ++i)
      add_operation(gpu_.operations[block.operations + i], ends, position);
  }

  /// Adds what an operation of the plan does, as one operation or more.
  void add_operation(const PlanOperation& operation, const Ends& ends, const std::vector<std::int32_t>& position) {
    line_ = operation.line;
    const PlanShape shape = operation.name.shape;
    const bool moves = shape == PlanShape::kPairs || shape == PlanShape::kSum;
    const std::uint32_t count = shape == PlanShape::kPairs ? std::max<std::uint32_t>(1, operation.targets) : 1;
    if (moves && (operation.sources == 0 || operation.targets == 0))
      fail(fmt::format("\"{}\" without a {}", operation.name.name, operation.sources == 0 ? "source" : "target"),
           "both");
    for (std::uint32_t each = 0; each < count; ++each) {
      PlacedOperation& added =
          builder_.add(moves ? PlacedOperation::Kind::kReach : PlacedOperation::Kind::kSync, operation.step, line_);
      added.tells = each + 1 == count;
      for (std::uint32_t i = 0; each == 0 && i < operation.wait_count; ++i) {
        const auto [block, step] = gpu_.waits[operation.waits + i];
        const bool known = block < static_cast<std::int64_t>(position.size());
        builder_.wait({known ? position[static_cast<std::size_t>(block)] : -1, static_cast<std::int32_t>(block),
                       static_cast<std::int32_t>(step)});
      }
      if (moves) add_ranges(operation, ends, shape == PlanShape::kPairs ? std::int64_t{each} : -1);
    }
    add_signals(operation, ends);
  }

  /// `pair`: which of the pairs; -1: all.
  void add_ranges(const PlanOperation& operation, const Ends& ends, std::int64_t pair) {
    const PlanRange* const sources = gpu_.ranges.data() + operation.ranges;
    const PlanRange* const targets = sources + operation.sources;
    const std::int64_t size = sources[0].count;
    // A port sends packets as they are, without a look at their flags.
    const bool raw = operation.channel_type == 'p' && operation.name.shape == PlanShape::kPairs;
    for (std::int64_t i = 0; i < operation.sources; ++i) {
      if (pair >= 0 && i != std::min<std::int64_t>(pair, operation.sources - 1)) continue;
      add_range(operation, ends, sources[i], pair < 0 ? size : sources[i].count,
                !raw && i >= operation.name.source_packets, true);
    }
    for (std::int64_t i = 0; i < operation.targets; ++i) {
      if (pair >= 0 && i != pair) continue;
      const std::int64_t expected =
          pair < 0 ? size : sources[std::min<std::int64_t>(pair, operation.sources - 1)].count;
      add_range(operation, ends, targets[i], expected, i >= operation.name.target_packets, false);
    }
  }

  void add_range(const PlanOperation& operation, const Ends& ends, const PlanRange& range, std::int64_t size,
                 bool packets, bool is_source) {
    if (range.count != size)
      fail(fmt::format("\"{}\" of {} and {}", operation.name.name, count_text(size, "chunk"), range.count), "one size");
    PlacedRange placed;
    placed.rank = static_cast<std::int32_t>(gpu_.id);
    placed.buffer = range.buffer;
    placed.packets = packets;
    const std::int64_t pieces = operation.parts * (operation.half >= 0 ? 2 : 1);
    need_parts(range.count % pieces == 0 ? 1 : pieces);
    const std::int64_t unit = builder_.schedule.parts_of_chunk;
    placed.count = range.count * unit / pieces;
    placed.first = range.first * unit + operation.part * range.count * unit / operation.parts +
                   (operation.half == 1 ? placed.count : 0);
    const auto put = [&](std::int64_t rank) {
      placed.rank = static_cast<std::int32_t>(rank);
      if (is_source)
        builder_.source(placed);
      else
        builder_.target(placed);
    };
    switch (range.where) {
      case PlanRange::Where::kOwn:
        put(gpu_.id);
        break;
      case PlanRange::Where::kRemote: {
        const auto& [rank, where] =
            at(operation.channel_type == 'p' ? ends.port_buffers : ends.memory_buffers, range.id, "remote buffer");
        placed.buffer = where;
        put(rank);
        break;
      }
      case PlanRange::Where::kChannel: {
        const std::vector<Channel>& channels = operation.channel_type == 'p' ? ends.port : ends.memory;
        put(keyed(channels, range.id, range.source_buffer, range.buffer).peer);
        break;
      }
      case PlanRange::Where::kSwitch: {
        const Switch& way = at(ends.switches, range.id, "switch channel");
        placed.buffer = way.buffer;
        for (const std::int64_t rank : way.ranks) put(rank);
        break;
      }
    }
  }

  const Channel& keyed(const std::vector<Channel>& channels, std::int64_t id, PlacedRange::Buffer from,
                       PlacedRange::Buffer to) const {
    for (const Channel& each : channels) {
      if (each.from == from && each.to == to && id-- == 0) return each;
    }
    fail("a channel that the thread block does not list", "one of its channels");
  }

  /// Makes chunks divisible.
  void need_parts(std::int64_t pieces) {
    PlacedSchedule& to = builder_.schedule;
    const std::int64_t more = pieces / std::gcd(to.parts_of_chunk, pieces);
    if (more == 1) return;
    if (to.parts_of_chunk * more > (1 << 16)) fail("more than 65536 parts of a chunk", "fewer blocks that share one");
    to.parts_of_chunk *= more;
    for (PlacedRange& range : to.ranges) {
      range.first *= more;
      range.count *= more;
    }
  }

  void add_signals(const PlanOperation& operation, const Ends& ends) {
    const PlanShape shape = operation.name.shape;
    const PlanChannelId* const ids = gpu_.ids.data() + operation.channels;
    if (shape == PlanShape::kBarrier) {
      const auto [place, added] = barriers_.try_emplace({gpu_.id, operation.barrier}, 0);
      if (added)
        place->second = builder_.add_queue(
            {fmt::format("barrier {} of gpu {}", operation.barrier, gpu_.id), 0, operation.blocks, true});
      builder_.signal(PlacedSignal::Kind::kMeet, place->second);
      return;
    }
    if (shape == PlanShape::kAcquire || shape == PlanShape::kRelease) {
      for (std::uint32_t i = 0; i < operation.channel_count; ++i)
        builder_.signal(shape == PlanShape::kAcquire ? PlacedSignal::Kind::kTake : PlacedSignal::Kind::kGive,
                        semaphore(ids[i].id));
      return;
    }
    if (shape != PlanShape::kSignal && shape != PlanShape::kWait && !operation.name.signals) return;
    const std::vector<Channel>& channels = operation.channel_type == 'p' ? ends.port : ends.memory;
    for (std::uint32_t i = 0; i < operation.channel_count; ++i) {
      const Channel& channel =
          ids[i].keyed ? keyed(channels, ids[i].id, ids[i].from, ids[i].to) : at(channels, ids[i].id, "channel");
      if (shape == PlanShape::kWait)
        builder_.signal(PlacedSignal::Kind::kTake,
                        queue(channel.peer, gpu_.id, operation.channel_type, channel.number));
      else
        builder_.signal(PlacedSignal::Kind::kGive,
                        queue(gpu_.id, channel.peer, operation.channel_type, channel.number));
    }
  }

  std::int32_t semaphore(std::int64_t id) {
    if (!gpu_.semaphores.is_array() || id >= static_cast<std::int64_t>(gpu_.semaphores.size()))
      fail(fmt::format("semaphore {}", id), fmt::format("one of {}", gpu_.semaphores.size()));
    const auto [place, added] = semaphores_.try_emplace({gpu_.id, id}, 0);
    if (added)
      place->second = builder_.add_queue(
          {fmt::format("semaphore {} of gpu {}", id, gpu_.id),
           integer_of(gpu_.semaphores[static_cast<std::size_t>(id)], "init_value", kMostPlacedChannel), 0, false});
    return place->second;
  }

  // ---- The plan as a whole ----

  PlacedSchedule end_plan() {
    PlacedSchedule& to = builder_.schedule;
    to.ranks = static_cast<std::int64_t>(to.memory.size());
    to.out_of_place = !to.in_place;
    if (to.ranks == 0) builder_.fail(last_line_, "no gpus", "\"gpus\" of a plan of MSCCL++");
    if (largest_rank_ >= to.ranks)
      builder_.fail(largest_rank_line_, fmt::format("gpu {}", largest_rank_), fmt::format("one below {}", to.ranks));
    std::int64_t input = 0, output = 0;
    for (const PlacedMemory& memory : to.memory) {
      input = std::max(input, memory.input_chunks);
      output = std::max(output, memory.output_chunks);
    }
    to.chunks = std::max(input, output);
    if (to.problem && (*to.problem == Collective::kAllgather || *to.problem == Collective::kGather) && output == 0)
      to.chunks = input * to.ranks;
    if (to.problem && (*to.problem == Collective::kReduceScatter || *to.problem == Collective::kScatter) && input == 0)
      to.chunks = output * to.ranks;
    if (to.chunks == 0) builder_.fail(last_line_, "no chunks", "input or output chunks");
    if (to.problem && has_blocks(*to.problem) && to.chunks % to.ranks != 0)
      builder_.fail(last_line_, fmt::format("{} for {}", count_text(to.chunks, "chunk"), count_text(to.ranks, "gpu")),
                    "a multiple of the number of gpus");
    check_ranges();
    return builder_.finish(last_line_);
  }

  void check_ranges() const {
    const PlacedSchedule& all = builder_.schedule;
    for (const PlacedOperation& operation : all.operations) {
      for (std::uint32_t i = 0; i < operation.source_count + operation.target_count; ++i) {
        const PlacedRange& range = all.ranges[operation.ranges + i];
        const PlacedMemory& memory = all.memory[static_cast<std::size_t>(range.rank)];
        // A plan may state no output if it works in place. Executors take the buffers of the collective.
        const std::int64_t chunks = range.buffer == PlacedRange::Buffer::kScratch ? memory.scratch_chunks
                                    : all.in_place ? std::max(memory.input_chunks, memory.output_chunks)
                                    : range.buffer == PlacedRange::Buffer::kInput ? memory.input_chunks
                                                                                  : memory.output_chunks;
        if (range.first + range.count > chunks * all.parts_of_chunk)
          builder_.fail(operation.line,
                        fmt::format("chunks {} to {} of gpu {}, which has {} there", range.first / all.parts_of_chunk,
                                    (range.first + range.count - 1) / all.parts_of_chunk, range.rank, chunks),
                        "chunks inside the buffer");
      }
    }
  }

  std::istream& in_;
  const std::string& file_;
  PlacedBuilder builder_;
  Gpu gpu_;
  std::int64_t line_ = 1, last_line_ = 1, step_ = 0;
  std::int64_t largest_rank_ = -1, largest_rank_line_ = 1;
  std::map<std::tuple<std::int64_t, std::int64_t, char, std::int64_t>, std::int32_t> queues_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> barriers_, semaphores_;
};

}  // namespace

PlacedSchedule read_mscclpp(std::istream& in, const std::string& file) { return PlanReader(in, file).read(); }

}  // namespace sluice::detail
