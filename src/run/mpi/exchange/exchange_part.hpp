#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "run/mpi/engine/piece_order.hpp"
#include "run/mpi/engine/protocol_chain.hpp"
#include "run/mpi/exchange/routed_part.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/ways/choice.hpp"
#include "schedule/pieces.hpp"
#include "sluice/plan/shared_links.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice::mpi::detail {

/// One rank's part of an exchange: the messages that it gets, and its transfers in the order of the steps.
struct ExchangePart {
  struct Send {
    int peer = 0;
    std::int64_t offset = 0;  ///< inside the message to that peer
    std::int64_t bytes = 0;
    std::int64_t step = 0;
    int permissions = 1;

    friend bool operator==(const Send&, const Send&) = default;
  };
  struct Receive {
    int peer = 0;
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
    std::int64_t step = 0;
    std::vector<ChainLinks::Send> successors = {};
  };

  ExchangeMode mode = ExchangeMode::kAuto;  ///< as asked for, or chosen
  std::int64_t steps = 0;                   ///< of the whole plan
  std::int64_t max_transfers = 0;           ///< k, cut to what ports allow, at least 1
  bool by_links = false;                    ///< planned for links that some of the messages share
  std::int32_t rule = kNoRule;              ///< that led to the mode, unless the user asked for it
  std::int64_t planning_bytes = 0;          ///< what this rank held of all ranks' messages to plan them
  std::vector<MessageSize> receives;        ///< from others, by rank, none empty
  std::vector<Send> sends;
  std::vector<Receive> transfers_in;
  /// With local phases, whose messages are not the rank's own: the offsets above are in these messages.
  RoutedPart routed;
};

/// Splits a schedule between ranks into their parts, `receives` apart, and links its transfers to chains of `slots` and
/// of `links` (waits_in_chain). @pre as there
[[nodiscard]] std::vector<ExchangePart> split(const StepSchedule& schedule, int ranks, std::int64_t slots,
                                              std::span<const SharedLink> links = {});

/// Whether messages go at once without anybody planning: where that is asked for, and on one host where nothing is
/// asked for.
[[nodiscard]] bool goes_at_once(const Channel& channel, const ExchangeOptions& options);

/// What the rank sends at once: whole messages, to the next rank first, then to the one after that.
[[nodiscard]] std::vector<ExchangePart::Send> sends_at_once(const Channel& channel,
                                                            const std::vector<MessageSize>& sends);

/// Transfers in the form that carriers of messages take.
template <class Transfer>
[[nodiscard]] std::vector<StepMessage> step_messages(const std::vector<Transfer>& transfers) {
  std::vector<StepMessage> result;
  for (const Transfer& transfer : transfers) result.push_back({transfer.peer, transfer.bytes});
  return result;
}

/// `packed`: pieces are packed into buffers.
[[nodiscard]] sluice::detail::UsualPieces usual_pieces(ExchangeMode mode, bool packed);

/// The ranks agree what to do; each gets its part. On all ranks. `receives`: what this rank gets; null on all ranks if
/// that is not known.
///
/// Modes without a plan: every rank learns what it gets from the ranks that send it. Otherwise rank 0 gathers rows,
/// plans, and sends every rank its part: no other rank holds more than its own part. Throws InputError on every rank if
/// rank 0 cannot plan.
[[nodiscard]] ExchangePart plan_together(Channel& channel, const std::vector<MessageSize>& sends,
                                         const std::vector<MessageSize>* receives, const ExchangeOptions& options);

}  // namespace sluice::mpi::detail
