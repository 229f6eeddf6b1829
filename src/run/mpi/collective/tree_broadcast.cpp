#include "run/mpi/collective/tree_broadcast.hpp"

#include <bit>
#include <cstdint>
#include <span>

namespace sluice::mpi::detail {

OwnPart tree_broadcast_part(const Program& shape, std::int64_t rank, bool flat) {
  OwnPart part;
  const std::int64_t ranks = shape.ranks;
  const std::int64_t position = (rank - shape.root + ranks) % ranks;  // the root's is 0
  const auto add = [&](bool sends, std::int64_t peer_position) {
    OwnPart::Own end;
    end.peer = static_cast<int>((peer_position + shape.root) % ranks);
    end.sends = sends;
    const std::uint32_t received = 0;  // the end that the others wait for
    (void)part.add(end, OwnPart::Range{0, shape.size_bytes}, std::span(&received, sends && position != 0 ? 1 : 0));
  };
  // Position p serves positions up to p + reach - 1 of a binomial tree: it hears from the position without its lowest
  // bit.
  const auto lowest =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(position) & -static_cast<std::uint64_t>(position));
  if (position != 0) add(false, flat ? 0 : position - lowest);
  if (flat) {
    for (std::int64_t to = 1; position == 0 && to < ranks; ++to) add(true, to);
    return part;
  }
  const auto all = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(ranks)));
  for (std::int64_t half = (position == 0 ? all : lowest) / 2; half > 0; half /= 2)
    if (position + half < ranks) add(true, position + half);
  return part;
}

}  // namespace sluice::mpi::detail
