#pragma once

#include <memory>

#include "run/mpi/engine/protocol_list.hpp"
#include "run/mpi/engine/step_executor.hpp"
#include "run/mpi/exchange/exchange_part.hpp"
#include "run/mpi/exchange/user_messages.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "sluice/run/mpi/exchange.hpp"

namespace sluice::mpi::detail {

/// What says when the transfers of a rank's part may start.
struct ExchangeProtocol {
  std::unique_ptr<StepProtocol> protocol;  ///< null: each when the previous ones have ended
  ListProtocol* list = nullptr;            ///< the same object, if the mode is list
};

/// For the mode in `options`, which is not auto any more. `messages`: what the list protocol is asked for. Both this
/// and `part` have to live as long as the protocol does.
[[nodiscard]] ExchangeProtocol make_exchange_protocol(Channel& channel, const ExchangePart& part,
                                                      UserMessages& messages, const ExchangeOptions& options);

}  // namespace sluice::mpi::detail
