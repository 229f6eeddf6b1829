#include "plan/redistribute/pieces.hpp"

namespace sluice::detail {

ExchangePlan pieces_of(const ExchangeProblem& messages, std::span<const Message> copies, const ExchangeOptions& how) {
  ExchangePlan plan = plan_exchange(messages, how);
  plan.schedule.problem = "redistribute";
  for (const Message& copy : copies) plan.schedule.copies.push_back({copy.from, copy.to, 0, copy.size});
  return plan;
}

}  // namespace sluice::detail
