#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/broadcast/rank_network.hpp"
#include "plan/broadcast/routes.hpp"

namespace sluice::detail {

/// How long a broadcast over routes takes, about: see route_score.cpp.
class RouteScore {
 public:
  RouteScore(const RankNetwork& network, std::int64_t root, std::int64_t bytes, const std::vector<RankGroup>& groups);

  /// In seconds. O(ranks * connections between two groups).
  [[nodiscard]] double score(const Routes& routes);

 private:
  /// `port_s`: of both ranks.
  [[nodiscard]] const MessageCosts& costs(std::size_t from_cluster, std::size_t to_cluster, std::int64_t bytes);
  [[nodiscard]] double uplink_s(std::size_t number, std::int64_t bytes);
  void add_loads(const std::vector<RankMessage>& messages, const std::vector<MessageCosts>& inside);
  [[nodiscard]] double busiest_connection(std::size_t count, std::int64_t bytes);
  void add_connections(const std::vector<RankMessage>& messages);
  [[nodiscard]] double fill(const std::vector<RankMessage>& messages, const std::vector<MessageCosts>& inside);

  const RankNetwork& network_;
  std::size_t root_;
  std::int64_t bytes_;
  const std::vector<RankGroup>& groups_;
  std::size_t ranks_, clusters_;
  std::vector<std::pair<std::int64_t, MessageCosts>> costs_;  // by clusters: of the last message, and how long it was
  std::vector<std::pair<std::int64_t, double>> uplinks_;      // the same of how long a message keeps each uplink
  // Seconds for which each thing is used: ranks sending, receiving, starting messages; links; uplinks.
  std::vector<double> load_;
  std::vector<double> firm_;                                 // of that, by messages that do not yield
  std::vector<std::size_t> links_;                           // that are used
  std::vector<std::pair<std::size_t, double>> connections_;  // between clusters: by both ranks
  // While a segment is followed:
  std::vector<std::size_t> first_, order_;
  std::vector<double> there_;
};

/// The score of one route.
[[nodiscard]] double route_score(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                                 const Routes& routes);

}  // namespace sluice::detail
