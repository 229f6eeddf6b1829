#include "schedule/foreign/placed_builder.hpp"

#include <fmt/format.h>

#include <cctype>
#include <string>
#include <utility>

#include "schedule/foreign/placed_cells.hpp"
#include "sluice/error.hpp"

namespace sluice {

const char* to_string(PlacedFormat format) {
  switch (format) {
    case PlacedFormat::kMsccl:
      return "MSCCL XML";
    case PlacedFormat::kMscclpp:
      return "MSCCL++ plan";
    case PlacedFormat::kMoves:
      return "moves";
    case PlacedFormat::kGoal:
      return "GOAL";
    case PlacedFormat::kTrace:
      break;
  }
  return "trace";
}

namespace detail {

void PlacedBuilder::fail(std::int64_t line, const std::string& found, const std::string& expected) const {
  throw InputError(fmt::format("{}:{}", file_, line), found, expected);
}

std::size_t PlacedBuilder::KeyHash::operator()(const std::tuple<std::int64_t, std::int64_t, std::int64_t>& key) const {
  const auto [from, to, channel] = key;
  std::uint64_t hash = static_cast<std::uint64_t>(from) * 0x9e3779b97f4a7c15U;
  hash = (hash ^ static_cast<std::uint64_t>(to)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 31U) ^ static_cast<std::uint64_t>(channel)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 29U);
}

std::int32_t PlacedBuilder::connection(std::int64_t from, std::int64_t to, std::int64_t channel) {
  const auto next = static_cast<std::int32_t>(schedule.connections.size());
  const auto [place, added] = connections_.try_emplace({from, to, channel}, next);
  if (added)
    schedule.connections.push_back(
        {static_cast<std::int32_t>(from), static_cast<std::int32_t>(to), static_cast<std::int32_t>(channel)});
  return place->second;
}

std::int32_t PlacedBuilder::add_queue(PlacedQueue queue) {
  schedule.queues.push_back(std::move(queue));
  return static_cast<std::int32_t>(schedule.queues.size()) - 1;
}

PlacedWorker& PlacedBuilder::add_worker(std::int64_t rank, std::int64_t id, std::int64_t line) {
  PlacedWorker& worker = schedule.workers.emplace_back();
  worker.rank = static_cast<std::int32_t>(rank);
  worker.id = static_cast<std::int32_t>(id);
  worker.line = static_cast<std::int32_t>(line);
  worker.operations = static_cast<std::uint32_t>(schedule.operations.size());
  return worker;
}

PlacedOperation& PlacedBuilder::add(PlacedOperation::Kind kind, std::int64_t step, std::int64_t line) {
  if (static_cast<std::int64_t>(schedule.operations.size()) == kMostPlacedOperations)
    fail(line, fmt::format("operation {}", kMostPlacedOperations + 1),
         fmt::format("at most {} in a file", kMostPlacedOperations));
  PlacedOperation& operation = schedule.operations.emplace_back();
  operation.kind = kind;
  operation.worker = static_cast<std::int32_t>(schedule.workers.size()) - 1;
  operation.step = static_cast<std::int32_t>(step);
  operation.line = static_cast<std::int32_t>(line);
  operation.ranges = static_cast<std::uint32_t>(schedule.ranges.size());
  operation.waits = static_cast<std::uint32_t>(schedule.waits.size());
  operation.signals = static_cast<std::uint32_t>(schedule.signals.size());
  ++schedule.workers.back().operation_count;
  return operation;
}

void PlacedBuilder::touch(const PlacedRange& range) {
  touched_ += range.count;
  if (touched_ > kMostTouchedChunks)
    fail(schedule.operations.back().line, fmt::format("operations on {} chunks together", touched_),
         fmt::format("at most {} in a file", kMostTouchedChunks));
  schedule.ranges.push_back(range);
}

void PlacedBuilder::source(const PlacedRange& range) {
  ++schedule.operations.back().source_count;
  touch(range);
}

void PlacedBuilder::target(const PlacedRange& range) {
  ++schedule.operations.back().target_count;
  touch(range);
}

void PlacedBuilder::wait(const PlacedWait& wait) {
  ++schedule.operations.back().wait_count;
  schedule.waits.push_back(wait);
}

void PlacedBuilder::signal(PlacedSignal::Kind kind, std::int32_t queue) {
  ++schedule.operations.back().signal_count;
  schedule.signals.push_back({kind, queue});
}

void PlacedBuilder::name_collective(const std::string& name) {
  schedule.collective = name;
  schedule.problem = foreign_collective(name);
}

PlacedSchedule PlacedBuilder::finish(std::int64_t line) {
  if (schedule.ranks < 1) fail(line, "no rank", "at least one");
  const std::int64_t chunks = PlacedCells::total(schedule);
  if (chunks > kMostPlacedChunks)
    fail(line, fmt::format("{} chunks in all buffers", chunks), fmt::format("at most {}", kMostPlacedChunks));
  return std::move(schedule);
}

std::optional<Collective> foreign_collective(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c != '_' && c != '-' && c != ' ') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (letters == "reducescatter") return Collective::kReduceScatter;
  return parse_collective(letters);
}

}  // namespace detail
}  // namespace sluice
