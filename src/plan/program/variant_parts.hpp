#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "plan/program/variants.hpp"

/// What the makers of variants share.
namespace sluice::detail {

/// The one variant that `spread` makes; reversed for a problem that combines or gathers.
[[nodiscard]] Variants one_variant(const ProgramTask& task, std::string name, std::function<ProgramMessages()> spread);

/// The innermost level of groups. Throws InputError where there is none.
[[nodiscard]] const Groups& innermost(const ProgramTask& task);
/// "hierarchical, N groups" and `detail`, for every level of the platform. Throws InputError where there is none.
[[nodiscard]] Variants variants_by_levels(const ProgramTask& task, const char* detail,
                                          ProgramMessages (*spread)(const ProgramTask&, const Groups&));
/// Whether ranks of a group follow each other, which they do only where their order counts.
[[nodiscard]] bool has_runs(const ProgramTask& task);

// ---- how many messages

/// Of a block for each pair of ranks.
[[nodiscard]] std::int64_t all_pairs(const ProgramTask& task);
/// Messages in which every rank gets something of each other rank, where each has something for it.
[[nodiscard]] std::optional<std::int64_t> one_of_each_pair(const ProgramTask& task);
/// The same where ranks send to one rank of each other group, and pass on what they have and get in their own.
[[nodiscard]] std::optional<std::int64_t> one_of_each_pair_in_groups(const ProgramTask& task, const Groups& groups);

// ---- parts of programs

/// A problem that combines and then one that spreads: both by the same pattern.
[[nodiscard]] ProgramMessages there_and_back(ProgramMessages spread);
/// Share by share, what ranks behind have first, then those before, each nearest first.
[[nodiscard]] ProgramMessages ordered_reduce_scatter(const ProgramTask& task);
/// Each rank's block to `root`.
[[nodiscard]] ProgramMessages flat_gather(const ProgramTask& task, std::int64_t root);

}  // namespace sluice::detail
