#include "schedule/slot_chains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "sluice/error.hpp"

namespace sluice::detail {
namespace {

/// The slot of each transfer; see transfers_before.
class Slots {
 public:
  /// `nodes`: their number on each side.
  Slots(std::int64_t nodes, std::int64_t slots)
      : slots_(static_cast<std::size_t>(slots)),
        sender_free_(at(nodes), 0),
        receiver_free_(at(nodes), 0),
        of_sender_(at(nodes), kNone),
        of_receiver_(at(nodes), kNone) {
    open(slots_.size());
  }

  /// From the next step on, only the first `count` slots are used. A slot that comes back becomes free together with
  /// the slot that it continues.
  void open(std::size_t count) {
    for (; open_ > count; --open_) by_time_.erase({slots_[open_ - 1].free, open_ - 1});
    for (const std::size_t in_use = open_; open_ < count; ++open_) {
      if (in_use > 0) slots_[open_].free = slots_[open_ % in_use].free;
      by_time_.insert({slots_[open_].free, open_});
    }
  }

  /// The slot of each transfer of the next step.
  const std::vector<std::size_t>& take(const std::vector<Transfer>& transfers) {
    chosen_.assign(transfers.size(), kNone);
    ++step_;
    for (std::size_t i = 0; i < transfers.size(); ++i) prefer(of_receiver_[at(transfers[i].to)], i);
    for (std::size_t i = 0; i < transfers.size(); ++i) prefer(of_sender_[at(transfers[i].from)], i);
    order_.clear();
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      if (chosen_[i] == kNone) order_.push_back(i);
    }
    std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return ports_free(transfers[i]); });
    auto next = by_time_.begin();
    for (const std::size_t i : order_) {
      while (slots_[next->second].step == step_) ++next;
      chosen_[i] = next->second;
      slots_[next->second].step = step_;
    }
    for (std::size_t i = 0; i < transfers.size(); ++i) occupy(transfers[i], chosen_[i]);
    return chosen_;
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  struct Slot {
    std::int64_t free = 0;  ///< when its last transfer ends
    std::int64_t step = 0;  ///< the last step that took it, counted from 1
  };

  static std::size_t at(std::int64_t node) { return static_cast<std::size_t>(node); }
  [[nodiscard]] std::int64_t ports_free(const Transfer& transfer) const {
    return std::max(sender_free_[at(transfer.from)], receiver_free_[at(transfer.to)]);
  }
  void prefer(std::size_t slot, std::size_t transfer) {
    if (slot == kNone || slot >= open_ || chosen_[transfer] != kNone || slots_[slot].step == step_) return;
    chosen_[transfer] = slot;
    slots_[slot].step = step_;
  }
  void occupy(const Transfer& transfer, std::size_t slot) {
    const std::int64_t end = std::max(slots_[slot].free, ports_free(transfer)) + transfer.size;
    by_time_.erase({slots_[slot].free, slot});
    by_time_.insert({end, slot});
    slots_[slot].free = sender_free_[at(transfer.from)] = receiver_free_[at(transfer.to)] = end;
    of_sender_[at(transfer.from)] = of_receiver_[at(transfer.to)] = slot;
  }

  std::vector<Slot> slots_;
  std::size_t open_ = 0;                                    ///< how many slots are in use
  std::set<std::pair<std::int64_t, std::size_t>> by_time_;  ///< (free, slot)
  std::vector<std::int64_t> sender_free_;
  std::vector<std::int64_t> receiver_free_;
  std::vector<std::size_t> of_sender_;  ///< the slot of its last transfer
  std::vector<std::size_t> of_receiver_;
  std::vector<std::size_t> chosen_;
  std::vector<std::size_t> order_;
  std::int64_t step_ = 0;
};

}  // namespace

std::vector<std::size_t> transfers_before(const StepSchedule& schedule, std::int64_t slots) {
  std::int64_t nodes = 0;
  for (const Step& step : schedule.steps)
    for (const Transfer& each : step.transfers) nodes = std::max({nodes, each.from + 1, each.to + 1});
  std::vector<std::size_t> before;
  std::vector<std::size_t> last(static_cast<std::size_t>(slots), kFirstOfSlot);  // of each slot
  Slots chains(nodes, slots);
  const std::vector<BackboneChange>& backbone = schedule.speeds.backbone;
  std::int64_t open = slots;
  double begin = 0;
  for (const Step& each : schedule.steps) {
    if (!backbone.empty()) {
      const std::int64_t now =
          std::max(max_transfers_at(backbone, begin), static_cast<std::int64_t>(each.transfers.size()));
      chains.open(static_cast<std::size_t>(now));
      if (open < now && !before.empty()) {
        std::vector<std::size_t> latest(last.begin(), last.begin() + open);
        std::erase(latest, kFirstOfSlot);
        for (std::int64_t slot = open; slot < now && !latest.empty(); ++slot)
          last[static_cast<std::size_t>(slot)] = latest[static_cast<std::size_t>(slot - open) % latest.size()];
      }
      open = now;
      begin += schedule.setup + static_cast<double>(each.duration);
    }
    SLUICE_ASSERT(static_cast<std::int64_t>(each.transfers.size()) <= slots,
                  fmt::format("{} transfers in a step, {} slots", each.transfers.size(), slots));
    for (const std::size_t slot : chains.take(each.transfers)) {
      const std::size_t transfer = before.size();
      before.push_back(std::exchange(last[slot], transfer));
    }
  }
  return before;
}

}  // namespace sluice::detail
