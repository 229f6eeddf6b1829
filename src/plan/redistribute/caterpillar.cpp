/// `caterpillar`: the total exchange that ScaLAPACK's redistribution is organised as. The baseline.
///
/// Problem: any schedule of one dimension.
/// Guarantee: max(P, Q) steps, never fewer, whether or not the pairs have anything to exchange; no bound on TC.
/// Complexity: O(1) a message, no memory. Deterministic.
/// Source: Prylli and Tourancheau (EuroPar'96) as described by Desprez, Dongarra, Petitet, Randriamaro, Robert (1997),
/// section 3.2, which gives no formula. In step d sender p sends to receiver p - d mod max(P, Q). This reproduces the
/// order of Table 19 (12:4 -> 8:3: costs 3 0 0 0 3 3 3 0 0 0 3 3); the pairing p + q = d does not.
/// Example: 16:7 -> 16:11 takes 16 steps of length 7, TC 112.
#include <algorithm>

#include "plan/step_rule.hpp"

namespace sluice::detail {

namespace {

class CaterpillarRule final : public StepRule {
 public:
  explicit CaterpillarRule(std::int64_t processes) : processes_(processes) {}

  [[nodiscard]] std::int64_t steps() const override { return processes_; }
  [[nodiscard]] std::int64_t step_of(std::int64_t sender, std::int64_t receiver) const override {
    return sender >= receiver ? sender - receiver : sender - receiver + processes_;
  }

 private:
  std::int64_t processes_;
};

}  // namespace

std::shared_ptr<const StepRule> plan_caterpillar(const AxisPattern& pattern) {
  return std::make_shared<CaterpillarRule>(std::max(pattern.from().processes, pattern.to().processes));
}

}  // namespace sluice::detail
