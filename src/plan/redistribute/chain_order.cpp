#include "plan/redistribute/chain_order.hpp"

#include <algorithm>

namespace sluice::detail {

ChainOrder::ChainOrder(const ReplicatedProblem& problem) : problem_(problem) {
  if (!problem.has_roles()) return;
  const std::int64_t targets = problem.one().to().processes();
  const std::int64_t copies = problem.to_replicas();
  std::vector<Rank> places(static_cast<std::size_t>(problem.senders()), Rank(-1));
  receiver_at_.resize(static_cast<std::size_t>(problem.receivers()));
  for (std::int64_t q = 0; q < targets; ++q) {
    std::int64_t first = 0, last = copies;
    for (std::int64_t t = 0; t < copies; ++t) {
      const std::int64_t receiver = t * targets + q;
      const std::int64_t sender = problem.sender_of(receiver);
      const std::int64_t place = (sender < 0 ? first++ : --last) * targets + q;
      receiver_at_[static_cast<std::size_t>(place)] = receiver;
      if (sender >= 0) places[static_cast<std::size_t>(sender)] = Rank(place);
    }
    least_heads_ = std::max(least_heads_, copies - last);
  }
  problem_ = problem.with_roles(places);
}

void ChainOrder::number(std::vector<Transfer>& transfers) const {
  if (receiver_at_.empty()) return;
  const std::int64_t senders = problem_.senders();
  for (Transfer& each : transfers) {
    each.to = receiver_at_[static_cast<std::size_t>(each.to)];
    if (each.from >= senders) each.from = senders + receiver_at_[static_cast<std::size_t>(each.from - senders)];
  }
}

}  // namespace sluice::detail
