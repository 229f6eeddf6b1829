#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

/// Proves that no schedule of an exchange costs less than its bound. A reader can verify it without the planner: see
/// sluice/plan/verify_bound.hpp.
struct BoundCertificate {
  /// Names the messages that prove a part of eta (lower_bound): the messages of a sender, of a receiver, or all
  /// messages, k at a time.
  struct Witness {
    std::string of = "all";  ///< "sender", "receiver" or "all"
    std::int64_t node = 0;   ///< 0 for "all"

    friend bool operator==(const Witness&, const Witness&) = default;
  };

  /// Says what proves the bound on the total. "eta", "splits" and "backbone" need no proof (see ExchangeBound::kind);
  /// "lp" has prices; "exact" is a search that leaves no other proof.
  std::string total = "eta";
  Witness transmission;  ///< its load is the bound on the transmission
  Witness steps;         ///< its number of messages is the bound on the steps
  /// Prices from the linear program over steps (src/plan/exchange/bounds/lp_bound.cpp). There is one for the size of
  /// each message, and one for each of the pieces that carry it, by sender, then receiver. Only their proportions
  /// count. Empty for eta.
  std::vector<double> size_prices;
  std::vector<double> piece_prices;  ///< see `size_prices`
  /// Says what a node pays for each step that it takes part in, for each of `durations`. For "all": what every transfer
  /// pays.
  struct PricedNode {
    Witness who;                 ///< the node
    std::vector<double> prices;  ///< one for each of `durations`, at least 0

    friend bool operator==(const PricedNode&, const PricedNode&) = default;
  };
  /// Durations of steps, ascending, in the unit of the schedule's file. They replace the prices above if there are too
  /// many messages to price each (src/plan/exchange/bounds/node_prices.cpp). Prices are linear between two durations,
  /// and constant below the first and above the last; only their proportions count.
  std::vector<double> durations = {};
  std::vector<PricedNode> node_prices = {};  ///< all other nodes pay nothing

  friend bool operator==(const BoundCertificate&, const BoundCertificate&) = default;
};

}  // namespace sluice
