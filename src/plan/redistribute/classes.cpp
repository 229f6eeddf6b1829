/// `classes`: one class of the communication grid after the other.
///
/// Problem: a schedule of one dimension with both the fewest steps NS and the lowest total cost TC. Applies when gcd(r,
/// Q) = gcd(s, P) = 1 (r and s divided by gcd(r, s)); otherwise a class leaves rows or columns empty.
/// Guarantee: NS = NS_opt and TC optimal (Proposition 4): all messages of a step have one length.
/// Complexity: O(C log C) for C classes; a step is then O(1) to tell. Memory O(C), at most the messages of one process.
/// Deterministic.
/// Source: Desprez, Dongarra, Petitet, Randriamaro, Robert (1997), section 4.3.2, Propositions 3 and 4.
/// Deviations: the paper leaves the order of blocks inside a class open: sender block alpha sends to receiver block
/// beta in step (alpha - beta) mod max(P/g, Q/g) of its class. Steps are put in order of falling length.
/// Example: 16:3 -> 16:5 has classes of lengths 3 3 3 2 2 1 1, each with one message per process: NS 7, TC 15.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "plan/step_rule.hpp"
#include "sluice/error.hpp"
#include "sluice/input/communication_grid.hpp"

namespace sluice::detail {

namespace {

class ClassesRule final : public StepRule {
 public:
  explicit ClassesRule(const CommunicationGrid& grid)
      : grid_(grid), steps_of_class_(std::max(grid.row_blocks(), grid.column_blocks())) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(grid.classes()));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::int64_t number) { return grid.class_length(number); });
    place_.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      place_[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    }
  }

  [[nodiscard]] std::int64_t steps() const override { return grid_.classes() * steps_of_class_; }

  [[nodiscard]] std::int64_t step_of(std::int64_t sender, std::int64_t receiver) const override {
    const std::int64_t difference = grid_.position_of_sender(sender).block - grid_.position_of_receiver(receiver).block;
    return place_[static_cast<std::size_t>(grid_.class_of(sender, receiver))] * steps_of_class_ +
           (difference < 0 ? difference + steps_of_class_ : difference);
  }

  [[nodiscard]] std::vector<std::int64_t> durations(const AxisPattern& pattern) const override {
    const std::int64_t slices = whole_slices(pattern);
    if (slices == 0) return StepRule::durations(pattern);
    std::vector<std::int64_t> result(static_cast<std::size_t>(steps()));
    for (std::int64_t number = 0; number < grid_.classes(); ++number) {
      const std::int64_t first = place_[static_cast<std::size_t>(number)] * steps_of_class_;
      std::fill_n(result.begin() + first, steps_of_class_, grid_.class_length(number) * slices);
    }
    return result;
  }

 private:
  CommunicationGrid grid_;
  std::int64_t steps_of_class_;
  std::vector<std::int64_t> place_;  ///< of each class in the order of falling length
};

}  // namespace

std::shared_ptr<const StepRule> plan_classes(const AxisPattern& pattern) {
  const CommunicationGrid grid = paper_grid(pattern);
  const std::int64_t divisor = std::gcd(pattern.from().block, pattern.to().block);
  if (grid.row_period() > 1) {
    throw InputError("classes",
                     fmt::format("gcd(s, P) = gcd({}, {}) = {}", pattern.to().block / divisor, pattern.from().processes,
                                 grid.row_period()),
                     "gcd(s, P) = gcd(r, Q) = 1; stepwise plans any layout");
  }
  if (grid.column_period() > 1) {
    throw InputError("classes",
                     fmt::format("gcd(r, Q) = gcd({}, {}) = {}", pattern.from().block / divisor, pattern.to().processes,
                                 grid.column_period()),
                     "gcd(s, P) = gcd(r, Q) = 1; stepwise plans any layout");
  }
  return std::make_shared<ClassesRule>(grid);
}

}  // namespace sluice::detail
