#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "input/shown_text.hpp"
#include "schedule/foreign/placed_builder.hpp"
#include "schedule/foreign/readers.hpp"
#include "schedule/foreign/xml_reader.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

/// What a type of step uses. What it does not use is a comment in the file.
struct MscclType {
  const char* name;
  PlacedOperation::Kind kind;
  bool receives, sends;
  bool reads;   ///< srcbuf, srcoff
  bool writes;  ///< dstbuf, dstoff
  bool adds;    ///< to what is at the target
};

using OperationKind = PlacedOperation::Kind;

constexpr std::array<MscclType, 9> kMscclTypes{{
    {"s", OperationKind::kSend, false, true, true, false, false},
    {"r", OperationKind::kReceive, true, false, false, true, false},
    {"rcs", OperationKind::kReceiveAndSend, true, true, false, true, false},
    {"rrc", OperationKind::kReceive, true, false, true, true, false},
    {"rrcs", OperationKind::kReceiveAndSend, true, true, true, true, false},
    {"rrs", OperationKind::kReceiveAndSend, true, true, true, false, false},
    {"cpy", OperationKind::kCopy, false, false, true, true, false},
    {"re", OperationKind::kAdd, false, false, true, true, true},
    {"nop", OperationKind::kNothing, false, false, false, false, false},
}};

constexpr std::int64_t kLargestMscclNumber = std::int64_t{1} << 60;  ///< sums of two fit

class MscclReader {
 public:
  MscclReader(std::istream& in, const std::string& file) : xml_(in.rdbuf(), file), builder_(file) {}

  PlacedSchedule read() {
    if (xml_.next() != XmlReader::Event::kOpen || xml_.name() != "algo")
      xml_.fail(fmt::format("<{}>", shown(xml_.name())), "<algo>, of MSCCL");
    const std::int64_t algo_line = xml_.line();
    read_algo();
    for_children("gpu", [&] { read_gpu(); });
    const std::int64_t end = xml_.line();
    if (xml_.next() != XmlReader::Event::kEnd) xml_.fail("more", "the end of the file");
    check_whole(algo_line);
    return builder_.finish(end);
  }

 private:
  PlacedSchedule& schedule() { return builder_.schedule; }

  /// Calls use() for each child of this name of the element at hand; other children are skipped.
  template <class Use>
  void for_children(std::string_view name, Use use) {
    const std::size_t depth = xml_.depth();
    while (true) {
      const XmlReader::Event event = xml_.next();
      if (event == XmlReader::Event::kEnd || xml_.depth() < depth) return;
      if (event == XmlReader::Event::kOpen && xml_.depth() == depth + 1 && xml_.name() == name) use();
    }
  }

  bool flag(std::string_view attribute, bool otherwise) {
    return xml_.integer(attribute, 0, 1, otherwise ? 1 : 0) == 1;
  }

  void read_algo() {
    PlacedSchedule& to = schedule();
    to.format = PlacedFormat::kMsccl;
    if (const std::string* name = xml_.find("name")) to.name = shown(*name);
    if (const std::string* collective = xml_.find("coll")) builder_.name_collective(shown(*collective));
    to.ranks = xml_.integer("ngpus", 1, kMostPlacedRanks, -1);
    to.chunks = xml_.integer("nchunksperloop", 1, kMostPlacedChunks);
    to.protocol = xml_.find("proto") == nullptr ? "Simple" : *xml_.find("proto");
    if (to.protocol != "Simple" && to.protocol != "LL" && to.protocol != "LL128")
      xml_.fail(fmt::format("proto=\"{}\"", shown(to.protocol)), "Simple, LL or LL128");
    to.places = to.protocol == "Simple" ? 2 : 8;  // 8 slots; a message takes 4 with Simple
    to.in_place = flag("inplace", false);
    to.out_of_place = flag("outofplace", !to.in_place);
    if (!to.in_place && !to.out_of_place) to.out_of_place = true;
    if (xml_.find("root") != nullptr) to.root = xml_.integer("root", 0, kMostPlacedRanks - 1);
    to.has_limits =
        xml_.find("outofplace") != nullptr && xml_.find("minBytes") != nullptr && xml_.find("maxBytes") != nullptr;
  }

  void read_gpu() {
    const std::int64_t line = xml_.line();
    const std::int64_t gpu = xml_.integer("id", 0, (schedule().ranks < 0 ? kMostPlacedRanks : schedule().ranks) - 1);
    const auto at = static_cast<std::size_t>(gpu);
    if (gpu_lines_.size() <= at) {
      gpu_lines_.resize(at + 1, 0);
      schedule().memory.resize(at + 1);
    }
    if (gpu_lines_[at] != 0)
      xml_.fail(fmt::format("gpu {} again, after line {}", gpu, gpu_lines_[at]), "each gpu once");
    gpu_lines_[at] = line;
    memory_ = {xml_.integer("i_chunks", 0, kMostPlacedChunks), xml_.integer("o_chunks", 0, kMostPlacedChunks),
               xml_.integer("s_chunks", 0, kMostPlacedChunks)};
    gpu_ = gpu;
    first_worker_ = schedule().workers.size();
    first_wait_ = schedule().waits.size();
    const std::size_t depth = xml_.depth();
    while (true) {
      const XmlReader::Event event = xml_.next();
      if (event == XmlReader::Event::kEnd || xml_.depth() < depth) break;
      if (event != XmlReader::Event::kOpen || xml_.depth() != depth + 1) continue;
      if (xml_.name() == "tb") read_block();
      if (xml_.name() == "copy") read_copy();
    }
    schedule().memory[at] = std::move(memory_);
    end_gpu();
  }

  void read_copy() {
    const std::int64_t input = xml_.integer("i_off", 0, kLargestMscclNumber);
    const std::int64_t output = xml_.integer("o_off", 0, kLargestMscclNumber);
    if (input >= memory_.input_chunks || output >= memory_.output_chunks)
      xml_.fail(fmt::format("a copy of input chunk {} to output chunk {}", input, output),
                fmt::format("chunks below {} and {}", memory_.input_chunks, memory_.output_chunks));
    memory_.copied.emplace_back(input, output);
  }

  std::int64_t peer(std::string_view attribute) {
    const std::int64_t last = (schedule().ranks < 0 ? kMostPlacedRanks : schedule().ranks) - 1;
    const std::int64_t rank = xml_.integer(attribute, -1, last);
    if (rank == gpu_) xml_.fail(fmt::format("{}=\"{}\" in gpu {}", attribute, rank, gpu_), "another gpu, or -1");
    largest_peer_ = std::max(largest_peer_, rank);
    if (rank == largest_peer_) largest_peer_line_ = xml_.line();
    return rank;
  }

  void read_block() {
    constexpr std::int64_t kMostBlocks = std::int64_t{1} << 20;
    PlacedWorker& block = builder_.add_worker(gpu_, xml_.integer("id", 0, kMostBlocks), xml_.line());
    block.send_to = static_cast<std::int32_t>(peer("send"));
    block.receive_from = static_cast<std::int32_t>(peer("recv"));
    block.channel = static_cast<std::int32_t>(xml_.integer("chan", -1, kMostPlacedChannel));
    send_ = block.send_to < 0 ? -1 : builder_.connection(gpu_, block.send_to, block.channel);
    receive_ = block.receive_from < 0 ? -1 : builder_.connection(block.receive_from, gpu_, block.channel);
    steps_ = 0;
    for_children("step", [&] { read_step(); });
  }

  PlacedRange range(std::string_view buffer_name, std::string_view offset_name, std::int64_t count) {
    const std::string& buffer = xml_.text(buffer_name);
    PlacedRange result;
    result.rank = static_cast<std::int32_t>(gpu_);
    std::int64_t size = 0;
    if (buffer == "i") {
      size = memory_.input_chunks;
    } else if (buffer == "o") {
      result.buffer = PlacedRange::Buffer::kOutput;
      size = memory_.output_chunks;
    } else if (buffer == "s") {
      result.buffer = PlacedRange::Buffer::kScratch;
      size = memory_.scratch_chunks;
    } else {
      xml_.fail(fmt::format("{}=\"{}\"", buffer_name, shown(buffer)), "i, o or s");
    }
    result.first = xml_.integer(offset_name, -1, kLargestMscclNumber);
    result.count = count;
    if (result.first < 0 || result.first + count > size)
      xml_.fail(fmt::format("{}=\"{}\" and cnt=\"{}\" in {} of {}", offset_name, result.first, count, buffer,
                            count_text(size, "chunk")),
                "an offset and a count inside the buffer");
    return result;
  }

  void read_step() {
    constexpr std::int64_t kMostSteps = std::numeric_limits<std::int32_t>::max();
    const std::int64_t number = xml_.integer("s", 0, kMostSteps);
    if (number != steps_) xml_.fail(fmt::format("step {} expected, is {}", steps_, number), "");
    ++steps_;
    const std::string& name = xml_.text("type");
    const auto* const type =
        std::find_if(kMscclTypes.begin(), kMscclTypes.end(), [&](const MscclType& each) { return name == each.name; });
    if (type == kMscclTypes.end())
      xml_.fail(fmt::format("type=\"{}\"", shown(name)), "s, r, rcs, rrc, rrcs, rrs, cpy, re or nop");
    const std::int64_t count = xml_.integer("cnt", 0, kLargestMscclNumber);
    PlacedOperation& operation = builder_.add(type->kind, number, xml_.line());
    operation.tells = flag("hasdep", false);
    const std::int64_t block = xml_.integer("depid", -1, kMostPlacedChannel);
    const std::int64_t step = xml_.integer("deps", -1, kMostSteps);
    if (block >= 0 && step >= 0) builder_.wait({-1, static_cast<std::int32_t>(block), static_cast<std::int32_t>(step)});
    if (type->sends && send_ < 0) xml_.fail("a step that sends in a block with send=\"-1\"", "a peer to send to");
    if (type->receives && receive_ < 0)
      xml_.fail("a step that receives in a block with recv=\"-1\"", "a peer to receive from");
    const PlacedRange source = type->reads ? range("srcbuf", "srcoff", count) : PlacedRange{};
    const PlacedRange target = type->writes ? range("dstbuf", "dstoff", count) : PlacedRange{};
    if (count == 0) return;
    PlacedOperation& whole = schedule().operations.back();
    whole.amount = count;
    if (type->sends) whole.sends = send_;
    if (type->receives) whole.receives = receive_;
    if (type->adds) builder_.source(target);
    if (type->reads) builder_.source(source);
    if (type->writes) builder_.target(target);
  }

  /// Numbers of blocks become positions.
  void end_gpu() {
    PlacedSchedule& to = schedule();
    const std::size_t blocks = to.workers.size() - first_worker_;
    std::vector<std::int32_t> position(blocks, -1);
    for (std::size_t worker = first_worker_; worker < to.workers.size(); ++worker) {
      const auto id = static_cast<std::size_t>(to.workers[worker].id);
      if (id >= blocks)
        builder_.fail(to.workers[worker].line, fmt::format("tb {} of gpu {}, which has {}", id, gpu_, blocks),
                      fmt::format("numbers from 0 to {}", blocks - 1));
      if (position[id] >= 0)
        builder_.fail(to.workers[worker].line, fmt::format("tb {} of gpu {} again", id, gpu_), "each number once");
      position[id] = static_cast<std::int32_t>(worker);
    }
    for (std::size_t wait = first_wait_; wait < to.waits.size(); ++wait) {
      const auto id = static_cast<std::size_t>(to.waits[wait].id);
      if (id < blocks) to.waits[wait].worker = position[id];
    }
  }

  void check_whole(std::int64_t algo_line) {
    PlacedSchedule& to = schedule();
    if (to.ranks < 0) to.ranks = static_cast<std::int64_t>(gpu_lines_.size());
    gpu_lines_.resize(static_cast<std::size_t>(to.ranks), 0);
    to.memory.resize(static_cast<std::size_t>(to.ranks));
    for (std::int64_t gpu = 0; gpu < to.ranks; ++gpu) {
      if (gpu_lines_[static_cast<std::size_t>(gpu)] == 0)
        builder_.fail(algo_line, fmt::format("{}, but no gpu {}", count_text(to.ranks, "gpu"), gpu), "each gpu once");
    }
    if (largest_peer_ >= to.ranks)
      builder_.fail(largest_peer_line_, fmt::format("peer {}", largest_peer_), fmt::format("one below {}", to.ranks));
    if (to.problem && has_blocks(*to.problem) && to.chunks % to.ranks != 0)
      builder_.fail(algo_line, fmt::format("nchunksperloop=\"{}\" for {}", to.chunks, count_text(to.ranks, "gpu")),
                    "a multiple of the number of gpus");
  }

  XmlReader xml_;
  PlacedBuilder builder_;
  std::vector<std::int64_t> gpu_lines_;
  std::int64_t largest_peer_ = -1, largest_peer_line_ = 0;
  // The gpu at hand.
  PlacedMemory memory_;
  std::int64_t gpu_ = 0;
  std::size_t first_worker_ = 0, first_wait_ = 0;
  // The block at hand.
  std::int32_t send_ = -1, receive_ = -1;
  std::int64_t steps_ = 0;
};

}  // namespace

PlacedSchedule read_msccl(std::istream& in, const std::string& file) { return MscclReader(in, file).read(); }

}  // namespace sluice::detail
