/// Simulated annealing over the parts that messages are cut into and the durations of steps.
///
/// Problem: KPBS without a limit k, see include/sluice/plan/exchange.hpp, from a plan that is there.
///
/// Method: whatever a plan does, the i-th longest part of any node takes no longer than the i-th longest step. If all
/// nodes keep to that, peel_rising (rising_peel.hpp) makes a plan of the parts that is hardly ever longer. So a state
/// has the parts of each message and the falling durations of the steps, but not which parts meet in a step. It costs
/// its durations, a set-up for each step, and a price for what nodes lack: the excess of their parts over durations,
/// and a set-up for each part beyond the steps. Moves:
///
/// - a part is cut in two, two parts of a message become one, or their sizes change and keep their sum;
/// - a step becomes longer or shorter, between its neighbours by duration.
///
/// Most nodes never lack anything. So half of the parts belong to nodes that lack something, the others to nodes with
/// one of the longest parts at a random place. A round takes one step away, the one that costs least, and then anneals:
/// the temperature falls geometrically, and the price rises. It is easier to take steps from a plan of many steps than
/// to find the long steps of a plan of few. What a round ends with is feasible if every step lasts as long as its
/// longest part; the cheapest such state becomes the plan.
///
/// Guarantee: `found` gets at most one plan, which costs less than the first.
///
/// Complexity: a move takes O(steps) at worst, mostly less; a round O(steps n) besides. Memory O(steps n).
/// Deterministic for a seed, unless time ends it.
///
/// Source: ours; annealing as in anneal.cpp.
///
/// Example: set-up 1, messages 0->0 of 10, 1->1 of 5, 1->2 of 5, in steps of 10 and 5: cost 17. With 0->0 in parts of
/// 5 and 5 no node has a part above 5, and the first step can become as short: 12.
#include "plan/exchange/search/recut.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/fixed_math.hpp"
#include "plan/exchange/constructive/rising_peel.hpp"
#include "plan/exchange/search/accepted_rise.hpp"

namespace sluice::detail {

namespace {

constexpr std::size_t kMoreRecutSteps = 8;                                  // parts of a node beyond the steps, at most
constexpr std::size_t kMostRecutCells = std::size_t{1} << 25;               // nodes times steps, for memory
constexpr std::int64_t kMostRecutSize = std::int64_t{1} << 50;              // so that sums of excesses stay exact
constexpr double kRoundsOfSteps = 0.4;                                      // rounds, of the steps beyond the fewest
constexpr double kFirstRecutOfSetup = 0.05, kFirstRecutOfDuration = 0.025;  // the first temperature
constexpr double kLastRecutOfFirst = 0.01;                                  // the last temperature
constexpr double kFirstRecutPrice = 1, kLastRecutPrice = 1.5;               // of what a node lacks
constexpr double kPriceOfPart = 0.1;                       // temperatures, so that cuts are no end in themselves
constexpr std::size_t kHot = 24;                           // nodes watched at each place
constexpr std::size_t kRemovalsTried = 8;                  // steps that may go
constexpr int kMovesBetweenLooks = 64;                     // at the budget and the temperature, moves
constexpr double kRecutReach = 4;                          // temperatures: the most that a size changes
constexpr std::int64_t kMostWorkOfRound = 10'000'000'000;  // for a budget that has no end
constexpr std::int64_t kWorkOfRecutMove = 220, kWorkOfRecutHot = 3, kWorkOfRecutPlace = 2, kWorkOfRecutPart = 150;

class Recutting {
 public:
  Recutting(const Demand& demand, const PieceSteps& steps, std::uint64_t seed, Budget& budget)
      : demand_(demand),
        budget_(budget),
        random_(seed),
        nodes_(as_size(demand.lefts) + as_size(demand.rights)),
        parts_of_(demand.edges.size()),
        count_(nodes_, 0),
        lack_(nodes_, 0),
        place_in_lacking_(nodes_, -1) {
    std::vector<std::size_t> counts(nodes_, 0);
    for (const std::vector<Piece>& step : steps) {
      for (const Piece& piece : step) {
        if (piece.size == 0) continue;
        parts_of_[as_size(piece.edge)].push_back(static_cast<std::int32_t>(parts_.size()));
        parts_.push_back(piece);
        for (const std::size_t node : ends(piece.edge)) ++counts[node];
      }
    }
    steps_ = *std::max_element(counts.begin(), counts.end());
    width_ = steps_ + kMoreRecutSteps;
    size_.assign(nodes_ * width_, 0);
    part_at_.assign(nodes_ * width_, -1);
    // From the longest on, every part comes last in its rows.
    std::vector<std::int32_t> order(parts_.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [this](std::int32_t a, std::int32_t b) {
      const std::int64_t first = parts_[as_size(a)].size;
      const std::int64_t second = parts_[as_size(b)].size;
      return first != second ? first > second : a < b;
    });
    for (const std::int32_t part : order)
      for (const std::size_t node : ends(parts_[as_size(part)].edge)) insert(node, parts_[as_size(part)].size, part);
    durations_ = longest_parts();
    budget_.spend(kWorkOfRecutPart * static_cast<std::int64_t>(parts_.size()));
  }

  [[nodiscard]] std::size_t steps() const { return steps_; }
  [[nodiscard]] const std::vector<Piece>& parts() const { return parts_; }
  [[nodiscard]] double mean_duration() const {
    double sum = 0;
    for (const std::int64_t duration : durations_) sum += static_cast<double>(duration);
    return sum / static_cast<double>(steps_);
  }

  /// The cost of the state if each step lasts as long as its longest part.
  [[nodiscard]] double least_cost() {
    double result = 0;
    for (const std::int64_t duration : longest_parts())
      if (duration > 0) result += static_cast<double>(duration) + demand_.setup;
    return result;
  }

  /// Takes the step away that costs least, of some.
  void remove_step() {
    std::size_t best = steps_ - 1;
    double least = HUGE_VAL;
    for (std::size_t i = 0; i <= kRemovalsTried; ++i) {
      const std::size_t step = i == 0 ? steps_ - 1 : steps_ / 2 + below(steps_ - steps_ / 2);
      const std::int64_t duration = take(step);
      double now = -static_cast<double>(duration);
      for (std::size_t v = 0; v < nodes_; ++v) now += lack_of(v);
      put_back(step, duration);
      if (now >= least) continue;
      least = now;
      best = step;
    }
    take(best);
    budget_.spend(static_cast<std::int64_t>((kRemovalsTried + 1) * nodes_ * steps_));
  }

  /// Looks at all nodes anew: what they lack, and which are hot.
  void refresh() {
    for (std::size_t v = 0; v < nodes_; ++v) set_lack(v, lack_of(v));
    hot_.assign(steps_ * kHot, 0);
    std::vector<std::pair<std::int64_t, std::int32_t>> order(nodes_);
    const std::size_t count = std::min(kHot, nodes_);
    for (std::size_t i = 0; i < steps_; ++i) {
      for (std::size_t v = 0; v < nodes_; ++v) order[v] = {-row(v)[i], static_cast<std::int32_t>(v)};
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end());
      for (std::size_t j = 0; j < kHot; ++j) hot_[i * kHot + j] = order[j % count].second;
    }
    budget_.spend(kWorkOfRecutHot * static_cast<std::int64_t>(nodes_ * steps_));
  }

  void move(double temperature, double price) {
    temperature_ = temperature;
    price_ = price;
    limit_ = rise_.draw(temperature, random_);
    const std::size_t kind = below(4);
    if (kind == 0) {
      stretch();
    } else if (kind < 3 && !lacking_.empty()) {
      change_part_of(as_size(lacking_[below(lacking_.size())]));
    } else {
      change_part_of(as_size(hot_[below(steps_) * kHot + below(kHot)]));
    }
    budget_.spend(std::exchange(work_, 0) + kWorkOfRecutMove);
  }

 private:
  using Sizes = std::array<std::int64_t, 2>;

  [[nodiscard]] std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  [[nodiscard]] std::array<std::size_t, 2> ends(std::int32_t edge) const {
    const Edge& ends = demand_.edges[as_size(edge)];
    return {as_size(ends.left), as_size(demand_.lefts) + as_size(ends.right)};
  }
  [[nodiscard]] std::int64_t* row(std::size_t node) { return &size_[node * width_]; }
  [[nodiscard]] std::int32_t* part_row(std::size_t node) { return &part_at_[node * width_]; }

  /// The longest part at each place of the rows.
  [[nodiscard]] std::vector<std::int64_t> longest_parts() {
    std::vector<std::int64_t> longest(width_, 0);
    for (std::size_t v = 0; v < nodes_; ++v)
      for (std::size_t i = 0; i < count_[v]; ++i) longest[i] = std::max(longest[i], row(v)[i]);
    budget_.spend(static_cast<std::int64_t>(nodes_ * steps_));
    return longest;
  }

  [[nodiscard]] double lack_of(std::size_t node) {
    std::int64_t excess = 0;
    const std::int64_t* sizes = row(node);
    for (std::size_t i = 0; i < count_[node]; ++i) excess += std::max<std::int64_t>(0, sizes[i] - durations_[i]);
    return static_cast<double>(excess) + beyond(count_[node]);
  }
  /// What parts beyond the steps cost.
  [[nodiscard]] double beyond(std::size_t count) const {
    return count > steps_ ? demand_.setup * static_cast<double>(count - steps_) : 0;
  }
  void set_lack(std::size_t node, double lack) {
    const bool lacked = lack_[node] > 0;
    lack_[node] = lack;
    if (lacked == (lack > 0)) return;
    std::int32_t& place = place_in_lacking_[node];
    if (lacked) {
      place_in_lacking_[as_size(lacking_.back())] = place;
      lacking_[as_size(place)] = lacking_.back();
      lacking_.pop_back();
      place = -1;
    } else {
      place = static_cast<std::int32_t>(lacking_.size());
      lacking_.push_back(static_cast<std::int32_t>(node));
    }
  }

  std::int64_t take(std::size_t step) {
    const std::int64_t duration = durations_[step];
    durations_.erase(durations_.begin() + static_cast<std::ptrdiff_t>(step));
    durations_.push_back(0);
    --steps_;
    return duration;
  }
  void put_back(std::size_t step, std::int64_t duration) {
    durations_.pop_back();
    durations_.insert(durations_.begin() + static_cast<std::ptrdiff_t>(step), duration);
    ++steps_;
  }

  /// The place of a part in a row.
  [[nodiscard]] std::size_t place_of(std::size_t node, std::int32_t part) {
    const std::int64_t* sizes = row(node);
    std::size_t i =
        as_size(std::lower_bound(sizes, sizes + count_[node], parts_[as_size(part)].size, std::greater<>()) - sizes);
    while (part_row(node)[i] != part) ++i;
    return i;
  }
  void insert(std::size_t node, std::int64_t size, std::int32_t part) {
    std::int64_t* sizes = row(node);
    std::int32_t* parts = part_row(node);
    const std::size_t count = count_[node]++;
    const auto at = std::upper_bound(sizes, sizes + count, size, std::greater<>()) - sizes;
    std::move_backward(sizes + at, sizes + count, sizes + count + 1);
    std::move_backward(parts + at, parts + count, parts + count + 1);
    sizes[at] = size;
    parts[at] = part;
  }
  void erase(std::size_t node, std::int32_t part) {
    const std::size_t at = place_of(node, part);
    const std::size_t count = count_[node]--;
    std::move(row(node) + at + 1, row(node) + count, row(node) + at);
    std::move(part_row(node) + at + 1, part_row(node) + count, part_row(node) + at);
    row(node)[count - 1] = 0;
    part_row(node)[count - 1] = -1;
  }

  /// What a node lacks if `gone`, some of its parts, become `sizes`, falling.
  [[nodiscard]] double lack_after(std::size_t node, std::array<std::int32_t, 2> gone, std::size_t gone_count,
                                  const Sizes& sizes, std::size_t count) {
    const std::int64_t* old = row(node);
    const std::size_t old_count = count_[node];
    std::array<std::size_t, 2> places{old_count, old_count};
    for (std::size_t i = 0; i < gone_count; ++i) places[i] = place_of(node, gone[i]);
    if (gone_count == 2 && places[0] > places[1]) std::swap(places[0], places[1]);
    const auto first = as_size(std::upper_bound(old, old + old_count, sizes[0], std::greater<>()) - old);
    std::size_t from = std::min(places[0], first);
    std::size_t to = from;
    std::size_t next_gone = 0, next_size = 0;
    std::int64_t change = 0;
    const std::size_t begin = from;
    const auto excess = [](std::int64_t size, std::int64_t duration) {
      return std::max<std::int64_t>(0, size - duration);
    };
    while (next_gone < gone_count || next_size < count) {
      if (next_gone < gone_count && from == places[next_gone]) {
        change -= excess(old[from], durations_[from]);
        ++from;
        ++next_gone;
      } else if (next_size < count && (from == old_count || sizes[next_size] > old[from])) {
        change += excess(sizes[next_size++], durations_[to++]);
      } else {
        change += excess(old[from], durations_[to++]) - excess(old[from], durations_[from]);
        ++from;
      }
    }
    if (from != to) {
      for (; from < old_count; ++from, ++to)
        change += excess(old[from], durations_[to]) - excess(old[from], durations_[from]);
    }
    work_ += kWorkOfRecutPlace * static_cast<std::int64_t>(from - begin);
    return lack_[node] + static_cast<double>(change) + beyond(old_count + count - gone_count) - beyond(old_count);
  }

  /// Lets `gone`, parts of one edge, become `sizes` if that costs little enough.
  void change_parts(std::array<std::int32_t, 2> gone, std::size_t gone_count, Sizes sizes, std::size_t count) {
    if (count == 2 && sizes[0] < sizes[1]) std::swap(sizes[0], sizes[1]);
    if (sizes[count - 1] <= 0) return;
    const std::int32_t edge = parts_[as_size(gone[0])].edge;
    const std::array<std::size_t, 2> nodes = ends(edge);
    if (count > gone_count && std::max(count_[nodes[0]], count_[nodes[1]]) + 1 >= width_) return;
    const double parts = kPriceOfPart * temperature_ * (static_cast<double>(count) - static_cast<double>(gone_count));
    std::array<double, 2> lack{};
    double total = parts - price_ * (lack_[nodes[0]] + lack_[nodes[1]]);
    for (const std::size_t i : {0U, 1U}) {
      lack[i] = lack_after(nodes[i], gone, gone_count, sizes, count);
      total += price_ * lack[i];
      if (total > limit_) return;
    }
    for (std::size_t i = 0; i < gone_count; ++i)
      for (const std::size_t node : nodes) erase(node, gone[i]);
    if (count > gone_count) {
      gone[1] = static_cast<std::int32_t>(parts_.size());
      parts_.push_back({edge, 0});
      parts_of_[as_size(edge)].push_back(gone[1]);
    } else if (count < gone_count) {
      drop(edge, gone);
    }
    for (std::size_t i = 0; i < count; ++i) {
      parts_[as_size(gone[i])].size = sizes[i];
      for (const std::size_t node : nodes) insert(node, sizes[i], gone[i]);
    }
    for (const std::size_t i : {0U, 1U}) set_lack(nodes[i], lack[i]);
    work_ += static_cast<std::int64_t>(2 * width_);
  }

  /// Forgets the second of two parts of an edge; the last part of all takes its number.
  void drop(std::int32_t edge, std::array<std::int32_t, 2>& gone) {
    std::vector<std::int32_t>& own = parts_of_[as_size(edge)];
    own.erase(std::find(own.begin(), own.end(), gone[1]));
    const auto last = static_cast<std::int32_t>(parts_.size()) - 1;
    if (last != gone[1]) {
      const Piece moved = parts_.back();
      if (last != gone[0]) {
        for (const std::size_t node : ends(moved.edge)) part_row(node)[place_of(node, last)] = gone[1];
      }
      std::vector<std::int32_t>& others = parts_of_[as_size(moved.edge)];
      *std::find(others.begin(), others.end(), last) = gone[1];
      parts_[as_size(gone[1])] = moved;
      if (last == gone[0]) gone[0] = gone[1];
    }
    parts_.pop_back();
  }

  /// A number from 1 to about `most`, small ones as likely as large ones by their logarithms.
  [[nodiscard]] std::int64_t draw_up_to(double most) {
    const auto whole = static_cast<std::uint64_t>(std::max(1.0, most));
    return 1 + static_cast<std::int64_t>((random_() % whole) >> below(as_size(std::bit_width(whole))));
  }

  void change_part_of(std::size_t node) {
    const std::size_t count = count_[node];
    if (count == 0) return;
    std::size_t place = std::min(count, steps_);
    if (lack_[node] > 0) {
      // The first place from a random one on that lasts too short; a part up to there is in the way.
      std::size_t at = below(count);
      for (std::size_t looks = 0; looks < count && row(node)[at] <= durations_[at]; ++looks, ++work_)
        at = at + 1 == count ? 0 : at + 1;
      place = at + 1;
    }
    const std::int32_t part = part_row(node)[below(place)];
    const Piece piece = parts_[as_size(part)];
    const std::vector<std::int32_t>& own = parts_of_[as_size(piece.edge)];
    if (own.size() > 1 && below(2) == 0) {
      std::int32_t other = part;
      while (other == part) other = own[below(own.size())];
      const std::int64_t both = piece.size + parts_[as_size(other)].size;
      if (below(3) == 0) {
        change_parts({part, other}, 2, {both, 0}, 1);
        return;
      }
      const std::size_t way = below(3);
      const std::int64_t change = draw_up_to(kRecutReach * temperature_);
      const std::int64_t size = way == 0   ? durations_[below(steps_)]
                                : way == 1 ? piece.size + (below(2) == 0 ? change : -change)
                                           : both / 2;
      change_parts({part, other}, 2, {size, both - size}, 2);
      return;
    }
    const std::size_t way = below(3);
    const std::int64_t size = way == 0   ? piece.size / 2
                              : way == 1 ? durations_[below(steps_)]
                                         : 1 + static_cast<std::int64_t>(below(as_size(piece.size)));
    change_parts({part, 0}, 1, {size, piece.size - size}, 2);
  }

  /// Lets a step last longer or shorter. Nodes that are not hot are looked at later.
  void stretch() {
    const std::size_t step = below(steps_);
    const std::int32_t* hot = &hot_[step * kHot];
    const std::int64_t before = durations_[step];
    std::int64_t after = before;
    if (below(2) == 0) {
      after = row(as_size(hot[below(kHot)]))[step];
    } else {
      const std::int64_t change = draw_up_to(kRecutReach * temperature_);
      after += below(2) == 0 ? change : -change;
    }
    after = std::max(after, step + 1 < steps_ ? durations_[step + 1] : 1);
    if (step > 0) after = std::min(after, durations_[step - 1]);
    if (after == before) return;
    const auto change_at = [&](std::size_t node) {
      const std::int64_t size = row(node)[step];
      return std::max<std::int64_t>(0, size - after) - std::max<std::int64_t>(0, size - before);
    };
    const std::size_t count = std::min(kHot, nodes_);
    std::int64_t lacks = 0;
    for (std::size_t j = 0; j < count; ++j) lacks += change_at(as_size(hot[j]));
    work_ += kWorkOfRecutHot * static_cast<std::int64_t>(count);
    if (static_cast<double>(after - before) + price_ * static_cast<double>(lacks) > limit_) return;
    for (std::size_t j = 0; j < count; ++j) {
      const std::size_t node = as_size(hot[j]);
      if (const std::int64_t change = change_at(node); change != 0)
        set_lack(node, lack_[node] + static_cast<double>(change));
    }
    durations_[step] = after;
  }

  const Demand& demand_;
  Budget& budget_;
  std::mt19937_64 random_;
  std::size_t nodes_, width_ = 0, steps_ = 0;
  std::vector<std::int64_t> durations_;  ///< falling; 0 beyond the steps
  std::vector<Piece> parts_;
  std::vector<std::vector<std::int32_t>> parts_of_;  ///< of each edge
  std::vector<std::int64_t> size_;                   ///< by node and place, falling
  std::vector<std::int32_t> part_at_;                ///< by node and place
  std::vector<std::size_t> count_;                   ///< parts of each node
  std::vector<double> lack_;                         ///< of each node
  std::vector<std::int32_t> lacking_;                ///< nodes that lack something
  std::vector<std::int32_t> place_in_lacking_;       ///< of each node; -1: it is not there
  std::vector<std::int32_t> hot_;                    ///< at each place, nodes with the longest parts
  std::int64_t work_ = 0;
  AcceptedRise rise_;
  // State of a move.
  double temperature_ = 1, price_ = 1, limit_ = 0;
};

}  // namespace

bool recut_applies(const Demand& demand, const PieceSteps& steps) {
  const std::size_t nodes = as_size(demand.lefts) + as_size(demand.rights);
  return demand.setup > 0 && demand.max_transfers == std::min(demand.lefts, demand.rights) && steps.size() > 1 &&
         steps.size() + kMoreRecutSteps <= kMostRecutCells / nodes && largest_size(demand) <= kMostRecutSize;
}

void recut(const Demand& demand, const PieceSteps& steps, std::uint64_t seed, double bound, Budget& budget,
           const std::function<void(PieceSteps)>& found) {
  Recutting search(demand, steps, seed, budget);
  const double first_cost = cost(steps, demand.setup);
  const std::int64_t beyond = std::max<std::int64_t>(0, static_cast<std::int64_t>(search.steps()) - eta(demand).steps);
  const int rounds = 1 + static_cast<int>(kRoundsOfSteps * static_cast<double>(beyond));
  const double first = std::min(kFirstRecutOfSetup * demand.setup, kFirstRecutOfDuration * search.mean_duration());
  const double logarithm = fixed_log(kLastRecutOfFirst);
  double least = HUGE_VAL;
  std::vector<Piece> best;
  for (int round = 0; round < rounds && search.steps() > 1; ++round) {
    const std::int64_t reserve = 2 * work_of_rising(demand, search.parts());
    if (budget.left() <= reserve || budget.cut_short()) break;
    const auto work = static_cast<double>(std::min((budget.left() - reserve) / (rounds - round), kMostWorkOfRound));
    const std::int64_t before = budget.spent();
    if (round > 0) search.remove_step();
    search.refresh();
    for (double done = 0; done < 1 && !budget.cut_short(); done = static_cast<double>(budget.spent() - before) / work) {
      const double temperature = first * fixed_exp(done * logarithm);
      const double price = kFirstRecutPrice + (kLastRecutPrice - kFirstRecutPrice) * done;
      for (int i = 0; i < kMovesBetweenLooks; ++i) search.move(temperature, price);
    }
    const double now = search.least_cost();
    if (now >= least) continue;
    least = now;
    best = search.parts();
    if (least <= bound) break;
  }
  if (least >= first_cost) return;
  std::optional<PieceSteps> plan = peel_rising(demand, best, budget);
  if (plan && cost(*plan, demand.setup) < first_cost) found(std::move(*plan));
}

}  // namespace sluice::detail
