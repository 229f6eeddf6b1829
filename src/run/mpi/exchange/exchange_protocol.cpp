#include "run/mpi/exchange/exchange_protocol.hpp"

#include <utility>
#include <vector>

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
    case ExchangeMode::kChain: {
      ChainLinks links;
      for (const auto& transfer : part.sends) links.sends.push_back({transfer.step, transfer.permissions});
      for (const auto& transfer : part.transfers_in) {
        links.senders.push_back({transfer.peer, transfer.step});
        links.successors.push_back(transfer.successors);
        links.bytes.push_back(transfer.bytes);
      }
      return {std::make_unique<ChainProtocol>(channel, std::move(links), options.early_release_bytes)};
    }
    case ExchangeMode::kBarrier: {
      std::vector<SteppedMessage> out;
      std::vector<SteppedMessage> in;
      for (const auto& transfer : part.sends) out.push_back({transfer.step, transfer.bytes});
      for (const auto& transfer : part.transfers_in) in.push_back({transfer.step, transfer.bytes});
      return {
          std::make_unique<BarrierProtocol>(channel, std::move(out), std::move(in), part.steps + part.routed.steps)};
    }
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
