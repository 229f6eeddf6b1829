/// Local search over plans of sparse demand: take a few steps out of a plan and make them anew by filtration.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp, from a plan that is there.
///
/// Method: draw two steps, sometimes three, at random or neighbours by duration. What they carried goes into the other
/// steps, as far as these need not last longer: pieces of the same message grow, and a message goes to a step where
/// both its ends are free. What is left is planned by filtration (filtration.hpp) with a random rule. The result stays
/// if its cost exceeds the cost of the removed steps by less than a threshold, or not at all. The threshold falls to 0
/// as the budget is spent. Few steps are planned anew, and each node has few messages in them, so an attempt is short:
/// thousands of attempts take the time of a few hundred whole plans by filtration.
///
/// Guarantee: the cost of the plans that `found` gets falls.
///
/// Complexity: an attempt takes O(n log n) for the messages in the steps drawn, the steps free at both ends of each,
/// and a matching for each threshold. Memory O(steps n). Deterministic for a seed, unless time ends it.
///
/// Source: our own; the scheme follows improve.cpp, and threshold accepting follows repack.cpp.
///
/// Example: messages 0->0 of 3, 0->1 of 1, 1->1 of 3, set-up 1, in steps of 2 (0->0 and 1->1), 1 (0->0), 1 (0->1) and 1
/// (1->1), cost 9. Without the first two and the last 0->0 and 1->1 are whole again: a step of 3, and cost 6.
#include "plan/exchange/search/refilter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "graph/augmenting_path.hpp"
#include "plan/exchange/constructive/filtered_step.hpp"

namespace sluice::detail {

namespace {

constexpr std::size_t kFewestOut = 2, kMostOut = 3;  // steps
constexpr double kFirstAllowance = 0.05;             // of a set-up
constexpr std::int64_t kRefilterRounds = 1 << 14;    // attempts for each step
constexpr std::size_t kMoreSteps = 16;               // than at the beginning, at least
constexpr std::size_t kMostRefilterCells = std::size_t{1} << 26;
constexpr std::int64_t kLeastRefilterPercent = 35, kRefilterPercents = 62;
constexpr std::array kRefilterWorths{0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 4.0, 6.0, 9.0, 14.0, 20.0};
/// Work: of an attempt, a vertex of it; a piece that goes, and one that comes; what is left, for each step; a look.
constexpr std::int64_t kWorkOfRefilter = 800;
constexpr std::int64_t kWorkOfRefilteredPiece = 30;
constexpr std::int64_t kWorkOfRefilteredRest = 24;
constexpr std::int64_t kWorkOfRefilterLook = 8;

class Refilter {
 public:
  Refilter(const Demand& demand, const PieceSteps& steps, std::uint64_t seed, Budget& budget)
      : demand_(demand),
        budget_(budget),
        random_(seed),
        lefts_(as_size(demand.lefts)),
        vertices_(lefts_ + as_size(demand.rights)),
        words_((steps.size() + kMoreSteps + 63) / 64),
        places_(64 * words_),
        edge_at_(places_ * vertices_, -1),
        size_at_(places_ * lefts_, 0),
        busy_(vertices_ * words_, 0),
        steps_of_(demand.edges.size() * words_, 0),
        duration_(places_, 0),
        count_(places_, 0),
        rest_(demand.edges.size(), 0),
        row_(lefts_ * kMostOut),
        degree_(vertices_, 0),
        mate_(vertices_, -1),
        seen_(lefts_, 0) {
    ends_.reserve(demand.edges.size());
    for (const Edge& edge : demand.edges) ends_.push_back({edge.left, demand.lefts + edge.right});
    for (const std::vector<Piece>& step : steps) {
      const std::int64_t duration = duration_of(step);
      if (duration > 0) put_step(step, duration);
    }
    for (std::size_t s = places_; s > 0; --s)
      if (duration_[s - 1] == 0) unused_.push_back(static_cast<std::int32_t>(s - 1));
    order();
  }

  static bool fits(const Demand& demand, const PieceSteps& steps) {
    const std::size_t places = steps.size() + kMoreSteps + 63;
    return places <= kMostRefilterCells / (as_size(demand.lefts) + as_size(demand.rights)) &&
           places / 64 < kMostRefilterCells / demand.edges.size();
  }

  [[nodiscard]] double cost() const { return cost_; }
  [[nodiscard]] std::size_t steps() const { return open_.size(); }
  [[nodiscard]] PieceSteps plan() const {
    PieceSteps result;
    for (const std::int32_t step : open_) result.push_back(pieces_of(as_size(step)));
    return result;
  }

  /// Plans some steps anew; keeps them if they cost at most `allowance` more than the removed steps.
  void attempt(double allowance) {
    draw();
    take_out();
    absorb();
    budget_.spend(kWorkOfRefilter + kWorkOfRefilteredPiece * std::ssize(edges_));
    if (plan_rest(removed_ + allowance)) {
      commit();
    } else {
      undo();
    }
    for (const std::int32_t edge : edges_) rest_[as_size(edge)] = 0;
  }

  // A view for augment.
  using Cursor = std::int32_t;
  [[nodiscard]] std::int32_t next(std::int32_t left, Cursor& at) {
    while (at < degree_[as_size(left)]) {
      const std::int32_t edge = row_[as_size(left) * kMostOut + as_size(at++)];
      const std::int32_t owner = source_of(edge);
      ++looks_;
      if (owner < 0) return edge;
      if (seen_[as_size(owner)] == stamp_) continue;
      seen_[as_size(owner)] = stamp_;
      return edge;
    }
    return -1;
  }
  [[nodiscard]] std::int32_t source_of(std::int32_t edge) const {
    const std::int32_t mate = mate_[right_of(edge)];
    return mate < 0 ? -1 : ends_[as_size(mate)].left;
  }
  void match(std::int32_t left, std::int32_t edge) { mate_[as_size(left)] = mate_[right_of(edge)] = edge; }

 private:
  struct Ends {
    std::int32_t left = 0, right = 0;  ///< vertices
  };
  struct Rest {
    std::int64_t size = 0;
    std::int32_t edge = 0;
    Ends ends;
  };
  struct Absorbed {
    std::size_t step = 0;
    std::int32_t edge = 0;
    std::int64_t size = 0;
    bool is_new = false;
  };

  static bool before(const Rest& a, const Rest& b) { return a.size != b.size ? a.size > b.size : a.edge < b.edge; }
  [[nodiscard]] std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  [[nodiscard]] std::size_t left_of(std::int32_t edge) const { return as_size(ends_[as_size(edge)].left); }
  [[nodiscard]] std::size_t right_of(std::int32_t edge) const { return as_size(ends_[as_size(edge)].right); }
  [[nodiscard]] std::vector<Piece> pieces_of(std::size_t step) const {
    std::vector<Piece> pieces;
    for (std::size_t u = 0; u < lefts_; ++u)
      if (const std::int32_t edge = edge_at_[step * vertices_ + u]; edge >= 0)
        pieces.push_back({edge, size_at_[step * lefts_ + u]});
    return pieces;
  }

  void put(std::size_t step, std::int32_t edge, std::int64_t size) {
    size_at_[step * lefts_ + left_of(edge)] = size;
    for (const std::size_t vertex : {left_of(edge), right_of(edge)}) {
      edge_at_[step * vertices_ + vertex] = edge;
      busy_[vertex * words_ + step / 64] |= std::uint64_t{1} << (step % 64);
    }
    steps_of_[as_size(edge) * words_ + step / 64] |= std::uint64_t{1} << (step % 64);
    ++count_[step];
  }
  void take(std::size_t step, std::int32_t edge) {
    for (const std::size_t vertex : {left_of(edge), right_of(edge)}) {
      edge_at_[step * vertices_ + vertex] = -1;
      busy_[vertex * words_ + step / 64] &= ~(std::uint64_t{1} << (step % 64));
    }
    steps_of_[as_size(edge) * words_ + step / 64] &= ~(std::uint64_t{1} << (step % 64));
    --count_[step];
  }
  void put_step(const std::vector<Piece>& pieces, std::int64_t duration) {
    std::size_t step = 0;
    if (unused_.empty()) {
      step = open_.size();
    } else {
      step = as_size(unused_.back());
      unused_.pop_back();
    }
    duration_[step] = duration;
    open_.push_back(static_cast<std::int32_t>(step));
    cost_ += static_cast<double>(duration) + demand_.setup;
    for (const Piece& piece : pieces)
      if (piece.size > 0) put(step, piece.edge, piece.size);
  }
  /// The order is total.
  void order() {
    std::sort(open_.begin(), open_.end(), [this](std::int32_t a, std::int32_t b) {
      const std::int64_t first = duration_[as_size(a)];
      const std::int64_t second = duration_[as_size(b)];
      return first != second ? first > second : a < b;
    });
    kept_.assign(words_, 0);
    for (const std::int32_t step : open_) kept_[as_size(step) / 64] |= std::uint64_t{1} << (as_size(step) % 64);
  }

  /// Draws the steps that go.
  void draw() {
    const std::size_t count = open_.size() >= kMostOut && below(4) == 0 ? kMostOut : kFewestOut;
    out_.clear();
    if (below(2) == 0) {
      const std::size_t first = below(open_.size() - count + 1);
      for (std::size_t i = 0; i < count; ++i) out_.push_back(as_size(open_[first + i]));
    } else {
      while (out_.size() < count) {
        const std::size_t step = as_size(open_[below(open_.size())]);
        if (std::find(out_.begin(), out_.end(), step) == out_.end()) out_.push_back(step);
      }
    }
    removed_ = 0;
    for (const std::size_t step : out_) {
      kept_[step / 64] &= ~(std::uint64_t{1} << (step % 64));
      removed_ += static_cast<double>(duration_[step]) + demand_.setup;
    }
  }

  void take_out() {
    edges_.clear();
    for (const std::size_t step : out_) {
      for (std::size_t u = 0; u < lefts_; ++u) {
        const std::int32_t edge = edge_at_[step * vertices_ + u];
        if (edge < 0) continue;
        if (rest_[as_size(edge)] == 0) edges_.push_back(edge);
        rest_[as_size(edge)] += size_at_[step * lefts_ + u];
      }
    }
  }

  /// Lets the steps that stay carry what they can without lasting longer.
  void absorb() {
    absorbed_.clear();
    for (const std::int32_t edge : edges_) {
      const std::size_t left = left_of(edge);
      const std::size_t right = right_of(edge);
      const std::uint64_t* in = &steps_of_[as_size(edge) * words_];
      const std::uint64_t* left_busy = &busy_[left * words_];
      const std::uint64_t* right_busy = &busy_[right * words_];
      std::int64_t rest = rest_[as_size(edge)];
      const auto absorb = [&](std::size_t step, std::int64_t room, bool is_new) {
        const std::int64_t more = std::min(rest, room);
        if (more == 0) return;
        if (is_new) {
          put(step, edge, more);
        } else {
          size_at_[step * lefts_ + left] += more;
        }
        rest -= more;
        absorbed_.push_back({step, edge, more, is_new});
      };
      for (std::size_t w = 0; w < words_; ++w) {
        for (std::uint64_t bits = in[w] & kept_[w]; bits != 0 && rest > 0; bits &= bits - 1) {
          const std::size_t step = w * 64 + as_size(std::countr_zero(bits));
          absorb(step, duration_[step] - size_at_[step * lefts_ + left], false);
        }
      }
      for (std::size_t w = 0; w < words_; ++w) {
        for (std::uint64_t bits = kept_[w] & ~(left_busy[w] | right_busy[w]); bits != 0 && rest > 0; bits &= bits - 1) {
          const std::size_t step = w * 64 + as_size(std::countr_zero(bits));
          if (count_[step] < demand_.max_transfers) absorb(step, duration_[step], true);
        }
      }
      rest_[as_size(edge)] = rest;
    }
  }

  void undo() {
    for (; !absorbed_.empty(); absorbed_.pop_back()) {
      const Absorbed& each = absorbed_.back();
      if (each.is_new) {
        take(each.step, each.edge);
      } else {
        size_at_[each.step * lefts_ + left_of(each.edge)] -= each.size;
      }
    }
    keep_drawn();
  }
  void keep_drawn() {
    for (const std::size_t step : out_) kept_[step / 64] |= std::uint64_t{1} << (step % 64);
  }

  void commit() {
    for (const std::size_t step : out_) {
      for (std::size_t u = 0; u < lefts_; ++u)
        if (const std::int32_t edge = edge_at_[step * vertices_ + u]; edge >= 0) take(step, edge);
      duration_[step] = 0;
      unused_.push_back(static_cast<std::int32_t>(step));
    }
    budget_.spend(kWorkOfRefilteredPiece * static_cast<std::int64_t>(out_.size() * lefts_));
    open_.erase(
        std::remove_if(open_.begin(), open_.end(), [this](std::int32_t step) { return duration_[as_size(step)] == 0; }),
        open_.end());
    cost_ -= removed_;
    std::size_t begin = 0;
    for (const auto& [end, duration] : planned_) {
      put_step(
          {pieces_.begin() + static_cast<std::ptrdiff_t>(begin), pieces_.begin() + static_cast<std::ptrdiff_t>(end)},
          duration);
      begin = end;
    }
    order();
  }

  /// Plans what is left of edges_ by steps that cost at most `limit`: planned_ and pieces_.
  bool plan_rest(double limit) {
    const auto percent = kLeastRefilterPercent + static_cast<std::int64_t>(below(as_size(kRefilterPercents)));
    const double worth = kRefilterWorths[below(kRefilterWorths.size())] * demand_.setup;
    planned_.clear();
    pieces_.clear();
    left_.clear();
    for (const std::int32_t edge : edges_)
      if (rest_[as_size(edge)] > 0) left_.push_back({rest_[as_size(edge)], edge, ends_[as_size(edge)]});
    std::sort(left_.begin(), left_.end(), before);
    double spent = 0;
    while (!left_.empty()) {
      match_rest(percent);
      list_matched();
      const std::int64_t duration = best_duration(
          matched_.size(), [this](std::size_t i) { return matched_[i].size; }, demand_.setup, worth);
      spent += static_cast<double>(duration) + demand_.setup;
      send(duration);
      const double least = left_.empty() ? spent : spent + static_cast<double>(left_.front().size) + demand_.setup;
      if (least > limit || planned_.size() > unused_.size() + out_.size()) return false;
    }
    return true;
  }

  /// The matching grows from the largest to the smallest. Leaves the edges matched in mate_ at both ends.
  void match_rest(std::int64_t percent) {
    for (const Rest& each : left_) {
      for (const std::int32_t vertex : {each.ends.left, each.ends.right}) {
        mate_[as_size(vertex)] = -1;
        degree_[as_size(vertex)] = 0;
      }
    }
    std::int32_t matched = 0;
    free_.clear();
    for (std::size_t i = 0; i < left_.size() && matched < demand_.max_transfers;) {
      const std::int64_t threshold = percent_of(left_[i].size, percent);
      for (; i < left_.size() && left_[i].size >= threshold && matched < demand_.max_transfers; ++i) {
        const auto& [size, edge, ends] = left_[i];
        const std::size_t left = as_size(ends.left);
        const std::int32_t before = degree_[left]++;
        row_[left * kMostOut + as_size(before)] = edge;
        if (mate_[left] >= 0) continue;
        if (mate_[as_size(ends.right)] < 0) {
          mate_[left] = mate_[as_size(ends.right)] = edge;
          ++matched;
        } else if (before == 0) {
          free_.push_back(ends.left);
        }
      }
      ++stamp_;
      std::size_t still = 0;
      for (const std::int32_t left : free_) {
        if (mate_[as_size(left)] >= 0) continue;
        if (matched < demand_.max_transfers && seen_[as_size(left)] != stamp_ && cover(left)) {
          ++matched;
        } else {
          free_[still++] = left;
        }
      }
      free_.resize(still);
      looks_ += static_cast<std::int64_t>(still);
    }
    budget_.spend(kWorkOfRefilteredRest * std::ssize(left_) + kWorkOfRefilterLook * std::exchange(looks_, 0));
  }

  /// Vertices that a failed search saw stay excluded until an edge is added.
  bool cover(std::int32_t left) {
    seen_[as_size(left)] = stamp_;
    return augment(*this, left);
  }

  void list_matched() {
    matched_.clear();
    for (const Rest& each : left_)
      if (mate_[as_size(each.ends.left)] == each.edge) matched_.push_back(each);
  }

  /// Makes a step of what is matched.
  void send(std::int64_t duration) {
    for (const Rest& each : matched_) pieces_.push_back({each.edge, std::min(each.size, duration)});
    planned_.emplace_back(pieces_.size(), duration);
    const auto unmatched_end = std::remove_if(
        left_.begin(), left_.end(), [this](const Rest& each) { return mate_[as_size(each.ends.left)] == each.edge; });
    left_.erase(unmatched_end, left_.end());
    cut_.clear();
    for (const Rest& each : matched_)
      if (each.size > duration) cut_.push_back({each.size - duration, each.edge, each.ends});
    merged_.clear();
    std::merge(left_.begin(), left_.end(), cut_.begin(), cut_.end(), std::back_inserter(merged_), before);
    std::swap(left_, merged_);
  }

  const Demand& demand_;
  Budget& budget_;
  std::mt19937_64 random_;
  std::size_t lefts_, vertices_, words_, places_;
  std::vector<Ends> ends_;               ///< of each edge
  std::vector<std::int32_t> edge_at_;    ///< by step and vertex; -1: idle
  std::vector<std::int64_t> size_at_;    ///< by step and left
  std::vector<std::uint64_t> busy_;      ///< by vertex, bits of steps
  std::vector<std::uint64_t> steps_of_;  ///< by edge, bits of steps
  std::vector<std::int64_t> duration_;   ///< 0: no step
  std::vector<std::int32_t> count_;      ///< pieces of each step
  std::vector<std::int32_t> open_, unused_;
  std::vector<std::uint64_t> kept_;  ///< bits of the steps that are not drawn
  double cost_ = 0;
  // State of an attempt.
  std::vector<std::size_t> out_;  ///< the steps that go
  double removed_ = 0;
  std::vector<std::int32_t> edges_;  ///< in the steps that go
  std::vector<std::int64_t> rest_;   ///< what is left of each; 0 between attempts
  std::vector<Absorbed> absorbed_;
  std::vector<std::pair<std::size_t, std::int64_t>> planned_;  ///< where a step's pieces end, and its duration
  std::vector<Piece> pieces_;
  // State of the filtration.
  std::vector<Rest> left_, matched_, cut_, merged_;  ///< the largest first
  std::vector<std::int32_t> row_, degree_;           ///< edges at each left that may be matched
  std::vector<std::int32_t> free_;                   ///< lefts that have some and are not matched
  std::vector<std::int32_t> mate_;                   ///< of each vertex, an edge
  std::vector<std::uint64_t> seen_;
  std::uint64_t stamp_ = 0;
  std::int64_t looks_ = 0;
};

}  // namespace

void refilter(const Demand& demand, const PieceSteps& steps, std::uint64_t seed, double bound, Budget& budget,
              const std::function<void(PieceSteps)>& found) {
  if (steps.size() < kFewestOut || !Refilter::fits(demand, steps)) return;
  Refilter search(demand, steps, seed, budget);
  const auto attempts = static_cast<double>(kRefilterRounds * std::ssize(steps));
  const bool unlimited = budget.unlimited();
  const auto work = static_cast<double>(budget.left());
  double least = search.cost();
  for (double attempt = 0; attempt < attempts && !budget.over(); ++attempt) {
    if (least <= bound || search.steps() < kFewestOut) return;
    double left = 1 - attempt / attempts;
    if (!unlimited) left = std::min(left, static_cast<double>(budget.left()) / work);
    search.attempt(kFirstAllowance * demand.setup * left);
    if (search.cost() >= least) continue;
    least = search.cost();
    found(search.plan());
  }
}

}  // namespace sluice::detail
