#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "schedule/foreign/checks.hpp"

namespace sluice::detail {

namespace {

/// What an executor of MSCCL XML takes; 0: no limit is known.
struct ExecutorLimits {
  const char* name;
  bool needs_attributes;
  std::int64_t counts_below, steps, blocks_of_channel, blocks;
  bool fuses_additions;
};

constexpr std::array<ExecutorLimits, 3> kExecutorLimits{{
    {"RCCL", true, 72, 64, 32, 64, true},
    {"MSCCL", false, 0, 256, 0, 216, false},
    {"msccl-executor-nccl", true, 72, 64, 32, 0, false},
}};

class LimitCheck {
 public:
  LimitCheck(const PlacedSchedule& schedule, const ExecutorLimits& limits) : schedule_(schedule), limits_(limits) {}

  std::vector<std::string> run() {
    if (limits_.needs_attributes && !schedule_.has_limits)
      add("no \"outofplace\", \"minBytes\" or \"maxBytes\", all three needed");
    std::map<std::int32_t, std::int64_t> blocks;
    std::map<std::array<std::int32_t, 3>, std::int64_t> ends;  // of a GPU, a channel and a direction
    bool local_channel = false;
    for (const PlacedWorker& worker : schedule_.workers) {
      ++blocks[worker.rank];
      if (worker.send_to >= 0) ++ends[{worker.rank, worker.channel, 0}];
      if (worker.receive_from >= 0) ++ends[{worker.rank, worker.channel, 1}];
      local_channel = local_channel || worker.channel < 0;
      check_block(worker);
    }
    if (limits_.needs_attributes && local_channel) add("channel -1, 0 at least allowed");
    for (const auto& [gpu, count] : blocks) {
      if (limits_.blocks > 0 && count > limits_.blocks)
        add(fmt::format("{} thread blocks on GPU {}, {} allowed", count, gpu, limits_.blocks));
    }
    for (const auto& [end, count] : ends) {
      if (limits_.blocks_of_channel > 0 && count > limits_.blocks_of_channel)
        add(fmt::format("{} thread blocks of GPU {} that {} on channel {}, {} allowed", count, end[0],
                        end[2] == 0 ? "send" : "receive", end[1], limits_.blocks_of_channel));
    }
    return std::move(found_);
  }

 private:
  void add(const std::string& what) { found_.push_back(fmt::format("{}: {}", limits_.name, what)); }

  void check_block(const PlacedWorker& worker) {
    const std::string block = fmt::format("gpu {} tb {}", worker.rank, worker.id);
    if (worker.operation_count > limits_.steps)
      add(fmt::format("{} steps in {}, {} allowed", worker.operation_count, block, limits_.steps));
    const PlacedOperation* fused = nullptr;
    for (std::uint32_t i = 0; i < worker.operation_count; ++i) {
      const PlacedOperation& each = schedule_.operations[worker.operations + i];
      if (limits_.counts_below > 0 && each.amount >= limits_.counts_below)
        add(fmt::format("{} chunks in {} step {}, {} allowed", each.amount, block, each.step,
                        limits_.counts_below - 1));
      if (!limits_.fuses_additions || each.kind == PlacedOperation::Kind::kNothing) continue;
      if (each.kind == PlacedOperation::Kind::kAdd && fused != nullptr && each.wait_count == 0 && same(*fused, each)) {
        if (fused->amount != each.amount)
          add(fmt::format("{} step {} adds {} chunks, and is fused with step {}, which adds {}", block, each.step,
                          each.amount, fused->step, fused->amount));
      }
      fused = each.kind == PlacedOperation::Kind::kAdd && !each.tells ? &each : nullptr;
    }
  }

  /// Whether two additions have one target, and sources in one buffer.
  [[nodiscard]] bool same(const PlacedOperation& a, const PlacedOperation& b) const {
    if (a.amount == 0 || b.amount == 0) return false;
    const PlacedRange* const one = schedule_.ranges.data() + a.ranges;
    const PlacedRange* const other = schedule_.ranges.data() + b.ranges;
    return one[0].buffer == other[0].buffer && one[0].first == other[0].first && one[1].buffer == other[1].buffer;
  }

  const PlacedSchedule& schedule_;
  const ExecutorLimits& limits_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> beyond_limits(const PlacedSchedule& schedule, Executor executor) {
  return LimitCheck(schedule, kExecutorLimits[static_cast<std::size_t>(executor)]).run();
}

}  // namespace sluice::detail
