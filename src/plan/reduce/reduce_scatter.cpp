/// Reduce-scatter by halving, then gather.
///
/// Problem: see include/sluice/plan/reduce_scatter.hpp. A machine sends one message at a time, receives one at a time
/// and combines one at a time, all three at once.
/// Method: machines are split in two halves, and the range of elements in proportion. Each machine of one half gives
/// its elements of the other half's range to one machine there, and gets what that machine has of its own range. Then
/// each half is split likewise, until every machine alone has its share of the range, combined over all. If the number
/// is odd, the first half has one machine more. What this machine has for the other half goes to several machines
/// there, a piece to each, so that none has much more to combine than the others. Then the shares go back the same way,
/// from the first machine of each second half to the first of each first half; the root is the first of all. Messages
/// are cut into as many parts, up to 8, as make receiving and combining overlap best.
/// Guarantee: none of a shortest schedule. For a power of two and no overheads, messages whole: (2 d + c) (1 - 1/n). A
/// tree of whole elements takes at least ceil(log2 n) max(d, c), and no reduction takes less than max(d, c (1 - 1/n)).
/// halving_length.cpp computes the length. Complexity: O(log n) time and memory for a machine, O(n log n) for all.
/// Deterministic. Source: R. Rabenseifner, Optimization of Collective Reduction Operations, ICCS 2004, section 2.3,
/// "recursive halving and binomial tree". There, a number of machines that is no power of two is first reduced to a
/// power of two, which costs d + c / 2. The odd machine at each level and the parts are ours.
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
#include "schedule/message_graph.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {

namespace {

using detail::Halves;
using detail::Halving;
using detail::MessageGraph;
using detail::MessageKind;
using detail::part_of;
using detail::Range;

/// In a plan of all of them.
constexpr std::int64_t kMostMachines = std::int64_t{1} << 22;
/// Instead of one machine whose messages are wanted.
constexpr std::int64_t kAll = -1;

/// The messages of all machines, or of one, in an order that lets them pass one after the other. Machines are counted
/// from the root here.
class HalvingMessages {
 public:
  HalvingMessages(const Halving& halving, std::int64_t root, std::int64_t element_bytes, std::int64_t own)
      : halving_(halving), root_(root), element_bytes_(element_bytes), own_(own) {}

  MessageGraph run() {
    std::vector<Group> groups{{0, halving_.machines()}};
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const Group group = groups[g];
      if (group.count == 1) continue;
      scatter(group);
      const Halves halves(group.count);
      for (const Group half : {Group{group.first, halves.low}, Group{group.first + halves.low, halves.high}})
        if (own_ == kAll || (half.first <= own_ && own_ < half.first + half.count)) groups.push_back(half);
    }
    for (auto group = groups.rbegin(); group != groups.rend(); ++group)
      if (group->count > 1) gather(*group);
    return std::move(messages_);
  }

 private:
  struct Group {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };

  [[nodiscard]] std::int64_t machine(std::int64_t i) const { return (i + root_) % halving_.machines(); }
  [[nodiscard]] bool is_wanted(std::int64_t machine) const { return own_ == kAll || own_ == machine; }

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
    const auto exchange = [&](std::int64_t one) {
      const std::int64_t other = one + halves.low;
      const std::int64_t parts = halving_.parts(low.size());
      for (std::int64_t part = 0; part < parts; ++part) {
        pass(one, other, part_of(high, part, parts), MessageKind::kCombine);
        pass(other, one, part_of(low, part, parts), MessageKind::kCombine);
      }
    };
    const std::int64_t odd = middle - 1;  // of an odd number, the machine without one in the other half
    if (own_ == kAll) {
      for (std::int64_t one = group.first; one < group.first + halves.high; ++one) exchange(one);
    } else if (!halves.odd() || own_ != odd) {
      exchange(own_ < middle ? own_ : own_ - halves.low);
    }
    if (!halves.odd()) return;
    const std::int64_t pieces = halving_.pieces(halves.high, high.size());
    for (std::int64_t i = 0; i < pieces; ++i) pass(odd, middle + i, part_of(high, i, pieces), MessageKind::kCombine);
  }

  void gather(const Group& group) {
    const Halves halves(group.count);
    const std::int64_t middle = group.first + halves.low;
    pass(middle, group.first, range_of(middle, halves.high), MessageKind::kKeep);
  }

  void pass(std::int64_t from, std::int64_t to, const Range& range, MessageKind kind) {
    if (!is_wanted(from) && !is_wanted(to)) return;
    messages_.add(machine(from), machine(to), {range.begin * element_bytes_, range.size() * element_bytes_}, kind);
  }

  const Halving& halving_;
  std::int64_t root_;
  std::int64_t element_bytes_;
  std::int64_t own_;
  MessageGraph messages_;
};

/// The program without its operations.
Program shape_of(const ReduceProblem& problem, std::int64_t elements, std::int64_t element_bytes,
                 std::int64_t most_machines) {
  ReduceProblem whole = problem;
  whole.segments = 1;
  detail::check_problem(whole);
  const auto refuse = [](const char* found, const char* expected) {
    throw InputError(fmt::format("algorithm {}", kReduceScatter), found, expected);
  };
  if (problem.max_transfers || problem.max_reducers) refuse("a limit", "no limits");
  if (!problem.transfer_costs.empty() || !problem.compute_costs.empty())
    refuse("costs of single machines or links", "one cost for all");
  if (!problem.arrivals.empty()) refuse("dates of arrival", "all at once");
  if (!problem.commutative) refuse("an operation that does not commute", "one that does");
  if (problem.root == kAnyRoot) refuse("any root", "a root");
  if (problem.machines > most_machines)
    throw InputError("machines", fmt::format("{}", problem.machines),
                     fmt::format("at most {} for reduce-scatter", most_machines));
  if (elements < 0) throw InputError("elements", fmt::format("{}", elements), "at least 0");
  if (element_bytes < 1) throw InputError("element bytes", fmt::format("{}", element_bytes), "at least 1");
  Program program;
  program.problem = Collective::kReduce;
  program.algorithm = kReduceScatter;
  program.ranks = problem.machines;
  program.size_bytes = checked::multiply(elements, element_bytes, "bytes of the elements");
  program.root = problem.root;
  program.element_bytes = element_bytes;
  return program;
}

}  // namespace

Program plan_reduce_scatter(const ReduceProblem& problem, std::int64_t elements, std::int64_t element_bytes) {
  Program program = shape_of(problem, elements, element_bytes, kMostMachines);
  const Halving halving(problem, elements);
  program.length_s = length_of(halving);
  program.operations = operations_of(HalvingMessages(halving, problem.root, element_bytes, kAll).run());
  return program;
}

Program plan_reduce_scatter_part(const ReduceProblem& problem, std::int64_t rank, std::int64_t elements,
                                 std::int64_t element_bytes) {
  Program program = shape_of(problem, elements, element_bytes, detail::kMostNodes);
  const std::int64_t n = problem.machines;
  if (rank < 0 || rank >= n) throw InputError("rank", fmt::format("{}", rank), index_text(n, "rank"));
  const Halving halving(problem, elements);
  program.length_s = length_of(halving);
  const std::int64_t own = (rank - problem.root + n) % n;
  program.operations = operations_of_rank(HalvingMessages(halving, problem.root, element_bytes, own).run(), rank);
  return program;
}

}  // namespace sluice
