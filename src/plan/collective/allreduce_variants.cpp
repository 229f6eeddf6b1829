/// Allreduces: a reduction followed by the spread of its result in the same pattern, and allreduces with patterns of
/// their own.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "plan/collective/variant_parts.hpp"
#include "plan/collective/variants.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

Variants there_and_back(Variants spread) {
  for (ProgramVariant& variant : spread) {
    variant.make = [make = std::move(variant.make)] { return there_and_back(make()); };
    if (variant.exactly) *variant.exactly *= 2;
  }
  return spread;
}

/// An allgather if only one rank has something.
MessageGraph binomial_from_one(const Ranks& ranks, const RangeSets& sets) {
  const auto only = std::ranges::find_if(sets, [](const Ranges& set) { return !set.empty(); });
  if (only == sets.end()) return {};
  Ranks from_it = ranks;
  std::rotate(from_it.begin(), from_it.begin() + (only - sets.begin()), from_it.end());
  return binomial_broadcast(from_it, *only);
}

/// For each group its innermost groups; both are in the order of the group's ranks.
std::vector<Groups> parts_of(const ProgramTask& task, const Groups& groups) {
  std::vector<std::size_t> innermost_of(static_cast<std::size_t>(task.shape.ranks));
  const Groups& parts = innermost(task);
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (const std::int64_t rank : parts[i]) innermost_of[static_cast<std::size_t>(rank)] = i;
  std::vector<Groups> result;
  for (const Ranks& group : groups) {
    Groups& own = result.emplace_back();
    std::map<std::size_t, std::size_t> place;  // among its parts, by innermost group
    for (const std::int64_t rank : group) {
      const auto [at, fresh] = place.try_emplace(innermost_of[static_cast<std::size_t>(rank)], own.size());
      if (fresh) own.emplace_back();
      own[at->second].push_back(rank);
    }
  }
  return result;
}

}  // namespace

Variants ring_allreduce_variants(const ProgramTask& task) { return there_and_back(ring_allgather_variants(task)); }
Variants circulant_allreduce_variants(const ProgramTask& task) {
  return there_and_back(circulant_allgather_variants(task));
}
Variants recursive_halving_allreduce_variants(const ProgramTask& task) {
  return there_and_back(recursive_doubling_allgather_variants(task));
}
Variants binomial_allreduce_variants(const ProgramTask& task) {
  return there_and_back(binomial_broadcast_variants(task));
}
Variants chain_allreduce_variants(const ProgramTask& task) { return there_and_back(chain_broadcast_variants(task)); }
Variants hierarchical_allreduce_variants(const ProgramTask& task) {
  return there_and_back(hierarchical_allgather_variants(task));
}

Variants pairwise_allreduce_variants(const ProgramTask& task) {
  return there_and_back(pairwise_allgather_variants(task));
}

Variants recursive_doubling_allreduce_variants(const ProgramTask& task) {
  return {{"recursive-doubling", [&task] { return recursive_doubling_allreduce(task.order, task.all()); }}};
}

/// With the array whole, and with as many shares as the largest group has ranks.
Variants grouped_exchange_variants(const ProgramTask& task) {
  constexpr std::size_t kMostMessages = std::size_t{1} << 16;
  (void)innermost(task);
  Variants variants;
  for (const Groups& groups : task.groups) {
    if (!can_be_collected(groups)) continue;
    const std::size_t largest = std::ranges::max(groups, {}, &Ranks::size).size();
    const auto offer = [&](std::size_t shares, const char* inside_name, Allgather inside) {
      if (shares * groups.size() * groups.size() > kMostMessages) return;
      variants.push_back(
          {fmt::format("grouped-exchange, {}, {} inside", count_text(groups.size(), "group"), inside_name),
           [&task, &groups, shares, inside = std::move(inside)] {
             const auto parts = static_cast<std::int64_t>(shares);
             return grouped_allreduce(groups, cut(task.all(), parts, task.shape.element_bytes), inside);
           }});
      variants.back().messages = static_cast<std::int64_t>(
          shares * (groups.size() * groups.size() + 2 * static_cast<std::size_t>(task.shape.ranks)));
    };
    offer(1, "binomial", binomial_from_one);
    offer(largest, "circulant", circulant_allgather);
    offer(largest, "ring", ring_allgather);
  }
  if (variants.empty())
    throw InputError("platform", "too many groups, or more than two of one rank", "few groups of several ranks");
  return variants;
}

/// Variants for the outermost level, whose groups have the longest latencies between them. The segments, the shares,
/// and the part that is exchanged if hubs pay come from trials on the platforms of `studies`.
Variants grouped_pipeline_variants(const ProgramTask& task) {
  constexpr std::int64_t kMostMessages = 1 << 15;
  constexpr std::int64_t kShortest = 4 << 10;  // bytes of a message between groups, at least: otherwise there are fewer
                                               // messages
  constexpr std::int64_t kOneOf = 6;
  struct Cut {
    std::int64_t segments, shares;
  };
  (void)innermost(task);
  const Groups& groups = task.groups.back();
  const bool several_each = std::ranges::all_of(groups, [](const Ranks& group) { return group.size() > 1; });
  const std::int64_t pieces = std::max<std::int64_t>(1, task.shape.size_bytes / kShortest);
  const auto count = static_cast<std::int64_t>(groups.size());
  Variants variants;
  for (Cut parts : {Cut{8, 12}, Cut{32, 6}}) {
    parts.shares = std::min(parts.shares, pieces);
    parts.segments = task.segments > 0 ? task.segments : std::min(parts.segments, pieces / parts.shares);
    const auto offer = [&](std::int64_t exchanged) {
      const std::int64_t between = exchanged * count * count / parts.segments + 2 * count;
      if (parts.segments > kMostMessages / (parts.shares * (2 * task.shape.ranks + between))) return;
      variants.push_back(
          {fmt::format("grouped-pipeline, {}, {} of {}, {} exchanged", count_text(groups.size(), "group"),
                       count_text(parts.segments, "segment"), count_text(parts.shares, "share"), exchanged),
           [&task, &groups, parts, exchanged] {
             std::vector<Ranges> segments;
             for (const ByteRange& segment : cut(task.all(), parts.segments, task.shape.element_bytes))
               segments.push_back(cut(segment, parts.shares, task.shape.element_bytes));
             return pipelined_allreduce(parts_of(task, groups), segments, static_cast<std::size_t>(exchanged));
           }});
      variants.back().messages = parts.segments * parts.shares * (2 * task.shape.ranks + between);
    };
    if (several_each) offer(parts.segments);
    // For two groups both ways take equally many bytes.
    if (count > 2 || !several_each) offer(several_each ? parts.segments / kOneOf : 0);
  }
  if (variants.empty())
    throw InputError("ranks", fmt::format("{}", task.shape.ranks), "few enough for a program of 2^15 messages");
  return variants;
}

}  // namespace sluice::detail
