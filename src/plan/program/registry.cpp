#include "plan/program/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>

#include "plan/broadcast/reversed.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

RangeSets ProgramTask::blocks() const {
  RangeSets sets;
  for (const std::int64_t rank : order) sets.push_back({block(rank)});
  return sets;
}

namespace {

using Variants = std::vector<ProgramVariant>;

constexpr std::string_view kThakur = "Thakur, Rabenseifner, Gropp 2005";
constexpr std::string_view kTraeff = "Traeff 2024";
constexpr std::string_view kBruck = "Bruck et al. 1997";
constexpr std::string_view kRabenseifner = "Rabenseifner 2004";
constexpr std::string_view kSteffenelAndOurs = "Steffenel 2006, section 3; ours";
constexpr std::string_view kFolklore = "folklore";

/// A problem that combines, or gathers, is one that spreads the other way round.
bool goes_back(Collective problem) {
  return problem == Collective::kGather || problem == Collective::kReduce || problem == Collective::kReduceScatter;
}

Variants one(const ProgramTask& task, std::string name, std::function<ProgramMessages()> spread) {
  if (!goes_back(task.shape.problem)) return {{std::move(name), std::move(spread)}};
  const bool combine = combines(task.shape.problem);
  return {{std::move(name), [spread = std::move(spread), combine] { return spread().reversed(combine); }}};
}

/// Messages in which every rank gets something of each other rank, where each has something for it.
std::optional<std::int64_t> one_of_each_pair(const ProgramTask& task) {
  const std::int64_t p = task.shape.ranks;
  bool each = task.shape.block_offsets.empty() && task.shape.size_bytes > 0;
  if (combines(task.shape.problem)) each = each && task.shape.size_bytes / task.shape.element_bytes >= p;
  return each ? std::optional(checked::multiply(p, p - 1, "messages")) : std::nullopt;
}
/// The same where ranks send to one rank of each other group, and pass on what they have and get in their own.
std::optional<std::int64_t> one_of_each_pair_in_groups(const ProgramTask& task, const Groups& groups) {
  if (!one_of_each_pair(task)) return std::nullopt;
  std::int64_t messages = task.shape.ranks * (std::ssize(groups) - 1);
  for (const Ranks& group : groups) messages += std::ssize(group) * (std::ssize(group) - 1);
  return messages;
}

void need_power_of_two(const ProgramTask& task) {
  const std::int64_t p = task.shape.ranks;
  if ((p & (p - 1)) != 0) throw InputError("ranks", fmt::format("{}", p), "a power of two");
}

// ---- from and to a root

Variants flat(const ProgramTask& task) {
  return one(task, "flat", [&task] { return flat_scatter(task.order, task.blocks()); });
}

Variants binomial(const ProgramTask& task) {
  return one(task, "binomial", [&task] { return binomial_scatter(task.order, task.blocks()); });
}

const Groups& innermost(const ProgramTask& task) {
  if (task.groups.empty()) throw InputError("platform", "one group of ranks", "several");
  return task.groups.front();
}

/// For every level of the platform.
Variants by_levels(const ProgramTask& task, const char* detail,
                   ProgramMessages (*spread)(const ProgramTask&, const Groups&)) {
  (void)innermost(task);
  Variants variants;
  for (const Groups& groups : task.groups) {
    Variants level = one(task, fmt::format("hierarchical, {}{}", count_text(groups.size(), "group"), detail),
                         [&task, &groups, spread] { return spread(task, groups); });
    variants.push_back(std::move(level.front()));
  }
  return variants;
}

Variants hierarchical_scatter(const ProgramTask& task) {
  return by_levels(task, "", [](const ProgramTask& of, const Groups& groups) {
    return grouped_scatter(groups, [&of](std::int64_t rank) { return of.block(rank); });
  });
}

// ---- one message for all, in segments

Variants by_segments(const ProgramTask& task, const char* name,
                     const std::function<ProgramMessages(const Ranks&, const Ranges&)>& spread) {
  Variants variants;
  const std::int64_t most = std::max<std::int64_t>(1, task.shape.size_bytes / task.shape.element_bytes);
  std::vector<std::int64_t> counts{1, 4, 16, 64, 256};
  if (task.segments > 0) counts = {task.segments};
  std::int64_t before = 0;
  for (const std::int64_t wanted : counts) {
    const std::int64_t count = std::min(wanted, most);
    if (count == before) continue;
    before = count;
    Variants each =
        one(task, count == 1 ? std::string(name) : fmt::format("{}, {}", name, count_text(count, "segment")),
            [&task, count, spread] { return spread(task.order, cut(task.all(), count, task.shape.element_bytes)); });
    each.front().messages = count * (task.shape.ranks - 1);
    variants.push_back(std::move(each.front()));
  }
  return variants;
}

/// Where the order counts, what the first rank has in the end goes to the root.
Variants to_root(const ProgramTask& task, Variants variants) {
  const std::int64_t first = task.order.front(), root = task.shape.root;
  if (task.shape.problem != Collective::kReduce || first == root) return variants;
  for (ProgramVariant& variant : variants) {
    variant.make = [make = std::move(variant.make), first, root, all = task.all()] {
      ProgramMessages messages = make();
      messages.add(first, root, {all});
      return messages;
    };
    if (variant.exactly) ++*variant.exactly;
  }
  return variants;
}

Variants binomial_message(const ProgramTask& task) {
  return to_root(task, one(task, "binomial", [&task] { return binomial_broadcast(task.order, {task.all()}); }));
}
Variants chain_message(const ProgramTask& task) {
  Variants variants = by_segments(task, "chain", chain_broadcast);
  for (ProgramVariant& variant : variants)
    if (task.shape.size_bytes > 0) variant.exactly = variant.messages;
  return to_root(task, std::move(variants));
}
Variants circulant_message(const ProgramTask& task) { return by_segments(task, "circulant", circulant_broadcast); }
/// Of a block for each pair of ranks.
std::int64_t all_pairs(const ProgramTask& task) {
  return checked::multiply(task.shape.ranks, task.shape.ranks, "pairs");
}
Variants scatter_allgather(const ProgramTask& task) {
  Variants variants = one(task, "scatter-allgather", [&task] {
    return scatter_allgather_broadcast(task.order, task.all(), task.shape.element_bytes);
  });
  variants.front().messages = all_pairs(task);
  return variants;
}

// ---- broadcasts over the platform

/// Planned at once, as only the plan has a name.
ProgramVariant planned(std::string name, ProgramMessages messages, double length_s) {
  return {std::move(name), [shared = std::make_shared<const ProgramMessages>(std::move(messages))] { return *shared; },
          length_s};
}

/// Where a broadcast is a part of a program, the whole is replayed, so it has no more messages than that takes.
BroadcastOptions of_a_part(const ProgramTask& task) {
  BroadcastOptions how = task.of_broadcasts;
  if (task.shape.problem != Collective::kReduce) how.most_messages = 0;
  return how;
}
/// Of the whole array from the root, backwards.
ReversedMessages broadcast_back(const ProgramTask& task, const CombiningPace& pace, const std::string& algorithm = {}) {
  Program whole = task.shape;
  whole.size_bytes = array_bytes(whole);
  BroadcastOptions how = of_a_part(task);
  if (!algorithm.empty()) how.algorithm = algorithm;
  return reversed_messages(*task.platform, whole, pace, how);
}
PlannedMessages broadcast_forth(const ProgramTask& task, std::int64_t root) {
  BroadcastOptions how = of_a_part(task);
  how.messages = true;
  return plan_messages(without_broadcast_times(*task.platform), root, array_bytes(task.shape), how);
}
/// As they are, or, where they follow a reduction, from the end on: it is done with the end first. An element goes with
/// its last byte, or with its first one where the array goes from its end on.
ProgramMessages program_messages(const ProgramTask& task, const PlannedMessages& broadcast, bool from_end) {
  ProgramMessages messages;
  const std::int64_t element = task.shape.element_bytes, all = array_bytes(task.shape);
  for (const TimedMessage& message : broadcast.messages.value().list) {
    const std::int64_t begin = (from_end ? all - message.end() : message.offset) / element * element;
    const std::int64_t end = (from_end ? all - message.offset : message.end()) / element * element;
    messages.add(message.from, message.to, {{begin, end - begin}}, false, {message.port_s, message.connection_s});
  }
  return messages;
}

/// As if combining were free, and with links that are no faster than combining, or than combining and two messages; at
/// once, and in time. For few ranks also backwards some that are not the shortest broadcasts: as links are shared in
/// another order then, they may be the shorter reductions.
Variants reversed_broadcast(const ProgramTask& task) {
  constexpr std::int64_t kFewRanks = 32;
  const CombiningCosts& cost = task.shape.combine_s_per_byte;
  Variants variants;
  const auto offer = [&](const char* speed, const CombiningPace& pace, const char* algorithm = "") {
    ReversedMessages found = broadcast_back(task, pace, algorithm);
    const std::string name = fmt::format("reversed-broadcast, {}", speed);
    variants.push_back(planned(name + found.forth.method, std::move(found.back), found.forth.length_s));
    if (!found.forth.estimated && *algorithm == '\0')
      variants.push_back(planned(name + "in time, " + found.forth.method,
                                 mirrored(found.forth, task.shape, MirrorPace::kInTime), found.forth.length_s));
  };
  offer("", {});
  if (!cost.are_free()) {
    offer("as fast as combining, ", {cost, 0});
    offer("slower than combining, ", {cost, 2});
  }
  const BroadcastOptions& how = task.of_broadcasts;
  if (how.algorithm == "auto" && how.segments == 0 && how.inside.empty() && task.shape.ranks <= kFewRanks)
    for (const char* algorithm : {"flat", "ecef", "pipelined"}) offer("", {}, algorithm);
  return variants;
}

/// Of the broadcast of all blocks what brings each to its rank.
Variants broadcast_of_all(const ProgramTask& task) {
  const PlannedMessages found = broadcast_forth(task, task.shape.root);
  return {planned("broadcast, " + found.method, program_messages(task, found, false).needed_for(task.shape),
                  found.length_s)};
}
Variants reversed_broadcast_of_all(const ProgramTask& task) {
  ReversedMessages found = broadcast_back(task, {});
  Program scattered = task.shape;
  scattered.problem = Collective::kScatter;
  return {planned("reversed-broadcast, " + found.forth.method,
                  program_messages(task, found.forth, false).needed_for(scattered).reversed(false),
                  found.forth.length_s)};
}

// ---- allgather, and reduce-scatter the other way round

template <ProgramMessages (*kSpread)(const Ranks&, const RangeSets&)>
Variants allgather(const ProgramTask& task, const char* name) {
  return one(task, name, [&task] { return kSpread(task.order, task.blocks()); });
}
/// In whole elements, at least one.
std::int64_t mean_block(const ProgramTask& task) {
  const std::int64_t elements = array_bytes(task.shape) / task.shape.element_bytes;
  return std::max<std::int64_t>(1, elements / task.shape.ranks) * task.shape.element_bytes;
}
/// Where blocks differ, a long one should not be with one rank at a time: it goes in pieces as long as the mean block,
/// or a quarter of it.
Variants ring(const ProgramTask& task) {
  Variants variants = allgather<ring_allgather>(task, "ring");
  variants.front().exactly = one_of_each_pair(task);
  if (task.shape.block_offsets.empty()) return variants;
  const std::int64_t elements = mean_block(task) / task.shape.element_bytes;
  std::int64_t before = 0;
  for (const std::int64_t parts : {1, 4}) {
    const std::int64_t piece = std::max<std::int64_t>(1, elements / parts) * task.shape.element_bytes;
    if (piece == before) continue;
    before = piece;
    Variants more = one(task, fmt::format("ring, pieces of {}", count_text(piece, "byte")),
                        [&task, piece] { return ring_allgather_by_pieces(task.order, task.blocks(), piece); });
    variants.push_back(std::move(more.front()));
  }
  return variants;
}
Variants bruck(const ProgramTask& task) { return allgather<bruck_allgather>(task, "bruck"); }
Variants circulant(const ProgramTask& task) { return allgather<circulant_allgather>(task, "circulant"); }
Variants recursive_doubling(const ProgramTask& task) {
  need_power_of_two(task);
  return allgather<recursive_doubling_allgather>(
      task, task.shape.problem == Collective::kAllgather ? "recursive-doubling" : "recursive-halving");
}

/// Share by share, what ranks behind have first, then those before, each nearest first.
ProgramMessages ordered_reduce_scatter(const ProgramTask& task) {
  ProgramMessages messages;
  const std::int64_t p = task.shape.ranks;
  check_pair_count(static_cast<std::size_t>(p), static_cast<std::size_t>(p));
  for (std::int64_t distance = 1; distance < p; ++distance)
    for (std::int64_t i = 0; i + distance < p; ++i) messages.add(i + distance, i, {task.block(i)}, true);
  for (std::int64_t distance = 1; distance < p; ++distance)
    for (std::int64_t i = distance; i < p; ++i) messages.add(i - distance, i, {task.block(i)}, true);
  return messages;
}
Variants pairwise(const ProgramTask& task) {
  if (!task.shape.commutative) return {{"pairwise", [&task] { return ordered_reduce_scatter(task); }}};
  Variants variants = allgather<pairwise_allgather>(task, "pairwise");
  variants.front().exactly = one_of_each_pair(task);
  return variants;
}

/// Whose share of an array may be any part of it: those of counterparts next to each other, so that what their groups
/// pass on is one range. By ranks.
Ranges shares_by_place(const ProgramTask& task, const Groups& groups) {
  const Ranges parts = cut(task.all(), task.shape.ranks, task.shape.element_bytes);
  Ranges shares(static_cast<std::size_t>(task.shape.ranks));
  auto part = parts.begin();
  const std::size_t largest = std::ranges::max(groups, {}, &Ranks::size).size();
  for (std::size_t place = 0; place < largest; ++place)
    for (const Ranks& group : groups)
      if (place < group.size() && part != parts.end()) shares[static_cast<std::size_t>(group[place])] = *part++;
  return shares;
}
ProgramMessages grouped_by(const ProgramTask& task, const Groups& groups, const Allgather& inside) {
  const bool any_shares = task.shape.problem == Collective::kAllreduce;
  const Ranges shares = any_shares ? shares_by_place(task, groups) : Ranges();
  return grouped_allgather(
      groups, [&](std::int64_t rank) { return any_shares ? shares[static_cast<std::size_t>(rank)] : task.block(rank); },
      inside);
}
Variants hierarchical_allgather(const ProgramTask& task) {
  Variants variants = by_levels(task, ", ring inside", [](const ProgramTask& of, const Groups& groups) {
    return grouped_by(of, groups, ring_allgather);
  });
  for (std::size_t level = 0; level < variants.size(); ++level)
    variants[level].exactly = one_of_each_pair_in_groups(task, task.groups[level]);
  Variants more = by_levels(task, ", circulant inside", [](const ProgramTask& of, const Groups& groups) {
    return grouped_by(of, groups, circulant_allgather);
  });
  variants.insert(variants.end(), more.begin(), more.end());
  if (task.shape.block_offsets.empty()) return variants;
  more = by_levels(task, ", by shares, ring inside", [](const ProgramTask& of, const Groups& groups) {
    const Allgather pieces = [&of](const Ranks& ranks, const RangeSets& sets) {
      return ring_allgather_by_pieces(ranks, sets, mean_block(of));
    };
    return grouped_allgather_by_shares(
        groups, [&of](std::int64_t rank) { return of.block(rank); }, pieces, of.shape.element_bytes);
  });
  variants.insert(variants.end(), more.begin(), more.end());
  return variants;
}

/// To one rank, and from there.
Variants binomial_reduce_scatter(const ProgramTask& task) {
  return {{"binomial", [&task] {
             ProgramMessages messages = binomial_broadcast(task.order, {task.all()}).reversed(true);
             messages.append(binomial_scatter(task.order, task.blocks()));
             return messages;
           }}};
}

// ---- allreduce

/// A problem that combines and then one that spreads: both by the same pattern.
ProgramMessages there_and_back(ProgramMessages spread) {
  ProgramMessages messages = spread.reversed(true);
  messages.append(std::move(spread));
  return messages;
}
Variants there_and_back(Variants spread) {
  for (ProgramVariant& variant : spread) {
    variant.make = [make = std::move(variant.make)] { return there_and_back(make()); };
    if (variant.exactly) *variant.exactly *= 2;
  }
  return spread;
}
Variants ring_allreduce(const ProgramTask& task) { return there_and_back(ring(task)); }
Variants circulant_allreduce(const ProgramTask& task) { return there_and_back(circulant(task)); }
Variants halving_allreduce(const ProgramTask& task) { return there_and_back(recursive_doubling(task)); }
Variants binomial_allreduce(const ProgramTask& task) { return there_and_back(binomial_message(task)); }
Variants chain_allreduce(const ProgramTask& task) { return there_and_back(chain_message(task)); }
Variants hierarchical_allreduce(const ProgramTask& task) { return there_and_back(hierarchical_allgather(task)); }

/// An allgather where only one rank has something.
ProgramMessages binomial_from_one(const Ranks& ranks, const RangeSets& sets) {
  const auto only = std::ranges::find_if(sets, [](const Ranges& set) { return !set.empty(); });
  if (only == sets.end()) return {};
  Ranks from_it = ranks;
  std::rotate(from_it.begin(), from_it.begin() + (only - sets.begin()), from_it.end());
  return binomial_broadcast(from_it, *only);
}
/// With the array whole, and with as many shares as the largest group has ranks.
Variants grouped_exchange(const ProgramTask& task) {
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
/// Of each group the innermost groups in it, both in the order of its ranks.
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
/// Of the outermost level, between whose groups latencies are longest. Segments and shares were found by trying on the
/// platforms of `studies`; so was the part that is exchanged where hubs are worth while.
Variants grouped_pipeline(const ProgramTask& task) {
  constexpr std::int64_t kMostMessages = 1 << 15;
  constexpr std::int64_t kShortest = 4 << 10;  // messages between groups, of which there are fewer else
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
    // Of two groups either way takes as many bytes.
    if (count > 2 || !several_each) offer(several_each ? parts.segments / kOneOf : 0);
  }
  if (variants.empty())
    throw InputError("ranks", fmt::format("{}", task.shape.ranks), "few enough for a program of 2^15 messages");
  return variants;
}
Variants doubling_allreduce(const ProgramTask& task) {
  return {{"recursive-doubling", [&task] { return recursive_doubling_allreduce(task.order, task.all()); }}};
}

/// A reduction to the root, and the broadcast of what it has then: parts go back while others come. The reduction at
/// the speed of combining, and with time for two messages besides; at once, and in time.
Variants reduce_broadcast(const ProgramTask& task) {
  const CombiningCosts& cost = task.shape.combine_s_per_byte;
  const PlannedMessages back = broadcast_forth(task, task.shape.root);
  Variants variants;
  const Platform forth_over = without_broadcast_times(*task.platform);
  const auto add = [&](const std::string& how, const PlannedMessages& forth, ProgramMessages messages) {
    messages.append(program_messages(task, back, true));
    const std::string& method = forth.method;
    variants.push_back(planned(
        fmt::format("reduce-broadcast, {}{}", how, method == back.method ? method : method + ", and " + back.method),
        std::move(messages), forth.length_s + back.length_s));
  };
  const auto add_both = [&](const std::string& speed, const PlannedMessages& forth, ProgramMessages messages) {
    add(speed, forth, std::move(messages));
    if (!forth.estimated) add(speed + "in time, ", forth, mirrored(forth, task.shape, MirrorPace::kInTime));
  };
  const auto offer = [&](const std::string& speed, const CombiningPace& pace) {
    // Mostly links are as fast in both directions, so that both broadcasts are the same.
    if (mirror_platform(*task.platform, pace) == forth_over) {
      add_both(speed, back, mirrored(back, task.shape, mirror_pace(back)));
      return;
    }
    ReversedMessages there = broadcast_back(task, pace);
    add_both(speed, there.forth, std::move(there.back));
  };
  offer("", {cost, 0});
  if (!cost.are_free()) offer("slower than combining, ", {cost, 2});
  return variants;
}
Variants pairwise_allreduce(const ProgramTask& task) { return there_and_back(pairwise(task)); }

// ---- as much work for every rank

/// How many bytes each rank combines while the fastest combines one. Where ranks combine for nothing, others have 0.
std::vector<double> combining_speeds(const ProgramTask& task) {
  const CombiningCosts& costs = task.shape.combine_s_per_byte;
  const double least = costs.least();
  std::vector<double> speeds;
  for (std::int64_t rank = 0; rank < task.shape.ranks; ++rank)
    speeds.push_back(costs.of(rank) > least ? least / costs.of(rank) : 1);
  return speeds;
}

/// The same with shares of the array in proportion to `weights`, which are not all 0, to whole elements; equal shares
/// where ranks combine at one speed.
std::shared_ptr<const ProgramTask> with_shares(const ProgramTask& task, const std::vector<double>& weights) {
  auto other = std::make_shared<ProgramTask>(task);
  std::vector<std::int64_t>& offsets = other->shape.block_offsets;
  offsets.clear();
  if (!task.shape.combine_s_per_byte.differ()) return other;
  const std::int64_t element = task.shape.element_bytes, elements = array_bytes(task.shape) / element;
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  offsets.push_back(0);
  double before = 0;
  for (const double weight : weights) {
    before += weight;
    const auto end = static_cast<std::int64_t>(std::llround(before / all * static_cast<double>(elements)));
    offsets.push_back(std::clamp(end, offsets.back() / element, elements) * element);
  }
  offsets.back() = elements * element;
  return other;
}

/// In a group a rank combines its own share and those of its counterparts, which it then combines with theirs: so the
/// shares of counterparts, together, are as the slowest of them is fast that has others in its group. The ranks of each
/// group are in the order of their speeds, so that slow ranks are counterparts of slow ones.
std::shared_ptr<const ProgramTask> with_shares_of_counterparts(const ProgramTask& task, const Groups& groups) {
  const std::vector<double> speeds = combining_speeds(task);
  const auto speed = [&](std::int64_t rank) { return speeds[static_cast<std::size_t>(rank)]; };
  std::vector<double> weights(speeds.size(), 0);
  const std::size_t largest = std::ranges::max(groups, {}, &Ranks::size).size();
  for (std::size_t place = 0; place < largest; ++place) {
    double slowest = 1, all = 0;
    for (const Ranks& group : groups) {
      if (group.size() > 1) slowest = std::min(slowest, speed(group[place % group.size()]));
      if (place < group.size()) all += speed(group[place]);
    }
    for (const Ranks& group : groups)
      if (place < group.size() && all > 0)
        weights[static_cast<std::size_t>(group[place])] = slowest * speed(group[place]) / all;
  }
  const bool none = std::ranges::all_of(weights, [](double weight) { return weight == 0; });
  return with_shares(task, none ? speeds : weights);
}

/// Of the pairwise way: each share goes to its rank from all others, and from there to those that need some of it.
std::int64_t messages_of_equal_work(const ProgramTask& task, const ProgramTask& shares) {
  std::int64_t count = 0;
  const std::int64_t p = task.shape.ranks;
  for (std::int64_t owner = 0, first = 0; owner < p; ++owner) {
    const ByteRange share = shares.block(owner);
    if (share.bytes == 0) continue;
    count += p - 1;
    if (task.shape.problem == Collective::kAllreduce) count += p - 1;
    if (task.shape.problem == Collective::kReduce && owner != task.shape.root) ++count;
    if (task.shape.problem != Collective::kReduceScatter) continue;
    while (first < p && task.block(first).end() <= share.offset) ++first;
    for (std::int64_t rank = first; rank < p && task.block(rank).offset < share.end(); ++rank)
      if (rank != owner && task.block(rank).bytes > 0) ++count;
  }
  return count;
}

/// Every rank combines its share, of all others, as long as the others combine theirs: from each rank, or, where ranks
/// differ, those of its group first.
Variants equal_work(const ProgramTask& task) {
  const CombiningCosts& costs = task.shape.combine_s_per_byte;
  const std::shared_ptr<const ProgramTask> pairwise_shares = with_shares(task, combining_speeds(task));
  Variants variants{{"equal-work, pairwise", [&task, shares = pairwise_shares] {
                       ProgramMessages back = pairwise_allgather(shares->order, shares->blocks());
                       if (task.shape.commutative) return there_and_back(std::move(back)).needed_for(task.shape);
                       ProgramMessages there = ordered_reduce_scatter(*shares);
                       there.append(std::move(back));
                       return there.needed_for(task.shape);
                     }}};
  variants.front().messages = messages_of_equal_work(task, *pairwise_shares);
  variants.front().exactly = variants.front().messages;
  // Where shares are the blocks, "pairwise" is the same.
  variants.front().is_of_another = task.shape.commutative && task.shape.problem != Collective::kReduce &&
                                   !costs.differ() && task.shape.block_offsets.empty();
  if (!task.shape.commutative || !costs.differ()) return variants;
  for (Groups groups : task.groups) {
    for (Ranks& group : groups) std::ranges::stable_sort(group, {}, [&](std::int64_t rank) { return costs.of(rank); });
    const std::int64_t messages = one_of_each_pair_in_groups(task, groups).value_or(all_pairs(task));
    std::string name = fmt::format("equal-work, {}", count_text(groups.size(), "group"));
    const std::shared_ptr<const ProgramTask> shares = with_shares_of_counterparts(task, groups);
    variants.push_back({std::move(name), [&task, shares, groups] {
                          ProgramMessages back = grouped_allgather(
                              groups, [&](std::int64_t rank) { return shares->block(rank); }, pairwise_allgather);
                          return there_and_back(std::move(back)).needed_for(task.shape);
                        }});
    variants.back().messages = 2 * messages;
  }
  return variants;
}

// ---- in the order of the ranks, by groups

/// A tree, or for each share of the array one, in segments. Of a reduction it ends at the root, or with ranks of the
/// root's run that each have a share for it.
Variants ordered_tree(const ProgramTask& task) {
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
                          ProgramMessages there, back;
                          for (const ByteRange& segment : cut(task.all(), segments, task.shape.element_bytes)) {
                            std::int64_t share = 0;
                            for (const ByteRange& part : cut(segment, how.shares, task.shape.element_bytes)) {
                              const std::int64_t leader =
                                  begin + (top - begin + share * (end - begin) / how.shares) % (end - begin);
                              ProgramMessages forth = ordered_tree_broadcast(how, p, leader, share, {part});
                              there.append(forth.reversed(true));
                              if (to_all)
                                back.append(std::move(forth));
                              else if (leader != top)
                                there.add(leader, top, {part});
                              ++share;
                            }
                          }
                          there.append(std::move(back));
                          return there;
                        }});
    variants.back().messages = segments * how.shares * (to_all ? 2 * (p - 1) : p);
  };
  for (const auto& [inside, inside_name] : trees) {
    // Where no two ranks of a group are next to each other, all that is between runs.
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

/// Whether ranks of a group follow each other, which they do only where their order counts.
bool has_runs(const ProgramTask& task) {
  return std::ranges::any_of(task.runs, [&](const Ranks& starts) { return std::ssize(starts) < task.shape.ranks; });
}
/// Blocks, or shares of an array, which then go to all.
Variants ordered_runs(const ProgramTask& task) {
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
                          ProgramMessages messages = there();
                          messages.append(grouped_allgather(
                              runs, [&task](std::int64_t rank) { return task.block(rank); }, ring_allgather));
                          return messages;
                        }});
  }
  return variants;
}

// ---- by those that leave more than is asked for, and by two in turn

/// The same platform and groups, another problem.
std::shared_ptr<ProgramTask> with_problem(const ProgramTask& task, Collective problem) {
  auto other = std::make_shared<ProgramTask>(task);
  other->shape.problem = problem;
  return other;
}
/// Of each variant what is needed, for reductions of the array of an allreduce.
template <Variants (*kVariants)(const ProgramTask&)>
Variants needed_of_allreduce(const ProgramTask& task) {
  const std::shared_ptr<const ProgramTask> other = with_problem(task, Collective::kAllreduce);
  Variants result = kVariants(*other);
  for (ProgramVariant& variant : result)
    variant.make = [&task, other, make = std::move(variant.make)] { return make().needed_for(task.shape); };
  return result;
}
/// Of an allgather: the reduce-scatters of the same blocks, the other way round.
template <Variants (*kVariants)(const ProgramTask&)>
Variants mirrored_reduce_scatter(const ProgramTask& task) {
  const std::shared_ptr<ProgramTask> there = with_problem(task, Collective::kReduceScatter);
  there->shape.size_bytes = array_bytes(task.shape);
  there->shape.commutative = true;
  Variants result = kVariants(*there);
  for (ProgramVariant& variant : result) {
    variant.make = [there, make = std::move(variant.make)] { return make().reversed(false); };
  }
  return result;
}
/// What each of `ranks` has to the root, one of them.
ProgramMessages flat_gather(Ranks ranks, RangeSets sets, std::int64_t root) {
  const auto at = std::ranges::find(ranks, root) - ranks.begin();
  std::rotate(ranks.begin(), ranks.begin() + at, ranks.end());
  std::rotate(sets.begin(), sets.begin() + at, sets.end());
  return flat_scatter(ranks, sets).reversed(false);
}
/// In the order of the numbers that their places in `ranks` are with their binary digits the other way round: those
/// whose places differ in the lowest digit are half of all ranks apart, and so on.
Ranks by_lowest_digit(const Ranks& ranks) {
  const auto digits = static_cast<unsigned>(std::bit_width(ranks.size() - 1));
  Ranks result;
  for (std::size_t i = 0; i < std::size_t{1} << digits; ++i) {
    std::size_t place = 0;
    for (unsigned digit = 0; digit < digits; ++digit) place |= (i >> digit & 1) << (digits - 1 - digit);
    if (place < ranks.size()) result.push_back(ranks[place]);
  }
  return result;
}
/// Reduce-scatter over a circulant graph, then each share to the root. Half of a rank's bytes go to the next rank, half
/// of the rest two ranks further, and so on: where nothing is known of the network, ranks whose numbers are near each
/// other are likely to be near each other.
Variants neighbours_first(const ProgramTask& task) {
  const std::int64_t rounds = std::bit_width(static_cast<std::uint64_t>(task.shape.ranks - 1));
  return {{"neighbours-first",
           [&task] {
             Ranks ranks = task.order;
             if (task.groups.empty()) std::ranges::sort(ranks);
             ranks = by_lowest_digit(ranks);
             RangeSets sets;
             for (const ByteRange& share : cut(task.all(), task.shape.ranks, task.shape.element_bytes))
               sets.push_back({share});
             sets.resize(ranks.size());
             ProgramMessages messages = circulant_allgather(ranks, sets).reversed(true);
             messages.append(flat_gather(ranks, sets, task.shape.root));
             return messages;
           },
           {},
           task.shape.ranks * (rounds + 1)}};
}
/// The root combines its share only, as all others do.
Variants reduce_scatter_gather(const ProgramTask& task) {
  const std::shared_ptr<const ProgramTask> shares = with_problem(task, Collective::kReduceScatter);
  Variants result;
  const auto offer = [&](Variants variants) {
    for (ProgramVariant& variant : variants) {
      result.push_back({"reduce-scatter-gather, " + variant.name, [shares, make = std::move(variant.make)] {
                          ProgramMessages messages = make();
                          messages.append(flat_gather(shares->order, shares->blocks(), shares->shape.root));
                          return messages;
                        }});
      result.back().messages = all_pairs(task);
    }
  };
  if (!task.groups.empty()) offer(hierarchical_allgather(*shares));
  if (has_runs(task)) offer(ordered_runs(*shares));
  if (task.shape.commutative) {
    offer(circulant(*shares));
    offer(ring(*shares));
  }
  offer(pairwise(*shares));
  return result;
}
/// To one rank, and from there: to the first, and to that of the largest block, which then need not be sent twice.
Variants gather_broadcast(const ProgramTask& task) {
  Variants variants;
  const auto offer = [&](std::int64_t root) {
    const PlannedMessages back = broadcast_forth(task, root);
    ProgramMessages messages = flat_gather(task.order, task.blocks(), root);
    messages.append(program_messages(task, back, false));
    // All blocks pass the port of that rank both ways.
    const std::string at = root == task.shape.root ? "" : fmt::format("at rank {}, ", root);
    variants.push_back(planned("gather-broadcast, " + at + back.method, std::move(messages), 2 * back.length_s));
  };
  offer(task.shape.root);
  const Ranks& ranks = task.order;
  const std::int64_t largest = *std::ranges::max_element(ranks, {}, [&](auto rank) { return task.block(rank).bytes; });
  if (task.block(largest).bytes > task.block(task.shape.root).bytes) offer(largest);
  return variants;
}

// ---- alltoall

Cell cell_of(const ProgramTask& task) {
  return [&task](std::size_t from, std::size_t to) {
    return Ranges{block_of(task.shape, task.order[from], task.order[to])};
  };
}
Variants pairwise_cells(const ProgramTask& task) {
  ProgramVariant variant{"pairwise", [&task] { return pairwise_alltoall(task.order, cell_of(task)); }};
  variant.exactly = one_of_each_pair(task);
  return {std::move(variant)};
}
Variants bruck_cells(const ProgramTask& task) {
  return {{"bruck", [&task] { return bruck_alltoall(task.order, cell_of(task)); }}};
}
Variants hierarchical_alltoall(const ProgramTask& task) {
  Variants variants = by_levels(task, "", [](const ProgramTask& of, const Groups& groups) {
    return grouped_alltoall(groups, [&of](std::int64_t from, std::int64_t to) { return block_of(of.shape, from, to); });
  });
  for (std::size_t level = 0; level < variants.size(); ++level)
    variants[level].exactly = one_of_each_pair_in_groups(task, task.groups[level]);
  return variants;
}

// ---- the table

constexpr std::string_view kBytesOptimal = "fewest bytes per port; p - 1 rounds";
constexpr std::string_view kRoundsOptimal = "fewest rounds, q";
constexpr std::string_view kBothOptimal = "fewest rounds and fewest bytes per port";
constexpr std::string_view kGroups = "no byte enters a group twice";

/// The same for a problem and the one that goes the other way round.
void add(std::vector<ProgramPlanner>& table, std::initializer_list<Collective> problems, ProgramPlanner planner) {
  for (const Collective problem : problems) {
    planner.problem = problem;
    planner.known.problem = to_string(problem);
    table.push_back(planner);
  }
}

std::vector<ProgramPlanner> make_table() {
  using C = Collective;
  constexpr bool kOrdered = true;
  std::vector<ProgramPlanner> t;
  const auto entry = [&](std::initializer_list<C> problems, std::string_view name, std::string_view guarantee,
                         std::string_view cost, std::string_view source, Variants (*variants)(const ProgramTask&),
                         bool keeps_order = false) {
    add(t, problems, {{"", name, guarantee, cost, source}, C::kBroadcast, keeps_order, variants});
  };
  entry({C::kBroadcast, C::kReduce}, "binomial", kRoundsOptimal, "O(p)", kThakur, binomial_message, kOrdered);
  entry({C::kBroadcast, C::kReduce}, "chain", "fewest bytes per port; p - 2 + n rounds", "O(n p)",
        "Pjesivac-Grbovic et al. 2005", chain_message, kOrdered);
  entry({C::kBroadcast, C::kReduce}, "circulant", "fewest rounds for n segments, n - 1 + q", "O(p (n + q))", kTraeff,
        circulant_message);
  entry({C::kBroadcast, C::kReduce}, "scatter-allgather", "about twice the fewest bytes per port", "O(p^2)",
        "Barnett et al. 1994", scatter_allgather);
  entry({C::kReduce}, "reversed-broadcast", "as its broadcast, where combining is free", "as its broadcast",
        "Rabenseifner 2004; ours", reversed_broadcast);
  entry({C::kReduce}, "reduce-scatter-gather", "fewest bytes combined per rank", "as the reduce-scatter", kThakur,
        reduce_scatter_gather, kOrdered);
  entry({C::kReduce}, "neighbours-first", "fewest bytes combined per rank; most go between neighbours", "O(p^2)",
        "Traeff 2024; ours", neighbours_first);
  entry({C::kReduce}, "ordered-tree", "between groups one message for each run of ranks and share", "O(n p)", "ours",
        ordered_tree, kOrdered);
  entry({C::kReduce, C::kReduceScatter}, "grouped-exchange", "one latency between groups", "as allreduce", "ours",
        needed_of_allreduce<grouped_exchange>);
  entry({C::kReduce, C::kReduceScatter}, "grouped-pipeline",
        "in n segments every phase but the longest takes 1 / n of its time", "as allreduce", "ours",
        needed_of_allreduce<grouped_pipeline>);
  entry({C::kScatter, C::kGather}, "flat", "every byte sent once", "O(p)", kFolklore, flat);
  entry({C::kScatter, C::kGather}, "binomial", kBothOptimal, "O(p)", kThakur, binomial);
  entry({C::kScatter, C::kGather}, "hierarchical", kGroups, "O(p)", kSteffenelAndOurs, hierarchical_scatter);
  entry({C::kScatter}, "broadcast", "none", "as the broadcast", "ours", broadcast_of_all);
  entry({C::kGather}, "reversed-broadcast", "none", "as its broadcast", "ours", reversed_broadcast_of_all);
  entry({C::kAllgather}, "gather-broadcast", "none", "as the broadcast", kFolklore, gather_broadcast);
  entry({C::kAllgather}, "grouped-exchange", "as its reduce-scatter", "as allreduce", "ours",
        mirrored_reduce_scatter<needed_of_allreduce<grouped_exchange>>);
  entry({C::kAllgather}, "grouped-pipeline", "as its reduce-scatter", "as allreduce", "ours",
        mirrored_reduce_scatter<needed_of_allreduce<grouped_pipeline>>);
  entry({C::kAllgather}, "equal-work", "every rank passes on as much to all others", "O(p^2)", "ours",
        mirrored_reduce_scatter<equal_work>);
  entry({C::kAllgather, C::kReduceScatter}, "ring", kBytesOptimal, "O(p^2)", kThakur, ring);
  entry({C::kAllgather, C::kReduceScatter}, "bruck", kBothOptimal, "O(p^2)", kBruck, bruck);
  entry({C::kAllgather, C::kReduceScatter}, "circulant", kBothOptimal, "O(p^2)", kTraeff, circulant);
  entry({C::kAllgather}, "recursive-doubling", "fewest rounds and bytes per port; needs p = 2^q", "O(p^2)", kThakur,
        recursive_doubling);
  entry({C::kReduceScatter}, "recursive-halving", "fewest rounds and bytes per port; needs p = 2^q", "O(p^2)",
        kRabenseifner, recursive_doubling);
  entry({C::kAllgather, C::kReduceScatter}, "pairwise", kBytesOptimal, "O(p^2)", kThakur, pairwise, kOrdered);
  entry({C::kReduceScatter}, "binomial", "none; 2 q rounds", "O(p)", kThakur, binomial_reduce_scatter, kOrdered);
  entry({C::kAllgather, C::kReduceScatter}, "hierarchical", kGroups, "O(p C + p^2 / C)", kSteffenelAndOurs,
        hierarchical_allgather);
  entry({C::kAllreduce}, "binomial", "none; 2 q rounds", "O(p)", kThakur, binomial_allreduce, kOrdered);
  entry({C::kAllreduce}, "reduce-broadcast", "none", "as both", "ours", reduce_broadcast);
  entry({C::kAllreduce}, "recursive-doubling", "fewest rounds, q (two more unless p = 2^q)", "O(p q)", kThakur,
        doubling_allreduce, kOrdered);
  entry({C::kAllreduce}, "recursive-halving", "fewest bytes per port, 2 q rounds; needs p = 2^q", "O(p^2)",
        kRabenseifner, halving_allreduce);
  entry({C::kAllreduce}, "chain", "none; 2 (p - 2 + n) rounds at most", "O(n p)", "Pjesivac-Grbovic et al. 2005",
        chain_allreduce, kOrdered);
  entry({C::kAllreduce}, "ordered-tree",
        "between groups one message for each run of ranks and share, in each direction", "O(n p)", "ours", ordered_tree,
        kOrdered);
  entry({C::kReduceScatter, C::kAllreduce}, "ordered-runs", "in order; a block leaves each run of ranks once", "O(p^2)",
        "ours", ordered_runs, kOrdered);
  entry({C::kAllreduce}, "ring", "fewest bytes per port; 2 (p - 1) rounds", "O(p^2)", "Patarasuk, Yuan 2009",
        ring_allreduce);
  entry({C::kAllreduce}, "pairwise", "fewest bytes per port; 2 (p - 1) rounds", "O(p^2)", kThakur, pairwise_allreduce);
  entry({C::kAllreduce}, "circulant", "fewest bytes per port, 2 q rounds", "O(p^2)", kTraeff, circulant_allreduce);
  entry({C::kAllreduce}, "hierarchical", "no byte enters a group twice in either half", "O(p C + p^2 / C)",
        kSteffenelAndOurs, hierarchical_allreduce);
  entry({C::kAllreduce}, "grouped-exchange", "one latency between groups; C - 1 times the bytes into each",
        "O(p C + p^2 / C)", "ours", grouped_exchange);
  entry({C::kAllreduce}, "grouped-pipeline", "in n segments every phase but the longest takes 1 / n of its time",
        "O(n s (p + C^2))", "ours", grouped_pipeline);
  entry({C::kReduce, C::kReduceScatter, C::kAllreduce}, "equal-work",
        "pairwise: least time of combining, up to whole elements", "O(p^2)", "ours", equal_work, kOrdered);
  entry({C::kAlltoall}, "pairwise", kBytesOptimal, "O(p^2)", kThakur, pairwise_cells);
  entry({C::kAlltoall}, "bruck", kRoundsOptimal, "O(p^2 log p)", kBruck, bruck_cells);
  entry({C::kAlltoall}, "hierarchical", "no byte enters a group twice; C - 1 messages per rank between groups",
        "O(p^2)", kSteffenelAndOurs, hierarchical_alltoall);
  return t;
}

}  // namespace

std::span<const ProgramPlanner> program_planners() {
  static const std::vector<ProgramPlanner> table = make_table();
  return table;
}

std::span<const Algorithm> program_algorithms(Collective problem) {
  static const auto by_problem = [] {
    std::map<Collective, std::vector<Algorithm>> result;
    for (const ProgramPlanner& planner : program_planners()) result[planner.problem].push_back(planner.known);
    return result;
  }();
  return by_problem.at(problem);
}

}  // namespace sluice::detail
