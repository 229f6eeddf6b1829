/// Reduce-scatter by halving, then gather.
///
/// Problem: see include/sluice/plan/reduce_scatter.hpp. A machine sends one message at a time, receives one at a time
/// and combines one at a time, all three at once.
/// Method: machines are split in two halves, and the range of elements in proportion. Each machine of one half gives
/// its elements of the other half's range to one machine there, and gets what that one has of its own range; then each
/// half does the same, until every machine alone has its share of the range, combined over all. Of an odd number the
/// first half has one machine more; what it has for the other half goes to several there, a piece to each, so that
/// none has much more to combine than the others. Then the shares go back the same way, from the first machine of each
/// second half to the first of each first one, and the root is first of all. Messages are cut into as many parts, up to
/// 8, as make receiving and combining overlap best.
/// Guarantee: none of a shortest schedule. For a power of two and no overheads, messages whole: (2 d + c) (1 - 1/n),
/// where a tree of whole elements takes ceil(log2 n) max(d, c) at least, and no reduction less than max(d, c (1 -
/// 1/n)). Complexity: O(n log n) time and memory. Deterministic. Source: R. Rabenseifner, Optimization of Collective
/// Reduction Operations, ICCS 2004, section 2.3, "recursive halving and binomial tree". There a number of machines that
/// is no power of two is brought down to one at first, at the cost of d + c / 2; the odd machine at each level and the
/// parts are ours.
///
/// Example: 3 machines, 6 elements, no parts. {0, 1} take elements 0 to 3, {2} takes 4 and 5. Machine 0 gives 4 and 5
/// to 2 and gets 0 to 3 of it; 1 gives 4 and 5 to 2. Then 0 gets 0 and 1 from 1, which gets 2 and 3. Machine 0 gathers
/// 2 and 3 from 1, 4 and 5 from 2.
#include "sluice/plan/reduce_scatter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "plan/reduce/check.hpp"
#include "sluice/error.hpp"

namespace sluice {

namespace {

constexpr std::int64_t kMostMachines = std::int64_t{1} << 22;
constexpr std::int64_t kMostParts = 8;

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t size() const { return end - begin; }
  [[nodiscard]] bool meets(const Range& other) const { return begin < other.end && other.begin < end; }
};

/// The i-th of `parts` parts; the first are the larger ones.
Range part_of(const Range& whole, std::int64_t i, std::int64_t parts) {
  const std::int64_t each = whole.size() / parts;
  const std::int64_t rest = whole.size() % parts;
  const auto first = [&](std::int64_t k) { return whole.begin + k * each + std::min(k, rest); };
  return {first(i), first(i + 1)};
}

/// Machines are counted from the root here.
class Halving {
 public:
  Halving(const ReduceProblem& problem, std::int64_t elements)
      : problem_(problem),
        all_{0, elements},
        machines_(static_cast<std::size_t>(problem.machines)),
        clocks_(machines_.size()) {}

  ReductionProgram run() {
    const std::int64_t n = problem_.machines;
    scatter(0, n);
    gather(0, n);
    ReductionProgram plan;
    plan.method = kReduceScatter;
    plan.root = problem_.root;
    plan.elements = all_.size();
    for (const Known& known : clocks_.front().known) plan.length = std::max(plan.length, known.done);
    plan.machines.resize(machines_.size());
    for (std::int64_t i = 0; i < n; ++i) {
      PieceProgram& program = plan.machines[static_cast<std::size_t>(machine(i))];
      program = std::move(machines_[static_cast<std::size_t>(i)]);
      program.begin = range_of(i, 1).begin;
      program.end = range_of(i, 1).end;
    }
    return plan;
  }

 private:
  /// What a machine has of others, and when.
  struct Known {
    Range range;
    double done = 0;
  };
  struct Clock {
    double sends = 0;  ///< from when on it can send
    double receives = 0;
    double combines = 0;
    std::vector<Known> known;
  };

  [[nodiscard]] std::int64_t machine(std::int64_t i) const { return (i + problem_.root) % problem_.machines; }

  [[nodiscard]] double time(double overhead, double whole, std::int64_t elements) const {
    const double share = static_cast<double>(elements) / static_cast<double>(std::max<std::int64_t>(1, all_.size()));
    return overhead + (whole - overhead) * share;
  }
  [[nodiscard]] double transfer(std::int64_t elements) const {
    return time(problem_.transfer_overhead, problem_.transfer, elements);
  }
  [[nodiscard]] double compute(std::int64_t elements) const {
    return time(problem_.compute_overhead, problem_.compute, elements);
  }

  /// The shares of machines `first` to `first + count - 1`.
  [[nodiscard]] Range range_of(std::int64_t first, std::int64_t count) const {
    return {part_of(all_, first, problem_.machines).begin, part_of(all_, first + count - 1, problem_.machines).end};
  }

  /// For the least `cost(parts)`; the fewest of several.
  template <class Cost>
  static std::int64_t best_parts(std::int64_t most, Cost&& cost) {
    std::int64_t best = 1;
    for (std::int64_t parts = 2; parts <= most; ++parts)
      if (cost(parts) < cost(best)) best = parts;
    return best;
  }

  void scatter(std::int64_t first, std::int64_t count) {
    if (count == 1) return;
    const std::int64_t b = count / 2;
    const std::int64_t a = count - b;
    const Range low = range_of(first, a);
    const Range high = range_of(first + a, b);
    const std::int64_t parts = best_parts(std::min(kMostParts, low.size()), [&](std::int64_t p) {
      const double d = transfer(low.size() / p);
      const double c = compute(low.size() / p);
      return d + c + static_cast<double>(p - 1) * std::max(d, c);
    });
    for (std::int64_t i = 0; i < b; ++i) {
      for (std::int64_t part = 0; part < parts; ++part) {
        send(first + i, first + a + i, part_of(high, part, parts), true);
        send(first + a + i, first + i, part_of(low, part, parts), true);
      }
    }
    if (a > b) {
      const std::int64_t pieces = best_parts(std::min(kMostParts, b), [&](std::int64_t q) {
        return static_cast<double>(q) * problem_.transfer_overhead + transfer(high.size() / q) +
               compute(high.size() / q);
      });
      for (std::int64_t i = 0; i < pieces; ++i) send(first + a - 1, first + a + i, part_of(high, i, pieces), true);
    }
    scatter(first, a);
    scatter(first + a, b);
  }

  void gather(std::int64_t first, std::int64_t count) {
    if (count == 1) return;
    const std::int64_t b = count / 2;
    const std::int64_t a = count - b;
    gather(first, a);
    gather(first + a, b);
    send(first + a, first, range_of(first + a, b), false);
  }

  /// Messages are sent, received and combined in the order of the calls: with the same order at either end, nothing
  /// waits in a circle.
  void send(std::int64_t from, std::int64_t to, const Range& range, bool combine) {
    if (range.size() == 0) return;
    PieceProgram& sender = machines_[static_cast<std::size_t>(from)];
    sender.sends.push_back(
        {.to = machine(to), .begin = range.begin, .end = range.end, .after = sender.receives.size()});
    machines_[static_cast<std::size_t>(to)].receives.push_back({machine(from), range.begin, range.end, combine});
    Clock& out = clocks_[static_cast<std::size_t>(from)];
    Clock& in = clocks_[static_cast<std::size_t>(to)];
    double start = std::max(out.sends, in.receives);
    for (const Known& known : out.known)
      if (known.range.meets(range)) start = std::max(start, known.done);
    double done = out.sends = in.receives = start + transfer(range.size());
    if (combine) done = in.combines = std::max(done, in.combines) + compute(range.size());
    in.known.push_back({range, done});
  }

  const ReduceProblem& problem_;
  Range all_;
  std::vector<PieceProgram> machines_;
  std::vector<Clock> clocks_;
};

}  // namespace

ReductionProgram plan_reduce_scatter(const ReduceProblem& problem, std::int64_t elements) {
  ReduceProblem whole = problem;
  whole.segments = 1;
  detail::check_problem(whole);
  const auto refuse = [](const char* found, const char* expected) {
    throw InputError(fmt::format("algorithm {}", kReduceScatter), found, expected);
  };
  if (problem.max_transfers || problem.max_reducers) refuse("a limit", "no limits");
  if (!problem.arrivals.empty()) refuse("dates of arrival", "all at once");
  if (!problem.commutative) refuse("an operation that does not commute", "one that does");
  if (problem.root == kAnyRoot) refuse("any root", "a root");
  if (problem.machines > kMostMachines)
    throw InputError("machines", fmt::format("{}", problem.machines), "at most 2^22 for reduce-scatter");
  if (elements < 0) throw InputError("elements", fmt::format("{}", elements), "at least 0");
  return Halving(problem, elements).run();
}

}  // namespace sluice
