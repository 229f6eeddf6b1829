#pragma once

#include <cstdint>

/// Finds the numbers of the exchange problem from the hardware between two clusters.
///
/// Problem: the senders, each on a link of speed d1, reach the receivers, each on a link of speed d2, over one backbone
/// of speed D. How many transfers may run at once without congestion (k), and what a step costs (beta) in bytes, as
/// sizes are measured in bytes.
///
///  - One transfer runs at d = min(d1, d2), and at D if not even one such transfer fits the backbone: d = min(d1, d2,
///  D).
///  - k = min(floor(D / d), senders, receivers), and at least 1. A quotient a billionth below an integer counts as the
///    integer: 0.3 / 0.1 is 3.
///  - beta = latency * d: the bytes that a transfer would move in the time it takes to start a step.
///
/// With these, a schedule's cost divided by d is its time in seconds.
///
/// Source: Cohen, Jeannot, Padoy, Wagner, "Messages Scheduling for Parallel Data Redistribution between Clusters",
/// section 2.1; the normalisation by d is that of section 2.2. The paper asks for k d1 <= D and k d2 <= D; its own
/// example (200 senders at 10 Mbit/s, 100 receivers at 100 Mbit/s, D = 1 Gbit/s) has k = 100, which the second forbids
/// and k d <= D allows: a fast receiver of a slow sender takes no more than the sender sends. That is the rule here.
///
/// Worked example, that of the paper with a latency of 1 ms: d = 10 Mbit/s = 1.25e6 bytes/s, floor(D / d) = 100, so k =
/// min(100, 200, 100) = 100, beta = 1250 bytes.
namespace sluice {

/// Speeds in bytes/s, finite and above 0.
struct Backbone {
  double backbone_bytes_per_s = 0;       ///< D, shared by all transfers
  double sender_link_bytes_per_s = 0;    ///< d1, of each sender
  double receiver_link_bytes_per_s = 0;  ///< d2, of each receiver
  double latency_s = 0;                  ///< of the start of a step; finite, at least 0
};

/// What planning needs to know of a backbone.
struct BackboneModel {
  double transfer_bytes_per_s = 0;  ///< d, the speed of one transfer
  std::int64_t max_transfers = 1;   ///< k
  double setup_bytes = 0;           ///< beta
};

/// O(1). Throws InputError, naming the value, for speeds and latencies out of range and numbers of senders or receivers
/// below 0.
[[nodiscard]] BackboneModel model(const Backbone& backbone, std::int64_t senders, std::int64_t receivers);

}  // namespace sluice
