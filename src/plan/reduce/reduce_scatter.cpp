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
/// 1/n)). The length is that of halving_length.cpp. Complexity: O(log n) time and memory for a machine, O(n log n) for
/// all. Deterministic. Source: R. Rabenseifner, Optimization of Collective Reduction Operations, ICCS 2004,
/// section 2.3, "recursive halving and binomial tree". There a number of machines that is no power of two is brought
/// down to one at first, at the cost of d + c / 2; the odd machine at each level and the parts are ours.
///
/// Example: 3 machines, 6 elements, no parts. {0, 1} take elements 0 to 3, {2} takes 4 and 5. Machine 0 gives 4 and 5
/// to 2 and gets 0 to 3 of it; 1 gives 4 and 5 to 2. Then 0 gets 0 and 1 from 1, which gets 2 and 3. Machine 0 gathers
/// 2 and 3 from 1, 4 and 5 from 2.
#include "sluice/plan/reduce_scatter.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "plan/reduce/check.hpp"
#include "plan/reduce/halving.hpp"
#include "sluice/error.hpp"

namespace sluice {

namespace {

using detail::Halves;
using detail::Halving;
using detail::part_of;
using detail::Range;

constexpr std::int64_t kMostMachines = std::int64_t{1} << 22;

/// What one machine does. Machines are counted from the root here. Messages are sent, received and combined in the
/// order of the calls, which is the same at either end: so nothing waits in a circle.
class OwnProgram {
 public:
  OwnProgram(const Halving& halving, std::int64_t root, std::int64_t own) : halving_(halving), root_(root), own_(own) {}

  PieceProgram run() {
    const Range share = range_of(own_, 1);
    program_.begin = share.begin;
    program_.end = share.end;
    std::vector<Group> groups;
    for (Group group{0, halving_.machines()}; group.count > 1;) {
      groups.push_back(group);
      scatter(group);
      const Halves halves(group.count);
      group = own_ < group.first + halves.low ? Group{group.first, halves.low}
                                              : Group{group.first + halves.low, halves.high};
    }
    for (; !groups.empty(); groups.pop_back()) gather(groups.back());
    return std::move(program_);
  }

 private:
  struct Group {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };

  [[nodiscard]] std::int64_t machine(std::int64_t i) const { return (i + root_) % halving_.machines(); }

  /// The shares of machines `first` to `first + count - 1`.
  [[nodiscard]] Range range_of(std::int64_t first, std::int64_t count) const {
    const Range all{0, halving_.elements()};
    return {part_of(all, first, halving_.machines()).begin, part_of(all, first + count - 1, halving_.machines()).end};
  }

  void scatter(const Group& group) {
    const Halves halves(group.count);
    const std::int64_t middle = group.first + halves.low;
    const Range low = range_of(group.first, halves.low);
    const Range high = range_of(middle, halves.high);
    const std::int64_t odd = halves.odd() ? middle - 1 : -1;
    if (own_ != odd) {
      const std::int64_t parts = halving_.parts(low.size());
      const std::int64_t one = own_ < middle ? own_ : own_ - halves.low;
      const std::int64_t other = one + halves.low;
      for (std::int64_t part = 0; part < parts; ++part) {
        pass(one, other, part_of(high, part, parts), true);
        pass(other, one, part_of(low, part, parts), true);
      }
    }
    if (odd < 0) return;
    const std::int64_t pieces = halving_.pieces(halves.high, high.size());
    for (std::int64_t i = 0; i < pieces; ++i)
      if (own_ == odd || own_ == middle + i) pass(odd, middle + i, part_of(high, i, pieces), true);
  }

  void gather(const Group& group) {
    const Halves halves(group.count);
    const std::int64_t middle = group.first + halves.low;
    if (own_ == group.first || own_ == middle) pass(middle, group.first, range_of(middle, halves.high), false);
  }

  /// One of both is the own machine.
  void pass(std::int64_t from, std::int64_t to, const Range& range, bool combine) {
    if (range.size() == 0) return;
    if (from == own_)
      program_.sends.push_back(
          {.to = machine(to), .begin = range.begin, .end = range.end, .after = program_.receives.size()});
    else
      program_.receives.push_back({machine(from), range.begin, range.end, combine});
  }

  const Halving& halving_;
  std::int64_t root_;
  std::int64_t own_;
  PieceProgram program_;
};

PieceProgram program_of(const ReduceProblem& problem, const Halving& halving, std::int64_t rank) {
  const std::int64_t n = problem.machines;
  return OwnProgram(halving, problem.root, (rank - problem.root + n) % n).run();
}

void check(const ReduceProblem& problem, std::int64_t elements, std::int64_t most_machines) {
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
  if (problem.machines > most_machines)
    throw InputError("machines", fmt::format("{}", problem.machines),
                     fmt::format("at most {} for reduce-scatter", most_machines));
  if (elements < 0) throw InputError("elements", fmt::format("{}", elements), "at least 0");
}

}  // namespace

ReductionProgram plan_reduce_scatter(const ReduceProblem& problem, std::int64_t elements) {
  check(problem, elements, kMostMachines);
  const Halving halving(problem, elements);
  ReductionProgram plan;
  plan.method = kReduceScatter;
  plan.root = problem.root;
  plan.elements = elements;
  plan.length = length_of(halving);
  plan.machines.reserve(static_cast<std::size_t>(problem.machines));
  for (std::int64_t rank = 0; rank < problem.machines; ++rank)
    plan.machines.push_back(program_of(problem, halving, rank));
  return plan;
}

ReductionProgramPart plan_reduce_scatter_part(const ReduceProblem& problem, std::int64_t rank, std::int64_t elements) {
  check(problem, elements, detail::kMostNodes);
  if (rank < 0 || rank >= problem.machines)
    throw InputError("rank", fmt::format("{}", rank), fmt::format("0 to {}", problem.machines - 1));
  const Halving halving(problem, elements);
  return {kReduceScatter, program_of(problem, halving, rank), length_of(halving)};
}

}  // namespace sluice
