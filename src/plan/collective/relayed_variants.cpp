/// Blocks that go by way of other ranks: scatter, gather and alltoall.

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "plan/collective/variant_parts.hpp"
#include "plan/collective/variants.hpp"
#include "plan/patterns/relayed.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

Variants relayed_variants(const ProgramTask& task) {
  const Program& shape = task.shape;
  const std::size_t p = task.order.size();
  std::vector<PairBlock> blocks;
  const auto add = [&](std::int64_t from, std::int64_t to, const ByteRange& range) {
    if (from != to && range.bytes > 0) blocks.push_back({from, to, range});
  };
  if (shape.problem == Collective::kScatter)
    for (const std::int64_t rank : task.order) add(shape.root, rank, task.block(rank));
  if (shape.problem == Collective::kGather)
    for (const std::int64_t rank : task.order) add(rank, shape.root, task.block(rank));
  if (shape.problem == Collective::kAlltoall) {
    constexpr std::int64_t kMostPairs = std::int64_t{1} << 20;
    if (all_pairs(task) > kMostPairs) throw InputError("ranks", fmt::format("{}", p), "at most 1024");
    for (std::size_t round = 1; round < p; ++round) {
      for (std::size_t i = 0; i < p; ++i) {
        const std::int64_t from = task.order[i], to = task.order[(i + round) % p];
        add(from, to, block_of(shape, from, to));
      }
    }
  }
  RelayedExchange exchange = relayed_exchange(*task.network, std::move(blocks), shape.element_bytes);
  return {{"relayed", std::move(exchange.make), exchange.length_s}};
}

}  // namespace sluice::detail
