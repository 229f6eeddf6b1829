#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schedule/foreign/checks.hpp"

namespace sluice::detail {

namespace {

char letter_of(PlacedRange::Buffer buffer) {
  return buffer == PlacedRange::Buffer::kInput ? 'i' : buffer == PlacedRange::Buffer::kOutput ? 'o' : 's';
}

/// Vector clocks of all operations for a few workers at a time.
class WorkerClocks {
 public:
  /// `numbers`: of the workers that clocks are for, from 0 on; -1 for others.
  WorkerClocks(const PlacedSchedule& schedule, const PlacedEvents& events, std::span<const std::int32_t> order,
               std::vector<std::int32_t> numbers, std::int32_t width)
      : schedule_(schedule),
        events_(events),
        order_(order),
        numbers_(std::move(numbers)),
        width_(static_cast<std::size_t>(width)) {}

  /// Finds, for each operation, the last operation of each worker, of number `first` on, that precedes it, or is it.
  void find(std::int32_t first) {
    first_ = first;
    clocks_.assign(schedule_.operations.size() * width_, -1);
    for (const std::int32_t operation : order_) {
      if (has(operation)) clock(operation)[number_of(operation)] = operation;
    }
    for (const std::int32_t operation : order_) {
      const std::span<const std::int32_t> meeting = events_.meeting_of(operation);
      for (const std::int32_t each : meeting) join(meeting.front(), each);
      for (const std::int32_t each : meeting) join(each, meeting.front());
      events_.for_next(operation, [&](std::int32_t next) { join(next, operation); });
    }
  }

  [[nodiscard]] bool has(std::int32_t operation) const {
    const std::int32_t number = numbers_[static_cast<std::size_t>(worker_of(operation))];
    return number >= first_ && number < first_ + static_cast<std::int32_t>(width_);
  }
  /// Whether `before`, of a worker at hand, precedes `after`.
  [[nodiscard]] bool precedes(std::int32_t before, std::int32_t after) const {
    return clocks_[static_cast<std::size_t>(after) * width_ + number_of(before)] >= before;
  }
  [[nodiscard]] std::int32_t worker_of(std::int32_t operation) const {
    return schedule_.operations[static_cast<std::size_t>(operation)].worker;
  }

 private:
  [[nodiscard]] std::size_t number_of(std::int32_t operation) const {
    return static_cast<std::size_t>(numbers_[static_cast<std::size_t>(worker_of(operation))] - first_);
  }
  std::int32_t* clock(std::int32_t operation) { return clocks_.data() + static_cast<std::size_t>(operation) * width_; }
  void join(std::int32_t into, std::int32_t from) {
    std::int32_t* const to = clock(into);
    const std::int32_t* const other = clock(from);
    for (std::size_t i = 0; i < width_; ++i) to[i] = std::max(to[i], other[i]);
  }

  const PlacedSchedule& schedule_;
  const PlacedEvents& events_;
  std::span<const std::int32_t> order_;
  std::vector<std::int32_t> numbers_;
  std::size_t width_;
  std::int32_t first_ = 0;
  std::vector<std::int32_t> clocks_;
};

class RaceCheck {
 public:
  RaceCheck(const PlacedSchedule& schedule, const PlacedEvents& events, const PlacedCells& cells,
            std::span<const std::int32_t> order, std::vector<Violation>& faults)
      : schedule_(schedule),
        cells_(cells),
        order_(order),
        faults_(faults),
        clocks_(schedule, events, order, numbers(), width_of(schedule)) {}

  void run(bool knows_output) {
    const std::int32_t width = width_of(schedule_);
    for (std::int32_t first = 0; first < numbered_; first += width) {
      clocks_.find(first);
      last_write_.assign(static_cast<std::size_t>(cells_.count()), -1);
      reads_.assign(static_cast<std::size_t>(cells_.count()), -1);
      pool_.clear();
      for (const std::int32_t operation : order_) visit(operation);
      if (knows_output) check_ends_of_ranks();
    }
  }

 private:
  /// The number of clocks at a time: as many as memory allows for many operations.
  static std::int32_t width_of(const PlacedSchedule& schedule) {
    constexpr std::size_t kMostWidth = 32, kLeastWidth = 4, kMostClocks = std::size_t{1} << 27;
    const std::size_t fitting = kMostClocks / (schedule.operations.size() + 1);
    return static_cast<std::int32_t>(std::clamp(fitting, kLeastWidth, kMostWidth));
  }

  /// Numbers the workers that share a chunk with another one. No other worker can race.
  std::vector<std::int32_t> numbers() {
    constexpr std::int32_t kNobody = -1, kSeveral = -2;
    std::vector<std::int32_t> owner(static_cast<std::size_t>(cells_.count()), kNobody);
    std::vector<std::int32_t> result(schedule_.workers.size(), -1);
    for (const bool marks : {false, true}) {
      for (const PlacedOperation& each : schedule_.operations) {
        std::int32_t& number = result[static_cast<std::size_t>(each.worker)];
        const std::int32_t rank = schedule_.workers[static_cast<std::size_t>(each.worker)].rank;
        const PlacedRange* range = schedule_.ranges.data() + each.ranges;
        for (std::uint32_t i = 0; i < each.source_count + each.target_count; ++i, ++range) {
          const std::int64_t first = cells_.of(*range);
          for (std::int64_t cell = first; cell < first + range->count; ++cell) {
            std::int32_t& theirs = owner[static_cast<std::size_t>(cell)];
            if (!marks)
              theirs = theirs == kNobody || theirs == each.worker ? each.worker : kSeveral;
            else if (number < 0 && (theirs == kSeveral || range->rank != rank))
              number = numbered_++;
          }
        }
      }
    }
    return result;
  }

  struct Read {
    std::int32_t operation, next;
  };

  void visit(std::int32_t operation) {
    const PlacedOperation& each = schedule_.operations[static_cast<std::size_t>(operation)];
    const PlacedRange* range = schedule_.ranges.data() + each.ranges;
    for (std::uint32_t i = 0; i < each.source_count + each.target_count; ++i, ++range) {
      const std::int64_t first = cells_.of(*range);
      for (std::int64_t chunk = 0; chunk < range->count; ++chunk) {
        const auto cell = static_cast<std::size_t>(first + chunk);
        if (i < each.source_count)
          read(operation, cell, *range, chunk);
        else
          write(operation, cell, *range, chunk);
      }
    }
  }

  void read(std::int32_t operation, std::size_t cell, const PlacedRange& range, std::int64_t chunk) {
    if (const std::int32_t before = last_write_[cell]; before >= 0 && !clocks_.precedes(before, operation))
      report(before, operation, "may read", range, chunk);
    if (!clocks_.has(operation)) return;
    // A later read of the same worker stands for the earlier one.
    if (const std::int32_t head = reads_[cell];
        head >= 0 &&
        clocks_.worker_of(pool_[static_cast<std::size_t>(head)].operation) == clocks_.worker_of(operation)) {
      pool_[static_cast<std::size_t>(head)].operation = operation;
      return;
    }
    pool_.push_back({operation, reads_[cell]});
    reads_[cell] = static_cast<std::int32_t>(pool_.size()) - 1;
  }

  void write(std::int32_t operation, std::size_t cell, const PlacedRange& range, std::int64_t chunk) {
    if (const std::int32_t before = last_write_[cell];
        before >= 0 && before != operation && !clocks_.precedes(before, operation))
      report(operation, before, "may write", range, chunk);
    for (std::int32_t at = reads_[cell]; at >= 0; at = pool_[static_cast<std::size_t>(at)].next) {
      const std::int32_t before = pool_[static_cast<std::size_t>(at)].operation;
      if (before != operation && !clocks_.precedes(before, operation))
        report(operation, before, "may read", range, chunk);
    }
    reads_[cell] = -1;
    last_write_[cell] = clocks_.has(operation) ? operation : -1;
  }

  void report(std::int32_t writer, std::int32_t other, const char* what, const PlacedRange& range, std::int64_t chunk) {
    if (!reported_.insert({std::min(writer, other), std::max(writer, other)}).second) return;
    const std::int32_t gpu = schedule_.workers[static_cast<std::size_t>(clocks_.worker_of(writer))].rank;
    const std::string place =
        fmt::format("{} {}{}", letter_of(range.buffer), (range.first + chunk) / schedule_.parts_of_chunk,
                    range.rank == gpu ? "" : fmt::format(" of gpu {}", range.rank));
    faults_.push_back(fault_at(schedule_, writer,
                               fmt::format("{} writes chunk {} while {} {} it", operation_text(schedule_, writer),
                                           place, operation_text(schedule_, other, gpu), what)));
  }

  /// Who returns from the collective must have its output.
  void check_ends_of_ranks() {
    std::vector<std::vector<std::int32_t>> last(static_cast<std::size_t>(schedule_.ranks));
    for (const PlacedWorker& worker : schedule_.workers) {
      if (worker.operation_count > 0)
        last[static_cast<std::size_t>(worker.rank)].push_back(
            static_cast<std::int32_t>(worker.operations + worker.operation_count - 1));
    }
    for (std::int64_t rank = 0; rank < schedule_.ranks; ++rank) {
      for (const PlacedCells::Part& part : cells_.at_end(rank)) {
        for (std::int64_t i = 0; i < part.count; ++i)
          check_end(rank, part.cell + i, last[static_cast<std::size_t>(rank)]);
      }
    }
  }

  void check_end(std::int64_t rank, std::int64_t cell, const std::vector<std::int32_t>& last) {
    const std::int32_t writer = last_write_[static_cast<std::size_t>(cell)];
    if (writer < 0) return;
    const std::int32_t gpu = schedule_.workers[static_cast<std::size_t>(clocks_.worker_of(writer))].rank;
    if (gpu == rank) return;
    for (const std::int32_t each : last) {
      if (clocks_.precedes(writer, each)) return;
    }
    if (!reported_.insert({-1 - static_cast<std::int32_t>(rank), writer}).second) return;
    faults_.push_back(fault_at(
        schedule_, writer,
        fmt::format("gpu {} may end before {} writes its output chunk {}", rank, operation_text(schedule_, writer),
                    cells_.output_chunk(rank, cell) / schedule_.parts_of_chunk)));
  }

  const PlacedSchedule& schedule_;
  const PlacedCells& cells_;
  std::span<const std::int32_t> order_;
  std::vector<Violation>& faults_;
  std::int32_t numbered_ = 0;
  WorkerClocks clocks_;
  // For each chunk, among the workers at hand: who wrote it last, and who has read it since.
  std::vector<std::int32_t> last_write_, reads_;
  std::vector<Read> pool_;
  std::set<std::pair<std::int32_t, std::int32_t>> reported_;
};

}  // namespace

void check_races(const PlacedSchedule& schedule, const PlacedEvents& events, const PlacedCells& cells,
                 std::span<const std::int32_t> order, std::optional<Collective> problem,
                 std::vector<Violation>& faults) {
  RaceCheck(schedule, events, cells, order, faults).run(problem.has_value());
}

}  // namespace sluice::detail
