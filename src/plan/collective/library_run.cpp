/// What MPI libraries send.
///
/// Problem: predict the algorithms that Open MPI and MPICH have built in, to say which of them fits a platform.
/// Method: the messages of each algorithm, from rank 0, among ranks in their order; trees send segment after segment,
/// each to all children. A problem that combines is one that spreads, reversed. Complexity: as the patterns.
/// Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH" (2005);
/// Pjesivac-Grbovic et al., "Performance Analysis of MPI Collective Operations" (2005); message counts of Open MPI
/// 4.1.4. Deviation: no message waits for a step to end, though a pairwise exchange's messages do; parts of a message
/// that is cut differ by one byte at most.
///
/// Example: 4 ranks, binomial-near: 0 to 1, 0 to 2, 1 to 3; binomial: 0 to 2, 0 to 1, 2 to 3.
#include "sluice/plan/library_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "plan/patterns/patterns.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "timing/clock.hpp"

namespace sluice {
namespace {

using detail::binomial_scatter;
using detail::bruck_allgather;
using detail::bruck_alltoall;
using detail::MessageGraph;
using detail::MessageKind;
using detail::pairwise_allgather;
using detail::pairwise_alltoall;
using detail::Ranges;
using detail::RangeSets;
using detail::Ranks;
using detail::recursive_doubling_allgather;
using detail::recursive_doubling_allreduce;
using detail::ring_allgather;
using Pattern = LibraryPattern;
/// The children of each rank, in the order of sending.
using Tree = std::vector<std::vector<std::size_t>>;

Tree tree_of(Pattern pattern, std::size_t p) {
  Tree children(p);
  const auto add = [&](std::size_t from, std::size_t to) {
    if (to < p) children[from].push_back(to);
  };
  for (std::size_t r = 0; r < p; ++r) {
    switch (pattern) {
      case Pattern::kLinear:
        for (std::size_t to = 1; r == 0 && to < p; ++to) add(r, to);
        break;
      case Pattern::kPipeline:
        add(r, r + 1);
        break;
      case Pattern::kChains4: {
        const std::size_t rows = std::min<std::size_t>(4, p - 1);
        std::size_t first = 1;
        for (std::size_t row = 0; row < rows; ++row) {
          const std::size_t end = first + (p - 1) / rows + (row < (p - 1) % rows ? 1 : 0);
          if (r == 0) add(r, first);
          if (r >= first && r + 1 < end) add(r, r + 1);
          first = end;
        }
        break;
      }
      case Pattern::kBinary: {
        std::size_t width = 1;  // of the level of r: 0; 1, 2; 3 to 6; ...
        for (std::size_t first = 0; first + width <= r; width *= 2) first += width;
        add(r, r + width);
        add(r, r + 2 * width);
        break;
      }
      case Pattern::kBinomialNear:
        for (std::size_t bit = 1; bit < p; bit *= 2)
          if (bit > r) add(r, r + bit);
        break;
      case Pattern::kBinomial:
      case Pattern::kKnomial4: {
        const std::size_t base = pattern == Pattern::kBinomial ? 2 : 4;
        std::size_t power = 1;
        while (power < p && r % (base * power) == 0) power *= base;
        for (; power > 0; power /= base)
          if (r % (base * power) == 0 || r == 0)
            for (std::size_t i = 1; i < base; ++i) add(r, r + i * power);
        break;
      }
      default:
        break;
    }
  }
  return children;
}

MessageGraph along(const Tree& tree, const Ranges& segments) {
  std::vector<std::size_t> order{0};  // from the root down
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const std::size_t child : tree[order[i]]) order.push_back(child);
  MessageGraph messages;
  for (const ByteRange& segment : segments)
    for (const std::size_t from : order)
      for (const std::size_t to : tree[from])
        messages.add(static_cast<std::int64_t>(from), static_cast<std::int64_t>(to), segment);
  return messages;
}

/// Limits of a replay: hundreds are asked for one after the other.
constexpr std::size_t kMostMessagesOfRun = std::size_t{1} << 16;
constexpr double kMostWork = 5e6;

/// Each pair of neighbours swaps its own blocks, then all ranks forward to the other side what they got last.
MessageGraph neighbors_allgather(const RangeSets& sets) {
  const std::size_t p = sets.size();
  std::vector<std::vector<std::size_t>> last(p);  // the blocks that each rank got last
  for (std::size_t r = 0; r < p; ++r) last[r] = {r};
  MessageGraph messages;
  for (std::size_t round = 0; round < p / 2; ++round) {
    std::vector<std::vector<std::size_t>> got(p);
    for (std::size_t r = 0; r < p; ++r) {
      const std::size_t to = (r % 2 == round % 2) ? (r + 1) % p : (r + p - 1) % p;
      Ranges ranges;
      for (const std::size_t block : last[r]) ranges.insert(ranges.end(), sets[block].begin(), sets[block].end());
      messages.add(static_cast<std::int64_t>(r), static_cast<std::int64_t>(to), ranges);
      got[to] = last[r];
    }
    for (std::size_t r = 0; r < p; ++r) {
      if (round == 0) got[r].push_back(r);  // the second exchange forwards both
      last[r] = got[r];
    }
  }
  return messages;
}

/// The order that makes recursive doubling meet the farthest rank first.
Ranks by_reversed_bits(std::int64_t p) {
  Ranks ranks;
  for (std::int64_t i = 0; i < p; ++i) {
    std::int64_t reversed = 0;
    for (std::int64_t bit = 1, top = p / 2; bit < p; bit *= 2, top /= 2)
      if ((i & bit) != 0) reversed |= top;
    ranks.push_back(reversed);
  }
  return ranks;
}

class Messages {
 public:
  explicit Messages(const Program& shape) : shape_(shape) {
    order_.resize(static_cast<std::size_t>(shape.ranks));
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
  }

  [[nodiscard]] std::optional<MessageGraph> of(const LibraryRun& run) const {
    switch (run.problem) {
      case Collective::kBroadcast:
        return broadcast(run);
      case Collective::kReduce:
        return reduce(run);
      case Collective::kScatter:
        return scatter(run.pattern);
      case Collective::kGather:
        return back(scatter(run.pattern), MessageKind::kKeep);
      case Collective::kAllgather:
        return allgather(run.pattern, blocks());
      case Collective::kReduceScatter:
        return reduce_scatter(run.pattern);
      case Collective::kAllreduce:
        return allreduce(run.pattern);
      case Collective::kAlltoall:
        return alltoall(run.pattern);
    }
    return std::nullopt;
  }

 private:
  using Result = std::optional<MessageGraph>;

  static Result back(Result spread, MessageKind kind) {
    if (!spread) return spread;
    return spread->reversed(kind);
  }
  static Result then(Result first, Result second) {
    if (!first || !second) return std::nullopt;
    first->append(std::move(*second));
    return first;
  }
  [[nodiscard]] bool power_of_two() const { return std::has_single_bit(static_cast<std::uint64_t>(shape_.ranks)); }
  [[nodiscard]] ByteRange all() const { return {0, array_bytes(shape_)}; }
  [[nodiscard]] RangeSets blocks() const {
    RangeSets sets;
    for (const std::int64_t rank : order_) sets.push_back({block_of(shape_, rank)});
    return sets;
  }
  /// The parts, one for each rank, of a message that is cut.
  [[nodiscard]] RangeSets parts() const {
    RangeSets sets(order_.size());
    const Ranges cut = detail::cut(all(), shape_.ranks, shape_.element_bytes);
    for (std::size_t i = 0; i < cut.size(); ++i) sets[i] = {cut[i]};
    return sets;
  }
  [[nodiscard]] Ranges segments(std::int64_t bytes) const {
    const std::int64_t whole = all().bytes;
    const std::int64_t count = bytes > 0 ? std::max<std::int64_t>(1, (whole + bytes - 1) / bytes) : 1;
    return detail::cut(all(), count, shape_.element_bytes);
  }

  [[nodiscard]] Result broadcast(const LibraryRun& run) const {
    switch (run.pattern) {
      case Pattern::kLinear:
      case Pattern::kKnomial4:
      case Pattern::kPipeline:
      case Pattern::kChains4:
      case Pattern::kBinary:
      case Pattern::kBinomialNear:
      case Pattern::kBinomial:
        return along(tree_of(run.pattern, order_.size()), segments(run.segment_bytes));
      case Pattern::kScatterDoubling:
        return then(binomial_scatter(order_, parts()), allgather(Pattern::kDoubling, parts()));
      case Pattern::kScatterRing:
        return then(binomial_scatter(order_, parts()), allgather(Pattern::kRing, parts()));
      default:
        return std::nullopt;
    }
  }
  [[nodiscard]] Result reduce(const LibraryRun& run) const {
    if (run.pattern == Pattern::kRabenseifner) {
      if (!power_of_two()) return std::nullopt;
      const Ranks reversed = by_reversed_bits(shape_.ranks);
      return then(halves(), back(binomial_scatter(reversed, in_order(reversed, parts())), MessageKind::kKeep));
    }
    if (run.pattern == Pattern::kScatterDoubling || run.pattern == Pattern::kScatterRing) return std::nullopt;
    return back(broadcast(run), MessageKind::kCombine);
  }
  [[nodiscard]] Result scatter(Pattern pattern) const {
    if (pattern == Pattern::kLinear) {
      MessageGraph messages;
      for (std::int64_t to = 1; to < shape_.ranks; ++to) messages.add(0, to, block_of(shape_, to));
      return messages;
    }
    if (pattern == Pattern::kBinomial) return binomial_scatter(order_, blocks());
    return std::nullopt;
  }
  [[nodiscard]] Result allgather(Pattern pattern, const RangeSets& sets) const {
    switch (pattern) {
      case Pattern::kDoubling:
        if (!power_of_two()) return std::nullopt;
        return recursive_doubling_allgather(order_, sets);
      case Pattern::kRing:
        return ring_allgather(order_, sets);
      case Pattern::kBruck:
        return bruck_allgather(order_, sets);
      case Pattern::kDirect:
        return pairwise_allgather(order_, sets);
      case Pattern::kNeighbors:
        if (shape_.ranks % 2 != 0) return std::nullopt;
        return neighbors_allgather(sets);
      default:
        return std::nullopt;
    }
  }
  [[nodiscard]] Result reduce_scatter(Pattern pattern) const {
    const Pattern spread = pattern == Pattern::kHalving ? Pattern::kDoubling : pattern;
    if (pattern == Pattern::kRing) return combining_ring(blocks());
    if (pattern == Pattern::kDoubling || pattern == Pattern::kNeighbors || pattern == Pattern::kBruck)
      return std::nullopt;
    return back(allgather(spread, blocks()), MessageKind::kCombine);
  }
  static RangeSets in_order(const Ranks& ranks, const RangeSets& sets) {
    RangeSets result;
    for (const std::int64_t rank : ranks) result.push_back(sets[static_cast<std::size_t>(rank)]);
    return result;
  }
  /// A ring that combines goes up the ranks. So it is the reverse of a ring that spreads down the ranks.
  [[nodiscard]] MessageGraph combining_ring(const RangeSets& sets) const {
    const Ranks down(order_.rbegin(), order_.rend());
    return ring_allgather(down, in_order(down, sets)).reversed(MessageKind::kCombine);
  }
  /// Each rank combines a part: halves of all first, with the nearest rank.
  [[nodiscard]] Result halves() const {
    if (!power_of_two()) return std::nullopt;
    const Ranks reversed = by_reversed_bits(shape_.ranks);
    return recursive_doubling_allgather(reversed, in_order(reversed, parts())).reversed(MessageKind::kCombine);
  }
  [[nodiscard]] Result allreduce(Pattern pattern) const {
    switch (pattern) {
      case Pattern::kDoubling:
        return recursive_doubling_allreduce(order_, all());
      case Pattern::kRing:
        return then(combining_ring(parts()), ring_allgather(order_, parts()));
      case Pattern::kLinear: {
        const LibraryRun linear{Collective::kBroadcast, Pattern::kLinear, shape_.size_bytes, 0};
        return then(reduce(linear), broadcast(linear));
      }
      case Pattern::kRabenseifner: {
        Result forth = halves();
        if (!forth) return std::nullopt;
        MessageGraph spread = forth->reversed(MessageKind::kKeep);
        return then(std::move(forth), std::move(spread));
      }
      default:
        return std::nullopt;
    }
  }
  [[nodiscard]] Result alltoall(Pattern pattern) const {
    const detail::Cell cell = [this](std::size_t from, std::size_t to) {
      return Ranges{block_of(shape_, static_cast<std::int64_t>(from), static_cast<std::int64_t>(to))};
    };
    if (pattern == Pattern::kDirect) return pairwise_alltoall(order_, cell);
    if (pattern == Pattern::kBruck) return bruck_alltoall(order_, cell);
    return std::nullopt;
  }

  const Program& shape_;
  Ranks order_;
};

/// The program without its operations.
Program shape_of(const LibraryRun& run, std::int64_t ranks) {
  if (ranks < 1) throw InputError("ranks", fmt::format("{}", ranks), "at least 1");
  if (run.size_bytes < 0) throw InputError("size", count_text(run.size_bytes, "byte"), "at least 0");
  if (run.segment_bytes < 0) throw InputError("segment", count_text(run.segment_bytes, "byte"), "at least 0");
  Program program;
  program.problem = run.problem;
  program.algorithm = "library";
  program.ranks = ranks;
  program.size_bytes = run.size_bytes;
  return program;
}

}  // namespace

std::optional<Program> library_program(const LibraryRun& run, std::int64_t ranks) {
  Program program = shape_of(run, ranks);
  std::optional<MessageGraph> messages = Messages(program).of(run);
  if (!messages) return std::nullopt;
  program.operations = operations_of(std::move(*messages));
  return program;
}

std::optional<double> library_seconds(const Platform& platform, const LibraryRun& run) {
  check_platform(platform, "platform");
  const Program shape = shape_of(run, platform.ranks);
  std::optional<MessageGraph> messages = Messages(shape).of(run);
  if (!messages || messages->size() > kMostMessagesOfRun) return std::nullopt;
  find_waits(*messages);
  const detail::RankNetwork network(platform);
  const detail::Clock clock(network);
  messages->pace = clock.pace_in_turn(*messages);
  detail::ReplayLimits limits{.work_left = kMostWork};
  const std::optional<detail::ReplayResult> times = clock.replay(*messages, limits);
  return times ? std::optional(times->length_s) : std::nullopt;
}

}  // namespace sluice
