#pragma once

#include <cstdint>

#include "sluice/schedule/local_phases.hpp"

namespace sluice::detail {

/// One of the two clusters of an exchange with local phases: the fields of a route that name its nodes.
struct ClusterSide {
  std::int64_t Route::*own;   ///< where the data is, or has to be
  std::int64_t Route::*via;   ///< where it crosses
  std::int64_t Route::*peer;  ///< where it crosses on the other side
};
inline constexpr ClusterSide kSenderSide{&Route::from, &Route::carrier, &Route::landing};
inline constexpr ClusterSide kReceiverSide{&Route::to, &Route::landing, &Route::carrier};

}  // namespace sluice::detail
