#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
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
#include "schedule/foreign/mscclpp_plan.hpp"
#include "schedule/foreign/placed_builder.hpp"
#include "schedule/foreign/readers.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

using nlohmann::json;

constexpr const char* kPlan = "a plan of MSCCL++";
class PlanReader {
 public:
  PlanReader(std::istream& in, const std::string& file) : in_(in), file_(file), builder_(file), fields_(builder_) {}

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
      fields_.line = line;
      last_line_ = line;
      if (path.empty()) return take_plan(name, value);
      if (path == "gpus" || path == "gpus[].threadblocks") builder_.fail(line, shown(value.dump()), "an object");
      if (path == "gpus[]") return take_gpu(name, value);
      if (path == "gpus[].threadblocks[]") return take_block(name, value);
      if (path == "gpus[].threadblocks[].ops") take_plan_operation(fields_, value, step_++, gpu_);
    };
    read_json_pieces(in_, file_, kPlan, reader);
    return end_plan();
  }

 private:
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

  void take_plan(std::string_view name, const json& value) {
    PlacedSchedule& to = builder_.schedule;
    if (name == "name") to.name = shown(fields_.text(value, "name"));
    if (name == "collective" || name == "colletive") builder_.name_collective(shown(fields_.text(value, "collective")));
    if (name == "protocol") to.protocol = shown(fields_.text(value, "protocol"));
    if (name == "gpus") fields_.fail("\"gpus\"", "an array of objects");
    if (name != "inplace") return;
    if (!value.is_boolean()) fields_.fail(fmt::format("\"inplace\": {}", shown(value.dump())), "true or false");
    to.in_place = value.get<bool>();
  }

  void take_gpu(std::string_view name, json& value) {
    if (name == "id") gpu_.id = fields_.integer(value, "id", kMostPlacedRanks - 1);
    if (name == "input_chunks" || name == "inputChunks")
      gpu_.input = fields_.integer(value, "input_chunks", kMostPlacedChunks);
    if (name == "output_chunks" || name == "outputChunks")
      gpu_.output = fields_.integer(value, "output_chunks", kMostPlacedChunks);
    if (name == "scratch_chunks" || name == "scratchChunks")
      gpu_.scratch = fields_.integer(value, "scratch_chunks", kMostPlacedChunks);
    if (name == "inputChunks") gpu_.older = true;
    if (name == "channels") {
      gpu_.channels = std::move(value);
    } else if (name == "remote_buffers") {
      gpu_.buffers = std::move(value);
    } else if (name == "semaphores") {
      gpu_.semaphores = std::move(value);
    }
    if (name == "threadblocks") fields_.fail("\"threadblocks\"", "an array of objects");
  }

  void take_block(std::string_view name, json& value) {
    PlanBlock& block = gpu_.blocks.back();
    if (name == "id") block.id = fields_.integer(value, "id", kMostPlacedRanks);
    if (name == "channels")
      for (json& each : value) block.channels.push_back(std::move(each));
    if (name == "remote_buffer_refs")
      for (json& each : value) block.buffers.push_back(std::move(each));
    if (name == "ops") fields_.fail("\"ops\"", "an array of objects");
  }

  void end_block() {
    step_ = 0;
    if (gpu_.blocks.back().operation_count == 0)
      gpu_.blocks.back().operations = static_cast<std::uint32_t>(gpu_.operations.size());
  }

  // ---- A gpu, when it is known as a whole ----

  void end_gpu() {
    fields_.line = gpu_.line;
    const auto gpu = static_cast<std::int64_t>(builder_.schedule.memory.size());
    if (gpu_.id != gpu)
      fields_.fail(gpu_.id < 0 ? "a gpu without \"id\"" : fmt::format("gpu {}", gpu_.id), fmt::format("gpu {}", gpu));
    builder_.schedule.memory.push_back({gpu_.input, gpu_.output, gpu_.scratch});
    if (gpu == kMostPlacedRanks) fields_.fail("65537 gpus", "at most 65536");
    const Ends all = ends_of_gpu();
    const auto first_worker = static_cast<std::int32_t>(builder_.schedule.workers.size());
    std::vector<std::int32_t> position(gpu_.blocks.size(), -1);
    for (std::size_t block = 0; block < gpu_.blocks.size(); ++block) {
      fields_.line = gpu_.blocks[block].line;
      const std::int64_t id = gpu_.blocks[block].id;
      if (id < 0 || id >= static_cast<std::int64_t>(position.size()) || position[static_cast<std::size_t>(id)] >= 0)
        fields_.fail(id < 0 ? "a thread block without \"id\"" : fmt::format("thread block {}", id),
                     fmt::format("numbers below {}, each once", position.size()));
      position[static_cast<std::size_t>(id)] = first_worker + static_cast<std::int32_t>(block);
    }
    for (const PlanBlock& block : gpu_.blocks) add_block(block, all, position);
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
    for (const json& each : fields_.array(gpu_.channels, "channels")) {
      const json* type_text = PlanFields::find(each, "channel_type");
      const char type = type_text != nullptr ? fields_.channel_type(*type_text, "channel_type")
                                             : fields_.channel_type(fields_.member(each, "type"), "type");
      if (type == 's') {
        const json* letter = PlanFields::find(each, "buffer_type");
        const PlacedRange::Buffer where = letter != nullptr ? fields_.buffer(*letter, "buffer_type")
                                                            : fields_.buffer(fields_.member(each, "buff"), "buff");
        const json* groups = PlanFields::find(each, "rank_groups");
        for (const json& group :
             fields_.array(groups != nullptr ? *groups : fields_.member(each, "rankGroups"), "rank_groups")) {
          Switch found{where, {}};
          for (const json& rank : fields_.array(fields_.member(group, "ranks"), "ranks"))
            found.ranks.push_back(fields_.integer(rank, "ranks", kMostPlacedRanks - 1));
          for (const std::int64_t rank : found.ranks) remember(rank);
          ends.switches.push_back(std::move(found));
        }
        continue;
      }
      const json* peers = PlanFields::find(each, "connected_to");
      Channel channel;
      if (const json* letter = PlanFields::find(each, "srcbuff")) channel.from = fields_.buffer(*letter, "srcbuff");
      if (const json* letter = PlanFields::find(each, "dstbuff")) channel.to = fields_.buffer(*letter, "dstbuff");
      for (const json& peer :
           fields_.array(peers != nullptr ? *peers : fields_.member(each, "connectedTo"), "connected_to")) {
        channel.peer = fields_.integer(peer, "connected_to", kMostPlacedRanks - 1);
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
    largest_rank_line_ = fields_.line;
  }

  template <class T>
  const T& at(const std::vector<T>& list, std::int64_t index, const char* what) const {
    if (index >= static_cast<std::int64_t>(list.size()))
      fields_.fail(fmt::format("{} {}", what, index), fmt::format("one of {}", list.size()));
    return list[static_cast<std::size_t>(index)];
  }

  Ends ends_of_block(const PlanBlock& block, const Ends& all) {
    Ends ends;
    for (const json& each : block.channels) {
      const json* type_text = PlanFields::find(each, "channel_type");
      const char type = type_text != nullptr ? fields_.channel_type(*type_text, "channel_type")
                                             : fields_.channel_type(fields_.member(each, "ctype"), "ctype");
      const bool older = PlanFields::find(each, "cids") != nullptr;
      const json& ids =
          fields_.array(older ? *PlanFields::find(each, "cids") : fields_.member(each, "channel_ids"), "channel_ids");
      // In the older generation, ids count the channels between the same two buffers.
      std::vector<Channel> channels = type == 'p' ? all.port : all.memory;
      std::vector<Switch> switches = all.switches;
      if (older) {
        const PlacedRange::Buffer from = fields_.buffer(fields_.member(each, "src"), "src"),
                                  to = fields_.buffer(fields_.member(each, "dst"), "dst");
        std::erase_if(channels, [&](const Channel& one) { return one.from != from || one.to != to; });
        std::erase_if(switches, [&](const Switch& one) { return one.buffer != from; });
      }
      for (const json& id : ids) {
        const std::int64_t number = fields_.integer(id, "channel_ids", kMostPlacedChannel);
        if (type == 's')
          ends.switches.push_back(at(switches, number, "switch channel"));
        else if (type != 'n')
          (type == 'p' ? ends.port : ends.memory).push_back(at(channels, number, "channel"));
      }
    }
    for (const json& each : block.buffers) {
      const char type = fields_.channel_type(fields_.member(each, "access_channel_type"), "access_channel_type");
      for (const json& id : fields_.array(fields_.member(each, "remote_buffer_ids"), "remote_buffer_ids")) {
        const std::int64_t number = fields_.integer(id, "remote_buffer_ids", kMostPlacedChannel);
        if (!gpu_.buffers.is_array() || number >= static_cast<std::int64_t>(gpu_.buffers.size()))
          fields_.fail(fmt::format("remote buffer {}", number), fmt::format("one of {}", gpu_.buffers.size()));
        const json& remote = gpu_.buffers[static_cast<std::size_t>(number)];
        const std::int64_t rank = fields_.integer_of(remote, "rank", kMostPlacedRanks - 1);
        remember(rank);
        (type == 'p' ? ends.port_buffers : ends.memory_buffers)
            .emplace_back(rank, fields_.buffer(fields_.member(remote, "type"), "type"));
      }
    }
    return ends;
  }

  void add_block(const PlanBlock& block, const Ends& all, const std::vector<std::int32_t>& position) {
    fields_.line = block.line;
    const Ends ends = ends_of_block(block, all);
    builder_.add_worker(gpu_.id, block.id, block.line);
    for (std::uint32_t i = 0; i < block.operation_count; ++i)
      add_operation(gpu_.operations[block.operations + i], ends, position);
  }

  /// Adds what an operation of the plan does, as one operation or more.
  void add_operation(const PlanOperation& operation, const Ends& ends, const std::vector<std::int32_t>& position) {
    fields_.line = operation.line;
    const PlanShape shape = operation.name.shape;
    const bool moves = shape == PlanShape::kPairs || shape == PlanShape::kSum;
    const std::uint32_t count = shape == PlanShape::kPairs ? std::max<std::uint32_t>(1, operation.targets) : 1;
    if (moves && (operation.sources == 0 || operation.targets == 0))
      fields_.fail(
          fmt::format("\"{}\" without a {}", operation.name.name, operation.sources == 0 ? "source" : "target"),
          "both");
    for (std::uint32_t each = 0; each < count; ++each) {
      PlacedOperation& added = builder_.add(moves ? PlacedOperation::Kind::kReach : PlacedOperation::Kind::kSync,
                                            operation.step, fields_.line);
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
      fields_.fail(fmt::format("\"{}\" of {} and {}", operation.name.name, count_text(size, "chunk"), range.count),
                   "one size");
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
    fields_.fail("a channel that the thread block does not list", "one of its channels");
  }

  /// Makes chunks divisible.
  void need_parts(std::int64_t pieces) {
    PlacedSchedule& to = builder_.schedule;
    const std::int64_t more = pieces / std::gcd(to.parts_of_chunk, pieces);
    if (more == 1) return;
    if (to.parts_of_chunk * more > (1 << 16))
      fields_.fail("more than 65536 parts of a chunk", "fewer blocks that share one");
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
      fields_.fail(fmt::format("semaphore {}", id), fmt::format("one of {}", gpu_.semaphores.size()));
    const auto [place, added] = semaphores_.try_emplace({gpu_.id, id}, 0);
    if (added)
      place->second = builder_.add_queue(
          {fmt::format("semaphore {} of gpu {}", id, gpu_.id),
           fields_.integer_of(gpu_.semaphores[static_cast<std::size_t>(id)], "init_value", kMostPlacedChannel), 0,
           false});
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
  PlanFields fields_;
  PlanGpu gpu_;
  std::int64_t last_line_ = 1, step_ = 0;
  std::int64_t largest_rank_ = -1, largest_rank_line_ = 1;
  std::map<std::tuple<std::int64_t, std::int64_t, char, std::int64_t>, std::int32_t> queues_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> barriers_, semaphores_;
};

}  // namespace

PlacedSchedule read_mscclpp(std::istream& in, const std::string& file) { return PlanReader(in, file).read(); }

}  // namespace sluice::detail
