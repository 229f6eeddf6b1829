#include "run/mpi/exchange/exchange_engine.hpp"

#include <cstdint>
#include <utility>

#include "run/mpi/engine/barrier_gate.hpp"
#include "run/mpi/engine/chain_gate.hpp"
#include "run/mpi/engine/end_waits.hpp"
#include "run/mpi/engine/ordered_carrier.hpp"

namespace sluice::mpi::detail {
namespace {

/// For local transfers: forwarded within a host, or by fast links. As in redistributions.
constexpr OrderedCarrier::Limits kLocalLimits{64 << 10, 1, 4, 0, false, Tag::kLocalData};

/// Null: each message starts when earlier ones have ended.
std::unique_ptr<Gate> gate_of(Channel& channel, const ExchangePart& part, ExchangeData& data,
                              const ExchangeOptions& options) {
  switch (options.mode) {
    case ExchangeMode::kAuto:
    case ExchangeMode::kLocal:
    case ExchangeMode::kAtOnce:
      break;
    case ExchangeMode::kChain:
      return std::make_unique<ChainGate>(channel, part.own, options.early_release_bytes);
    case ExchangeMode::kBarrier:
      return std::make_unique<BarrierGate>(channel, part.own, part.steps + part.routed.steps);
    case ExchangeMode::kList:
      return std::make_unique<ListGate>(
          channel, data, ListGate::Limits{part.max_transfers, options.tune, options.early_release_bytes});
  }
  return nullptr;
}

}  // namespace

ExchangeEngine make_exchange_engine(Channel& channel, const ExchangePart& part,
                                    const std::shared_ptr<ExchangeData>& data, const ExchangeOptions& options) {
  const bool routed = part.routed.is;
  const int ahead = usual_pieces(options.mode, routed).ahead;
  const OrderedCarrier::Limits limits{options.chunk_bytes, 1, options.window, ahead, /*contiguous=*/!routed};
  const auto waits = routed ? std::make_shared<EndWaits>(part.own) : nullptr;
  std::unique_ptr<Gate> gate = gate_of(channel, part, *data, options);
  ExchangeEngine made{std::make_unique<Engine>(channel, data)};
  if (options.mode == ExchangeMode::kList) made.list = static_cast<ListGate*>(gate.get());
  const auto add = [&](std::uint8_t lane, const OrderedCarrier::Limits& how, std::unique_ptr<Gate> of_lane,
                       bool share) {
    auto carrier = std::make_unique<OrderedCarrier>(channel, step_messages(part.own, /*sends=*/true, lane),
                                                    step_messages(part.own, /*sends=*/false, lane), how,
                                                    std::move(of_lane), waits);
    carrier->connect(share);
    made.engine->add(std::move(carrier));
  };
  add(0, limits, std::move(gate), false);
  if (routed) add(ExchangePart::kLocal, kLocalLimits, nullptr, part.routed.shares_memory);
  return made;
}

}  // namespace sluice::mpi::detail
