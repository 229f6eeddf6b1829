#pragma once

#include <vector>

/// Whom a host meets, and what it finds; no MPI here.
namespace sluice::mpi::detail {

/// What two hosts found when they met, while others did.
struct Meeting {
  int a = 0;  ///< hosts, a < b
  int b = 0;
  int round = 0;         ///< its place in rounds_of
  double latency_s = 0;  ///< half of a round trip
  double to_a = 0;       ///< bytes per second that came there
  double to_b = 0;
  int pass = 0;  ///< of several in which all rounds are held
};

/// A round of meetings of n hosts: host i meets host i xor r, or, mirrored, the one for which the sum of both is r
/// modulo n. Two hosts that would meet themselves meet each other then. Neighbours meet neighbours in both, so that
/// what they share shows; mirrored, whatever n is.
struct MeetingRound {
  int r = 0;
  bool mirrored = false;

  /// Whom `host` meets; none: itself, or `hosts` or more.
  [[nodiscard]] int partner(int host, int hosts) const;

  friend bool operator==(const MeetingRound&, const MeetingRound&) = default;
};

/// The rounds of some hosts. Where their number is a power of two: r is 1 to 7 for up to 8 hosts, else the powers of
/// two, which join all hosts, and three more. Else: mirrored, all r, for up to 16 hosts; for more of them the powers of
/// two, two more, and mirrored ones in which halves and thirds of the hosts meet.
[[nodiscard]] std::vector<MeetingRound> rounds_of(int hosts);

}  // namespace sluice::mpi::detail
