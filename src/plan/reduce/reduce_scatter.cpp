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

  ReduceScatterPlan run() {
    const std::int64_t n = problem_.machines;
    scatter(0, n);
    gather(0, n);
    ReduceScatterPlan plan;
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
    sender.sends.push_back({machine(to), range.begin, range.end, sender.receives.size()});
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

// ---- validation

class PieceValidator {
 public:
  explicit PieceValidator(const ReduceScatterPlan& plan) : plan_(plan), state_(plan.machines.size()) {}

  std::vector<Violation> run() {
    check_fields();
    if (!violations_.empty()) return std::move(violations_);
    cut();
    for (std::int64_t machine = 0; machine < machines(); ++machine) waiting_.push_back(machine);
    while (!waiting_.empty() && violations_.empty()) {
      const std::int64_t machine = waiting_.back();
      waiting_.pop_back();
      while (violations_.empty() && pass_next(machine)) {
      }
    }
    if (violations_.empty()) check_end();
    return std::move(violations_);
  }

 private:
  struct State {
    std::size_t sent = 0;
    std::size_t received = 0;
    std::vector<std::int64_t> held;  ///< by piece: of how many machines it has the combination, itself included
  };

  template <class... Args>
  void report(std::int64_t machine, fmt::format_string<Args...> reason, Args&&... args) {
    violations_.push_back({-1, machine, fmt::format(reason, std::forward<Args>(args)...)});
  }
  [[nodiscard]] std::int64_t machines() const { return static_cast<std::int64_t>(plan_.machines.size()); }
  [[nodiscard]] const PieceProgram& of(std::int64_t machine) const {
    return plan_.machines[static_cast<std::size_t>(machine)];
  }
  [[nodiscard]] State& state(std::int64_t machine) { return state_[static_cast<std::size_t>(machine)]; }

  void check_range(std::int64_t machine, const char* what, std::size_t i, std::int64_t other, const Range& range) {
    if (other < 0 || other >= machines() || other == machine)
      report(machine, "{} {}: machine {} is no other of {}", what, i, other, machines());
    if (range.begin < 0 || range.begin >= range.end || range.end > plan_.elements)
      report(machine, "{} {}: elements {} to {} of {}", what, i, range.begin, range.end, plan_.elements);
  }

  void check_fields() {
    if (machines() == 0) report(-1, "no machines, must be at least 1");
    if (plan_.root < 0 || plan_.root >= machines()) report(plan_.root, "root {} of {}", plan_.root, machines());
    if (plan_.elements < 0) report(-1, "{} elements, must be at least 0", plan_.elements);
    std::int64_t shared = 0;
    for (std::int64_t machine = 0; machine < machines(); ++machine) {
      const PieceProgram& program = of(machine);
      if (program.begin < 0 || program.begin > program.end || program.end > plan_.elements)
        report(machine, "a share of elements {} to {} of {}", program.begin, program.end, plan_.elements);
      shared += program.end - program.begin;
      for (std::size_t i = 0; i < program.receives.size(); ++i) {
        const PieceReceive& receive = program.receives[i];
        check_range(machine, "receive", i, receive.from, {receive.begin, receive.end});
      }
      for (std::size_t i = 0; i < program.sends.size(); ++i) {
        const PieceSend& send = program.sends[i];
        const Range range{send.begin, send.end};
        check_range(machine, "send", i, send.to, range);
        if (send.after > program.receives.size())
          report(machine, "send {} waits for {} receives of {}", i, send.after, program.receives.size());
        for (std::size_t r = send.after; r < program.receives.size(); ++r) {
          const PieceReceive& later = program.receives[r];
          if (later.combine && range.meets({later.begin, later.end}))
            report(machine, "send {} does not wait for receive {} of its elements", i, r);
        }
      }
    }
    if (shared != plan_.elements) report(-1, "shares of {} elements, not {}", shared, plan_.elements);
  }

  /// At the ends of all messages.
  void cut() {
    cuts_ = {0, plan_.elements};
    for (const PieceProgram& program : plan_.machines)
      for (const PieceSend& send : program.sends) cuts_.insert(cuts_.end(), {send.begin, send.end});
    std::sort(cuts_.begin(), cuts_.end());
    cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
    for (State& each : state_) each.held.assign(cuts_.size() - 1, 1);
  }

  [[nodiscard]] std::size_t piece_at(std::int64_t element) const {
    return static_cast<std::size_t>(std::lower_bound(cuts_.begin(), cuts_.end(), element) - cuts_.begin());
  }

  /// The next send of `from`, if it can pass.
  bool pass_next(std::int64_t from) {
    State& sender = state(from);
    if (sender.sent == of(from).sends.size()) return false;
    const PieceSend& send = of(from).sends[sender.sent];
    const Range range{send.begin, send.end};
    for (std::size_t r = sender.received; r < send.after; ++r) {
      const PieceReceive& awaited = of(from).receives[r];
      if (range.meets({awaited.begin, awaited.end})) return false;
    }
    State& receiver = state(send.to);
    if (receiver.received == of(send.to).receives.size()) {
      report(send.to, "nothing receives send {} of machine {}", sender.sent, from);
      return false;
    }
    const PieceReceive& receive = of(send.to).receives[receiver.received];
    if (receive.from != from) return false;
    if (receive.begin != send.begin || receive.end != send.end) {
      report(send.to, "receive {} is of elements {} to {}, its message of {} to {}", receiver.received, receive.begin,
             receive.end, send.begin, send.end);
      return false;
    }
    for (std::size_t piece = piece_at(range.begin); piece < piece_at(range.end); ++piece) {
      std::int64_t& there = receiver.held[piece];
      std::int64_t& here = sender.held[piece];
      if (here == 0) report(from, "send {} of element {} given away before", sender.sent, cuts_[piece]);
      if (receive.combine == (there == 0))
        report(send.to, "receive {}: {}", receiver.received,
               there == 0 ? "nothing to combine it with" : "it takes the place of elements");
      there += std::exchange(here, 0);
    }
    ++sender.sent;
    ++receiver.received;
    waiting_.push_back(send.to);  // may go on
    // Those whose message it takes next may as well.
    if (receiver.received < of(send.to).receives.size())
      waiting_.push_back(of(send.to).receives[receiver.received].from);
    return true;
  }

  void check_end() {
    for (std::int64_t machine = 0; machine < machines(); ++machine) {
      const State& each = state(machine);
      if (each.sent < of(machine).sends.size() || each.received < of(machine).receives.size())
        report(machine, "stands still before send {} and receive {}", each.sent, each.received);
    }
    if (!violations_.empty()) return;
    const State& root = state(plan_.root);
    for (std::size_t piece = 0; piece < root.held.size(); ++piece)
      if (root.held[piece] != machines())
        report(plan_.root, "element {} is the combination of {} machines", cuts_[piece], root.held[piece]);
  }

  const ReduceScatterPlan& plan_;
  std::vector<State> state_;
  std::vector<std::int64_t> cuts_;
  std::vector<std::int64_t> waiting_;  ///< machines whose next send may pass
  std::vector<Violation> violations_;
};

}  // namespace

ReduceScatterPlan plan_reduce_scatter(const ReduceProblem& problem, std::int64_t elements) {
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

std::vector<Violation> validate(const ReduceScatterPlan& plan) { return PieceValidator(plan).run(); }

}  // namespace sluice
