#pragma once

#include <string>

namespace sluice::mpi {

/// How the transfers of an exchange or a redistribution are kept apart; docs/explanation/run.md says when to take
/// which.
enum class ExchangeMode {
  kAuto,     ///< between nodes kChain, or kLocal where no rank sends or receives more than 128 KiB; on one node
             ///< kAtOnce, and kLocal for a redistribution; kChain where k limits an exchange
  kChain,    ///< the plan, with k and one port kept by short messages from rank to rank; no barrier
  kLocal,    ///< the plan's order at every rank, and nothing else: transfers may overlap
  kBarrier,  ///< the plan, a barrier after every step, as in the paper
  kList,     ///< no plan: rank 0 says who sends next; k can be changed while it runs
  kAtOnce,   ///< no plan and no k: all messages under way at once, whole, as memory has no queues to overflow
};

/// The name users type: "auto", "chain", "local", "barrier", "list", "at-once".
[[nodiscard]] std::string to_string(ExchangeMode mode);
/// Throws InputError, which names `where`, for another name.
[[nodiscard]] ExchangeMode parse_exchange_mode(const std::string& name, const std::string& where = "mode");

}  // namespace sluice::mpi
