#include "run/mpi/network/round_trip.hpp"

#include <mpi.h>

#include <algorithm>
#include <limits>

namespace sluice::mpi::detail {

double half_of_round_trip(Channel& channel, int peer, bool first, const std::shared_ptr<std::byte[]>& buffer,
                          int bytes) {
  constexpr int kThatCount = 5;
  double least = std::numeric_limits<double>::infinity();
  // The first one opens the connection.
  for (int i = 0; i <= kThatCount; ++i) {
    const double start = MPI_Wtime();
    for (const bool sends : {first, !first}) {
      if (sends) {
        send_and_wait(channel, buffer, buffer.get(), bytes, peer, Tag::kMeasure);
      } else {
        receive_and_wait(channel, buffer, buffer.get(), bytes, peer, Tag::kMeasure);
      }
    }
    if (i > 0) least = std::min(least, (MPI_Wtime() - start) / 2);
  }
  return least;
}

}  // namespace sluice::mpi::detail
