#include "plan/exchange/constructive/shaving.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>

namespace sluice::detail {

namespace {

constexpr std::size_t kMostWatched = std::size_t{1} << 26;  // nodes times steps, for memory
constexpr std::size_t kHotNodes = 256;  // nodes watched for each step, the nodes with its longest parts
constexpr std::size_t kMostAddedSteps = 8;
constexpr int kPatienceForSteps = 2;
constexpr int kPatienceForDraws = 64;
constexpr int kLeastShift = 4, kShifts = 5;  // in draws
constexpr int kShift = 7, kLastShift = 12;   // of the longest duration: how much one is lowered at a time
constexpr int kLongestStepShift = 1, kShortestStepShift = 6;  // the length of a further step
constexpr std::size_t kPartsTried = 4;                        // of a node, for being cut, but one
constexpr std::int64_t kCutsTried = 8;                        // of a part, but one
constexpr std::int64_t kWorkOfShavedPart = 30;
constexpr std::int64_t kWorkOfHotNode = 2;
constexpr std::int64_t kWorkOfFitCheck = 30;  // and one for each part behind

class Shaving {
 public:
  Shaving(const Demand& demand, std::vector<Piece>& parts, Budget& budget)
      : demand_(demand),
        parts_(parts),
        budget_(budget),
        k_(as_size(demand.max_transfers)),
        limited_(demand.max_transfers < std::min(demand.lefts, demand.rights)),
        rows_(as_size(demand.lefts) + as_size(demand.rights)) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (const bool right : {false, true})
        rows_[end_of(parts[i], right)].push_back({parts[i].size, static_cast<std::int32_t>(i)});
    for (Row& row : rows_) std::sort(row.begin(), row.end(), before);
    budget_.spend(2 * kWorkOfShavedPart * static_cast<std::int64_t>(parts.size()));
  }

  void run() {
    std::size_t steps = (parts_.size() + k_ - 1) / k_;
    for (const Row& row : rows_) steps = std::max(steps, row.size());
    if (budget_.over() || (steps + kMostAddedSteps) * rows_.size() > kMostWatched) return;
    list_longest(steps);
    const double before = total(durations_);
    least_total_ = before;
    compare({}, kShift);
    try_more_steps();
    draw_steps();
    if (least_total_ == before) return;
    reserve_ = -Budget::kUnlimited;  // the whole budget is there, except what the last trial has overdrawn
    lower_all(best_, best_shift_);
  }

 private:
  struct Entry {
    std::int64_t size = 0;
    std::int32_t part = 0;
  };
  using Row = std::vector<Entry>;  ///< parts of a node, the longest first
  /// A part that was shaved, and the part cut off from it.
  struct Cut {
    std::int32_t part = 0, rest = 0;
  };

  /// Whether there is no more work left than it takes to make what the best trial made once more.
  [[nodiscard]] bool over() { return budget_.left() <= reserve_ || budget_.cut_short(); }

  static bool before(const Entry& a, const Entry& b) { return a.size != b.size ? a.size > b.size : a.part < b.part; }
  [[nodiscard]] std::size_t end_of(const Piece& part, bool right) const {
    const Edge& edge = demand_.edges[as_size(part.edge)];
    return right ? as_size(demand_.lefts) + as_size(edge.right) : as_size(edge.left);
  }
  [[nodiscard]] double total(const std::vector<std::int64_t>& durations) const {
    double result = demand_.setup * static_cast<double>(durations.size());
    for (const std::int64_t duration : durations) result += static_cast<double>(duration);
    return result;
  }

  /// Lists the present durations, the nodes that cause them, and the nodes that come next.
  void list_longest(std::size_t steps) {
    durations_.assign(steps, 0);
    hot_.assign(steps, {});
    least_.assign(steps, 1);
    is_hot_.assign(steps * rows_.size(), 0);
    std::vector<std::pair<std::int64_t, std::size_t>> nodes;
    for (std::size_t i = 0; i < steps; ++i) {
      nodes.clear();
      for (std::size_t v = 0; v < rows_.size(); ++v)
        if (i < rows_[v].size()) nodes.emplace_back(-rows_[v][i].size, v);
      budget_.spend(kWorkOfHotNode * static_cast<std::int64_t>(rows_.size()));
      if (nodes.empty()) continue;
      const std::size_t count = std::min(kHotNodes, nodes.size());
      std::partial_sort(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count), nodes.end());
      durations_[i] = -nodes.front().first;
      if (count < nodes.size()) least_[i] = -nodes[count - 1].first;
      for (std::size_t j = 0; j < count; ++j) watch(nodes[j].second, i);
    }
    for (const std::vector<std::size_t>& each : hot_) hot_before_.push_back(each.size());
    if (!limited_) return;
    std::vector<std::int64_t> sizes;
    for (const Piece& part : parts_) sizes.push_back(part.size);
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    for (std::size_t i = 0; i * k_ < sizes.size(); ++i) {
      durations_[i] = std::max(durations_[i], sizes[i * k_]);
      least_[i] = std::max(least_[i], sizes[i * k_]);
    }
  }

  void watch(std::size_t node, std::size_t i) {
    if (std::exchange(is_hot_[i * rows_.size() + node], 1) == 0) hot_[i].push_back(node);
  }

  /// Adds one step after another, of the durations that serve best.
  void try_more_steps() {
    const std::int64_t longest = durations_.front();
    std::vector<std::int64_t> more;
    for (int failures = 0; failures < kPatienceForSteps && more.size() < kMostAddedSteps; ++failures) {
      const double least_before = least_total_;
      double least_now = HUGE_VAL;
      std::int64_t chosen = 0;
      for (int shift = kLongestStepShift; shift <= kShortestStepShift; ++shift) {
        if (over()) return;
        more.push_back(std::max<std::int64_t>(1, longest >> shift));
        if (const double now = compare(more, kShift); now < least_now) {
          least_now = now;
          chosen = more.back();
        }
        more.pop_back();
      }
      more.push_back(chosen);
      if (least_total_ < least_before) failures = -1;
    }
  }

  /// Tries durations near the best ones.
  void draw_steps() {
    std::mt19937_64 random(1);
    const auto below = [&](std::int64_t count) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
    };
    const std::int64_t longest = durations_.front();
    for (int failures = 0; failures < kPatienceForDraws && !over(); ++failures) {
      std::vector<std::int64_t> more = best_;
      if (!more.empty() && below(3) == 0) {
        more[as_size(below(std::ssize(more)))] = 1 + below(longest / 2 + 1);
      } else {
        for (std::int64_t& each : more) each = std::max<std::int64_t>(1, each / 100 * (80 + below(41)));
      }
      const std::int64_t resize = below(8);
      if (more.empty() || (resize == 0 && more.size() < kMostAddedSteps)) more.push_back(1 + below(longest / 2 + 1));
      if (resize == 1 && more.size() > 1) more.pop_back();
      const double least_before = least_total_;
      compare(more, kLeastShift + static_cast<int>(below(kShifts)));
      if (least_total_ < least_before) failures = -1;
    }
  }

  /// As attempt(); keeps the best.
  double compare(const std::vector<std::int64_t>& more, int shift) {
    const std::int64_t before = budget_.spent();
    const double now = attempt(more, shift);
    const std::int64_t spent = budget_.spent() - before;
    if (now >= least_total_ || over() || budget_.left() < spent) return now;
    reserve_ = spent;
    least_total_ = now;
    best_ = more;
    best_shift_ = shift;
    return now;
  }

  /// The least cost of the parts with `more` further steps. Leaves the parts as they were.
  double attempt(const std::vector<std::int64_t>& more, int first_shift) {
    const std::vector<std::int64_t> durations = durations_;
    const std::size_t steps = durations_.size();
    lower_all(more, first_shift);
    const double result = total(durations_);
    undo(0);
    durations_ = durations;
    least_.resize(steps);
    hot_.resize(steps);
    is_hot_.resize(steps * rows_.size());
    for (std::size_t i = 0; i < steps; ++i) {
      for (; hot_[i].size() > hot_before_[i]; hot_[i].pop_back()) is_hot_[i * rows_.size() + hot_[i].back()] = 0;
    }
    return result;
  }

  void lower_all(const std::vector<std::int64_t>& more, int first_shift) {
    for (const std::int64_t duration : more) add_step(duration);
    // Nothing needs the steps that are new before others are shorter.
    for (const bool all : {false, true}) {
      const std::int64_t longest = durations_.front();
      for (int shift = first_shift; shift <= kLastShift; ++shift) {
        const std::int64_t by = std::max<std::int64_t>(1, longest >> shift);
        for (bool any = true; any && !over();) {
          any = false;
          for (std::size_t i = durations_.size(); i > 0; --i) {
            if (!all && std::find(more.begin(), more.end(), durations_[i - 1]) != more.end()) continue;
            any = lower(i - 1, by) || any;
          }
        }
        if (by == 1) break;
      }
      if (more.empty()) break;
    }
  }

  void add_step(std::int64_t duration) {
    const auto at =
        std::find_if(durations_.begin(), durations_.end(), [duration](std::int64_t each) { return each < duration; }) -
        durations_.begin();
    durations_.insert(durations_.begin() + at, duration);
    hot_.emplace_back();
    least_.push_back(1);
    is_hot_.resize(durations_.size() * rows_.size(), 0);
  }

  [[nodiscard]] bool too_long(std::size_t node, std::size_t i) const {
    return i < rows_[node].size() && rows_[node][i].size > durations_[i];
  }

  /// Lowers step i by `by`, or as far as the next step allows; returns whether it is shorter.
  bool lower(std::size_t i, std::int64_t by) {
    const std::int64_t was = durations_[i];
    const std::int64_t next = i + 1 < durations_.size() ? durations_[i + 1] : 1;
    const std::int64_t now = std::max({was - by, next, least_[i]});
    if (now >= was) return false;
    const std::size_t mark = cuts_.size();
    durations_[i] = now;
    budget_.spend(kWorkOfHotNode * static_cast<std::int64_t>(hot_[i].size()));
    for (std::size_t j = 0; j < hot_[i].size(); ++j) {
      if (!too_long(hot_[i][j], i) || shave_node(hot_[i][j], i, was)) continue;
      undo(mark);
      durations_[i] = was;
      return false;
    }
    return true;
  }

  /// Cuts one of the i + 1 longest parts of a node, so that step i carries both; `was`: how long it lasts for ends that
  /// still wait for their turn.
  bool shave_node(std::size_t node, std::size_t i, std::int64_t was) {
    const std::int64_t duration = durations_[i];
    if (limited_ && parts_.size() >= k_ * durations_.size()) return false;
    // Halves leave the node the most room in all steps, and a rest that is short fits best.
    for (std::int64_t share = 0; share <= kCutsTried; ++share) {
      for (std::size_t j = 0; j <= kPartsTried; ++j) {
        const std::int32_t part = rows_[node][i * j / kPartsTried].part;
        const Piece whole = parts_[as_size(part)];
        const std::int64_t half = whole.size - whole.size / 2;
        if (half > duration) continue;
        const std::int64_t to =
            half + (duration - half) / kCutsTried * share + (duration - half) % kCutsTried * share / kCutsTried;
        const std::size_t left = end_of(whole, false);
        const std::size_t other = left == node ? end_of(whole, true) : left;
        if (!fits(node, whole.size, to, i, duration)) continue;
        if (!fits(other, whole.size, to, i, too_long(other, i) ? was : duration)) continue;
        cut(part, to);
        return true;
      }
    }
    return false;
  }

  /// Whether a row fits the durations if step i lasts `limit` and a part of `size`, one of the row's i + 1 longest, is
  /// cut to `to`. @pre the row fits them now, except step i perhaps
  [[nodiscard]] bool fits(std::size_t node, std::int64_t size, std::int64_t to, std::size_t i, std::int64_t limit) {
    const Row& row = rows_[node];
    if (row.size() + 1 > durations_.size()) return false;
    const std::int64_t shorter = std::min(to, size - to);
    const std::int64_t longer = size - shorter;
    const auto longer_than = [&](std::int64_t length) {
      return as_size(
          std::partition_point(row.begin(), row.end(), [=](const Entry& each) { return each.size > length; }) -
          row.begin());
    };
    const auto lasts = [&](std::size_t step) { return step == i ? limit : durations_[step]; };
    // Parts between the whole part and the longer piece come a step earlier; parts between the two pieces stay.
    const std::size_t first = longer_than(longer) - 1;
    const std::size_t second = longer_than(shorter);
    budget_.spend(kWorkOfFitCheck);
    if (longer > lasts(first) || shorter > lasts(second)) return false;
    if (first < i && i < second && row[i].size > limit) return false;
    // The parts behind come a step later.
    std::size_t at = second;
    while (at < row.size() && row[at].size <= lasts(at + 1)) ++at;
    budget_.spend(static_cast<std::int64_t>(at - second));
    return at == row.size();
  }

  void put(std::size_t node, const Entry& entry) {
    Row& row = rows_[node];
    row.insert(std::lower_bound(row.begin(), row.end(), entry, before), entry);
  }
  void take(std::size_t node, const Entry& entry) {
    Row& row = rows_[node];
    row.erase(std::lower_bound(row.begin(), row.end(), entry, before));
  }

  void cut(std::int32_t part, std::int64_t to) {
    const Piece whole = parts_[as_size(part)];
    const Cut cut{part, static_cast<std::int32_t>(parts_.size())};
    parts_[as_size(part)].size = to;
    parts_.push_back({whole.edge, whole.size - to});
    cuts_.push_back(cut);
    for (const bool right : {false, true}) {
      const std::size_t node = end_of(whole, right);
      take(node, {whole.size, part});
      put(node, {to, part});
      put(node, {whole.size - to, cut.rest});
      // Behind the rest everything has come a step later.
      const Row& row = rows_[node];
      for (std::size_t i = 0; i < row.size(); ++i)
        if (row[i].size > least_[i] && row[i].size <= whole.size - to) watch(node, i);
    }
  }

  void undo(std::size_t mark) {
    for (; cuts_.size() > mark; cuts_.pop_back()) {
      const auto [part, rest] = cuts_.back();
      Piece& piece = parts_[as_size(part)];
      for (const bool right : {false, true}) {
        const std::size_t node = end_of(piece, right);
        take(node, {piece.size, part});
        take(node, {parts_.back().size, rest});
        put(node, {piece.size + parts_.back().size, part});
      }
      piece.size += parts_.back().size;
      parts_.pop_back();
    }
  }

  const Demand& demand_;
  std::vector<Piece>& parts_;
  Budget& budget_;
  std::size_t k_;
  bool limited_;
  std::vector<Row> rows_;
  std::vector<std::int64_t> durations_;        ///< falling
  std::vector<std::int64_t> least_;            ///< of each step: hot_ has all nodes that are longer
  std::vector<std::vector<std::size_t>> hot_;  ///< of each step, nodes
  std::vector<char> is_hot_;                   ///< by step and node
  std::vector<std::size_t> hot_before_;        ///< how many there are before anything is cut
  std::vector<Cut> cuts_;
  double least_total_ = 0;
  std::vector<std::int64_t> best_;  ///< durations of the steps that are added for it
  int best_shift_ = 0;
  std::int64_t reserve_ = 0;  ///< the work that it takes
};

}  // namespace

void shave(const Demand& demand, std::vector<Piece>& parts, Budget& budget) { Shaving(demand, parts, budget).run(); }

}  // namespace sluice::detail
