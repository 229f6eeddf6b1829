#include "run/mpi/exchange/exchange_protocol.hpp"

#include <utility>

#include "run/mpi/engine/protocol_barrier.hpp"
#include "run/mpi/engine/protocol_chain.hpp"

namespace sluice::mpi::detail {

ExchangeProtocol make_exchange_protocol(Channel& channel, const ExchangePart& part, UserMessages& messages,
                                        const ExchangeOptions& options) {
  switch (options.mode) {
    case ExchangeMode::kAuto:
    case ExchangeMode::kLocal:
    case ExchangeMode::kAtOnce:
      break;
    case ExchangeMode::kChain:
      return {std::make_unique<ChainProtocol>(channel, part.own, options.early_release_bytes)};
    case ExchangeMode::kBarrier:
      return {std::make_unique<BarrierProtocol>(channel, part.own, part.steps + part.routed.steps)};
    case ExchangeMode::kList: {
      const ListProtocol::Limits limits{part.max_transfers, options.tune, options.early_release_bytes};
      auto protocol = std::make_unique<ListProtocol>(channel, messages, limits);
      ListProtocol* const list = protocol.get();
      return {std::move(protocol), list};
    }
  }
  return {};
}

}  // namespace sluice::mpi::detail
