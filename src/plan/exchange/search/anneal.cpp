/// Simulated annealing over plans of few steps: it changes the steps of messages and the durations of steps.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp, from a plan that is there.
///
/// Method: the duration of each step and the messages in it determine a plan, except the sizes of its pieces. A message
/// can be cut so that no piece is longer than its step exactly if its steps together last at least as long as its size.
/// So a state has no sizes. Each message has a slack, the durations of its steps less its size. What is missing is the
/// sum of all slacks below 0. A state costs what its steps cost, a price for each missing unit, and a set-up for each
/// message without a step. The price rises from kFirstPrice to kLastPrice. A step of a message can last longer by what
/// the message lacks, so nothing has to be missing once the price is 1. While it is less, the search can cross
/// expensive plans that no cheap change leads around. A move is kept if it makes the state cheaper; if it makes it more
/// expensive by d, with the probability exp(-d / temperature). Moves:
///
/// - chain: a message goes from one step to another. What is in its way there goes back in exchange, and so on along
///   the alternating path or cycle of the two steps. A message that can do without the step leaves, which ends the
///   path. The walk ends when it is too expensive, as a rule after one message or two.
/// - force: a message joins a step, and messages in its way leave it.
/// - stretch: a step becomes longer or shorter; transfer: one as much longer as another becomes shorter.
/// - steps: one is dissolved; two become one, of the messages of the first, that lasts as long as both; one is cut
///   into two with the same messages; or one is made for what a message lacks.
///
/// Every second message that is drawn lacks something. The temperature falls geometrically with the budget spent. It
/// begins at a tenth of a set-up or, if that is less, a hundredth of the mean duration of a step; at least at 0.1,
/// because sizes are whole. Repeatedly, and at the end, the state becomes a plan: steps grow if something is missing,
/// shrink if all messages have slack, and each message fills its steps one after another.
///
/// Guarantee: the cost of the plans that `found` gets falls, and is less than the cost of the first plan.
///
/// Complexity: a change of a step visits all its messages, O(n). Any other move visits the messages that it goes
/// through and the steps of one message. Memory O(steps n + m steps / 64). Deterministic for a seed, unless time ends
/// it.
///
/// Source: Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 220 (1983). States without
/// sizes, the price of what is missing and the moves are our own; chains are Kempe's for colourings of edges.
///
/// Example: messages 0->0 of 3, 0->1 of 1, 1->1 of 3, set-up 1, in steps of 2 (0->0 and 1->1), 1 (0->0), 1 (0->1) and 1
/// (1->1), cost 9. Forced into the second step, 1->1 is there with 0->0 and can do without the last step, which is
/// dissolved: 7. The first step becomes one with the second, which then lasts 3, without cutting anything: 6.
#include "plan/exchange/search/anneal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "base/fixed_math.hpp"
#include "plan/exchange/search/accepted_rise.hpp"

namespace sluice::detail {

namespace {

constexpr std::size_t kMoreAnnealedSteps = 16;  // than at the beginning, at most
constexpr std::size_t kMostAnnealedCells = std::size_t{1} << 26;
constexpr std::int64_t kMostAnnealedTotal = std::int64_t{1} << 60;
/// Temperatures: of a set-up, and of the mean duration of a step.
constexpr double kFirstOfSetup = 0.1, kFirstOfDuration = 0.01;
constexpr double kLastOfFirst = 0.02;
/// Bounds of the first and the last one: as sizes are whole, hardly anything is accepted far below.
constexpr double kLeastFirst = 0.1, kLeastLast = 0.01;
/// The price of a missing unit.
constexpr double kFirstPrice = 0.8, kLastPrice = 1.5;
constexpr std::int64_t kAnnealRounds = 1 << 20;     // attempts for each step, for a budget that has no end
constexpr int kBetweenLooks = 64;                   // at the budget and the temperature, attempts
constexpr double kBetweenAnnealedPlans = 1.0 / 32;  // of the way
constexpr double kReach = 4;                        // times the temperature: the most that a step becomes longer or
                                                    // shorter
/// Work: of an attempt; of a message on a chain that is given up, and on a chain that is followed; of a message in a
/// step, visited and changed; of a place of a plan.
constexpr std::int64_t kWorkOfAnnealAttempt = 60;
constexpr std::int64_t kWorkOfLink = 15, kWorkOfMovedLink = 60;
constexpr std::int64_t kWorkOfAnnealLook = 2, kWorkOfAnnealChange = 6;
constexpr std::int64_t kWorkOfAnnealedPlace = 10;

class Annealing {
 public:
  Annealing(const Demand& demand, const PieceSteps& steps, std::uint64_t seed, Budget& budget)
      : demand_(demand),
        budget_(budget),
        random_(seed),
        lefts_(as_size(demand.lefts)),
        vertices_(lefts_ + as_size(demand.rights)),
        places_(steps.size() + kMoreAnnealedSteps),
        words_((places_ + 63) / 64),
        edge_at_(places_ * vertices_, -1),
        steps_of_(demand.edges.size() * words_, 0),
        slack_(demand.edges.size()),
        place_in_short_(demand.edges.size(), -1),
        duration_(places_, 0),
        count_(places_, 0),
        homeless_(std::ssize(demand.edges)) {
    ends_.reserve(demand.edges.size());
    for (std::size_t e = 0; e < demand.edges.size(); ++e) {
      const Edge& edge = demand.edges[e];
      ends_.push_back({edge.left, demand.lefts + edge.right});
      slack_[e] = -edge.weight;
    }
    for (const std::vector<Piece>& step : steps) {
      const std::int64_t duration = duration_of(step);
      if (duration == 0) continue;
      duration_[steps_] = duration;
      total_ += duration;
      for (const Piece& piece : step) {
        if (piece.size == 0) continue;
        attach(steps_, piece.edge);
        slack_[as_size(piece.edge)] += duration;
      }
      ++steps_;
    }
    most_total_ = 2 * total_;
  }

  static bool fits(const Demand& demand, const PieceSteps& steps) {
    const std::size_t places = steps.size() + kMoreAnnealedSteps + 63;
    return places <= kMostAnnealedCells / (as_size(demand.lefts) + as_size(demand.rights)) &&
           places / 64 < kMostAnnealedCells / demand.edges.size() &&
           sluice::detail::cost(steps, 0) < static_cast<double>(kMostAnnealedTotal);
  }

  /// At least what plan() costs: steps that grow by all that is missing would do, with one for each edge in no step.
  [[nodiscard]] double cost() const {
    return static_cast<double>(total_) + static_cast<double>(missing_) +
           demand_.setup * static_cast<double>(static_cast<std::int64_t>(steps_) + homeless_);
  }
  [[nodiscard]] std::size_t steps() const { return steps_; }
  [[nodiscard]] double mean_duration() const { return static_cast<double>(total_) / static_cast<double>(steps_); }

  void attempt(double temperature, double price) {
    enum : std::size_t { kChains = 5, kForces = 8, kStretches = 9, kTransfers = 10, kMoves = 11 };
    price_ = price;
    reach_ = static_cast<std::size_t>(std::max(1.0, kReach * temperature));
    limit_ = rise_.draw(temperature, random_);
    budget_.spend(kWorkOfAnnealAttempt);
    const std::size_t move = below(kMoves);
    if (move < kChains) {
      chain();
    } else if (move < kForces) {
      force();
    } else if (move < kStretches) {
      stretch();
    } else if (move < kTransfers) {
      transfer();
    } else {
      change_steps();
    }
  }

  /// The state as a plan.
  [[nodiscard]] PieceSteps plan() {
    budget_.spend(kWorkOfAnnealedPlace * static_cast<std::int64_t>(steps_ * lefts_ + ends_.size()));
    std::vector<std::int64_t> duration(duration_);
    std::vector<std::int64_t> slack(slack_);
    const auto lengthen = [&](std::size_t s, std::int64_t by) {
      duration[s] += by;
      for_each_in(s, [&](std::int32_t edge) { slack[as_size(edge)] += by; });
    };
    std::vector<std::int64_t> rest(ends_.size());
    for (std::size_t e = 0; e < rest.size(); ++e) rest[e] = demand_.edges[e].weight;
    PieceSteps result;
    std::vector<std::int32_t> lacking(short_);
    std::sort(lacking.begin(), lacking.end());
    for (const std::int32_t edge : lacking) {
      const std::int64_t lack = -slack[as_size(edge)];
      if (lack <= 0) continue;
      // The step that gives most of what is missing at once if it becomes longer.
      std::size_t best = steps_;
      std::int64_t most = 0;
      for (std::size_t s = 0; s < steps_; ++s) {
        if (!is_in(edge, s)) continue;
        std::int64_t gain = 0;
        for_each_in(s, [&](std::int32_t each) { gain += std::clamp<std::int64_t>(-slack[as_size(each)], 0, lack); });
        if (gain <= most) continue;
        most = gain;
        best = s;
      }
      if (best < steps_) {
        lengthen(best, lack);
      } else {
        result.push_back({{edge, lack}});  // it is in no step
        rest[as_size(edge)] -= lack;
      }
    }
    for (std::size_t s = 0; s < steps_; ++s) {
      std::int64_t least = duration[s];
      for_each_in(s, [&](std::int32_t edge) { least = std::min(least, slack[as_size(edge)]); });
      if (least > 0) lengthen(s, -least);
    }
    for (std::size_t s = 0; s < steps_; ++s) {
      std::vector<Piece> pieces;
      for_each_in(s, [&](std::int32_t edge) {
        const std::int64_t size = std::min(rest[as_size(edge)], duration[s]);
        if (size == 0) return;
        pieces.push_back({edge, size});
        rest[as_size(edge)] -= size;
      });
      if (!pieces.empty()) result.push_back(std::move(pieces));
    }
    return result;
  }

 private:
  struct Ends {
    std::int32_t left = 0, right = 0;  ///< vertices
  };
  struct Link {
    std::int32_t edge = 0;
    bool from_first = false;
  };

  [[nodiscard]] std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  [[nodiscard]] std::size_t left_of(std::int32_t edge) const { return as_size(ends_[as_size(edge)].left); }
  [[nodiscard]] std::size_t right_of(std::int32_t edge) const { return as_size(ends_[as_size(edge)].right); }
  [[nodiscard]] bool is_in(std::int32_t edge, std::size_t step) const {
    return (steps_of_[as_size(edge) * words_ + step / 64] >> (step % 64) & 1U) != 0;
  }
  [[nodiscard]] std::int32_t edge_at(std::size_t step, std::size_t vertex) const {
    return edge_at_[step * vertices_ + vertex];
  }
  [[nodiscard]] bool is_homeless(std::int32_t edge) const {
    const auto words = steps_of_.begin() + static_cast<std::ptrdiff_t>(as_size(edge) * words_);
    return std::all_of(words, words + static_cast<std::ptrdiff_t>(words_),
                       [](std::uint64_t word) { return word == 0; });
  }
  /// Whether it is in this step alone.
  [[nodiscard]] bool lives_in(std::int32_t edge, std::size_t step) const {
    for (std::size_t w = 0; w < words_; ++w)
      if (steps_of_[as_size(edge) * words_ + w] != (w == step / 64 ? std::uint64_t{1} << (step % 64) : 0)) return false;
    return true;
  }
  [[nodiscard]] int live_in(std::size_t step) const {
    int edges = 0;
    for_each_in(step, [&](std::int32_t edge) { edges += lives_in(edge, step) ? 1 : 0; });
    return edges;
  }
  template <class Visit>
  void for_each_in(std::size_t step, Visit visit) const {
    for (std::size_t u = 0; u < lefts_; ++u)
      if (const std::int32_t edge = edge_at(step, u); edge >= 0) visit(edge);
  }

  void attach(std::size_t step, std::int32_t edge) {
    homeless_ -= is_homeless(edge) ? 1 : 0;
    edge_at_[step * vertices_ + left_of(edge)] = edge_at_[step * vertices_ + right_of(edge)] = edge;
    steps_of_[as_size(edge) * words_ + step / 64] |= std::uint64_t{1} << (step % 64);
    ++count_[step];
  }
  void detach(std::size_t step, std::int32_t edge) {
    edge_at_[step * vertices_ + left_of(edge)] = edge_at_[step * vertices_ + right_of(edge)] = -1;
    steps_of_[as_size(edge) * words_ + step / 64] &= ~(std::uint64_t{1} << (step % 64));
    homeless_ += is_homeless(edge) ? 1 : 0;
    --count_[step];
  }

  /// How much more is missing when the slack of an edge changes.
  [[nodiscard]] std::int64_t lack(std::int32_t edge, std::int64_t by) const {
    const std::int64_t slack = slack_[as_size(edge)];
    return std::max<std::int64_t>(0, -(slack + by)) - std::max<std::int64_t>(0, -slack);
  }
  void change(std::int32_t edge, std::int64_t by) {
    missing_ += lack(edge, by);
    std::int64_t& slack = slack_[as_size(edge)];
    const bool was_short = slack < 0;
    slack += by;
    if ((slack < 0) == was_short) return;
    std::int32_t& place = place_in_short_[as_size(edge)];
    if (was_short) {
      place_in_short_[as_size(short_.back())] = place;
      short_[as_size(place)] = short_.back();
      short_.pop_back();
      place = -1;
    } else {
      place = static_cast<std::int32_t>(short_.size());
      short_.push_back(edge);
    }
  }
  void add(std::size_t step, std::int32_t edge) {
    attach(step, edge);
    change(edge, duration_[step]);
  }
  void remove(std::size_t step, std::int32_t edge) {
    detach(step, edge);
    change(edge, -duration_[step]);
  }
  [[nodiscard]] bool too_expensive(std::int64_t longer, std::int64_t lacks, int setups = 0) const {
    return static_cast<double>(longer) + price_ * static_cast<double>(lacks) + demand_.setup * setups > limit_;
  }

  [[nodiscard]] std::int32_t draw_edge() {
    if (!short_.empty() && below(2) == 0) return short_[below(short_.size())];
    return static_cast<std::int32_t>(below(ends_.size()));
  }
  /// A step that the edge is in; steps_ if there is none.
  [[nodiscard]] std::size_t draw_step_of(std::int32_t edge) {
    std::size_t step = below(steps_);
    for (std::size_t looks = 0; looks < steps_; ++looks) {
      if (is_in(edge, step)) return step;
      if (++step == steps_) step = 0;
    }
    return steps_;
  }

  void chain() {
    const std::int32_t edge = draw_edge();
    const std::size_t first = draw_step_of(edge);
    const std::size_t second = below(steps_);
    if (first == steps_ || first == second || is_in(edge, second)) return;
    const bool possible = follow(edge, first, second);
    budget_.spend((possible ? kWorkOfMovedLink : kWorkOfLink) * std::ssize(moves_));
    if (!possible) return;
    for (const Link& each : leaves_) remove(each.from_first ? first : second, each.edge);
    for (const Link& each : moves_) remove(each.from_first ? first : second, each.edge);
    for (const Link& each : moves_) add(each.from_first ? second : first, each.edge);
  }
  /// What moves between two steps, and what leaves them, when an edge goes from the first to the second. False if that
  /// is too expensive, or more than a step may carry.
  [[nodiscard]] bool follow(std::int32_t edge, std::size_t first, std::size_t second) {
    moves_.clear();
    leaves_.clear();
    const std::int64_t longer = duration_[second] - duration_[first];
    std::int64_t lacks = 0;
    std::int64_t more = 0;  // edges in the second step
    std::int64_t fewer = 0;
    const auto move = [&](Link link) {
      moves_.push_back(link);
      lacks += lack(link.edge, link.from_first ? longer : -longer);
      (link.from_first ? more : fewer) += 1;
      return !too_expensive(0, lacks);
    };
    if (!move({edge, true})) return false;
    bool closed = false;
    for (const bool begins_right : {true, false}) {
      std::int32_t at = edge;
      bool right = begins_right;
      for (bool from_first = false; !closed; from_first = !from_first, right = !right) {
        const std::size_t step = from_first ? first : second;
        at = edge_at(step, right ? right_of(at) : left_of(at));
        if (at < 0) break;
        closed = at == edge;
        if (closed) break;
        if (slack_[as_size(at)] >= duration_[step]) {
          // On a cycle both ways end here.
          if (leaves_.empty() || leaves_.front().edge != at) leaves_.push_back({at, from_first});
          break;
        }
        if (!move({at, from_first})) return false;
      }
    }
    std::int64_t leave_first = 0;
    for (const Link& each : leaves_) leave_first += each.from_first ? 1 : 0;
    const std::int64_t leave_second = std::ssize(leaves_) - leave_first;
    return count_[first] + fewer - more - leave_first <= demand_.max_transfers &&
           count_[second] + more - fewer - leave_second <= demand_.max_transfers;
  }

  void force() {
    const std::int32_t edge = draw_edge();
    const std::size_t step = below(steps_);
    if (is_in(edge, step)) return;
    const std::array in_the_way{edge_at(step, left_of(edge)), edge_at(step, right_of(edge))};
    std::int64_t lacks = lack(edge, duration_[step]);
    std::int64_t count = count_[step] + 1;
    int homeless = is_homeless(edge) ? -1 : 0;
    for (const std::int32_t each : in_the_way) {
      if (each < 0) continue;
      lacks += lack(each, -duration_[step]);
      homeless += lives_in(each, step) ? 1 : 0;
      --count;
    }
    if (count > demand_.max_transfers || too_expensive(0, lacks, homeless)) return;
    budget_.spend(kWorkOfMovedLink);
    for (const std::int32_t each : in_the_way)
      if (each >= 0) remove(step, each);
    add(step, edge);
  }

  /// How much more is missing when a step lasts longer.
  [[nodiscard]] std::int64_t lack_of_step(std::size_t step, std::int64_t by) {
    std::int64_t lacks = 0;
    for_each_in(step, [&](std::int32_t edge) { lacks += lack(edge, by); });
    budget_.spend(kWorkOfAnnealLook * static_cast<std::int64_t>(lefts_));
    return lacks;
  }
  /// How much more is missing when step `longer` lasts longer and step `shorter` shorter. Messages in both have as much
  /// as before.
  [[nodiscard]] std::int64_t lack_of_transfer(std::size_t longer, std::size_t shorter, std::int64_t by) {
    std::int64_t lacks = lack_of_step(longer, by) + lack_of_step(shorter, -by);
    for_each_in(longer, [&](std::int32_t edge) {
      if (is_in(edge, shorter)) lacks -= lack(edge, by) + lack(edge, -by);
    });
    return lacks;
  }
  void lengthen(std::size_t step, std::int64_t by) {
    duration_[step] += by;
    total_ += by;
    for_each_in(step, [&](std::int32_t edge) { change(edge, by); });
    budget_.spend(kWorkOfAnnealChange * static_cast<std::int64_t>(lefts_));
  }
  /// Draws by how much a step becomes longer or, below 0, shorter.
  [[nodiscard]] std::int64_t draw_change(std::size_t step) {
    constexpr int kLooks = 4;
    if (below(2) == 0) {
      std::int64_t change = 0;  // that makes an edge fit exactly
      for (int look = 0; look < kLooks; ++look) {
        const std::int32_t edge = edge_at(step, below(lefts_));
        if (edge < 0 || slack_[as_size(edge)] == 0) continue;
        const std::int64_t fits = -slack_[as_size(edge)];
        if (change == 0 || std::abs(fits) < std::abs(change)) change = fits;
      }
      if (change != 0) return change;
    }
    const auto change = static_cast<std::int64_t>(1 + below(reach_));
    return below(2) == 0 ? change : -change;
  }
  void stretch() {
    const std::size_t step = below(steps_);
    const std::int64_t by = draw_change(step);
    if (duration_[step] + by <= 0 || total_ + by > most_total_ || too_expensive(by, lack_of_step(step, by))) return;
    lengthen(step, by);
  }
  void transfer() {
    const std::size_t one = below(steps_);
    const std::size_t other = below(steps_);
    const std::int64_t by = draw_change(one);
    if (one == other || duration_[one] + by <= 0 || duration_[other] - by <= 0) return;
    if (too_expensive(0, lack_of_transfer(one, other, by))) return;
    lengthen(one, by);
    lengthen(other, -by);
  }

  void change_steps() {
    const std::size_t step = below(steps_);
    switch (below(4)) {
      case 0: {
        if (steps_ == 1) return;
        const std::int64_t lacks = lack_of_step(step, -duration_[step]);
        // First without the set-ups of messages that are in no other step: that is less work.
        if (too_expensive(-duration_[step], lacks, -1)) return;
        if (!too_expensive(-duration_[step], lacks, live_in(step) - 1)) dissolve(step);
        return;
      }
      case 1:
        unite(step, below(steps_));
        return;
      case 2:
        cut(step);
        return;
      default:
        open();
    }
  }
  void dissolve(std::size_t step) {
    for_each_in(step, [&](std::int32_t edge) { remove(step, edge); });
    total_ -= duration_[step];
    --steps_;
    if (step != steps_) {  // the last takes its place
      for_each_in(steps_, [&](std::int32_t edge) {
        detach(steps_, edge);
        attach(step, edge);
      });
      duration_[step] = duration_[steps_];
    }
    duration_[steps_] = 0;
    budget_.spend(kWorkOfAnnealChange * static_cast<std::int64_t>(2 * lefts_));
  }
  void unite(std::size_t step, std::size_t with) {
    if (step == with) return;
    const std::int64_t lacks = lack_of_transfer(step, with, duration_[with]);
    if (too_expensive(0, lacks, -1) || too_expensive(0, lacks, live_in(with) - 1)) return;
    lengthen(step, duration_[with]);
    dissolve(with);
  }
  /// A step for what an edge lacks.
  void open() {
    if (steps_ == places_ || short_.empty()) return;
    const std::int32_t edge = short_[below(short_.size())];
    const std::int64_t duration = -slack_[as_size(edge)];
    if (total_ + duration > most_total_ || too_expensive(duration, -duration, is_homeless(edge) ? 0 : 1)) return;
    duration_[steps_] = duration;
    total_ += duration;
    add(steps_++, edge);
  }
  void cut(std::size_t step) {
    if (steps_ == places_ || duration_[step] < 2 || too_expensive(0, 0, 1)) return;
    const auto part = static_cast<std::int64_t>(1 + below(as_size(duration_[step] - 1)));
    duration_[step] -= part;
    duration_[steps_] = part;
    for_each_in(step, [&](std::int32_t edge) { attach(steps_, edge); });
    ++steps_;
    budget_.spend(kWorkOfAnnealChange * static_cast<std::int64_t>(lefts_));
  }

  const Demand& demand_;
  Budget& budget_;
  std::mt19937_64 random_;
  std::size_t lefts_, vertices_, places_, words_;
  std::vector<Ends> ends_;                    ///< of each edge
  std::vector<std::int32_t> edge_at_;         ///< by step and vertex; -1: idle
  std::vector<std::uint64_t> steps_of_;       ///< by edge, bits of steps
  std::vector<std::int64_t> slack_;           ///< of each edge
  std::vector<std::int32_t> short_;           ///< edges of a slack below 0
  std::vector<std::int32_t> place_in_short_;  ///< of each edge; -1: it is not there
  std::vector<std::int64_t> duration_;        ///< of each step
  std::vector<std::int64_t> count_;           ///< edges in each step
  std::size_t steps_ = 0;                     ///< they are the first places
  std::int64_t total_ = 0;                    ///< of the durations
  std::int64_t most_total_ = 0;
  std::int64_t missing_ = 0;
  std::int64_t homeless_ = 0;  ///< edges in no step
  AcceptedRise rise_;
  // State of an attempt.
  double price_ = 1, limit_ = 0;
  std::size_t reach_ = 1;
  std::vector<Link> moves_, leaves_;
};

}  // namespace

void anneal(const Demand& demand, const PieceSteps& steps, std::uint64_t seed, double bound, Budget& budget,
            const std::function<void(PieceSteps)>& found) {
  if (demand.setup <= 0 || demand.edges.empty() || !Annealing::fits(demand, steps)) return;
  Annealing search(demand, steps, seed, budget);
  if (search.steps() == 0) return;
  double least = cost(steps, demand.setup);
  const auto attempts = static_cast<double>(kAnnealRounds) * static_cast<double>(search.steps());
  const bool unlimited = budget.unlimited();
  const auto work = static_cast<double>(budget.left());
  const double first =
      std::max(kLeastFirst, std::min(kFirstOfSetup * demand.setup, kFirstOfDuration * search.mean_duration()));
  const double logarithm = fixed_log(std::max(kLastOfFirst, kLeastLast / first));  // of the last over the first
  double next_plan = kBetweenAnnealedPlans;
  const auto offer = [&] {
    if (search.cost() >= least) return;
    PieceSteps plan = search.plan();
    const double total = cost(plan, demand.setup);
    if (total >= least) return;
    least = total;
    found(std::move(plan));
  };
  double attempt = 0;
  while (attempt < attempts && least > bound && !budget.over()) {
    double done = attempt / attempts;
    if (!unlimited) done = std::max(done, 1 - static_cast<double>(budget.left()) / work);
    if (done >= next_plan) {
      offer();
      next_plan += kBetweenAnnealedPlans;
    }
    const double temperature = first * fixed_exp(done * logarithm);
    const double price = kFirstPrice + (kLastPrice - kFirstPrice) * done;
    for (int i = 0; i < kBetweenLooks; ++i) search.attempt(temperature, price);
    attempt += kBetweenLooks;
  }
  offer();
}

}  // namespace sluice::detail
