#include "plan/exchange/rising_peel.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "graph/hopcroft_karp.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kWorkOfRisingNode = 200;  // in a step: finding it a part
constexpr std::int64_t kWorkOfRisingPart = 20;   // sorting it
constexpr std::int64_t kWorkOfRisingLook = 5;    // in a search for a path

class RisingPeel {
 public:
  RisingPeel(const Demand& demand, const std::vector<Piece>& parts, Budget& budget)
      : demand_(demand),
        parts_(parts),
        budget_(budget),
        limit_(as_size(demand.max_transfers)),
        limited_(demand.max_transfers < std::min(demand.lefts, demand.rights)),
        lefts_(as_size(demand.lefts)),
        rows_(lefts_ + as_size(demand.rights)),
        begin_(rows_.size(), 0),
        part_of_(rows_.size(), -1),
        reached_by_(rows_.size(), -1),
        seen_(rows_.size(), 0),
        left_(parts.size()) {
    for (std::int32_t part = 0; as_size(part) < parts.size(); ++part) {
      ++rows_[end_of(part, false)].count;
      ++rows_[end_of(part, true)].count;
    }
    entries_.resize(2 * parts.size());
    std::size_t first = 0;
    for (Row& row : rows_) {
      row.first = first;
      first += std::exchange(row.count, 0);
    }
    for (std::int32_t part = 0; as_size(part) < parts.size(); ++part) {
      for (const bool right : {false, true}) {
        Row& row = rows_[end_of(part, right)];
        entries_[row.first + row.count++] = {parts[as_size(part)].size, part,
                                             static_cast<std::int32_t>(end_of(part, !right))};
      }
    }
    for (const Row& row : rows_) {
      std::sort(entries_.begin() + static_cast<std::ptrdiff_t>(row.first),
                entries_.begin() + static_cast<std::ptrdiff_t>(row.first + row.count),
                [](const Entry& a, const Entry& b) { return a.size != b.size ? a.size > b.size : a.part < b.part; });
    }
    budget_.spend(2 * kWorkOfRisingPart * static_cast<std::int64_t>(parts.size()));
  }

  std::optional<PieceSteps> run() {
    PieceSteps steps;
    while (left_ > 0) {
      budget_.spend(kWorkOfRisingNode * static_cast<std::int64_t>(rows_.size()));
      if (budget_.over()) return std::nullopt;
      count_steps();
      allow(least_duration());
      match();
      send(steps.emplace_back());
    }
    return steps;
  }

  // As a view for HopcroftKarp: the parts that are short enough.
  [[nodiscard]] std::int32_t sources() const { return demand_.lefts; }
  [[nodiscard]] std::int32_t targets() const { return demand_.rights; }
  [[nodiscard]] std::int32_t degree(std::int32_t s) const {
    return static_cast<std::int32_t>(rows_[as_size(s)].count - begin_[as_size(s)]);
  }
  [[nodiscard]] std::int32_t id(std::int32_t s, std::int32_t k) const { return entry(s, k).part; }
  [[nodiscard]] std::int32_t target(std::int32_t s, std::int32_t k) const { return entry(s, k).other - demand_.lefts; }

 private:
  struct Row {
    std::size_t first = 0, count = 0;
  };
  /// A part in the row of a node; rows fall by size.
  struct Entry {
    std::int64_t size = 0;
    std::int32_t part = 0;
    std::int32_t other = 0;  ///< the node at its other end
  };
  /// What the engine keeps.
  struct View {
    const RisingPeel* peel;
    [[nodiscard]] std::int32_t sources() const { return peel->sources(); }
    [[nodiscard]] std::int32_t targets() const { return peel->targets(); }
    [[nodiscard]] std::int32_t degree(std::int32_t s) const { return peel->degree(s); }
    [[nodiscard]] std::int32_t id(std::int32_t s, std::int32_t k) const { return peel->id(s, k); }
    [[nodiscard]] std::int32_t target(std::int32_t s, std::int32_t k) const { return peel->target(s, k); }
  };

  [[nodiscard]] const Entry& at(std::size_t node, std::size_t i) const { return entries_[rows_[node].first + i]; }
  [[nodiscard]] const Entry& entry(std::int32_t s, std::int32_t k) const {
    return at(as_size(s), begin_[as_size(s)] + as_size(k));
  }
  [[nodiscard]] bool critical(std::size_t node) const { return rows_[node].count >= steps_left_; }
  [[nodiscard]] std::size_t end_of(std::int32_t part, bool right) const {
    const Edge& edge = demand_.edges[as_size(parts_[as_size(part)].edge)];
    return right ? lefts_ + as_size(edge.right) : as_size(edge.left);
  }

  /// How many steps what is left takes at least, and how many parts the next one has to send for that.
  void count_steps() {
    std::size_t degree = 0;
    for (const Row& row : rows_) degree = std::max(degree, row.count);
    steps_left_ = std::max(degree, (left_ + limit_ - 1) / limit_);
    const std::size_t later = limit_ * (steps_left_ - 1);
    needed_ = left_ > later ? left_ - later : 0;
  }

  [[nodiscard]] std::int64_t least_duration() {
    std::int64_t duration = 0;
    for (std::size_t node = 0; node < rows_.size(); ++node)
      if (critical(node)) duration = std::max(duration, at(node, rows_[node].count - 1).size);
    if (!limited_ || needed_ == 0) return duration;
    sizes_.clear();
    for (std::size_t u = 0; u < lefts_; ++u)
      for (std::size_t i = 0; i < rows_[u].count; ++i) sizes_.push_back(at(u, i).size);
    const auto last = sizes_.begin() + static_cast<std::ptrdiff_t>(needed_ - 1);
    std::nth_element(sizes_.begin(), last, sizes_.end());
    budget_.spend(kWorkOfRisingPart * static_cast<std::int64_t>(sizes_.size()));
    return std::max(duration, *last);
  }

  /// Parts of at most `duration` are short enough.
  void allow(std::int64_t duration) {
    duration_ = duration;
    for (std::size_t node = 0; node < rows_.size(); ++node) {
      const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(rows_[node].first);
      const auto short_enough = std::partition_point(first, first + static_cast<std::ptrdiff_t>(rows_[node].count),
                                                     [duration](const Entry& each) { return each.size > duration; });
      begin_[node] = static_cast<std::size_t>(short_enough - first);
    }
  }

  void match() {
    std::fill(part_of_.begin(), part_of_.end(), -1);
    matched_ = 0;
    grow([this](std::size_t u) { return critical(u); }, rows_.size());
    for (std::size_t node = 0; node < rows_.size() && !budget_.over();) {
      if (part_of_[node] >= 0 || !critical(node) || cover(node) || !allow_more()) ++node;
    }
    next_duration_ = 0;
    while (!budget_.over()) {
      grow([](std::size_t) { return true; }, limit_);
      if (matched_ >= std::min(needed_, limit_) || !allow_more()) break;
    }
  }

  /// Lets lefts of which `wanted` says so take parts, the largest first, and augments until there are `enough`.
  template <class Wanted>
  void grow(Wanted wanted, std::size_t enough) {
    enough = std::min(enough, lefts_);
    if (matched_ >= enough) return;
    HopcroftKarp<View> engine(View{this});
    roots_.clear();
    for (std::size_t u = 0; u < lefts_; ++u) {
      const auto left = static_cast<std::int32_t>(u);
      if (part_of_[u] >= 0)
        engine.match(left, static_cast<std::int32_t>(end_of(part_of_[u], true) - lefts_), part_of_[u]);
      else if (wanted(u))
        roots_.push_back(left);
    }
    for (const std::int32_t u : roots_) {
      if (as_size(engine.size()) >= enough) break;
      for (std::int32_t k = 0; k < degree(u); ++k) {
        const std::int32_t right = target(u, k);
        if (engine.source_of()[as_size(right)] >= 0) continue;
        engine.match(u, right, id(u, k));
        break;
      }
    }
    engine.grow(roots_, static_cast<std::int32_t>(enough));
    matched_ = as_size(engine.size());
    std::fill(part_of_.begin() + static_cast<std::ptrdiff_t>(lefts_), part_of_.end(), -1);
    for (std::size_t u = 0; u < lefts_; ++u) {
      part_of_[u] = engine.edges()[u];
      if (part_of_[u] >= 0) part_of_[end_of(part_of_[u], true)] = part_of_[u];
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
      if (begin_[node] > 0) next_duration_ = std::min(next_duration_, at(node, begin_[node] - 1).size);
      budget_.spend(kWorkOfRisingLook * static_cast<std::int64_t>(rows_[node].count - begin_[node]));
      for (std::size_t i = begin_[node]; i < rows_[node].count; ++i) {
        const Entry& each = at(node, i);
        const std::int32_t there = part_of_[as_size(each.other)];
        if (there < 0) {
          flip(root, node, each.part, rights);
          ++matched_;
          return true;
        }
        const std::size_t next = end_of(there, !rights);
        if (seen_[next] == stamp_) continue;
        seen_[next] = stamp_;
        reached_by_[next] = each.part;
        queue_.push_back(next);
        if (critical(next)) continue;
        part_of_[next] = -1;
        flip(root, node, each.part, rights);
        return true;
      }
    }
    return false;
  }

  /// Matches `part` at `node`, what `node` had at the node from which it was reached, and so on back to `root`.
  void flip(std::size_t root, std::size_t node, std::int32_t part, bool rights) {
    for (;;) {
      part_of_[node] = part;
      part_of_[end_of(part, rights)] = part;
      if (node == root) return;
      part = reached_by_[node];
      node = end_of(part, !rights);
    }
  }

  /// Makes the step longer: to what the last search asked for, and at least by a share. False if no part is longer.
  bool allow_more() {
    constexpr std::int64_t kShare = 256;
    std::int64_t longest = 0;
    for (std::size_t u = 0; u < lefts_; ++u)
      if (rows_[u].count > 0) longest = std::max(longest, at(u, 0).size);
    if (duration_ >= longest) return false;
    allow(std::min(longest, std::max(next_duration_, duration_ + 1 + duration_ / kShare)));
    budget_.spend(kWorkOfRisingPart * static_cast<std::int64_t>(rows_.size()));
    return true;
  }

  void send(std::vector<Piece>& step) {
    for (std::size_t u = 0; u < lefts_ && step.size() < limit_; ++u) {
      const std::int32_t part = part_of_[u];
      if (part < 0) continue;
      step.push_back(parts_[as_size(part)]);
      for (const std::size_t node : {u, end_of(part, true)}) {
        const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(rows_[node].first);
        const auto end = first + static_cast<std::ptrdiff_t>(rows_[node].count--);
        const auto sent = std::find_if(first + static_cast<std::ptrdiff_t>(begin_[node]), end,
                                       [part](const Entry& each) { return each.part == part; });
        std::move(sent + 1, end, sent);
      }
      --left_;
    }
  }

  const Demand& demand_;
  const std::vector<Piece>& parts_;
  Budget& budget_;
  std::size_t limit_;
  bool limited_;
  std::size_t lefts_;
  std::vector<Row> rows_;  ///< parts left at each node, lefts first
  std::vector<Entry> entries_;
  std::vector<std::size_t> begin_;        ///< where those that are short enough begin in each row
  std::vector<std::int32_t> part_of_;     ///< what each node takes part in, -1: nothing
  std::vector<std::int32_t> reached_by_;  ///< of a search: by which part
  std::vector<std::uint32_t> seen_;
  std::size_t left_;  ///< parts
  std::size_t steps_left_ = 0, needed_ = 0, matched_ = 0;
  std::int64_t duration_ = 0, next_duration_ = 0;
  std::uint32_t stamp_ = 0;
  std::vector<std::int64_t> sizes_;
  std::vector<std::int32_t> roots_;
  std::vector<std::size_t> queue_;
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
  constexpr std::int64_t kMoreSteps = 4;
  return 2 * kWorkOfRisingPart * count +
         (steps + kMoreSteps) * kWorkOfRisingNode * static_cast<std::int64_t>(degree.size()) * 5 / 4;
}

}  // namespace sluice::detail
