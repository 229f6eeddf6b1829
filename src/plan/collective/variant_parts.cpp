#include "plan/collective/variant_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

/// A problem that combines, or gathers, is a reversed problem that spreads.
bool goes_back(Collective problem) {
  return problem == Collective::kGather || problem == Collective::kReduce || problem == Collective::kReduceScatter;
}

}  // namespace

Variants one_variant(const ProgramTask& task, std::string name, std::function<MessageGraph()> spread) {
  if (!goes_back(task.shape.problem)) return {{std::move(name), std::move(spread)}};
  const MessageKind kind = combines(task.shape.problem) ? MessageKind::kCombine : MessageKind::kKeep;
  return {{std::move(name), [spread = std::move(spread), kind] { return spread().reversed(kind); }}};
}

std::optional<std::int64_t> one_of_each_pair(const ProgramTask& task) {
  const std::int64_t p = task.shape.ranks;
  bool each = task.shape.block_offsets.empty() && task.shape.size_bytes > 0;
  if (combines(task.shape.problem)) each = each && task.shape.size_bytes / task.shape.element_bytes >= p;
  return each ? std::optional(checked::multiply(p, p - 1, "messages")) : std::nullopt;
}

std::optional<std::int64_t> one_of_each_pair_in_groups(const ProgramTask& task, const Groups& groups) {
  if (!one_of_each_pair(task)) return std::nullopt;
  std::int64_t messages = task.shape.ranks * (std::ssize(groups) - 1);
  for (const Ranks& group : groups) messages += std::ssize(group) * (std::ssize(group) - 1);
  return messages;
}

std::int64_t all_pairs(const ProgramTask& task) {
  return checked::multiply(task.shape.ranks, task.shape.ranks, "pairs");
}

const Groups& innermost(const ProgramTask& task) {
  if (task.groups.empty()) throw InputError("platform", "one group of ranks", "several");
  return task.groups.front();
}

Variants variants_by_levels(const ProgramTask& task, const char* detail,
                            MessageGraph (*spread)(const ProgramTask&, const Groups&)) {
  (void)innermost(task);
  Variants variants;
  for (const Groups& groups : task.groups) {
    Variants level = one_variant(task, fmt::format("hierarchical, {}{}", count_text(groups.size(), "group"), detail),
                                 [&task, &groups, spread] { return spread(task, groups); });
    variants.push_back(std::move(level.front()));
  }
  return variants;
}

bool has_runs(const ProgramTask& task) {
  return std::ranges::any_of(task.runs, [&](const Ranks& starts) { return std::ssize(starts) < task.shape.ranks; });
}

MessageGraph there_and_back(MessageGraph spread) {
  MessageGraph messages = spread.reversed(MessageKind::kCombine);
  messages.append(std::move(spread));
  return messages;
}

MessageGraph ordered_reduce_scatter(const ProgramTask& task) {
  MessageGraph messages;
  const std::int64_t p = task.shape.ranks;
  check_pair_count(static_cast<std::size_t>(p), static_cast<std::size_t>(p));
  for (std::int64_t distance = 1; distance < p; ++distance)
    for (std::int64_t i = 0; i + distance < p; ++i) messages.add(i + distance, i, task.block(i), MessageKind::kCombine);
  for (std::int64_t distance = 1; distance < p; ++distance)
    for (std::int64_t i = distance; i < p; ++i) messages.add(i - distance, i, task.block(i), MessageKind::kCombine);
  return messages;
}

MessageGraph flat_gather(const ProgramTask& task, std::int64_t root) {
  Ranks from_root = task.order;
  std::rotate(from_root.begin(), std::ranges::find(from_root, root), from_root.end());
  RangeSets sets;
  for (const std::int64_t rank : from_root) sets.push_back({task.block(rank)});
  return flat_scatter(from_root, sets).reversed(MessageKind::kKeep);
}

}  // namespace sluice::detail
