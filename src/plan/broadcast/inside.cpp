/// The strategies of a broadcast inside a cluster, message by message.
///
/// Problem: the first of P ranks has the message; all shall have it.
/// Method, with ranks by their positions 0 .. P - 1:
///  - flat: 0 sends to all; chain: i to i + 1; binary: i to 2 i + 1 and 2 i + 2; binomial: i to i + 2^k for all 2^k
///    below the lowest bit set in i (any below P for 0), the largest first. Each also segment by segment, a segment to
///    all children before the next one;
///  - scatter-allgather: the message is cut in P parts. The rank responsible for positions [a, b), a itself, gives the
///    upper half's parts to the middle rank, and so on. Then every rank forwards parts to its neighbour in the order of
///    their arrival round the ring, except parts that the neighbour has from the scatter;
///  - double-tree: positions 1 .. P - 1 form two binary trees. In the first, a node stands between its subtrees. Among
///    positions the one divisible by the largest power of two is above the others, so odd positions are leaves. The
///    second is the first, shifted by one position, so odd positions there count as even: nobody is an inner node of
///    both. Even segments take the first tree, odd ones the second; 0 sends to the root of each;
///  - circulant: plan/patterns/circulant.cpp, in rounds;
///  - d-ary: d_ary.cpp.
/// Complexity: O(messages). Deterministic.
/// Source: Steffenel (2006), Table 1; Thakur, Rabenseifner, Gropp (2005); Sanders, Speck, Traeff (2009).
///
/// Example: double-tree with P = 5: positions 1 to 4; the first tree is 4 above 2 above 1 and 3; in the second
/// p counts as p + 1, and 4 as 1: 3 above 1 above 4 and 2.
#include "plan/broadcast/inside.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <string>

#include "plan/broadcast/d_ary.hpp"
#include "plan/patterns/patterns.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

class Inside {
 public:
  Inside(const std::vector<std::int64_t>& ranks, std::int64_t bytes, MessageGraph& messages)
      : ranks_(ranks), n_(static_cast<std::int64_t>(ranks.size())), bytes_(bytes), messages_(messages) {}

  void send(std::int64_t from, std::int64_t to, std::int64_t begin, std::int64_t end) {
    if (begin == end) return;
    messages_.add_unordered(ranks_[static_cast<std::size_t>(from)], ranks_[static_cast<std::size_t>(to)],
                            {begin, end - begin});
  }

  /// Segment by segment; children(i, segment, use) calls use(j) for each child of i, in order.
  template <class Children>
  void tree(std::int64_t segment_bytes, Children children) {
    const std::int64_t size = segment_bytes > 0 ? segment_bytes : bytes_;
    std::int64_t number = 0;
    for (std::int64_t begin = 0; begin < bytes_; begin += size, ++number) {
      const std::int64_t end = std::min(bytes_, begin + size);
      for (std::int64_t i = 0; i < n_; ++i)
        children(i, number, [&](std::int64_t j) {
          if (j < n_) send(i, j, begin, end);
        });
    }
  }

  void scatter_allgather() {
    const auto offset = [&](std::int64_t part) { return part * (bytes_ / n_) + std::min(part, bytes_ % n_); };
    std::vector<std::int64_t> has_until(ranks_.size(), 0);
    const std::function<void(std::int64_t, std::int64_t)> scatter = [&](std::int64_t a, std::int64_t b) {
      has_until[static_cast<std::size_t>(a)] = std::max(has_until[static_cast<std::size_t>(a)], b);
      if (b - a < 2) return;
      const std::int64_t middle = a + (b - a + 1) / 2;
      send(a, middle, offset(middle), offset(b));
      scatter(a, middle);
      scatter(middle, b);
    };
    scatter(0, n_);
    for (std::int64_t step = 0; step < n_ - 1; ++step) {
      for (std::int64_t i = 0; i < n_; ++i) {
        const std::int64_t next = (i + 1) % n_, part = (i - step + n_) % n_;
        if (next == 0 || (part >= next && part < has_until[static_cast<std::size_t>(next)])) continue;
        send(i, next, offset(part), offset(part + 1));
      }
    }
  }

  void circulant(std::int64_t segment_bytes) {
    Ranges segments;
    for (std::int64_t begin = 0; begin < bytes_; begin += segment_bytes)
      segments.push_back({begin, std::min(segment_bytes, bytes_ - begin)});
    const MessageGraph graph = circulant_broadcast(ranks_, segments);
    for (std::size_t m = 0; m < graph.size(); ++m)
      messages_.add_unordered(graph.messages[m].from, graph.messages[m].to, graph.ranges[m].front());
  }

  void double_tree(std::int64_t segment_bytes) {
    const std::int64_t nodes = n_ - 1;
    std::vector<std::vector<std::int64_t>> children(ranks_.size());
    const std::function<std::int64_t(std::int64_t, std::int64_t)> build = [&](std::int64_t low, std::int64_t high) {
      std::int64_t top = low;
      for (std::int64_t p = low; p <= high; ++p)
        if ((p & -p) > (top & -top)) top = p;
      for (const auto& [a, b] : {std::pair{low, top - 1}, std::pair{top + 1, high}})
        if (a <= b) children[static_cast<std::size_t>(top)].push_back(build(a, b));
      return top;
    };
    children[0].push_back(build(1, nodes));
    const auto shifted = [&](std::int64_t p) { return p == 0 ? 0 : p == 1 ? nodes : p - 1; };
    std::vector<std::vector<std::int64_t>> second(ranks_.size());
    for (std::size_t p = 0; p < children.size(); ++p)
      for (const std::int64_t child : children[p])
        second[static_cast<std::size_t>(shifted(static_cast<std::int64_t>(p)))].push_back(shifted(child));
    tree(segment_bytes, [&](std::int64_t i, std::int64_t segment, auto use) {
      for (const std::int64_t j : (segment % 2 == 0 ? children : second)[static_cast<std::size_t>(i)]) use(j);
    });
  }

 private:
  const std::vector<std::int64_t>& ranks_;
  std::int64_t n_;
  std::int64_t bytes_;
  MessageGraph& messages_;
};

}  // namespace

StrategyPrediction best_inside(const std::vector<StrategyPrediction>& models, const PlatformCluster& cluster,
                               std::int64_t bytes, std::string_view strategy) {
  StrategyPrediction best;
  bool found = false;
  const auto is_one = [](const StrategyPrediction& each) { return each.executable && each.strategy != "native"; };
  const bool power_of_two = std::has_single_bit(cluster.ranks.size());
  for (StrategyPrediction each : models) {
    if (!is_one(each)) continue;
    if (strategy.empty() ? each.strategy == kCirculant : each.strategy != strategy) continue;
    if (!power_of_two && bytes > 0 && each.strategy.find("binomial") != std::string_view::npos) {
      const std::int64_t segment = each.segment_bytes > 0 ? each.segment_bytes : bytes;
      const std::int64_t segments = (bytes + segment - 1) / segment;
      each.time_s += cluster.gap.at(segment) * static_cast<double>(segments);
    }
    if (found && each.time_s >= best.time_s) continue;
    best = each;
    found = true;
  }
  if (found) return best;
  std::string names;
  for (const StrategyPrediction& each : models)
    if (is_one(each)) names += (names.empty() ? "" : ", ") + std::string(each.strategy);
  throw InputError("inside", "'" + std::string(strategy) + "'", "one of " + names);
}

void add_inside_messages(const StrategyPrediction& strategy, const PlatformCluster& cluster,
                         const std::vector<std::int64_t>& ranks, std::int64_t bytes, MessageGraph& messages) {
  const std::int64_t segment_bytes = strategy.segment_bytes;
  const auto n = static_cast<std::int64_t>(ranks.size());
  if (n < 2 || bytes == 0) return;
  constexpr std::string_view kSegmented = "segmented-";
  Inside inside(ranks, bytes, messages);
  std::string_view shape = strategy.strategy;
  if (shape.substr(0, kSegmented.size()) == kSegmented) shape.remove_prefix(kSegmented.size());
  if (shape == "flat") {
    inside.tree(segment_bytes, [&](std::int64_t i, std::int64_t, auto use) {
      for (std::int64_t j = 1; i == 0 && j < n; ++j) use(j);
    });
  } else if (shape == "chain") {
    inside.tree(segment_bytes, [](std::int64_t i, std::int64_t, auto use) { use(i + 1); });
  } else if (shape == "binary") {
    inside.tree(segment_bytes, [](std::int64_t i, std::int64_t, auto use) {
      use(2 * i + 1);
      use(2 * i + 2);
    });
  } else if (shape == "binomial") {
    inside.tree(segment_bytes, [&](std::int64_t i, std::int64_t, auto use) {
      std::int64_t bit = i == 0 ? static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n))) : i & -i;
      while (bit > 1) use(i + (bit /= 2));
    });
  } else if (shape == "scatter-allgather") {
    inside.scatter_allgather();
  } else if (shape == kCirculant) {
    inside.circulant(segment_bytes);
  } else if (shape == "d-ary") {
    const auto children = d_ary_tree(n, strategy.children, {cluster.gap.at(segment_bytes), cluster.latency_s});
    inside.tree(segment_bytes, [&](std::int64_t i, std::int64_t, auto use) {
      for (const std::int64_t j : children[static_cast<std::size_t>(i)]) use(j);
    });
  } else {
    SLUICE_ASSERT(shape == "double-tree", std::string(shape));
    inside.double_tree(segment_bytes);
  }
}

}  // namespace sluice::detail
