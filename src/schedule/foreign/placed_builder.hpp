#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <unordered_map>

#include "sluice/schedule/placed_schedule.hpp"

namespace sluice::detail {

constexpr std::int64_t kMostPlacedOperations = std::int64_t{1} << 24;
constexpr std::int64_t kMostPlacedChunks = std::int64_t{1} << 24;   ///< in all buffers
constexpr std::int64_t kMostTouchedChunks = std::int64_t{1} << 26;  ///< in all operations
constexpr std::int64_t kMostPlacedRanks = std::int64_t{1} << 16;
constexpr std::int64_t kMostPlacedChannel = std::int64_t{1} << 30;

/// Puts a PlacedSchedule together, operation by operation, within its limits.
class PlacedBuilder {
 public:
  explicit PlacedBuilder(std::string file) : file_(std::move(file)) {}

  PlacedSchedule schedule;

  /// Throws InputError at a line of the file.
  [[noreturn]] void fail(std::int64_t line, const std::string& found, const std::string& expected) const;

  /// The position of a connection, which is added if it is new.
  [[nodiscard]] std::int32_t connection(std::int64_t from, std::int64_t to, std::int64_t channel);
  /// Adds a queue; its position.
  std::int32_t add_queue(PlacedQueue queue);

  /// Adds a worker, whose operations follow.
  PlacedWorker& add_worker(std::int64_t rank, std::int64_t id, std::int64_t line);
  /// Adds an operation to the last worker. What is added next belongs to it: first sources, then targets.
  PlacedOperation& add(PlacedOperation::Kind kind, std::int64_t step, std::int64_t line);
  void source(const PlacedRange& range);
  void target(const PlacedRange& range);
  void wait(const PlacedWait& wait);
  void signal(PlacedSignal::Kind kind, std::int32_t queue);

  /// Says which collective the file is for.
  void name_collective(const std::string& name);

  /// Checks the sizes of all buffers. `line` is of the end of the file.
  [[nodiscard]] PlacedSchedule finish(std::int64_t line);

 private:
  struct KeyHash {
    std::size_t operator()(const std::tuple<std::int64_t, std::int64_t, std::int64_t>& key) const;
  };

  void touch(const PlacedRange& range);

  std::string file_;
  std::unordered_map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::int32_t, KeyHash> connections_;
  std::int64_t touched_ = 0;
};

/// The collective of a name as other libraries write it: "reducescatter", "all_gather".
[[nodiscard]] std::optional<Collective> foreign_collective(std::string_view name);

}  // namespace sluice::detail
