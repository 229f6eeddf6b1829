#include "plan/exchange/constructive/rising_peel.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "graph/hopcroft_karp.hpp"
#include "plan/exchange/constructive/key_tree.hpp"
#include "plan/exchange/constructive/parts_by_size.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kWorkOfRisingStep = 1000;
constexpr std::int64_t kWorkOfRisingNode = 100;      // for a node that has to be, or can be, in a step,
constexpr std::int64_t kWorkOfFarRisingNode = 200;   // if the tables are too large for caches:
constexpr std::size_t kManyRisingNodes = 1U << 13U;  // from this number of nodes on
constexpr std::int64_t kWorkOfRisingPart = 20;       // sorting it
constexpr std::int64_t kWorkOfRisingLook = 5;        // in a search for a path

std::int64_t work_of_node(std::size_t nodes) {
  return nodes >= kManyRisingNodes ? kWorkOfFarRisingNode : kWorkOfRisingNode;
}

class RisingPeel {
 public:
  RisingPeel(const Demand& demand, const std::vector<Piece>& parts, Budget& budget)
      : parts_(parts),
        budget_(budget),
        limit_(as_size(demand.max_transfers)),
        limited_(demand.max_transfers < std::min(demand.lefts, demand.rights)),
        lefts_(as_size(demand.lefts)),
        rows_(lefts_ + as_size(demand.rights)),
        work_of_node_(work_of_node(rows_.size())),
        counts_(rows_.size()),
        least_of_left_(lefts_),
        least_of_right_(rows_.size() - lefts_),
        begin_(rows_.size(), 0),
        begin_of_(rows_.size(), 0),
        part_of_(rows_.size(), -1),
        touched_in_(rows_.size(), 0),
        reached_by_(rows_.size(), -1),
        seen_(rows_.size(), 0),
        number_(rows_.size(), 0),
        numbered_in_(rows_.size(), 0),
        by_size_(limited_ ? parts : std::vector<Piece>()),
        left_(parts.size()) {
    ends_.reserve(parts.size());
    for (const Piece& part : parts) {
      const Edge& edge = demand.edges[as_size(part.edge)];
      ends_.push_back({edge.left, demand.lefts + edge.right});
      for (const std::int32_t node : ends_.back()) ++rows_[as_size(node)].count;
    }
    std::vector<Entry> entries(2 * parts.size());
    std::size_t first = 0;
    for (Row& row : rows_) {
      row.first = first;
      first += std::exchange(row.count, 0);
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const auto [left, right] = ends_[part];
      const auto add = [&](std::int32_t node, std::int32_t other) {
        Row& row = rows_[as_size(node)];
        entries[row.first + row.count++] = {parts[part].size, static_cast<std::int32_t>(part), other};
      };
      add(left, right);
      add(right, left);
    }
    size_of_.reserve(entries.size());
    id_of_.reserve(entries.size());
    other_of_.reserve(entries.size());
    for (std::size_t node = 0; node < rows_.size(); ++node) {
      const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(rows_[node].first);
      const auto end = begin + static_cast<std::ptrdiff_t>(rows_[node].count);
      std::sort(begin, end,
                [](const Entry& a, const Entry& b) { return a.size != b.size ? a.size > b.size : a.part < b.part; });
      for (auto each = begin; each != end; ++each) {
        size_of_.push_back(each->size);
        id_of_.push_back(each->part);
        other_of_.push_back(each->other);
      }
      file(node);
    }
    budget_.spend(2 * kWorkOfRisingPart * static_cast<std::int64_t>(parts.size()));
  }

  std::optional<PieceSteps> run() {
    PieceSteps steps;
    while (left_ > 0) {
      budget_.spend(kWorkOfRisingStep);
      if (budget_.over()) return std::nullopt;
      count_steps();
      allow(least_duration());
      match();
      send(steps.emplace_back());
    }
    return steps;
  }

 private:
  struct Row {
    std::size_t first = 0, count = 0;
  };
  /// A part in the row of a node.
  struct Entry {
    std::int64_t size = 0;
    std::int32_t part = 0;
    std::int32_t other = 0;
  };
  /// A left, and its parts that are short enough.
  struct Source {
    std::size_t left = 0;
    const std::int32_t* parts = nullptr;
    const std::int32_t* others = nullptr;
    std::int32_t degree = 0;
  };
  /// A view of sources_ for HopcroftKarp. Unless all rights are targets, rights get a number when they are met, so that
  /// the engine's tables stay small.
  struct View {
    RisingPeel* peel;
    bool all_rights;
    std::int32_t most_targets;

    [[nodiscard]] std::int32_t sources() const { return static_cast<std::int32_t>(peel->sources_.size()); }
    [[nodiscard]] std::int32_t targets() const { return most_targets; }
    [[nodiscard]] std::int32_t degree(std::int32_t s) const { return peel->sources_[as_size(s)].degree; }
    [[nodiscard]] std::int32_t id(std::int32_t s, std::int32_t k) const {
      return peel->sources_[as_size(s)].parts[as_size(k)];
    }
    [[nodiscard]] std::int32_t target(std::int32_t s, std::int32_t k) const {
      return number_of(peel->sources_[as_size(s)].others[as_size(k)]);
    }
    void expect(std::int32_t s) const {
      constexpr std::ptrdiff_t kOfLine = 16;
      const Source& source = peel->sources_[as_size(s)];
      __builtin_prefetch(source.others);
      if (source.degree > kOfLine) __builtin_prefetch(source.others + kOfLine);
    }
    [[nodiscard]] std::int32_t number_of(std::int32_t right) const {
      return all_rights ? right - static_cast<std::int32_t>(peel->lefts_) : peel->number_of(as_size(right));
    }
  };

  /// About the i-th part of a node: its size, its number, and the node at its other end.
  [[nodiscard]] std::int64_t size(std::size_t node, std::size_t i) const { return size_of_[rows_[node].first + i]; }
  [[nodiscard]] std::int32_t part(std::size_t node, std::size_t i) const { return id_of_[rows_[node].first + i]; }
  [[nodiscard]] std::size_t other(std::size_t node, std::size_t i) const {
    return as_size(other_of_[rows_[node].first + i]);
  }
  /// Where the parts begin in the node's row that are short enough.
  [[nodiscard]] std::size_t begin(std::size_t node) {
    if (begin_of_[node] != allowed_) {
      begin_of_[node] = allowed_;
      const auto first = size_of_.begin() + static_cast<std::ptrdiff_t>(rows_[node].first);
      const auto end = first + static_cast<std::ptrdiff_t>(rows_[node].count);
      begin_[node] =
          as_size(std::partition_point(first, end, [this](std::int64_t each) { return each > duration_; }) - first);
    }
    return begin_[node];
  }
  [[nodiscard]] bool critical(std::size_t node) const { return rows_[node].count >= steps_left_; }
  [[nodiscard]] std::size_t end_of(std::int32_t part, bool right) const {
    return as_size(ends_[as_size(part)][right ? 1 : 0]);
  }
  [[nodiscard]] std::int32_t number_of(std::size_t right) {
    if (numbered_in_[right] != numbering_) {
      numbered_in_[right] = numbering_;
      number_[right] = numbers_++;
    }
    return number_[right];
  }

  /// Tells the trees what a node has.
  void file(std::size_t node) {
    const std::size_t count = rows_[node].count;
    counts_.set(node, count > 0 ? static_cast<std::int64_t>(count) : KeyTree::kNone);
    const std::int64_t key = count > 0 ? -size(node, count - 1) : KeyTree::kNone;
    if (node < lefts_) {
      least_of_left_.set(node, key);
    } else {
      least_of_right_.set(node - lefts_, key);
    }
  }

  /// How many steps what is left takes at least, which nodes are critical for that, and how many parts the next step
  /// has to send.
  void count_steps() {
    for (KeyTree* tree : {&counts_, &least_of_left_, &least_of_right_}) tree->refresh();
    steps_left_ = std::max(as_size(counts_.largest()), (left_ + limit_ - 1) / limit_);
    const std::size_t later = limit_ * (steps_left_ - 1);
    needed_ = left_ > later ? left_ - later : 0;
    critical_.clear();
    counts_.each_of_at_least(static_cast<std::int64_t>(steps_left_), [this](std::size_t node) {
      critical_.push_back(node);
      return true;
    });
    budget_.spend(work_of_node_ * std::ssize(critical_));
  }

  [[nodiscard]] std::int64_t least_duration() {
    std::int64_t duration = 0;
    for (const std::size_t node : critical_) duration = std::max(duration, size(node, rows_[node].count - 1));
    if (limited_ && needed_ > 0) duration = std::max(duration, parts_[by_size_.at(needed_ - 1)].size);
    return duration;
  }

  /// Parts of at most `duration` are short enough.
  void allow(std::int64_t duration) {
    duration_ = duration;
    ++allowed_;
  }

  void match() {
    ++step_;
    touched_.clear();
    matched_ = 0;
    longest_ = 0;
    free_.clear();
    for (const std::size_t node : critical_)
      if (node < lefts_) take_largest(node);
    augment(lefts_);
    for (std::size_t i = 0; i < critical_.size() && !budget_.over();) {
      if (part_of(critical_[i]) >= 0 || cover(critical_[i]) || !allow_more()) ++i;
    }
    next_duration_ = 0;
    while (!budget_.over()) {
      grow();
      if (matched_ >= std::min(needed_, limit_) || !allow_more()) break;
    }
  }

  /// The part of the step that a node takes part in, -1: none.
  [[nodiscard]] std::int32_t part_of(std::size_t node) const {
    return touched_in_[node] == step_ ? part_of_[node] : -1;
  }
  void take_part(std::size_t node, std::int32_t part) {
    if (touched_in_[node] != step_) {
      touched_in_[node] = step_;
      touched_.push_back(node);
    }
    part_of_[node] = part;
  }

  /// Gives a left the largest part whose right is free; if there is none, notes it in free_.
  void take_largest(std::size_t left) {
    std::size_t i = begin(left);
    while (i < rows_[left].count && part_of(other(left, i)) >= 0) ++i;
    budget_.spend(work_of_node_ + kWorkOfRisingLook * static_cast<std::int64_t>(i - begin(left)));
    if (i == rows_[left].count) {
      free_.push_back(left);
      return;
    }
    take_part(left, part(left, i));
    take_part(other(left, i), part(left, i));
    ++matched_;
  }

  /// Lets as many nodes take part as can.
  void grow() {
    std::size_t rights = 0;
    least_of_right_.each_of_at_least(-duration_, [&](std::size_t) { return ++rights < limit_; });
    budget_.spend(static_cast<std::int64_t>(rights));
    const std::size_t enough = std::min(limit_, rights);
    free_.clear();
    if (matched_ < enough) {
      least_of_left_.each_of_at_least(-duration_, [&](std::size_t left) {
        if (part_of(left) < 0) take_largest(left);
        return matched_ < enough;
      });
    }
    augment(enough);
  }

  /// Augments from free_ until there are `enough`.
  void augment(std::size_t enough) {
    if (matched_ >= enough || free_.empty()) return;
    sources_.clear();
    std::size_t looks = 0;
    const auto add_source = [&](std::size_t left) {
      const std::size_t count = rows_[left].count - begin(left);
      const std::size_t first = rows_[left].first + begin(left);
      sources_.push_back({left, &id_of_[first], &other_of_[first], static_cast<std::int32_t>(count)});
      looks += count;
    };
    for (const std::size_t node : touched_)
      if (node < lefts_ && part_of_[node] >= 0) add_source(node);
    const std::size_t matched = sources_.size();
    for (const std::size_t left : free_) add_source(left);
    const std::size_t rights = rows_.size() - lefts_;
    ++numbering_;
    numbers_ = 0;
    const View view{this, looks >= rights, static_cast<std::int32_t>(std::min(looks, rights))};
    HopcroftKarp<View> engine(view);
    for (std::size_t s = 0; s < matched; ++s) {
      const std::int32_t part = part_of_[sources_[s].left];
      engine.match(static_cast<std::int32_t>(s), view.number_of(ends_[as_size(part)][1]), part);
    }
    std::vector<std::int32_t> roots(free_.size());
    std::iota(roots.begin(), roots.end(), static_cast<std::int32_t>(matched));
    engine.search(std::move(roots), static_cast<std::int32_t>(std::min(enough, lefts_)));
    matched_ = as_size(engine.size());
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      const std::int32_t part = engine.edges()[s];
      if (part < 0) continue;
      take_part(sources_[s].left, part);
      take_part(end_of(part, true), part);
    }
  }

  /// Looks for a path from `root` to a free node of the other side, or to one of its side that is not critical, which
  /// then goes without. False if there is none; next_duration_ is what might make one.
  bool cover(std::size_t root) {
    const bool rights = root < lefts_;  // where the paths lead to
    ++stamp_;
    queue_.assign(1, root);
    seen_[root] = stamp_;
    next_duration_ = std::numeric_limits<std::int64_t>::max();
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      const std::size_t node = queue_[head];
      const std::size_t first = begin(node);
      if (first > 0) next_duration_ = std::min(next_duration_, size(node, first - 1));
      budget_.spend(kWorkOfRisingLook * static_cast<std::int64_t>(rows_[node].count - first));
      for (std::size_t i = first; i < rows_[node].count; ++i) {
        const std::int32_t there = part_of(other(node, i));
        if (there < 0) {
          flip(root, node, part(node, i), rights);
          ++matched_;
          return true;
        }
        const std::size_t next = end_of(there, !rights);
        if (seen_[next] == stamp_) continue;
        seen_[next] = stamp_;
        reached_by_[next] = part(node, i);
        queue_.push_back(next);
        if (critical(next)) continue;
        take_part(next, -1);
        flip(root, node, part(node, i), rights);
        return true;
      }
    }
    return false;
  }

  /// Matches `part` at `node`, the part that reached `node` at the node before it on the path, and so on back to
  /// `root`.
  void flip(std::size_t root, std::size_t node, std::int32_t part, bool rights) {
    for (;;) {
      take_part(node, part);
      take_part(end_of(part, rights), part);
      if (node == root) return;
      part = reached_by_[node];
      node = end_of(part, !rights);
    }
  }

  /// Makes the step longer: to what the last search asked for, and at least by a share. False if no part is longer.
  bool allow_more() {
    constexpr std::int64_t kShare = 256;
    if (longest_ == 0) {
      const bool of_lefts = 2 * lefts_ <= rows_.size();  // every part is in a row of either side
      for (std::size_t node = of_lefts ? 0 : lefts_; node < (of_lefts ? lefts_ : rows_.size()); ++node)
        if (rows_[node].count > 0) longest_ = std::max(longest_, size(node, 0));
      budget_.spend(kWorkOfRisingPart * static_cast<std::int64_t>(std::min(lefts_, rows_.size() - lefts_)));
    }
    if (duration_ >= longest_) return false;
    allow(std::min(longest_, std::max(next_duration_, duration_ + 1 + duration_ / kShare)));
    return true;
  }

  /// Puts touched_ in ascending order.
  void order_touched() {
    constexpr std::size_t kOfNodes = 16;
    if (kOfNodes * touched_.size() < rows_.size()) {
      std::sort(touched_.begin(), touched_.end());
      return;
    }
    touched_.clear();
    for (std::size_t node = 0; node < rows_.size(); ++node)
      if (touched_in_[node] == step_) touched_.push_back(node);
  }

  void send(std::vector<Piece>& step) {
    order_touched();
    step.reserve(std::min(limit_, matched_));
    for (const std::size_t left : touched_) {
      if (left >= lefts_ || step.size() >= limit_) break;
      const std::int32_t part = part_of_[left];
      if (part < 0) continue;
      step.push_back(parts_[as_size(part)]);
      for (const std::int32_t node : ends_[as_size(part)]) take_out(as_size(node), part);
      if (limited_) by_size_.take(as_size(part));
      --left_;
    }
    budget_.spend(2 * work_of_node_ * std::ssize(step));
  }

  void take_out(std::size_t node, std::int32_t part) {
    Row& row = rows_[node];
    const auto ids = id_of_.begin() + static_cast<std::ptrdiff_t>(row.first);
    const auto end = ids + static_cast<std::ptrdiff_t>(row.count);
    const std::ptrdiff_t sent = std::find(ids + static_cast<std::ptrdiff_t>(begin(node)), end, part) - ids;
    const auto close_gap = [&](auto& column) {
      const auto first = column.begin() + static_cast<std::ptrdiff_t>(row.first);
      if (2 * sent < end - ids) {
        std::move_backward(first, first + sent, first + sent + 1);
      } else {
        std::move(first + sent + 1, first + (end - ids), first + sent);
      }
    };
    close_gap(size_of_);
    close_gap(id_of_);
    close_gap(other_of_);
    if (2 * sent < end - ids) ++row.first;
    --row.count;
    file(node);
  }

  const std::vector<Piece>& parts_;
  Budget& budget_;
  std::size_t limit_;
  bool limited_;
  std::size_t lefts_;
  std::vector<Row> rows_;  ///< parts left at each node, lefts first
  std::int64_t work_of_node_;
  /// For each row, falling by size: sizes, parts, and the nodes at their other ends. A search for a path reads only
  /// these.
  std::vector<std::int64_t> size_of_;
  std::vector<std::int32_t> id_of_, other_of_;
  std::vector<std::array<std::int32_t, 2>> ends_;  ///< of each part, nodes.
  KeyTree counts_;                                 ///< of each node, the number of parts.
  KeyTree least_of_left_, least_of_right_;         ///< the least part of each, negative.
  std::vector<std::size_t> begin_;                 ///< where short enough parts begin in each row.
  std::vector<std::uint32_t> begin_of_;            ///< the duration of begin_, counted by allowed_.
  std::vector<std::int32_t> part_of_;              ///< the part of each node in the matching, -1: none; valid if
  std::vector<std::uint32_t> touched_in_;          ///< the node was touched in this step.
  std::vector<std::size_t> touched_;               ///< the nodes touched in this step.
  std::vector<std::int32_t> reached_by_;           ///< of a search: the part that reached a node.
  std::vector<std::uint32_t> seen_;
  std::vector<std::int32_t> number_;  ///< of each right, for the engine, if it has one in
  std::vector<std::uint32_t> numbered_in_;
  PartsBySize by_size_;  ///< if limited_
  std::size_t left_;     ///< parts
  std::size_t steps_left_ = 0, needed_ = 0, matched_ = 0;
  std::int64_t duration_ = 0, next_duration_ = 0, longest_ = 0;
  std::uint32_t allowed_ = 0, step_ = 0, stamp_ = 0, numbering_ = 0;
  std::int32_t numbers_ = 0;
  std::vector<std::size_t> critical_, free_, queue_;
  std::vector<Source> sources_;
};

}  // namespace

std::optional<PieceSteps> peel_rising(const Demand& demand, const std::vector<Piece>& parts, Budget& budget) {
  return RisingPeel(demand, parts, budget).run();
}

std::int64_t work_of_rising(const Demand& demand, const std::vector<Piece>& parts) {
  std::vector<std::int64_t> degree(as_size(demand.lefts) + as_size(demand.rights), 0);
  for (const Piece& part : parts) {
    const Edge& edge = demand.edges[as_size(part.edge)];
    ++degree[as_size(edge.left)];
    ++degree[as_size(demand.lefts + edge.right)];
  }
  const auto count = static_cast<std::int64_t>(parts.size());
  const std::int64_t steps =
      std::max(*std::max_element(degree.begin(), degree.end()), count / demand.max_transfers + 1);
  constexpr std::int64_t kFurtherSteps = 4;
  constexpr std::int64_t kHalfNodesOfPart = 9;  // including nodes that try in vain
  return (2 * kWorkOfRisingPart + kHalfNodesOfPart * work_of_node(degree.size()) / 2) * count +
         (steps + kFurtherSteps) * kWorkOfRisingStep;
}

}  // namespace sluice::detail
