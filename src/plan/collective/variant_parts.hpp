#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "plan/collective/variants.hpp"

/// What the makers of variants share.
namespace sluice::detail {

/// The one variant that `spread` makes; reversed for a problem that combines or gathers.
[[nodiscard]] Variants one_variant(const ProgramTask& task, std::string name, std::function<MessageGraph()> spread);

/// The innermost level of groups. Throws InputError if there is none.
[[nodiscard]] const Groups& innermost(const ProgramTask& task);
/// "hierarchical, N groups" and `detail`, for every level of the platform. Throws InputError if there is none.
[[nodiscard]] Variants variants_by_levels(const ProgramTask& task, const char* detail,
                                          MessageGraph (*spread)(const ProgramTask&, const Groups&));
/// Whether ranks of a group follow each other, which they do only if their order counts.
[[nodiscard]] bool has_runs(const ProgramTask& task);

// ---- how many messages

/// The number of messages if every pair of ranks exchanges a block.
[[nodiscard]] std::int64_t all_pairs(const ProgramTask& task);
/// The number of messages if every rank gets something from each other rank that has something for it.
[[nodiscard]] std::optional<std::int64_t> one_of_each_pair(const ProgramTask& task);
/// The number of messages if ranks send to one rank of each other group, and forward in their own group what they have
/// and get.
[[nodiscard]] std::optional<std::int64_t> one_of_each_pair_in_groups(const ProgramTask& task, const Groups& groups);

// ---- parts of programs

/// A problem that combines and then spreads, both by the pattern `spread`.
[[nodiscard]] MessageGraph there_and_back(MessageGraph spread);
/// Share by share: first what later ranks have, then what earlier ranks have, each nearest first.
[[nodiscard]] MessageGraph ordered_reduce_scatter(const ProgramTask& task);
/// Each rank's block to `root`.
[[nodiscard]] MessageGraph flat_gather(const ProgramTask& task, std::int64_t root);

}  // namespace sluice::detail
