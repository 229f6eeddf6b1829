#include "run/mpi/network/meetings.hpp"

#include <bit>

namespace sluice::mpi::detail {

int MeetingRound::partner(int host, int hosts) const {
  if (!mirrored) return host ^ r;
  const int other = (r - host + hosts) % hosts;
  return other == host && hosts % 2 == 0 ? (host + hosts / 2) % hosts : other;
}

std::vector<MeetingRound> rounds_of(int hosts) {
  std::vector<MeetingRound> rounds;
  if (hosts < 2) return rounds;
  const bool power_of_two = std::has_single_bit(static_cast<unsigned>(hosts));
  constexpr int kAllMirrored = 16;
  if (!power_of_two && hosts <= kAllMirrored) {
    for (int r = 0; r < hosts; ++r) rounds.push_back({r, true});
    return rounds;
  }
  for (int r = 1; r < hosts; r *= 2) rounds.push_back({r});
  if (!power_of_two) {
    for (const int r : {3, 6}) rounds.push_back({r});
    for (const int r : {hosts - 1, hosts / 2 - 1, hosts / 3 - 1, 2 * hosts / 3 - 1}) rounds.push_back({r, true});
    return rounds;
  }
  const std::vector<int> more = hosts <= 8 ? std::vector{3, 5, 6, 7} : std::vector{3, 6, hosts - 1};
  for (const int r : more)
    if (r < hosts) rounds.push_back({r});
  return rounds;
}

}  // namespace sluice::mpi::detail
