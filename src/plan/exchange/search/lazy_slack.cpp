/// Lazy slack: fix how long a plan may transmit, let vertices idle as late as they can, and look for few steps.
///
/// Problem: KPBS with a horizon D, at least the shortest transmission time: sum of durations <= D, few steps.
///
/// Method: at every moment `remaining` is what is left of D. The slack of a vertex, remaining minus its load, is the
/// time it may still idle. A step of duration t may send min(size, t) between u and v if both can afford to idle for
/// the rest of it: size >= t - min(slack(u), slack(v)). It has to cover every vertex of slack < t (critical). If k is
/// below the sides, it has at most k edges, and what is left must fit k (remaining - t). All of this together says
/// exactly that the rest fits into the rest of the horizon. It is monotone: if a step of t exists, so does one of any
/// shorter duration. So bisection finds the longest duration. Coverage of both sides is tested side by side: two
/// matchings that cover one side each can be joined (Mendelsohn and Dulmage). The next steps tried are the longest
/// duration and the sizes just below it, each with the matching that lowers the price of what is left the most: an
/// assignment problem (PeelSearch::match). The price of a message is concave in its size, so that finished messages
/// count beside volume (MessagePrice). A beam keeps the `width` cheapest partial plans of every number of steps, and
/// drops plans that cannot cost less than the limit any more.
///
/// Guarantee: a plan within the horizon, or none: with k below the sides the volume is maximized with gains of 18 bits,
/// so that a step that just fits can be missed. None on the number of steps.
///
/// Complexity: let n = lefts + rights - k, w be the width and c the number of durations. w c assignments a step take
/// O(n^3) each; so does the bisection if k is below the sides. Memory O(w (lefts rights + c n)). Deterministic for a
/// seed.
///
/// Source: our own; that critical vertices must be covered is the classical argument of preemptive open shop (Gonzalez
/// and Sahni, "Open shop scheduling to minimize finish time", J. ACM 23 (1976)).
///
/// Example: sizes (3, 1; 0, 2), k = 2, D = 4, the load of left 0. Slacks are 0, 2 for the lefts and 1, 1 for the
/// rights. A step of 3 has to cover all four; 0 -> 0 is usable (3), and so is 1 -> 1 (2 >= 3 - min(2, 1)). After that
/// step 0 -> 1 of 1 is left: two steps, 4 in all.
#include "plan/exchange/search/lazy_slack.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <random>
#include <unordered_set>
#include <utility>

#include "graph/augmenting_path.hpp"
#include "plan/exchange/search/dense_assignment.hpp"

namespace sluice::detail {

namespace {

/// Work for each cell of a table: its gain; the tests of coverage; expanding a partial plan and copying it.
constexpr std::int64_t kWorkOfGain = 3;
constexpr std::int64_t kWorkOfCoverage = 1;
constexpr std::int64_t kWorkOfCopy = 30;

struct Loads {
  explicit Loads(const DemandTable& table)
      : left(as_size(table.lefts), 0),
        right(as_size(table.rights), 0),
        left_degree(as_size(table.lefts), 0),
        right_degree(as_size(table.rights), 0) {
    std::size_t cell = 0;
    for (std::size_t u = 0; u < left.size(); ++u) {
      for (std::size_t v = 0; v < right.size(); ++v, ++cell) {
        const std::int64_t size = table.size[cell];
        if (size == 0) continue;
        left[u] += size;
        right[v] += size;
        ++left_degree[u];
        ++right_degree[v];
        total += size;
        ++messages;
      }
    }
  }

  [[nodiscard]] std::int64_t largest() const {
    return std::max(*std::max_element(left.begin(), left.end()), *std::max_element(right.begin(), right.end()));
  }
  [[nodiscard]] std::int64_t largest_degree() const {
    return std::max(*std::max_element(left_degree.begin(), left_degree.end()),
                    *std::max_element(right_degree.begin(), right_degree.end()));
  }

  std::vector<std::int64_t> left, right;
  std::vector<std::int32_t> left_degree, right_degree;
  std::int64_t total = 0;
  std::int64_t messages = 0;
};

std::int64_t rounded_up(std::int64_t a, std::int64_t b) { return a / b + (a % b == 0 ? 0 : 1); }

std::int64_t shortest_transmission(const Loads& loads, std::int32_t k) {
  return std::max(loads.largest(), rounded_up(loads.total, k));
}

std::int64_t fewest_steps(const Loads& loads, std::int32_t k) {
  return std::max(loads.largest_degree(), rounded_up(loads.messages, k));
}

/// Whether vertices can be covered, by augmenting paths over rows of bits.
class Coverage {
 public:
  void reset(std::int32_t vertices, std::int32_t others) {
    words_ = (as_size(others) + 63) / 64;
    row_.assign(as_size(vertices) * words_, 0);
    owner_.resize(as_size(others));
    free_.resize(words_);
    seen_.resize(words_);
  }
  void clear_row(std::size_t vertex) { std::fill_n(&row_[vertex * words_], words_, std::uint64_t{0}); }
  void add(std::size_t vertex, std::size_t other) {
    row_[vertex * words_ + other / 64] |= std::uint64_t{1} << (other % 64);
  }
  void start() {
    std::fill(owner_.begin(), owner_.end(), -1);
    std::fill(free_.begin(), free_.end(), ~std::uint64_t{0});
  }
  bool cover(std::size_t vertex) {
    std::fill(seen_.begin(), seen_.end(), std::uint64_t{0});
    return augment(*this, static_cast<std::int32_t>(vertex));
  }

  // A view for augment. An edge is its target; free targets come first.
  struct Cursor {
    std::size_t free_word = 0, word = 0;
  };
  [[nodiscard]] std::int32_t next(std::int32_t vertex, Cursor& at) {
    const std::uint64_t* row = &row_[as_size(vertex) * words_];
    for (; at.free_word < words_; ++at.free_word)
      if (const std::uint64_t targets = row[at.free_word] & free_[at.free_word]; targets != 0)
        return first_of(at.free_word, targets);
    for (; at.word < words_; ++at.word) {
      const std::uint64_t targets = row[at.word] & ~seen_[at.word];
      if (targets == 0) continue;
      seen_[at.word] |= targets & (~targets + 1);
      return first_of(at.word, targets);
    }
    return -1;
  }
  [[nodiscard]] std::int32_t source_of(std::int32_t target) const { return owner_[as_size(target)]; }
  void match(std::int32_t vertex, std::int32_t target) {
    owner_[as_size(target)] = vertex;
    free_[as_size(target) / 64] &= ~(std::uint64_t{1} << (as_size(target) % 64));
  }

 private:
  static std::int32_t first_of(std::size_t word, std::uint64_t targets) {
    return static_cast<std::int32_t>(word * 64) + std::countr_zero(targets);
  }

  std::size_t words_ = 0;
  std::vector<std::uint64_t> row_, free_, seen_;
  std::vector<std::int32_t> owner_;
};

/// A plan up to some step: what is left to send, and how it came about.
struct Partial {
  std::vector<std::int64_t> size;
  std::vector<std::int64_t> sorted;  ///< the sizes above 0, ascending
  Loads loads;
  std::int64_t remaining = 0;  ///< of the horizon
  double potential = 0;        ///< sum of potential(size)
  std::uint64_t hash = 0;      ///< of the sizes
  std::int64_t last_duration = 0;
  std::int32_t node = -1;
};

/// A step of a partial plan.
struct Node {
  std::int32_t parent = -1;
  std::int64_t duration = 0;
  std::vector<std::int32_t> right_of;  ///< for each left; -1: idle
};

/// A next step under consideration.
struct PeelCandidate {
  double potential = 0;
  std::int32_t partial = 0;
  std::int64_t duration = 0;
  std::uint64_t hash = 0;
  std::size_t matching = 0;  ///< where its right_of begins
};

class PeelSearch {
 public:
  PeelSearch(const DemandTable& table, const LazySlackEffort& effort, Budget& budget)
      : table_(table),
        effort_(effort),
        budget_(budget),
        lefts_(as_size(table.lefts)),
        rights_(as_size(table.rights)),
        side_(table.lefts + table.rights - table.max_transfers),
        k_bound_(table.max_transfers < std::min(table.lefts, table.rights)) {
    const Loads loads(table);
    constant_ = static_cast<double>(loads.total) / static_cast<double>(loads.messages);
    std::mt19937_64 random(effort.seed);
    hash_of_.resize(table.size.size());
    for (std::uint64_t& factor : hash_of_) factor = random() | 1U;
    if (effort.noise > 0) {
      factor_.resize(table.size.size());
      for (double& factor : factor_) factor = 1 + effort.noise * static_cast<double>(random() >> 11U) * 0x1p-53;
    }
    from_left_.reset(table.lefts, table.rights);
    from_right_.reset(table.rights, table.lefts);
    assignment_.reset(side_);
    root_of_.resize(table.size.size());
  }

  std::optional<CellSteps> run(std::int64_t horizon, double limit) {
    Partial root{table_.size, {}, Loads(table_), horizon, 0, 0, 0, -1};
    std::copy_if(root.size.begin(), root.size.end(), std::back_inserter(root.sorted),
                 [](std::int64_t size) { return size > 0; });
    std::sort(root.sorted.begin(), root.sorted.end());
    for (std::size_t cell = 0; cell < root.size.size(); ++cell) {
      root.potential += potential(root.size[cell]);
      root.hash += hash_of_[cell] * static_cast<std::uint64_t>(root.size[cell]);
    }
    std::vector<Partial> level;
    level.push_back(std::move(root));
    std::vector<Partial> next;
    for (std::int64_t depth = 1; !level.empty(); ++depth) {
      candidates_.clear();
      matchings_.clear();
      for (std::size_t i = 0; i < level.size(); ++i) {
        expand(level[i], static_cast<std::int32_t>(i));
        budget_.spend(kWorkOfCopy * static_cast<std::int64_t>(lefts_ * rights_));
        if (budget_.over()) return std::nullopt;
      }
      std::sort(candidates_.begin(), candidates_.end(), [](const PeelCandidate& a, const PeelCandidate& b) {
        if (a.potential != b.potential) return a.potential < b.potential;
        return a.matching < b.matching;
      });
      next.clear();
      seen_.clear();
      std::optional<std::size_t> complete;
      for (const PeelCandidate& candidate : candidates_) {
        if (next.size() >= as_size(effort_.width)) break;
        if (!seen_.insert(candidate.hash).second) continue;
        Partial child = follow(level[as_size(candidate.partial)], candidate);
        const double spent = static_cast<double>(horizon - child.remaining);
        const double least =
            spent + static_cast<double>(shortest_transmission(child.loads, table_.max_transfers)) +
            table_.setup * static_cast<double>(depth + fewest_steps(child.loads, table_.max_transfers));
        if (least >= limit) {
          nodes_.pop_back();
          continue;
        }
        const bool done = child.loads.messages == 0;
        next.push_back(std::move(child));
        if (!done) continue;
        if (!complete || next[*complete].remaining < next.back().remaining) complete = next.size() - 1;
      }
      if (complete) return steps_to(next[*complete].node);
      std::swap(level, next);
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] double potential(std::int64_t size) const {
    if (size == 0) return 0;
    return effort_.price == MessagePrice::kRoot ? std::sqrt(static_cast<double>(size))
                                                : static_cast<double>(size) + constant_;
  }

  /// Whether a step may send `size` between vertices that may idle for so long.
  static bool usable(std::int64_t size, std::int64_t duration, std::int64_t left_slack, std::int64_t right_slack) {
    return size > 0 && size >= duration - std::min(left_slack, right_slack);
  }

  /// Whether there is a step of `duration` such that the rest still fits into the rest of the horizon.
  bool feasible(const Partial& partial, std::int64_t duration) {
    budget_.spend(kWorkOfCoverage * static_cast<std::int64_t>(lefts_ * rights_));
    std::int32_t critical_lefts = 0;
    std::int32_t critical_rights = 0;
    for (const std::int64_t slack : left_slack_) critical_lefts += slack < duration ? 1 : 0;
    for (const std::int64_t slack : right_slack_) critical_rights += slack < duration ? 1 : 0;
    if (std::max(critical_lefts, critical_rights) > table_.max_transfers) return false;
    if (critical_lefts > 0) {
      from_left_.start();
      for (std::size_t u = 0; u < lefts_; ++u) {
        if (left_slack_[u] >= duration) continue;
        from_left_.clear_row(u);
        for (std::size_t v = 0; v < rights_; ++v)
          if (usable(partial.size[u * rights_ + v], duration, left_slack_[u], right_slack_[v])) from_left_.add(u, v);
      }
      // Rows of vertices that own nothing are never read, so only critical vertices need rows.
      for (std::size_t u = 0; u < lefts_; ++u)
        if (left_slack_[u] < duration && !from_left_.cover(u)) return false;
    }
    if (critical_rights > 0) {
      from_right_.start();
      for (std::size_t v = 0; v < rights_; ++v) {
        if (right_slack_[v] >= duration) continue;
        from_right_.clear_row(v);
        for (std::size_t u = 0; u < lefts_; ++u)
          if (usable(partial.size[u * rights_ + v], duration, left_slack_[u], right_slack_[v])) from_right_.add(v, u);
      }
      for (std::size_t v = 0; v < rights_; ++v)
        if (right_slack_[v] < duration && !from_right_.cover(v)) return false;
    }
    if (!k_bound_) return true;
    return match(partial, duration, false) && sends_enough(partial, duration);
  }

  /// Whether what the assignment leaves fits k transfers at a time in the rest of the horizon.
  bool sends_enough(const Partial& partial, std::int64_t duration) const {
    if (!k_bound_) return true;
    std::int64_t volume = 0;
    for (std::size_t u = 0; u < lefts_; ++u) {
      const std::int32_t v = right_of(partial, duration, u);
      if (v >= 0) volume += std::min(duration, partial.size[u * rights_ + as_size(v)]);
    }
    return rounded_up(partial.loads.total - volume, table_.max_transfers) <= partial.remaining - duration;
  }

  /// The partner of left `u` in the last assignment; -1: none.
  [[nodiscard]] std::int32_t right_of(const Partial& partial, std::int64_t duration, std::size_t u) const {
    const std::int32_t v = assignment_.column_of(static_cast<std::int32_t>(u));
    if (v >= table_.rights) return -1;
    return usable(partial.size[u * rights_ + as_size(v)], duration, left_slack_[u], right_slack_[as_size(v)]) ? v : -1;
  }

  /// Finds the matching of at most k usable edges that covers the critical vertices and gains most: potential, or (to
  /// send much) volume. False if there is none, or no time for it.
  ///
  /// The table has a dummy right for each of lefts - k lefts that must stay idle, and dummy lefts likewise. So a
  /// complete assignment has k real pairs. A real pair that is no usable edge stands for two idle vertices.
  bool match(const Partial& partial, std::int64_t duration, bool by_potential) {
    if (budget_.over()) return false;
    budget_.spend(kWorkOfGain * static_cast<std::int64_t>(lefts_ * rights_));
    assignment_.forbid_all();
    const double scale = DenseAssignment::kLargestGain /
                         ((by_potential ? potential(duration) : static_cast<double>(duration)) * (1 + effort_.noise));
    for (std::size_t u = 0; u < lefts_; ++u) {
      const auto row = static_cast<std::int32_t>(u);
      const bool left_free = left_slack_[u] >= duration;
      for (std::size_t v = 0; v < rights_; ++v) {
        const std::size_t cell = u * rights_ + v;
        const std::int64_t size = partial.size[cell];
        const auto column = static_cast<std::int32_t>(v);
        if (usable(size, duration, left_slack_[u], right_slack_[v])) {
          const std::int64_t sent = std::min(size, duration);
          double gain = by_potential ? root_of_[cell] - potential(size - sent) : static_cast<double>(sent);
          if (by_potential && !factor_.empty()) gain *= factor_[cell];
          assignment_.set_gain(row, column, static_cast<std::int32_t>(gain * scale));
        } else if (left_free && right_slack_[v] >= duration) {
          assignment_.set_gain(row, column, 0);
        }
      }
      if (!left_free) continue;
      for (std::int32_t column = table_.rights; column < side_; ++column) assignment_.set_gain(row, column, 0);
    }
    for (std::int32_t row = table_.lefts; row < side_; ++row)
      for (std::size_t v = 0; v < rights_; ++v)
        if (right_slack_[v] >= duration) assignment_.set_gain(row, static_cast<std::int32_t>(v), 0);
    const bool found = assignment_.solve();
    budget_.spend(assignment_.looks());
    return found;
  }

  void expand(const Partial& partial, std::int32_t index) {
    left_slack_.resize(lefts_);
    right_slack_.resize(rights_);
    for (std::size_t u = 0; u < lefts_; ++u) left_slack_[u] = partial.remaining - partial.loads.left[u];
    for (std::size_t v = 0; v < rights_; ++v) right_slack_[v] = partial.remaining - partial.loads.right[v];
    for (std::size_t cell = 0; cell < partial.size.size(); ++cell) root_of_[cell] = potential(partial.size[cell]);
    sizes_.clear();
    std::unique_copy(partial.sorted.begin(), partial.sorted.end(), std::back_inserter(sizes_));

    const std::int64_t low = longest_duration(partial);
    if (low == 0) return;
    std::int32_t left = effort_.durations;
    consider(partial, index, low);
    --left;
    for (auto it = std::lower_bound(sizes_.begin(), sizes_.end(), low); it != sizes_.begin() && left > 0; --left) {
      --it;
      consider(partial, index, *it);
    }
  }

  /// The longest feasible duration, 0 if there is none; with k below the sides, one that is feasible and no shorter
  /// than the longest feasible size.
  std::int64_t longest_duration(const Partial& partial) {
    // Among the sizes, from the duration of the step before: the next one is rarely far away.
    const std::int64_t largest = std::min(sizes_.back(), partial.remaining);
    const auto fitting = std::upper_bound(sizes_.begin(), sizes_.end(), largest) - sizes_.begin();
    std::ptrdiff_t from = -1;     // the largest position known to be feasible
    std::ptrdiff_t to = fitting;  // the smallest one known not to be, or beyond the last
    std::ptrdiff_t position =
        partial.node < 0
            ? fitting / 2
            : std::lower_bound(sizes_.begin(), sizes_.begin() + fitting, partial.last_duration) - sizes_.begin();
    for (std::ptrdiff_t stride = 1; from < to - 1; stride *= 2) {
      position = std::clamp(position, from + 1, to - 1);
      const bool fits = feasible(partial, sizes_[static_cast<std::size_t>(position)]);
      (fits ? from : to) = position;
      if (from >= 0 && to < fitting) {
        position = from + (to - from) / 2;
      } else {
        position += fits ? stride : -stride;
      }
    }
    // Between two sizes, the only durations to try are the last ones before an edge ceases to be usable or a vertex
    // becomes critical.
    const std::int64_t low = from < 0 ? 0 : sizes_[static_cast<std::size_t>(from)];
    const std::int64_t high = to < fitting ? sizes_[static_cast<std::size_t>(to)] - 1 : largest;
    thresholds_.clear();
    const auto add = [&](std::int64_t duration) {
      if (low < duration && duration < high) thresholds_.push_back(duration);
    };
    if (high > low) thresholds_.push_back(high);
    for (const std::int64_t slack : left_slack_) add(slack);
    for (const std::int64_t slack : right_slack_) add(slack);
    for (std::size_t u = 0; u < lefts_; ++u) {
      for (std::size_t v = 0; v < rights_; ++v) {
        const std::int64_t size = partial.size[u * rights_ + v];
        if (size > 0 && size <= high) add(size + std::min(left_slack_[u], right_slack_[v]));
      }
    }
    if (from < 0) add(1);
    std::sort(thresholds_.begin(), thresholds_.end());
    thresholds_.erase(std::unique(thresholds_.begin(), thresholds_.end()), thresholds_.end());
    const auto first_infeasible = std::partition_point(thresholds_.begin(), thresholds_.end(),
                                                       [&](std::int64_t d) { return feasible(partial, d); });
    return first_infeasible == thresholds_.begin() ? low : *(first_infeasible - 1);
  }

  void consider(const Partial& partial, std::int32_t index, std::int64_t duration) {
    if (!match(partial, duration, true)) return;
    if (!sends_enough(partial, duration) && !(match(partial, duration, false) && sends_enough(partial, duration)))
      return;
    PeelCandidate candidate{partial.potential, index, 0, partial.hash, matchings_.size()};
    for (std::size_t u = 0; u < lefts_; ++u) {
      const std::int32_t v = right_of(partial, duration, u);
      matchings_.push_back(v);
      if (v < 0) continue;
      const std::size_t cell = u * rights_ + as_size(v);
      const std::int64_t sent = std::min(duration, partial.size[cell]);
      candidate.duration = std::max(candidate.duration, sent);
      candidate.potential -= root_of_[cell] - potential(partial.size[cell] - sent);
      candidate.hash -= hash_of_[cell] * static_cast<std::uint64_t>(sent);
    }
    candidates_.push_back(candidate);
  }

  Partial follow(const Partial& parent, const PeelCandidate& candidate) {
    Partial child{parent.size, {}, parent.loads, parent.remaining, 0, 0, 0, -1};
    child.remaining -= candidate.duration;
    child.potential = candidate.potential;
    child.hash = candidate.hash;
    child.last_duration = candidate.duration;
    Node node{parent.node, candidate.duration, {}};
    gone_.clear();
    come_.clear();
    const auto begin = matchings_.begin() + static_cast<std::ptrdiff_t>(candidate.matching);
    node.right_of.assign(begin, begin + static_cast<std::ptrdiff_t>(lefts_));
    for (std::size_t u = 0; u < lefts_; ++u) {
      if (node.right_of[u] < 0) continue;
      const std::size_t v = as_size(node.right_of[u]);
      std::int64_t& size = child.size[u * rights_ + v];
      const std::int64_t sent = std::min(candidate.duration, size);
      gone_.push_back(size);
      size -= sent;
      if (size > 0) come_.push_back(size);
      child.loads.left[u] -= sent;
      child.loads.right[v] -= sent;
      child.loads.total -= sent;
      if (size > 0) continue;
      --child.loads.left_degree[u];
      --child.loads.right_degree[v];
      --child.loads.messages;
    }
    std::sort(gone_.begin(), gone_.end());
    std::sort(come_.begin(), come_.end());
    unchanged_.clear();
    std::set_difference(parent.sorted.begin(), parent.sorted.end(), gone_.begin(), gone_.end(),
                        std::back_inserter(unchanged_));
    child.sorted.resize(unchanged_.size() + come_.size());
    std::merge(unchanged_.begin(), unchanged_.end(), come_.begin(), come_.end(), child.sorted.begin());
    child.node = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back(std::move(node));
    return child;
  }

  [[nodiscard]] CellSteps steps_to(std::int32_t node) const {
    std::vector<std::int32_t> path;
    for (; node >= 0; node = nodes_[as_size(node)].parent) path.push_back(node);
    CellSteps steps;
    std::vector<std::int64_t> left = table_.size;
    for (auto it = path.rbegin(); it != path.rend(); ++it) {
      const Node& step = nodes_[as_size(*it)];
      std::vector<CellPiece>& pieces = steps.emplace_back();
      for (std::size_t u = 0; u < lefts_; ++u) {
        const std::int32_t v = step.right_of[u];
        if (v < 0) continue;
        std::int64_t& size = left[u * rights_ + as_size(v)];
        const std::int64_t sent = std::min(step.duration, size);
        size -= sent;
        pieces.push_back({static_cast<std::int32_t>(u), v, sent});
      }
    }
    return steps;
  }

  const DemandTable& table_;
  const LazySlackEffort& effort_;
  Budget& budget_;
  std::size_t lefts_, rights_;
  std::int32_t side_;
  bool k_bound_;         ///< whether a matching can have more than k edges
  double constant_ = 0;  ///< of the linear price
  std::vector<std::uint64_t> hash_of_;
  std::vector<double> factor_;  ///< noise on the gains of each cell; empty: none
  Coverage from_left_, from_right_;
  DenseAssignment assignment_;
  std::vector<double> root_of_;  ///< potential of each cell of the partial plan that is expanded
  std::vector<std::int64_t> left_slack_, right_slack_, sizes_, thresholds_;
  std::vector<std::int64_t> gone_, come_, unchanged_;  // sizes before and after a step; sizes that it left alone
  std::vector<PeelCandidate> candidates_;
  std::vector<std::int32_t> matchings_;
  std::unordered_set<std::uint64_t> seen_;
  std::vector<Node> nodes_;
};

}  // namespace

DemandTable::DemandTable(const Demand& demand)
    : lefts(demand.lefts),
      rights(demand.rights),
      max_transfers(demand.max_transfers),
      setup(demand.setup),
      size(as_size(demand.lefts) * as_size(demand.rights), 0) {
  for (const Edge& edge : demand.edges) size[as_size(edge.left) * as_size(rights) + as_size(edge.right)] += edge.weight;
}

std::int64_t shortest_transmission(const DemandTable& table) {
  return shortest_transmission(Loads(table), table.max_transfers);
}

std::int64_t fewest_steps(const DemandTable& table) { return fewest_steps(Loads(table), table.max_transfers); }

double cost(const CellSteps& steps, double setup) {
  std::int64_t transmission = 0;
  for (const std::vector<CellPiece>& step : steps) {
    std::int64_t duration = 0;
    for (const CellPiece& piece : step) duration = std::max(duration, piece.size);
    transmission += duration;
  }
  return static_cast<double>(transmission) + setup * static_cast<double>(steps.size());
}

std::optional<CellSteps> plan_lazily(const DemandTable& table, std::int64_t horizon, const LazySlackEffort& effort,
                                     double limit, Budget& budget) {
  return PeelSearch(table, effort, budget).run(horizon, limit);
}

}  // namespace sluice::detail
