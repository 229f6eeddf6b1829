#pragma once

#include <vector>

/// Whom a host meets, and what it finds; no MPI here.
namespace sluice::mpi::detail {

/// What two hosts measured when they met, while other pairs of hosts met too.
struct Meeting {
  int a = 0;  ///< hosts, a < b
  int b = 0;
  int round = 0;         ///< its place in rounds_of
  double latency_s = 0;  ///< half of a round trip
  double to_a = 0;       ///< bytes per second that came there
  double to_b = 0;
  int pass = 0;  ///< the pass; each pass holds all rounds
};

/// A round of meetings of n hosts. Host i meets host i xor r or, if mirrored, host r - i modulo n. Two hosts that would
/// meet themselves meet each other then. Neighbours meet neighbours in both kinds, so that what they share shows;
/// mirrored rounds do so for any n.
struct MeetingRound {
  int r = 0;
  bool mirrored = false;

  /// The host that `host` meets; none: itself, or `hosts` or more.
  [[nodiscard]] int partner(int host, int hosts) const;

  friend bool operator==(const MeetingRound&, const MeetingRound&) = default;
};

/// The rounds of `hosts` hosts. If `hosts` is a power of two: r is 1 to 7 for up to 8 hosts; for more hosts, r is each
/// power of two, which joins all hosts, and three more numbers. Otherwise up to 16 hosts have mirrored rounds for all
/// r. More hosts have the powers of two, two more, and mirrored rounds that let halves and thirds of the hosts meet.
[[nodiscard]] std::vector<MeetingRound> rounds_of(int hosts);

}  // namespace sluice::mpi::detail
