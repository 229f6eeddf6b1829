#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "schedule/foreign/checks.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

/// Who is reached by whose data, for 64 senders at a time.
class ReachCheck {
 public:
  ReachCheck(const PlacedSchedule& schedule, const PlacedEvents& events, std::span<const std::int32_t> order)
      : schedule_(schedule), events_(events), order_(order) {}

  /// What has come before each operation is done, and what each rank has at the end.
  void find(std::int64_t first) {
    come_.assign(schedule_.operations.size(), 0);
    at_end_.assign(static_cast<std::size_t>(schedule_.ranks), 0);
    for (const std::int32_t operation : order_) {
      const std::int64_t rank = rank_of(operation);
      std::uint64_t& own = come_[static_cast<std::size_t>(operation)];
      own |= bit_of(rank, first);
      // Whoever meets has what all who meet bring.
      for (const std::int32_t each : events_.meeting_of(operation))
        own |= come_[static_cast<std::size_t>(each)] | bit_of(rank_of(each), first);
      at_end_[static_cast<std::size_t>(rank)] |= own;
      events_.for_next(operation, [&](std::int32_t next) { come_[static_cast<std::size_t>(next)] |= own; });
    }
  }

  [[nodiscard]] bool has(std::int64_t rank, std::int64_t bit) const {
    return (at_end_[static_cast<std::size_t>(rank)] >> static_cast<unsigned>(bit) & 1U) != 0;
  }
  [[nodiscard]] bool had(std::int32_t operation, std::int64_t bit) const {
    return (come_[static_cast<std::size_t>(operation)] >> static_cast<unsigned>(bit) & 1U) != 0;
  }

  /// A send to `rank` that is done before the data comes; empty if there is none.
  [[nodiscard]] std::string too_early(std::int64_t rank, std::int64_t bit) const {
    for (const std::int32_t operation : order_) {
      const PlacedOperation& each = schedule_.operations[static_cast<std::size_t>(operation)];
      if (each.sends < 0 || schedule_.connections[static_cast<std::size_t>(each.sends)].to != rank) continue;
      const std::int64_t sender = rank_of(operation);
      if (!had(operation, bit) && has(sender, bit))
        return fmt::format(": {} sends what has not come", operation_text(schedule_, operation));
    }
    return "";
  }

  /// In a broadcast, every rank gets as much as the largest message with the root's data.
  void check_bytes(std::int64_t root, std::vector<Violation>& faults) const {
    std::vector<std::int64_t> got(static_cast<std::size_t>(schedule_.ranks), 0);
    std::int64_t largest = 0;
    for (const std::int32_t operation : order_) {
      const PlacedOperation& each = schedule_.operations[static_cast<std::size_t>(operation)];
      if (each.sends < 0 || !had(operation, root % kWidth)) continue;
      largest = std::max(largest, each.amount);
      std::int64_t& bytes =
          got[static_cast<std::size_t>(schedule_.connections[static_cast<std::size_t>(each.sends)].to)];
      if (__builtin_add_overflow(bytes, each.amount, &bytes)) bytes = each.amount;
    }
    for (std::int64_t rank = 0; rank < schedule_.ranks; ++rank) {
      if (rank != root && got[static_cast<std::size_t>(rank)] < largest)
        faults.push_back({-1, rank,
                          fmt::format("rank {} gets {} of rank {}, which sends {} to others", rank,
                                      count_text(got[static_cast<std::size_t>(rank)], "byte"), root, largest)});
    }
  }

  static constexpr std::int64_t kWidth = 64;

 private:
  [[nodiscard]] static std::uint64_t bit_of(std::int64_t rank, std::int64_t first) {
    return rank >= first && rank < first + kWidth ? std::uint64_t{1} << static_cast<unsigned>(rank - first) : 0;
  }
  [[nodiscard]] std::int64_t rank_of(std::int32_t operation) const {
    return schedule_.workers[static_cast<std::size_t>(schedule_.operations[static_cast<std::size_t>(operation)].worker)]
        .rank;
  }

  const PlacedSchedule& schedule_;
  const PlacedEvents& events_;
  std::span<const std::int32_t> order_;
  std::vector<std::uint64_t> come_, at_end_;
};

}  // namespace

void check_reach(const PlacedSchedule& schedule, const PlacedEvents& events, std::span<const std::int32_t> order,
                 Collective problem, std::int64_t root, std::vector<Violation>& faults) {
  ReachCheck check(schedule, events, order);
  const bool from_root = problem == Collective::kBroadcast || problem == Collective::kScatter;
  const bool to_root = problem == Collective::kReduce || problem == Collective::kGather;
  for (std::int64_t first = 0; first < schedule.ranks; first += ReachCheck::kWidth) {
    if (from_root && (root < first || root >= first + ReachCheck::kWidth)) continue;
    check.find(first);
    const std::int64_t last = std::min(schedule.ranks, first + ReachCheck::kWidth);
    for (std::int64_t rank = 0; rank < schedule.ranks; ++rank) {
      if (to_root && rank != root) continue;
      for (std::int64_t from = from_root ? root : first; from < (from_root ? root + 1 : last); ++from) {
        if (from == rank || check.has(rank, from - first)) continue;
        faults.push_back(
            {-1, rank,
             fmt::format("rank {} is not reached by rank {}{}", rank, from, check.too_early(rank, from - first))});
      }
    }
    if (problem == Collective::kBroadcast && faults.empty()) check.check_bytes(root, faults);
  }
}

}  // namespace sluice::detail
