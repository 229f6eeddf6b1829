/// Reductions in the order of the ranks, by groups of ranks in a row.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "plan/collective/variant_parts.hpp"
#include "plan/collective/variants.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

/// A tree in segments, or one tree for each share of the array. For a reduction it ends at the root, or at ranks of the
/// root's run that each have a share for it.
Variants ordered_tree_variants(const ProgramTask& task) {
  if (task.shape.commutative)
    throw InputError("algorithm ordered-tree", "an operation that commutes", "one that does not");
  const std::int64_t p = task.shape.ranks;
  const bool to_all = task.shape.problem == Collective::kAllreduce;
  const std::int64_t elements = std::max<std::int64_t>(1, task.shape.size_bytes / task.shape.element_bytes);
  const std::int64_t top = to_all ? p / 2 : task.shape.root;
  std::int64_t begin = 0, end = p, longest = 1;  // of the run of `top`, and of any
  if (!task.runs.empty()) {
    const Ranks& starts = task.runs.back();
    const auto next = std::ranges::upper_bound(starts, top);
    begin = *std::prev(next);
    end = next == starts.end() ? p : *next;
    for (std::size_t i = 0; i < starts.size(); ++i)
      longest = std::max(longest, (i + 1 < starts.size() ? starts[i + 1] : p) - starts[i]);
  }
  const std::array trees{std::pair{LineTree::kFlat, "flat"}, std::pair{LineTree::kBinomial, "binomial"},
                         std::pair{LineTree::kChain, "chain"}};
  constexpr std::array<std::int64_t, 4> kCounts{1, 4, 16, 64};
  constexpr std::int64_t kMostParts = 256;
  const std::vector<std::int64_t> counts =
      task.segments > 0 ? std::vector{std::min(task.segments, elements)} : std::vector(kCounts.begin(), kCounts.end());
  Variants variants;
  const auto offer = [&](const OrderedTrees& how, std::int64_t segments, std::string name) {
    if (segments > 1) name += ", " + count_text(segments, "segment");
    if (how.shares > 1) name += fmt::format(" of {}", count_text(how.shares, "share"));
    variants.push_back({std::move(name), [&task, how, segments, p, to_all, top, begin, end] {
                          MessageGraph there, back;
                          for (const ByteRange& segment : cut(task.all(), segments, task.shape.element_bytes)) {
                            std::int64_t share = 0;
                            for (const ByteRange& part : cut(segment, how.shares, task.shape.element_bytes)) {
                              const std::int64_t leader =
                                  begin + (top - begin + share * (end - begin) / how.shares) % (end - begin);
                              MessageGraph forth = ordered_tree_broadcast(how, p, leader, share, {part});
                              there.append(forth.reversed(MessageKind::kCombine));
                              if (to_all)
                                back.append(std::move(forth));
                              else if (leader != top)
                                there.add(leader, top, part);
                              ++share;
                            }
                          }
                          there.append(std::move(back));
                          return there;
                        }});
    variants.back().messages = segments * how.shares * (to_all ? 2 * (p - 1) : p);
  };
  for (const auto& [inside, inside_name] : trees) {
    // If no two ranks of a group are adjacent, everything is between runs.
    const bool single = !task.runs.empty() && longest == 1;
    if (single ? inside != LineTree::kFlat : inside == LineTree::kFlat && !task.runs.empty()) continue;
    for (const auto& [between, between_name] : trees) {
      if (task.runs.empty() && between != LineTree::kFlat) continue;
      std::string name = "ordered-tree";
      if (!task.runs.empty())
        name += fmt::format(", {} between {}", between_name, count_text(task.runs.back().size(), "run"));
      if (!single) name += fmt::format(", {} inside", inside_name);
      std::int64_t shares_before = 0;
      for (const std::int64_t wanted_shares : {1, 4, 16}) {
        const std::int64_t shares = std::min({wanted_shares, longest, elements});
        if (shares == shares_before) continue;
        shares_before = shares;
        std::int64_t before = 0;
        for (const std::int64_t wanted : counts) {
          const std::int64_t segments = std::min(wanted, std::max<std::int64_t>(1, elements / shares));
          if (segments == before || (task.segments == 0 && segments * shares > kMostParts)) continue;
          before = segments;
          offer({task.runs, between, inside, shares}, segments, name);
        }
      }
    }
  }
  return variants;
}

/// Blocks, or shares of an array, which then go to all.
Variants ordered_runs_variants(const ProgramTask& task) {
  if (task.shape.commutative)
    throw InputError("algorithm ordered-runs", "an operation that commutes", "one that does not");
  if (!has_runs(task)) throw InputError("platform", "no two ranks of a group in a row", "groups of ranks in a row");
  const std::int64_t p = task.shape.ranks;
  Variants variants;
  for (const Ranks& starts : task.runs) {
    if (std::ssize(starts) == p) continue;
    const auto there = [&task, &starts, p] {
      return ordered_runs_reduce_scatter(starts, p, [&task](std::int64_t rank) { return task.block(rank); });
    };
    const std::string name = "ordered-runs, " + count_text(starts.size(), "run");
    if (task.shape.problem == Collective::kReduceScatter) {
      variants.push_back({name, there});
      continue;
    }
    Groups runs;
    for (std::size_t run = 0; run < starts.size(); ++run) {
      Ranks& own = runs.emplace_back();
      for (std::int64_t rank = starts[run]; rank < (run + 1 < starts.size() ? starts[run + 1] : p); ++rank)
        own.push_back(rank);
    }
    variants.push_back({name, [&task, runs = std::move(runs), there] {
                          MessageGraph messages = there();
                          messages.append(grouped_allgather(
                              runs, [&task](std::int64_t rank) { return task.block(rank); }, ring_allgather));
                          return messages;
                        }});
  }
  return variants;
}

}  // namespace sluice::detail
