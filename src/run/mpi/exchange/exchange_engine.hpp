#pragma once

#include <memory>

#include "run/mpi/engine/engine.hpp"
#include "run/mpi/engine/list_gate.hpp"
#include "run/mpi/exchange/exchange_data.hpp"
#include "run/mpi/exchange/exchange_part.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "sluice/run/mpi/exchange.hpp"

namespace sluice::mpi::detail {

/// What carries out a rank's part of an exchange by MPI.
struct ExchangeEngine {
  std::unique_ptr<Engine> engine;
  ListGate* list = nullptr;  ///< of the engine, if the mode is list
};

/// For the mode in `options`, which is not auto any more, and the sizes there, which are not 0. `part` has to live as
/// long as the engine does.
///
/// If the exchange has local phases, one carrier moves what crosses the backbone, another what goes by local links. A
/// send of data that comes through the other carrier waits until it is there.
///
/// No deadlock: transfers before the backbone wait for nothing but their own list. Transfers over the backbone also
/// wait for transfers before it. Transfers after it are the last in their list, and wait for transfers over the
/// backbone.
[[nodiscard]] ExchangeEngine make_exchange_engine(Channel& channel, const ExchangePart& part,
                                                  const std::shared_ptr<ExchangeData>& data,
                                                  const ExchangeOptions& options);

}  // namespace sluice::mpi::detail
