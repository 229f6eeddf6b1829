#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

/// Proves that no schedule of an exchange costs less than its bound. A reader can verify it without the planner: see
/// sluice/plan/verify_bound.hpp.
struct BoundCertificate {
  /// The messages that prove a part of eta (lower_bound): those of a sender, those of a receiver, or all of them, k at
  /// a time.
  struct Witness {
    std::string of = "all";  ///< "sender", "receiver" or "all"
    std::int64_t node = 0;   ///< 0 for "all"

    friend bool operator==(const Witness&, const Witness&) = default;
  };

  /// What proves the bound on the total: "eta", "splits" or "backbone" (as ExchangeBound::kind; they need no proof),
  /// "lp", or "exact", a search that leaves no other proof.
  std::string total = "eta";
  Witness transmission;  ///< its load is the bound on the transmission
  Witness steps;         ///< its number of messages is the bound on the steps
  /// Prices from the linear program over steps (src/plan/exchange/lp_bound.cpp): for the size of each message, and for
  /// each of the pieces that carry it, by sender, then receiver. Only their proportions count. Empty for eta.
  std::vector<double> size_prices;
  std::vector<double> piece_prices;  ///< see `size_prices`
  /// What a node pays for a step in which it takes part ("all": what every transfer pays), for each of `durations`.
  struct PricedNode {
    Witness who;                 ///< the node
    std::vector<double> prices;  ///< one for each of `durations`, at least 0

    friend bool operator==(const PricedNode&, const PricedNode&) = default;
  };
  /// The same program where there are too many messages to price each (src/plan/exchange/node_prices.cpp): the
  /// durations of steps, ascending, in the unit of the schedule's file. Prices are linear between two of them, and stay
  /// as they are before the first and after the last; only their proportions count.
  std::vector<double> durations = {};
  std::vector<PricedNode> node_prices = {};  ///< all other nodes pay nothing

  friend bool operator==(const BoundCertificate&, const BoundCertificate&) = default;
};

}  // namespace sluice
