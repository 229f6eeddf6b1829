#pragma once

#include <cstdint>

/// Finds the numbers of the exchange problem from the hardware between two clusters.
///
/// Problem: senders, each on a link of speed d1, reach receivers, each on a link of speed d2, over one backbone of
/// speed D. How many transfers may run at once without congestion (k), and what does a step cost in bytes (beta)? Sizes
/// are in bytes.
///
///  - One transfer runs at d = min(d1, d2, D): it is slower than the links if not even one transfer fits the backbone.
///  - k = min(floor(D / d), senders, receivers), and at least 1. A quotient a billionth below an integer counts as the
///    integer: 0.3 / 0.1 is 3.
///  - beta = latency * d: the bytes that a transfer would move in the time that a step needs to start.
///
/// With these, a schedule's cost divided by d is its time in seconds.
///
/// Source: Cohen, Jeannot, Padoy, Wagner, "Messages Scheduling for Parallel Data Redistribution between Clusters",
/// section 2.1; section 2.2 has the normalisation by d. Deviation: the paper asks for k d1 <= D and k d2 <= D. The rule
/// here is k d <= D, because a fast receiver of a slow sender takes no more than the sender sends. The paper's own
/// example (200 senders at 10 Mbit/s, 100 receivers at 100 Mbit/s, D = 1 Gbit/s) has k = 100, which its second
/// condition forbids.
///
/// Worked example: the paper's example with a latency of 1 ms. d = 10 Mbit/s = 1.25e6 bytes/s, floor(D / d) = 100, so k
/// = min(100, 200, 100) = 100, beta = 1250 bytes.
namespace sluice {

/// Gives the speeds of links, in bytes/s, finite and above 0.
struct Backbone {
  double backbone_bytes_per_s = 0;       ///< D, shared by all transfers
  double sender_link_bytes_per_s = 0;    ///< d1, speed of each sender's link
  double receiver_link_bytes_per_s = 0;  ///< d2, speed of each receiver's link
  double latency_s = 0;                  ///< time to start a step; finite, at least 0
};

/// Gives the numbers that planning needs.
struct BackboneModel {
  double transfer_bytes_per_s = 0;  ///< d, speed of one transfer
  std::int64_t max_transfers = 1;   ///< k
  double setup_bytes = 0;           ///< beta
};

/// Computes k and beta for `senders` and `receivers`, each at least 0. O(1). Throws InputError, naming the value, for
/// numbers out of range.
[[nodiscard]] BackboneModel model(const Backbone& backbone, std::int64_t senders, std::int64_t receivers);

}  // namespace sluice
