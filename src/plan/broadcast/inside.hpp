#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "schedule/message_graph.hpp"
#include "sluice/plan/broadcast.hpp"

namespace sluice::detail {

inline constexpr std::string_view kCirculant = "circulant";

/// The fastest strategy for one cluster, and its time. `models`: the strategies of `cluster` for `bytes`. Only
/// strategies whose messages can be carried out count: neither "native" nor "circulant", whose model may be too short.
/// The time is the model's, except for a binomial tree over ranks that are no power of two: its root sends once more
/// than the model says. `strategy`: only this one, unless it is empty. Throws InputError for a strategy that is not
/// executable.
[[nodiscard]] StrategyPrediction best_inside(const std::vector<StrategyPrediction>& models,
                                             const PlatformCluster& cluster, std::int64_t bytes,
                                             std::string_view strategy);

/// The problem of between_clusters for one segment. `models` gets what models say of each cluster; it stays empty for a
/// cluster whose broadcast was measured.
[[nodiscard]] BetweenClusters between_clusters(const Platform& platform, std::int64_t bytes, std::int64_t root,
                                               std::string_view inside,
                                               std::vector<std::vector<StrategyPrediction>>& models);

/// Adds the messages of `strategy`, an executable one of predict_broadcast for `cluster`, for bytes [0, `bytes`) among
/// `ranks`, all of the cluster, which the first one has. See inside.cpp. A rank sends them in the order of the list.
void add_inside_messages(const StrategyPrediction& strategy, const PlatformCluster& cluster,
                         const std::vector<std::int64_t>& ranks, std::int64_t bytes, MessageGraph& messages);

}  // namespace sluice::detail
