#pragma once

#include <string>

namespace sluice::mpi {

/// Says how the transfers of an exchange or a redistribution are kept apart; docs/explanation/run.md says which mode to
/// choose.
enum class ExchangeMode {
  /// Chooses: between hosts kChain, or kLocal if no rank sends or receives more than 128 KiB. On one host all messages
  /// go at once. kChain if k limits an exchange.
  kAuto,
  kChain,    ///< follows the plan; short messages from rank to rank keep k and one transfer per port, without a barrier
  kLocal,    ///< keeps the plan's order at every rank, and nothing more: transfers may overlap
  kBarrier,  ///< follows the plan with a barrier after every step, as in the paper
  kList,     ///< uses no plan: rank 0 says who sends next; k can change at any time
  kAtOnce,   ///< uses no plan and no k: sends all messages at once and whole, because memory has no queues to overflow
};

/// Returns the name that users type: "auto", "chain", "local", "barrier", "list", "at-once".
[[nodiscard]] std::string to_string(ExchangeMode mode);
/// Returns the mode of that name. Throws InputError, which names `where`, for another name.
[[nodiscard]] ExchangeMode parse_exchange_mode(const std::string& name, const std::string& where = "mode");

}  // namespace sluice::mpi
