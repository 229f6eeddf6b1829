#pragma once

#include <cstdint>
#include <vector>

#include "sluice/input/traffic.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice::mpi::detail {

/// The ranks of the senders and receivers of a schedule: the ranks in ExchangeOptions, if it names any. Otherwise the
/// ranks of equal number; for clusters with local links, the ranks that send or receive anything.
class NodeRanks {
 public:
  /// `traffic`: between ranks, with equally many of them on both sides.
  NodeRanks(const Traffic& traffic, const ExchangeOptions& options);

  [[nodiscard]] std::int64_t senders() const { return static_cast<std::int64_t>(senders_.size()); }
  [[nodiscard]] std::int64_t receivers() const { return static_cast<std::int64_t>(receivers_.size()); }
  /// The traffic between ranks as one between nodes. Throws InputError for a rank that is none.
  [[nodiscard]] Traffic between_nodes(const Traffic& traffic) const;
  /// A schedule between nodes as one between ranks.
  [[nodiscard]] StepSchedule between_ranks(StepSchedule schedule) const;

 private:
  std::int64_t ranks_;
  std::vector<int> senders_;
  std::vector<int> receivers_;
};

/// `options.schedule` between ranks. It includes what a rank has for itself only if there are local phases; otherwise
/// that needs no network. Throws InputError for a schedule that does not deliver the traffic, including what ranks have
/// for themselves.
[[nodiscard]] StepSchedule given_schedule(const Traffic& traffic, const ExchangeOptions& options);

}  // namespace sluice::mpi::detail
